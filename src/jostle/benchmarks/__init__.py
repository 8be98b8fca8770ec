"""Benchmarks of speed, latency and memory, behind the command ``jostle bench``.

Machines are shared and noisy, so the figure to read is a ratio: each benchmark compares our code
with a reference that is measured in turns with it, in the same run, and states the ratio it is
expected to reach. They are part of the package, and not a folder beside it, because ``jostle
bench`` is a command for users: it tells what to expect on their own machine.

``suite`` lists the benchmarks by name; each is a function of ``quick`` in a file of its own topic.
"""
