# SPDX-License-Identifier: Apache-2.0
"""What the scripts idioms and zoo share: a PyTorch module as a model file with inputs and outputs, the same model in our runner and in onnxruntime, and the
table of both. Needs torch, onnx and onnxruntime."""
import pathlib
import subprocess
import tempfile
import time
import warnings


def to_onnx(module, inputs, file, dynamo=False, opset=17):
    """Writes the module as a model file, by the exporter that traces or the newer one; larger weights go beside it."""
    import torch
    torch.backends.mha.set_fastpath_enabled(False)
    module.eval()
    words = {} if dynamo else {"opset_version": opset, "input_names": [f"x{i}" for i in range(len(inputs))]}
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, tuple(inputs), str(file), dynamo=dynamo, **words)


def enliven(module):
    """Random numbers in place of parameters that start at zero (heads, gates, biases): a result of zeros would show nothing."""
    import torch
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.is_floating_point() and not parameter.any():
                parameter.normal_(0, 0.02)


def export(make, folder, dynamo=False, opset=17):
    """model.onnx, input_K.pb and output_K.pb (onnxruntime's) in the folder; the inputs by name."""
    import onnxruntime
    import torch
    from onnx import numpy_helper
    torch.manual_seed(7)
    module, inputs = make()
    enliven(module)
    to_onnx(module, inputs, folder / "model.onnx", dynamo, opset)
    onnxruntime.set_default_logger_severity(3)
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    known = {x.name: t.numpy() for x, t in zip(session.get_inputs(), inputs)}
    for i, x in enumerate(session.get_inputs()):
        (folder / f"input_{i}.pb").write_bytes(numpy_helper.from_array(known[x.name]).SerializeToString())
    for i, y in enumerate(session.run(None, known)):
        (folder / f"output_{i}.pb").write_bytes(numpy_helper.from_array(y).SerializeToString())
    return known


def quantized(folder, kind, known):
    """The folder of the same model with weights (and, but for int4, values) of few bits, by onnxruntime's quantizer; its outputs are onnxruntime's."""
    import shutil
    import onnx
    import onnxruntime
    from onnx import numpy_helper
    from onnxruntime import quantization as q
    made = folder.parent / f"{folder.name}-{kind}"
    if (made / "output_0.pb").exists():
        return made
    made.mkdir(parents=True, exist_ok=True)
    plain, to = str(folder / "model.onnx"), str(made / "model.onnx")

    class Once(q.CalibrationDataReader):
        def __init__(self):
            self.rest = iter([known])

        def get_next(self):
            return next(self.rest, None)

    if kind == "int4":
        from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
        quantizer = MatMulNBitsQuantizer(onnx.load(plain), block_size=32, is_symmetric=True)
        quantizer.process()
        quantizer.model.save_model_to_file(to, False)
    else:
        prepared = str(made / "prepared.onnx")
        q.shape_inference.quant_pre_process(plain, prepared, skip_symbolic_shape=True)
        if kind == "dynamic":
            q.quantize_dynamic(prepared, to, weight_type=q.QuantType.QInt8)
        elif kind == "qdq":
            q.quantize_static(prepared, to, Once(), quant_format=q.QuantFormat.QDQ, per_channel=True, activation_type=q.QuantType.QUInt8, weight_type=q.QuantType.QInt8)
        else:
            q.quantize_static(prepared, to, Once(), quant_format=q.QuantFormat.QOperator, activation_type=q.QuantType.QUInt8, weight_type=q.QuantType.QUInt8)
        pathlib.Path(prepared).unlink()
    for file in folder.glob("input_*.pb"):
        shutil.copy(file, made / file.name)
    for i, y in enumerate(onnxruntime.InferenceSession(to, providers=["CPUExecutionProvider"]).run(None, known)):
        (made / f"output_{i}.pb").write_bytes(numpy_helper.from_array(y).SerializeToString())
    return made


