from __future__ import annotations

import base64
import json
from typing import Any

import httpx
import pytest

from sealway import WebhookSignatureError, sign_test_webhook, verify_webhook

SECRET = f"whsec_{base64.b64encode(bytes([7]) * 32).decode()}"
OTHER = f"whsec_{base64.b64encode(bytes([8]) * 32).decode()}"
NOW = 1_700_000_000.0
EVENT = {"id": "webhook_event_1", "type": "relay.error", "data": {"message": "marker"}}
BODY = json.dumps(EVENT)


def sign(body: str = BODY, secret: str = SECRET, at: float = NOW, event_id: str = "webhook_event_1") -> dict[str, str]:
    return sign_test_webhook(body, secret, event_id=event_id, now=lambda: at)


def verify(headers: Any, body: Any = BODY, secret: Any = SECRET, **others: Any) -> Any:
    return verify_webhook(body, headers, secret, now=lambda: NOW, **others)


def refused(headers: Any, body: Any = BODY, **others: Any) -> None:
    with pytest.raises(WebhookSignatureError) as raised:
        verify(headers, body, **others)
    assert raised.value.code == "invalid-signature"
    shown = f"{raised.value!r}{raised.value.__cause__!r}{raised.value.__context__!r}"
    assert not any(secret in shown for secret in ("marker", "whsec_", "v1,"))


def test_a_webhook_is_accepted_with_headers_of_any_framework_as_text_or_bytes() -> None:
    headers = sign()
    upper = {name.upper(): value for name, value in headers.items()}
    lists = {name: [value] for name, value in headers.items()}
    for each in (headers, upper, lists, httpx.Headers(headers), {**headers, "host": None}):
        assert verify(each) == EVENT
    body = json.dumps({**EVENT, "data": "€ 😀"}, ensure_ascii=False)
    for content in (body, body.encode(), bytearray(body.encode()), memoryview(body.encode())):
        assert verify(sign(body), content)["data"] == "€ 😀"


def test_it_is_accepted_by_the_signature_that_the_format_says() -> None:
    # Made by the library `standardwebhooks` of npm.
    assert sign("{}", event_id="msg_1")["webhook-signature"] == "v1,nuLLyheCKcS2N8JNOFt5stk98R+umYWr26/ZTfdtGM8="


def test_a_body_that_is_no_text_is_refused_without_showing_it() -> None:
    # As a framework reads bytes that are not UTF-8.
    refused(sign(), body=b"marker\xff".decode(errors="surrogateescape"))


def test_each_test_webhook_has_an_id_of_its_own_and_is_of_now() -> None:
    headers = [sign_test_webhook(BODY, SECRET) for _ in range(2)]
    assert len({each["webhook-id"] for each in headers}) == 2
    assert verify_webhook(BODY, headers[0], SECRET) == EVENT


def test_it_is_accepted_if_one_signature_is_by_one_of_the_secrets() -> None:
    ours, theirs = sign()["webhook-signature"], sign(secret=OTHER)["webhook-signature"]
    assert verify({**sign(), "webhook-signature": f"v1a,xyz {theirs} {ours}"}) == EVENT
    assert verify(sign(secret=OTHER), secret=[SECRET, OTHER]) == EVENT


@pytest.mark.parametrize("offset", [-300, 300])
def test_it_is_accepted_five_minutes_from_now_and_no_further(offset: int) -> None:
    assert verify(sign(at=NOW + offset)) == EVENT
    refused(sign(at=NOW + offset + offset / 300))
    refused(sign(at=NOW + offset), tolerance=299)
    refused(sign(), tolerance=float("nan"))


def test_it_is_refused_with_another_secret_body_id_or_time_than_was_signed() -> None:
    refused(sign(secret=OTHER))
    refused(sign(), f"{BODY} ")
    refused({**sign(), "webhook-id": "webhook_event_2"})
    refused({**sign(), "webhook-timestamp": str(int(NOW) + 1)})
    signature = sign()["webhook-signature"]
    for wrong in ("", "v1,", "v1", "v2,", "v1,AAAA", f"v1,{'A' * 44}", f"v1,{'!' * 44}", "v1," * 5000, signature[:20]):
        refused({**sign(), "webhook-signature": wrong})
    refused({**sign(), "webhook-signature": f"v1,{'A' * 43}= " * 10 + signature})
    refused({**sign(), "webhook-signature": f"{signature} {'x' * 4096}"})


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_it_is_refused_without_a_header_and_with_two_of_it(name: str) -> None:
    headers = sign()
    refused({each: value for each, value in headers.items() if each != name})
    refused({**headers, name: [headers[name], headers[name]]})
    refused({**headers, name.upper(): headers[name]})
    refused({**headers, name: None})


@pytest.mark.parametrize("timestamp", ["", "1e3", "-1", "1700000000.0", " 1700000000", "\u0661700000000", "NaN"])
def test_it_is_refused_at_a_time_that_is_none(timestamp: str) -> None:
    refused({**sign(), "webhook-timestamp": timestamp})


def test_it_is_refused_when_the_signed_parts_are_split_elsewhere() -> None:
    body = f"{int(NOW)}.{BODY}"
    signed = sign(body, at=1, event_id="a")
    refused({**signed, "webhook-id": "a.1", "webhook-timestamp": str(int(NOW))})


@pytest.mark.parametrize("body", ["null", "[]", '"text"', "{", '{"id":1,"type":"a","data":1}', '{"id":"a","type":"b"}'])
def test_it_is_refused_when_what_is_signed_is_no_event(body: str) -> None:
    refused(sign(body), body)


@pytest.mark.parametrize("secret", [[], "whsec_", f"whsec_{base64.b64encode(bytes(23)).decode()}", "marker!", 7])
def test_a_secret_that_would_verify_what_anybody_signs_is_refused(secret: Any) -> None:
    with pytest.raises((ValueError, TypeError)) as raised:
        verify(sign(), secret=secret)
    assert "marker" not in str(raised.value)


def test_a_parsed_body_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="not its parsed content"):
        verify(sign(), EVENT)
