"""Compiled programs that pile up in a long-lived process.

Each takes hundreds of memory mappings, of which Linux allows a process some 65,000; beyond that the
compiler crashes. A worker that plays many policies, and a suite of tests, would get there.
"""

from pathlib import Path

MAPPINGS, LIMIT = Path("/proc/self/maps"), Path("/proc/sys/vm/max_map_count")
SHARE = 0.4  # of the limit, from which on we make room


def make_room() -> bool:
    """Let go of all compiled programs if they take too many mappings; whether that was done."""
    if not (MAPPINGS.exists() and LIMIT.exists()):
        return False
    if MAPPINGS.read_bytes().count(b"\n") < SHARE * int(LIMIT.read_text()):
        return False
    import gc

    import jax

    jax.clear_caches()
    gc.collect()
    return True
