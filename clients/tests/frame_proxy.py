"""A Unix socket between a client and the gateway, which may change, drop or cut frames."""
import socket
import struct
import threading

HELLO, WELCOME, SEND, ACCEPTED, REFUSED, MESSAGE = range(1, 7)
HEADER_BYTES = 40
KIND_AT = 5


def read_frame(source):
    """The bytes of a frame; empty: the connection has ended."""
    frame = b""
    length = HEADER_BYTES
    while len(frame) < length:
        part = source.recv(length - len(frame))
        if not part:
            return b""
        frame += part
        if len(frame) == HEADER_BYTES:
            length = struct.unpack_from("<I", frame)[0]
    return frame


class FrameProxy:
    """rule(kind, frame) returns the bytes to pass on, and whether to cut both connections then.
    It is called for one frame at a time; set `rule` to None to pass everything on."""

    def __init__(self, path, gateway):
        self.path, self.gateway, self.rule = path, gateway, None
        self.lock = threading.Lock()
        self.sockets = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.sockets.append(client)
            try:
                gateway = self.connect()
            except OSError:
                client.close()
                continue
            self.sockets.append(gateway)
            self.serve(client, gateway)

    def connect(self):
        gateway = socket.socket(socket.AF_UNIX)
        try:
            gateway.connect(self.gateway)
        except OSError:
            gateway.close()
            raise
        return gateway

    def serve(self, client, gateway):
        for source, sink in ((client, gateway), (gateway, client)):
            threading.Thread(target=self.copy, args=(source, sink), daemon=True).start()

    def ruled(self, frame):
        """What goes on of a frame, and whether the connections are cut then."""
        with self.lock:
            return self.rule(frame[KIND_AT], frame) if frame and self.rule else (frame, False)

    @staticmethod
    def end(*sockets):
        for one in sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def copy(self, source, sink):
        try:
            while frame := read_frame(source):
                out, cut = self.ruled(frame)
                sink.sendall(out)
                if cut:
                    break
        except OSError:
            pass
        self.end(source, sink)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        for one in (self.listener, *self.sockets):
            one.close()
