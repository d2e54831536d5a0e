"""What a request is authorized by."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import TypeAlias

Authorization: TypeAlias = Callable[[], str]
"""Returns the Authorization header. A function, so that nothing that may be printed holds a secret."""

VISIBLE = re.compile(r"[\x21-\x7e]+")
HEADER_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


def require_visible(name: str, text: object) -> str:
    """Checks a text that becomes part of a header, without repeating it."""
    if not isinstance(text, str) or not VISIBLE.fullmatch(text):
        raise TypeError(f"{name} must be a text of visible ASCII characters.")
    # Of a member of an enumeration, its value.
    return str.__str__(text)


def require_header_value(name: str, text: str) -> str:
    """Checks the value of a header, which may have spaces inside, without repeating it."""
    if not HEADER_VALUE.fullmatch(text):
        message = "must be a text of printable ASCII characters, without spaces at its ends."
        raise TypeError(f"The header {name} {message}")
    return str.__str__(text)


def basic_authorization(user_name: str, user: object, secret_name: str, secret: object) -> Authorization:
    """Authorizes by the id of an app or a team, and its key. The names are those of the arguments, for messages."""
    name = require_visible(user_name, user)
    if ":" in name:
        raise TypeError(f"{user_name} must not contain a colon.")
    pair = f"{name}:{require_visible(secret_name, secret)}".encode()
    header = f"Basic {base64.b64encode(pair).decode()}"
    return lambda: header
