# SPDX-License-Identifier: Apache-2.0
"""Checks of rows about devices: two side by side, copies and links, launches, data parallelism, modules that move."""
import collections
import gzip
import json
import math
import os
import pathlib
import re
import sqlite3
import statistics
import struct

from row_kit import Wrong, row, same, settings

DATA = pathlib.Path(__file__).parent.parent / "data"
RESOURCES = pathlib.Path(__file__).parent.parent.parent / "resources"


def queried(file, text, *values):
    with sqlite3.connect(file) as database:
        return database.execute(text, values).fetchall()


def trace(name):
    with gzip.open(DATA / "traces" / f"{name}.gz") as file:
        return json.load(file)["traceEvents"]


def imported(b, name):
    target = b.folder / f"{name}.tide"
    if not target.exists():
        b.text("import", DATA / "traces" / f"{name}.gz", "-o", target)
    return target


KINETO = "kineto_h100_bert_small.pt.trace.json"


@row("A6", "one training on two devices: losses, ratio of steps, threads")
def a6(b):
    words = ("mlp", "--batch", 16, "--mode", "training", *settings(input=64, hidden=64, output=10))
    other = "opencl" if any(d["name"] == "opencl" and d["available"] for d in b.json("devices")["devices"]) else "sim:0"
    cpu, there = b.run(*words, steps=10), b.run(*words, device=other, steps=10)
    before, after = (b.json("analyze", file)["summary"] for file in (cpu, there))
    same("loss after 10 steps", after["loss"]["value"], before["loss"]["value"], 1e-5)
    compared = b.json("compare", cpu, there)["comparisons"][0]
    medians = []
    for file in (cpu, there):
        times = [ns for ns, in queried(file, 'SELECT "end" - start FROM TIDE_STEP WHERE isTraced = 1 AND isWarmup = 0')]
        same("timed steps", len(times), 10)
        medians.append(statistics.median(times))
    text = b.text("compare", cpu, there)
    if f"{other}" not in text:
        raise Wrong(f"the devices are not named: {text[:200]}")
    return f"cpu against {other}: {medians[1] / medians[0]:.2f}x here, {compared['sentence'] if 'sentence' in compared else ''}"


@row("A7", "this processor beside a GPU, from their data")
def a7(b):
    cpu, gpu = b.json("devices", "--beside", "v100")["devices"]
    sheet = next(d for d in json.loads((RESOURCES / "modelled_gpus.json").read_text())["devices"] if d["key"] == "v100")
    figures = gpu["figures"]
    same("multiprocessors", figures["units_count"]["value"], sheet["multiprocessors"])
    same("FLOP/s", figures["flop_per_s"]["value"], 2e6 * sheet["multiprocessors"] * sheet["lanes"] * sheet["boost_mhz"], 1e-9)
    same("bandwidth", figures["memory_bytes_per_s"]["value"], 1e9 * sheet["memory_gb_per_s"], 1e-9)
    here = cpu["figures"]
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    lanes = 16 if re.search(r"\bavx512f\b", flags) else 8 if re.search(r"\bavx2?\b", flags) else 4
    if here["lanes_count"]["value"] > lanes:
        raise Wrong(f"lanes: {here['lanes_count']}, the flags of /proc/cpuinfo allow {lanes}")
    if not 1 <= here["units_count"]["value"] <= os.cpu_count():
        raise Wrong(f"cores: {here['units_count']}")
    total = int(re.search(r"MemTotal: +(\d+) kB", pathlib.Path("/proc/meminfo").read_text()).group(1)) * 1024
    same("memory", here["memory_bytes"]["value"], total)
    for device in (cpu, gpu):
        for key, figure in device["figures"].items():
            if figure["value"] is None and not figure.get("note"):
                raise Wrong(f"{device['name']}: {key} is unknown without a reason")
            if figure["value"] is not None and figure["origin"] not in ("measured", "specified"):
                raise Wrong(f"{device['name']}: {key}: {figure}")
    recorded = b.json("devices", "--beside", DATA / "traces" / f"{KINETO}.gz")["devices"][1]
    if "H100" not in recorded["name"] or "recorded" not in recorded["what"]:
        raise Wrong(f"{recorded['name']}: {recorded['what']}")
    return f"{cpu['name']} beside {gpu['name']} and {recorded['name']}"


