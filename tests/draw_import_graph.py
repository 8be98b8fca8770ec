"""Draw the rooms and their imports: python tests/draw_import_graph.py

Writes docs/images/rooms.svg, and the same as text into CONTRIBUTING.md. ``test_import_graph`` fails
while they do not match the code.
"""

from html import escape
from pathlib import Path

from test_import_graph import graph

ROOT = Path(__file__).parent.parent
PICTURE, PAGE = ROOT / "docs" / "images" / "rooms.svg", ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- rooms: python tests/draw_import_graph.py -->\n", "<!-- end of rooms -->\n"
WIDTH, ROW, BOX, HEIGHT = 860, 84, 112, 32


def room_imports():
    """Each room and the other rooms that its modules import."""
    rooms = {}
    for module, names in graph().items():
        here = rooms.setdefault(module.split(".")[1], set())
        here |= {name.split(".")[1] for name in names} - {module.split(".")[1]}
    return rooms


def below(room, rooms, without=None):
    """All rooms that ``room`` reaches, other than by importing ``without`` itself."""
    found, left = set(), [each for each in rooms[room] if each != without]
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += rooms[each]
    return found


def direct(rooms):
    """The imports that no chain of others implies, as each room's sorted list."""
    return {
        room: sorted(each for each in names if each not in below(room, rooms, without=each))
        for room, names in rooms.items()
    }


def floors(rooms):
    """The rooms from the lowest floor to the highest, each above all that it imports."""
    level = {}

    def of(room):
        if room not in level:
            level[room] = 1 + max((of(each) for each in rooms[room]), default=-1)
        return level[room]

    rows = [[] for _ in range(1 + max(map(of, rooms)))]
    for room in sorted(rooms):
        rows[level[room]].append(room)
    return rows


def places(rows, arrows):
    """The middle of each room's box; a room stands near the middle of those it rests on."""
    found = {}
    for number, row in enumerate(rows):

        def middle(room):
            under = [found[each][0] for each in arrows[room]]
            return sum(under) / len(under) if under else WIDTH / 2

        step = WIDTH / len(row)
        for place, room in enumerate(sorted(row, key=lambda each: (middle(each), each))):
            found[room] = step * (place + 0.5), ROW * (len(rows) - number) - ROW / 2
    return found


def picture():
    """The drawing, as SVG."""
    rooms = room_imports()
    rows, arrows = floors(rooms), direct(rooms)
    at = places(rows, arrows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {ROW * len(rows)}" '
        'font-family="sans-serif" font-size="14" role="img">',
        "<title>The rooms of jostle; a line leads down to each room that is imported</title>",
        f'<rect width="{WIDTH}" height="{ROW * len(rows)}" fill="#fff"/>',
    ]
    for room, names in sorted(arrows.items()):
        for name in names:
            (x, y), (to, down) = at[room], at[name]
            top, bottom = y + HEIGHT / 2, down - HEIGHT / 2
            bend = (top + bottom) / 2
            lines.append(
                f'<path d="M{x:.0f} {top:.0f}C{x:.0f} {bend:.0f} {to:.0f} {bend:.0f} '
                f'{to:.0f} {bottom:.0f}" fill="none" stroke="#8aa"/>'
            )
    for room, (x, y) in sorted(at.items()):
        lines.append(
            f'<rect x="{x - BOX / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{BOX}" '
            f'height="{HEIGHT}" rx="6" fill="#eef4f8" stroke="#0072b2"/>'
            f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle">{escape(room)}</text>'
        )
    return "\n".join([*lines, "</svg>"]) + "\n"


def text():
    """The same as lines of text, the highest floor first."""
    rooms = room_imports()
    arrows = direct(rooms)
    ordered = [room for row in reversed(floors(rooms)) for room in row if arrows[room]]
    widest = max(map(len, ordered))
    return "".join(f"    {room:<{widest}} -> {', '.join(arrows[room])}\n" for room in ordered)


def written(page):
    """The page with the present drawing between its marks."""
    head, rest = page.split(BEGIN)
    tail = rest.split(END)[1]
    return f"{head}{BEGIN}\n{text()}\n{END}{tail}"


if __name__ == "__main__":
    PICTURE.write_text(picture())
    PAGE.write_text(written(PAGE.read_text()))
