"""The dashboard of the decision service: pages drawn on the server, with nothing from elsewhere.

``routes(service, keys)`` are its routes, to be mounted at ``/dashboard``.
"""

from jostle.service.dashboard.routes import routes

__all__ = ["routes"]
