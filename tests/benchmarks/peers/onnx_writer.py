# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX models (f32, opset 17) with nothing but struct: enough to give onnxruntime a graph to run."""
import struct


def _varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field(number, value):
    """One protobuf field: int -> varint, float -> fixed32, text and bytes -> length-delimited."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _attribute(name, value):
    data = _field(1, name)
    if isinstance(value, list):
        return data + b"".join(_field(8, item) for item in value) + _field(20, 7)
    if isinstance(value, int):
        return data + _field(3, value) + _field(20, 2)
    if isinstance(value, float):
        return data + _field(2, value) + _field(20, 1)
    return data + _field(4, value) + _field(20, 3)


def _value_info(name, shape):
    dims = b"".join(_field(1, _field(1, extent)) for extent in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, 1) + _field(2, dims)))


class Model:
    """Collects nodes; each returns the name of its first output."""

    def __init__(self):
        self._graph, self._count, self.inputs = [], 0, {}

    def _name(self):
        self._count += 1
        return f"v{self._count}"

    def input(self, *shape):
        name = self._name()
        self.inputs[name] = shape
        return name

    def weight(self, array):
        """A numpy array of f32 (or i64) that stays the same."""
        name = self._name()
        kind = {"float32": 1, "int64": 7}[str(array.dtype)]
        dims = b"".join(_field(1, extent) for extent in array.shape)
        self._graph.append(_field(5, dims + _field(2, kind) + _field(8, name) + _field(9, array.tobytes())))
        return name

    def node(self, op, *inputs, **attributes):
        name = self._name()
        data = b"".join(_field(1, i) for i in inputs) + _field(2, name) + _field(3, name + op) + _field(4, op)
        data += b"".join(_field(5, _attribute(key, value)) for key, value in attributes.items())
        self._graph.append(_field(1, data))
        return name

    def bytes(self, output, shape):
        graph = b"".join(self._graph) + _field(2, "graph")
        graph += b"".join(_field(11, _value_info(name, extents)) for name, extents in self.inputs.items())
        graph += _field(12, _value_info(output, shape))
        return _field(1, 8) + _field(7, graph) + _field(8, _field(2, 17))
