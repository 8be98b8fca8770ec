"""Keep the compiled programs of a long-lived process within Linux's limit on memory mappings.

Each program takes hundreds of mappings, of which Linux allows a process some 65,000; beyond that
the compiler crashes. A worker that plays many policies would get there, and so would a test suite.
"""

from pathlib import Path

MAPPINGS, LIMIT = Path("/proc/self/maps"), Path("/proc/sys/vm/max_map_count")
SHARE = 0.4  # of the limit, above which programs are dropped


def make_room(share: float = SHARE) -> bool:
    """Drop all compiled programs if they take more than ``share`` of the allowed mappings.

    Returns whether it did.
    """
    if not (MAPPINGS.exists() and LIMIT.exists()):
        return False
    if MAPPINGS.read_bytes().count(b"\n") < share * int(LIMIT.read_text()):
        return False
    import gc

    import jax

    jax.clear_caches()
    gc.collect()
    return True
