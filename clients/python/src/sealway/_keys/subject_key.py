"""The public keys of data subjects."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from .._flow import Acquire, Flow, Lock
from .._requests.answer import ApiAnswer
from .._sealing.keys import KeySource, Recipient, read_point, subject_id_bytes
from ..errors import unexpected

# For so long, values may still be sealed for a data subject that is erased. Nothing opens them.
MAX_AGE = 5.0
MAX_SUBJECTS = 1000


class _Entry:
    def __init__(self, lock: Lock) -> None:
        self.lock = lock
        self.key: KeySource | None = None
        self.asked_at = 0.0


class SubjectKeyCache:
    """Keeps the public keys of the data subjects that were asked for last, for 5 seconds each.

    An older one is never used, even if the service cannot be asked: its data subject may be erased. Callers who want
    the same key at the same time ask once.
    """

    def __init__(
        self,
        app_id: str,
        fetch: Callable[[str], Flow[ApiAnswer]],
        new_lock: Callable[[], Lock],
        now: Callable[[], float],
    ) -> None:
        self._app_id = app_id
        self._fetch = fetch
        self._new_lock = new_lock
        self._now = now
        self._entries: OrderedDict[str, _Entry] = OrderedDict()

    def get(self, data_subject: str) -> Flow[KeySource]:
        entry = self._entries.setdefault(data_subject, _Entry(self._new_lock()))
        while len(self._entries) > MAX_SUBJECTS:
            self._entries.popitem(last=False)
        yield Acquire(entry.lock)
        try:
            asked_at = self._now()
            if entry.key is None or not 0 <= asked_at - entry.asked_at < MAX_AGE:
                entry.key = None
                answer = yield from self._fetch(data_subject)
                entry.key = KeySource(read_subject_key(answer.content, self._app_id))
                entry.asked_at = asked_at
            return entry.key
        finally:
            entry.lock.release()


def read_subject_key(content: object, app_id: str) -> Recipient:
    """Reads what ``POST /data-subjects/key`` answers. Raises SealwayConnectionError if it is something else."""
    if isinstance(content, dict) and content.get("app") == app_id and isinstance(content.get("isSandbox"), bool):
        subject_id = subject_id_bytes(str(content.get("id")))
        if subject_id is not None:
            return Recipient(read_point(content.get("publicKey")), content["isSandbox"], subject_id)
    raise unexpected("The answer has no public key.")
