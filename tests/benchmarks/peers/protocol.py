# SPDX-License-Identifier: Apache-2.0
"""The line protocol of the comparison's children (../serve.h), for peers written in Python."""
import sys
import time


class Timed:
    """A case made ready: `once` runs it; `per` is how many ops one run has where the case is per op."""

    def __init__(self, once, note, per=1):
        self.once, self.note, self.per = once, note, per

    def ns_per_run(self, repeats):
        once = self.once
        begin = time.perf_counter_ns()
        for _ in range(repeats):
            once()
        return (time.perf_counter_ns() - begin) / repeats / self.per


class Settings(dict):
    """name=value pairs of a case."""

    def count(self, key):
        return int(self[key])


def answer(line, about, make_case, cases):
    words = line.split()
    if words == ["about"]:
        return "about " + about
    if len(words) >= 2 and words[0] == "prepare":
        timed = make_case(words[1], Settings(word.split("=", 1) for word in words[2:]))
        if timed is None:
            return "no case named " + words[1]
        number = max(cases, default=0) + 1
        cases[number] = timed
        return f"ready {number} {timed.note}"
    if len(words) == 3 and words[0] == "run":
        return f"ns {cases[int(words[1])].ns_per_run(int(words[2])):.3f}"
    if len(words) == 2 and words[0] == "drop":
        del cases[int(words[1])]
        return "dropped " + words[1]
    return "no such request"


def serve(about, make_case):
    """Answers standard input until it ends. What goes wrong in a case is that case's answer."""
    out, sys.stdout = sys.stdout, sys.stderr  # libraries may print
    cases = {}
    for line in sys.stdin:
        try:
            text = answer(line, about, make_case, cases)
        except Exception as error:  # any library error: the peer cannot do this case
            text = "no: " + " ".join(f"{type(error).__name__}: {error}".split())[:200]
        print(text, file=out, flush=True)


def threads_argument():
    if len(sys.argv) != 3 or sys.argv[1] != "--threads" or not sys.argv[2].isdigit() or int(sys.argv[2]) < 1:
        sys.exit(f"usage: {sys.argv[0]} --threads N")
    return int(sys.argv[2])
