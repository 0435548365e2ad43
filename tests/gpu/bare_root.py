# SPDX-License-Identifier: Apache-2.0
"""Starts the bundle of tests/gpu/pack where there is nothing but a C library, a C++ library and Python.

usage: bare_root.py BUILD [ARCHIVE]
Packs BUILD, or takes ARCHIVE. Makes a root of its own (user and mount namespace) with copies of those libraries, unpacks the archive there with tests/gpu/run and holds what
the programs say: doctor, devices, a recording on the CPU, all GPU tests listed and skipped, part 1 rehearsed to its end.
Exit code 0: all holds, 1: it does not (said what), 77: this system makes no such namespaces.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import peers  # noqa: E402

SKIPPED = 77
MOST_FILES, MOST_FILE_BYTES = 8, 15 << 20
BIN = pathlib.Path("/work/gpu-bundle/bin")


def shared_libraries(file):
    """Paths of what the loader opens for a file, the loader itself among them."""
    found = set()
    for line in subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout.splitlines():
        path = next((word for word in line.split() if word.startswith("/")), None)
        if path:
            found.add(path)
    return found


def standard_cxx():
    """The C++ library and its companion, as the compiler's programs find them."""
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    found = {}
    for line in listed.splitlines():
        name = line.split()[0] if line.split() else ""
        if name in ("libstdc++.so.6", "libgcc_s.so.1") and "x86-64" in line:
            found.setdefault(name, line.rsplit(" => ", 1)[1])
    return set(found.values())


def make_root(root, archive):
    """Copies of libraries and Python at the places where they are here; folders to mount on."""
    python = pathlib.Path(sys.executable).resolve()
    stdlib = pathlib.Path(sysconfig.get_paths()["stdlib"])
    files = {str(python)} | shared_libraries(python) | standard_cxx()
    # Of the modules that tests/gpu/run imports alone: with all of Python's libraries, one that the bundle lacks would not be missed.
    for module in ("_lzma", "_json", "_struct", "_csv", "_datetime", "_decimal", "_statistics", "_posixsubprocess", "_heapq", "_bisect", "_random", "select", "math"):
        for file in (stdlib / "lib-dynload").glob(f"{module}.*.so"):
            files |= shared_libraries(file)
    for file in sorted(files):
        target = root / file.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    for folder in ("proc", "sys", "dev", "tmp", "work", "out", "tree/tests", "tree/build", str(stdlib).lstrip("/")):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for device in ("null", "zero", "urandom"):
        (root / "dev" / device).touch()
    shutil.copytree(HERE, root / "tree/tests/gpu", ignore=shutil.ignore_patterns("__pycache__", "evidence"))
    shutil.copy(archive, root / "tree/build/gpu-bundle.tar.xz")
    return python, stdlib


def enter(root, stdlib):
    """Mounts, and this process' root is the new one."""
    mounts = [("--bind", stdlib), *(("--rbind", f"/{folder}") for folder in ("proc", "sys")), *(("--bind", f"/dev/{device}") for device in ("null", "zero", "urandom"))]
    for kind, source in mounts:
        done = subprocess.run(["mount", kind, source, root / str(source).lstrip("/")], capture_output=True, text=True)
        if done.returncode != 0:  # some containers make namespaces and let nobody mount in them
            print(f"skipped: this system mounts nothing in a namespace: {done.stderr.strip()}")
            sys.exit(SKIPPED)
    os.chroot(root)
    os.chdir("/")
    os.environ.clear()
    os.environ.update({"PATH": "/usr/bin", "HOME": "/tmp", "LC_ALL": "C.UTF-8", "TENSORTIDE_GPU_WORK": "/work"})


