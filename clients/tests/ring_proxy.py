"""Shared memory between a client and the gateway, by a proxy that may change, drop or cut frames:
the client's frames go by rings that the proxy makes, those of the gateway by its socket."""
import mmap
import os
import secrets
import select
import socket
import struct
import sys
import threading
import time
from pathlib import Path

from frame_proxy import KIND_AT, WELCOME, FrameProxy, read_frame

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "gateway" / "tests" / part)
                for part in ("", "ring")]
from ring_client import (  # noqa: E402  pylint: disable=wrong-import-position
    MAGIC, TO_CLIENT, TO_GATEWAY, Ring)

HEADER_BYTES = 4096
RING_BYTES = 4 << 20
FRAME_BYTES_MAX = 1052672
BODY_AT = 40


def with_body(frame, body):
    return struct.pack("<I", BODY_AT + len(body)) + frame[4:BODY_AT] + body


class Memory:
    def __init__(self, folder):
        self.key = secrets.randbits(64)
        self.path = Path(folder, f"ring.{self.key:016x}")
        size = HEADER_BYTES + 2 * RING_BYTES
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.posix_fallocate(descriptor, 0, size)
            self.memory = mmap.mmap(descriptor, size)
        finally:
            os.close(descriptor)
        struct.pack_into("<8sIIQIIIIQQQQQQ", self.memory, 0, MAGIC, 1, HEADER_BYTES, size,
                         FRAME_BYTES_MAX, 0, os.getpid(), 0, 0, self.key, HEADER_BYTES, RING_BYTES,
                         HEADER_BYTES + RING_BYTES, RING_BYTES)
        struct.pack_into("<I", self.memory, 0x80, 1)
        data = memoryview(self.memory)
        words = data.cast("Q")
        self.inbound = Ring(words, data, TO_GATEWAY, HEADER_BYTES, RING_BYTES)
        self.outbound = Ring(words, data, TO_CLIENT, HEADER_BYTES + RING_BYTES, RING_BYTES)

    def line(self):
        return f"ring={self.key:016x} {self.path}\n".encode()


class RingProxy(FrameProxy):
    def serve(self, client, gateway):
        threading.Thread(target=self.attach, args=(client, gateway), daemon=True).start()

    def attach(self, client, gateway):
        try:
            hello, _ = self.ruled(read_frame(client))
            lines = hello[BODY_AT:].splitlines(keepends=True)
            gateway.sendall(with_body(hello, b"".join(line for line in lines
                                                      if not line.startswith(b"ring="))))
            answer = read_frame(gateway)
            if answer[KIND_AT:KIND_AT + 1] != bytes([WELCOME]):
                client.sendall(answer)
                return self.end(client, gateway)
            memory = Memory(Path(self.path).parent)
            client.sendall(with_body(answer, answer[BODY_AT:] + memory.line()))
            threading.Thread(target=self.copy_back, args=(gateway, client, memory),
                             daemon=True).start()
            self.copy_out(client, gateway, memory)
        except OSError:
            pass
        return self.end(client, gateway)

    def copy_out(self, client, gateway, memory):
        has_ended = False
        while True:
            frame = memory.inbound.read()
            if frame is None:
                if has_ended:
                    return
                if select.select([client], [], [], 0.0005)[0]:
                    has_ended = not client.recv(4096)
                continue
            out, cut = self.ruled(frame)
            if len(out) == len(frame):
                gateway.sendall(out)
            if cut:
                return

    def copy_back(self, gateway, client, memory):
        try:
            while frame := read_frame(gateway):
                out, cut = self.ruled(frame)
                # A part of a frame has no word in the ring: the client does not see it.
                while len(out) == len(frame) and not memory.outbound.write(out):
                    time.sleep(0.001)
                self.wake(client)
                if cut:
                    break
        except OSError:
            pass
        self.end(gateway, client)

    @staticmethod
    def wake(client):
        """Python has no fence between the frame and the client's `sleeps`: it always wakes."""
        try:
            client.send(b"\0", socket.MSG_DONTWAIT)
        except BlockingIOError:
            pass  # bytes are in the socket: the client wakes in any case
