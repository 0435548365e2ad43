# SPDX-License-Identifier: Apache-2.0
"""Rows about processors, cards, TPUs and other chips, checked without any of them: by data sheets in resources/, by arithmetic, and by the
losses of other devices that this machine has."""
import csv
import gzip
import json
import os
import pathlib

from row_kit import Wrong, row, same, settings

ROOT = pathlib.Path(__file__).parents[2]
TRACES = ROOT / "tests/data/traces"


def sheets(b, *words):
    return {r["device"]: r for r in b.json("predict", *words, "--on", "sheets")["rows"]}


def step_of(b, *words):
    """FLOPs and compulsory bytes of each op of a step."""
    return [(r["flops"], r["read_bytes"] + r["written_bytes"]) for r in b.json("ops", *words)["rows"] for _ in range(int(r["calls_count"]))]


def bound_ns(ops, flop_per_s, bytes_per_s):
    return sum(max(flops / flop_per_s, moved / bytes_per_s) for flops, moved in ops) * 1e9


@row("A4", "this processor against the system; a GPU's trace against its data sheet")
def a4(b):
    here = next(d for d in b.json("devices")["devices"] if d["name"] == "cpu")
    same("hardware threads", here["hardware_threads"], os.cpu_count())
    with open("/proc/meminfo") as file:
        same("memory", here["memory_bytes"], int(file.readline().split()[1]) * 1024, 1e-3)
    trace = TRACES / "kineto_h100_bert_small.pt.trace.json.gz"
    with gzip.open(trace, "rt", encoding="utf-8", errors="replace") as file:
        said = json.load(file, strict=False)["deviceProperties"][0]
    card = next(r for name, r in sheets(b, "gemm").items() if name.startswith("H100"))
    same("multiprocessors", card["multiprocessors_count"], said["numSms"])
    same("memory", card["memory_bytes"], said["totalGlobalMem"], 0.1)
    same("units", card["units_count"], 132 * 128)
    b.json("import", trace, "-o", b.folder / "h100.tide")
    roofs = {r["roof"]: r for r in b.table(b.folder / "h100.tide", "roofs")}
    if any(r["origin"] != "specified" for r in roofs.values()):
        raise Wrong(f"{roofs}")
    same("bandwidth of the sheet", max(r["bandwidth_bytes_per_s"] or 0 for r in roofs.values()), 3350e9)
    return f"{here['hardware_threads']} hardware threads; H100: {said['numSms']} SMs of {card['units_count']:.0f} units, in the trace and on the sheet"


@row("A10", "what if on card X: bounds of six cards by hand")
def a10(b):
    words = ("gemm", *settings(m=512, n=512, k=512))
    found, figures = sheets(b, *words), []
    for card in ("GTX 1080 Ti", "RTX 3080 10GB", "RTX 2080 Ti", "Titan RTX", "Tesla V100 SXM2 16GB", "A100 SXM4 40GB"):
        r = found[card]
        by_hand = max(2 * 512**3 / r["peak_flop_per_s"], 3 * 4 * 512**2 / r["memory_bytes_per_s"]) * 1e9
        same(card, r["step_ns"], by_hand, 1e-9)
        same(f"{card}: peak", r["peak_flop_per_s"], r["worked_out_flop_per_s"], 0.015)
        figures.append(f"{r['step_ns'] / 1000:.3g}")
    modelled = {r["device"]: r for r in b.json("predict", *words)["rows"]}
    for key, card in (("gtx-1080-ti", "GTX 1080 Ti"), ("v100", "Tesla V100 SXM2 16GB")):
        if not modelled[key]["step_ns"] > found[card]["step_ns"]:
            raise Wrong(f"{key}: modelled below its bound")
    return f"at least {', '.join(figures)} us"


@row("A11", "RTX 3090: units x clock x 2")
def a11(b):
    card = sheets(b, "gemm")["RTX 3090"]
    same("units", card["units_count"], 10496)
    same("worked out", card["worked_out_flop_per_s"], 2 * 10496 * 1.695e9, 1e-12)
    same("sheet", card["peak_flop_per_s"], 35.6e12, 1e-12)
    truth = float(next(q["truth"] for q in b.json("lesson", "run", "sources")["questions"] if q["question"] == "slide").split()[0])
    same("at the slide's 1.5 GHz", truth, 2 * 10496 * 1.5e-3, 5e-3)
    return f"{card['worked_out_flop_per_s'] / 1e12:.3g} TFLOP/s at 1.695 GHz, {truth} at 1.5 GHz"


