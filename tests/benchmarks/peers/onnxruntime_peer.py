# SPDX-License-Identifier: Apache-2.0
"""onnxruntime as a peer of the comparison: inference only, models written here, outputs into memory kept from run to run.

usage: onnxruntime_peer.py --threads N"""
import numpy as np
import onnxruntime

from onnx_writer import Model
from protocol import Timed, serve, threads_argument

THREADS = 1


def random(*shape):
    return (np.random.rand(*shape) - 0.5).astype(np.float32)


def session(model, output, shape, note):
    """Runs the model on random inputs."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.force_spinning_stop", "1")  # idle threads must not disturb the next library
    made = onnxruntime.InferenceSession(model.bytes(output, shape), options, providers=["CPUExecutionProvider"])
    binding = made.io_binding()
    for name, extents in model.inputs.items():
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(random(*extents)))
    binding.bind_ortvalue_output(output, onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(shape, np.float32)))
    return Timed(lambda: made.run_with_iobinding(binding), note)


def gemm(s):
    m, n, k = s.count("m"), s.count("n"), s.count("k")
    model = Model()
    return session(model, model.node("MatMul", model.input(m, k), model.input(k, n)), (m, n), "MatMul")


def linear(s):
    batch, inputs, out = s.count("batch"), s.count("in"), s.count("out")
    model = Model()
    y = model.node("Gemm", model.input(batch, inputs), model.weight(random(out, inputs)), transB=1)
    return session(model, y, (batch, out), "Gemm, constant weights")


def conv(s):
    if s.get("pass", "forward") != "forward":
        return None
    batch, channels, out, kernel = s.count("batch"), s.count("channels"), s.count("out"), s.count("kernel")
    stride, side, pad = s.count("stride"), s.count("image"), kernel // 2
    out_side = (side + 2 * pad - kernel) // stride + 1
    model = Model()
    y = model.node("Conv", model.input(batch, channels, side, side), model.weight(random(out, channels, kernel, kernel)),
                   kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4)
    return session(model, y, (batch, out, out_side, out_side), "Conv, channels first")


def elementwise(s):
    shape = (s.count("bytes") // 4,)
    model = Model()
    op = s.get("op", "relu").capitalize()
    inputs = [model.input(*shape) for _ in range(2 if op == "Add" else 1)]
    return session(model, model.node(op, *inputs), shape, op)


def chain(s):
    shape = (s.count("bytes") // 4096, 1024)
    model = Model()
    x = model.node("Mul", model.input(*shape), model.weight(np.array(2, np.float32)))
    x = model.node("Relu", model.node("Add", x, model.weight(random(1024))))
    return session(model, model.node("Sigmoid", model.node("Add", x, model.input(*shape))), shape, "5 nodes")


def softmax(s):
    shape = (s.count("rows"), s.count("columns"))
    model = Model()
    return session(model, model.node("Softmax", model.input(*shape), axis=1), shape, "Softmax")


def layer_norm(s):
    shape = (s.count("rows"), s.count("columns"))
    model = Model()
    y = model.node("LayerNormalization", model.input(*shape), model.weight(random(shape[1])), model.weight(random(shape[1])))
    return session(model, y, shape, "LayerNormalization")


def lstm(s):
    steps, batch, inputs, hidden = (s.count(key) for key in ("steps", "batch", "inputs", "hidden"))
    model = Model()
    y = model.node("LSTM", model.input(steps, batch, inputs), model.weight(random(1, 4 * hidden, inputs)),
                   model.weight(random(1, 4 * hidden, hidden)), model.weight(random(1, 8 * hidden)), hidden_size=hidden)
    return session(model, y, (steps, 1, batch, hidden), "LSTM")


def _conv_norm(model, x, inputs, out, kernel, stride):
    y = model.node("Conv", x, model.weight(random(out, inputs, kernel, kernel) * 0.1), kernel_shape=[kernel] * 2,
                   strides=[stride] * 2, pads=[kernel // 2] * 4)
    one, zero = np.ones(out, np.float32), np.zeros(out, np.float32)
    return model.node("BatchNormalization", y, *(model.weight(array) for array in (one, zero, zero, one)))


def net(s):
    if s.get("name", "resnet50") != "resnet50" or s.get("mode", "forward") != "forward":
        return None
    batch = s.count("batch")
    model = Model()
    x = model.node("Relu", _conv_norm(model, model.input(batch, 3, 224, 224), 3, 64, 7, 2))
    x = model.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    inputs = 64
    for stage, (blocks, width) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)]):
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            y = model.node("Relu", _conv_norm(model, x, inputs, width, 1, 1))
            y = model.node("Relu", _conv_norm(model, y, width, width, 3, stride))
            y = _conv_norm(model, y, width, 4 * width, 1, 1)
            shortcut = _conv_norm(model, x, inputs, 4 * width, 1, stride) if block == 0 else x
            x = model.node("Relu", model.node("Add", y, shortcut))
            inputs = 4 * width
    x = model.node("Flatten", model.node("GlobalAveragePool", x))
    y = model.node("Gemm", x, model.weight(random(1000, 2048)), model.weight(random(1000)), transB=1)
    return session(model, y, (batch, 1000), "own ONNX model, all optimisations")


CASES = {f.__name__: f for f in (gemm, linear, conv, elementwise, chain, softmax, layer_norm, lstm, net)}


def make_case(name, settings):
    return CASES[name](settings) if name in CASES else None


if __name__ == "__main__":
    THREADS = threads_argument()
    np.random.seed(0)
    serve(f"onnxruntime {onnxruntime.__version__}, {THREADS} threads", make_case)
