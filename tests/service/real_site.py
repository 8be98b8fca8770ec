"""A site of the real service, without a learner, which can be restarted."""

from jostle.service.service import Service
from jostle.service.service_settings import ServiceSettings

from http_support import Site

SETTINGS = ServiceSettings(learner=False, close_interval=0.02)


class RealSite(Site):
    """The HTTP interface of the real service."""

    def __init__(self, folder, **settings):
        self.data = folder / "data"
        super().__init__(folder, service=Service.open(self.data, SETTINGS), **settings)

    def restart(self):
        """Stop the service and start it again."""
        self.loop.run(self._reopen())

    async def _reopen(self):
        self.service.close()
        self.service = self.context.service = Service.open(self.data, SETTINGS)

    def close(self):
        self.service.close()
        super().close()
