"""The proxy of frame_proxy.py between a client's WebSocket and the gateway's: RFC 6455."""
import socket
import threading

from frame_proxy import FrameProxy

BINARY = 0x82  # a whole message in one frame
MASKED = 0x80


class Stream:
    def __init__(self, source):
        self.socket, self.data = source, b""

    def receive(self):
        part = self.socket.recv(1 << 16)
        if not part:
            raise OSError("the connection has ended")
        self.data += part

    def take(self, size):
        while len(self.data) < size:
            self.receive()
        taken, self.data = self.data[:size], self.data[size:]
        return taken

    def head_of_http(self):
        while b"\r\n\r\n" not in self.data:
            self.receive()
        return self.take(self.data.index(b"\r\n\r\n") + 4)

    def web_frame(self):
        """The bytes before the data, the mask, and the data without it."""
        head = self.take(2)
        size = head[1] & ~MASKED
        if size >= 126:
            more = self.take(2 if size == 126 else 8)
            head, size = head + more, int.from_bytes(more, "big")
        mask = self.take(4) if head[1] & MASKED else b""
        return head, mask, masked(self.take(size), mask)


def masked(data, mask):
    return bytes(one ^ mask[at % 4] for at, one in enumerate(data)) if mask else data


class WebFrameProxy(FrameProxy):
    def __init__(self, port):  # pylint: disable=super-init-not-called
        self.gateway, self.rule = ("127.0.0.1", port), None
        self.lock = threading.Lock()
        self.sockets = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.path = f"ws://127.0.0.1:{self.listener.getsockname()[1]}/"
        threading.Thread(target=self.accept, daemon=True).start()

    def connect(self):
        return socket.create_connection(self.gateway)

    def copy(self, source, sink):
        stream = Stream(source)
        try:
            sink.sendall(stream.head_of_http())
            while True:
                head, mask, data = stream.web_frame()
                out, cut = self.ruled(data) if head[0] == BINARY else (data, False)
                if out or not data:
                    sink.sendall(head + mask + masked(out, mask))
                if cut:
                    break
        except OSError:
            pass
        self.end(source, sink)
