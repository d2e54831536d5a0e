"""Encrypts values with Sealway, and calls its API. See ``Sealway`` and ``AsyncSealway``."""

from ._api.operation import Response
from ._api.pages import AsyncPages, ListedPage, Pages
from ._methods.functions import ScheduledRun
from ._relay.forward_proxy import async_forward_proxy_transport, forward_proxy_transport
from ._requests.send import Attempt, ConnectionOptions
from ._version import __version__
from .client import AsyncSealway, AsyncSealwayTeam, Sealway, SealwayTeam
from .errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    DamagedFileError,
    DataTooLargeError,
    FieldProblem,
    PermissionDeniedError,
    RateLimitError,
    SealwayConnectionError,
    SealwayError,
    UnavailableError,
    UnsealableDataError,
    WebhookSignatureError,
)
from .webhooks import WebhookEvent, sign_test_webhook, verify_webhook

__all__ = [
    "ApiError",
    "AsyncPages",
    "AsyncSealway",
    "AsyncSealwayTeam",
    "Attempt",
    "AuthenticationError",
    "ConflictError",
    "ConnectionOptions",
    "DamagedFileError",
    "DataTooLargeError",
    "FieldProblem",
    "ListedPage",
    "Pages",
    "PermissionDeniedError",
    "RateLimitError",
    "Response",
    "ScheduledRun",
    "Sealway",
    "SealwayConnectionError",
    "SealwayError",
    "SealwayTeam",
    "UnavailableError",
    "UnsealableDataError",
    "WebhookEvent",
    "WebhookSignatureError",
    "__version__",
    "async_forward_proxy_transport",
    "forward_proxy_transport",
    "sign_test_webhook",
    "verify_webhook",
]
