"""What a request is authorized by."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import TypeAlias

Authorization: TypeAlias = Callable[[], str]
"""Returns the Authorization header. A function, so that nothing that may be printed holds a secret."""

_VISIBLE = re.compile(r"[\x21-\x7e]+")


def require_visible(name: str, text: object) -> str:
    """Checks a text that becomes part of a header, without repeating it."""
    if not isinstance(text, str) or not _VISIBLE.fullmatch(text):
        raise TypeError(f"{name} must be a text of visible ASCII characters.")
    return text


def basic_authorization(user_name: str, user: object, secret_name: str, secret: object) -> Authorization:
    """Authorizes by the id of an app or a team, and its key. The names are those of the arguments, for messages."""
    if ":" in require_visible(user_name, user):
        raise TypeError(f"{user_name} must not contain a colon.")
    pair = f"{user}:{require_visible(secret_name, secret)}".encode()
    header = f"Basic {base64.b64encode(pair).decode()}"
    return lambda: header
