"""Running functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .._api.callers import flow_method
from .._api.operation import call
from .._core import AppCore
from .._flow import Flow
from .._generated.operations import AppOperations
from .._requests.answer import ApiAnswer
from .._requests.request import Request
from .._requests.send import CallOptions
from ..errors import unexpected
from ..types import AsynchronousFunctionRun, FunctionRun, RunToken


@dataclass(frozen=True)
class ScheduledRun:
    """A run that the service has queued."""

    run_id: str
    """With it, ``functions.get_run`` returns the run."""
    status: Literal["scheduled"] = "scheduled"


class FunctionMethods:
    """Runs functions, and issues tokens for running them."""

    _core: AppCore

    @flow_method
    def run(
        self,
        name: str,
        payload: Mapping[str, Any],
        *,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> Flow[FunctionRun]:
        """Runs a function with a payload whose tokens are decrypted for it.

        A run that fails in its code is returned too, with the status ``failure``.
        """
        options = CallOptions(timeout, idempotency_key=idempotency_key)
        answer = yield from self._start(name, payload, options, is_async=False)
        run: FunctionRun = answer.content
        return run

    @flow_method
    def schedule(
        self, name: str, payload: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> Flow[ScheduledRun]:
        """Queues a run. ``get_run`` returns what has become of it."""
        options = CallOptions(idempotency_key=idempotency_key)
        answer = yield from self._start(name, payload, options, is_async=True)
        run_id = answer.headers.get("location", "").rsplit("/", 1)[-1]
        if not run_id:
            raise unexpected("The answer does not name the run.")
        return ScheduledRun(run_id)

    @flow_method
    def get_run(self, name: str, run_id: str) -> Flow[AsynchronousFunctionRun]:
        """Returns the state of a scheduled run."""
        request = AppOperations.get_function_run.request(function_name=name, run_id=run_id)
        return (yield from call(self._core.sender, request)).data

    @flow_method
    def create_run_token(self, name: str, payload: Mapping[str, Any]) -> Flow[RunToken]:
        """Issues a token with which a browser runs the function once, with this payload."""
        request = AppOperations.create_run_token.request(function_name=name, body={"payload": dict(payload)})
        return (yield from call(self._core.sender, request)).data

    def _start(self, name: str, payload: Mapping[str, Any], options: CallOptions, *, is_async: bool) -> Flow[ApiAnswer]:
        request: Request[Any] = AppOperations.run_function.request(
            function_name=name, body={"payload": dict(payload), "async": is_async}
        )
        return self._core.sender.send(request, options)