@row("A13", "without CUDA: a reason, exit code 3, and all else runs")
def a13(b):
    devices = {d["name"]: d for d in b.json("devices")["devices"]}
    cuda = devices["cuda"]
    if cuda["available"]:
        words = ("mlp", "--batch", 4, "--mode", "training")
        results = b.results(b.run(*words), b.run(*words, device="cuda"))
        return f"a GPU is here: {results['words']}"
    if not cuda["why"] or not cuda["remedy"]:
        raise Wrong(f"no reason or no remedy: {cuda}")
    b.text("run", "mlp", "--device", "cuda", "--no-probe", codes=(3,))
    b.run("mlp", "--batch", 4)
    return f"cuda: {cuda['why']}"


@row("A16", "energy where a counter is, else unknown with its reason")
def a16(b):
    file = b.run("mlp", "--batch", 4)
    readable = [p for p in pathlib.Path("/sys/class/powercap").glob("intel-rapl*/energy_uj") if os.access(p, os.R_OK)]
    found = b.json("analyze", file)["summary"]["step_energy_j"]
    value = found["value"]
    if readable and not value:
        raise Wrong(f"{readable[0]} can be read, and there is no energy")
    if not readable and value is not None:
        raise Wrong(f"energy {value} without a counter")
    if found["origin"] != "measured":
        raise Wrong(f"its origin is {found['origin']}")
    return f"{len(readable)} counters can be read; energy of a step: {'unknown' if value is None else value}"


@row("C7", "does it fit: planned bytes against the memory of each card, and by trial here")
def c7(b):
    verdicts = {}
    for mode in ("inference", "training"):
        words = ("resnet50", "--batch", 64, "--mode", mode)
        found = sheets(b, *words)
        needed = next(iter(found.values()))["needed_bytes"]
        with open(ROOT / "resources/gpu_data_sheets.json") as file:
            memory = {d["name"]: d.get("memory_gib") for d in json.load(file)["devices"]}
        for name, r in found.items():
            expected = None if memory[name] is None else "yes" if needed <= memory[name] * 2**30 else "no"
            if r["fits"] != expected:
                raise Wrong(f"{name}: {r['fits']}, expected {expected}")
        verdicts[mode] = (needed, sum(r["fits"] == "yes" for r in found.values()))
    if not verdicts["training"][0] > verdicts["inference"][0]:
        raise Wrong(f"{verdicts}")
    tried = b.json("fit", "mlp", "--mode", "training", "--memory", "150MB", "--try")
    outcome = tried["trial"]
    if not outcome["ran"] or not outcome["above_refused"]:
        raise Wrong(f"{outcome}")
    return f"ResNet-50, 64 samples: {', '.join(f'{m} {n / 1e9:.3g} GB fits {k} devices' for m, (n, k) in verdicts.items())}; batch {tried['largest_batch']} ran in {outcome['limit_bytes'] / 1e6:.0f} MB, {outcome['above_batch']} was refused"


TPUS = {"TPU v2 (chip)": (45, 700), "TPU v3 (chip)": (123, 900), "TPU v4 (chip)": (275, 1200)}


@row("G1", "TPU v1 to v4: specified, each with its source")
def g1(b):
    found = sheets(b, "gemm")
    with open(ROOT / "resources/gpu_data_sheets.json") as file:
        rows = {d["name"]: d for d in json.load(file)["devices"]}
    names = [n for n, r in found.items() if r["kind"] == "tpu"]
    if len(names) != 4 or any(not rows[n]["sources"] for n in names):
        raise Wrong(f"{names}")
    # 65,536 units of the first one, 8-bit, at 700 MHz
    same("TPU v1", found["TPU v1"]["peak_flop_per_s"], 2 * 256 * 256 * 0.7e9, 0.01)
    return ", ".join(f"{n}: {found[n]['peak_flop_per_s'] / 1e12:g} T ({found[n]['rate']})" for n in names)


