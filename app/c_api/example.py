#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libtensortide from Python: y = relu(x W^T + b), run on the CPU, recorded, and read back.

usage: example.py path/to/libtensortide.so
"""
import ctypes
import json
import os
import sys
import tempfile


class Library:
    """The functions of tensortide.h, with errors as exceptions."""

    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        handle, number, text = ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p
        extents, values = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_double)
        for name, result, arguments in [
                ("version", text, []), ("error", text, []), ("graph_create", handle, []), ("graph_free", None, [handle]),
                ("graph_input", number, [handle, text, text, extents, ctypes.c_size_t]),
                ("graph_parameter", number, [handle, text, text, extents, ctypes.c_size_t]),
                ("graph_op", number, [handle, text, extents, ctypes.c_size_t, text, extents, ctypes.c_size_t]),
                ("graph_mark_output", ctypes.c_int, [handle, number]),
                ("session_create", handle, [handle, ctypes.c_int]), ("session_free", None, [handle]),
                ("session_write", ctypes.c_int, [handle, number, values, ctypes.c_size_t]),
                ("session_read", ctypes.c_int, [handle, number, values, ctypes.c_size_t]),
                ("session_run", ctypes.c_int, [handle]),
                ("record", handle, [handle, ctypes.c_int, ctypes.c_int, text]), ("capture_open", handle, [text]),
                ("capture_free", None, [handle]), ("capture_table", handle, [handle, text]), ("text_free", None, [handle])]:
            function = getattr(self.c, "tensortide_" + name)
            function.restype, function.argtypes = result, arguments

    def call(self, name, *arguments):
        result = getattr(self.c, "tensortide_" + name)(*arguments)
        if result is None or result == -1:
            raise ValueError(self.c.tensortide_error().decode())
        return result


def numbers(kind, values):
    return (kind * len(values))(*values)


def main():
    lib = Library(sys.argv[1])
    graph = lib.call("graph_create")

    def leaf(kind, name, *shape):
        return lib.call("graph_" + kind, graph, name, b"f64", numbers(ctypes.c_int64, shape), len(shape))

    def op(name, *inputs, **attributes):
        out = (ctypes.c_int64 * 8)()
        lib.call("graph_op", graph, name, numbers(ctypes.c_int64, inputs), len(inputs),
                 json.dumps(attributes).encode() if attributes else None, out, 8)
        return out[0]

    x, w, b = leaf("input", b"x", 2, 3), leaf("parameter", b"w", 4, 3), leaf("parameter", b"b", 4)
    y = op(b"relu", op(b"linear", x, w, b))
    lib.call("graph_mark_output", graph, y)
    try:
        op(b"matmul", x, w)
        sys.exit("a wrong shape was taken")
    except ValueError as error:
        print("refused, as it should be:", error)

    xs, ws, bs = [1, 2, 3, -4, 5, -6], [(i * 7) % 5 - 2 for i in range(12)], [0.5, -1, 2, 0]
    session = lib.call("session_create", graph, 1)
    for value, data in ((x, xs), (w, ws), (b, bs)):
        lib.call("session_write", session, value, numbers(ctypes.c_double, data), len(data))
    lib.call("session_run", session)
    out = (ctypes.c_double * 8)()
    lib.call("session_read", session, y, out, 8)
    expected = [max(0, sum(xs[3 * i + k] * ws[3 * j + k] for k in range(3)) + bs[j]) for i in range(2) for j in range(4)]
    assert list(out) == expected, (list(out), expected)
    print("y =", list(out))

    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "graph.tide").encode()
        lib.c.tensortide_capture_free(lib.call("record", graph, 1, 3, file))
        capture = lib.call("capture_open", file)
        text = lib.call("capture_table", capture, b"ops")
        rows = json.loads(ctypes.string_at(text).decode())
        lib.c.tensortide_text_free(text)
        lib.c.tensortide_capture_free(capture)
    rows = rows["rows"] if isinstance(rows, dict) else rows
    assert sum(row["flops"] for row in rows if row["type"] == "linear") >= 2 * 2 * 3 * 4
    print(len(rows), "ops recorded with version", lib.c.tensortide_version().decode())
    lib.c.tensortide_session_free(session)
    lib.c.tensortide_graph_free(graph)


if __name__ == "__main__":
    main()
