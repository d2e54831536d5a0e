"""Encrypting here, and decrypting by the service."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, Final

from .._api.callers import flow_method, stream_method
from .._api.operation import call
from .._core import AppCore
from .._flow import END, Emit, Flow, Next, Stream
from .._generated.operations import AppOperations
from .._requests.request import BYTES, JSON, Request
from .._requests.send import CallOptions
from .._sealing.keys import KeySource
from .._sealing.sealer import FileSealing, require_role, seal_document, seal_file
from ..types import Fingerprint

PIECE_BYTES = 65_536


class _NoSubject:
    """The default of ``data_subject``. Not None, which stands where a person's id is missing."""

    def __repr__(self) -> str:
        return "..."


NO_SUBJECT: Final = _NoSubject()


def encrypt(core: AppCore, data: object, role: str | None, data_subject: object) -> Flow[Any]:
    require_role(role)
    if isinstance(data, bytes | bytearray | memoryview):
        if role is not None:
            raise TypeError("A file cannot carry a data role.")
        if data_subject is not NO_SUBJECT:
            raise TypeError("A file cannot belong to a data subject.")
        return seal_file(bytes(data), core.app_key.get)
    return seal_document(data, role, _key_source(core, data_subject))


def decrypt(
    core: AppCore,
    data: object,
    options: CallOptions,
    *,
    require_tokens: bool,
    reveal: str | None,
    reason: str | None,
) -> Flow[Any]:
    headers = {
        "x-service-require-tokens": True if require_tokens else None,
        "x-service-reveal": reveal,
        "x-service-reason": reason,
    }
    return convert(core, "/decrypt", data, options, headers)


def convert(
    core: AppCore,
    route: str,
    data: object,
    options: CallOptions,
    headers: Mapping[str, object] | None = None,
) -> Flow[Any]:
    """Sends JSON or a file to an endpoint that answers with the same in another form."""
    request: Request[Any] = Request(
        "POST",
        route,
        headers=headers or {},
        body=data,
        content_types=(JSON, BYTES),
        changes_nothing=True,
    )
    return (yield from call(core.sender, request, options)).data


def _key_source(core: AppCore, data_subject: object) -> Callable[[], Flow[KeySource]]:
    if data_subject is NO_SUBJECT:
        return core.app_key.get
    if not isinstance(data_subject, str):
        raise TypeError("data_subject must be a str. Leave it out to encrypt for no data subject.")
    return lambda: core.subject_keys.get(data_subject)


class DocumentMethods:
    _core: AppCore

    @stream_method
    def encrypt_stream(self, source: BinaryIO | Iterable[bytes] | AsyncIterable[bytes]) -> Stream[bytes]:
        """Encrypts a binary file, or an iterable of bytes, as one file, while it is read.

        Use what you have read of it only if it ended without an error: the part that proves it intact comes last.
        """
        pieces = _pieces_of(source)
        file = FileSealing((yield from self._core.app_key.get()).file_key())
        yield Emit(file.header)
        while (piece := (yield Next(pieces))) is not END:
            yield Emit(file.update(piece))
        yield Emit(file.end())

    @flow_method
    def fingerprint(self, token: str) -> Flow[Fingerprint]:
        """Returns what a token is about, and a fingerprint that is the same for the same value."""
        request = AppOperations.fingerprint.request(body={"token": token})
        return (yield from call(self._core.sender, request)).data


def _pieces_of(source: object) -> Iterator[Any] | AsyncIterator[Any]:
    read = getattr(source, "read", None)
    if callable(read):
        return iter(lambda: read(PIECE_BYTES), b"")
    if isinstance(source, AsyncIterable):
        return aiter(source)
    if isinstance(source, Iterable) and not isinstance(source, str | bytes | bytearray | memoryview):
        return iter(source)
    raise TypeError("The source must be a binary file, or an iterable of bytes.")
