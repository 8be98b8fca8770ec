"""Statistics in the log's file: stored with the position up to which they have counted."""

import msgspec

from jostle.service.apps import App
from jostle.service.log.records import decode
from jostle.service.log.sqlite import SqliteLog
from jostle.service.statistics import AppStatistics, Stored

FACT = "statistics"


class Counted(msgspec.Struct):
    """The statistics of all apps, by number, and the last position that they count."""

    position: int
    apps: dict[int, Stored]


def load_statistics(log: SqliteLog, apps: dict[int, App]) -> int:
    """Give apps their statistics, what was logged since they were stored included."""
    content = log.fact(FACT)
    position = 0
    if content is not None:
        counted = msgspec.msgpack.decode(content, type=Counted)
        position = counted.position
        for number, stored in counted.apps.items():
            apps[number].statistics = AppStatistics.from_data(stored)
    for record in log.records(position):
        if record.app in apps and (body := decode(record)) is not None:
            apps[record.app].statistics.add(record.time, body)
        position = record.position
    return position


def save_statistics(log: SqliteLog, apps: dict[int, App], counted: int) -> int:
    """Store statistics that count everything up to the end of the log; its position."""
    position = log.next_position - 1
    if position != counted:
        stored = {number: app.statistics.as_data() for number, app in apps.items()}
        log.put_fact(FACT, msgspec.msgpack.encode(Counted(position, stored)))
    return position
