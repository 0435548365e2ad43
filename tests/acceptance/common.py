# SPDX-License-Identifier: Apache-2.0
"""What the scripts of this folder share: running the program, and saying what a result was measured with."""
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys


def document_of(program, words):
    """The JSON document a command prints; ends this script with the command's own words where it refuses."""
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"tensortide {' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def commit():
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=pathlib.Path(__file__).parent)
    return done.stdout.strip() or "unknown"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def commit_line(script):
    return (f"{processor()}, {os.cpu_count()} logical processors; commit {commit()}; {datetime.date.today()}; load {os.getloadavg()[0]:.1f} at the end. "
            f"Written by tests/acceptance/{script}, whose head says what is asked.")
