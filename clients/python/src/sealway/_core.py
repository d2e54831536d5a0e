"""What a client has besides its connections: the same for ``Sealway`` and ``AsyncSealway``."""

from __future__ import annotations

import time
from collections.abc import Callable

from ._flow import Flow, Lock
from ._fork import renew_after_fork
from ._keys.app_key import AppKeyCache
from ._keys.subject_key import SubjectKeyCache
from ._relay.routes import RelayRoutes
from ._requests.answer import ApiAnswer
from ._requests.credentials import basic_authorization
from ._requests.request import Request
from ._requests.send import Connection, Sender


class AppCore:
    def __init__(
        self,
        app_id: str,
        api_key: str,
        relay_url: str | None,
        connection: Connection,
        new_lock: Callable[[], Lock],
    ) -> None:
        self.app_id = app_id
        self.sender = Sender(connection, basic_authorization("app_id", app_id, "api_key", api_key))
        self._new_lock = new_lock
        self.renew()
        renew_after_fork(self)
        self.relays = RelayRoutes(
            self.sender,
            lambda: {"x-service-app-id": app_id, "x-service-api-key": api_key},
            relay_url,
            allow_http=connection.allow_http,
        )

    def renew(self) -> None:
        """Forgets all keys: those that are kept have ephemeral keys, and locks."""
        self.app_key = AppKeyCache(self.app_id, self._fetch_app_key, self._new_lock(), time.monotonic)
        self.subject_keys = SubjectKeyCache(self.app_id, self._fetch_subject_key, self._new_lock, time.monotonic)

    def __repr__(self) -> str:
        return f"app_id={self.app_id!r}, base_url={self.sender.address!r}"

    def _fetch_app_key(self) -> Flow[ApiAnswer]:
        return self.sender.send(Request("GET", "/keys"))

    def _fetch_subject_key(self, data_subject: str) -> Flow[ApiAnswer]:
        headers = {"x-service-data-subject": data_subject}
        return self.sender.send(Request("POST", "/data-subjects/key", headers=headers, changes_nothing=True))


class TeamCore:
    def __init__(self, team_id: str, team_key: str, connection: Connection) -> None:
        self.team_id = team_id
        self.sender = Sender(connection, basic_authorization("team_id", team_id, "team_key", team_key))

    def __repr__(self) -> str:
        return f"team_id={self.team_id!r}, base_url={self.sender.address!r}"
