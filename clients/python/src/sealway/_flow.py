"""What the SDK does, apart from how it is done.

Everything that needs the network or time is a *flow*: a generator that yields effects, and receives their results. A
flow reads no socket and never waits, so that one flow serves both clients: ``_drive_sync`` carries the effects out with
blocking calls, ``_drive_async`` with asyncio. Tests carry them out with lists.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import httpx

T = TypeVar("T")

# Refusals are short; a longer one is not from the service.
MAX_REFUSAL_BYTES = 256 * 1024


@dataclass(frozen=True)
class HttpRequest:
    """A request, as it is sent. Its text shows nothing that may be secret."""

    method: str
    url: str = field(repr=False)
    headers: dict[str, str] = field(repr=False)
    content: bytes | None = field(repr=False, default=None)
    timeout: float = 60.0
    """In seconds, until the answer is complete."""
    max_bytes: int = MAX_REFUSAL_BYTES
    """The largest successful answer that is read."""
    is_url_secret: bool = False
    """Whether the URL itself is a permission, which no log may show."""

    def limit(self, status: int) -> int:
        return self.max_bytes if status < 400 else MAX_REFUSAL_BYTES


@dataclass(frozen=True)
class HttpAnswer:
    status: int
    headers: httpx.Headers
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class NoAnswer:
    """There was no answer, or none that was read to its end."""

    code: str
    """``connection-failed``, ``connection-timeout``, ``response-too-large`` or ``unexpected-response``."""
    reason: str | None = None
    """The class of the connection's error, such as ``ConnectError``."""


class OpenStream(Protocol):
    """An answer whose body is read piece by piece. The driver closes it when the flow ends."""

    status: int


class Lock(Protocol):
    """``threading.Lock`` or ``asyncio.Lock``."""

    def acquire(self) -> Any: ...
    def release(self) -> None: ...


@dataclass(frozen=True)
class Exchange:
    """Sends a request. Results in HttpAnswer or NoAnswer."""

    request: HttpRequest


@dataclass(frozen=True)
class Open:
    """Sends a request, and reads only the head of its answer. Results in OpenStream or NoAnswer."""

    request: HttpRequest


@dataclass(frozen=True)
class Read:
    """Results in the next bytes of an open stream, empty at its end, or in NoAnswer."""

    stream: OpenStream


# Not None, which an iterator may yield in the middle: the rest would be lost without a word.
END = object()


@dataclass(frozen=True)
class Next:
    """Results in the next item of an iterator of the caller's; END at its end."""

    source: Iterator[Any] | AsyncIterator[Any]


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Acquire:
    """Waits for a lock, which the flow then releases itself."""

    lock: Lock


@dataclass(frozen=True)
class Work:
    """Calls a function that takes a while, or reads a file. With asyncio, in a thread."""

    call: Callable[[], Any]


@dataclass(frozen=True)
class Emit(Generic[T]):
    """Hands an item to whoever iterates over the flow."""

    item: T


Effect: TypeAlias = Exchange | Open | Read | Next | Sleep | Acquire | Work
Flow: TypeAlias = Generator[Effect, Any, T]
"""Ends with a result."""
Stream: TypeAlias = Generator[Effect | Emit[T], Any, None]
"""Is iterated over."""


@dataclass(frozen=True)
class Done(Generic[T]):
    """A flow has ended."""

    result: T


def step(flow: Any, result: object = None, error: BaseException | None = None) -> Any:
    """Resumes a flow with the result of its effect, or with what the effect raised.

    Returns the next effect, ``Emit`` or ``Done``.
    """
    try:
        return flow.send(result) if error is None else flow.throw(error)
    except StopIteration as end:
        return Done(end.value)


def exchange(request: HttpRequest) -> Flow[HttpAnswer | NoAnswer]:
    answer: HttpAnswer | NoAnswer = yield Exchange(request)
    return answer


def work(call: Callable[[], T]) -> Flow[T]:
    result: T = yield Work(call)
    return result
