"""A connection to the gateway."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Self

from nexusfix.gateway.errors import AttachError, ClosedError, bad_frame
from nexusfix.gateway.frames import Frame, FrameReader, Kind
from nexusfix.gateway.greeting import Welcome, read_welcome

_READ_BYTES = 1 << 16
ENDED = "the gateway has ended the connection"


class Link:
    """Frames by the gateway's Unix socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._frames = FrameReader()
        self._found: Iterator[Frame] = iter(())

    @classmethod
    async def open(cls, path: str) -> Self:
        """Raises AttachError."""
        try:
            return cls(*await asyncio.open_unix_connection(path))
        except OSError as error:
            raise AttachError(f"no gateway at {path}: {error.strerror or error}") from error

    async def greet(self, hello: bytes) -> Welcome:
        """Says Hello. Raises ClosedError and AttachError."""
        self.write(Frame(Kind.HELLO, body=hello))
        try:
            first = await self.next()
        except OSError as error:
            raise AttachError(f"{ENDED}: {error.strerror or error}") from error
        if first is None:
            raise AttachError(f"{ENDED} before its Welcome")
        if first.kind == Kind.CLOSED:
            raise ClosedError(first.code, first.text)
        if first.kind != Kind.WELCOME:
            raise bad_frame(f"a frame of kind {first.kind} instead of the Welcome")
        return read_welcome(first)

    async def next(self) -> Frame | None:
        """The next frame; None: the connection has ended. Raises ClosedError and OSError."""
        while (frame := next(self._found, None)) is None:
            data = await self._reader.read(_READ_BYTES)
            if not data:
                return None
            self._found = self._frames.feed(data)
        return frame

    def write(self, frame: Frame) -> None:
        """Does not wait. If the connection is lost, the reader of the frames sees it."""
        self._writer.write(frame.encoded())

    def close(self) -> None:
        """Ends the connection. Does not wait."""
        self._writer.close()

    async def closed(self) -> None:
        """Waits for the end after close()."""
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()
