"""The program `nexusfix`, for the tests that need it."""

import os
import shutil
import sysconfig
from pathlib import Path

import pytest


def find_command():
    """The command of the wheel, or the one that NEXUSFIX names."""
    command = os.environ.get("NEXUSFIX", Path(sysconfig.get_path("scripts")) / "nexusfix")
    if shutil.which(command) is None:
        pytest.skip("the package was built without the command: tools/wheels.py --own")
    return command
