from hypothesis import given
from hypothesis import strategies as st

from jostle.lab.analysis.intervals import PairedDifference
from jostle.lab.render.text import (
    bytes_text,
    change_label,
    count,
    difference,
    fixed,
    labels,
    markdown_table,
    mean_error,
    panel_labels,
    percent_difference,
    portable,
    settings_text,
    significant,
    size_word,
)
from jostle.lab.spec.experiment import Experiment
from lab.examples import comparison, growth, growth_with_rounds, outcome


def test_settings_are_written_in_words():
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
    assert len(label) == 48
    assert label.endswith("…")


def test_what_a_size_is_the_size_of():
    sizes = (1, 2)
    policies = ("npr:width={size}", "neural-ts:width={size}")
    assert size_word(Experiment("a", ("h1",), policies, sizes=sizes)) == "width"
    assert size_word(Experiment("a", "h1:pool={size}", "npr:batch={size}", sizes=sizes)) == "size"
    assert size_word(growth_with_rounds().experiment) == "rounds"
    assert settings_text({"noise": 0.1, "step_size": 0.01}) == "noise 0.1, step size 0.01"
    assert settings_text({"rounds": 1_000_000}) == "rounds 1000000"
    (label,) = labels(["drift:breaks=(400000,700000)"]).values()
    assert label == "drift (breaks 400000 and 700000)"


def test_a_change_is_what_sets_a_policy_apart_from_the_first():
    policies = ["npr", "npr:steps=1,network=paper", "lin-ucb:noise=2", "npr:linear=false"]
    assert [change_label(policy, policies) for policy in policies[1:]] == [
        "steps 1, network paper",
        "lin-ucb (noise 2)",
        "no linear",
    ]


def test_panels_are_called_by_environment_and_size():
    assert panel_labels(growth(sizes=(16, 64))) == ["h1, size 16", "h1, size 64"]
    assert panel_labels(growth_with_rounds())[1] == "h1, timed after 1,000 rounds"
    several = outcome(comparison({"a": [1]}), comparison({"a": [1]}, environment="h1:shown=5"))
    assert panel_labels(several) == ["h1", "h1 (shown 5)"]


def test_numbers_to_decimal_places():
    assert [fixed(value, 1) for value in (1234.56, 0.04, 0, -0.26, None)] == [
        "1,234.6",
        "<0.1",
        "0.0",
        "-0.3",
        "-",
    ]
    assert fixed(0.5, 3, sign=True) == "+0.500"
    assert fixed(1e-9, 4, sign=True) == "<0.0001"


def test_numbers_to_significant_digits():
    values = (0.25, 1.5, 0.32251, 1239.0, 12.0, 0.0, 1e-5, None)
    assert [significant(value) for value in values] == [
        "0.25",
        "1.5",
        "0.323",
        "1,240",
        "12",
        "0",
        "<0.0001",
        "-",
    ]
    assert significant(1130, 2) == "1,100"


def test_means_differences_and_intervals():
    assert mean_error(38.64, 2.31, 1) == "38.6 ± 2.3"
    assert mean_error(38.64, None, 1) == "38.6"
    paired = PairedDifference(208.4, -5.8, 1406.4, 5)
    assert difference(paired, 1) == "+208.4 (-5.8 to 1,406.4)"
    assert percent_difference(paired) == "+208% (-6 to +1,406)"


def test_memory_and_counts():
    sizes = (None, 12, 2048, 3.5 * 2**20, 2**31)
    assert [bytes_text(size) for size in sizes] == ["-", "12 B", "2 KiB", "3.5 MiB", "2 GiB"]
    assert [count(1, "run"), count(1200, "run"), count(2, "policy", "policies")] == [
        "1 run",
        "1,200 runs",
        "2 policies",
    ]


def test_bars_in_the_cells_of_a_markdown_table_are_escaped():
    assert markdown_table(["a", "b"], [["1", "x|y"]]) == "| a | b |\n|---|---|\n| 1 | x\\|y |"


def test_commands_are_shown_without_the_folders_of_one_machine():
    here = "jostle reproduce fig1a --out results -j 1"
    assert portable(here) == here
    assert portable("jostle reproduce fig1a --out /home/me/runs/results -j 1") == here
    assert (
        portable("jostle reproduce fig1a --out=/results/") == "jostle reproduce fig1a --out=results"
    )
    assert portable("jostle run sub/steps.toml -p npr:noise=1/3") == (
        "jostle run sub/steps.toml -p npr:noise=1/3"
    )
