"""The clients: what they do is in ``_methods`` and ``_generated``, how in ``_drive_sync`` and ``_drive_async``."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, overload

import httpx

from ._api.callers import AsyncCaller, Core, SyncCaller
from ._core import AppCore, TeamCore
from ._drive_async import AsyncDriver
from ._drive_sync import SyncDriver
from ._generated.operations import AppOperations, PaymentOperations, TeamOperations
from ._methods.client_tokens import ClientTokenMethods
from ._methods.documents import NO_SUBJECT, DocumentMethods, convert, decrypt, encrypt
from ._methods.files import FileMethods
from ._methods.functions import FunctionMethods
from ._relay.clients import AsyncRelayClient, RelayClient
from ._requests.send import DEFAULT_OPTIONS, CallOptions, Connection, ConnectionOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

Scalar: TypeAlias = str | int | float | bool
Bytes: TypeAlias = bytes | bytearray | memoryview
Fields: TypeAlias = Mapping[str, Any]
Items: TypeAlias = list[Any] | tuple[Any, ...]
SyncSelf = TypeVar("SyncSelf", bound="_SyncClient[Any]")
AsyncSelf = TypeVar("AsyncSelf", bound="_AsyncClient[Any]")
C = TypeVar("C", bound=Core)


class AppApi(AppOperations, SyncCaller[AppCore]): ...


class PaymentApi(PaymentOperations, SyncCaller[AppCore]): ...


class TeamApi(TeamOperations, SyncCaller[TeamCore]): ...


class Functions(FunctionMethods, SyncCaller[AppCore]): ...


class ClientTokens(ClientTokenMethods, SyncCaller[AppCore]): ...


class Files(FileMethods, SyncCaller[AppCore]): ...


class AsyncAppApi(AppOperations, AsyncCaller[AppCore]): ...


class AsyncPaymentApi(PaymentOperations, AsyncCaller[AppCore]): ...


class AsyncTeamApi(TeamOperations, AsyncCaller[TeamCore]): ...


class AsyncFunctions(FunctionMethods, AsyncCaller[AppCore]): ...


class AsyncClientTokens(ClientTokenMethods, AsyncCaller[AppCore]): ...


class AsyncFiles(FileMethods, AsyncCaller[AppCore]): ...


class _SyncClient(SyncCaller[C]):
    def __init__(self, core: C, http_client: httpx.Client | None) -> None:
        super().__init__(core, SyncDriver(http_client))

    def close(self) -> None:
        """Closes the connections, unless the client of httpx is yours."""
        if self._driver.is_own:
            self._driver.http.close()

    def __enter__(self: SyncSelf) -> SyncSelf:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._core})"


class _AsyncClient(AsyncCaller[C]):
    def __init__(self, core: C, http_client: httpx.AsyncClient | None) -> None:
        super().__init__(core, AsyncDriver(http_client))

    async def aclose(self) -> None:
        """Closes the connections, unless the client of httpx is yours."""
        if self._driver.is_own:
            await self._driver.http.aclose()

    async def __aenter__(self: AsyncSelf) -> AsyncSelf:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._core})"


class Sealway(DocumentMethods, _SyncClient[AppCore]):
    """Sealway with an app's API key. Keep one for all requests and threads: it remembers the app's public key.

    ::

        sealway = Sealway(app_id=app_id, api_key=api_key, base_url="https://api.example.com")
        sealed = sealway.encrypt({"card": "4242424242424242"}, "pci")
        card = sealway.decrypt(sealed)["card"]

    :param app_id: the app's id, ``app_…``
    :param api_key: an API key of the app, ``swk_…``
    :param base_url: where the service is, locally ``$SEALWAY_URL``
    :param relay_url: where all relays are, if not at their own domains: locally ``$SEALWAY_RELAY_URL``
    :param http_client: sends the requests, for a proxy, for example
    :param options: see ``ConnectionOptions``
    """

    def __init__(
        self,
        *,
        app_id: str,
        api_key: str,
        base_url: str,
        relay_url: str | None = None,
        http_client: httpx.Client | None = None,
        **options: Unpack[ConnectionOptions],
    ) -> None:
        connection = Connection(base_url, **options)
        core = AppCore(app_id, api_key, relay_url, connection, threading.Lock)
        super().__init__(core, http_client)
        self.api = AppApi(core, self._driver)
        """Every operation of the API that takes an API key."""
        self.payments = PaymentApi(core, self._driver)
        """The operations of payments."""
        self.functions = Functions(core, self._driver)
        """Runs functions, and issues tokens for running them."""
        self.client_tokens = ClientTokens(core, self._driver)
        """Issues tokens with which a browser decrypts one document."""
        self.files = Files(core, self._driver)
        """Seals files of any size on their way to the storage, and opens them on their way back."""
        self.relay = RelayClient(core.relays, self._driver)
        """Sends requests through the app's relays."""

    # Declared twice, here and below, because no type can say that the result depends on the data and on the client.
    @overload
    def encrypt(self, data: None, role: str | None = None, *, data_subject: str = ...) -> None: ...
    @overload
    def encrypt(self, data: Scalar, role: str | None = None, *, data_subject: str = ...) -> str: ...
    @overload
    def encrypt(self, data: Bytes) -> bytes: ...
    @overload
    def encrypt(self, data: Fields, role: str | None = None, *, data_subject: str = ...) -> dict[str, Any]: ...
    @overload
    def encrypt(self, data: Items, role: str | None = None, *, data_subject: str = ...) -> list[Any]: ...
    def encrypt(self, data: object, role: str | None = None, *, data_subject: object = NO_SUBJECT) -> Any:
        """Encrypts here, with the app's public key: the service sees nothing.

        Each str, int, float and bool becomes a token. Dicts and lists keep their shape; None and tokens stay as they
        are. Bytes become an encrypted file.

        :param role: slug of the data role whose policies decide who may decrypt; not for files
        :param data_subject: your id of the data subject that the values are about; not for files. Its public key is
            fetched, which creates the data subject if there is none, and used for 5 seconds
        :raises UnsealableDataError: for what JSON cannot hold, such as a datetime; it has a ``pointer``
        :raises DataTooLargeError: for what the service would not open again
        """
        return self._driver.run(encrypt(self._core, data, role, data_subject))

    @overload
    def decrypt(
        self,
        data: Bytes,
        *,
        require_tokens: bool = False,
        reveal: Literal["full", "masked"] | None = None,
        reason: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> bytes: ...
    @overload
    def decrypt(
        self,
        data: object,
        *,
        require_tokens: bool = False,
        reveal: Literal["full", "masked"] | None = None,
        reason: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Any: ...
    def decrypt(
        self,
        data: object,
        *,
        require_tokens: bool = False,
        reveal: Literal["full", "masked"] | None = None,
        reason: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Any:
        """Decrypts tokens, wherever they are in the data, and files. Everything else is returned unchanged.

        :param require_tokens: refuses data without tokens, and texts that begin like a token but are not a complete one
        :param reveal: ``full`` refuses with ``decrypt/masked-only`` if policies permit only masks; ``masked`` returns
            masks, as strings, even if more is permitted. Default: full values, or masks where policies permit no more
        :param reason: why, for the access log: printable ASCII, at most 200 characters. Some policies require it
        :raises PermissionDeniedError: ``decrypt/forbidden`` if a policy does not permit one of the values: then none is
            decrypted
        """
        options = CallOptions(timeout, max_retries)
        return self._driver.run(
            decrypt(self._core, data, options, require_tokens=require_tokens, reveal=reveal, reason=reason)
        )

    @overload
    def rewrap(self, data: Bytes) -> bytes: ...
    @overload
    def rewrap(self, data: object) -> Any: ...
    def rewrap(self, data: object) -> Any:
        """Encrypts tokens and files again, with the app's newest key, without returning what is in them."""
        return self._driver.run(convert(self._core, "/rewrap", data, DEFAULT_OPTIONS))


class AsyncSealway(DocumentMethods, _AsyncClient[AppCore]):
    """``Sealway`` for asyncio: the same methods, to be awaited. Keep one for all tasks of an event loop.

    ::

        async with AsyncSealway(app_id=app_id, api_key=api_key, base_url="https://api.example.com") as sealway:
            sealed = await sealway.encrypt({"card": "4242424242424242"}, "pci")

    Its parameters are those of ``Sealway``.
    """

    def __init__(
        self,
        *,
        app_id: str,
        api_key: str,
        base_url: str,
        relay_url: str | None = None,
        http_client: httpx.AsyncClient | None = None,
        **options: Unpack[ConnectionOptions],
    ) -> None:
        connection = Connection(base_url, **options)
        core = AppCore(app_id, api_key, relay_url, connection, asyncio.Lock)
        super().__init__(core, http_client)
        self.api = AsyncAppApi(core, self._driver)
        """Every operation of the API that takes an API key."""
        self.payments = AsyncPaymentApi(core, self._driver)
        """The operations of payments."""
        self.functions = AsyncFunctions(core, self._driver)
        """Runs functions, and issues tokens for running them."""
        self.client_tokens = AsyncClientTokens(core, self._driver)
        """Issues tokens with which a browser decrypts one document."""
        self.files = AsyncFiles(core, self._driver)
        """Seals files of any size on their way to the storage, and opens them on their way back."""
        self.relay = AsyncRelayClient(core.relays, self._driver)
        """Sends requests through the app's relays."""

    @overload
    async def encrypt(self, data: None, role: str | None = None, *, data_subject: str = ...) -> None: ...
    @overload
    async def encrypt(self, data: Scalar, role: str | None = None, *, data_subject: str = ...) -> str: ...
    @overload
    async def encrypt(self, data: Bytes) -> bytes: ...
    @overload
    async def encrypt(self, data: Fields, role: str | None = None, *, data_subject: str = ...) -> dict[str, Any]: ...
    @overload
    async def encrypt(self, data: Items, role: str | None = None, *, data_subject: str = ...) -> list[Any]: ...
    async def encrypt(self, data: object, role: str | None = None, *, data_subject: object = NO_SUBJECT) -> Any:
        """Encrypts here, as ``Sealway.encrypt`` does."""
        return await self._driver.run(encrypt(self._core, data, role, data_subject))

    @overload
    async def decrypt(
        self,
        data: Bytes,
        *,
        require_tokens: bool = False,
        reveal: Literal["full", "masked"] | None = None,
        reason: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> bytes: ...
    @overload
    async def decrypt(
        self,
        data: object,
        *,
        require_tokens: bool = False,
        reveal: Literal["full", "masked"] | None = None,
        reason: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Any: ...
    async def decrypt(
        self,
        data: object,
        *,
        require_tokens: bool = False,
        reveal: Literal["full", "masked"] | None = None,
        reason: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> Any:
        """Decrypts tokens and files, as ``Sealway.decrypt`` does."""
        options = CallOptions(timeout, max_retries)
        return await self._driver.run(
            decrypt(self._core, data, options, require_tokens=require_tokens, reveal=reveal, reason=reason)
        )

    @overload
    async def rewrap(self, data: Bytes) -> bytes: ...
    @overload
    async def rewrap(self, data: object) -> Any: ...
    async def rewrap(self, data: object) -> Any:
        """Encrypts tokens and files again, as ``Sealway.rewrap`` does."""
        return await self._driver.run(convert(self._core, "/rewrap", data, DEFAULT_OPTIONS))


class SealwayTeam(_SyncClient[TeamCore]):
    """Manages a team: its apps, API keys, connectors and logs.

    ::

        team = SealwayTeam(team_id=team_id, team_key=team_key, base_url="https://api.example.com")
        app = team.api.create_app(body={"name": "Shop", "environment": "sandbox"})

    :param team_id: the team's id, ``team_…``
    :param team_key: a team key, ``swk_team_…``. It can do everything to the team's apps: keep it where apps are managed

    The other parameters are those of ``Sealway``.
    """

    def __init__(
        self,
        *,
        team_id: str,
        team_key: str,
        base_url: str,
        http_client: httpx.Client | None = None,
        **options: Unpack[ConnectionOptions],
    ) -> None:
        core = TeamCore(team_id, team_key, Connection(base_url, **options))
        super().__init__(core, http_client)
        self.api = TeamApi(core, self._driver)
        """Every operation of the API that takes a team key."""


class AsyncSealwayTeam(_AsyncClient[TeamCore]):
    """``SealwayTeam`` for asyncio: the same methods, to be awaited."""

    def __init__(
        self,
        *,
        team_id: str,
        team_key: str,
        base_url: str,
        http_client: httpx.AsyncClient | None = None,
        **options: Unpack[ConnectionOptions],
    ) -> None:
        core = TeamCore(team_id, team_key, Connection(base_url, **options))
        super().__init__(core, http_client)
        self.api = AsyncTeamApi(core, self._driver)
        """Every operation of the API that takes a team key."""
