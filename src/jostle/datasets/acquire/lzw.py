"""Decompressing Unix ``compress`` files (``.Z``), as which UCI ships the training half of Shuttle.

Written by hand because the standard library has no decoder, and a dependency for one file in a
format that has not changed since 1985 would cost more than these lines.
"""

_MAGIC = b"\x1f\x9d"
_CLEAR = 256


def decompress(data: bytes, limit: int) -> bytes:
    """Decompress the bytes of a ``.Z`` file.

    Codes have ``width`` bits, least significant first, and are written in groups of eight: when the
    width changes or the table is cleared, the rest of the group is padding.

    Raises:
        ValueError: the data are damaged, or decompress to more than ``limit`` bytes.
    """
    if data[:2] != _MAGIC or len(data) < 3:
        raise ValueError("not a .Z file")
    most, blocks = data[2] & 0x1F, bool(data[2] & 0x80)
    if not 9 <= most <= 16:
        raise ValueError(f"a .Z file with codes of up to {most} bits; expected 9 to 16")
    table = [bytes((value,)) for value in range(256)] + [b""] * blocks
    literals = len(table)
    position = group = 24
    end, width, size = 8 * len(data), 9, 0
    previous = b""
    pieces: list[bytes] = []
    while True:
        if len(table) >= 1 << width and width < most:
            position = group = _next_group(position, group, width)
            width += 1
        if position + width > end:
            return b"".join(pieces)
        byte, shift = divmod(position, 8)
        code = int.from_bytes(data[byte : byte + 4], "little") >> shift & (1 << width) - 1
        position += width
        if blocks and code == _CLEAR:
            position = group = _next_group(position, group, width)
            del table[literals:]
            width, previous = 9, b""
            continue
        if code < len(table):
            entry = table[code]
        elif code == len(table) and previous:
            entry = previous + previous[:1]
        else:
            raise ValueError("a damaged .Z file: it refers to a sequence that it has not defined")
        if previous and len(table) < 1 << most:
            table.append(previous + entry[:1])
        size += len(entry)
        if size > limit:
            raise ValueError(f"a .Z file that exceeds the limit of {limit:,} uncompressed bytes")
        pieces.append(entry)
        previous = entry


def _next_group(position: int, group: int, width: int) -> int:
    codes = (position - group) // width
    return group + (codes + 7) // 8 * 8 * width