@row("G3", "rooflines of 45, 123 and 275 TFLOP/s")
def g3(b):
    words = ("gemm", "--dtype", "bf16", *settings(m=256, n=1024, k=1024))
    ops, found = step_of(b, *words), sheets(b, *words)
    for name, (tera, giga) in TPUS.items():
        same(f"{name}: ridge", found[name]["ridge_flop_per_byte"], tera * 1e12 / (giga * 1e9), 1e-9)
        same(f"{name}: bound", found[name]["step_ns"], bound_ns(ops, tera * 1e12, giga * 1e9), 1e-9)
    hundreds = [n for n in TPUS if found[n]["peak_flop_per_s"] >= 1e14]
    if hundreds != ["TPU v3 (chip)", "TPU v4 (chip)"]:
        raise Wrong(f"hundreds of TFLOP/s: {hundreds}")
    return f"ridges {', '.join(format(found[n]['ridge_flop_per_byte'], '.3g') for n in TPUS)} FLOP/B; v2 is below hundreds"


@row("G4", "pods: chips x peak")
def g4(b):
    found = sheets(b, "gemm")
    for name, chips, published in (("TPU v3 (chip)", 1024, 126e15), ("TPU v4 (chip)", 4096, 1.1e18)):
        same(f"{name}: chips", found[name]["pod_chips_count"], chips)
        same(f"{name}: pod against Google's figure", found[name]["pod_flop_per_s"], published, 0.03)
    truths = {q["question"]: q["truth"] for q in b.json("lesson", "run", "pods")["questions"]}
    same("PFLOPS of the lesson", float(truths["pod"].split()[0]), 1024 * 123 / 1000, 5e-3)
    return f"{found['TPU v3 (chip)']['pod_flop_per_s'] / 1e15:.4g} PFLOP/s and {found['TPU v4 (chip)']['pod_flop_per_s'] / 1e18:.3g} EFLOP/s"


@row("G5", "price x time, and no price of today in the program")
def g5(b):
    text = b.text("lesson", "run", "pods")
    price = round(5064 * 4 * 1.35, 2)
    if f"{price} USD" not in text or "not in this program" not in text:
        raise Wrong(text[-400:])
    for file in (ROOT / "resources").glob("*.json"):
        if "usd" in file.read_text().lower():
            raise Wrong(f"{file.name} has prices")
    return f"5064 chips x 4 h x 1.35 USD, as the lecture has it, = {price} USD"


@row("G6", "TPU-hours of AlphaZero")
def g6(b):
    truth = next(q["truth"] for q in b.json("lesson", "run", "pods")["questions"] if q["question"] == "hours")
    same("TPU-hours", float(truth.split()[0]), 5064 * 4)
    return f"{truth} = 5064 x 4"


@row("G7", "an edge chip: arithmetic alone, no slope")
def g7(b):
    words = ("mobilenet", "--batch", 1, "--mode", "inference")
    r = sheets(b, *words)["Apple A11 Neural Engine"]
    flops = sum(f for f, _ in step_of(b, *words))
    same("bound", r["step_ns"], flops / 0.6e12 * 1e9, 1e-6)
    for key in ("memory_bytes_per_s", "ridge_flop_per_byte", "memory_bytes", "fits"):
        if r[key] is not None:
            raise Wrong(f"{key}: {r[key]}, though nothing is published")
    return f"MobileNet: at least {r['step_ns'] / 1e6:.3g} ms an image at 0.6 T operations/s; no bandwidth, no slope"


@row("K3", "GTX 980, GTX 1080 and K80: bounds, and what a cell of the table implies")
def k3(b):
    cards = ("GTX 980", "GTX 1080", "Tesla K80 (one of its two chips)")
    words = ("resnet50", "--preset", "shi2016")
    ops, found = step_of(b, *words), sheets(b, *words)
    for card in cards:
        r = found[card]
        same(card, r["step_ns"], bound_ns(ops, r["peak_flop_per_s"], r["memory_bytes_per_s"]), 1e-6)
    with open(ROOT / "resources/references/shi2016_table7.csv") as file:
        cells = [c for c in csv.DictReader(file)]
    if len(cells) < 300:
        raise Wrong(f"{len(cells)} cells")
    # 105.6 GFLOP of the whole net in 20 ms on the GTX 980: above its peak, so that the cell cannot be of the whole net
    implied = 105.6e9 / 0.020 / found["GTX 980"]["peak_flop_per_s"]
    same("implied share of AlexNet-S, MXNet", implied, 1.06, 0.01)
    least = ", ".join(f"{c} {found[c]['step_ns'] / 1e6:.3g} ms" for c in cards)
    return f"{least}; AlexNet-S, MXNet on the GTX 980: {implied:.2f} of its peak"