@row("A14", "kernels, grids, blocks and threads of each op, against the launch log")
def a14(b):
    emulated = b.folder / "a14.tide"
    b.json("run", "mlp", "--batch", 4, "--mode", "training", *settings(input=20, hidden=16, output=5), "--device", "emu:0", "--collect", "cupti",
           "--steps", 2, "--warmup", 1, "--no-probe", "-o", emulated)
    log = collections.Counter(queried(emulated, "SELECT gridX, gridY, gridZ, blockX, blockY, blockZ FROM CUPTI_ACTIVITY_KIND_KERNEL"))
    rows = b.table(emulated, "launches")
    found = collections.Counter()
    for r in rows:
        extents = tuple(int(n) for part in ("grid", "block") for n in r[part].split(" x "))
        found[extents] += int(r["launches_count"])
        same(f"{r['op']}: threads", r["threads_count"], math.prod(extents))
    if found != log:
        raise Wrong(f"{found} instead of {log}")
    events = collections.Counter(tuple(e["args"]["grid"] + e["args"]["block"]) for e in trace(KINETO) if e.get("cat") == "kernel")
    rows = b.table(imported(b, KINETO), "launches")
    found = collections.Counter()
    for r in rows:
        found[tuple(int(n) for part in ("grid", "block") for n in r[part].split(" x "))] += int(r["launches_count"])
    if found != events:
        raise Wrong(f"imported: {sum(found.values())} launches, the trace has {sum(events.values())}")
    named = sum(1 for r in rows if r["op"])
    return f"{sum(log.values())} launches emulated, {sum(found.values())} imported, {named} of {len(rows)} rows with their op"


@row("C1", "copies of an imported trace, added up by hand; none is a link where there is none")
def c1(b):
    target = b.folder / "c1.tide"
    raw = b.folder / "c1.sqlite"
    raw.write_bytes(gzip.decompress((DATA / "traces" / "nsys_h100_2gpu_1s.sqlite.gz").read_bytes()))
    b.text("import", raw, "-o", target)
    own = {}
    for kind, count, size, ns in queried(raw, "SELECT copyKind, COUNT(*), SUM(bytes), SUM(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY GROUP BY copyKind"):
        own[kind] = (count, size, ns)
    rows = b.table(target, "transfers")
    figures = []
    for kind, direction in ((1, "host to device"), (2, "device to host"), (8, "device to device")):
        if kind not in own:
            continue
        mine = [r for r in rows if r["direction"] == direction]
        count, size, ns = own[kind]
        same(f"{direction}: copies", sum(r["copies_count"] for r in mine), count)
        same(f"{direction}: bytes", sum(r["copied_bytes"] for r in mine), size)
        figures.append(f"{direction} {size / ns:.4g} GB/s")
    devices = b.run("devices")
    text = b.text("analyze", devices, "--table", "transfers") + b.text("analyze", devices, "--table", "links") + b.text("analyze", devices)
    directions = {r["direction"] for r in b.table(devices, "transfers")}
    if directions != {"host to host"} or re.search(r"PCI", text):
        raise Wrong(f"a copy within host memory is called a link: {directions}")
    return ", ".join(figures)


