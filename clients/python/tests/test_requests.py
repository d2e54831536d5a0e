from __future__ import annotations

import enum
import pickle
from typing import Any

import pytest
from flows import Script, answer, refusal

from sealway import (
    ApiError,
    Attempt,
    AuthenticationError,
    ConflictError,
    PermissionDeniedError,
    RateLimitError,
    SealwayConnectionError,
    SealwayError,
    UnavailableError,
)
from sealway._flow import HttpAnswer, NoAnswer
from sealway._requests.credentials import basic_authorization
from sealway._requests.request import Request
from sealway._requests.send import CallOptions, Connection, Sender

URL = "https://api.example.com"
LOST = NoAnswer("connection-failed", "ConnectError")
READ: Request[Any] = Request("GET", "/data-roles/{role_id}", path={"role_id": "role_1"})
CREATE: Request[Any] = Request("POST", "/data-roles", body={"slug": "a"}, takes_key=True)
LOOK_UP: Request[Any] = Request("POST", "/payments/bin-lookups", body={})


def sender(random: float = 0.5, **options: Any) -> Sender:
    authorization = basic_authorization("app_id", "app_1", "api_key", "swk_marker")
    return Sender(Connection(URL, **options), authorization, random=lambda: random, now=lambda: 0.0)


def send(script: Script, request: Request[Any], options: CallOptions | None = None, **others: Any) -> Any:
    return script.run(sender(**others).send(request, options or CallOptions()))


def error_of(script: Script, request: Request[Any], options: CallOptions | None = None, **others: Any) -> SealwayError:
    with pytest.raises(SealwayError) as raised:
        send(script, request, options, **others)
    return raised.value


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_refusal_that_may_pass_is_repeated_after_a_random_wait_that_grows(status: int) -> None:
    script = Script([*[refusal(status, "service-unavailable")] * 3, answer(200, {"id": "role_1"})])
    assert send(script, READ).content == {"id": "role_1"}
    assert script.slept == [0.125, 0.25, 0.5]


def test_a_gateway_that_answers_with_a_page_is_asked_again() -> None:
    script = Script([answer(502, b"<html>"), answer(200, {})])
    assert send(script, READ).status == 200


def test_a_lost_answer_is_asked_for_again_with_the_same_idempotency_key() -> None:
    script = Script([LOST, NoAnswer("connection-timeout"), answer(201, {})])
    assert send(script, CREATE).status == 201
    keys = [request.headers["idempotency-key"] for request in script.requests]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    other = Script([answer(201, {})])
    send(other, CREATE)
    assert other.requests[0].headers["idempotency-key"] != keys[0]


def test_the_callers_idempotency_key_is_sent_and_refused_where_none_is_taken() -> None:
    script = Script([answer(201, {})])
    send(script, CREATE, CallOptions(idempotency_key="deployment-17"))
    assert script.requests[0].headers["idempotency-key"] == "deployment-17"
    with pytest.raises(TypeError, match="takes no idempotency_key"):
        send(Script(), READ, CallOptions(idempotency_key="x"))
    with pytest.raises(TypeError, match=r"^idempotency_key must be a text of visible ASCII characters\.$"):
        send(Script(), CREATE, CallOptions(idempotency_key="a\r\nmarker: 1"))


def test_what_changes_something_and_takes_no_idempotency_key_is_sent_once() -> None:
    script = Script([LOST])
    assert error_of(script, LOOK_UP).code == "connection-failed"
    assert len(script.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 500])
def test_other_refusals_are_not_repeated(status: int) -> None:
    script = Script([refusal(status, "not-found")])
    error_of(script, CREATE)
    assert script.slept == []


def test_a_conflict_with_retry_after_is_repeated_if_the_request_has_an_idempotency_key() -> None:
    busy = refusal(409, "conflict", {"retry-after": "2"})
    script = Script([busy, answer(201, {})])
    assert send(script, CREATE).status == 201
    assert script.slept == [2.5]
    assert isinstance(error_of(Script([busy]), READ), ConflictError)


def test_retry_after_is_waited_for_and_up_to_half_as_long_again_but_not_longer_than_a_minute() -> None:
    for random, slept in ((0.0, 60.0), (0.999, 89.97)):
        script = Script([refusal(429, "too-many-requests", {"retry-after": "60"}), answer(200, {})])
        send(script, READ, random=random)
        assert script.slept == pytest.approx([slept])
    error = error_of(Script([refusal(429, "too-many-requests", {"retry-after": "61"})]), READ)
    assert isinstance(error, RateLimitError)
    assert error.retry_after == 61


