from jostle.lab.running.timing import Stopwatch
from jostle.lab.running.trial import play
from jostle.lab.spec.plan import Trial


def test_work_on_the_state_alone_is_done_in_every_timed_round():
    """The compiler must not do once, before the loop, what a real run does in every round."""
    world = "h1:features=3,pool=4,shown=2"
    hard, easy = (
        Stopwatch(play(Trial(world, f"lab.own:Thinking:size={size}", 20, 0))).measure()
        for size in (256, 2)
    )
    # Two products of 256 x 256 matrices: more than 60 million operations.
    assert hard.choosing > 0.1
    assert hard.choosing > 10 * easy.choosing
    assert 0 < easy.learning < hard.choosing
