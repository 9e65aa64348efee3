"""A client of `nexusfix gateway` by WebSocket (RFC 6455), without a library: a test also sends what
no library would."""

import base64
import json
import os
import re
import socket
import ssl
import struct
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
from gateway_client import (  # noqa: E402  pylint: disable=wrong-import-position
    HEADER, Frame, GatewayClient)

CONTINUATION, TEXT, BINARY, END, PING, PONG = 0, 1, 2, 8, 9, 10
MASK = b"\x11\x22\x33\x44"


def masked(data):
    size = len(data)
    key = int.from_bytes((MASK * (size // 4 + 1))[:size], "little")
    return (int.from_bytes(data, "little") ^ key).to_bytes(size, "little")


def web_frame(opcode, data=b"", last=True):
    """The bytes of a frame of a client."""
    if len(data) < 126:
        size = struct.pack("!B", 0x80 | len(data))
    elif len(data) < 1 << 16:
        size = struct.pack("!BH", 0x80 | 126, len(data))
    else:
        size = struct.pack("!BQ", 0x80 | 127, len(data))
    return bytes([(0x80 if last else 0) | opcode]) + size + MASK + masked(data)


def request(fields=(), target="/"):
    lines = [f"GET {target} HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket",
             "Connection: Upgrade", "Sec-WebSocket-Version: 13",
             f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", *fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def port_of(path):
    """The port of the gateway at this Unix socket, by the file of clients in its folder."""
    text = (Path(path).parent / "desk.clients").read_text(encoding="utf-8")
    return int(re.search(r"WebSocketPort=(\d+)", text)[1])


class WebClient(GatewayClient):
    """Like GatewayClient: each frame is a binary message."""

    def __init__(self, path, timeout=300, fields=(), target="/", connects=True, authority=None):
        super().__init__(path, timeout)  # That the gateway is there.
        self.socket.close()
        self.data = b""
        self.kept = []  # frames that read() returns again
        self.status = None
        self.close_code = None
        self.socket = socket.create_connection(("127.0.0.1", port_of(path)), timeout)
        if authority is not None:
            context = ssl.create_default_context(cafile=authority)
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        if connects:
            self.connect(request(fields, target))

    def connect(self, data):
        """Sends the request; status has that of the answer."""
        try:
            self.socket.sendall(data)
            while b"\r\n\r\n" not in self.data and self.receive():
                pass
        except OSError:
            return
        head, _, self.data = self.data.partition(b"\r\n\r\n")
        self.status = int(head.split()[1]) if head else None

    def receive(self):
        received = self.socket.recv(1 << 16)
        self.data += received
        return received

    def take(self, count):
        while len(self.data) < count:
            if not self.receive():
                raise ConnectionResetError("the connection has ended")
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def send_bytes(self, data):
        self.send_message(BINARY, data)

    def send_message(self, opcode, data):
        self.socket.sendall(web_frame(opcode, data))

    def send_json(self, **members):
        self.send_message(TEXT, json.dumps(members).encode())

    def read_web_frame(self):
        first, size = self.take(2)
        if size == 126:
            size = int.from_bytes(self.take(2), "big")
        elif size == 127:
            size = int.from_bytes(self.take(8), "big")
        return first, self.take(size)

    def read_message(self):
        """The opcode and the data of the next message; a ping is answered. None: the end."""
        try:
            while True:
                first, data = self.read_web_frame()
                if first == 0x80 | PING:
                    self.send_message(PONG, data)
                elif first == 0x80 | END:
                    self.close_code = int.from_bytes(data[:2], "big")
                    self.send_message(END, data)
                    return None
                else:
                    return first & 0x0f, data
        except OSError:
            return None

    def read(self):
        if self.kept:
            return self.kept.pop(0)
        message = self.read_message()
        if message is None:
            return None
        return Frame(HEADER.unpack(message[1][:HEADER.size]), message[1][HEADER.size:])

    def read_json(self, wanted=None):
        """The next object, of the type that is wanted. None: the end."""
        while True:
            message = self.read_message()
            if message is None:
                return None
            value = json.loads(message[1])
            if wanted in (None, value["type"]):
                return value
            if value["type"] == "closed":
                raise AssertionError(value)
