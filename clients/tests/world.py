"""A venue and a gateway, as processes in a folder."""
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "support"))
from tcp_ports import free_port  # noqa: E402  pylint: disable=wrong-import-position

LIMIT_S = 300  # for a hang
SESSION = "FIX.4.4:TRADER->VENUE"
TOKEN = "0123456789abcdef"
VENUE = """[DEFAULT]
ConnectionType=acceptor
SocketAcceptHost=127.0.0.1
SocketAcceptPort=0
FileStorePath=venue
NonStopSession=Y
[SESSION]
BeginString=FIX.4.4
SenderCompID=VENUE
TargetCompID=TRADER
"""
GATEWAY = """[DEFAULT]
ConnectionType=initiator
SocketConnectHost=127.0.0.1
SocketConnectPort={port}
HeartBtInt=30
ReconnectInterval=1
FileStorePath=gateway
JournalInbound=Y
NonStopSession=Y
[SESSION]
BeginString=FIX.4.4
SenderCompID=TRADER
TargetCompID=VENUE
"""
CLIENTS = f"""[GATEWAY]
SocketPath={{folder}}/real.sock
{{door}}[CLIENT]
Name=algo
Token={TOKEN}
ClOrdIDPrefix=ALGO-
[CLIENT]
Name=desk
Token={TOKEN}
[CLIENT]
Name=watch
Token={TOKEN}
Role=observer
"""


def started(arguments, folder, pattern):
    """A process, after its line with the pattern."""
    process = subprocess.Popen(arguments, cwd=folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while not (match := re.search(pattern, line := process.stdout.readline())):
        if not line:
            raise AssertionError(f"{arguments} has ended with {process.wait()}")
    threading.Thread(target=process.stdout.read, daemon=True).start()
    return process, match


class World:
    """`nexusfix serve` and `nexusfix gateway`, whose clients attach at `socket`, and by WebSocket
    at `web_port`; pages of the origin may."""

    def __init__(self, nexusfix, folder, has_web_socket=False, origin=None):
        self.nexusfix, self.folder = nexusfix, folder
        self.socket = f"{folder}/real.sock"
        self.gateway = None
        self.write("venue.cfg", VENUE)
        self.venue, port = started([nexusfix, "serve", "venue.cfg"], folder,
                                   r"listening on port (\d+)")
        self.write("gateway.cfg", GATEWAY.format(port=port[1]))
        door = ""
        if has_web_socket:
            self.web_port = free_port()
            door = f"WebSocketPort={self.web_port}\n"
        if origin is not None:
            door += f"WebSocketOrigins={origin}\n"
        self.write("clients.cfg", CLIENTS.format(folder=folder, door=door)).chmod(0o600)

    def write(self, name, text):
        path = Path(self.folder, name)
        path.write_text(text)
        return path

    def start_gateway(self):
        self.gateway, _ = started([self.nexusfix, "gateway", "gateway.cfg", "--clients",
                                   "clients.cfg"], self.folder, r"clients attach at")

    def stop_gateway(self, how=signal.SIGTERM):
        stop(self.gateway, how)
        self.gateway = None

    def close(self):
        if self.gateway is not None:
            self.stop_gateway()
        stop(self.venue, signal.SIGTERM)


def stop(process, how):
    process.send_signal(how)
    process.wait(LIMIT_S)
    process.stdout.close()
