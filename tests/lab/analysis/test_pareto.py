from hypothesis import given
from hypothesis import strategies as st

from jostle.lab.analysis.pareto import pareto_front


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=9))
def test_the_front_is_what_no_other_point_beats(points):
    cost, loss = zip(*points, strict=True)
    found = {points[i] for i in pareto_front(cost, loss)}
    expected = {
        (c, m)
        for c, m in points
        if not any(a <= c and b <= m and (a, b) != (c, m) for a, b in points)
    }
    assert found == expected
