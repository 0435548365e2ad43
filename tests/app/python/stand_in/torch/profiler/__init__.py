# SPDX-License-Identifier: Apache-2.0
"""torch.profiler: counts steps by its schedule as PyTorch does, and writes one event for each call it was told of."""
import json

last = None  # the profile that was made last


def schedule(*, wait, warmup, active, repeat):
    return {"wait": wait, "warmup": warmup, "active": active, "repeat": repeat}


class record_function:
    names = []

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        record_function.names.append(self.name)
        if last is not None:
            last.open.append((self.name, last.tick()))
        return self

    def __exit__(self, *_):
        if last is not None and last.open:
            name, begin = last.open.pop()
            last.event(name, "user_annotation", begin, last.tick() - begin)


class profile:
    def __init__(self, *, on_trace_ready, schedule=None, **options):
        global last
        last, self.ready, self.schedule, self.options = self, on_trace_ready, schedule, options
        self.events, self.open, self.now, self.number, self.began, self.exported = [], [], 1000, 0, 1000, False

    def tick(self):
        self.now += 10
        return self.now

    def recording(self):
        if self.schedule is None:
            return True
        first = self.schedule["wait"] + self.schedule["warmup"]
        return first <= self.number < first + self.schedule["active"]

    def event(self, name, category, begin, duration, **args):
        if self.recording():
            self.events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": begin, "dur": duration,
                                "args": args})

    def __enter__(self):
        return self

    def op(self, name, shapes):
        self.event(name, "cpu_op", self.tick(), 5, **{"Input Dims": shapes, "Input type": ["float"] * len(shapes)})

    def step(self):
        self.event(f"ProfilerStep#{self.number}", "user_annotation", self.began, self.tick() - self.began)
        was = self.recording()
        self.number += 1
        self.began = self.tick()
        if was and not self.recording():
            self.finish()

    def finish(self):
        self.exported = True
        self.ready(self)

    def __exit__(self, *_):
        if self.recording() and not self.exported:
            self.finish()

    def export_chrome_trace(self, file):
        with open(file, "w", encoding="utf-8") as out:
            json.dump({"schemaVersion": 1, "deviceProperties": [], "traceEvents": self.events}, out)