class Ours:
    def __init__(self, runner, folder, threads, fuse="on"):
        self.child = subprocess.Popen([runner, str(folder), str(threads), fuse], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        first = self.child.stdout.readline().strip()
        if not first.startswith("ready"):
            raise RuntimeError(first or "the runner ended")

    def ask(self, line):
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()
        return self.child.stdout.readline().strip()

    def difference(self):
        return float(self.ask("check").split()[1])

    def shortest_ns(self, steps):
        return float(self.ask(f"run {steps}").split()[1])

    def ops(self, steps):
        rows, line = [], self.ask(f"ops {steps}")
        while line != "end":
            ticks, kind, rest = line.removeprefix("op ").split(" ", 2)
            rows.append((int(ticks), kind, rest))
            line = self.child.stdout.readline().strip()
        return rows

    def close(self):
        self.child.stdin.close()
        self.child.wait()


class Theirs:
    def __init__(self, folder, threads, known):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        # Waiting threads that spin would take the processors from ours in the next turn.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        self.file = str(folder / "model.onnx")
        self.session = onnxruntime.InferenceSession(self.file, options, providers=["CPUExecutionProvider"])
        self.known = known
        self.session.run(None, known)

    def own_distance(self):
        """Of its own outputs, relative to the largest element: without its optimizer, and where each input element moves by at most 1e-6 of itself, the largest of five
        times. That is what another order of sums does to a model that sorts, cuts off (boxes of detectors) or rounds to 8 bits. Infinite where shapes of outputs change."""
        import numpy
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        plain = onnxruntime.InferenceSession(self.file, options, providers=["CPUExecutionProvider"])
        most, wanted = 0.0, self.session.run(None, self.known)
        for seed in range(6):
            rng = numpy.random.default_rng(seed)
            moved = {n: (x * (1 + 1e-6 * rng.uniform(-1, 1, x.shape))).astype(x.dtype) if x.dtype.kind == "f" else x for n, x in self.known.items()}
            for a, b in zip(wanted, plain.run(None, self.known) if seed == 0 else self.session.run(None, moved)):
                if a.shape != b.shape:
                    return float("inf")
                if a.size:
                    a, b = a.astype(float), b.astype(float)
                    most = max(most, float(numpy.abs(a - b).max() / max(numpy.abs(a).max(), 1e-30)))
        return most

    def shortest_ns(self, steps):
        best = float("inf")
        for _ in range(steps):
            begin = time.perf_counter_ns()
            self.session.run(None, self.known)
            best = min(best, time.perf_counter_ns() - begin)
        return best


def alone(runner, steps):
    """onnxruntime's threads spin for 50 ms after a run: whoever comes next waits until they sleep."""
    time.sleep(0.1)
    return runner.shortest_ns(steps)


def measured_in(folder, known, name, args):
    """A row of the table: both in turns, a few steps each. Of each turn the shortest step of both, of the turns the one with the median ratio: a clock that changes
    between turns changes both."""
    row = {"name": name, "times": {}}
    for threads in args.threads:
        ours, theirs = Ours(args.runner, folder, threads), Theirs(folder, threads, known)
        row["difference"] = max(row.get("difference", 0), ours.difference())
        steps = int(max(2, min(50, 40e6 / max(ours.shortest_ns(3), theirs.shortest_ns(3)))))
        turns = sorted(((alone(ours, steps), alone(theirs, steps)) for _ in range(args.rounds)), key=lambda turn: turn[0] / turn[1])
        a, b = turns[len(turns) // 2]
        ops = ours.ops(max(3, steps))
        total = sum(t for t, _, _ in ops) or 1
        row["times"][threads] = (a, b)
        row["reference"] = max(row.get("reference", 0), sum(t for t, kind, _ in ops if kind == "reference") / total)
        row["ops"] = [(t / total, kind, rest) for t, kind, rest in sorted(ops, reverse=True)]
        ours.close()
    if not row["difference"] <= 1e-3:
        row["near"] = theirs.own_distance()
    return row


def is_right(row):
    return row["difference"] <= max(1e-3, row.get("near", 0))


def measured(name, make, args, dynamo=False, opset=17):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        return measured_in(folder, export(make, folder, dynamo, opset), name, args)


def error_words(error):
    """What failed, in a line that a table has room for."""
    return " ".join(f"{type(error).__name__}: {error}".split()).replace("|", "/")[:200]


def table(rows, threads):
    head = ["network"] + [f"ours / onnxruntime, {n} thread{'s' if n > 1 else ''}" for n in threads] + ["difference", "in reference code"]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for row in rows:
        if "error" in row:
            lines.append(f"| {row['name']} | " + " | ".join(["–"] * len(threads)) + f" | – | {row['error']} |")
            continue
        cells = [f"{a / 1e6:.2f} ms / {b / 1e6:.2f} ms = {a / b:.2f}" for a, b in (row["times"][n] for n in threads)]
        near = f" (onnxruntime's own: {row['near']:.1e})" if "near" in row else ""
        lines.append(f"| {row['name']} | " + " | ".join(cells) + f" | {row['difference']:.1e}{near} | {100 * row['reference']:.1f} % |")
    return "\n".join(lines)
