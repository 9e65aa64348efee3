"""An example trades with `nexusfix serve`: example_test.py NEXUSFIX EXAMPLE [ARGUMENT ...]"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

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
TRADER = """[DEFAULT]
ConnectionType=initiator
SocketConnectHost=127.0.0.1
SocketConnectPort={port}
HeartBtInt=30
ReconnectInterval=1
FileStorePath=trader
NonStopSession=Y
[SESSION]
BeginString=FIX.4.4
SenderCompID=TRADER
TargetCompID=VENUE
"""
LIMIT_S = 300  # for a hang


def main(nexusfix, *example):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "venue.cfg").write_text(VENUE)
        venue = subprocess.Popen([nexusfix, "serve", "venue.cfg"], cwd=folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            port = None
            while port is None:
                line = venue.stdout.readline()
                if not line:
                    print("the venue has ended")
                    return 1
                port = re.search(r"listening on port (\d+)", line)
            Path(folder, "trader.cfg").write_text(TRADER.format(port=port[1]))
            ran = subprocess.run([*example, "trader.cfg"], cwd=folder, text=True,
                                 capture_output=True, timeout=LIMIT_S)
        finally:
            venue.terminate()
            venue.wait()
        print(ran.stdout + ran.stderr)
        is_reported = re.search(r"OrderID \S+, OrdStatus \S+\n", ran.stdout)
        return 0 if ran.returncode == 0 and is_reported else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
