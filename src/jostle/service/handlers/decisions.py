"""Decisions, rewards and activations."""

import msgspec

from jostle.service.calls import Call, Reply, encode
from jostle.service.envelopes import (
    ActivationAnswer,
    DecisionList,
    RewardAnswer,
    RewardBatchAnswer,
    RewardResult,
)
from jostle.service.messages import Answer, RewardState
from jostle.service.problems import Problem
from jostle.service.replies import problem_data

_REWARDS: dict[RewardState, bytes] = {
    state: encode(RewardAnswer(state)) for state in ("joined", "pending", "late", "duplicate")
}


async def decide(call: Call) -> Reply:
    """One decision."""
    answer = await call.context.service.decide(call.app, call.body)
    return Reply(201 if answer.created else 200, answer.body)


async def decide_batch(call: Call) -> Reply:
    """Up to 256 decisions."""
    answers = await call.context.service.decide_many(call.app, call.body.decisions)
    # The bytes of an answer are kept as they are: the same as those of a single decision.
    return Reply(200, encode({"decisions": [_result(answer) for answer in answers]}))


def _result(answer: Answer | Problem) -> dict[str, object]:
    if isinstance(answer, Problem):
        return {"status": answer.status, "problem": problem_data(answer)}
    return {"status": 201 if answer.created else 200, "decision": msgspec.Raw(answer.body)}


async def reward(call: Call) -> Reply:
    """One reward."""
    state = await call.context.service.reward(call.app, call.parameters[1], call.body)
    return Reply(202, _REWARDS[state])


async def reward_batch(call: Call) -> Reply:
    """Up to 256 rewards."""
    states = await call.context.service.reward_many(call.app, call.body.rewards)
    results = [
        RewardResult(state.status, problem=problem_data(state))
        if isinstance(state, Problem)
        else RewardResult(202, state)
        for state in states
    ]
    return Reply.of(RewardBatchAnswer(results))


async def activate(call: Call) -> Reply:
    """Let a deferred decision count."""
    state = await call.context.service.activate(call.app, call.parameters[1])
    return Reply.of(ActivationAnswer(state))


async def decision(call: Call) -> Reply:
    """Everything about one decision."""
    return Reply.of(call.context.service.decision(call.app, call.parameters[1]))


async def decisions(call: Call) -> Reply:
    """The latest decisions."""
    query = call.query
    found = call.context.service.decisions(call.app, query.before, query.limit)
    return Reply.of(DecisionList(found))
