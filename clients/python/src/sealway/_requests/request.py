"""What is asked of the API, with nothing about who asks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar
from urllib.parse import urlencode

from .address import path_segment
from .credentials import require_header_value

T = TypeVar("T")

JSON = "application/json"
BYTES = "application/octet-stream"
NO_BODY = object()


@dataclass(frozen=True)
class Request(Generic[T]):
    """One request, whose answer has the type T. Its text shows no ids and values."""

    method: str
    route: str
    """The path, with ``{parameters}`` instead of ids."""
    path: Mapping[str, object] = field(default_factory=dict, repr=False)
    query: Mapping[str, object] = field(default_factory=dict, repr=False)
    """None is left out, here and in ``headers``."""
    headers: Mapping[str, object] = field(default_factory=dict, repr=False)
    """Names in lower case."""
    body: object = field(default=NO_BODY, repr=False)
    content_types: tuple[str, ...] = (JSON,)
    """What the operation takes as a body."""
    takes_key: bool = False
    """Whether it takes an ``Idempotency-Key``."""
    changes_nothing: bool = False
    """Whether it may be repeated although it is no GET and has no ``Idempotency-Key``."""
    cursor: Literal["startingAfter", "page", None] = None
    """The query parameter that selects the next page of a list."""

    @property
    def is_repeatable(self) -> bool:
        """Whether the request may be sent again if nobody knows what became of it."""
        return self.method == "GET" or self.takes_key or self.changes_nothing

    def target(self) -> str:
        """Returns the path and the query, encoded."""
        path = re.sub(r"\{(\w+)\}", lambda match: path_segment(match[1], self.path.get(match[1])), self.route)
        query = [(name, utf8(name, _text(name, value))) for name, value in self.query.items() if value is not None]
        return path + ("?" + urlencode(query) if query else "")

    def header_fields(self) -> dict[str, str]:
        return {
            name: require_header_value(name, _text(name, value))
            for name, value in self.headers.items()
            if value is not None
        }

    def encoded_body(self) -> tuple[str, bytes] | None:
        """Returns the content type and the content; None if there is no body."""
        body = self.body
        if body is NO_BODY:
            return None
        if BYTES in self.content_types and isinstance(body, bytes | bytearray | memoryview):
            return BYTES, bytes(body)
        if JSON not in self.content_types and isinstance(body, str):
            return self.content_types[0], utf8("The body", body)
        return JSON, to_json(body)


def to_json(value: object) -> bytes:
    """Writes JSON. Raises TypeError for what is none, without repeating it."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError):
        # The errors of `encode` have all of the text.
        pass
    raise TypeError("The data must be JSON: dict, list, str, int, float, bool or None, and no NaN.")


def utf8(name: str, text: str) -> bytes:
    """Encodes a text, without repeating it if it cannot be: the error of ``encode`` has all of it."""
    try:
        return str.encode(text)
    except UnicodeEncodeError:
        pass
    raise TypeError(f"{name} contains a lone surrogate, which is not valid text.")


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    # Of a member of an enumeration, its value.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value)
    raise TypeError(f"{name} must be a text or a number.")
