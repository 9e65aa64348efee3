"""A client of `nexusfix gateway` in shared memory, as docs/reference/gateway-memory.md has it."""

import mmap
import os
import select
import socket
import struct

from gateway_client import HELLO, WELCOME, GatewayClient, Frame, HEADER, frame_bytes

MAGIC = b"NXFXRING"
JUMP = 0xFFFFFFFF
STATE, REASON = 0x80, 0x84
TO_GATEWAY, TO_CLIENT = 0x100, 0x200  # of head; sleeps is 0x80 after it
SLEEPS = 0x80
BY_SOCKET = 2
LOW_HALF = 0xFFFFFFFF


class Ring:
    """One ring. A word is loaded and stored by one instruction, as CPython does it on x86-64."""

    def __init__(self, words, data, words_offset, offset, size):
        self.words, self.data, self.offset, self.size = words, data, offset, size
        self.head_at = words_offset // 8
        self.sleeps_at = (words_offset + SLEEPS) // 8
        self.position = 0

    def word(self, position, value=None):
        at = (self.offset + position % self.size) // 8
        if value is None:
            return self.words[at]
        self.words[at] = value
        return value

    def write(self, frame):
        """False: the ring is full."""
        record = 8 + (len(frame) + 7) // 8 * 8
        begin = self.position
        if begin % self.size + record > self.size:
            begin += self.size - begin % self.size
        end = begin + record
        if end + 8 - self.words[self.head_at] > self.size:
            return False
        self.word(end, 0)
        at = self.offset + begin % self.size + 8
        self.data[at:at + len(frame)] = frame
        word = (begin & LOW_HALF) << 32 | len(frame)
        if begin != self.position:
            self.word(begin, word)
            word = (self.position & LOW_HALF) << 32 | JUMP
        self.word(self.position, word)
        self.position = end
        return True

    def read(self):
        """The next frame; None: there is none."""
        word = self.word(self.position)
        if word & LOW_HALF == JUMP:
            self.position += self.size - self.position % self.size
            word = self.word(self.position)
        if word == 0:
            self.words[self.head_at] = self.position
            return None
        size = word & LOW_HALF
        if word >> 32 != self.position & LOW_HALF:
            raise AssertionError(f"torn record at {self.position}")
        at = self.offset + self.position % self.size + 8
        frame = bytes(self.data[at:at + size])
        self.position += 8 + (size + 7) // 8 * 8
        return frame


class RingClient(GatewayClient):
    """Uses the socket until the Welcome, and the rings after it."""

    LAYOUT = 1

    def __init__(self, path, timeout=300):
        super().__init__(path, timeout)
        self.memory = None
        self.words = self.data = self.path = None

    def hello(self, name, token, cursors=(), sent=(), in_order=False):
        lines = [f"name={name}", f"token={token}", f"ring={self.LAYOUT}"]
        lines += ["in-order=1"] * in_order
        lines += [f"cursor={epoch} {number} {session}" for session, epoch, number in cursors]
        lines += [f"sent={epoch} {number} {session}" for session, epoch, number in sent]
        self.send_bytes(frame_bytes(HELLO, ("\n".join(lines) + "\n").encode()))

    def attach(self, name, token, cursors=(), sent=(), in_order=False):
        welcome = super().attach(name, token, cursors, sent, in_order)
        if welcome is not None and welcome.kind == WELCOME:
            line = next(one for one in welcome.body.decode().split("\n") if one.startswith("ring="))
            key, self.path = line.removeprefix("ring=").split(" ", 1)
            self.map(int(key, 16))
        return welcome

    def map(self, key):
        descriptor = os.open(self.path, os.O_RDWR | os.O_NOFOLLOW)
        try:
            self.memory = mmap.mmap(descriptor, 0)
        finally:
            os.close(descriptor)
        header = struct.unpack_from("<8sIIQIIIIQQQQQQ", self.memory)
        if header[0] != MAGIC or header[1] != 1 or header[9] != key:
            raise AssertionError(f"{self.path}: {header}")
        self.data = memoryview(self.memory)
        self.words = self.data.cast("Q")
        self.outbound = Ring(self.words, self.data, TO_GATEWAY, *header[10:12])
        self.inbound = Ring(self.words, self.data, TO_CLIENT, *header[12:14])

    def wake(self):
        if self.words[self.outbound.sleeps_at]:
            self.words[self.outbound.sleeps_at] = 0
            try:
                self.socket.send(b"\0", socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
            except (BlockingIOError, BrokenPipeError, ConnectionResetError):
                pass  # it has bytes, or it has ended: reading says so

    def send_bytes(self, data):
        if self.memory is None:
            super().send_bytes(data)
            return
        while not self.outbound.write(data):
            if self.has_ended(0.001):
                return
        self.wake()

    def has_ended(self, seconds):
        """Waits for bytes of the socket, which only wake. Whether the gateway has closed it."""
        if not select.select([self.socket], [], [], seconds)[0]:
            return False
        try:
            return not self.socket.recv(4096)
        except ConnectionResetError:
            return True

    def state(self):
        """The state of the ring, and why it was closed."""
        return struct.unpack_from("<II", self.memory, STATE)

    def read(self):
        if self.memory is None:
            return super().read()
        while True:
            frame = self.inbound.read()
            if frame is None:
                self.words[self.inbound.sleeps_at] = BY_SOCKET
                frame = self.inbound.read()
                has_ended = frame is None and self.has_ended(0.05)
                self.words[self.inbound.sleeps_at] = 0
                if has_ended:
                    frame = self.inbound.read()
                    if frame is None:
                        return None
            if frame is not None:
                return Frame(HEADER.unpack(frame[:HEADER.size]), frame[HEADER.size:])

    def close(self):
        super().close()
        if self.memory is not None:
            self.words.release()
            self.data.release()
            self.memory.close()
            self.memory = None