def test_retries_end_after_max_retries_of_the_client_or_the_call() -> None:
    for options, sent in ((CallOptions(), 3), (CallOptions(max_retries=0), 1)):
        script = Script([LOST] * 5)
        error_of(script, READ, options, max_retries=2)
        assert len(script.requests) == sent


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, ApiError),
        (401, AuthenticationError),
        (403, PermissionDeniedError),
        (404, ApiError),
        (409, ConflictError),
        (429, RateLimitError),
        (500, UnavailableError),
        (503, UnavailableError),
    ],
)
def test_a_refusal_has_the_class_that_says_what_to_do_and_what_the_service_says(
    status: int, kind: type[ApiError]
) -> None:
    fields = [{"pointer": "/slug", "reason": "Wrong"}, {"pointer": 1}]
    headers = {"apigw-requestid": "id-1", "retry-after": "3"}
    error = error_of(Script([refusal(status, "some/code", headers, fields=fields)]), READ, max_retries=0)
    assert type(error) is kind
    assert isinstance(error, ApiError)
    assert (error.code, str(error), error.status) == ("some/code", "No.", status)
    assert (error.pointer, len(error.fields), error.request_id, error.retry_after) == ("/slug", 1, "id-1", 3)
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(copy), copy.code, copy.status, copy.pointer, str(copy)) == (kind, "some/code", status, "/slug", "No.")


@pytest.mark.parametrize(
    ("received", "code"),
    [
        (answer(302, None, {"location": "https://evil.example/"}), "unexpected-response"),
        (refusal(302, "conflict"), "unexpected-response"),
        (answer(200, b"<html>", {"content-type": "text/html"}), "unexpected-response"),
        (answer(200, b'{"marker": ', {"content-type": "application/json"}), "unexpected-response"),
        (answer(200, b"[NaN]", {"content-type": "application/json"}), "unexpected-response"),
        (answer(200, b"\xff", {"content-type": "application/json"}), "unexpected-response"),
        (answer(200, b"[" * 100_000, {"content-type": "application/json"}), "unexpected-response"),
        (answer(418, b"marker"), "unexpected-response"),
        (answer(400, b"marker"), "invalid-request"),
        (NoAnswer("response-too-large"), "response-too-large"),
    ],
)
def test_what_is_no_answer_of_the_service_is_an_error_that_shows_nothing_of_it(
    received: HttpAnswer | NoAnswer, code: str
) -> None:
    error = error_of(Script([received]), READ)
    assert error.code == code
    assert "marker" not in f"{error!r}{error.__dict__}{error.__cause__!r}{error.__context__!r}"


def test_answers_are_json_bytes_or_nothing() -> None:
    octets = {"content-type": "application/octet-stream"}
    assert send(Script([answer(200, b"", octets)]), READ).content == b""
    assert send(Script([answer(200, b"\0\1", octets)]), READ).content == b"\0\1"
    assert send(Script([answer(204)]), READ).content is None
    assert send(Script([answer(200, 12345678901234567890)]), READ).content == 12345678901234567890


def test_of_a_refusal_a_thousand_fields_are_kept() -> None:
    fields = [{"pointer": "/a", "reason": "Wrong"}] * 1001
    error = error_of(Script([refusal(400, "invalid-request", None, fields=fields)]), READ)
    assert isinstance(error, ApiError)
    assert len(error.fields) == 1000


def test_answers_are_asked_for_as_small_as_they_are_in_memory() -> None:
    script = Script([answer(200, {})])
    send(script, READ)
    assert script.requests[0].headers["accept-encoding"] == "identity"


class Ids(str, enum.Enum):
    USER = "user-1"


class Numbers(enum.IntEnum):
    ONE = 1


def test_members_of_enumerations_are_sent_as_their_values() -> None:
    script = Script([answer(200, {})])
    of_enum: Any = Ids.USER
    path, query = {"id": of_enum}, {"q": of_enum, "n": Numbers.ONE}
    request: Request[Any] = Request("POST", "/x/{id}", path, query, {"x-id": of_enum}, takes_key=True)
    send(script, request, CallOptions(idempotency_key=of_enum))
    assert script.requests[0].url == f"{URL}/x/user-1?q=user-1&n=1"
    assert [str(script.requests[0].headers[name]) for name in ("x-id", "idempotency-key")] == ["user-1"] * 2
    as_text = basic_authorization("app_id", "user-1", "api_key", "user-1")()
    assert basic_authorization("app_id", of_enum, "api_key", of_enum)() == as_text


def test_ids_lead_to_no_other_path() -> None:
    for role_id in ("../apps", "a/b", "a?b=c", "a#b", "%2e%2e", "a\\..\\b"):
        script = Script([answer(200, {})])
        send(script, Request("GET", "/data-roles/{role_id}", path={"role_id": role_id}))
        path = script.requests[0].url.removeprefix(f"{URL}/data-roles/")
        assert not set(path) & set("/?#\\")
    for wrong in ("", ".", "..", "\ud800", 7, None):
        with pytest.raises(TypeError, match="role_id must be an id"):
            send(Script(), Request("GET", "/data-roles/{role_id}", path={"role_id": wrong}))


