#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package against the program, without PyTorch: a stand-in of it writes small traces.

usage: package_test.py path/to/tensortide
"""
import contextlib
import gc
import importlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings
import zipfile
from xml.dom import minidom

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PACKAGE = ROOT / "packaging" / "python"
PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else sys.exit(__doc__)
sys.path[:0] = [str(PACKAGE), str(HERE / "stand_in")]
os.environ["TENSORTIDE"] = PROGRAM

import tensortide  # noqa: E402
from tensortide import _binary, _capture, _summary  # noqa: E402
import torch  # noqa: E402  the stand-in


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def environment(self, **changes):
        """Sets variables of the environment until the end of the test; None removes one."""
        for name, value in changes.items():
            self.addCleanup(self._put, name, os.environ.get(name))
            self._put(name, value)

    @staticmethod
    def _put(name, value):
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = str(value)

    def profiled(self, steps=2, calls=4, **options):
        options.setdefault("roofs", None)
        with tensortide.profile(steps=steps, output=self.folder / "r.tide", **options) as p:
            for _ in range(calls):
                torch.profiler.last.op("aten::mm", [[8, 16], [16, 4]])
                torch.profiler.last.op("aten::relu", [[8, 4]])
                p.step()
        return p


class Binary(InFolder):
    def program(self, name, text="#!/bin/sh\necho '{}'\n"):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
        return file

    def test_the_variable_comes_first_then_the_path_then_the_wheel(self):
        inside, on_path = self.program("wheel/tensortide/bin/tensortide"), self.program("bin/tensortide")
        package = self.folder / "wheel" / "tensortide" / "_binary.py"
        package.write_text((PACKAGE / "tensortide" / "_binary.py").read_text())
        spec = importlib.util.spec_from_file_location("in_wheel", package)
        in_wheel = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(in_wheel)
        self.environment(TENSORTIDE=PROGRAM, PATH=on_path.parent)
        self.assertEqual(in_wheel.binary(), PROGRAM)
        self.environment(TENSORTIDE=None)
        self.assertEqual(in_wheel.binary(), str(on_path))
        self.environment(PATH=self.folder / "nothing")
        self.assertEqual(in_wheel.binary(), str(inside.resolve()))
        inside.unlink()
        with self.assertRaisesRegex(in_wheel.TensortideError, "not found.*TENSORTIDE"):
            in_wheel.binary()

    def test_a_variable_that_names_no_program_is_refused_with_its_value(self):
        for bad in (self.folder, self.folder / "none", self.folder / "data"):
            (self.folder / "data").write_text("no program")
            self.environment(TENSORTIDE=bad)
            with self.assertRaisesRegex(tensortide.TensortideError, "TENSORTIDE=.*no such program"):
                tensortide.binary()

    def test_a_failure_has_the_words_and_the_exit_code_of_the_program(self):
        self.environment(TENSORTIDE=self.program("bin/tensortide", "#!/bin/sh\necho 'disk is full' >&2\nexit 3\n"))
        with self.assertRaisesRegex(tensortide.TensortideError, "disk is full") as caught:
            _binary.run("analyze", "x")
        self.assertEqual(caught.exception.exit_code, 3)

    def test_what_prints_no_json_is_refused(self):
        self.environment(TENSORTIDE=self.program("bin/tensortide", "#!/bin/sh\necho hello\n"))
        with self.assertRaisesRegex(tensortide.TensortideError, "no JSON.*hello"):
            _binary.document("analyze", "x")

    def test_the_window_is_the_one_beside_the_program(self):
        beside = self.program("bin/tensortide-gui")
        self.environment(TENSORTIDE=self.program("bin/tensortide"), PATH="/usr/bin:/bin")
        self.assertEqual(_binary.window(), str(beside.resolve()))
        marker = self.folder / "opened"
        beside.write_text(f'#!/bin/sh\necho "$1" > "{marker}"\n')
        (self.folder / "a b.tide").write_text("")
        self.assertEqual(tensortide.open(self.folder / "a b.tide").show().wait(), 0)
        self.assertEqual(marker.read_text().strip(), str(self.folder / "a b.tide"))
        beside.unlink()
        with self.assertRaisesRegex(tensortide.TensortideError, "tensortide-gui was not found"):
            _binary.window()


class Tables(InFolder):
    COLUMNS = [{"key": "name", "title": "Op", "origin": "exact", "help": ""},
               {"key": "time_ns", "title": "Time", "origin": "measured", "help": "of a step"}]
    ROWS = [{"name": "a", "time_ns": 1.5}, {"name": "b", "time_ns": None}]

    def test_rows_have_all_columns_in_their_order(self):
        self.assertEqual(_capture.as_table(self.COLUMNS, self.ROWS, "rows"), self.ROWS)
        self.assertEqual(_capture.as_table(self.COLUMNS, [{"time_ns": 2}], "rows"), [{"name": None, "time_ns": 2}])
        with self.assertRaisesRegex(ValueError, "'polars'"):
            _capture.as_table(self.COLUMNS, self.ROWS, "polars")

    def test_without_pandas_and_arrow_it_is_a_list(self):
        installed = _capture._importable
        self.addCleanup(setattr, _capture, "_importable", installed)
        _capture._importable = lambda name: None
        self.assertEqual(_capture.as_table(self.COLUMNS, self.ROWS), self.ROWS)
        for kind in ("pandas", "arrow"):
            with self.assertRaisesRegex(ImportError, "not installed"):
                _capture.as_table(self.COLUMNS, self.ROWS, kind)

    def test_pandas_and_arrow_hold_the_same(self):
        for kind, module in (("pandas", "pandas"), ("arrow", "pyarrow")):
            if importlib.util.find_spec(module) is None:
                continue
            table = _capture.as_table(self.COLUMNS, self.ROWS, kind)
            self.assertEqual(list(table.columns if kind == "pandas" else table.column_names), ["name", "time_ns"])
            self.assertEqual(len(table) if kind == "pandas" else table.num_rows, 2)

    def test_a_trace_is_read_as_a_capture_is(self):
        trace = ROOT / "tests" / "data" / "traces" / "kineto_h100_bert_small.pt.trace.json.gz"
        capture = tensortide.open(trace)
        types = capture.ops(by="type", kind="rows")
        self.assertGreater(len(types), 5)
        self.assertTrue(any("mm" in str(row) for row in types))
        self.assertGreater(len(capture.table("kernels", kind="rows")), 10)
        with self.assertRaisesRegex(tensortide.TensortideError, "unknown table"):
            capture.table("kernel")
        with self.assertRaisesRegex(tensortide.TensortideError, "--by"):
            capture.ops(by="colour")
        with self.assertRaisesRegex(FileNotFoundError, "no such file"):
            tensortide.open(self.folder / "none.tide")

    def test_a_replay_has_the_ops_of_its_capture(self):
        traces = ROOT / "tests" / "data" / "traces"
        replay = traces / "kineto_mi300_sglang_replay.pt.trace.json.gz"
        capture = tensortide.open(replay, graphs=traces / "kineto_mi300_sglang_capture.pt.trace.json.gz")
        products = [row for row in capture.ops(by="type", kind="rows") if row["type"] == "aten::mm"]
        self.assertAlmostEqual(products[0]["flops"] / 485e9, 1, places=1)
        made = pathlib.Path(capture.file)
        self.assertTrue(made.is_file())
        del capture, products
        gc.collect()
        self.assertFalse(made.exists())
        with self.assertRaisesRegex(tensortide.TensortideError, "none.json"):
            tensortide.open(replay, graphs=[self.folder / "none.json"])

    def test_a_name_that_looks_like_an_option_is_a_file(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        pathlib.Path("--help").write_text("{}")
        with self.assertRaises(tensortide.TensortideError):
            tensortide.open("--help").summary()


class Profile(InFolder):
    def test_records_the_steps_behind_the_warm_up(self):
        p = self.profiled(steps=2, calls=4)
        self.assertEqual(p.summary()["step_ns"]["samples"], 2)
        self.assertTrue(p.finished)
        rows = p.ops(by="type", kind="rows")
        self.assertEqual(sum(row["flops"] or 0 for row in rows), 2 * 8 * 16 * 4 + 8 * 4)
        self.assertEqual(torch.profiler.last.options, {"record_shapes": True, "profile_memory": True, "with_stack": True})

    def test_a_loop_that_ends_early_keeps_what_was_recorded(self):
        self.assertEqual(self.profiled(steps=5, calls=3).summary()["step_ns"]["samples"], 2)

    def test_a_block_without_steps_is_one_step(self):
        with tensortide.profile(roofs=None) as p:
            torch.profiler.last.op("aten::mm", [[2, 3], [3, 4]])
        self.assertEqual(p.ops(kind="rows")[0]["flops"], 2 * 2 * 3 * 4)
        self.assertTrue(os.path.isfile(p.file))

    def test_nothing_recorded_is_an_error_with_its_reason(self):
        with self.assertRaisesRegex(tensortide.TensortideError, "No step was recorded: 1 ended, and the first 1"):
            self.profiled(steps=3, calls=1)

    def test_an_error_of_the_block_goes_through(self):
        with self.assertRaises(ZeroDivisionError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with tensortide.profile(steps=2, roofs=None):
                1 / 0  # pylint: disable=pointless-statement
        self.assertEqual(tensortide._profile._running, [])

    def test_arguments_that_make_no_sense_are_refused(self):
        for bad in ({"steps": 0}, {"steps": 2.5}, {"warmup": -1}, {"roofs": "there"}):
            with self.assertRaisesRegex(ValueError, repr(next(iter(bad.values())))):
                tensortide.profile(**bad)
        with self.assertRaisesRegex(RuntimeError, "inside"):
            tensortide.profile().step()
        with self.assertRaisesRegex(RuntimeError, "at the end"):
            tensortide.profile().capture

    def test_roofs_that_are_not_measured_are_a_warning(self):
        self.environment(XDG_CACHE_HOME=self.folder / "cache")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            p = self.profiled(roofs="here")
        said = [str(w.message) for w in caught if w.category is UserWarning]
        self.assertEqual(["probe" in words for words in said], [True], said)
        self.assertEqual(p.summary()["step_ns"]["samples"], 2)

    def test_modules_of_a_model_are_layers_by_the_names_of_its_attributes(self):
        model = Model({"layer1": Model({"0": Model({}), "1": Model({"0": Model({})})}), "head": Model({})})
        with tensortide.profile(steps=1, model=model, roofs=None) as p:
            for _ in range(3):
                model()
                p.step()
        self.assertFalse(torch.profiler.last.options["with_stack"])
        layers = {row["layer"] for row in p.ops(kind="rows")}
        self.assertEqual(layers, {"layer1.0", "layer1.1", "layer1.1.0", "layer1", "head", ""})
        self.assertEqual([m.hooks for m in model.all()], [[[], []]] * 6)

    def test_a_file_that_is_there_is_not_replaced_by_save(self):
        p = self.profiled()
        copy = p.save(self.folder / "copy.tide")
        self.assertEqual(copy.summary()["step_ns"]["samples"], 2)
        with self.assertRaises(FileExistsError):
            p.save(self.folder / "copy.tide")

    def test_a_script_may_end_steps_anywhere(self):
        tensortide.step()
        with tensortide.profile(steps=1, warmup=0, roofs=None) as p:
            torch.profiler.last.op("aten::relu", [[4]])
            tensortide.step()
        self.assertEqual(p.summary()["step_ns"]["samples"], 1)


class Model:
    """Modules within modules, with the hooks of torch.nn.Module; each runs one op behind its children."""

    def __init__(self, children):
        self.children, self.hooks = children, [[], []]

    def named_modules(self, path=""):
        yield path, self
        for name, child in self.children.items():
            yield from child.named_modules(f"{path}.{name}".lstrip("."))

    def all(self):
        return [module for _, module in self.named_modules()]

    def _register(self, which, hook):
        hooks = self.hooks[which]
        hooks.append(hook)
        return type("Handle", (), {"remove": lambda _: hooks.remove(hook)})()

    def register_forward_pre_hook(self, hook):
        return self._register(0, hook)

    def register_forward_hook(self, hook, always_call):
        assert always_call
        return self._register(1, hook)

    def __call__(self):
        for hook in self.hooks[0]:
            hook(self, ())
        for child in self.children.values():
            child()
        torch.profiler.last.op("aten::relu", [[4, 4]])
        for hook in self.hooks[1]:
            hook(self, (), None)


class Picture(InFolder):
    def test_the_picture_is_xml_whatever_the_names(self):
        with tensortide.profile(roofs=None) as p:
            for name in ("<script>alert(1)</script>", "a & b", "\"'", "x" * 300, "\u0001\ufffe", "aten::relu"):
                torch.profiler.last.op(name, [[4]])
        picture = p._repr_svg_()
        texts = [node.firstChild.data for node in minidom.parseString(picture).getElementsByTagName("text") if node.firstChild]
        self.assertEqual(minidom.parseString(picture).getElementsByTagName("script"), [])
        self.assertTrue(any("aten::relu" in text for text in texts), texts)
        self.assertEqual(tensortide.open(p.file)._repr_svg_(), picture)

    def test_no_picture_before_the_end(self):
        self.assertIsNone(tensortide.profile()._repr_svg_())

    def test_what_does_not_fit_is_one_row_and_nothing_is_lost(self):
        rows = [{"name": f"t{i}", "time_ns": float(i), "share_ratio": i / 120} for i in range(16)]
        shown = _summary.bars(rows)
        self.assertEqual(len(shown), _summary.MOST_ROWS)
        self.assertEqual(sum(row[1] for row in shown), sum(range(16)))
        self.assertAlmostEqual(sum(row[2] for row in shown), 1)
        self.assertEqual(shown[-1][0], "8 other types")
        self.assertEqual(_summary.bars([{"name": "a", "time_ns": None}]), [])

    def test_durations(self):
        for ns, words in ((0, "0 ns"), (999.9, "1 µs"), (1234, "1.23 µs"), (5.6e7, "56 ms"), (2e9, "2 s"), (None, "–"),
                          (float("nan"), "–")):
            self.assertEqual(_summary.duration(ns), words)


class Command(InFolder):
    def command(self, *words, code=0, **variables):
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(PACKAGE), str(HERE / "stand_in")]), **variables)
        done = subprocess.run([sys.executable, "-B", "-m", "tensortide", *map(str, words)], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def script(self, body, name="train.py"):
        (self.folder / name).write_text("import sys, torch, torch.profiler\n" + body)
        return name

    LOOP = ("sgd = torch.optim.optimizer.SGD()\nfor i in range(int(sys.argv[1])):\n"
            "    torch.profiler.last.op('aten::mm', [[8, 16], [16, 4]])\n    sgd.step()\n")

    def test_steps_are_those_of_the_optimizer(self):
        self.command("run", "--steps", 3, "--roofs", "none", self.script(self.LOOP), 6)
        self.assertEqual(tensortide.open(self.folder / "train.tide").summary()["step_ns"]["samples"], 3)

    def test_steps_are_what_the_script_says_instead(self):
        body = "import tensortide\n" + self.LOOP.replace("sgd.step()", "tensortide.step(); sgd.step()")
        self.command("run", "--steps", 2, "--warmup", 0, "--roofs", "none", "-o", "x.tide", self.script(body), 2)
        self.assertEqual(tensortide.open(self.folder / "x.tide").summary()["step_ns"]["samples"], 2)

    def test_a_second_optimizer_ends_no_step(self):
        body = self.LOOP.replace("    sgd.step()", "    sgd.step()\n    other.step()").replace(
            "sgd = ", "other = torch.optim.optimizer.SGD()\nsgd = ", 1)
        self.command("run", "--steps", 2, "--warmup", 0, "--roofs", "none", self.script(body), 2)
        self.assertEqual(tensortide.open(self.folder / "train.tide").summary()["step_ns"]["samples"], 2)

    def test_a_whole_script_is_one_step(self):
        self.command("run", "--whole", "--roofs", "none", self.script("torch.profiler.last.op('aten::relu', [[4]])\n"))
        self.assertEqual(len(tensortide.open(self.folder / "train.tide").ops(kind="rows")), 1)

    def test_a_script_without_a_step_says_how_to_have_one(self):
        done = self.command("run", self.script("pass\n"), code=3)
        self.assertIn("No step was recorded", done.stderr)

    def test_the_exit_code_is_the_scripts(self):
        self.command("run", "--whole", "--roofs", "none",
                     self.script("torch.profiler.last.op('aten::relu', [[4]])\nsys.exit(7)\n"), code=7)
        self.assertTrue((self.folder / "train.tide").exists())

    def test_a_missing_script_and_bad_numbers_are_refused(self):
        self.assertIn("no such script", self.command("run", "none.py", code=3).stderr)
        self.assertIn("steps is 0", self.command("run", "--steps", 0, self.script("pass\n"), code=2).stderr)

    def test_without_pytorch_it_says_so(self):
        done = subprocess.run([sys.executable, "-B", "-m", "tensortide", "run", self.script("pass\n")], cwd=self.folder,
                              env=dict(os.environ, PYTHONPATH=f"{self.without_torch()}{os.pathsep}{PACKAGE}"),
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("PyTorch is not installed", done.stderr)

    def without_torch(self):
        (self.folder / "hidden").mkdir()
        (self.folder / "hidden" / "torch.py").write_text("raise ImportError('hidden')\n")
        return self.folder / "hidden"

    def test_other_commands_are_the_programs(self):
        self.assertIn("tensortide", self.command("--version").stdout)
        self.command("analyze", "none.tide", code=3)


class Wheel(InFolder):
    def test_the_versions_are_one(self):
        said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
        project = (PACKAGE / "pyproject.toml").read_text()
        self.assertIn(f'version = "{said.split()[1]}"', project)

    def test_a_wheel_has_the_package_the_program_and_its_libraries(self):
        made = subprocess.run([sys.executable, "-B", str(PACKAGE / "make-wheel"), str(pathlib.Path(PROGRAM).parents[1]), "-o",
                               str(self.folder)], capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        inside = self.folder / "inside"
        with zipfile.ZipFile(made.stdout.strip()) as wheel:
            names = wheel.namelist()
            for info in wheel.infolist():
                target = pathlib.Path(wheel.extract(info, inside))
                target.chmod(info.external_attr >> 16 & 0o777)
        for name in ("tensortide/__init__.py", "tensortide/bin/tensortide", "tensortide/lib/libtensortide_profiler.so"):
            self.assertIn(name, names)
        record = next(inside.glob("*.dist-info/RECORD")).read_text().splitlines()
        self.assertEqual(sorted(line.split(",")[0] for line in record), sorted(names))
        found = subprocess.run([sys.executable, "-B", "-c", "import tensortide; print(tensortide.binary()); tensortide._binary.run('--version')"],
                               env={"PYTHONPATH": str(inside), "PATH": ""}, capture_output=True, text=True, check=False)
        self.assertEqual(found.stdout.strip(), str((inside / "tensortide" / "bin" / "tensortide").resolve()), found.stderr)

    def test_a_folder_without_the_program_is_refused(self):
        made = subprocess.run([sys.executable, "-B", str(PACKAGE / "make-wheel"), str(self.folder)], capture_output=True, text=True,
                              check=False)
        self.assertEqual(made.returncode, 3)
        self.assertIn("no such program", made.stderr)


if __name__ == "__main__":
    unittest.main()
