"""Carries out flows with blocking calls."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from time import monotonic, sleep
from typing import TypeVar

import httpx

from ._flow import (
    END,
    Acquire,
    Done,
    Effect,
    Emit,
    Exchange,
    Flow,
    HttpAnswer,
    HttpRequest,
    Next,
    NoAnswer,
    Open,
    Read,
    Sleep,
    Stream,
    step,
)
from ._fork import renew_after_fork
from ._http import DIRECT, build_request, failure, forget_request, is_compressed

T = TypeVar("T")


class SyncStream:
    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        self.pieces = response.iter_bytes()


class SyncDriver:
    def __init__(self, given: httpx.Client | None) -> None:
        self.is_own = given is None
        self.http = httpx.Client(mounts=DIRECT) if given is None else given
        if self.is_own:
            renew_after_fork(self)

    def renew(self) -> None:
        """Opens connections of its own. Closing the others would end them for the process that has them."""
        if not self.http.is_closed:
            self.http = httpx.Client(mounts=DIRECT)

    def run(self, flow: Flow[T]) -> T:
        """Returns the result of a flow."""
        with ExitStack() as opened, closing(flow):
            state = step(flow)
            while not isinstance(state, Done):
                state = step(flow, *self._try(state, opened))
            result: T = state.result
            return result

    def iterate(self, flow: Stream[T]) -> Generator[T, None, None]:
        """Yields the items of a flow. Closing the iterator closes the answers that the flow reads."""
        with ExitStack() as opened, closing(flow):
            state = step(flow)
            while not isinstance(state, Done):
                if isinstance(state, Emit):
                    yield state.item
                    state = step(flow)
                else:
                    state = step(flow, *self._try(state, opened))

    def _try(self, effect: Effect, opened: ExitStack) -> tuple[object, BaseException | None]:
        try:
            return self._perform(effect, opened), None
        except BaseException as error:
            return None, error

    def _perform(self, effect: Effect, opened: ExitStack) -> object:
        if isinstance(effect, Exchange):
            return self._exchange(effect.request)
        if isinstance(effect, Open):
            return self._open(effect.request, opened)
        if isinstance(effect, Read):
            return self._read(effect)
        if isinstance(effect, Next):
            if not isinstance(effect.source, Iterator):
                raise TypeError("The source must be a binary file, or an iterable of bytes.")
            return next(effect.source, END)
        if isinstance(effect, Sleep):
            sleep(effect.seconds)
            return None
        if isinstance(effect, Acquire):
            return effect.lock.acquire()
        return effect.call()

    def _exchange(self, request: HttpRequest) -> HttpAnswer | NoAnswer:
        deadline = monotonic() + request.timeout
        content = bytearray()
        try:
            with closing(self._send(request)) as response:
                for piece in response.iter_bytes():
                    content += piece
                    if len(content) > request.limit(response.status_code):
                        return NoAnswer("response-too-large")
                    # The connection's own time-out begins again with each piece.
                    if monotonic() > deadline:
                        return NoAnswer("connection-timeout")
            forget_request(response)
        except httpx.HTTPError as error:
            return failure(error)
        return HttpAnswer(response.status_code, response.headers, bytes(content))

    def _open(self, request: HttpRequest, opened: ExitStack) -> SyncStream | NoAnswer:
        try:
            response = self._send(request)
        except httpx.HTTPError as error:
            return failure(error)
        opened.callback(response.close)
        return SyncStream(response)

    def _read(self, effect: Read) -> bytes | NoAnswer:
        assert isinstance(effect.stream, SyncStream)
        try:
            return next(effect.stream.pieces, b"")
        except httpx.HTTPError as error:
            return failure(error)

    def _send(self, request: HttpRequest) -> httpx.Response:
        built = build_request(self.http, request)
        response = self.http.send(built, stream=True, auth=None, follow_redirects=False)
        if is_compressed(response):
            response.close()
            raise httpx.DecodingError("The answer is compressed")
        return response