@row("C10", "balance of this machine and of a DGX-1")
def c10(b):
    preset = json.loads((RESOURCES / "machine_presets.json").read_text())["machines"][0]
    shown = b.json("devices", "--balance", preset["key"])
    for level, r in zip(preset["levels"], shown["table"]["rows"]):
        same(level["level"], r["flop_per_byte"], preset["f32_tflop_per_s"] * 1e12 / (level["gb_per_s"] * 1e9), 1e-9)
        if r["origin"] != "specified":
            raise Wrong(f"{r}")
    same("memory of 8 GPUs", shown["table"]["rows"][-1]["bytes_per_s"], 8 * 900e9, 1e-9)
    here = b.json("devices", "--balance", "here", "--disk", b.folder)
    disk = here["table"]["rows"][0]
    if disk["level"] != "Disk" or not disk["bytes_per_s"] > 0 or disk["origin"] != "measured" or "O_DIRECT" not in disk["how"]:
        raise Wrong(f"{disk}")
    for r in here["table"]["rows"]:
        if r["bytes_per_s"] is not None and here["flop_per_s"]["value"] is not None:
            same(r["level"], r["flop_per_byte"], here["flop_per_s"]["value"] / r["bytes_per_s"], 1e-9)
    return f"disk here {disk['bytes_per_s'] / 1e9:.3g} GB/s cold; DGX-1: {shown['table']['rows'][0]['flop_per_byte']:.3g} FLOP per byte of its disks"


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


@row("I3", "the cost of starting an op, as a distribution")
def i3(b):
    file = b.run("launch", *settings(ops=200, n=1), steps=5)
    r = next(r for r in b.table(file, "quantiles") if r["name"] == "scale")
    same("runs", r["count"], 200 * 5)
    kind = queried(file, "SELECT id FROM TIDE_ACTIVITY_KIND WHERE name = 'op'")[0][0]
    times = [ns for ns, in queried(file, 'SELECT a."end" - a.start FROM NVTX_EVENTS a JOIN TIDE_STEP s ON a.tideStep = s.step '
                                         "WHERE a.tideKind = ? AND s.isTraced = 1 AND s.isWarmup = 0", kind)]
    same("own count", len(times), 1000)
    for q in (5, 50, 95):
        same(f"{q} %", r[f"p{q}_ns"], quantile(times, q / 100), 1e-9)
    fused = b.run("launch", *settings(ops=200, n=1), "--fuse", "on", steps=5)
    dispatches = [sum(1 for o in b.table(f, "ops") if o["kernel"] != "view") for f in (file, fused)]
    same("dispatches", dispatches[0], 200)
    if dispatches[1] >= dispatches[0]:
        raise Wrong(f"fusion leaves {dispatches[1]} dispatches")
    return f"{r['p5_ns']:.0f}, {r['p50_ns']:.0f}, {r['p95_ns']:.0f} ns at 5, 50, 95 %; fused: {dispatches[1]} instead of 200 dispatches"


@row("J1", "each op and tensor with its device; the lane of an op is that device's")
def j1(b):
    file = b.run("devices")
    ops = {r["op"]: r["device"] for r in b.table(file, "ops")}
    kind = queried(file, "SELECT id FROM TIDE_ACTIVITY_KIND WHERE name = 'op'")[0][0]
    lanes = collections.defaultdict(set)
    for op, lane in queried(file, "SELECT n.value, t.name FROM NVTX_EVENTS a JOIN TIDE_OP o ON a.tideOp = o.id JOIN StringIds n ON o.nameId = n.id "
                                  "JOIN TIDE_TRACK t ON a.tideTrack = t.id WHERE a.tideKind = ?", kind):
        lanes[op].add("cpu" if lane == "main thread" else lane)
    for op, found in lanes.items():
        if found != {ops[op]}:
            raise Wrong(f"{op}: table {ops[op]}, lanes {found}")
    tensors = b.table(file, "tensors")
    counts = collections.Counter(t["device"] for t in tensors)
    if set(counts) != {"cpu", "sim:0", "sim:1"}:
        raise Wrong(f"{counts}")
    for r in b.table(file, "memory"):
        same(r["op"], sum(r[f"{d}_bytes"] for d in counts), r["live_bytes"])
    words = b.text("analyze", file, "--table", "ops", "--by", "type")
    if "sums are over all of them" not in words:
        raise Wrong("the sum over devices is not said")
    return f"{len(lanes)} ops on their lanes; tensors: {dict(counts)}"


