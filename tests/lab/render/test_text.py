from hypothesis import given
from hypothesis import strategies as st

from jostle.lab.render.text import labels, settings_text, sized_by


def test_settings_are_told_in_words():
    names = {
        "npr": "npr",
        "npr:noise=0.30,step_size=0.001": "npr (noise 0.3, step size 0.001)",
        "neural-ucb:covariance=full,width=128": "neural-ucb (full, width 128)",
        "npr:restart=true,memory=none": "npr (restart, no memory)",
        "npr:width={size}": "npr (width {size})",
        "my.module:Mine": "Mine",
        "my.module:Mine:rate=2": "Mine (rate 2)",
        "=,not a name": "=,not a name",
    }
    for name, label in names.items():
        assert labels([name]) == {name: label.replace(" (width {size})", "")}


def test_labels_that_would_be_the_same_stay_names():
    names = ["a.b:Mine", "c.d:Mine", "npr:noise=1", "npr:noise=1.0", "npr (noise 1)"]
    assert labels(names) == {name: name for name in names}


@given(st.lists(st.text("ab:=,1 ().", max_size=8), unique=True, max_size=8))
def test_labels_are_unique_whatever_the_names(names):
    found = labels(names)
    assert list(found) == names
    assert len(set(found.values())) == len(names)


def test_long_names_are_cut():
    (label,) = labels(["npr:" + ",".join(f"setting{i}=1" for i in range(9))]).values()
    assert len(label) == 40
    assert label.endswith("…")


def test_what_a_size_is_the_size_of():
    assert sized_by(["h1", "npr:width={size}", "neural-ts:width={size}"]) == "width"
    assert sized_by(["h1:pool={size}", "npr:batch={size}"]) == "size"
    assert settings_text({"noise": 0.1, "step_size": 0.01}) == "noise 0.1, step size 0.01"
