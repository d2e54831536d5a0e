"""Both clients against the service."""

from __future__ import annotations

import asyncio
import io
import itertools
import logging
import os
import signal
import threading
import traceback
import uuid
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import pytest
from conftest import Client

from sealway import (
    ApiError,
    Attempt,
    AuthenticationError,
    PermissionDeniedError,
    Sealway,
    SealwayConnectionError,
    SealwayTeam,
    UnsealableDataError,
)
from sealway._requests.send import CallOptions

DOCUMENT = {
    "card": "4242424242424242",
    "text": "héllo ✓ 🚀\0",
    "big": 12345678901234567890,
    "list": [1, -2.5e-7, True, False, None, {}, []],
}


def test_what_is_encrypted_here_is_decrypted_by_the_service_and_the_reverse(client: Client) -> None:
    sealway, do = client.sealway, client.do
    sealed = do(sealway.encrypt(DOCUMENT))
    assert list(sealed) == list(DOCUMENT)
    assert sealed["list"][-3:] == [None, {}, []]
    assert all(token.startswith("ev:debug:") for token in [sealed["card"], *sealed["list"][:4]])
    assert do(sealway.decrypt(sealed, require_tokens=True)) == DOCUMENT
    assert do(sealway.decrypt(do(sealway.api.encrypt(body=DOCUMENT)))) == DOCUMENT
    values: list[Any] = ["", "x", 7, 1.0, True, None, []]
    for value in values:
        opened = do(sealway.decrypt(do(sealway.encrypt(value))))
        assert (opened, type(opened)) == (value, type(value))


def test_a_document_of_many_values_is_encrypted_and_decrypted(client: Client) -> None:
    numbers = list(range(5000))
    sealed = client.do(client.sealway.encrypt(numbers))
    assert client.do(client.sealway.decrypt(sealed)) == numbers


def test_files_are_encrypted_as_bytes_and_as_streams(client: Client) -> None:
    sealway, do = client.sealway, client.do
    content = bytes(index % 251 for index in range(300_000))
    for data in (content, bytearray(content), memoryview(content)):
        assert do(sealway.decrypt(do(sealway.encrypt(data)))) == content
    halves = [content[:100_000], content[100_000:]]
    for source in (io.BytesIO(content), halves, iter(halves)):
        assert do(sealway.decrypt(b"".join(do(sealway.encrypt_stream(source))))) == content
    assert do(sealway.decrypt(do(sealway.rewrap(do(sealway.encrypt(b"")))))) == b""
    nothing_yet: Any = io.BytesIO()
    nothing_yet.read = lambda _: None
    # None is not the end: the rest would be lost.
    for wrong in (["text"], "text", 7, [b"a", None, b"b"], nothing_yet):
        with pytest.raises(TypeError):
            do(sealway.encrypt_stream(wrong))


def test_a_stream_of_asyncio_is_encrypted_by_its_client_and_refused_by_the_other(client: Client) -> None:
    async def pieces() -> Any:
        yield b"abc"
        yield b"def"

    if client.is_async:
        sealed = b"".join(client.do(client.sealway.encrypt_stream(pieces())))
        assert client.do(client.sealway.decrypt(sealed)) == b"abcdef"
    else:
        with pytest.raises(TypeError, match="iterable of bytes"):
            client.do(client.sealway.encrypt_stream(pieces()))


def test_a_role_is_sealed_into_values_and_its_policies_decide(client: Client, new_role: Callable[[], str]) -> None:
    role = new_role()
    token = client.do(client.sealway.encrypt("4242424242424242", role))
    fingerprint = client.do(client.sealway.fingerprint(token))
    assert (fingerprint["role"], fingerprint["category"]) == (role, "card-number")
    with pytest.raises(PermissionDeniedError) as raised:
        client.do(client.sealway.decrypt({"card": token}))
    assert (raised.value.code, raised.value.status, raised.value.pointer) == ("decrypt/forbidden", 403, "/card")
    for wrong in ("Not a slug", "", 7):
        with pytest.raises(TypeError, match="not a data role slug"):
            client.do(client.sealway.encrypt("x", wrong))
    with pytest.raises(TypeError, match="A file cannot carry a data role"):
        client.do(client.sealway.encrypt(b"x", role))


def test_values_of_a_data_subject_end_with_it_and_a_missing_id_is_no_data_subject(client: Client) -> None:
    sealway, do = client.sealway, client.do
    subject = f"user-{uuid.uuid4()}"
    sealed = do(sealway.encrypt(DOCUMENT, data_subject=subject))
    assert ":c3cz:" in sealed["card"]
    assert do(sealway.decrypt(sealed)) == DOCUMENT
    for missing in (None, 7):
        with pytest.raises(TypeError, match="data_subject must be a str"):
            do(sealway.encrypt("x", data_subject=missing))
    with pytest.raises(TypeError, match="A file cannot belong to a data subject"):
        do(sealway.encrypt(b"x", data_subject=subject))


