"""The program `nexusfix`, for the tests that need it."""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest


def find_command(part=None):
    """The command of the wheel, or the one that NEXUSFIX names, with this part."""
    command = os.environ.get("NEXUSFIX", Path(sysconfig.get_path("scripts")) / "nexusfix")
    if shutil.which(command) is None:
        pytest.skip("the package was built without the command: tools/wheels.py --own")
    if part is not None:
        says = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
        if f" {part} " not in says.stdout.replace("\n", " "):
            pytest.skip(f"the program was built without the part {part}")
    return command
