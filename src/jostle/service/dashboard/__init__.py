"""The dashboard of the decision service: pages drawn on the server, with nothing from elsewhere.

``pages(context)`` mounts it at ``/dashboard``; ``routes(service, keys)`` are its routes.
"""

from jostle.service.dashboard.routes import pages, routes

__all__ = ["pages", "routes"]
