# SPDX-License-Identifier: Apache-2.0
"""Rows about graphs, gradients, model files and fusion, checked with models of our own (own_models.py) and the traces of tests/data."""
import collections
import gzip
import json
import math
import pathlib
import random
import shutil
import sqlite3

from own_models import (SavedGraph, elements, library, onnx_model, onnx_node, onnx_tensor, onnx_value, read_npy, write_npy)
from row_kit import Wrong, row, same, settings

TRACES = pathlib.Path(__file__).parents[1] / "data/traces"


@row("A17", "bytes on every link between two levels of the memory")
def a17(b):
    file = b.run("mlp", "--batch", 8, *settings(input=256, hidden=256, output=16))
    links = {r["link"] for r in b.table(file, "traffic")}
    if len(links) < 3 or not any("L1" in link for link in links) or not any("DRAM" in link for link in links):
        raise Wrong(f"{links}")
    return f"{len(links)} links: {', '.join(sorted(links))}"


# AlexNet of section 1 of the notes on Shi et al.: channels, maps, window, padding, stride and maps of each convolution; layers behind
# 6 x 6 maps. Sizes by (size + 2 padding - window) / stride + 1, by hand.
CONVOLUTIONS = [(3, 224, 96, 11, 4), (96, None, 256, 5, 1), (256, None, 384, 3, 1), (384, None, 384, 3, 1), (384, None, 256, 3, 1)]
LAYERS = [(256 * 6 * 6, 4096), (4096, 4096), (4096, 1000)]


@row("A19", "AlexNet's layers: weights and FLOPs by hand")
def a19(b):
    rows = b.json("ops", "alexnet", "--preset", "alexnet-s", "--mode", "inference")["rows"]
    maps, batch = (55, 27, 13, 13, 13), 16
    convolutions = [r for r in rows if r["op"] == "conv2d"]
    same("convolutions", len(convolutions), 5)
    for r, (channels, _, filters, window, _), size in zip(convolutions, CONVOLUTIONS, maps):
        same(f"FLOPs of {r}", r["flops"], 2 * batch * size * size * filters * channels * window * window)
    linear = [r for r in rows if r["op"] == "linear"]
    for r, (inputs, outputs) in zip(linear, LAYERS):
        same("FLOPs of a layer", r["flops"], 2 * batch * inputs * outputs + batch * outputs, 2e-3)
    same("layers", len(linear), 3)
    weights = sum(c * f * w * w for c, _, f, w, _ in CONVOLUTIONS) + sum(i * o for i, o in LAYERS)
    biases = sum(f for _, _, f, _, _ in CONVOLUTIONS) + sum(o for _, o in LAYERS)
    run = b.json("analyze", b.run("alexnet", "--preset", "alexnet-s", "--mode", "inference", device="null"))["run"]
    same("parameters", run["parameter_count"], weights + biases)
    return f"maps {maps}, {run['parameter_count']} parameters"


@row("E2", "roles follow the graph: misleading names change none")
def e2(b):
    b.text("save", "mlp", "--batch", 4, "--mode", "training", *settings(input=12, hidden=8, output=5), "-o", "plain.json")
    document = json.loads((b.folder / "plain.json").read_text())
    liars = ["weight", "gradient", "input", "activation", "velocity"]
    for i, value in enumerate(document["values"]):
        value["name"] = f"{liars[i % len(liars)]}.{i}"
    (b.folder / "lies.json").write_text(json.dumps(document))
    roles = []
    for name in ("plain.json", "lies.json"):
        file = b.run(name)
        roles.append(b.json("query", file, "SELECT role, sizeBytes FROM TIDE_TENSOR ORDER BY id")["rows"])
    if roles[0] != roles[1] or len(roles[0]) < 10:
        raise Wrong(f"{roles[0]} and {roles[1]}")
    return f"{len(roles[0])} tensors keep their roles under other names"


