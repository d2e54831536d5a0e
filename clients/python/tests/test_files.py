from __future__ import annotations

import base64
import io
import os
import threading
import traceback
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from conftest import Client
from flows import Script, answer, refusal

from sealway import (
    ApiError,
    DamagedFileError,
    PermissionDeniedError,
    Sealway,
    SealwayConnectionError,
    SealwayError,
    SealwayTeam,
)
from sealway._api.callers import SyncCaller
from sealway._core import AppCore
from sealway._methods.files import FileMethods
from sealway._requests.send import Connection
from sealway._sealing.streaming import Layout, seal_chunks

PART = 8 * 1024 * 1024


def http_of(client: Client, change: Callable[[httpx.Request, httpx.Response], httpx.Response]) -> Any:
    """Returns a client of httpx whose answers are changed."""

    class Sync(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            response = super().handle_request(request)
            response.read()
            return change(request, _fresh(response))

    class Async(httpx.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            response = await super().handle_async_request(request)
            await response.aread()
            return change(request, _fresh(response))

    return client.http(transport=Async() if client.is_async else Sync())


def _fresh(response: httpx.Response) -> httpx.Response:
    return httpx.Response(response.status_code, headers=response.headers, content=response.content)


def test_a_file_is_uploaded_in_parts_and_downloaded_whole_and_in_ranges(client: Client, tmp_path: Path) -> None:
    files, do = client.sealway.files, client.do
    content = os.urandom(PART + 100_000)
    path = tmp_path / "scan.tiff"
    path.write_bytes(content)
    told: list[int] = []
    file = do(files.upload(path, name="a.tiff", content_type="image/tiff", on_progress=told.append))
    expected = {"name": "a.tiff", "contentType": "image/tiff", "size": len(content), "status": "ready"}
    assert {name: file[name] for name in expected} == expected
    assert told == [PART, len(content)]
    assert b"".join(do(files.download(file["id"]))) == content
    assert b"".join(do(files.download(file["id"], start=70_000, end=140_000))) == content[70_000:140_000]
    do(client.sealway.api.delete_file(file_id=file["id"]))


def test_bytes_and_open_files_are_uploaded_from_where_they_stand(client: Client) -> None:
    files, do = client.sealway.files, client.do
    opened = io.BytesIO(b"abcdef")
    opened.seek(2)
    for content, expected in ((b"abc", b"abc"), (bytearray(b""), b""), (opened, b"cdef")):
        assert b"".join(do(files.download(do(files.upload(content))["id"]))) == expected
    assert not opened.closed
    for wrong in (io.StringIO("text"), 7, None):
        with pytest.raises(TypeError):
            do(files.upload(wrong))


def test_a_file_whose_stored_bytes_have_changed_is_damaged_after_what_is_authentic(client: Client) -> None:
    content = os.urandom(150_000)
    file_id = client.do(client.sealway.files.upload(content))["id"]

    def change(_: httpx.Request, response: httpx.Response) -> httpx.Response:
        if response.status_code != 206:
            return response
        return httpx.Response(206, content=response.content[:-1] + bytes([response.content[-1] ^ 1]))

    changing = client.open(http_client=http_of(client, change))
    pieces = changing.files.download(file_id)
    advance = pieces.__anext__ if client.is_async else pieces.__next__
    assert client.do(advance()) + client.do(advance()) == content[:131_072]
    with pytest.raises(DamagedFileError) as raised:
        client.do(advance())
    assert raised.value.code == "damaged-file"
    variables = [repr(frame.f_locals) for frame, _ in traceback.walk_tb(raised.value.__traceback__)][1:]
    assert not any("X-Amz-Signature" in text or "'key'" in text for text in variables)


def test_a_file_of_a_symmetric_app_is_uploaded(client: Client, team: SealwayTeam) -> None:
    app = team.api.create_app(body={"name": "Symmetric", "environment": "sandbox"})
    team.api.update_app(app_id=app["id"], body={"sealing": "symmetric"})
    key = team.api.create_api_key(app_id=app["id"], body={"name": "All", "scopes": ["*"]})["key"]
    files = client.open(app_id=app["id"], api_key=key).files
    assert b"".join(client.do(files.download(client.do(files.upload(b"abc"))["id"]))) == b"abc"


def test_a_part_is_sent_again_when_the_storage_refuses_it_once_and_no_credentials_go_there(client: Client) -> None:
    sent: list[str | None] = []

    def refuse_once(request: httpx.Request, response: httpx.Response) -> httpx.Response:
        if "/storage/" not in request.url.path:
            return response
        sent.append(request.headers.get("authorization"))
        return response if len(sent) > 1 else httpx.Response(503)

    files = client.open(http_client=http_of(client, refuse_once)).files
    file_id = client.do(files.upload(b"abc"))["id"]
    assert sent == [None, None]
    assert b"".join(client.do(files.download(file_id))) == b"abc"
    assert sent == [None] * 3


def test_wrong_roles_ranges_and_what_policies_forbid_are_refused(client: Client, new_role: Callable[[], str]) -> None:
    files, do = client.sealway.files, client.do
    with pytest.raises(ApiError) as raised:
        do(files.upload(b"a", role="none-such"))
    assert raised.value.code == "invalid-request"
    with pytest.raises(PermissionDeniedError) as denied:
        do(files.download(do(files.upload(b"a", role=new_role()))["id"]))
    assert denied.value.code == "decrypt/forbidden"
    file_id = do(files.upload(b"a"))["id"]
    for start, end in ((2, None), (-1, None), (1, 0)):
        with pytest.raises(ValueError, match="range"):
            do(files.download(file_id, start=start, end=end))


def test_a_storage_that_does_not_serve_the_file_is_unexpected(client: Client) -> None:
    def whole(_: httpx.Request, response: httpx.Response) -> httpx.Response:
        return httpx.Response(200, content=response.content) if response.status_code == 206 else response

    files = client.open(http_client=http_of(client, whole)).files
    with pytest.raises(SealwayConnectionError) as raised:
        client.do(files.download(client.do(files.upload(b"abc"))["id"]))
    assert raised.value.code == "unexpected-response"


def test_two_uploads_with_one_idempotency_key_are_one_file(client: Client) -> None:
    files, do = client.sealway.files, client.do
    key = os.urandom(8).hex()
    first = do(files.upload(b"abc", idempotency_key=key))
    assert do(files.upload(b"abc", idempotency_key=key))["id"] == first["id"]


class Scripted(FileMethods, SyncCaller[AppCore]):
    """The methods of a client whose service answers as a script says."""

    def __init__(self, script: Script) -> None:
        core = AppCore("app_1", "swk_1", None, Connection("https://api.example.com"), threading.Lock)
        super().__init__(core, cast(Any, script))


UPLOAD = {"sealing": "symmetric", "chunkBytes": 64, "partBytes": 128, "parts": 2}
FILE = {"id": "file_1", "status": "uploading", "upload": UPLOAD}
FILE_KEY = {"header": base64.b64encode(b"header").decode(), "key": base64.b64encode(bytes(32)).decode()}


def test_an_upload_that_another_call_has_completed_is_complete() -> None:
    ready: Any = {**FILE, "status": "ready", "upload": None}
    script = Script([answer(201, FILE), answer(201, FILE_KEY), refusal(404, "not-found"), answer(200, ready)])
    assert Scripted(script).upload(bytes(200), idempotency_key="one") == ready
    assert [request.headers.get("idempotency-key") == "one" for request in script.requests] == [True] + [False] * 3


def test_a_part_is_sent_four_times_and_no_other_refusal_ends_an_upload_well() -> None:
    url = answer(200, {"data": [{"url": "https://storage.example.com/part?X-Amz-Signature=marker"}]})
    refusing = [url, answer(503)] * 4
    for failing, code, slept in (
        (refusing, "unexpected-response", [0.5, 1.0, 2.0]),
        ([refusal(403, "forbidden")], "forbidden", []),
    ):
        script = Script([answer(201, FILE), answer(201, FILE_KEY), *failing])
        with pytest.raises(SealwayError) as raised:
            Scripted(script).upload(bytes(200))
        assert raised.value.code == code
        assert (script.answers, script.slept) == ([], slept)
        assert "marker" not in repr(script.requests)


PART_URL = "https://storage.example.com/part"


@pytest.mark.parametrize(
    "wrong", [{"partBytes": 96}, {"partBytes": 0}, {"partBytes": -64}, {"chunkBytes": 63}, {"chunkBytes": 2**21}]
)
def test_parts_that_would_be_sealed_with_the_nonce_of_another_are_refused(wrong: dict[str, int]) -> None:
    file = {**FILE, "upload": {**UPLOAD, **wrong}}
    script = Script([answer(201, file), answer(201, FILE_KEY)])
    with pytest.raises(SealwayConnectionError) as raised:
        Scripted(script).upload(bytes(200))
    assert (raised.value.code, len(script.requests)) == ("unexpected-response", 2)


def test_no_chunk_is_sealed_that_ends_before_the_next_begins() -> None:
    layout = Layout(0, 64, 200)
    for first, size in ((0, 65), (0, 63), (2, 73), (4, 1)):
        with pytest.raises(ValueError, match="where a chunk ends"):
            list(seal_chunks(bytes(32), layout, first, bytes(size)))
    for first, size in ((0, 64), (0, 200), (2, 72)):
        assert list(seal_chunks(bytes(32), layout, first, bytes(size)))


@pytest.mark.parametrize(
    "url", ["http://storage.example.com/part", "file:///etc/passwd", "//storage.example.com", "https://s:99999/", "", 7]
)
def test_nothing_is_sent_to_a_storage_without_tls_or_to_what_is_none(url: object) -> None:
    urls = answer(200, {"data": [{"url": url}]})
    script = Script([answer(201, FILE), answer(201, FILE_KEY), urls])
    with pytest.raises(SealwayConnectionError, match="no address of the storage"):
        Scripted(script).upload(bytes(200))
    assert {httpx.URL(request.url).host for request in script.requests} == {"api.example.com"}


@pytest.mark.parametrize("wrong", [{"chunkBytes": 2**40}, {"chunkBytes": 0}, {"headerBytes": -1}, {"size": -1}])
def test_a_file_that_would_not_be_read_chunk_by_chunk_is_unexpected(wrong: dict[str, int]) -> None:
    grant = {"headerBytes": 100, "chunkBytes": 64, "size": 200, "key": FILE_KEY["key"], "url": PART_URL, **wrong}
    script = Script([answer(200, grant)])
    script.iterate = script.items  # type: ignore[attr-defined]
    with pytest.raises(SealwayConnectionError) as raised:
        Scripted(script).download("file_1")
    assert raised.value.code == "unexpected-response"


def test_a_large_file_is_uploaded_and_downloaded_in_the_memory_of_a_few_parts(service: Any, tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(10 * PART)
    with Sealway(**service.options()) as sealway:
        sealway.files.upload(b"warm")
        tracemalloc.start()
        try:
            file_id = sealway.files.upload(path)["id"]
            _, uploading = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            size = sum(len(piece) for piece in sealway.files.download(file_id))
            _, downloading = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert size == 10 * PART
        assert uploading < 4 * PART
        assert downloading < PART / 2
        sealway.api.delete_file(file_id=file_id)


def test_a_download_that_is_given_up_closes_its_connection(service: Any) -> None:
    closed: list[bool] = []

    class Stream(httpx.SyncByteStream):
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        def __iter__(self) -> Any:
            yield from self._inner

        def close(self) -> None:
            closed.append(True)
            self._inner.close()

    class Transport(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            response = super().handle_request(request)
            if response.status_code == 206:
                response.stream = Stream(response.stream)
            return response

    with httpx.Client(transport=Transport()) as http, Sealway(**service.options(http_client=http)) as sealway:
        file_id = sealway.files.upload(bytes(500_000))["id"]
        pieces = sealway.files.download(file_id)
        assert len(next(pieces)) == 65_536
        assert closed == []
        pieces.close()
        assert closed == [True]
