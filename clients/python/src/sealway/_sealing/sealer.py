"""Encrypts for one app, without a call but for public keys."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .._flow import Flow, work
from ..errors import DataTooLargeError
from .document import Document, copy_document
from .keys import FileKey, KeySource
from .tokens import IV_BYTES, TokenKey, encode_metadata, file_header, is_role_slug, is_whole_file

# The largest file that the service opens.
MAX_FILE_BYTES = 25 * 1_048_576

# From here on, sealing takes so long that others should have their turn meanwhile.
LONG_WORK_BYTES = 262_144
LONG_WORK_VALUES = 512


def require_role(role: object) -> None:
    if role is not None and (not isinstance(role, str) or not is_role_slug(role)):
        raise TypeError("The role is not a data role slug: 1 to 20 of a-z, 0-9 and -.")


def seal_document(
    data: object,
    role: str | None,
    key_source: Callable[[], Flow[KeySource]],
    clock: Callable[[], float] = time.time,
) -> Flow[Any]:
    """Seals each value of a document. The key is only asked for if there is one."""
    document = copy_document(data)
    if not document.values:
        return document.fill([])
    encrypted_at = int(clock())
    source = yield from key_source()
    key = source.token_key(len(document.values))
    has_metadata = role is not None or key.is_of_subject
    metadata = encode_metadata(role, encrypted_at) if has_metadata else None
    if len(document.values) < LONG_WORK_VALUES and document.size < LONG_WORK_BYTES:
        return document.fill(_seal_all(document, key, metadata))
    tokens = yield from work(lambda: _seal_all(document, key, metadata))
    return document.fill(tokens)


def _seal_all(document: Document, key: TokenKey, metadata: bytes | None) -> list[str]:
    # Nothing random is kept for later: a process that forks would use it twice.
    ivs = os.urandom(IV_BYTES * len(document.values))
    return [
        key.seal(value.kind, value.content, metadata, ivs[at * IV_BYTES : (at + 1) * IV_BYTES])
        for at, value in enumerate(document.values)
    ]


def seal_file(data: bytes, key_source: Callable[[], Flow[KeySource]]) -> Flow[bytes]:
    """Seals bytes as a file, unless they are a sealed file."""
    if len(data) > MAX_FILE_BYTES:
        raise too_large()
    if is_whole_file(data):
        return data
    source = yield from key_source()
    key = source.file_key()
    if len(data) < LONG_WORK_BYTES:
        return _seal_bytes(data, key)
    return (yield from work(lambda: _seal_bytes(data, key)))


def _seal_bytes(data: bytes, key: FileKey) -> bytes:
    iv = os.urandom(IV_BYTES)
    header = file_header(key.key_segment, iv, debug=key.debug)
    sealed = header + AESGCM(key.secret).encrypt(iv, data, key.public_key)
    return sealed + zlib.crc32(sealed).to_bytes(4, "little")


class FileSealing:
    """A file that is being sealed piece by piece, in the memory of a piece."""

    def __init__(self, key: FileKey) -> None:
        iv = os.urandom(IV_BYTES)
        self.header = file_header(key.key_segment, iv, debug=key.debug)
        self._encryptor = Cipher(algorithms.AES(key.secret), modes.GCM(iv)).encryptor()
        self._encryptor.authenticate_additional_data(key.public_key)
        self._crc = zlib.crc32(self.header)
        self._size = 0

    def update(self, piece: object) -> bytes:
        if not isinstance(piece, bytes | bytearray | memoryview):
            raise TypeError("The stream must consist of bytes.")
        self._size += memoryview(piece).nbytes
        if self._size > MAX_FILE_BYTES:
            raise too_large()
        return self._checked(self._encryptor.update(piece))

    def end(self) -> bytes:
        last = self._checked(self._encryptor.finalize() + self._encryptor.tag)
        return last + self._crc.to_bytes(4, "little")

    def _checked(self, sealed: bytes) -> bytes:
        self._crc = zlib.crc32(sealed, self._crc)
        return sealed


def too_large() -> DataTooLargeError:
    return DataTooLargeError(f"The file has more than {MAX_FILE_BYTES:,} bytes")
