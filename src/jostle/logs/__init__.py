"""Logged decisions: what was shown, what was chosen with which probability, and what it brought.

``Log`` holds them in arrays; ``scan`` reads a file in chunks, ``read`` reads it whole,
``LogWriter`` writes one, and ``Journal`` one that grows row by row. ``jostle.evaluation`` says what
another policy would have earned.
"""

from jostle.logs.files import LogFile, LogLike, LogWriter, read, scan, write
from jostle.logs.journal import Journal
from jostle.logs.log import Log
from jostle.logs.repair import BadLogError

__all__ = [
    "BadLogError",
    "Journal",
    "Log",
    "LogFile",
    "LogLike",
    "LogWriter",
    "read",
    "scan",
    "write",
]
