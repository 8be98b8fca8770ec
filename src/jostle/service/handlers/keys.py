"""Keys of clients."""

from jostle.service.auth import Keys, StoredKey
from jostle.service.calls import Call, Reply
from jostle.service.envelopes import KeyInfo, KeyList, NewKey
from jostle.service.http_problems import Forbidden
from jostle.service.problems import Invalid, NotFound
from jostle.service.roles import EVERY_APP


async def keys(call: Call) -> Reply:
    """The keys that the caller administers."""
    found = [key for key in _keys(call).all() if call.access.allows_giving(key.grants)]
    return Reply.of(KeyList([_info(key) for key in found]))


async def create(call: Call) -> Reply:
    """Make a key."""
    request, keys = call.body, _keys(call)
    if not call.access.allows_giving(request.grants):
        raise Forbidden("a key can only be made for apps on which you have the role admin")
    known = {EVERY_APP, *call.context.service.apps()}
    for app in request.grants:
        if app not in known:
            raise Invalid(f"there is no app {app!r:.60}", f"grants.{app:.60}")
    try:
        id, key = keys.create(request.grants, request.name)
    except ValueError as error:
        raise Invalid(str(error), "grants") from None
    stored = next(stored for stored in keys.all() if stored.id == id)
    return Reply.of(
        NewKey(id=id, name=stored.name, grants=stored.grants, created=stored.created, key=key),
        201,
    )


async def revoke(call: Call) -> Reply:
    """Forget a key at once."""
    id, keys = call.parameters[0], _keys(call)
    found = next((key for key in keys.all() if key.id == id), None)
    if found is None or not call.access.allows_giving(found.grants):
        raise NotFound(f"you administer no key of id {id!r:.40}")
    keys.revoke(id)
    return Reply(204)


def _keys(call: Call) -> Keys:
    if call.context.keys is None:
        raise NotFound("this server was started without keys")
    return call.context.keys


def _info(key: StoredKey) -> KeyInfo:
    return KeyInfo(id=key.id, name=key.name, grants=key.grants, created=key.created)
