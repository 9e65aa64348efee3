#!/usr/bin/env python3
"""gateway_crash_test.py with a client at the WebSocket.

    gateway_web_crash_test.py --nexusfix PATH [--seed N] [--kills 30] [--durability process]
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]
import gateway_crash_test  # noqa: E402  pylint: disable=wrong-import-position
import web_client  # noqa: E402  pylint: disable=wrong-import-position
from tcp_ports import free_port  # noqa: E402  pylint: disable=wrong-import-position

gateway_crash_test.GatewayClient = web_client.WebClient
gateway_crash_test.__file__ = __file__  # which it starts as the client

if __name__ == "__main__":
    gateway_crash_test.DOOR_KEYS = f"WebSocketPort={free_port()}\n"
    sys.exit(gateway_crash_test.main())
