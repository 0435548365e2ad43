# SPDX-License-Identifier: Apache-2.0
"""The libraries compared, each in a child process of its own, and what else the machine does meanwhile."""
import os
import subprocess


class ChildDied(Exception):
    pass


class Child:
    """A process that answers line by line (serve.h)."""

    def __init__(self, name, command, threads):
        self.name = name
        environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads))
        for variable in ("OMP_WAIT_POLICY", "OMP_PROC_BIND"):
            environment.pop(variable, None)
        self._process = subprocess.Popen([*command, "--threads", str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, text=True, env=environment)
        self.about = self._ask("about").removeprefix("about ")

    def _ask(self, line):
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass
        answer = self._process.stdout.readline().rstrip("\n")
        if not answer:
            raise ChildDied(f"{self.name} ended with code {self._process.wait()} at: {line}")
        return answer

    def prepare(self, case):
        """(id, note), or (None, reason)."""
        kind, _, rest = self._ask("prepare " + case).partition(" ")
        if kind != "ready":
            return None, f"{kind} {rest}"
        number, _, note = rest.partition(" ")
        return number, note

    def run(self, number, repeats):
        """Nanoseconds per run."""
        kind, _, rest = self._ask(f"run {number} {repeats}").partition(" ")
        if kind != "ns":
            raise ChildDied(f"{self.name}: {kind} {rest}")
        return float(rest)

    def drop(self, number):
        self._ask(f"drop {number}")

    def cpu_seconds(self):
        """CPU time of all its threads so far."""
        with open(f"/proc/{self._process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def busy_seconds():
    """CPU time of everybody on this machine, time stolen by the host included."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _idle, _io, irq, softirq, steal = (int(x) for x in file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
