"""gateway_crash_test.py with a client of nexusfix.h.

    gateway_client_crash_test.py --nexusfix PATH [--seed N] [--kills 30] [--durability process]

NEXUSFIX_C_LIBRARY and NEXUSFIX_C_DOOR: as c_client.py has them.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "gateway" / "tests"))
import c_client  # noqa: E402  pylint: disable=wrong-import-position
import gateway_crash_test  # noqa: E402  pylint: disable=wrong-import-position

gateway_crash_test.GatewayClient = c_client.CClient
gateway_crash_test.__file__ = __file__  # which it starts as the client

if __name__ == "__main__":
    sys.exit(gateway_crash_test.main())
