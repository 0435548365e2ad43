# SPDX-License-Identifier: Apache-2.0
"""Finds the programs and runs them. Every answer of this package comes from `tensortide`."""
import json
import os
import pathlib
import shutil
import subprocess


class TensortideError(RuntimeError):
    """A command failed. The text is the message of the program; `exit_code` is how it ended (None: it did not start)."""

    def __init__(self, message, exit_code=None):
        super().__init__(message)
        self.exit_code = exit_code


def _program(file):
    return os.path.isfile(file) and os.access(file, os.X_OK)


def binary():
    """Path of `tensortide`: the environment variable TENSORTIDE, else PATH, else the program inside the wheel."""
    named = os.environ.get("TENSORTIDE")
    if named:
        if not _program(named):
            raise TensortideError(f"TENSORTIDE={named}: no such program. Set it to the path of tensortide, or unset it.")
        return os.path.abspath(named)
    inside = pathlib.Path(__file__).resolve().parent / "bin" / "tensortide"
    found = shutil.which("tensortide") or (str(inside) if _program(inside) else None)
    if found is None:
        raise TensortideError("tensortide was not found. Put it on PATH, or set TENSORTIDE to its path.")
    return os.path.abspath(found)


def window():
    """Path of `tensortide-gui`: beside `tensortide`, else PATH."""
    beside = os.path.join(os.path.dirname(os.path.realpath(binary())), "tensortide-gui")
    found = beside if _program(beside) else shutil.which("tensortide-gui")
    if found is None:
        raise TensortideError("tensortide-gui was not found beside tensortide or on PATH. Install the window.")
    return found


def run(*arguments):
    """Runs one command and returns its standard output; TensortideError where it fails."""
    command = [binary(), *map(os.fspath, arguments)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise TensortideError(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise TensortideError(said or f"tensortide {command[1]} ended with exit code {done.returncode}", done.returncode)
    return done.stdout.decode(errors="replace")


def document(*arguments):
    """The JSON document that a command prints."""
    text = run(*arguments)
    try:
        return json.loads(text)
    except ValueError as error:
        raise TensortideError(f"tensortide {arguments[0]} printed no JSON: {text[:200]!r}") from error


def path_of(file):
    """Absolute, so that no name is taken for an option."""
    return os.path.abspath(os.fspath(file))
