"""An answer's head and body are one write, and nothing is held back for longer than a turn."""

import asyncio

import pytest

from jostle.service.protocol import JoinedWrites

HEAD = b"HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Recorder:
    """A transport that notes what it is told."""

    def __init__(self):
        self.told = []

    def write(self, data):
        self.told.append(data)

    def close(self):
        self.told.append("closed")

    def is_closing(self):
        return "closed" in self.told


@pytest.mark.parametrize(
    ("writes", "told"),
    [
        ([HEAD, b"ok"], [HEAD + b"ok"]),
        ([HEAD, b"o", b"k"], [HEAD + b"o", b"k"]),
        ([HEAD, b"ok", HEAD, b"ok"], [HEAD + b"ok", HEAD + b"ok"]),
        ([HEAD], [HEAD]),
        ([HEAD, HEAD], [HEAD + HEAD]),
        ([CONTINUE, HEAD, b"ok"], [CONTINUE, HEAD + b"ok"]),
        ([HEAD, "close"], [HEAD, "closed"]),
        ([HEAD, "turn", b"ok"], [HEAD, b"ok"]),
        ([b"a body that is no head"], [b"a body that is no head"]),
    ],
)
def test_what_is_written_arrives_in_order_and_at_the_end_of_the_turn(writes, told):
    recorder = Recorder()

    async def write():
        joined = JoinedWrites(recorder, asyncio.get_running_loop())
        for each in writes:
            if each == "close":
                joined.close()
                assert joined.is_closing()
            elif each == "turn":
                await asyncio.sleep(0)
            else:
                joined.write(each)
        await asyncio.sleep(0)

    asyncio.run(write())
    assert recorder.told == told
