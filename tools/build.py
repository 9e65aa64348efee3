#!/usr/bin/env python3
"""Configures and builds one preset of CMakePresets.json, quietly: progress, and the compiler's
output only when something fails.

    tools/build.py release --target nexusfix -D NEXUSFIX_TESTS=OFF
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NINJA_STEP = re.compile(r"^\[(\d+)/(\d+)\] ?(.*)")
# g++ needs up to this much memory for a file with many templates. With too many jobs the machine
# would swap.
JOB_BYTES = 1_000_000_000
LINES_SHOWN_MAX = 400
QUIET_SECONDS = 20


def job_count():
    """The number of jobs: limited by our cores and by the memory for the compilers."""
    cores = len(os.sched_getaffinity(0))
    try:
        meminfo = Path("/proc/meminfo").read_text()
        available = int(re.search(r"MemAvailable:\s+(\d+) kB", meminfo)[1]) * 1024
    except (OSError, TypeError):
        return cores
    return max(1, min(cores, available // JOB_BYTES))


class Progress:
    """A progress line that a terminal rewrites; otherwise a line at intervals."""

    def __init__(self, title, rewrites=True):
        self.title = title
        self.terminal = rewrites and sys.stdout.isatty()
        self.started = self.shown = time.monotonic()
        print(f"{title} ...", flush=True)

    def step(self, done, total):
        now = time.monotonic()
        if now - self.shown < (0.2 if self.terminal else QUIET_SECONDS):
            return
        self.shown = now
        line = f"{self.title}: {done} of {total} steps, {now - self.started:.0f} s"
        print(f"\r\x1b[K{line}" if self.terminal else line, end="" if self.terminal else "\n",
              flush=True)

    def end(self, text):
        line = f"{self.title}: {text} in {time.monotonic() - self.started:.0f} s"
        print(f"\r\x1b[K{line}" if self.terminal else line, flush=True)


def run_logged(command, log_path, progress):
    """Runs the command, keeps its output in a file, reports ninja's steps. Returns the status and
    the lines that are not steps."""
    lines = []
    with open(log_path, "w", encoding="utf-8") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   errors="replace")
        for line in process.stdout:
            log.write(line)
            step = NINJA_STEP.match(line)
            if step:
                progress.step(int(step[1]), int(step[2]))
            else:
                lines.append(line)
        return process.wait(), lines


def build(preset, targets=(), definitions=(), prefix=(), rewrites=True):
    """Returns whether the preset was configured and built. prefix comes before the build command:
    programs that run during the build (test discovery) may need it. rewrites=False: others print
    meanwhile, so that a terminal gets lines at intervals, too."""
    folder = ROOT / "build" / preset
    folder.mkdir(parents=True, exist_ok=True)
    progress = Progress(f"build {preset}", rewrites)
    configure = ["cmake", "--preset", preset, *(f"-D{d}" for d in definitions)]
    compile_ = [*prefix, "ninja", "-C", str(folder), f"-j{job_count()}", "-k0", *targets]
    for name, command in (("configure", configure), ("build", compile_)):
        log_path = folder / f"{name}.log"
        status, lines = run_logged(command, log_path, progress)
        if status != 0:
            progress.end(f"FAILED to {name}")
            print("".join(lines[:LINES_SHOWN_MAX]))
            if len(lines) > LINES_SHOWN_MAX:
                print(f"... {len(lines) - LINES_SHOWN_MAX} more lines in the log")
            print(f"The whole log: {log_path.relative_to(ROOT)}", flush=True)
            return False
    progress.end("done")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("preset", help="a preset of CMakePresets.json, such as release")
    parser.add_argument("--target", action="append", default=[],
                        help="build this target; may be repeated (default: all)")
    parser.add_argument("-D", action="append", default=[], dest="definitions", metavar="NAME=VALUE",
                        help="set a variable of CMake; may be repeated")
    arguments = parser.parse_args()
    return 0 if build(arguments.preset, arguments.target, arguments.definitions) else 1


if __name__ == "__main__":
    sys.exit(main())
