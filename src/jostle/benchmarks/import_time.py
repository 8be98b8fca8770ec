"""The cost of importing jostle."""

import subprocess
import sys
import time

from jostle.benchmarks.comparison import Row


def import_against_jax(quick: bool = False) -> Row:
    """Importing jostle with a policy, Agent and simulate, against importing jax."""

    def fresh(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start

    pairs = [
        (fresh("import jostle; jostle.NPR; jostle.Agent; jostle.simulate"), fresh("import jax"))
        for _ in range(2 if quick else 5)
    ]
    ours, reference = (min(pair[i] for pair in pairs) for i in (0, 1))
    return Row(
        "import jostle with NPR, Agent and simulate, against import jax",
        f"{ours:.2f} s",
        f"{reference:.2f} s",
        ours / reference,
        1.5,
    )
