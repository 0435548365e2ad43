# SPDX-License-Identifier: Apache-2.0
"""PyTorch (any version from 1.13 on) as a peer of the comparison: eager, f32, images channels last.

usage: torch_peer.py --threads N"""
import math
import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = sys.argv[-1]  # set_num_threads does not reach OpenBLAS

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

import torch_nets  # noqa: E402
from protocol import Timed, serve, threads_argument  # noqa: E402

OPS = 1000


def gemm(s):
    a, b = torch.rand(s.count("m"), s.count("k")), torch.rand(s.count("k"), s.count("n"))
    c = torch.empty(s.count("m"), s.count("n"))
    return Timed(lambda: torch.matmul(a, b, out=c), "torch.matmul, out given")


def linear(s):
    x, weight = torch.rand(s.count("batch"), s.count("in")), torch.rand(s.count("out"), s.count("in"))
    return Timed(lambda: F.linear(x, weight), "F.linear")


def conv(s):
    kernel, stride, side = s.count("kernel"), s.count("stride"), s.count("image")
    padding = kernel // 2
    out_side = (side + 2 * padding - kernel) // stride + 1
    x = torch.rand(s.count("batch"), s.count("channels"), side, side).to(memory_format=torch.channels_last)
    weight = torch.rand(s.count("out"), s.count("channels"), kernel, kernel).to(memory_format=torch.channels_last)
    wanted = s.get("pass", "forward")
    if wanted == "forward":
        return Timed(lambda: F.conv2d(x, weight, None, stride, padding), "F.conv2d, channels last")
    dy = torch.rand(s.count("batch"), s.count("out"), out_side, out_side).to(memory_format=torch.channels_last)
    mask = [wanted == "data", wanted == "weights", False]
    backward = torch.ops.aten.convolution_backward
    return Timed(lambda: backward(dy, x, weight, None, [stride] * 2, [padding] * 2, [1, 1], False, [0, 0], 1, mask),
                 "convolution_backward, channels last")


def elementwise(s):
    x, y = torch.rand(s.count("bytes") // 4), torch.rand(s.count("bytes") // 4)
    out = torch.empty_like(x)
    runs = {"relu": lambda: torch.clamp_min(x, 0, out=out), "add": lambda: torch.add(x, y, out=out),
            "sigmoid": lambda: torch.sigmoid(x, out=out)}
    return Timed(runs[s.get("op", "relu")], "out given")


def chain(s):
    floats = s.count("bytes") // 4
    x, z, b = torch.rand(floats // 1024, 1024), torch.rand(floats // 1024, 1024), torch.rand(1024)
    return Timed(lambda: torch.sigmoid(torch.relu(x * 2 + b) + z), "5 ops, eager")


def softmax(s):
    x = torch.rand(s.count("rows"), s.count("columns"))
    return Timed(lambda: F.softmax(x, 1), "F.softmax")


def layer_norm(s):
    columns = s.count("columns")
    x, weight, bias = torch.rand(s.count("rows"), columns), torch.rand(columns), torch.rand(columns)
    return Timed(lambda: F.layer_norm(x, (columns,), weight, bias), "F.layer_norm")


def attention(s):
    shape = [s.count(key) for key in ("batch", "heads", "length", "depth")]
    q, k, v = (torch.rand(shape) for _ in range(3))
    if s.get("variant") == "fused":
        return Timed(lambda: F.scaled_dot_product_attention(q, k, v), "F.scaled_dot_product_attention")
    factor = 1 / math.sqrt(shape[3])
    return Timed(lambda: torch.softmax(q @ k.transpose(2, 3) * factor, 3) @ v, "matmul, softmax, matmul")


def lstm(s):
    net = torch.nn.LSTM(s.count("inputs"), s.count("hidden")).eval()
    x = torch.rand(s.count("steps"), s.count("batch"), s.count("inputs"))
    return Timed(lambda: net(x), "nn.LSTM")


def net(s):
    model, x, classes = getattr(torch_nets, s.get("name", "resnet50"))(s.count("batch"))
    if s.get("mode", "forward") == "forward":
        return Timed(torch_nets.forward(model, x), "eval, no_grad")
    return Timed(torch_nets.gradients(model, x, classes), "train")


def overhead(s):
    if s["kind"] == "replay":
        return None
    recording = s["kind"] == "recording"
    start, y = torch.rand(16, requires_grad=recording), torch.rand(16)

    def once():
        x = start
        with torch.set_grad_enabled(recording):
            for _ in range(OPS):
                x = x + y

    return Timed(once, "Python, x + y", OPS)


CASES = {f.__name__: f for f in (gemm, linear, conv, elementwise, chain, softmax, layer_norm, attention, lstm, net, overhead)}


def make_case(name, settings):
    return CASES[name](settings) if name in CASES else None


if __name__ == "__main__":
    threads = threads_argument()
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    torch.set_grad_enabled(False)
    serve(f"torch {torch.__version__}, {threads} threads", make_case)
