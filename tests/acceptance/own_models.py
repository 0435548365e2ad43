# SPDX-License-Identifier: Apache-2.0
"""Models and numbers that the checks make without any library: ONNX files, arrays of NumPy, and graphs run through libtensortide."""
import ast
import ctypes
import importlib.util
import json
import pathlib
import random
import struct


def library(program):
    """libtensortide beside the program, with the functions of app/c_api/example.py."""
    spec = importlib.util.spec_from_file_location("example", pathlib.Path(__file__).parents[2] / "app/c_api/example.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example.Library(str(pathlib.Path(program).parents[1] / "lib/libtensortide.so"))


class SavedGraph:
    """A graph that `tensortide save` wrote, in f64, with leaves that are given here; `keep` are values to read."""

    def __init__(self, lib, file, keep=()):
        self.lib, document = lib, json.loads(pathlib.Path(file).read_text())
        self.nodes, self.leaves = document["nodes"], document["values"]
        graph, self.now, self.given = lib.call("graph_create"), {}, {}
        for leaf in self.leaves:
            dtype = "f64" if leaf["dtype"] == "f32" else leaf["dtype"]
            kind = "input" if leaf["kind"] in ("input", "constant") else "parameter"
            shape = leaf["shape"]
            self.now[leaf["id"]] = lib.call("graph_" + kind, graph, leaf["name"].encode(), dtype.encode(),
                                            (ctypes.c_int64 * len(shape))(*shape), len(shape))
        for node in self.nodes:
            operands, out = [self.now[i] for i in node["inputs"]], (ctypes.c_int64 * 16)()
            lib.call("graph_op", graph, node["op"].encode(), (ctypes.c_int64 * len(operands))(*operands), len(operands),
                     json.dumps(node["attributes"]).encode(), out, 16)
            self.now.update(zip(node["outputs"], out))
        for value in (*document["outputs"], *keep):
            lib.call("graph_mark_output", graph, self.now[value])
        self.session = lib.call("session_create", graph, 1)
        self.graph = graph

    def __del__(self):
        if hasattr(self, "session"):
            self.lib.c.tensortide_session_free(self.session)
            self.lib.c.tensortide_graph_free(self.graph)

    def start(self, seed):
        """Small random numbers for all leaves; whole ones as the file fills them."""
        numbers = random.Random(seed)
        for leaf in self.leaves:
            count = elements(leaf["shape"])
            if leaf["kind"] == "constant":
                values = [float(x) for x in leaf["data"]]
            elif leaf["dtype"] not in ("f32", "f64"):
                low, high = int(leaf["fill"][1]), max(int(leaf["fill"][1]), int(leaf["fill"][2]) - 1)
                values = [float(numbers.randint(low, high)) for _ in range(count)]
            elif leaf["kind"] == "state":
                values = [float(leaf["fill"][1]) if leaf["fill"][0] == "constant" else 1.0 if leaf["fill"][0] == "ones" else 0.0] * count
            else:
                scale = 0.5 if leaf["kind"] == "parameter" else 1.0
                values = [scale * numbers.gauss(0, 1) for _ in range(count)]
            self.given[leaf["id"]] = values

    def run(self, **changed):
        """One step from the given leaves (`changed`: by name)."""
        for leaf in self.leaves:
            values = changed.get(leaf["name"], self.given[leaf["id"]])
            self.lib.call("session_write", self.session, self.now[leaf["id"]], (ctypes.c_double * len(values))(*values), len(values))
        self.lib.call("session_run", self.session)

    def read(self, value, count):
        out = (ctypes.c_double * count)()
        self.lib.call("session_read", self.session, self.now[value], out, count)
        return list(out)


def elements(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


# ---- NumPy's files

def write_npy(file, shape, values, letter="f"):
    head = repr({"descr": "<" + {"f": "f4", "d": "f8", "q": "i8"}[letter], "fortran_order": False, "shape": tuple(shape)}).encode()
    head += b" " * (-(10 + len(head) + 1) % 64) + b"\n"
    pathlib.Path(file).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(values)}{letter}", *values))


def read_npy(file):
    data = pathlib.Path(file).read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:10 + size].decode())
    letter = {"f4": "f", "f8": "d", "i8": "q", "i4": "i"}[head["descr"][1:]]
    values = list(struct.unpack(f"<{elements(head['shape'])}{letter}", data[10 + size:]))
    if head["fortran_order"] and len(head["shape"]) > 1:
        raise ValueError("columns first")
    return list(head["shape"]), values


# ---- ONNX files: protocol buffers by hand

def varint(number):
    out = b""
    number &= (1 << 64) - 1
    while True:
        number, low = number >> 7, number & 127
        out += bytes([low | (128 if number else 0)])
        if not number:
            return out


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def onnx_node(op, inputs, outputs, domain="", **attributes):
    out = b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs) + field(4, op)
    for name, value in attributes.items():
        numbers = value if isinstance(value, list) else None
        body = b"".join(field(8, i) for i in numbers) + field(20, 7) if numbers is not None else field(3, value) + field(20, 2)
        out += field(5, field(1, name) + body)
    return out + (field(7, domain) if domain else b"")


def onnx_tensor(name, shape, values):
    return b"".join(field(1, d) for d in shape) + field(2, 1) + field(8, name) + field(9, struct.pack(f"<{len(values)}f", *values))


def onnx_value(name, shape):
    dims = b"".join(field(1, field(1, d)) for d in shape)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))


def onnx_model(nodes, weights, inputs, outputs, domains=("",)):
    graph = b"".join(field(1, n) for n in nodes) + field(2, "made") + b"".join(field(5, w) for w in weights)
    graph += b"".join(field(11, i) for i in inputs) + b"".join(field(12, o) for o in outputs)
    return field(1, 8) + b"".join(field(8, (field(1, d) if d else b"") + field(2, 13 if not d else 1)) for d in domains) + field(7, graph)
