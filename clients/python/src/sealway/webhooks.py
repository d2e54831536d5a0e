"""Webhooks, by `Standard Webhooks <https://www.standardwebhooks.com>`_."""

from __future__ import annotations

import base64
import binascii
import hmac
import re
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypedDict, cast

from ._requests.answer import parse_json
from .errors import WebhookSignatureError

# The sender signs with each of its secrets, of which it has a few while it rotates them.
MAX_SIGNATURES = 10
MAX_HEADER_CHARACTERS = 4096


class WebhookEvent(TypedDict):
    """An event that Sealway has sent."""

    id: str
    type: str
    data: Any
    """Depends on the type."""


class Headers(Protocol):
    """Headers as frameworks have them, names in any letter case."""

    def items(self) -> Iterable[tuple[str, Any]]: ...


def verify_webhook(
    body: bytes | bytearray | memoryview | str,
    headers: Headers,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: Callable[[], float] = time.time,
) -> WebhookEvent:
    """Returns the event of a webhook that is signed with the secret, and recent.

    Keep the ids of handled events, because a webhook may arrive twice.

    ``body`` is the request's body, exactly as it came: not parsed, and not written again. ``secret`` is ``whsec_…``;
    several while you change it. ``tolerance`` is how far the time of a webhook may be from now, in seconds.

    Raises WebhookSignatureError if it is not signed with the secret, not recent, or no event, and ValueError if the
    secret is not one.
    """
    keys = [_decode_secret(each) for each in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise ValueError("A secret is required.")
    content = _content_of(body)
    event_id, timestamp = _header(headers, "webhook-id"), _header(headers, "webhook-timestamp")
    # No dot: it separates the signed parts, so that one message could be read as another.
    if not re.fullmatch(r"[\w-]{1,256}", event_id, re.ASCII):
        raise WebhookSignatureError("The header webhook-id is malformed.")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookSignatureError("The header webhook-timestamp is malformed.")
    # Not `>`: a tolerance that is no number must not accept everything.
    if not abs(now() - int(timestamp)) <= tolerance:
        raise WebhookSignatureError("The webhook is too old, or from the future.")
    signatures = _signatures_in(_header(headers, "webhook-signature"))
    expected = [_sign(key, event_id, timestamp, content) for key in keys]
    # All are compared, each in constant time.
    matches = [hmac.compare_digest(left, right) for left in expected for right in signatures]
    if not any(matches):
        raise WebhookSignatureError("The webhook is not signed with this secret.")
    _, event = parse_json(content)
    if not _is_event(event):
        raise WebhookSignatureError("The webhook is signed, but is not an event.")
    return cast(WebhookEvent, event)


def sign_test_webhook(
    body: bytes | bytearray | memoryview | str,
    secret: str,
    *,
    event_id: str | None = None,
    now: Callable[[], float] = time.time,
) -> dict[str, str]:
    """Signs a body as Sealway signs its webhooks, so that a test can call the code that receives them.

    Returns the headers. Raises ValueError if the secret is not one.
    """
    event_id = f"webhook_event_{uuid.uuid4()}" if event_id is None else event_id
    timestamp = str(int(now()))
    signature = _sign(_decode_secret(secret), event_id, timestamp, _content_of(body))
    return {
        "webhook-id": event_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(signature).decode()}",
    }


def _sign(key: bytes, event_id: str, timestamp: str, content: bytes) -> bytes:
    return hmac.digest(key, f"{event_id}.{timestamp}.".encode() + content, "sha256")


def _content_of(body: object) -> bytes:
    if isinstance(body, str):
        try:
            return body.encode()
        except UnicodeEncodeError:
            # It has the text, so that nothing may be raised from it.
            pass
        raise WebhookSignatureError("The body is not valid text. Pass its bytes.")
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body)
    raise TypeError("The body must be the text or the bytes of the request, not its parsed content.")


def _signatures_in(header: str) -> list[bytes]:
    listed = header.split(" ")[:MAX_SIGNATURES]
    return [_decode(each[3:]) or b"" for each in listed if each.startswith("v1,")]


def _header(headers: Headers, name: str) -> str:
    """Returns the only value of a header; empty if there is none, several, or a very long one."""
    found = [value for each, value in headers.items() if each.lower() == name]
    values = [
        value for each in found for value in (each if isinstance(each, list | tuple) else [each]) if value is not None
    ]
    is_usable = len(values) == 1 and isinstance(values[0], str) and len(values[0]) <= MAX_HEADER_CHARACTERS
    return values[0] if is_usable else ""


def _is_event(event: object) -> bool:
    return (
        isinstance(event, Mapping)
        and isinstance(event.get("id"), str)
        and isinstance(event.get("type"), str)
        and "data" in event
    )


def _decode_secret(secret: object) -> bytes:
    """Returns the key in a webhook endpoint's secret."""
    key = _decode(secret.removeprefix("whsec_")) if isinstance(secret, str) else None
    # Less could be guessed; an empty one would even verify what anybody signs.
    if key is None or not 24 <= len(key) <= 64:
        raise ValueError("The secret must be that of the webhook endpoint, whsec_…")
    return key


def _decode(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
