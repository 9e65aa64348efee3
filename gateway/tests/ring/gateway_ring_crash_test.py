#!/usr/bin/env python3
"""gateway_crash_test.py with a client in shared memory.

    gateway_ring_crash_test.py --nexusfix PATH [--seed N] [--kills 30] [--durability process]
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]
import gateway_crash_test  # noqa: E402  pylint: disable=wrong-import-position
import ring_client  # noqa: E402  pylint: disable=wrong-import-position

gateway_crash_test.GatewayClient = ring_client.RingClient
gateway_crash_test.__file__ = __file__  # which it starts as the client

if __name__ == "__main__":
    sys.exit(gateway_crash_test.main())
