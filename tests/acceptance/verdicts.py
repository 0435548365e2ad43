#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The labelled verdict set on real runs: ops whose limit is known in closed form, run on this machine, judged by `tensortide analyze`.

    tests/acceptance/verdicts.py [--program build/bin/tensortide] [--repeat 3]

Needs a quiet machine with measured roofs (`tensortide probe`). Prints a row per op; exits 1 when fewer than 95 % of the verdicts are right
or any firm one is wrong, 3 when the machine was too busy to judge.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

# What is run, the type of the op that is judged, and the bounds (with level, where one is certain) that are right for it.
CASES = [
    ("stream, out of all caches", ["stream", "--set", "n=16777216", "--set", "kernel=triad"], "scaled_add", {"memory:DRAM"}),
    ("stream copy, out of all caches", ["stream", "--set", "n=16777216", "--set", "kernel=copy"], "copy", {"memory:DRAM"}),
    ("stream in f32", ["stream", "--set", "n=33554432", "--set", "kernel=add", "--set", "dtype=f32"], "add", {"memory:DRAM"}),
    ("product near the peak", ["gemm", "--set", "m=2048", "--set", "n=2048", "--set", "k=2048"], "matmul", {"compute", "balanced"}),
    ("larger product", ["gemm", "--set", "m=3072", "--set", "n=3072", "--set", "k=3072"], "matmul", {"compute", "balanced"}),
    # One row against a matrix of 256 MB: each weight is used once.
    ("matrix-vector product", ["gemm", "--set", "m=1", "--set", "n=8192", "--set", "k=8192"], "matmul", {"memory:DRAM", "memory:L3"}),
    ("tiny ops", ["launch", "--set", "ops=100", "--set", "n=1"], None, {"too_short", "dispatch", "overhead"}),
]


def run(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def right(row, wanted):
    return row["bound"] in wanted or f"{row['bound']}:{row['level']}" in wanted


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", default="build/bin/tensortide")
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--busy", type=float, default=0.10, help="runs during which other programs used more of the processor are left out")
    options = arguments.parse_args()
    judged = good = firm = firm_good = busy = 0
    with tempfile.TemporaryDirectory() as folder:
        for title, words, op_type, wanted in CASES:
            for repeat in range(options.repeat):
                file = os.path.join(folder, "case.tide")
                document = json.loads(run(options.program, "run", *words, "-o", file, "--json"))
                load = document["summary"]["honesty"]["foreign_load_ratio"]["value"]
                if load is not None and load > options.busy:
                    busy += 1
                    continue
                rows = json.loads(run(options.program, "analyze", file, "--table", "verdicts", "--format", "json"))["rows"]
                rows = [r for r in rows if r["time_ns"] is not None and (op_type is None or op_type in r["op"])]
                if not rows:
                    sys.exit(f"{title}: no op was timed")
                # One verdict per run: of many ops alike, what nearly all of them say.
                ok = sum(right(r, wanted) for r in rows) >= 0.95 * len(rows)
                sure = any(r["confidence"] == "firm" and not right(r, wanted) for r in rows) or all(r["confidence"] == "firm" for r in rows)
                judged += 1
                good += ok
                firm += sure
                firm_good += sure and ok
                if repeat == 0:
                    shown = rows[0]
                    print(f"{title:32} {shown['bound']:>12} {shown['level']:5} {shown['confidence']:7} {'' if right(shown, wanted) else 'WRONG: ' + shown['why']}")
    print(f"{good} of {judged} right, {firm_good} of {firm} firm ones right, {busy} runs left out because the machine was busy")
    if judged == 0:
        return 3
    return 0 if good >= 0.95 * judged and firm_good == firm else 1


if __name__ == "__main__":
    sys.exit(main())
