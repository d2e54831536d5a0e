"""What can go wrong, by what a program does about it.

No error contains a value, a token or a credential, and none is chained to an error of a parser or of a connection,
which would contain them. Wrong arguments are ``TypeError`` or ``ValueError``, before anything is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FieldProblem:
    """One field that the service refuses."""

    pointer: str
    """JSON Pointer (RFC 6901) into the body; ``/path/…``, ``/query/…`` and ``/headers/…`` point elsewhere."""
    reason: str
    """A sentence for people."""


class _PortableError(Exception):
    """Errors travel between processes, and most have other arguments than their message."""

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), self.args, self.__dict__)


class SealwayError(_PortableError):
    """The base class of everything that fails on the way to the service or in it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        """Stable, for programs. A later version of the service may send codes that this one does not know."""


class ApiError(SealwayError):
    """The service has refused a request. Its subclasses say what to do about it; ``code`` says it exactly."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        status: int,
        fields: Sequence[FieldProblem] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(code, detail)
        self.status = status
        """The HTTP status."""
        self.fields = tuple(fields)
        """Every field that is wrong; empty if the request as a whole is refused."""
        self.request_id = request_id
        """Names the request in the service's logs, for support. None: the service has given none."""
        self.retry_after = retry_after
        """How long the service asks to wait before another attempt, in seconds. None: it says nothing."""

    @property
    def pointer(self) -> str | None:
        """Where the first wrong field is, as a JSON Pointer; None if the request as a whole is refused."""
        return self.fields[0].pointer if self.fields else None


class AuthenticationError(ApiError):
    """The credentials are missing, wrong, expired or revoked: replace them. Status 401."""


class PermissionDeniedError(ApiError):
    """The credentials are right, but may not do this, or a data policy forbids it. Status 403."""


class ConflictError(ApiError):
    """The request does not fit the present state: read it again, then decide. Status 409."""


class RateLimitError(ApiError):
    """Too many requests, also after the client's retries: wait for ``retry_after``. Status 429."""


class UnavailableError(ApiError):
    """The service, or something that it needs, does not work at the moment: try again later. Status 500 and above."""


class SealwayConnectionError(SealwayError):
    """The service could not be reached, or did not answer in time or as it should.

    ``code`` is ``connection-failed``, ``connection-timeout``, ``response-too-large`` or ``unexpected-response``.
    """


class DamagedFileError(SealwayError):
    """A stored file was truncated, extended or changed, or is another one. What was read of it before is authentic."""

    def __init__(self) -> None:
        super().__init__("damaged-file", "The file cannot be decrypted: it is damaged, or it is another file.")


class WebhookSignatureError(SealwayError):
    """A webhook is not signed with the secret, is too old, or is not one."""

    def __init__(self, message: str) -> None:
        super().__init__("invalid-signature", message)


class UnsealableDataError(_PortableError, TypeError):
    """The data has something that cannot be encrypted."""

    def __init__(self, reason: str, pointer: str = "") -> None:
        super().__init__(f"The data cannot be encrypted. {reason}.")
        self.pointer = pointer
        """Where it is, as a JSON Pointer. Not in the message: names of fields may be data too."""


class DataTooLargeError(_PortableError, ValueError):
    """The data is larger, or nested deeper, than the service opens."""

    def __init__(self, reason: str, pointer: str = "") -> None:
        super().__init__(f"The data cannot be encrypted. {reason}.")
        self.pointer = pointer
        """Where it is, as a JSON Pointer."""


_BY_STATUS = {401: AuthenticationError, 403: PermissionDeniedError, 409: ConflictError, 429: RateLimitError}


def api_error_class(status: int) -> type[ApiError]:
    """Returns the class that says what a program can do about a refusal."""
    return UnavailableError if status >= 500 else _BY_STATUS.get(status, ApiError)


def unexpected(message: str) -> SealwayConnectionError:
    return SealwayConnectionError("unexpected-response", message)


def _restore(cls: type[_PortableError], args: tuple[object, ...], state: dict[str, object]) -> _PortableError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error
