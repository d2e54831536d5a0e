"""Ephemeral keys toward an app or one of its data subjects."""

from __future__ import annotations

import base64
import binascii
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ..errors import unexpected
from .tokens import TokenKey, compressed, content_key

# So long, and for so many values, one ephemeral key is used. Random IVs allow 2^32.
MAX_AGE = 60.0
MAX_VALUES = 2**20

_SUBJECT = re.compile(r"data_subject_([0-9a-f]{32})", re.ASCII)


@dataclass(frozen=True)
class Recipient:
    """Whose key values are sealed for: an app, or one of its data subjects."""

    public_key: ec.EllipticCurvePublicKey
    is_sandbox: bool
    subject_id: bytes = b""
    """The 16 bytes of a data subject's id; empty for an app."""


def read_point(text: object) -> ec.EllipticCurvePublicKey:
    """Reads an uncompressed point of P-256 in base64, which the service has answered with."""
    try:
        data = base64.b64decode(text, validate=True) if isinstance(text, str) else b""
        if len(data) == 65:
            return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data)
    except (binascii.Error, ValueError):
        pass
    raise unexpected("The answer has no public key.")


def subject_id_bytes(text: str) -> bytes | None:
    match = _SUBJECT.fullmatch(text)
    return None if match is None else bytes.fromhex(match[1])


@dataclass(frozen=True)
class Ephemeral:
    """An ephemeral key pair toward a recipient, of which only the public key is kept."""

    segment: bytes
    """The public key, compressed."""
    secret: bytes = field(repr=False)
    """The content key, 32 bytes."""

    @staticmethod
    def create(recipient: ec.EllipticCurvePublicKey) -> Ephemeral:
        private_key = ec.generate_private_key(ec.SECP256R1())
        public_key = private_key.public_key()
        secret = private_key.exchange(ec.ECDH(), recipient)
        return Ephemeral(compressed(public_key), content_key(secret, public_key))


@dataclass(frozen=True)
class FileKey:
    """What seals a file."""

    secret: bytes = field(repr=False)
    key_segment: bytes
    public_key: bytes
    debug: bool


class KeySource:
    """Has an ephemeral key for one recipient, which is renewed in time. For several threads."""

    def __init__(self, recipient: Recipient, now: Callable[[], float] = time.monotonic) -> None:
        self.recipient = recipient
        self._now = now
        self._lock = threading.Lock()
        self._created_at = 0.0
        self._left = 0
        self._key: TokenKey | None = None

    def token_key(self, values: int) -> TokenKey:
        """Returns a key for so many values."""
        with self._lock:
            age = self._now() - self._created_at
            if self._key is None or self._left < values or not 0 <= age < MAX_AGE:
                self._key = self._create()
                self._created_at, self._left = self._now(), MAX_VALUES
            self._left -= values
            return self._key

    def file_key(self) -> FileKey:
        """Returns a key for one file, which is used for nothing else."""
        own = Ephemeral.create(self.recipient.public_key)
        return FileKey(own.secret, own.segment, compressed(self.recipient.public_key), self.recipient.is_sandbox)

    def _create(self) -> TokenKey:
        own = Ephemeral.create(self.recipient.public_key)
        return TokenKey(
            cipher=AESGCM(own.secret),
            key_segment=self.recipient.subject_id + own.segment,
            public_key=compressed(self.recipient.public_key),
            debug=self.recipient.is_sandbox,
        )
