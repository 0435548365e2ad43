#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The labelled verdict set on real runs: ops whose limit is known in closed form, run on this machine, judged by `tensortide analyze`.

    tests/acceptance/verdicts.py [--program build/bin/tensortide] [--repeat 3] [--output tests/acceptance/results/verdicts.md]

Needs measured roofs (`tensortide probe`) and a quiet machine: each run waits for one, and is made again, a few times, where others
came between. A verdict "inconsistent" says that the roofs are no longer those of the machine (memory that other virtual machines share
gives now more, now less): what it advises is done once, a new probe, and the run made again; how often is said. Exits 1 when fewer than 95 % of the verdicts are right or any firm one is wrong, 3 when the machine was too busy to judge.

Labels, and why they are certain:
  stream, copies     arrays of 128 MiB and more: every byte comes from memory, and next to nothing is computed
  product            2048 and more on a side: 340 FLOP and more for each byte moved, near the peak in libraries
  matrix x vector    256 MiB of weights of which each is used once
  tiny ops           one element each, or a chain of ops of some KiB: what is timed is the start
  pointer chase      each load needs the one before; the working set lies well inside one level, and that level's latency is the time
  column walk        one scalar load per line, a column of 64 MiB of weights at a time: no prefetcher follows steps of 16 KiB, and the same
                     sum in the order of memory takes a tenth of the time
  near a cache       three arrays of about a cache's size: that cache or the next one feeds them, and which of both nobody knows
  mixed              one step of several kinds: big products, updates of 64 MiB of weights, a product of one row
Where two words are right both are given: a product whose data and arithmetic take equally long is balanced.
"""
import argparse
import os
import pathlib
import sys
import tempfile
import time

from common import commit_line, document_of

DRAM, PRODUCT = {"memory:DRAM"}, {"compute", "balanced"}
SMALL_NS = 1e5  # in mixed steps ops below are of small tensors (biases): not labelled
WAITS = 12  # times half a minute that a run waits for a quiet machine

# Kind, what is run, and by the op's type which bounds (with level, where one is certain) are right; None: every op.
CASES = [
    ("stream", ["stream", "--set", "n=16777216", "--set", "kernel=triad"], {"scaled_add": DRAM}),
    ("stream", ["stream", "--set", "n=33554432", "--set", "kernel=add", "--set", "dtype=f32"], {"add": DRAM}),
    ("stream", ["stream", "--set", "n=16777216", "--set", "kernel=scale"], {"scale": DRAM}),
    ("copies", ["stream", "--set", "n=16777216", "--set", "kernel=copy"], {"copy": DRAM}),
    ("copies", ["transfer", "--set", "smallest=268435456", "--set", "largest=268435456"], {"round_trip": DRAM}),
    ("GEMM", ["gemm", "--set", "m=2048", "--set", "n=2048", "--set", "k=2048"], {"matmul": PRODUCT}),
    ("GEMM", ["gemm", "--set", "m=3072", "--set", "n=3072", "--set", "k=3072"], {"matmul": PRODUCT}),
    ("GEMM, one row", ["gemm", "--set", "m=1", "--set", "n=8192", "--set", "k=8192"], {"matmul": DRAM}),
    ("tiny ops", ["launch", "--set", "ops=100", "--set", "n=1"], {None: {"too_short", "dispatch", "overhead"}}),
    ("tiny ops", ["launch", "--set", "ops=100", "--set", "n=256"], {None: {"too_short", "dispatch", "overhead"}}),
    ("pointer chase", ["latency_ladder", "--set", "working_set=16384"], {"pointer_chase": {"latency:L1"}}),
    ("pointer chase", ["latency_ladder", "--set", "working_set=262144"], {"pointer_chase": {"latency:L2"}}),
    ("pointer chase", ["latency_ladder", "--set", "working_set=3145728"], {"pointer_chase": {"latency:L3"}}),
    ("pointer chase", ["latency_ladder", "--set", "working_set=268435456"], {"pointer_chase": {"latency:DRAM"}}),
    ("column walk", ["ladder", "--set", "product=layer", "--set", "size=4096", "--set", "rung=naive", "--threads", "1", "--collect", "simulate"],
     {"ladder_product": {"latency"}}),
    ("near a cache", ["stream", "--set", "n=69632", "--set", "kernel=triad", "--set", "dtype=f32", "--threads", "1"], {"scaled_add": {"memory:L2", "memory:L3"}}),
    ("near a cache", ["stream", "--set", "n=655360", "--set", "kernel=triad", "--set", "dtype=f32", "--threads", "1"], {"scaled_add": {"memory:L3", "memory:DRAM"}}),
    ("mixed", ["mlp", "--set", "input=4096", "--set", "hidden=4096,4096", "--set", "output=4096", "--set", "batch=512", "--set", "mode=training",
               "--set", "momentum=0"], {"linear": PRODUCT, "matmul": PRODUCT, "sgd": DRAM}),
    ("mixed", ["mlp", "--set", "input=8192", "--set", "hidden=8192", "--set", "output=8192", "--set", "batch=1", "--set", "mode=inference"], {"linear": DRAM}),
]


def busy_ratio(seconds):
    """What all programs use of the processors meanwhile."""
    def ticks():
        fields = [int(x) for x in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        return sum(fields), fields[3] + fields[4]
    all_before, idle_before = ticks()
    time.sleep(seconds)
    all_after, idle_after = ticks()
    return 1 - (idle_after - idle_before) / max(1, all_after - all_before)


def wait_for_quiet(busy):
    return any(busy_ratio(2) <= busy for _ in range(15))


def run_quietly(program, words, file, busy):
    """Runs until others used less than `busy` of the processors meanwhile; their share, or None."""
    for _ in range(WAITS):
        if not wait_for_quiet(busy):
            continue
        document = document_of(program, ["run", *words, "-o", file, "--json"])
        load = document["summary"]["honesty"]["foreign_load_ratio"]["value"]
        if load is None or load <= busy:
            return load or 0.0
    return None


def right(row, wanted):
    return row["bound"] in wanted or f"{row['bound']}:{row['level']}" in wanted


def of_type(row, op_type):
    """Ops are called LAYER/TYPE or LAYER/TYPE#2."""
    return op_type is None or row["op"].rsplit("/", 1)[-1].split("#")[0] == op_type


