"""The public key of an app."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import httpx

from .._flow import Acquire, Flow, Lock
from .._requests.answer import ApiAnswer
from .._sealing.keys import KeySource, Recipient, read_point
from ..errors import ApiError, SealwayConnectionError, SealwayError, unexpected

DEFAULT_MAX_AGE = 60.0
LONGEST_MAX_AGE = 3600.0
# How long an outdated key still serves while the service cannot be asked: it opens what any of its keys seals.
LONGEST_OUTAGE = 3600.0
# How long nobody asks again after that.
PAUSE_AFTER_OUTAGE = 10.0


@dataclass(frozen=True)
class _Cached:
    key: KeySource
    fetched_at: float
    max_age: float


class AppKeyCache:
    """Keeps the public key of an app for as long as the service's ``Cache-Control`` allows.

    While one caller fetches it again, others use the old one; if it cannot be fetched, everyone does, for up to an
    hour, and one caller asks every ten seconds.
    """

    def __init__(self, app_id: str, fetch: Callable[[], Flow[ApiAnswer]], lock: Lock, now: Callable[[], float]) -> None:
        self._app_id = app_id
        self._fetch = fetch
        self._lock = lock
        self._now = now
        self._cached: _Cached | None = None
        self._is_refreshing = False
        self._outage_at = float("-inf")

    def get(self) -> Flow[KeySource]:
        cached = self._cached
        age = 0.0 if cached is None else self._now() - cached.fetched_at
        if cached is None or not 0 <= age < cached.max_age + LONGEST_OUTAGE:
            return (yield from self._load_once(cached))
        has_just_failed = self._now() - self._outage_at < PAUSE_AFTER_OUTAGE
        if age < cached.max_age or self._is_refreshing or has_just_failed:
            return cached.key
        self._is_refreshing = True
        try:
            return (yield from self._load(cached)).key
        except SealwayError as error:
            if not _is_outage(error):
                raise
            self._outage_at = self._now()
            return cached.key
        finally:
            self._is_refreshing = False

    def _load_once(self, old: _Cached | None) -> Flow[KeySource]:
        """Loads the key, unless another caller has loaded it meanwhile."""
        yield Acquire(self._lock)
        try:
            if self._cached is not None and self._cached is not old:
                return self._cached.key
            return (yield from self._load(old)).key
        finally:
            self._lock.release()

    def _load(self, old: _Cached | None) -> Flow[_Cached]:
        answer = yield from self._fetch()
        recipient = read_app_key(answer, self._app_id)
        is_same = old is not None and old.key.recipient == recipient
        key = old.key if old is not None and is_same else KeySource(recipient)
        self._cached = _Cached(key, self._now(), _max_age_of(answer.headers))
        return self._cached


def read_app_key(answer: ApiAnswer, app_id: str) -> Recipient:
    """Reads what ``GET /keys`` answers. Raises SealwayConnectionError if it is something else."""
    content, debug = answer.content, answer.headers.get("x-service-debug-mode")
    if not isinstance(content, dict):
        raise unexpected("The answer has no public key.")
    # A cache that confuses answers must not let one customer's values be encrypted for another.
    if content.get("appUuid") != app_id:
        raise unexpected("The answer is about another app.")
    # A wrong word must not turn the values of a production app into those of a sandbox app, or the reverse.
    if debug not in ("true", "false"):
        raise unexpected("The answer has no public key.")
    return Recipient(read_point(content.get("ecdhP256KeyUncompressed")), debug == "true")


def _max_age_of(headers: httpx.Headers) -> float:
    """Returns how long an answer is valid, from ``max-age`` and from the time that it has spent in other caches."""
    match = re.search(r"(?:^|,)\s*max-age=([0-9]{1,9})\s*(?:,|$)", headers.get("cache-control", ""), re.IGNORECASE)
    if match is None:
        return DEFAULT_MAX_AGE
    age = headers.get("age", "")
    spent = int(age) if re.fullmatch(r"[0-9]{1,9}", age) else 0
    return min(LONGEST_MAX_AGE, max(0.0, float(int(match[1]) - spent)))


def _is_outage(error: SealwayError) -> bool:
    """Whether the service could not answer, rather than having refused."""
    if isinstance(error, ApiError):
        return error.status >= 500 or error.status == 429
    return isinstance(error, SealwayConnectionError)
