# SPDX-License-Identifier: Apache-2.0
"""Captures: the tables of `tensortide analyze` as pandas or Arrow tables, or as lists of dicts."""
import os
import subprocess
import tempfile

from . import _binary, _summary

KINDS = ("pandas", "arrow", "rows")


def _importable(name):
    try:
        return __import__(name)
    except ImportError:
        return None


def as_table(columns, rows, kind=None):
    """`rows` (dicts) as `kind`: "pandas", "arrow" or "rows". None: the first of these that is installed.

    Unknown values are None in rows, NaN or None in a DataFrame, null in Arrow. A DataFrame has title, origin and help of
    each column in `attrs["columns"]`, an Arrow table in the metadata of its fields.
    """
    if kind not in (None, *KINDS):
        raise ValueError(f"unknown kind of table {kind!r}: it is one of {', '.join(KINDS)}")
    keys = [column["key"] for column in columns]
    pandas = _importable("pandas") if kind in (None, "pandas") else None
    if pandas is not None:
        frame = pandas.DataFrame(rows, columns=keys)
        frame.attrs["columns"] = {column["key"]: {k: v for k, v in column.items() if k != "key"} for column in columns}
        return frame
    if kind == "pandas":
        raise ImportError("pandas is not installed: pip install pandas, or ask for \"rows\"")
    arrow = _importable("pyarrow") if kind in (None, "arrow") else None
    if arrow is not None:
        arrays = [arrow.array([row.get(key) for row in rows]) for key in keys]
        fields = [arrow.field(column["key"], array.type, metadata={k: str(v) for k, v in column.items() if k != "key"})
                  for column, array in zip(columns, arrays)]
        return arrow.Table.from_arrays(arrays, schema=arrow.schema(fields))
    if kind == "arrow":
        raise ImportError("pyarrow is not installed: pip install pyarrow, or ask for \"rows\"")
    return [{key: row.get(key) for key in keys} for row in rows]


class Capture:
    """One capture or trace. Nothing is kept in memory but what was asked for."""

    def __init__(self, file):
        self.file = _binary.path_of(file)
        if not os.path.isfile(self.file):
            raise FileNotFoundError(f"{self.file}: no such file")
        self._summary = None
        self._folder = None  # of a file that was made for this object

    def summary(self):
        """The summary of `tensortide analyze --format json`: times, bytes, limits, advice, notes."""
        if self._summary is None:
            self._summary = _binary.document("analyze", self.file, "--format", "json")["summary"]
        return self._summary

    def table(self, name, by=None, kind=None):
        """Table `name` of `tensortide analyze --table`. `by` is for "ops": op, layer, type, kernel or phase."""
        arguments = ["analyze", self.file, "--table", str(name), "--format", "json"]
        if by is not None:
            arguments += ["--by", str(by)]
        answer = _binary.document(*arguments)
        if "columns" not in answer:
            raise ValueError(f"{name!r} is a document, not a table: use summary()")
        return as_table(answer["columns"], answer["rows"], kind)

    def ops(self, by=None, kind=None):
        """Time, FLOPs, bytes and limit of each op, slowest first."""
        return self.table("ops", by=by, kind=kind)

    def critical_path(self, kind=None):
        """What the step waited for, from its begin to its end."""
        return self.table("critical_path", kind=kind)

    def findings(self):
        """Changes to try: the document of `--table findings`."""
        return _binary.document("analyze", self.file, "--table", "findings", "--format", "json")

    def query(self, sql, kind=None):
        """Rows of an SQL query on the capture file, read-only."""
        answer = _binary.document("query", self.file, sql, "--format", "json")
        rows = answer["rows"] if isinstance(answer, dict) else answer
        return as_table([{"key": key} for key in (rows[0] if rows else {})], rows, kind)

    def show(self):
        """Opens the window on this capture and returns at once with its process."""
        return subprocess.Popen([_binary.window(), self.file], stdin=subprocess.DEVNULL, start_new_session=True)

    def _repr_svg_(self):
        return _summary.svg(self)

    def __repr__(self):
        return f"<tensortide.Capture {self.file}>"


def open(file, graphs=()):  # pylint: disable=redefined-builtin
    """A capture (.tide) or a trace of another tool.

    `graphs`: a trace, or several, in which the CUDA or HIP graphs were captured that `file` replays. Their ops are taken for
    what the graphs launched; the capture made of both is deleted with the returned object.
    """
    named = [graphs] if isinstance(graphs, (str, os.PathLike)) else list(graphs)
    if not named:
        return Capture(file)
    folder = tempfile.TemporaryDirectory(prefix="tensortide-")
    made = os.path.join(folder.name, os.path.basename(_binary.path_of(file)) + ".tide")
    captures = [argument for graph in named for argument in ("--graphs", _binary.path_of(graph))]
    _binary.run("import", _binary.path_of(file), *captures, "-o", made)
    capture = Capture(made)
    capture._folder = folder  # pylint: disable=protected-access
    return capture
