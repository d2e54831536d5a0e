"""Tokens for browsers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from .._api.callers import flow_method
from .._api.operation import call
from .._core import AppCore
from .._flow import Flow
from .._generated.operations import AppOperations
from .._requests.address import path_segment
from .._requests.request import to_json
from ..types import ClientSideToken


class ClientTokenMethods:
    """Issues tokens with which a browser decrypts one document."""

    _core: AppCore

    @flow_method
    def create(self, payload: object, *, expiry: datetime | int | None = None) -> Flow[ClientSideToken]:
        """Issues a token for one document, of any shape but None.

        :param expiry: when the token ends, less than ten minutes from now; a number is epoch milliseconds. Default:
            five minutes from now
        """
        return self._create({"action": "api:decrypt", "payload": payload}, expiry)

    @flow_method
    def create_for_frame(
        self, payload: Mapping[str, Any], key: str, *, expiry: datetime | int | None = None
    ) -> Flow[ClientSideToken]:
        """Issues a token for one frame of a page: what the service answers to it can only be read by the frame.

        :param key: the frame's public key, from the page
        """
        return self._create({"action": "api:reveal", "payload": dict(payload), "key": key}, expiry)

    @flow_method
    def reveal_url(
        self, payload: Mapping[str, Any], key: str, *, team_id: str, expiry: datetime | int | None = None
    ) -> Flow[str]:
        """Returns the address to which a server redirects the request of ``sealway.reveal(place, { from })`` of a page.

        :param key: the parameter ``key`` of the request
        """
        ids = f"{path_segment('team_id', team_id)}/{path_segment('app_id', self._core.app_id)}"
        token = yield from self._create({"action": "api:reveal", "payload": dict(payload), "key": key}, expiry)
        document = quote(to_json(dict(payload)), safe="")
        return f"{self._core.sender.address}/elements/{ids}/reveal#{token['token']}&{document}"

    def _create(self, body: dict[str, Any], expiry: datetime | int | None) -> Flow[ClientSideToken]:
        if expiry is not None:
            body["expiry"] = int(expiry.timestamp() * 1000) if isinstance(expiry, datetime) else expiry
        request = AppOperations.create_client_side_token.request(body=body)  # type: ignore[arg-type]
        return (yield from call(self._core.sender, request)).data
