"""Methods that are written once, as flows, and called on both clients.

A class of methods is combined with ``SyncCaller`` or ``AsyncCaller``. The type of a method follows from that: its
result, or a coroutine of it.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from .._drive_async import AsyncDriver
from .._drive_sync import SyncDriver
from .._flow import Flow, Stream
from .._requests.send import Sender

P = ParamSpec("P")
T = TypeVar("T")


class Core(Protocol):
    @property
    def sender(self) -> Sender: ...


C = TypeVar("C", bound=Core)


class SyncCaller(Generic[C]):
    """Calls block until they have their result."""

    def __init__(self, core: C, driver: SyncDriver) -> None:
        self._core = core
        self._driver = driver


class AsyncCaller(Generic[C]):
    """Calls are coroutines of asyncio."""

    def __init__(self, core: C, driver: AsyncDriver) -> None:
        self._core = core
        self._driver = driver


class flow_method(Generic[P, T]):  # noqa: N801
    """Declares a method by the flow that it carries out."""

    def __init__(self, start: Callable[Concatenate[Any, P], Flow[T]]) -> None:
        self._start = start
        self.__doc__ = start.__doc__

    @overload
    def __get__(self, caller: SyncCaller[Any], owner: object) -> Callable[P, T]: ...
    @overload
    def __get__(self, caller: AsyncCaller[Any], owner: object) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, caller: None, owner: object) -> flow_method[P, T]: ...
    def __get__(self, caller: SyncCaller[Any] | AsyncCaller[Any] | None, owner: object) -> object:
        return self if caller is None else _bound(self._start, caller, caller._driver.run)


class stream_method(Generic[P, T]):  # noqa: N801
    """Declares a method by the flow whose items it yields."""

    def __init__(self, start: Callable[Concatenate[Any, P], Stream[T]]) -> None:
        self._start = start
        self.__doc__ = start.__doc__

    @overload
    def __get__(self, caller: SyncCaller[Any], owner: object) -> Callable[P, Generator[T, None, None]]: ...
    @overload
    def __get__(self, caller: AsyncCaller[Any], owner: object) -> Callable[P, AsyncGenerator[T, None]]: ...
    @overload
    def __get__(self, caller: None, owner: object) -> stream_method[P, T]: ...
    def __get__(self, caller: SyncCaller[Any] | AsyncCaller[Any] | None, owner: object) -> object:
        return self if caller is None else _bound(self._start, caller, caller._driver.iterate)


def _bound(start: Callable[..., Any], caller: object, carry_out: Callable[[Any], Any]) -> Callable[..., Any]:
    method = start.__get__(caller)

    @functools.wraps(method)
    def run(*args: Any, **kwargs: Any) -> Any:
        return carry_out(method(*args, **kwargs))

    return run