@row("J3", ".to() is the tensor itself where it lies, else a copy")
def j3(b):
    steps = b.lines("u = tensor(1, 2, 3)", "v = u.to(sim:0)", "w = u.to(cpu)", "w[0] = 5", "v[1] = 7")
    copied = [sum(m["size_bytes"] for m in s["moves"]) for s in steps[:3]]
    if copied != [0, 12, 0]:
        raise Wrong(f"bytes {copied}")
    values = {v["name"]: v for v in steps[-1]["values"]}
    if (values["u"]["values"], values["w"]["values"], values["v"]["values"]) != ("5, 2, 3", "5, 2, 3", "1, 7, 3"):
        raise Wrong(f"{[(n, v['values']) for n, v in values.items()]}")
    if values["w"]["same_as"] != "u" or values["v"]["same_as"]:
        raise Wrong(f"{values['w']['same_as']}, {values['v']['same_as']}")
    return "u.to(cpu) is u; u.to(sim:0) is a copy of 12 bytes"


@row("J4", "m @ x moved and computed there")
def j4(b):
    steps = b.lines("m = random(10x10)", "x = random(10x100)", "a = m.to(sim:0)", "c = x.to(sim:0)", "y = a @ c")
    moved = [sum(m["size_bytes"] for m in s["moves"]) for s in steps]
    if moved != [0, 0, 400, 4000, 0]:
        raise Wrong(f"{moved}")
    y = next(v for v in steps[-1]["values"] if v["name"] == "y")
    if (y["device"], y["shape"]) != ("sim:0", "10x100"):
        raise Wrong(f"{y}")
    return "400 and 4000 bytes, no copy for the product"


@row("J5", "new tensors keep type and device")
def j5(b):
    steps = b.lines("u = ones(2, f64)", "z = u.new_zeros(3)", "h = ones(1, f16, sim:0)", "f = h.new_full(2x3, 1.4)")
    values = {v["name"]: v for v in steps[-1]["values"]}
    half = struct.unpack("e", struct.pack("e", 1.4))[0]
    if (values["z"]["dtype"], values["f"]["dtype"], values["f"]["device"]) != ("f64", "f16", "sim:0"):
        raise Wrong(f"{values['z']['dtype']} {values['f']['dtype']} {values['f']['device']}")
    same("1.4 in f16", float(values["f"]["values"].split(", ")[0]), half, 1e-4)
    return f"new_full(1.4) of f16 on sim:0 is {half}"


def refused_across(b, first, second):
    steps = b.lines(f"x = ones(3, {first})", f"y = full(3, 2, {second})", "z = x + y", "x.copy_(y)")
    refusal = steps[2]
    if not refusal["refused"] or first not in refusal["text"] or second not in refusal["text"] or "add" not in refusal["text"]:
        raise Wrong(refusal["text"])
    if refusal["moves"] or any(v["name"] == "z" for v in refusal["values"]):
        raise Wrong("something was copied or made before the refusal")
    if refusal["remedy"] != f"z = x + y.to({first})":
        raise Wrong(f"remedy {refusal['remedy']}")
    before = {v["name"]: v["values"] for v in refusal["values"]}
    if before != {"x": "1, 1, 1", "y": "2, 2, 2"}:
        raise Wrong(f"{before}")
    x = next(v for v in steps[3]["values"] if v["name"] == "x")
    if (x["values"], x["device"]) != ("2, 2, 2", first):
        raise Wrong(f"copy_: {x}")
    return f"x + y across {first} and {second} is refused with both names; copy_ may mix"


@row("J6", "ops across devices are refused before anything is computed")
def j6(b):
    return refused_across(b, "cpu", "sim:0")


@row("J7", "the same between two devices beside the host")
def j7(b):
    return refused_across(b, "sim:0", "sim:1")