NETS = {
    "perceptron": {"input": [7], "layers": [{"type": "linear", "units": 9}, {"type": "sigmoid"}, {"type": "linear", "units": 6}, {"type": "tanh"},
                                             {"type": "linear", "units": 4}]},
    "convolution": {"input": [3, 9, 9], "layers": [
        {"type": "conv2d", "filters": 5, "kernel": 3, "stride": 2, "padding": 1, "bias": True}, {"type": "batch_norm"}, {"type": "gelu"},
        {"type": "average_pool", "kernel": 2, "stride": 1}, {"type": "conv2d", "filters": 4, "kernel": 2}, {"type": "relu"},
        {"type": "max_pool", "kernel": 2, "stride": 1}, {"type": "flatten"}, {"type": "linear", "units": 3}]},
    "sequence": {"input": [5, 6], "layers": [{"type": "lstm", "units": 7, "all_steps": True}, {"type": "layer_norm"}, {"type": "flatten"}, {"type": "linear", "units": 4}]},
    "attention": {"input": {"tokens": 5, "vocabulary": 11}, "layers": [
        {"type": "embedding", "units": 8}, {"type": "attention", "heads": 2, "causal": True}, {"type": "layer_norm"},
        {"type": "residual", "layers": [{"type": "linear", "units": 8}, {"type": "gelu"}]}, {"type": "flatten"}, {"type": "linear", "units": 6}]},
}


def gradients_of(document):
    """By the ops of the update: a parameter's leaf, and the value that holds its gradient."""
    leaves = {leaf["id"]: leaf for leaf in document["values"]}
    pairs = {}
    for node in document["nodes"]:
        if node["phase"] != "update":
            continue
        parameters = [i for i in node["inputs"] if i in leaves and leaves[i]["kind"] == "parameter"]
        others = [i for i in node["inputs"] if i not in leaves]
        if len(parameters) == 1 and len(others) == 1:
            pairs[parameters[0]] = others[0]
    return leaves, pairs


@row("H2", "gradients against central differences in f64")
def h2(b):
    lib, worst, ops, points = library(b.program), 0, set(), 0
    for seed, (name, net) in enumerate(NETS.items()):
        (b.folder / f"{name}.json").write_text(json.dumps({**net, "batch": 3, "optimizer": {"type": "sgd", "learning_rate": 0.1}}))
        b.text("save", f"{name}.json", "--mode", "training", "-o", f"{name}.graph.json")
        document = json.loads((b.folder / f"{name}.graph.json").read_text())
        leaves, pairs = gradients_of(document)
        if not pairs:
            raise Wrong(f"{name}: no parameter has an update")
        losses = [n for n in document["nodes"] if n["op"].startswith("softmax_cross_entropy") and n["phase"] == "forward"]
        loss = losses[0]["outputs"][0]
        graph = SavedGraph(lib, b.folder / f"{name}.graph.json", [loss, *pairs.values()])
        graph.start(seed + 1)
        graph.run()
        found = {leaf: graph.read(value, elements(leaves[leaf]["shape"])) for leaf, value in pairs.items()}
        ops |= {n["op"] for n in document["nodes"] if n["phase"] == "backward"}
        numbers = random.Random(seed)
        for leaf, gradient in found.items():
            largest = max(abs(g) for g in gradient)
            if largest < 1e-9:
                continue  # a shift before a normalisation: its gradient is zero
            for at in {0, *(numbers.randrange(len(gradient)) for _ in range(4))}:
                ends = []
                for step in (1e-5, -1e-5):
                    moved = list(graph.given[leaf])
                    moved[at] += step
                    graph.run(**{leaves[leaf]["name"]: moved})
                    ends.append(graph.read(loss, 1)[0])
                error = abs((ends[0] - ends[1]) / 2e-5 - gradient[at]) / largest
                worst, points = max(worst, error), points + 1
                if not error < 1e-6:
                    raise Wrong(f"{name}, {leaves[leaf]['name']}[{at}]: {gradient[at]}, differences give {(ends[0] - ends[1]) / 2e-5}")
    return f"{points} derivatives through {len(ops)} backward ops, worst {worst:.1e} of the largest of its tensor"


@row("H6", "nodes, edges and bytes of a net drawn by hand")
def h6(b):
    batch, widths = 4, (12, 8, 6, 5)
    net = {"input": [12], "batch": batch, "layers": [{"type": "linear", "units": 8, "name": "a"}, {"type": "relu", "name": "b"},
                                                     {"type": "linear", "units": 6, "name": "c"}, {"type": "relu", "name": "d"},
                                                     {"type": "linear", "units": 5, "name": "e"}]}
    (b.folder / "net.json").write_text(json.dumps(net))
    file = b.run("net.json", "--mode", "inference")
    ops, edges = b.table(file, "ops"), b.table(file, "network")
    same("nodes", len(ops), 5)
    own = [(x, y) for x, y in zip("abcd", "bcde")]
    found = [(e["from"].split("/")[0], e["to"].split("/")[0], e["read_bytes"]) for e in edges]
    for (x, y), width in zip(own, (8, 8, 6, 6)):
        if (x, y, 4 * batch * width) not in found:
            raise Wrong(f"no edge {x} to {y} of {4 * batch * width} bytes in {found}")
    same("edges", len(edges), len(own))
    return f"5 nodes, 4 edges of {', '.join(str(4 * batch * w) for w in (8, 8, 6, 6))} bytes; widths {widths}"


