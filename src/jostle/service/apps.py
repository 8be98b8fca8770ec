"""``App``: what the server holds of one app: its configuration and the model it decides with."""

import math
import threading
from pathlib import Path
from typing import Any

import msgspec

from jostle import serialization
from jostle.features.hashing import digest
from jostle.service.configuration import deciding_policy, make_encoder
from jostle.service.folders import AppFolder
from jostle.service.making import Model
from jostle.service.messages import Config, ModelRef
from jostle.service.snapshots import Snapshots
from jostle.service.statistics import AppStatistics
from jostle.service.views import View


class App:
    """One app of a service.

    Arguments:
        data: the folder of the service.
        name: of the app.
        number: by which the log knows it.
        complain: called with a sentence about every damaged file.
    """

    def __init__(self, data: Path, name: str, number: int, complain: Any = print):
        self.name, self.number, self.complain = name, number, complain
        self.folder = AppFolder(data, name)
        self.snapshots = Snapshots(self.folder.models, complain)
        self.statistics = AppStatistics()
        self.config = Config()
        self.config_position = 0
        self.epoch = 0
        self.barrier = 0
        """Views of what was learned before this position are outdated."""
        self.etag = ""
        self.pinned: int | None = None
        self.lag_records, self.lag_seconds = 0, 0.0
        self.explained = -math.inf
        """When a decision was explained last, by ``time.perf_counter``."""
        self._latest: View | None = None
        self._model: Model | None = None
        self._policy: dict[str, Any] = {}
        self._encoder = make_encoder(self.config)
        self._encoded: Any = None  # the fixed moments that the encoder has
        self._lock = threading.Lock()

    @property
    def model(self) -> Model:
        """What decisions are made with."""
        assert self._model is not None, "an app is ready only once it has a view"
        return self._model

    @property
    def ready(self) -> bool:
        """Whether there is a model to decide with."""
        return self._model is not None

    def configure(self, config: Config, position: int, epoch: int) -> None:
        """Use a configuration from now on, with the present model if that still fits."""
        policy = serialization.describe(deciding_policy(config))
        encoder = make_encoder(config)
        with self._lock:
            encoder.names = self._encoder.names
            self.config, self.config_position = config, position
            self.etag = f'"{digest(msgspec.json.encode(config) + str(position).encode())}"'
            self._policy, self._encoder, self._encoded = policy, encoder, None
            if epoch != self.epoch:
                self.epoch, self.barrier = epoch, max(self.barrier, epoch)
                self.pinned = None
                self._latest = self._model = None
            elif self._latest is not None:
                self._use(self._latest)

    def offer(self, view: View) -> bool:
        """Decide with a view that the learner has published, unless it is outdated."""
        with self._lock:
            newest = -1 if self._latest is None else self._latest.position
            outdated = view.epoch != self.epoch or view.position < max(self.barrier, newest)
            if outdated or self.pinned is not None:
                return False
            self._use(view)
            return True

    def replace(self, view: View, barrier: int, pinned: int | None = None) -> None:
        """Decide with another version, and with nothing that was learned before ``barrier``."""
        with self._lock:
            self.barrier, self.pinned = barrier, pinned
            self._use(view)

    def _use(self, view: View) -> None:
        if self._encoded != view.moments[0]:
            self._encoder = self._encoder.with_moments(view.moments)
            self._encoded = view.moments[0]
        reference = ModelRef(view.version, view.position)
        self._latest = view
        self._model = Model(
            self._encoder, view.deciding(self._policy), reference, view.observations
        )
