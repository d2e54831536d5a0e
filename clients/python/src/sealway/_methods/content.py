"""What is uploaded: bytes, a path, or an open file."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import BinaryIO, TypeAlias

Uploadable: TypeAlias = "bytes | bytearray | memoryview | str | os.PathLike[str] | BinaryIO"


class Content:
    """The content of a file, which is read part by part: an open file from where it stands, to its end."""

    def __init__(self, given: Uploadable) -> None:
        self._is_own = True
        if isinstance(given, bytes | bytearray | memoryview):
            self._file: BinaryIO = io.BytesIO(given)
        elif isinstance(given, str | os.PathLike):
            self._file = Path(given).open("rb")  # noqa: SIM115
        else:
            _require_binary_file(given)
            self._file, self._is_own = given, False
        self._base = self._file.tell()
        self.size = self._file.seek(0, os.SEEK_END) - self._base

    def read(self, start: int, length: int) -> bytes:
        """Reads a part. Raises ValueError if the file has become shorter."""
        self._file.seek(self._base + start)
        pieces, missing = [], length
        while missing > 0:
            piece = self._file.read(missing)
            if not piece:
                raise ValueError("The file has become shorter while it was read.")
            pieces.append(piece)
            missing -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def close(self) -> None:
        if self._is_own:
            self._file.close()


def _require_binary_file(given: object) -> None:
    if isinstance(given, io.TextIOBase) or not (hasattr(given, "read") and hasattr(given, "seek")):
        raise TypeError("The content must be bytes, a path, or a file that is open in binary mode.")