def run(*command, code=0):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != code:
        fail(f"{' '.join(map(str, command))}: exit code {done.returncode}, not {code}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


def fail(words):
    print(f"bare_root: {words}", file=sys.stderr)
    sys.exit(1)


def expect(holds, words):
    if not holds:
        fail(words)


def check_programs():
    doctor = json.loads(run(BIN / "tensortide", "doctor", "--json"))
    cuda = doctor["devices"][0]
    expect(not cuda["available"] and "driver" in cuda["why"], f"the CUDA module does not load: {cuda}")
    libraries = {library["name"]: library for library in doctor["module_libraries"]}
    expect(set(libraries) == {"cuDNN", "cuBLASLt", "CUPTI"}, f"doctor lists {sorted(libraries)}")
    for library in libraries.values():
        expect(not library["available"] and library["looked_in"] and library["why"], f"doctor does not say where it looked: {library}")
    devices = {device["name"]: device for device in json.loads(run(BIN / "tensortide", "devices", "--json"))["devices"]}
    expect(devices["cpu"]["available"] and not devices["cuda"]["available"], f"devices: {sorted(devices)}")
    run(BIN / "tensortide", "run", "mlp", "--set", "hidden=64", "--batch", "2", "--steps", "2", "--no-probe", "-o", "/tmp/cpu.tide")
    ops = json.loads(run(BIN / "tensortide", "analyze", "/tmp/cpu.tide", "--table", "ops", "--by", "type", "--json"))
    expect(len(ops["rows"]) > 2, f"the recording has {len(ops['rows'])} types of ops")
    run(BIN / "gpu_figures", code=3)
    run(BIN / "gpu_goals", code=2)
    listed = [line for line in run(BIN / "gpu_test", "--gtest_list_tests").splitlines() if line.startswith("  ")]
    expect(len(listed) > 100, f"only {len(listed)} GPU tests are listed")
    for tests in {"*conv*", *(tests for _, tests, _ in peers.SANITIZERS)}:
        chosen = run(BIN / "gpu_test", "--gtest_list_tests", f"--gtest_filter={tests}")
        expect("\n  " in chosen, f"no GPU test is called {tests}")
    return len(listed)


def check_rehearsal():
    """Unpacks the archive and goes through part 1. The number of GPU tests."""
    print(run(sys.executable, "-B", "/tree/tests/gpu/run", "/out", "1", "--rehearse"))
    summary = json.loads(pathlib.Path("/out/summary.json").read_text())
    broken = [step for step in summary["steps"] if step["state"] != "pass"]
    expect(not broken and not summary["left_out"] and len(summary["steps"]) >= 10, f"the rehearsal: {broken or summary}")
    results = json.loads(pathlib.Path("/work/out/tests.json").read_text())
    cases = [case for suite in results["testsuites"] for case in suite["testsuite"]]
    skipped = sum(1 for case in cases if case["result"] == "SKIPPED")
    expect(skipped == len(cases), f"of {len(cases)} GPU tests {skipped} were skipped")
    files = list(pathlib.Path("/out").iterdir())
    expect(len(files) <= MOST_FILES and all(file.stat().st_size <= MOST_FILE_BYTES for file in files), f"what comes back: {files}")
    expect(any(file.name == "results-1.tar" for file in files), f"no results among {files}")
    return len(cases)


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--inside":
        root, stdlib = map(pathlib.Path, sys.argv[2:4])
        enter(root, stdlib)
        sys.path[:] = [path for path in sys.path if path.startswith(str(stdlib))]
        started, listed = check_rehearsal(), check_programs()
        expect(started == listed, f"{listed} GPU tests are listed, {started} were started")
        print(f"{listed} GPU tests listed and skipped")
        return 0
    build = pathlib.Path(sys.argv[1]).resolve()
    namespaces = ["unshare", "--user", "--map-root-user", "--mount"]
    tried = subprocess.run([*namespaces, "true"], capture_output=True, text=True) if shutil.which("unshare") else None
    if tried is None or tried.returncode != 0:
        print(f"skipped: this system makes no user and mount namespaces: {tried.stderr.strip() if tried else 'there is no unshare'}")
        return SKIPPED
    archive = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else build / "gpu-bundle.tar.xz"
    if len(sys.argv) < 3:
        subprocess.run([sys.executable, "-B", HERE / "pack", build, "--no-build", "--bundle", build / "gpu-bundle"], check=True)
    with tempfile.TemporaryDirectory(prefix="tensortide-bare-root-") as folder:
        root = pathlib.Path(folder)
        python, stdlib = make_root(root, archive)
        return subprocess.run([*namespaces, python, "-B", __file__, "--inside", root, stdlib]).returncode


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        fail(error)
