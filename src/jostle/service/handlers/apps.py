"""Apps and their configurations, statistics and users."""

from jostle.decisions.requests import LONGEST_ID
from jostle.service.calls import Call, Reply
from jostle.service.envelopes import AppInfo, AppList, Erased
from jostle.service.http_problems import NeedsCondition
from jostle.service.messages import Config
from jostle.service.problems import Invalid


async def apps(call: Call) -> Reply:
    """The apps on which the caller has a role."""
    found = [AppInfo(app, call.access.roles(app)) for app in sorted(call.context.service.apps())]
    return Reply.of(AppList([info for info in found if info.roles]))


async def create(call: Call) -> Reply:
    """Make an app."""
    config = call.body or Config()
    await call.context.service.create_app(call.app, config)
    config, tag = call.context.service.config(call.app)
    return Reply.of(config, 201, {"ETag": quoted(tag)})


async def config(call: Call) -> Reply:
    """The configuration and its ETag."""
    config, tag = call.context.service.config(call.app)
    return Reply.of(config, headers={"ETag": quoted(tag)})


async def put_config(call: Call) -> Reply:
    """Replace the configuration."""
    given = call.headers.get(b"if-match")
    if given is None:
        raise NeedsCondition(
            "send If-Match with the ETag of the configuration that you replace, or * for any"
        )
    _, present = call.context.service.config(call.app)
    wanted = _tag(given.decode("latin-1"), present)
    await call.context.service.put_config(call.app, call.body, wanted)
    return await config(call)


async def statistics(call: Call) -> Reply:
    """What happened."""
    query = call.query
    return Reply.of(call.context.service.statistics(call.app, query.since, query.buckets))


async def erase(call: Call) -> Reply:
    """Erase a user's data."""
    user = call.parameters[1]
    if len(user) > LONGEST_ID:
        raise Invalid(f"user must have 1 to {LONGEST_ID} characters, not {len(user)}", "user")
    return Reply.of(Erased(await call.context.service.erase(call.app, user)))


def quoted(tag: str) -> str:
    """An ETag as it is sent."""
    return tag if tag.startswith('"') else f'"{tag}"'


def _tag(header: str, present: str) -> str | None:
    """The tag to compare with: the present one if the header names it; None for any."""
    tags = [tag.strip() for tag in header.split(",")]
    if tags == ["*"]:
        return None
    return present if quoted(present) in tags else tags[0].strip('"') or "none"