def small_model():
    """Convolution, ReLU, pooling and a layer: the file, its numbers, and what it must put out."""
    numbers = random.Random(7)
    some = lambda count: [round(numbers.uniform(-1, 1), 3) for _ in range(count)]
    x, w, bias, m, shift = some(2 * 5 * 5), some(3 * 2 * 3 * 3), some(3), some(4 * 12), some(4)
    model = onnx_model(
        [onnx_node("Conv", ["x", "w", "bias"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1]), onnx_node("Relu", ["c"], ["r"]),
         onnx_node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]), onnx_node("Flatten", ["p"], ["f"], axis=1),
         onnx_node("Gemm", ["f", "m", "shift"], ["y"], transB=1)],
        [onnx_tensor("w", [3, 2, 3, 3], w), onnx_tensor("bias", [3], bias), onnx_tensor("m", [4, 12], m), onnx_tensor("shift", [4], shift)],
        [onnx_value("x", [1, 2, 5, 5])], [onnx_value("y", [1, 4])])
    at = lambda c, i, j: x[(c * 5 + i) * 5 + j] if 0 <= i < 5 and 0 <= j < 5 else 0
    maps = [[[max(0, bias[o] + sum(w[((o * 2 + c) * 3 + di) * 3 + dj] * at(c, i + di - 1, j + dj - 1)
                                   for c in range(2) for di in range(3) for dj in range(3))) for j in range(5)] for i in range(5)] for o in range(3)]
    flat = [max(maps[o][2 * i + di][2 * j + dj] for di in (0, 1) for dj in (0, 1)) for o in range(3) for i in range(2) for j in range(2)]
    return model, x, [shift[o] + sum(m[12 * o + k] * flat[k] for k in range(12)) for o in range(4)]


@row("H7", "an ONNX file made by hand; traces counted by hand")
def h7(b):
    model, x, expected = small_model()
    (b.folder / "made.onnx").write_bytes(model)
    write_npy(b.folder / "x.npy", [1, 2, 5, 5], x)
    b.json("run", "made.onnx", "--input", "x=x.npy", "--save-outputs", "out", "--steps", 2, "--warmup", 1, "--no-probe", "-o", "made.tide")
    _, found = read_npy(b.folder / "out/y.npy")
    worst = max(abs(f - e) for f, e in zip(found, expected)) / max(map(abs, expected))
    if len(found) != 4 or not worst < 1e-5:
        raise Wrong(f"{found}, expected {expected}")
    odd = onnx_model([onnx_node("FancyOp", ["x"], ["y"], domain="my.dom")], [], [onnx_value("x", [2])], [onnx_value("y", [2])], ("", "my.dom"))
    (b.folder / "odd.onnx").write_bytes(odd)
    refused = b.json("inspect", "odd.onnx", codes=(1,))
    if "FancyOp" not in json.dumps(refused):
        raise Wrong("FancyOp is not named")
    counted = []
    for trace in sorted(TRACES.glob("kineto_*.json.gz")):
        with gzip.open(trace, "rt", encoding="utf-8", errors="replace") as file:
            events = json.load(file, strict=False)["traceEvents"]
        kinds = collections.Counter(e.get("cat", "").lower() for e in events if e.get("ph") == "X")
        made = b.json("import", trace, "-o", b.folder / "imported.tide")
        same(f"{trace.name}: kernels", made["kernels"], kinds["kernel"])
        same(f"{trace.name}: copies", made["copies"], kinds["gpu_memcpy"] + kinds["memcpy"])
        counted.append(made["kernels"])
    with gzip.open(TRACES / "nsys_h100_2gpu_1s.sqlite.gz") as packed, open(b.folder / "nsys.sqlite", "wb") as file:
        shutil.copyfileobj(packed, file)
    own = sqlite3.connect(b.folder / "nsys.sqlite")
    made = b.json("import", "nsys.sqlite", "-o", b.folder / "nsys.tide")
    for key, table in (("kernels", "KERNEL"), ("copies", "MEMCPY")):
        same(f"nsys: {key}", made[key], own.execute(f"SELECT COUNT(*) FROM CUPTI_ACTIVITY_KIND_{table}").fetchone()[0])
    return f"ONNX within {worst:.0e}; FancyOp is named; kernels {counted} and {made['kernels']} as counted"


