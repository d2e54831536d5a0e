"""Carries out flows with lists, without network and time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import httpx

from sealway._flow import Acquire, Done, Emit, Exchange, HttpAnswer, HttpRequest, NoAnswer, Sleep, Work, step

T = TypeVar("T")


class Script:
    """Answers the requests of flows one after the other, and notes what they do."""

    def __init__(self, answers: Iterable[HttpAnswer | NoAnswer | Callable[[], Any]] = ()) -> None:
        self.answers = list(answers)
        self.requests: list[HttpRequest] = []
        self.slept: list[float] = []
        self.worked = 0

    def run(self, flow: Any) -> Any:
        state = step(flow)
        while not isinstance(state, Done):
            state = step(flow, self._perform(state))
        return state.result

    def items(self, flow: Any) -> list[Any]:
        found = []
        state = step(flow)
        while not isinstance(state, Done):
            if isinstance(state, Emit):
                found.append(state.item)
            state = step(flow, None if isinstance(state, Emit) else self._perform(state))
        return found

    def _perform(self, effect: Any) -> Any:
        if isinstance(effect, Exchange):
            self.requests.append(effect.request)
            answer = self.answers.pop(0)
            return answer() if callable(answer) else answer
        if isinstance(effect, Sleep):
            return self.slept.append(effect.seconds)
        if isinstance(effect, Acquire):
            return effect.lock.acquire()
        assert isinstance(effect, Work)
        self.worked += 1
        return effect.call()


def answer(status: int, content: object = None, headers: dict[str, str] | None = None) -> HttpAnswer:
    """An answer of the service: JSON, or what the bytes are."""
    is_bytes = isinstance(content, bytes)
    body = content if isinstance(content, bytes) else b"" if content is None else json.dumps(content).encode()
    own = {} if is_bytes or content is None else {"content-type": "application/json"}
    return HttpAnswer(status, httpx.Headers({**own, **(headers or {})}), body)


def refusal(status: int, code: str, headers: dict[str, str] | None = None, **others: object) -> HttpAnswer:
    problem = {"code": code, "title": "", "detail": "No.", "status": status, **others}
    return answer(status, problem, headers)
