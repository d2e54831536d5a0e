"""When a failed request is sent again."""

from __future__ import annotations

import re

FIRST_DELAY = 0.25
MAX_DELAY = 8.0
# What a service may ask for; a caller who waits longer had better hear of the error.
MAX_ASKED = 60.0

# Answers that another attempt may improve: too many requests, and a gateway's or the service's word that it is busy.
TRANSIENT_STATUSES = frozenset({429, 502, 503, 504})


def is_transient(status: int, retry_after: float | None, *, has_idempotency_key: bool) -> bool:
    """Whether a refused request may succeed if it is sent again.

    With an idempotency key, a 409 with ``Retry-After`` means that an earlier attempt is still under way.
    """
    return status in TRANSIENT_STATUSES or (status == 409 and has_idempotency_key and retry_after is not None)


def parse_retry_after(header: str | None) -> float | None:
    """Returns what the header asks for, in seconds; None for none, and for a date."""
    return float(header) if header is not None and re.fullmatch(r"[0-9]{1,9}", header) else None


def retry_delay(attempt: int, retry_after: float | None, random: float) -> float | None:
    """Returns how many seconds to wait before the next attempt.

    That is what the service asked for and up to half as much again, or a random share of a time that doubles with each
    attempt, of which the first is 0. None: longer than callers want to wait.
    """
    if retry_after is None:
        return random * min(MAX_DELAY, FIRST_DELAY * 2.0**attempt)
    return None if retry_after > MAX_ASKED else retry_after * (1 + random / 2)
