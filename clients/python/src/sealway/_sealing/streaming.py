"""Files of any size, sealed and opened chunk by chunk (version 5 of the format)."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from ..errors import DamagedFileError
from .keys import Ephemeral, Recipient
from .tokens import MAGIC, TAG_BYTES, compressed, encode_metadata

SALT_BYTES = 32
KEY_BYTES = 32
COMMITMENT_BYTES = 32
MAX_CHUNKS = 2**32
# The content of a chunk, as the format allows: 64 bytes to 1 MiB.
CHUNK_SIZES = frozenset(1 << exponent for exponent in range(6, 21))


@dataclass(frozen=True)
class Layout:
    """Where a streaming file has what, in bytes."""

    header_bytes: int
    """Where the first chunk begins."""
    chunk_bytes: int
    """The content of each chunk but the last."""
    plaintext_bytes: int
    """The content."""

    @property
    def chunks(self) -> int:
        """How many chunks there are: an empty file has one."""
        return max(1, -(-self.plaintext_bytes // self.chunk_bytes))

    @property
    def sealed_bytes(self) -> int:
        return self.header_bytes + self.plaintext_bytes + self.chunks * TAG_BYTES

    def chunks_with(self, start: int, end: int) -> tuple[int, int]:
        """Returns the first chunk that holds a part of the content, and the one after the last."""
        first = min(start // self.chunk_bytes, self.chunks - 1)
        return first, max(first + 1, -(-end // self.chunk_bytes))

    def sealed_range(self, start: int, end: int) -> tuple[int, int]:
        """Returns which bytes of the sealed file are needed for a part of the content."""
        first, after = self.chunks_with(start, end)
        return self._offset(first), self._offset(after)

    def _offset(self, chunk: int) -> int:
        return min(self.header_bytes + chunk * (self.chunk_bytes + TAG_BYTES), self.sealed_bytes)


@dataclass(frozen=True)
class StartedStream:
    """A streaming file that is to be sealed."""

    header: bytes
    """What the sealed file begins with."""
    key: bytes = field(repr=False)
    """The key of its chunks, 32 bytes. It opens this file and nothing else."""


def start_stream(app: Recipient, role: str | None, chunk_bytes: int, encrypted_at: int) -> StartedStream:
    """Starts a file with an ephemeral key of its own."""
    own = Ephemeral.create(app.public_key)
    metadata = encode_metadata(role, encrypted_at)
    return derive_stream(own, app, chunk_bytes, metadata, os.urandom(SALT_BYTES))


def derive_stream(own: Ephemeral, app: Recipient, chunk_bytes: int, metadata: bytes, salt: bytes) -> StartedStream:
    if chunk_bytes.bit_count() != 1:
        raise ValueError("A chunk must have a power of two of bytes")
    fields = own.segment + salt + bytes([app.is_sandbox, chunk_bytes.bit_length() - 1]) + metadata
    offset = struct.pack("<H", len(MAGIC) + 3 + len(fields) + COMMITMENT_BYTES)
    header = MAGIC + b"\x05" + offset + fields
    info = header + compressed(app.public_key)
    derived = HKDF(hashes.SHA256(), KEY_BYTES + COMMITMENT_BYTES, salt, info).derive(own.secret)
    return StartedStream(header + derived[KEY_BYTES:], derived[:KEY_BYTES])


def seal_chunks(key: bytes, layout: Layout, first: int, plaintext: bytes) -> Iterator[bytes]:
    """Seals chunks from a number on. Never seal two contents as the same chunk: the nonce is the chunk's number.

    Raises ValueError if the content ends within a chunk that is not the last: the next part would have its number.
    """
    cipher = AESGCM(key)
    content = memoryview(plaintext)
    end = first * layout.chunk_bytes + len(content)
    if end > layout.plaintext_bytes or (end < layout.plaintext_bytes and len(content) % layout.chunk_bytes != 0):
        raise ValueError("The content does not end where a chunk ends")
    for index in range(max(1, -(-len(content) // layout.chunk_bytes))):
        chunk = content[index * layout.chunk_bytes : (index + 1) * layout.chunk_bytes]
        yield cipher.encrypt(_nonce(layout, first + index), chunk, None)


class PartOpening:
    """Opens a part of a file: each chunk is authentic, and in its place, when its content is returned.

    The end is only known to be the file's end when the part ends there.
    """

    def __init__(self, key: bytes, layout: Layout, start: int, end: int) -> None:
        self._cipher = AESGCM(key)
        self._layout = layout
        self._start, self._end = start, end
        self._chunk, _ = layout.chunks_with(start, end)
        first, after = layout.sealed_range(start, end)
        self._left = after - first
        self._pending = bytearray()

    def update(self, sealed: bytes) -> Iterator[bytes]:
        """Yields the content of the chunks that are complete with the next sealed bytes."""
        size = self._layout.chunk_bytes + TAG_BYTES
        self._pending += sealed
        while len(self._pending) >= size:
            chunk = bytes(memoryview(self._pending)[:size])
            del self._pending[:size]
            yield from self._open(chunk)

    def finish(self) -> Iterator[bytes]:
        """Yields what is left. Raises DamagedFileError if something is missing, or was too much."""
        if self._pending:
            yield from self._open(bytes(self._pending))
        if self._left != 0:
            raise DamagedFileError

    def _open(self, sealed: bytes) -> Iterator[bytes]:
        self._left -= len(sealed)
        if len(sealed) < TAG_BYTES:
            raise DamagedFileError
        try:
            content = self._cipher.decrypt(_nonce(self._layout, self._chunk), sealed, None)
        except InvalidTag:
            raise DamagedFileError from None
        offset = self._chunk * self._layout.chunk_bytes
        self._chunk += 1
        wanted = content[max(0, self._start - offset) : max(0, self._end - offset)]
        if wanted:
            yield wanted


def _nonce(layout: Layout, chunk: int) -> bytes:
    """The chunk's number, and 1 for the last one."""
    if chunk >= MAX_CHUNKS:
        raise ValueError("The file has too many chunks")
    return chunk.to_bytes(11, "big") + bytes([chunk == layout.chunks - 1])
