# SPDX-License-Identifier: Apache-2.0
"""What the checks of the curriculum share: the list of checks, the reasons of rows without one, and running the program."""
import json
import pathlib
import subprocess

ROWS = {}


class Wrong(Exception):
    pass


def row(name, what):
    def keep(check):
        if name in ROWS:
            raise ValueError(f"{name} has two checks")
        ROWS[name] = (what, check)
        return check
    return keep


def same(what, found, expected, tolerance=0):
    if found is None or abs(found - expected) > tolerance * abs(expected):
        raise Wrong(f"{what}: {found}, expected {expected}")


class Bench:
    """Runs the program in a folder of its own, with small settings, one thread and no probe."""

    def __init__(self, program, folder):
        self.program, self.folder, self.count = pathlib.Path(program).resolve(), folder, 0

    def text(self, *words, codes=(0,), given=None):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, cwd=self.folder, input=given)
        if done.returncode not in codes:
            raise Wrong(f"tensortide {' '.join(map(str, words))}: exit code {done.returncode}: {done.stderr.strip()[-200:]}")
        return done.stdout

    def json(self, *words, codes=(0,)):
        return json.loads(self.text(*words, "--json", codes=codes))

    def run(self, *words, device="cpu", steps=3, warmup=1):
        self.count += 1
        file = self.folder / f"{self.count}.tide"
        self.json("run", *words, "--device", device, "--threads", 1, "--steps", steps, "--warmup", warmup, "--no-probe", "-o", file)
        return file

    def lines(self, *lines):
        """Each line's outcome in the playground."""
        text = self.text("playground", "--json", given="".join(f"{line}\n" for line in lines))
        return [json.loads(line) for line in text.splitlines()]

    def table(self, file, name):
        return self.json("analyze", file, "--table", name)["rows"]

    def results(self, before, after):
        return self.json("compare", before, after)["comparisons"][0]["results"]


def settings(**values):
    return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