def verdicts_of(program, file, least_ns):
    rows = document_of(program, ["analyze", file, "--table", "verdicts", "--format", "json"])["rows"]
    return [r for r in rows if r["time_ns"] is not None and r["time_ns"] >= least_ns]


def judge(rows, wanted):
    """One verdict per run and kind of op: of many ops alike, what nearly all of them say. Right, firm."""
    good = sum(right(r, wanted) for r in rows) >= 0.95 * len(rows)
    wrongly_firm = any(r["confidence"] == "firm" and not right(r, wanted) for r in rows)
    return good and not wrongly_firm, wrongly_firm or all(r["confidence"] == "firm" for r in rows)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", default="build/bin/tensortide")
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--busy", type=float, default=0.05, help="runs during which other programs used more of the processor are made again")
    arguments.add_argument("--output", help="writes the table there, too")
    options = arguments.parse_args()
    judged = good = firm = firm_good = left_out = probes = 0
    table = ["| kind | run | op | right | verdicts (one per run) |", "| --- | --- | --- | --- | --- |"]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "case.tide")
        for kind, words, labels in CASES:
            said = {op_type: [] for op_type in labels}
            for _ in range(options.repeat):
                least = SMALL_NS if kind == "mixed" else 0
                done = run_quietly(options.program, words, file, options.busy)
                rows = [] if done is None else verdicts_of(options.program, file, least)
                if any(r["bound"] == "inconsistent" and any(of_type(r, t) for t in labels) for r in rows):
                    wait_for_quiet(options.busy)
                    document_of(options.program, ["probe", "--again", "--json"])
                    probes += 1
                    done = run_quietly(options.program, words, file, options.busy)
                    rows = [] if done is None else verdicts_of(options.program, file, least)
                if done is None:
                    left_out += 1
                    continue
                for op_type, wanted in labels.items():
                    own = [r for r in rows if of_type(r, op_type)]
                    if not own:
                        sys.exit(f"{' '.join(words)}: no op of type {op_type} was timed")
                    ok, sure = judge(own, wanted)
                    shown = next((r for r in own if not right(r, wanted)), own[0]) if not ok else own[0]
                    said[op_type].append(f"{shown['bound']} {shown['level'] or ''}".strip() + (", firm" if sure else "") + ("" if ok else " WRONG"))
                    judged, good, firm, firm_good = judged + 1, good + ok, firm + sure, firm_good + (sure and ok)
                    if not ok:
                        wrong.append(f"- {' '.join(words)}, {shown['op']}: {shown['why']}")
            command = " ".join(w for w in words if w != "--set")
            for op_type, verdicts in said.items():
                row = f"| {kind} | {command} | {op_type or 'all'} | {' or '.join(sorted(labels[op_type]))} | {'; '.join(verdicts) or 'machine too busy'} |"
                table.append(row)
                print(row, flush=True)
    sum_line = f"{good} of {judged} right, {firm_good} of {firm} firm ones right, {left_out} runs left out because the machine was busy, {probes} made again after a new probe"
    print("\n".join([sum_line, *wrong]))
    if options.output:
        text = ["# Verdicts on ops whose limit is known", "", commit_line("verdicts.py"), "", f"**{sum_line}** (asked: 95 % right, every firm one right).", "", *table]
        pathlib.Path(options.output).write_text("\n".join(text + (["", "Wrong:", "", *wrong] if wrong else [])) + "\n")
    if judged == 0:
        return 3
    return 0 if good >= 0.95 * judged and firm_good == firm else 1


if __name__ == "__main__":
    sys.exit(main())
