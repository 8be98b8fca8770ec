"""The decision service, ``jostle serve``: durable decisions over HTTP, and the same in process.

``service.Service`` is the core, without HTTP: it decides, counts rewards, closes decisions and lets
a learner process learn from them. Everything it acknowledges is in its log, and its state is a
function of the log. The packages it needs are those of the extra ``serve``.
"""
