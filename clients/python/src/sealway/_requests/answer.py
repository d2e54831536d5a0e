"""Reads what the service answers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

import httpx

from .._flow import HttpAnswer
from ..errors import ApiError, FieldProblem, SealwayConnectionError, api_error_class, unexpected
from .retry import parse_retry_after

MAX_FIELDS = 1000

# Codes for refusals of a gateway in front of the service, which has its own format.
_CODES = {
    400: "invalid-request",
    401: "unauthorized",
    403: "forbidden",
    404: "not-found",
    413: "payload-too-large",
    429: "too-many-requests",
    500: "internal-server-error",
    503: "service-unavailable",
}


@dataclass(frozen=True)
class ApiAnswer:
    """A successful answer."""

    status: int
    headers: httpx.Headers
    content: Any = field(repr=False)
    """From JSON; bytes for other content; None if there is none."""


def read_answer(answer: HttpAnswer) -> ApiAnswer:
    """Reads a successful answer. Raises SealwayConnectionError if it is not one of the service's."""
    content_type = answer.headers.get("content-type", "").split(";")[0].strip().lower()
    if content_type == "application/octet-stream":
        return ApiAnswer(answer.status, answer.headers, answer.content)
    if not answer.content:
        return ApiAnswer(answer.status, answer.headers, None)
    if content_type != "application/json":
        raise unexpected("The answer has another content type than the service's answers.")
    is_json, content = parse_json(answer.content)
    if not is_json:
        raise unexpected("The answer is not JSON.")
    return ApiAnswer(answer.status, answer.headers, content)


def read_refusal(answer: HttpAnswer) -> ApiError | SealwayConnectionError:
    """Reads what the service says about a request that it refuses."""
    status, headers = answer.status, answer.headers
    if status < 400:
        return unexpected(
            "The service answered with a redirect. Redirects are not followed, because credentials would go with them."
        )
    code, detail, fields = _problem(answer.content) or (_CODES.get(status), "", ())
    if code is None:
        return unexpected(f"The answer has status {status}, and says nothing more.")
    return api_error_class(status)(
        code,
        detail or f"The answer has status {status}, and says nothing more.",
        status=status,
        fields=fields,
        request_id=request_id_of(headers),
        retry_after=parse_retry_after(headers.get("retry-after")),
    )


def request_id_of(headers: httpx.Headers) -> str | None:
    """Returns what names a request in the service's logs; None if the service has given nothing."""
    request_id: str | None = headers.get("apigw-requestid")
    return request_id


def parse_json(content: bytes | bytearray | memoryview) -> tuple[bool, Any]:
    """Returns whether it is JSON, and its value. Raises nothing: a parser's error has all of the text."""
    try:
        return True, json.loads(bytes(content).decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return False, None


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("JSON has no such number")


def _problem(content: bytes) -> tuple[str, str, tuple[FieldProblem, ...]] | None:
    _, problem = parse_json(content)
    if not isinstance(problem, dict):
        return None
    code, detail, fields = problem.get("code"), problem.get("detail"), problem.get("fields", [])
    if not isinstance(code, str) or not re.fullmatch(r"[a-z0-9][a-z0-9/-]{0,99}", code):
        return None
    if not isinstance(detail, str) or not isinstance(fields, list):
        return None
    return code, detail, tuple(_fields(fields[:MAX_FIELDS]))


def _fields(fields: list[object]) -> list[FieldProblem]:
    return [
        FieldProblem(field["pointer"], field["reason"])
        for field in fields
        if isinstance(field, dict) and isinstance(field.get("pointer"), str) and isinstance(field.get("reason"), str)
    ]
