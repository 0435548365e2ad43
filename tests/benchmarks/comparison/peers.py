# SPDX-License-Identifier: Apache-2.0
"""Finds the libraries to compare with, and installs those that can be installed."""
import os
import pathlib
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent.parent / "peers"
NAMES = ("openblas", "onednn", "torch", "onnxruntime", "torch-debian")  # in the order of the table
PACKAGES = ("torch", "onnxruntime", "numpy")


def imports(python, module):
    try:
        return subprocess.run([python, "-c", f"import {module}"], capture_output=True, timeout=120, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def say(text):
    print(text, file=sys.stderr, flush=True)


def attempt(command):
    say("installing: " + " ".join(map(str, command)))
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    except OSError as error:
        say(f"  failed: {error}")
        return
    if done.returncode != 0:
        say("  failed: " + (done.stderr.strip().splitlines() or ["no reason given"])[-1])


def default_venv():
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "tensortide" / "benchmark-peers"


def make_venv(path):
    """A virtual environment with PyTorch and onnxruntime; some GB, once."""
    python = path / "bin" / "python"
    try:
        if not python.exists():
            venv.create(path, with_pip=True)
    except (OSError, subprocess.CalledProcessError) as error:
        say(f"no virtual environment at {path}: {error}")
        return
    missing = [package for package in PACKAGES if not imports(str(python), package)]
    if missing:
        attempt([python, "-m", "pip", "install", "--quiet", *missing])


def find(program, peers_venv, install):
    """name -> command of each peer there is. `program`: tensortide_benchmarks; its neighbours are the C++ peers."""
    found = {}
    folder = pathlib.Path(program).resolve().parent
    for name in ("openblas", "onednn"):
        if (folder / f"tensortide_{name}_peer").exists():
            found[name] = [str(folder / f"tensortide_{name}_peer")]
    path = pathlib.Path(peers_venv) if peers_venv else default_venv()
    if install and not peers_venv:
        make_venv(path)
    python = str(path / "bin" / "python")
    if imports(python, "torch"):
        found["torch"] = [python, str(HERE / "torch_peer.py")]
    if imports(python, "onnxruntime"):
        found["onnxruntime"] = [python, str(HERE / "onnxruntime_peer.py")]
    debian = "/usr/bin/python3"
    if install and os.geteuid() == 0 and os.path.exists("/etc/debian_version") and not imports(debian, "torch"):
        attempt(["apt-get", "install", "-y", "--no-install-recommends", "python3-torch"])
    if imports(debian, "torch"):
        found["torch-debian"] = [debian, str(HERE / "torch_peer.py")]
    return found
