# SPDX-License-Identifier: Apache-2.0
"""The comparison's arithmetic and the Python peers' protocol. Nothing is timed here."""
import importlib.machinery
import importlib.util
import math
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "peers")]
from comparison import rows, table  # noqa: E402
import onnx_writer  # noqa: E402
import protocol  # noqa: E402

ROW = rows.Row("product", "gemm m=10 n=10 k=10", (rows.ratio(1.1, 1.0, "onednn", "openblas"),), ("onednn", "openblas", "torch"), flops=2000)


class Table(unittest.TestCase):
    def test_median_and_spread(self):
        self.assertEqual(table.median([9, 1, 2]), 2)
        self.assertEqual(table.median([1, 2, 3, 10]), 2.5)
        self.assertTrue(math.isnan(table.median([])))
        self.assertAlmostEqual(table.spread([90, 100, 130]), 0.1)
        self.assertTrue(math.isnan(table.spread([])))

    def test_ratio_is_to_the_fastest_named_peer(self):
        times = {"ours": [210, 200, 190], "onednn": [400], "openblas": [160, 100, 400], "torch": [1]}
        value, against = table.figure(ROW.goals[0], ROW, times)
        self.assertAlmostEqual(value, 200 / 160)
        self.assertEqual(against, "openblas")

    def test_verdicts(self):
        goal = ROW.goals[0]
        self.assertEqual([table.judge(goal, v) for v in (0.9, 1.0, 1.05, 1.1, 1.11)], ["met", "met", "must met", "must met", "missed"])
        copy = rows.Goal("copy", 0.90, 0.95)
        self.assertEqual([table.judge(copy, v) for v in (0.96, 0.92, 0.5)], ["met", "must met", "missed"])

    def test_the_worst_of_several_goals_decides(self):
        row = rows.Row("x", "x", (rows.ratio(1.1, 1.0, "onednn"), rows.ratio(0.5, 0.4, "torch"), rows.ratio(0.1, 0.1, "torch", threads=2)))
        times = {"ours": [100], "onednn": [200], "torch": [150]}
        self.assertEqual(table.verdict(row, 1, times, False), ("0.50 onednn; 0.67 torch", "≤ 1.1; ≤ 0.5", "≤ 1; ≤ 0.4", "missed"))
        self.assertEqual(table.verdict(row, 2, times, True)[3], "disturbed (missed)")

    def test_without_a_peer_the_hardware_remains(self):
        # 2000 flops in 2 ns are 1000 flop/ns; PEAK makes 2e6 flops in 1000 ns: 2000 flop/ns.
        self.assertEqual(table.verdict(ROW, 1, {"ours": [2], "peak": [1000]}, False), ("–", "≤ 1.1", "≤ 1", "no peer: 0.50 of peak"))
        self.assertEqual(table.verdict(ROW, 1, {}, False)[3], "not run")

    def test_share_of_copy_counts_the_tensors_moved(self):
        row = rows.Row("add", "elementwise", (rows.Goal("copy", 0.9, 0.95),), copy_bytes=1024, moved_tensors=3)
        shown = table.verdict(row, 1, {"ours": [300], "copy": [200]}, False)
        self.assertEqual(shown, ("1.00 of copy", "≥ 0.9", "≥ 0.95", "met"))

    def test_absolute_and_own_goals(self):
        row = rows.Row("op", "overhead kind=eager", (rows.Goal("ns", 200, 100),))
        self.assertEqual(table.verdict(row, 1, {"ours": [150]}, False)[0::3], ("150 ns", "must met"))
        own = rows.Row("net", "net", (rows.Goal("own", 1.05, 1.01, against="net"),))
        # neighbours: 1.02, 1.0, 1.03; the ratio of the medians would be another
        shown = table.verdict(own, 1, {"ours": [102, 200, 309], "against": [100, 200, 300]}, False)
        self.assertEqual(shown[0::3], ("1.02 tracing off", "must met"))

    def test_lines_have_speed_ups(self):
        row = rows.Row("net", "net", speed_up=(1.7, 1.85))
        cells = list(table.lines([(row, 1, {"ours": [180]}, False), (row, 2, {"ours": [100]}, False)], ["torch"]))
        self.assertEqual(cells[-1][:3] + cells[-1][-1:], ["speed-up: net", "2 over 1", "1.80x", "must met"])
        self.assertEqual({len(line) for line in cells}, {8})
        self.assertEqual(table.markdown(cells).count("\n"), 5)
        self.assertEqual(table.tally(cells), "1 must met, 2 no goal")

    def test_rows_that_wait_and_rows_that_miss_say_why(self):
        waiting = rows.Row("chain", "chain", (rows.ratio(0.35, 0.2, "torch"),), ("torch",), waits_for="graph fusion")
        times = {"ours": [100], "torch": [100]}
        self.assertEqual(table.verdict(waiting, 1, times, False)[0::3], ("1.00 torch", "not built yet (graph fusion)"))
        cells = list(table.lines([(waiting, 1, times, False)], ["torch"]))
        self.assertEqual(table.tally(cells), "1 not built yet")
        slow = rows.Row("op", "op", (rows.ratio(0.35, 0.2, "torch"),), ("torch",), remark="because")
        self.assertEqual(table.remarks([(slow, 1, times, False), (slow, 2, times, False)]), "\n- op (T1), op (T2): because\n")
        self.assertEqual(table.remarks([(slow, 1, {"ours": [10], "torch": [100]}, False)]), "")

    def test_units(self):
        self.assertEqual([table.show_ns(v) for v in (3.14159, 1500, 2.5e6, 3e9, 1.6e12)], ["3.14 ns", "1.5 us", "2.5 ms", "3 s", "1600 s"])