def test_the_public_key_is_fetched_once(client: Client) -> None:
    told: list[Attempt] = []
    sealway = client.open(on_attempt=told.append)
    for _ in range(20):
        client.do(sealway.encrypt("x"))
    client.do(sealway.encrypt([]))
    assert [(each.method, each.route) for each in told] == [("GET", "/keys")]


def test_threads_share_a_client(service: Any) -> None:
    told: list[Attempt] = []
    tokens: list[str] = []
    with Sealway(**service.options(on_attempt=told.append)) as sealway:
        threads = [threading.Thread(target=lambda: tokens.append(sealway.encrypt("x"))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sealway.decrypt(tokens) == ["x"] * 8
    assert [each.route for each in told] == ["/keys", "/decrypt"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="There is no fork")
def test_a_forked_process_has_its_own_connections_and_keys_and_waits_for_no_lock_of_the_other(service: Any) -> None:
    with Sealway(**service.options()) as sealway:
        sealway.encrypt("x", data_subject="forking")
        http, source = sealway._driver.http, sealway._driver.run(sealway._core.app_key.get())
        keys = sealway._core.app_key
        # As if another thread was fetching the key.
        keys._lock.acquire()
        keys._is_refreshing, keys._cached = True, None
        reading, writing = os.pipe()
        process = os.fork()
        if process == 0:
            # The child: whatever happens, it must not go on with the tests.
            try:
                signal.alarm(30)
                own = sealway._driver.run(sealway._core.app_key.get())
                is_new = sealway._driver.http is not http and own is not source
                opened = sealway.decrypt(sealway.encrypt(["a", "b"]))
                os.write(writing, repr((is_new, not http.is_closed, opened)).encode())
            finally:
                os._exit(0)
        os.close(writing)
        os.waitpid(process, 0)
        with os.fdopen(reading) as file:
            assert file.read() == "(True, True, ['a', 'b'])"
        keys._lock.release()
        assert sealway._driver.http is http
        assert sealway.decrypt(sealway.encrypt("x")) == "x"


def test_a_url_that_is_too_long_is_a_value_error(client: Client) -> None:
    with pytest.raises(ValueError, match=r"^The URL of the request is too long\.$"):
        client.do(client.sealway.api.get_data_role(role_id="a" * 65_536))


def test_each_operation_is_a_method_and_tells_more_if_asked(client: Client) -> None:
    sealway, do = client.sealway, client.do
    slug = f"py-{uuid.uuid4().hex[:12]}"
    response = do(sealway.api.create_data_role.with_response(body={"slug": slug, "name": "a"}))
    assert (response.status, response.data["slug"]) == (201, slug)
    assert response.request_id == response.headers["apigw-requestid"]
    role_id = response.data["id"]
    assert do(sealway.api.update_data_role(role_id=role_id, body={"name": "b"}))["name"] == "b"
    assert do(sealway.api.get_data_role(role_id=slug))["name"] == "b"
    assert do(sealway.api.delete_data_role(role_id=role_id))["outcome"] == "deleted"
    with pytest.raises(ApiError) as raised:
        do(sealway.api.get_data_role(role_id=slug))
    assert (raised.value.code, raised.value.status) == ("not-found", 404)
    assert do(sealway.payments.create_bin_lookup(body={"number": "4242424242424242"}))["brand"] == "visa"
    assert "Scope: ``dataRole:create``" in (sealway.api.create_data_role.__doc__ or "")
    for wrong in ({}, {"body": {}, "bdy": 1}):
        with pytest.raises(TypeError):
            do(sealway.api.create_data_role(**wrong))


def test_a_refusal_names_the_field_and_the_request(client: Client) -> None:
    with pytest.raises(ApiError) as raised:
        client.do(client.sealway.api.create_data_role(body={"slug": "Not A Slug", "name": "a"}))
    error = raised.value
    assert (error.code, error.status, error.pointer) == ("invalid-request", 400, "/slug")
    assert error.request_id


def test_lists_are_iterated_over_all_pages_and_only_as_far_as_they_are_read(
    client: Client, new_role: Callable[[], str]
) -> None:
    slugs = [new_role() for _ in range(4)]
    told: list[Attempt] = []
    sealway = client.open(on_attempt=told.append)
    roles = client.do(sealway.api.list_data_roles(limit=3))
    assert set(slugs) <= {role["slug"] for role in roles}
    assert len(told) == -(-len(roles) // 3)
    told.clear()
    assert [role["slug"] for role in client.do(sealway.api.list_data_roles(limit=2).first())] == slugs[:1:-1]
    page = client.do(sealway.api.list_data_roles(limit=1).page())
    again = client.do(sealway.api.list_data_roles(limit=1).page(page.next))
    assert [page.data[0]["slug"], again.data[0]["slug"]] == slugs[:1:-1]
    assert len(told) == 3
    assert len(client.do(sealway.api.list_data_roles(limit=2).pages())[0]) == 2
    assert isinstance(client.do(sealway.payments.list_merchants(page_size=1)), list)


def test_a_write_with_the_same_idempotency_key_is_done_once(client: Client) -> None:
    operation = client.sealway.api.create_webhook_endpoint.with_options(idempotency_key=str(uuid.uuid4()), timeout=30)
    body = {"url": "http://127.0.0.1:3000/hooks", "events": ["payments.*"]}
    assert client.do(operation(body=body))["id"] == client.do(operation(body=body))["id"]
    assert operation.with_options(max_retries=0)._options == CallOptions(30, 0, operation._options.idempotency_key)
    assert client.sealway.api.create_webhook_endpoint._options == CallOptions()


class Losing(httpx.HTTPTransport):
    """Loses the first answers, after the service has sent them."""

    left = 2

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        self.left -= 1
        if self.left < 0:
            return response
        response.close()
        raise httpx.ReadError("lost")


class AsyncLosing(httpx.AsyncHTTPTransport):
    left = 2

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        self.left -= 1
        if self.left < 0:
            return response
        await response.aclose()
        raise httpx.ReadError("lost")


def test_a_write_whose_answer_was_lost_is_done_once(client: Client) -> None:
    losing = AsyncLosing() if client.is_async else Losing()
    slug = f"py-{uuid.uuid4().hex[:12]}"
    role = client.do(
        client.open(http_client=client.http(transport=losing)).api.create_data_role(body={"slug": slug, "name": "Once"})
    )
    assert losing.left == -1
    assert client.do(client.sealway.api.get_data_role(role_id=slug))["id"] == role["id"]


def test_an_answer_that_is_too_large_or_not_there_is_a_connection_error(client: Client) -> None:
    with pytest.raises(SealwayConnectionError) as raised:
        client.do(client.open(max_response_bytes=100).api.get_keys())
    assert raised.value.code == "response-too-large"
    with pytest.raises(SealwayConnectionError) as raised:
        client.do(client.open(base_url="http://127.0.0.1:1", max_retries=0).api.get_keys())
    assert (raised.value.code, raised.value.__cause__, raised.value.__context__) == ("connection-failed", None, None)


def test_closing_a_client_closes_its_own_connections_and_none_that_were_given(client: Client) -> None:
    given = client.http()
    for sealway, is_closed in ((client.open(), True), (client.open(http_client=given), False)):
        client.do(sealway.aclose() if client.is_async else sealway.close())
        assert sealway._driver.http.is_closed is is_closed


def test_an_answer_that_does_not_end_in_time_is_a_timeout(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            return itertools.repeat(b" ")

        async def __aiter__(self) -> AsyncIterator[bytes]:
            await asyncio.Event().wait()
            yield b""

    http = client.http(transport=httpx.MockTransport(lambda _: httpx.Response(200, stream=Endless())))
    sealway = client.open(http_client=http, max_retries=0, timeout=0.01 if client.is_async else 60)
    if not client.is_async:
        clock = itertools.count(0, 20)
        monkeypatch.setattr("sealway._drive_sync.monotonic", lambda: next(clock))
    with pytest.raises(SealwayConnectionError) as raised:
        client.do(sealway.api.get_keys())
    assert raised.value.code == "connection-timeout"


class Compressed(httpx.SyncByteStream, httpx.AsyncByteStream):
    """Would become 300 MB, of 300 kB."""

    was_read = False

    def __iter__(self) -> Iterator[bytes]:
        self.was_read = True
        yield zlib.compress(bytes(300 * 1024 * 1024))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece


@pytest.mark.parametrize("encoding", ["deflate", "gzip, deflate", "Identity, deflate"])
def test_a_compressed_answer_is_refused_before_it_is_read(client: Client, encoding: str) -> None:
    sent, stream, headers = [], Compressed(), {"content-encoding": encoding, "content-type": "application/json"}

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, headers=headers, stream=stream)

    http = client.http(transport=httpx.MockTransport(answer))
    with pytest.raises(SealwayConnectionError, match="is compressed") as raised:
        client.do(client.open(http_client=http).api.get_keys())
    assert (raised.value.code, len(sent), stream.was_read) == ("unexpected-response", 1, False)


def test_a_proxy_of_the_environment_gets_nothing_that_it_could_read(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert client.do(client.open(max_retries=0).api.get_keys())
    with pytest.raises(SealwayConnectionError, match="ConnectError"):
        client.do(client.open(base_url=client.service.url.replace("http:", "https:"), max_retries=0).api.get_keys())


def test_a_client_of_httpx_sends_no_credentials_of_its_own_and_follows_no_redirect(client: Client) -> None:
    seen: list[httpx.Request] = []

    def redirect(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(302, headers={"location": "https://evil.example/"})

    http = client.http(transport=httpx.MockTransport(redirect), auth=("other", "marker"), follow_redirects=True)
    with pytest.raises(SealwayConnectionError) as raised:
        client.do(client.open(http_client=http).api.get_keys())
    assert raised.value.code == "unexpected-response"
    assert len(seen) == 1
    assert seen[0].headers["authorization"].startswith("Basic ")
    assert httpx.BasicAuth("other", "marker")._auth_header != seen[0].headers["authorization"]


def test_a_team_key_manages_apps_and_a_client_of_an_app_does_not(client: Client) -> None:
    team, do = client.open_team(), client.do
    app = do(team.api.create_app(body={"name": "From Python", "environment": "sandbox"}))
    body = {"name": "Server", "scopes": ["api:decrypt"]}
    key = do(team.api.create_api_key(app_id=app["id"], body=body))["key"]
    sealway = client.open(app_id=app["id"], api_key=key)
    assert do(sealway.decrypt(do(sealway.encrypt("x")))) == "x"
    assert not hasattr(sealway.api, "create_app")
    assert app["id"] in {each["id"] for each in do(team.api.list_apps())}


def test_browsers_get_tokens_for_one_document_of_any_shape(client: Client) -> None:
    sealway, do = client.sealway, client.do
    for document in ({"iban": "IE29AIBK93115212345678"}, ["a", 1], "text"):
        sealed = do(sealway.encrypt(document))
        token = do(sealway.client_tokens.create(sealed))["token"]
        headers = {"authorization": f"Token {token}"}
        response = httpx.post(f"{client.service.url}/decrypt", json=sealed, headers=headers)
        assert response.json() == document
    with pytest.raises(ApiError) as raised:
        do(sealway.client_tokens.create({"a": 1}, expiry=1))
    assert raised.value.code == "invalid-request"


def test_a_frame_gets_an_address_with_a_token_that_no_page_sees(client: Client) -> None:
    # An uncompressed point of P-256.
    key = "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"
    document = {"iban": client.do(client.sealway.encrypt("IE29AIBK93115212345678"))}
    url = client.do(client.sealway.client_tokens.reveal_url(document, key, team_id=client.service.team_id))
    ids = f"{client.service.team_id}/{client.service.app_id}"
    assert url.startswith(f"{client.service.url}/elements/{ids}/reveal#")
    assert client.do(client.sealway.client_tokens.create_for_frame(document, key))["token"]


def test_no_text_error_or_log_line_shows_a_key_or_a_value(
    client: Client, team: SealwayTeam, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    sealway, do, key = client.sealway, client.do, client.service.api_key
    wrong_key = key[:-1] + ("y" if key.endswith("x") else "x")
    wrong = client.open(api_key=wrong_key)
    with pytest.raises(AuthenticationError) as raised:
        do(wrong.decrypt({"card": "marker-value"}))
    with pytest.raises(UnsealableDataError):
        do(sealway.encrypt({"card": b"marker-value"}))
    do(sealway.files.upload(b"marker-value"))
    error = raised.value
    clients = [sealway, wrong, team, sealway.api, sealway.files, sealway.relay, sealway.api.get_keys]
    shown = [f"{each!r}{each}" for each in clients]
    shown += [f"{error!r}{error.__dict__}{error.__cause__!r}{error.__context__!r}", caplog.text]
    keys = [key, wrong_key, client.service.team_key, httpx.BasicAuth(client.service.app_id, wrong_key)._auth_header]
    for secret in [*keys, "marker-value", "X-Amz-Signature"]:
        assert not any(secret in text for text in shown), secret
    # Programs that report errors show the variables of frames.
    variables = [repr(frame.f_locals) for frame, _ in traceback.walk_tb(error.__traceback__)][1:]
    assert not any(secret in text for secret in keys for text in variables)
    assert client.service.app_id in repr(sealway)
    assert "PUT" in caplog.text