def test_queries_and_headers_are_encoded_and_those_that_are_none_left_out() -> None:
    script = Script([answer(200, {})])
    query = {"limit": 5, "q": "a&b=c", "all": True, "startingAfter": None}
    send(script, Request("GET", "/x", query=query, headers={"x-a": 1, "x-b": None}))
    assert script.requests[0].url == f"{URL}/x?limit=5&q=a%26b%3Dc&all=true"
    assert script.requests[0].headers["x-a"] == "1"
    assert "x-b" not in script.requests[0].headers
    with pytest.raises(TypeError, match=r"^The header x-a must be"):
        send(Script(), Request("GET", "/x", headers={"x-a": "a\nmarker"}))
    with pytest.raises(TypeError, match="limit must be a text or a number"):
        send(Script(), Request("GET", "/x", query={"limit": [1]}))


@pytest.mark.parametrize("body", [{"a": float("nan")}, {"a": object()}, "marker\ud800", {"a": b"marker"}])
def test_a_body_that_is_no_json_is_a_type_error_that_shows_nothing_of_it(body: object) -> None:
    with pytest.raises(TypeError) as raised:
        send(Script(), Request("POST", "/x", body=body))
    assert "marker" not in f"{raised.value!r}{raised.value.__cause__!r}{raised.value.__context__!r}"


@pytest.mark.parametrize("place", [{"query": {"q": "marker\ud800"}}, {"body": "marker\ud800"}])
def test_a_text_that_is_not_valid_is_a_type_error_that_shows_nothing_of_it(place: dict[str, Any]) -> None:
    with pytest.raises(TypeError) as raised:
        send(Script(), Request("POST", "/x", content_types=("text/plain",), **place))
    assert "marker" not in f"{raised.value!r}{raised.value.__cause__!r}{raised.value.__context__!r}"


@pytest.mark.parametrize(
    "wrong",
    [
        {"timeout": 0},
        {"timeout": float("nan")},
        {"timeout": "1"},
        {"timeout": True},
        {"max_retries": -1},
        {"max_retries": 1.5},
        {"max_response_bytes": None},
    ],
)
def test_wrong_options_are_type_errors(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=next(iter(wrong))):
        sender(**wrong)


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example.com",
        "ftp://api.example.com",
        "api.example.com",
        "https://user:marker@api.example.com",
        "https://api.example.com/?a=marker",
        "https://api.example.com/#marker",
        "https://api.example.com/\nmarker",
        "http://127.0.0.1.evil.example",
        "http://[::1]evil.example",
        "http://localhost:80:evil.example",
        "http://localhost\\.evil.example",
        "https://api.example.com:65536",
        "https://api.example.com:marker",
        "https://[::1",
        "",
    ],
)
def test_an_address_is_https_except_on_this_machine(url: str) -> None:
    with pytest.raises(ValueError, match="base_url") as raised:
        Sender(Connection(url), lambda: "")
    assert "marker" not in str(raised.value)
    for own in ("http://localhost:7400", "http://127.0.0.1:7400/", "http://[::1]:7400", "https://x.example/base/"):
        assert not Sender(Connection(own), lambda: "").address.endswith("/")
    assert Sender(Connection("http://api.internal", allow_http=True), lambda: "").address == "http://api.internal"


@pytest.mark.parametrize(("app_id", "api_key"), [("a:b", "marker"), ("a", "mark\ner"), ("", "marker"), ("a", None)])
def test_credentials_that_could_not_be_sent_are_refused_without_repeating_them(app_id: str, api_key: Any) -> None:
    with pytest.raises(TypeError) as raised:
        basic_authorization("app_id", app_id, "api_key", api_key)
    assert "mark" not in str(raised.value)


def test_each_attempt_is_told_without_ids_and_credentials() -> None:
    told: list[Attempt] = []
    script = Script([LOST, refusal(503, "service-unavailable"), answer(200, {}, {"apigw-requestid": "id-1"})])
    send(script, READ, on_attempt=told.append)
    assert [(each.number, each.status, each.code, each.request_id) for each in told] == [
        (1, None, "connection-failed", None),
        (2, 503, "service-unavailable", None),
        (3, 200, None, "id-1"),
    ]
    assert {(each.method, each.route) for each in told} == {("GET", "/data-roles/{role_id}")}
    assert "role_1" not in repr(told)
    assert "marker" not in repr(told)


def test_the_texts_of_requests_show_nothing_of_them() -> None:
    script = Script([answer(200, {})])
    request: Request[Any] = Request("POST", "/x", query={"q": "marker"}, body={"a": "marker"}, changes_nothing=True)
    send(script, request)
    assert "marker" not in f"{request!r}{script.requests[0]!r}"


def test_a_connection_error_is_one_of_the_sdk() -> None:
    error = error_of(Script([LOST]), READ, max_retries=0)
    assert isinstance(error, SealwayConnectionError)
    assert str(error) == "The service could not be reached (ConnectError)."