class Rows(unittest.TestCase):
    def test_names_are_unique_and_goals_ordered(self):
        every = list(rows.all_rows())
        self.assertEqual(len({row.what for row in every}), len(every))
        for row in every:
            for goal in row.goals:
                larger, smaller = (goal.aim, goal.must) if goal.kind == "copy" else (goal.must, goal.aim)
                self.assertGreaterEqual(larger, smaller, row.what)
                self.assertLessEqual(set(goal.peers), set(row.peers), row.what)


class Protocol(unittest.TestCase):
    def test_answers_and_refuses(self):
        ran, cases = [], {}
        make = lambda name, settings: protocol.Timed(lambda: ran.append(settings.count("n")), "note") if name == "known" else None
        ask = lambda line: protocol.answer(line, "us", make, cases)
        self.assertEqual(ask("about"), "about us")
        self.assertEqual(ask("prepare known n=3"), "ready 1 note")
        self.assertRegex(ask("run 1 2"), r"^ns [0-9.]+$")
        self.assertEqual(ran, [3, 3])
        self.assertEqual(ask("prepare unknown n=3"), "no case named unknown")
        self.assertEqual(ask("drop 1"), "dropped 1")
        self.assertEqual(ask("dance"), "no such request")
        self.assertRaises(KeyError, ask, "run 1 1")


class Onnx(unittest.TestCase):
    def test_bytes_of_a_small_model(self):
        model = onnx_writer.Model()
        x = model.input(2, 300)
        data = model.bytes(model.node("Relu", x), (2, 300))
        self.assertEqual(data[:2], b"\x08\x08")            # ir_version 8
        self.assertEqual(data[-4:], b"\x42\x02\x10\x11")   # opset_import { version: 17 }
        self.assertIn(b"\x0a\x02v1\x12\x02v2\x1a\x06v2Relu\x22\x04Relu", data)
        self.assertIn(b"\x08\xac\x02", data)               # dim_value: 300


class BesideCachegrind(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        loader = importlib.machinery.SourceFileLoader("beside_cachegrind", str(HERE / "beside_cachegrind"))
        cls.script = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
        loader.exec_module(cls.script)

    def test_what_goes_by_the_clock_is_not_judged_on_a_busy_machine(self):
        self.assertEqual(self.script.verdict(True, 1.2), "met")
        self.assertEqual(self.script.verdict(False, 1.2), "MISSED")
        for met in (True, False):
            self.assertTrue(self.script.verdict(met, 1.6).startswith("not judged"))

    def test_a_loop_without_time_of_its_own_was_disturbed(self):
        fills = [(1.0, 100), (1.1, 100), (1.0, 100)]
        self.assertAlmostEqual(self.script.of_loop([(2.0, 600), (2.0, 600), (9.0, 600)], fills), 500)
        for runs in ([0.9, 0.8, 0.9], [1.0, 1.0, 1.0], [1.1, 1.3, 1.6]):
            self.assertIsNone(self.script.of_loop([(seconds, 600) for seconds in runs], fills))
        self.assertEqual(self.script.row_of("ijk", 2.0, None, 3e6, 1.6, 0.01), "| ijk | disturbed | 3 | \u2013 | 2 not judged | 1.60 (not judged) | 1 % |")
        self.assertEqual(self.script.row_of("ijk", 2.0, 1e6, 3e6, 1.6, 0.01), "| ijk | 1 | 3 | 3.0 | 2 met | 1.60 (goal 1.7) | 1 % |")


if __name__ == "__main__":
    unittest.main()
