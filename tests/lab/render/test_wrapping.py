from jostle.lab.render.wrapping import wrap

WORDS = " ".join(["words"] * 40)


def test_paragraphs_wrap_and_lose_nothing():
    wrapped = wrap(WORDS, 60)
    assert max(map(len, wrapped.splitlines())) <= 60
    assert " ".join(wrapped.split()) == WORDS


def test_items_hang():
    first, second, *_ = wrap(f"- {WORDS}\n- short", 60).splitlines()
    assert first.startswith("- words")
    assert second.startswith("  words")
    assert wrap(f"- {WORDS}\n- short", 60).splitlines()[-1] == "- short"


def test_tables_headings_images_and_code_stay_as_they_are():
    for block in (
        f"| {WORDS} |",
        f"# {WORDS}",
        f"![{WORDS}](a.png)",
        f"```\n{WORDS}\n\n{WORDS}\n```",
    ):
        assert wrap(block, 60) == block
    page = f"```\n{WORDS}\n\n{WORDS}\n```\n\n{WORDS}"
    assert max(map(len, wrap(page, 60).split("```\n\n")[1].splitlines())) <= 60


def test_no_line_begins_with_a_mark_that_would_make_it_a_list():
    for mark in ("-", "+", "1.", "#", ">"):
        text = f"{'x' * 55} {mark} {WORDS}"
        assert not any(line.startswith(f"{mark} ") for line in wrap(text, 57).splitlines())
