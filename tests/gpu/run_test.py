# SPDX-License-Identifier: Apache-2.0
"""tests/gpu/run with a bundle of scripts: what comes back when a step hangs, when it is stopped, when results are too large; and the arithmetic
of peers.py. Nothing is timed."""
import argparse
import importlib.machinery
import importlib.util
import json
import lzma
import math
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import peers  # noqa: E402

GPU = """#!/bin/sh
case "$1" in
devices) echo '{"devices": [{"name": "cpu", "available": true}, {"name": "cuda", "available": GPU, "model": "Fake", "why": "it is out"}]}' ;;
doctor) echo '{"module_libraries": [{"name": "cuDNN", "available": true, "why": "cuDNN 9"}]}' ;;
run) while [ $# -gt 1 ]; do [ "$1" = -o ] && RECORD; shift; done
  echo '{"summary": {"step_ns": {"value": 1000000, "origin": "measured"}, "sentence": "It steps."}}' ;;
esac
"""


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.out = self.root / "out"

    def bundle(self, gpu="true", record='echo capture >"$2"', **programs):
        (self.root / "bundle/bin").mkdir(parents=True)
        scripts = {"tensortide": GPU.replace("GPU,", f"{gpu},").replace("RECORD", record), "gpu_test": "#!/bin/sh\n", "gpu_selfcheck": "#!/bin/sh\n",
                   "gpu_figures": "#!/bin/sh\necho '{}' >$1\n", "gpu_goals": "#!/bin/sh\n", **programs}
        for name, text in scripts.items():
            (self.root / "bundle/bin" / name).write_text(text)
            (self.root / "bundle/bin" / name).chmod(0o755)

    def start(self, part, limit_s=60):
        environment = {**os.environ, "TENSORTIDE_GPU_BUNDLE": str(self.root / "bundle"), "TENSORTIDE_GPU_WORK": str(self.root / "work"), "TENSORTIDE_GPU_LIMIT_S": str(limit_s)}
        return subprocess.Popen([sys.executable, "-B", HERE / "run", self.out, part], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def summary(self):
        return json.loads((self.out / "summary.json").read_text())

    def results(self):
        """{name: bytes} of all that was packed."""
        found = {}
        for file in self.out.glob("results-*.tar"):
            with tarfile.open(file) as tar:
                found.update({entry.name: lzma.decompress(tar.extractfile(entry).read()) for entry in tar.getmembers()})
        return found

    def check_size(self):
        files = list(self.out.iterdir())
        self.assertLessEqual(len(files), 8)
        for file in files:
            self.assertLessEqual(file.stat().st_size, 15 << 20, file)

    def test_all_goes_well(self):
        self.bundle()
        process = self.start("all")
        text = process.communicate(timeout=120)[0]
        summary = self.summary()
        self.assertEqual([step for step in summary["steps"] if step["state"] not in ("pass", "absent")], [], text)
        self.assertEqual(process.returncode, 0, text)
        self.assertIn("resnet50: step 1 ms; It steps.", text)
        self.assertIn("stream.tide.xz", self.results())
        self.check_size()

    def test_without_a_gpu_nothing_is_measured(self):
        self.bundle(gpu="false")
        process = self.start("1")
        text = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 3, text)
        self.assertIn("no GPU can be used here: it is out", text)

    def test_a_step_that_hangs_ends_and_the_rest_comes_back(self):
        self.bundle(gpu_selfcheck="#!/bin/sh\necho begun\nsleep 1000 & sleep 1000\n")
        process = self.start("1", limit_s=8)
        process.communicate(timeout=100)
        self.assertEqual(process.returncode, 1)
        steps = {step["name"]: step for step in self.summary()["steps"]}
        self.assertEqual(steps["selfcheck"]["state"], "stopped")
        self.assertEqual(steps["capture_launch"]["state"], "skipped", "no time was left")
        self.assertEqual(self.results()["selfcheck.log.xz"], b"begun\n")

    def test_stopped_from_outside_it_leaves_what_it_has(self):
        self.bundle(gpu_test="#!/bin/sh\necho tests\nsleep 1000\n")
        process = self.start("1")
        for _ in range(600):
            log = self.root / "work/out/tests.log"
            if log.exists() and log.read_text():
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(self.summary()["steps"][-1]["why"], "stopped by SIGTERM")
        self.assertIn("selfcheck.log.xz", self.results())
        self.check_size()

    def test_a_failed_step_and_a_missed_goal_are_told_apart(self):
        self.bundle(gpu_test="#!/bin/sh\nexit 1\n", gpu_goals="#!/bin/sh\nexit 1\n")
        process = self.start("1")
        text = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 1)
        summary = self.summary()
        self.assertTrue(summary["failed"] and summary["goals_missed"], text)
        self.assertIn("fail    tests", text)

    def test_what_does_not_fit_is_left_out_by_name(self):
        loader = importlib.machinery.SourceFileLoader("gpu_run", str(HERE / "run"))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_run", loader))
        loader.exec_module(module)
        module.MOST_FILE_BYTES = 100_000
        with unittest.mock.patch.dict(os.environ, {"TENSORTIDE_GPU_WORK": str(self.root / "work")}):
            session = module.Session(argparse.Namespace(out=self.out, part="1", rehearse=False))
        # noise, which does not pack: each takes a file of its own
        for name, size in (("small", 10), ("a", 60_000), ("b", 60_001), ("c", 60_002), ("d", 60_003), ("large", 120_000)):
            (session.out / name).write_bytes(os.urandom(size))
        session.pack_results()
        self.assertEqual(sorted(self.results()), ["a.xz", "b.xz", "c.xz", "small.xz"])
        self.assertEqual([words.split(":")[0] for words in session.left_out], ["d", "large"])
        for file in self.out.iterdir():
            self.assertLessEqual(file.stat().st_size, module.MOST_FILE_BYTES)


class Peers(unittest.TestCase):
    def test_ncu_rows_are_read_behind_the_programs_own_output(self):
        text = ('planning ...\n==PROF== Profiling "k"\n"ID","Kernel Name","dram__bytes_read.sum","dram__bytes_write.sum","gpu__time_duration.sum"\n'
                '"","","byte","byte","ns"\n"0","k","1,000","200","10"\n"1","k","3000","400","30"\n')
        kernels = peers.kernels_of_ncu(text)
        self.assertEqual([kernel["dram__bytes_read.sum"] for kernel in kernels], [1000, 3000])
        self.assertEqual(peers.per_step(kernels, 2), {"dram_bytes": 2300, "time_ns": 20, "kernels": 1})
        self.assertIsNone(peers.per_step(kernels, 3), "steps of unequal kernels have no mean")
        self.assertEqual(peers.kernels_of_ncu("==ERROR== nothing"), [])

    def test_counted_bytes_are_those_of_device_memory(self):
        columns = [{"key": "op"}, {"key": "link"}, {"key": "measured_bytes"}]
        table = {"columns": columns, "rows": [["a", "DRAM - L2", 10], ["a", "L2 - L1", 99], ["b", "DRAM - L2", None], ["c", "DRAM - L2", 5]]}
        self.assertEqual(peers.counted_bytes(table), 15)
        self.assertIsNone(peers.counted_bytes({"columns": columns, "rows": [["a", "DRAM - L2", None]]}))

    def test_unknown_figures_are_dashes(self):
        self.assertEqual([peers.figure(value) for value in (None, math.nan, 1234e6, 0.5)], ["– ", "– ", "1.23 G", "0.5 "])
        self.assertTrue(math.isnan(peers.value_of({"value": None})))


if __name__ == "__main__":
    unittest.main()