@row("I2", "what fusion spares, counted; gains of large and tiny arrays apart")
def i2(b):
    spared = []
    for n in (1 << 20, 2048):
        apart, fused = (b.run("fusion", *settings(n=n), "--fuse", fuse, steps=8) for fuse in ("off", "on"))
        rows = b.json("analyze", fused, "--table", "fused_ops", "--against", apart)["rows"]
        same(f"n = {n}: bytes neither written nor read again", sum(r["spared_bytes"] for r in rows), 4 * 4 * n)
        if len(rows) != 1 or rows[0]["obtained_ns"] is None or len(rows[0]["members"].split(",")) != 3:
            raise Wrong(f"{rows}")
        ops = [len(b.table(file, "ops")) for file in (apart, fused)]
        if ops != [3, 1]:
            raise Wrong(f"{ops} ops, expected 3 and 1")
        spared.append(rows[0])
    return f"16 n bytes of 3 ops; gain measured for {2**20} and for 2048 elements"


@row("I4", "data of a picture come from the file of the run")
def i4(b):
    file = b.run("fusion", *settings(n=1 << 16), steps=5)
    b.text("export", file, "-o", "picture.json")
    document = json.loads((b.folder / "picture.json").read_text())
    events = [e for e in (document["traceEvents"] if isinstance(document, dict) else document) if e.get("ph") == "X"]
    ops = [r["op"] for r in b.table(file, "ops")]
    drawn = collections.Counter(e["name"] for e in events)
    if any(drawn[op] < 5 for op in ops):
        raise Wrong(f"{drawn}")
    # The file's own rows, in nanoseconds, and the spans that were written, in microseconds.
    times = "SELECT SUM(e.end - e.start) FROM NVTX_EVENTS e JOIN TIDE_OP o ON o.id = e.tideOp JOIN StringIds s ON s.id = o.nameId WHERE s.value = "
    for op in ops:
        found = b.json("query", file, times + f"'{op}'")["rows"][0][0]
        same(op, sum(e["dur"] for e in events if e["name"] == op) * 1000, found, 1e-6)
    return f"{len(events)} spans drawn from {file.name}"


@row("G8", "averaged weights of two clients equal one full-batch step")
def g8(b):
    lib, results = library(b.program), {}
    words = ("mlp", "--mode", "training", *settings(input=10, hidden=8, output=4, learning_rate=0.1, momentum=0))
    given, learned = None, {}
    for batch in (12, 6):
        b.text("save", *words, "--batch", batch, "-o", f"{batch}.json")
        graph = SavedGraph(lib, b.folder / f"{batch}.json")
        leaves = {leaf["name"]: leaf for leaf in graph.leaves}
        inputs = [n for n, leaf in leaves.items() if leaf["kind"] == "input"]
        parameters = [n for n, leaf in leaves.items() if leaf["kind"] == "parameter"]
        if given is None:
            graph.start(3)
            given = {leaf["name"]: graph.given[leaf["id"]] for leaf in graph.leaves}
        learned[batch] = []
        for client in range(12 // batch):
            graph.start(3)
            part = lambda name: given[name][client * len(given[name]) * batch // 12:(client + 1) * len(given[name]) * batch // 12]
            graph.run(**{n: part(n) if n in inputs else given[n] for n in leaves})
            learned[batch].append({n: graph.read(leaves[n]["id"], elements(leaves[n]["shape"])) for n in parameters})
    worst, moved = 0, 0
    for name in learned[12][0]:
        for i, whole in enumerate(learned[12][0][name]):
            worst = max(worst, abs(whole - sum(client[name][i] for client in learned[6]) / 2))
            moved = max(moved, abs(whole - given[name][i]))
    if not worst < 1e-12 or not moved > 1e-3:
        raise Wrong(f"apart by {worst}; the step moved weights by {moved}")
    lesson = b.json("lesson", "run", "federated")
    truth = next(q["truth"] for q in lesson["questions"])
    same("GB of 100 phones", float(truth.split()[0]), 100 * 2 * 4 * 1863690 / 1e9, 0.01)
    results["GB"] = truth
    return f"weights apart by {worst:.0e} (a step moves them by {moved:.2g}); 100 phones send and receive {truth}"
