"""Write the files that ``test_service_log.py`` opens: a small service's log, as of this release.

Run it only when ``jostle.service.log.records.SCHEMA`` is raised, with another folder: the files of
earlier releases stay.

    python tests/service/record_log.py tests/service/data/log-1
"""

import sys
from pathlib import Path

from service_support import Bench

bench = Bench(Path(sys.argv[1])).create()
for event in ("0", "1"):
    bench.decide(event, user="u")
bench.reward("1", 0.5, reward_id="r")
bench.pass_time(10)
bench.reward("0", 1.0)
bench.learn()
bench.decide("2")
bench.reward("expected", 1.0)
bench.decide("3")
bench.decide("deferred", defer=True)
bench.close()
