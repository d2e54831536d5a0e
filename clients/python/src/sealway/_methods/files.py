"""Seals files of any size on their way to the storage, and opens them on their way back."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx

from .._api.callers import flow_method, stream_method
from .._api.operation import call
from .._core import AppCore
from .._flow import (
    Emit,
    Flow,
    HttpAnswer,
    HttpRequest,
    NoAnswer,
    Open,
    Read,
    Sleep,
    Stream,
    exchange,
    work,
)
from .._generated.operations import AppOperations
from .._requests.address import parse_url
from .._requests.send import CallOptions, no_answer
from .._sealing.sealer import require_role
from .._sealing.streaming import CHUNK_SIZES, KEY_BYTES, Layout, PartOpening, StartedStream, seal_chunks, start_stream
from ..errors import ApiError, unexpected
from ..types import File
from .content import Content, Uploadable

ATTEMPTS = 4
FIRST_PAUSE = 0.25
# For one part, in seconds.
STORAGE_TIMEOUT = 300.0


class FileMethods:
    """Seals files of any size on their way to the storage, and opens them on their way back."""

    _core: AppCore

    @flow_method
    def upload(
        self,
        content: Uploadable,
        *,
        name: str | None = None,
        role: str | None = None,
        content_type: str | None = None,
        on_progress: Callable[[int], None] | None = None,
        idempotency_key: str | None = None,
    ) -> Flow[File]:
        """Seals a file and sends it to the storage in parts, of which one is in memory.

        :param content: bytes, a path, or a file that is open in binary mode
        :param name: what people read in lists. It is stored in the clear
        :param role: slug of the data role whose policies decide who may decrypt the file
        :param content_type: stored in the clear
        :param on_progress: called after each part with how much of the content is stored, in bytes
        :raises ApiError: if the service refuses the file
        :raises SealwayConnectionError: if the storage does not accept it
        """
        require_role(role)
        opened = yield from work(lambda: Content(content))
        try:
            body = {"size": opened.size, "name": name, "role": role, "contentType": content_type}
            given: Any = {field: value for field, value in body.items() if value is not None}
            request = AppOperations.create_file.request(body=given)
            options = CallOptions(idempotency_key=idempotency_key)
            file = (yield from call(self._core.sender, request, options)).data
            etags = yield from self._send_parts(file, opened, role, on_progress)
        finally:
            opened.close()
        complete = AppOperations.complete_file.request(file_id=file["id"], body={"etags": etags})
        return (yield from call(self._core.sender, complete)).data

    @stream_method
    def download(self, file_id: str, *, start: int = 0, end: int | None = None) -> Stream[bytes]:
        """Reads a file, or the bytes from ``start`` to before ``end``, and decrypts it.

        Each piece is authentic; when the last one has come, nothing is missing.

        :raises PermissionDeniedError: ``decrypt/forbidden`` if a policy does not permit it
        :raises DamagedFileError: if the stored file is damaged
        """
        grant = (yield from call(self._core.sender, AppOperations.decrypt_file.request(file_id=file_id))).data
        layout = _layout_of(grant["headerBytes"], grant["chunkBytes"], grant["size"])
        end = grant["size"] if end is None else min(end, grant["size"])
        if not 0 <= start <= end:
            raise ValueError("The range is not within the file.")
        opening = PartOpening(_key_of(grant["key"]), layout, start, end)
        first, after = layout.sealed_range(start, end)
        request = self._storage_request("GET", grant["url"], {"range": f"bytes={first}-{after - 1}"})
        # Programs that report errors show variables, and this one has a key.
        del grant
        stream = yield Open(request)
        if isinstance(stream, NoAnswer):
            raise no_answer("The storage", stream)
        if stream.status != 206:
            raise unexpected("The storage does not serve the file.")
        while True:
            sealed = yield Read(stream)
            if isinstance(sealed, NoAnswer):
                raise no_answer("The storage", sealed)
            for piece in opening.update(sealed) if sealed else opening.finish():
                yield Emit(piece)
            if not sealed:
                return

    def _send_parts(
        self, file: File, content: Content, role: str | None, on_progress: Callable[[int], None] | None
    ) -> Flow[list[str]]:
        """Returns the ETags of the parts; of a file that is complete, none."""
        etags: list[str] = []
        file_id, upload = file["id"], file["upload"]
        if upload is None:
            return etags
        if upload["sealing"] == "symmetric":
            started = yield from self._ask_for_key(file_id)
        else:
            app = (yield from self._core.app_key.get()).recipient
            started = start_stream(app, role, upload["chunkBytes"], int(time.time()))
        layout = _layout_of(len(started.header), upload["chunkBytes"], content.size)
        # Parts that began within a chunk would be sealed with the nonce of the part before.
        if upload["partBytes"] < 1 or upload["partBytes"] % layout.chunk_bytes != 0:
            raise unexpected("The answer has parts that are not of whole chunks.")
        for number in range(1, upload["parts"] + 1):
            start, end = (number - 1) * upload["partBytes"], min(number * upload["partBytes"], content.size)
            seal = partial(_seal_part, content, started, layout, start, end)
            try:
                etags.append((yield from self._send_part(file_id, number, (yield from work(seal)))))
            except ApiError as error:
                # Another call with the same Idempotency-Key has completed it.
                if error.code != "not-found":
                    raise
                return etags
            if on_progress is not None:
                on_progress(end)
        return etags

    def _ask_for_key(self, file_id: str) -> Flow[StartedStream]:
        request = AppOperations.create_file_key.request(file_id=file_id)
        key = (yield from call(self._core.sender, request)).data
        return StartedStream(_bytes_of(key["header"]), _key_of(key["key"]))

    def _send_part(self, file_id: str, number: int, part: bytes) -> Flow[str]:
        """Sends a part with a URL of its own each time: one that failed may have expired. Returns its ETag."""
        for attempt in range(1, ATTEMPTS + 1):
            request = AppOperations.create_file_part_urls.request(file_id=file_id, body={"parts": [number]})
            urls = (yield from call(self._core.sender, request)).data["data"]
            answer = yield from exchange(self._storage_request("PUT", urls[0]["url"], {}, part))
            if isinstance(answer, HttpAnswer) and answer.status == 200 and "etag" in answer.headers:
                return str(answer.headers["etag"])
            if attempt < ATTEMPTS:
                yield Sleep(FIRST_PAUSE * 2**attempt)
        if isinstance(answer, NoAnswer):
            raise no_answer("The storage", answer)
        raise unexpected("The storage does not accept the file.")

    def _storage_request(
        self, method: str, url: object, headers: dict[str, str], content: bytes | None = None
    ) -> HttpRequest:
        """A request without credentials: its URL is the permission, which goes over http only if all requests do."""
        parsed = parse_url(url)
        if parsed is None or parsed.scheme not in ("https", httpx.URL(self._core.sender.address).scheme):
            raise unexpected("The answer has no address of the storage.")
        return HttpRequest(
            method,
            str(parsed),
            {"accept-encoding": "identity", **headers},
            content,
            timeout=STORAGE_TIMEOUT,
            is_url_secret=True,
        )


def _seal_part(content: Content, started: StartedStream, layout: Layout, start: int, end: int) -> bytes:
    plaintext = content.read(start, end - start)
    chunks = seal_chunks(started.key, layout, start // layout.chunk_bytes, plaintext)
    return b"".join([started.header if start == 0 else b"", *chunks])


def _layout_of(header_bytes: int, chunk_bytes: int, plaintext_bytes: int) -> Layout:
    # A chunk is in memory as a whole.
    if chunk_bytes not in CHUNK_SIZES or header_bytes < 0 or plaintext_bytes < 0:
        raise unexpected("The answer does not describe a file.")
    return Layout(header_bytes, chunk_bytes, plaintext_bytes)


def _key_of(text: str) -> bytes:
    key = _bytes_of(text)
    if len(key) != KEY_BYTES:
        raise unexpected("The answer has no key.")
    return key


def _bytes_of(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        pass
    raise unexpected("The answer has no key.")
