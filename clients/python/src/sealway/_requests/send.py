"""Sends a request, again if that helps and is safe."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, TypedDict

from .._flow import Flow, HttpAnswer, HttpRequest, NoAnswer, Sleep, exchange
from .._version import __version__
from ..errors import ApiError, SealwayConnectionError, SealwayError
from .address import parse_service_address
from .answer import ApiAnswer, read_answer, read_refusal, request_id_of
from .credentials import Authorization, require_visible
from .request import Request
from .retry import is_transient, retry_delay

MAX_TIMEOUT = 86_400.0
USER_AGENT = f"sealway-python/{__version__}"


@dataclass(frozen=True)
class Attempt:
    """One request that was sent, without ids, values and credentials: for metrics and traces."""

    method: str
    route: str
    """The path with ``{parameters}`` instead of ids."""
    number: int
    """1 for the first attempt of a call."""
    status: int | None
    """The HTTP status. None: there was no answer."""
    code: str | None
    """The code of the error; None for a success."""
    request_id: str | None
    """Names the request in the service's logs."""
    started_at: datetime
    took: float
    """In seconds."""


@dataclass(frozen=True)
class CallOptions:
    """Options of a single call; None is what the client has."""

    timeout: float | None = None
    max_retries: int | None = None
    idempotency_key: str | None = None


DEFAULT_OPTIONS = CallOptions()


class ConnectionOptions(TypedDict, total=False):
    """Options that all clients have."""

    allow_http: bool
    """Allows addresses that begin with ``http://`` on other machines than this one. Default: False."""
    timeout: float
    """How long one attempt of a call may take, in seconds. Default: 60."""
    max_retries: int
    """How often a failed attempt is repeated, if repeating is safe. Default: 3."""
    max_response_bytes: int
    """The largest answer that is read. Default: 64 MiB."""
    on_attempt: Callable[[Attempt], None] | None
    """Called after each attempt of a call, for metrics and traces. Must not raise, nor use the client."""


@dataclass(frozen=True)
class Connection:
    base_url: str
    allow_http: bool = False
    timeout: float = 60.0
    max_retries: int = 3
    max_response_bytes: int = 64 * 1024 * 1024
    on_attempt: Callable[[Attempt], None] | None = None


class Sender:
    """Sends requests for one caller.

    It follows no redirects, because credentials would go with them, and reads no more than ``max_response_bytes``. A
    failed attempt is repeated if the request is repeatable: with the same ``Idempotency-Key``, so that nothing is done
    twice.
    """

    def __init__(
        self,
        options: Connection,
        authorization: Authorization,
        *,
        random: Callable[[], float] = random.random,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.address = parse_service_address("base_url", options.base_url, allow_http=options.allow_http)
        self._options = options
        self._authorization = authorization
        self._random = random
        self._now = now
        self.limits(DEFAULT_OPTIONS)
        _require_int("max_response_bytes", options.max_response_bytes, 2**53)

    def limits(self, options: CallOptions) -> tuple[float, int]:
        """Returns the time-out and the number of retries of a call."""
        timeout = self._options.timeout if options.timeout is None else options.timeout
        is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
        if not is_number or not 0 < timeout <= MAX_TIMEOUT:
            raise TypeError(f"timeout must be a number of seconds, more than 0 and at most {MAX_TIMEOUT:.0f}.")
        retries = self._options.max_retries if options.max_retries is None else options.max_retries
        _require_int("max_retries", retries, 100)
        return timeout, retries

    def send(self, request: Request[Any], options: CallOptions = DEFAULT_OPTIONS) -> Flow[ApiAnswer]:
        """Raises ApiError if the service refuses the request, SealwayConnectionError if it does not answer."""
        _, max_retries = self.limits(options)
        sent = self._http_request(request, options)
        count = 0
        while True:
            answer, outcome = yield from self._attempt(request, sent, count + 1)
            if isinstance(outcome, ApiAnswer):
                return outcome
            delay = retry_delay(count, _retry_after_of(outcome), self._random())
            may_help = request.is_repeatable and _may_pass(answer, outcome, has_idempotency_key=request.takes_key)
            if not may_help or delay is None or count >= max_retries:
                raise outcome
            yield Sleep(delay)
            count += 1

    def _attempt(
        self, request: Request[Any], sent: HttpRequest, number: int
    ) -> Flow[tuple[HttpAnswer | NoAnswer, ApiAnswer | SealwayError]]:
        started_at, started = datetime.now(timezone.utc), self._now()
        answer = yield from exchange(sent)
        outcome = _outcome(answer)
        if self._options.on_attempt is not None:
            attempt = Attempt(
                method=request.method,
                route=request.route,
                number=number,
                status=answer.status if isinstance(answer, HttpAnswer) else None,
                code=outcome.code if isinstance(outcome, SealwayError) else None,
                request_id=request_id_of(answer.headers) if isinstance(answer, HttpAnswer) else None,
                started_at=started_at,
                took=self._now() - started,
            )
            self._options.on_attempt(attempt)
        return answer, outcome

    def _http_request(self, request: Request[Any], options: CallOptions) -> HttpRequest:
        """Not part of `send`: programs that report errors show what the variables of its frames are."""
        headers, body = self._headers(request, options), request.encoded_body()
        if body is not None:
            headers["content-type"] = body[0]
        return HttpRequest(
            request.method,
            self.address + request.target(),
            headers,
            None if body is None else body[1],
            timeout=self.limits(options)[0],
            max_bytes=self._options.max_response_bytes,
        )

    def _headers(self, request: Request[Any], options: CallOptions) -> dict[str, str]:
        headers = {
            "accept": "application/json, application/octet-stream",
            # Answers are small, and one that is small on its way could be large in memory.
            "accept-encoding": "identity",
            "user-agent": USER_AGENT,
            **request.header_fields(),
            "authorization": self._authorization(),
        }
        key = options.idempotency_key
        if request.takes_key:
            given = None if key is None else require_visible("idempotency_key", key)
            headers["idempotency-key"] = given or str(uuid.uuid4())
        elif key is not None:
            raise TypeError("This operation takes no idempotency_key.")
        return headers


def _outcome(answer: HttpAnswer | NoAnswer) -> ApiAnswer | SealwayError:
    if isinstance(answer, NoAnswer):
        return no_answer("The service", answer)
    if not 200 <= answer.status < 300:
        return read_refusal(answer)
    try:
        return read_answer(answer)
    except SealwayConnectionError as error:
        return error


def _retry_after_of(error: SealwayError) -> float | None:
    return error.retry_after if isinstance(error, ApiError) else None


def _may_pass(answer: HttpAnswer | NoAnswer, error: SealwayError, *, has_idempotency_key: bool) -> bool:
    """Whether another attempt may succeed."""
    if isinstance(answer, NoAnswer):
        return answer.code in ("connection-failed", "connection-timeout")
    return is_transient(answer.status, _retry_after_of(error), has_idempotency_key=has_idempotency_key)


def no_answer(server: str, answer: NoAnswer) -> SealwayConnectionError:
    """Says that a server did not answer."""
    reasons = {
        "connection-timeout": f"{server} did not answer in time.",
        "response-too-large": "The answer is larger than max_response_bytes.",
        "unexpected-response": "The answer is compressed, which was not asked for.",
    }
    unreachable = f"{server} could not be reached ({answer.reason})."
    return SealwayConnectionError(answer.code, reasons.get(answer.code, unreachable))


def _require_int(name: str, value: object, maximum: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= maximum:
        raise TypeError(f"{name} must be a whole number from 0 to {maximum}.")