@row("J9", "a module moves in place")
def j9(b):
    steps = b.lines("m = linear(3, 2)", "t = ones(2x3)", "m.to(sim:0)", "m.to(sim:0)", "a = m(t)", "s = t.to(sim:0)", "y = m(s)")
    moved = [sum(move["size_bytes"] for move in s["moves"]) for s in steps]
    same("weight and bias", moved[2], 4 * (3 * 2 + 2))
    same("moved again", moved[3], 0)
    values = {v["name"]: v for v in steps[-1]["values"]}
    if (values["m"]["device"], values["t"]["device"], values["y"]["device"]) != ("sim:0", "cpu", "sim:0") or not steps[4]["refused"]:
        raise Wrong(f"{values}")
    return "32 bytes in place; a tensor that is not its own stays on cpu"


@row("J10", "whether a GPU is there is asked without a crash")
def j10(b):
    devices = {d["name"]: d for d in b.json("devices")["devices"]}
    gpus = [d for name, d in devices.items() if name.startswith("cuda")]
    if not gpus or any(not d["available"] and not (d["why"] and d["remedy"]) for d in gpus):
        raise Wrong(f"{gpus}")
    if not gpus[0]["available"]:
        b.text("run", "mlp", "--device", "cuda", "--no-probe", codes=(3,))
    b.run("mlp", "--batch", 2)
    return "available" if gpus[0]["available"] else f"not available: {gpus[0]['why']}"


@row("J11", "data parallel: equal results, bytes of scatter and gather, both devices at once")
def j11(b):
    figures = []
    for batch, halves in ((50, [25, 25]), (51, [26, 25]), (7, [4, 3]), (1, [1])):
        two, one = (b.run("devices", "--batch", batch, *settings(replicas=n)) for n in (2, 1))
        results = b.results(one, two)
        if not results["same"] and not results["distance_ratio"] <= 2e-5:
            raise Wrong(f"batch {batch}: {results['words']}")
        moved = collections.defaultdict(float)
        for r in b.table(two, "transfers"):
            moved[r["tensor"]] += r["copied_bytes"] / r["copies_count"]
        for i, rows in enumerate(halves):
            part = f"parallel.scatter.{('first', 'second')[i]}.slice"
            same(f"batch {batch}: {part}", moved[part], rows * 5 * 4)
        figures.append("+".join(map(str, halves)))
    big = b.run("devices", "--batch", 4096, *settings(inputs=512, outputs=512), steps=8)
    kind = queried(big, "SELECT id FROM TIDE_ACTIVITY_KIND WHERE name = 'op'")[0][0]
    spans = collections.defaultdict(list)
    for lane, start, end in queried(big, 'SELECT t.name, a.start, a."end" FROM NVTX_EVENTS a JOIN TIDE_TRACK t ON a.tideTrack = t.id WHERE a.tideKind = ?', kind):
        spans[lane].append((start, end))
    at_once = sum(max(0, min(e, f) - max(s, t)) for s, e in spans["sim:0"] for t, f in spans["sim:1"])
    alone = min(sum(e - s for s, e in spans[lane]) for lane in ("sim:0", "sim:1"))
    if at_once <= 0:
        raise Wrong("the devices never computed at once")
    return f"{', '.join(figures)} rows; at once for {at_once / alone:.0%} of the shorter lane"


@row("J12", "which library computed an op, from the dispatcher")
def j12(b):
    ops = b.table(b.run("mlp", "--batch", 16, "--mode", "inference"), "ops")
    kernels = {r["kernel"] for r in ops if r["type"] == "linear"}
    if not kernels or any(k in ("", "reference") for k in kernels):
        raise Wrong(f"{kernels}")
    own = {r["kernel"] for r in b.table(b.run("mlp", "--batch", 16, "--mode", "inference", "--without", "onednn,openblas"), "ops")
           if r["type"] == "linear"}
    if any(re.search("oneDNN|OpenBLAS", k) for k in own):
        raise Wrong(f"without libraries: {own}")
    return f"{', '.join(sorted(kernels))}; without libraries {', '.join(sorted(own))}"
