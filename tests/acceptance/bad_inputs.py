# SPDX-License-Identifier: Apache-2.0
"""Makes every bad input that a trace, capture, or model file can be (36 groups), gives each to the program, and writes a table.

usage: bad_inputs.py TENSORTIDE [RESULT.md]
What has to hold for each: it ends by itself within ten seconds of processor time, not by a signal; it uses at most 4 x the (unpacked) file + 256 MB of
memory; a refusal has exit code 2 or 3, says something, and names the file; what is kept although something was wrong is said in the
notes. Exit code 0: all hold, 1: one does not (said which).
"""
import gzip
import json
import os
import pathlib
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

MB = 1 << 20
LIMIT_S = 10
GOOD = {"ph": "X", "cat": "cpu_op", "name": "good", "ts": 5, "dur": 1, "pid": 1, "tid": 1}
GOOD_TEXT = json.dumps(GOOD)


class Case:
    """One input: `make(folder)` writes it and returns its path; `words` have to stand in what is said (stderr, or the notes)."""

    def __init__(self, group, name, make, codes=(0, 2, 3), words=(), verb="import", raw=None, good=None, prepare=None, says_file=True):
        self.group, self.name, self.make, self.codes, self.words = group, name, make, codes, words
        self.verb, self.raw, self.good, self.prepare, self.says_file = verb, raw, good, prepare, says_file


cases = []


def case(*args, **more):
    cases.append(Case(*args, **more))


def file(name, data):
    def make(folder):
        path = folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
        return path
    return make


def events(*texts, head="", tail=""):
    return "{" + head + '"traceEvents": [' + ",\n".join(texts) + "]" + tail + "}"


def beside_good(group, name, text, **more):
    """A broken event between two good ones: those must be kept."""
    case(group, name, file("t.json", events(GOOD_TEXT, text, GOOD_TEXT)), codes=(0,), good=2, **more)


def span(**fields):
    return json.dumps({"ph": "X", "name": "odd", "ts": 1, "dur": 1, "pid": 1, "tid": 1} | fields)


def raw_span(field, value):
    return '{"ph":"X","name":"odd","pid":1,"tid":1,%s"%s":%s}' % ("" if field == "ts" else '"ts":1,', field, value)


def kernel(**args):
    return json.dumps({"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1, "pid": 0, "tid": 7, "args": args})


# ---- 1 to 9: what is no file, or is packed wrongly
def files_and_packing():
    trace = "[" + ",".join(json.dumps({"ph": "X", "name": f"n{i * 7919 % 10007}", "ts": i, "dur": 1}) for i in range(5000)) + "]"
    packed = gzip.compress(trace.encode())
    case(1, "empty file", file("empty.json", b""), codes=(3,), words=("empty",))
    case(2, "directory", lambda f: (f / "folder.json").mkdir() or f / "folder.json", codes=(3,), words=("not a regular file",))

    def fifo(f):
        os.mkfifo(f / "fifo.json")
        return f / "fifo.json"
    case(3, "FIFO", fifo, codes=(3,), words=("not a regular file",))

    def shut(f):
        path = file("shut.json", events(GOOD_TEXT))(f)
        path.chmod(0)
        return path
    case(4, "unreadable", shut, codes=(3,) if os.geteuid() else (0,))  # root reads everything
    for name in ("trace.txt", "trace.sqlite", "trace.tide", "trace"):
        case(5, f"JSON named {name}", file(name, events(GOOD_TEXT)), codes=(0,), good=1)
    case(6, ".gz cut in the middle", file("cut.json.gz", packed[:len(packed) // 2]), codes=(0,), words=("break off",), raw=len(trace))
    case(7, "gzip bomb, 200 kB to 200 MB", file("bomb.json.gz", gzip.compress(b"[" + b" " * (200 * MB))), codes=(3,), raw=8 * MB)
    case(8, ".gz with garbage behind", file("tail.json.gz", packed + b"garbage"), codes=(0,), words=("no gzip data follows",), raw=len(trace))
    half = trace.index("},", len(trace) // 2) + 2
    case(8, ".gz of two members", file("two.json.gz", gzip.compress(trace[:half].encode()) + gzip.compress(trace[half:].encode())), codes=(0,), raw=len(trace))
    case(9, "zip named .gz", file("zip.json.gz", b"PK\3\4" + bytes(60)), codes=(3,), words=("zip",))


# ---- 10: JSON that is none
def json_texts():
    case(10, "a million arrays", file("t.json", "[" * 1_000_000), codes=(3,))
    beside_good(10, "arrays in an event", "[" * 100_000 + "]" * 100_000)
    beside_good(10, "NaN literal", '{"ph":"X","ts":NaN,"dur":1}')
    beside_good(10, "1e999", '{"ph":"X","ts":1e999,"dur":1}')
    beside_good(10, "raw newline in a text", '{"ph":"X","name":"a\nb","ts":1,"dur":1}', words=("replaced",))
    beside_good(10, "escape \\c", '{"ph":"X","name":"\\c","ts":1,"dur":1}', words=("replaced",))
    beside_good(10, "lone \\ud800", '{"ph":"X","name":"\\ud800","ts":1,"dur":1}', words=("replaced",))
    beside_good(10, "raw quote in a text", '{"ph":"X","name":"a"b","ts":1,"dur":1}', words=("no valid JSON",))
    beside_good(10, "trailing comma", '{"ph":"X","ts":1,"dur":1,}', words=("no valid JSON",))
    beside_good(10, "integer 2^64", '{"ph":"X","ts":18446744073709551616,"dur":1}')
    beside_good(10, "{} as an event", "{}")
    beside_good(10, "duplicate key", '{"ph":"X","ts":1,"ts":2,"dur":1}')
    beside_good(10, "a number as an event", "17")
    case(10, "truncated", file("t.json", events(GOOD_TEXT, GOOD_TEXT)[:-20]), codes=(0,), words=("breaks off",))
    case(10, "two documents", file("t.json", events(GOOD_TEXT) + events(GOOD_TEXT)))
    case(10, "invalid UTF-8", file("t.json", b'{"traceEvents":[{"ph":"X","name":"\xff\xfe","ts":1,"dur":1}]}'), codes=(0,), words=("replaced",))
    case(10, "byte order mark", file("t.json", b"\xef\xbb\xbf" + events(GOOD_TEXT).encode()), codes=(0,), good=1)
    case(10, "traceEvents is an object", file("t.json", '{"traceEvents":{}}'), codes=(3,))
    case(10, "no traceEvents", file("t.json", '{"a":1}'), codes=(3,))
    case(10, "text", file("t.json", "hello"), codes=(3,))


# ---- 11 to 30: events whose fields say odd things
def event_fields():
    for name, value in (("text", '"12"'), ("null", "null"), ("boolean", "true"), ("array", "[1]")):
        beside_good(11, f"ts is {name}", raw_span("ts", value))
    for name, value in (("negative", "-5"), ("beyond 2^53", "9007199254740993"), ("beyond 2^63", "92233720368547758080")):
        beside_good(12, f"ts {name}", raw_span("ts", value))
    for name, value in (("negative", "-3"), ("zero", "0"), ("NaN as text", '"NaN"')):
        beside_good(13, f"dur {name}", raw_span("dur", value))
    beside_good(13, "no dur", json.dumps({"ph": "X", "name": "odd", "ts": 1}))
    for name, value in (("text", "Spans"), ("negative", -1), ("float", 1.5)):
        beside_good(14, f"pid and tid are {name}", span(pid=value, tid=value))
    beside_good(14, "no pid, no tid", json.dumps({"ph": "X", "name": "odd", "ts": 1, "dur": 1}))
    beside_good(15, "args is an array", span(args=[1, 2]))
    beside_good(15, "args is 10 MB of text", span(args="x" * 10_000_000))
    case(16, "10 000 processes", file("t.json", "[" + ",".join(span(pid=i) for i in range(10_000)) + "]"), codes=(0,))
    half = lambda ph, name, ts: json.dumps({"ph": ph, "name": name, "ts": ts, "pid": 1, "tid": 1})
    beside_good(17, "B without E", half("B", "a", 1), words=("begin without an end",))
    beside_good(17, "E without B", half("E", "a", 1), words=("end without a beginning",))
    beside_good(17, "E of another name", half("B", "a", 1) + "," + half("E", "b", 2))
    beside_good(17, "crossed X", span(ts=1, dur=5) + "," + span(ts=3, dur=9))
    flow = lambda ph, i, ts, cat="x": json.dumps({"ph": ph, "cat": cat, "id": i, "ts": ts, "pid": 1, "tid": 1, "name": "f"})
    beside_good(18, "flow of one side", flow("s", 1, 1))
    beside_good(18, "f before s", flow("s", 1, 9) + "," + flow("f", 1, 3))
    beside_good(18, "one id in two categories", flow("s", 1, 1) + "," + flow("f", 1, 2, "y"))
    beside_good(18, "f twice", flow("s", 1, 1) + "," + flow("f", 1, 2) + "," + flow("f", 1, 3))
    call = lambda c: json.dumps({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 0, "dur": 1, "pid": 1, "tid": 1, "args": {"correlation": c}})
    for name, c in (("0", 0), ("beyond 2^32", 1 << 40)):
        beside_good(19, f"correlation {name}", call(c) + "," + kernel(correlation=c, device=0, stream=7))
    beside_good(19, "correlation twice", call(3) + "," + call(3) + "," + kernel(correlation=3, device=0, stream=7))
    for name, text in (("of 1 MB", "n" * 1_000_000), ("empty", ""), ("</script>", "</script>"), ("with quote and backslash", '"\\'), ("with NUL", "a\0b"),
                       ("with a right-to-left override", "a\u202eb")):
        beside_good(20, f"name {name}", span(name=text))
    beside_good(21, "counter with a text", json.dumps({"ph": "C", "name": "c", "ts": 1, "args": {"v": "many"}}))
    case(22, "metadata behind the events", file("t.json", events(GOOD_TEXT, json.dumps({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "late"}}))), codes=(0,), good=1)
    beside_good(23, "an hour before the others", span(ts=-3_600_000_000))
    case(24, "one event", file("t.json", events(GOOD_TEXT)), codes=(0,), good=1)
    case(25, "no duration at all", file("t.json", "[" + json.dumps(GOOD | {"dur": 0}) + "]"), codes=(0,), good=1)
    for name, devices in (("empty", "[]"), ("with an empty name", '[{"id":0,"name":""}]'), ("with odd entries", '[{}, 3, {"id":-1}, {"id":1,"name":7}]')):
        case(26, f"deviceProperties {name}", file("t.json", events(kernel(device=0, stream=7), head=f'"deviceProperties": {devices},')), codes=(0,))
    case(27, "a device that is not listed", file("t.json", events(kernel(device=9, stream=7), head='"deviceProperties": [{"id":0,"name":"G"}],')), codes=(0,))
    beside_good(28, "stream 2^32 - 1", kernel(device=0, stream=(1 << 32) - 1))
    for name, value in (("negative", -4), ("2^63", 1 << 63)):
        beside_good(29, f"bytes {name}", json.dumps({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "ts": 1, "dur": 1, "args": {"bytes": value}}))
    beside_good(30, "a grid beyond all bounds", kernel(grid=[2147483647] * 3, block=[1024] * 3, device=0, stream=7))


# ---- 31: SQLite files
def sqlite_files():
    def database(name, *statements, after=None, words=(), codes=(0, 3), **more):
        def make(folder):
            path = folder / "a.sqlite"
            db = sqlite3.connect(path)
            db.executescript("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES(1,'gemm');"
                             "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, \"end\" INTEGER, deviceId INTEGER, streamId INTEGER, demangledName INTEGER);"
                             "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(5,15,0,7,1);" + ";".join(statements))
            db.commit()
            db.close()
            if after:
                after(path)
            return path
        case(31, name, make, codes=codes, words=words, **more)
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 20000) INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i*10, i*10+5, 0, 7, 1 FROM n"
    table = "CUPTI_ACTIVITY_KIND_KERNEL"
    case(31, "not a database", file("a.sqlite", b"SQLite format 3\0" + bytes(84)), codes=(3,))
    database("truncated", many, after=lambda p: p.write_bytes(p.read_bytes()[:p.stat().st_size // 2]), codes=(3,), words=("truncated",))
    database("a page of zeros", many, after=lambda p: p.write_bytes(p.read_bytes()[:8192] + bytes(4096) + p.read_bytes()[12288:]), codes=(3,), words=("damaged",))

    def flipped(p):
        data = bytearray(p.read_bytes())
        for i in range(200):
            data[(i * 7919 + 5000) % len(data)] ^= 1 << (i % 8)
        p.write_bytes(data)
    database("200 flipped bits", many, after=flipped, codes=(0, 3))
    database("a log left beside it", after=lambda p: pathlib.Path(str(p) + "-wal").write_bytes(b"left"), codes=(3,), words=("-wal",))

    def locked(p):
        db = sqlite3.connect(p, isolation_level=None, check_same_thread=False)
        db.execute("BEGIN EXCLUSIVE")
        threading.Timer(8, db.close).start()
    database("locked by another program", after=locked, codes=(0, 3))
    database("another user_version", "PRAGMA user_version = 99; PRAGMA application_id = 7", codes=(0,))
    case(31, "no StringIds", lambda f: (sqlite3.connect(f / "a.sqlite").executescript("CREATE TABLE t(a)"), f / "a.sqlite")[1], codes=(3,), words=("StringIds",))
    database("column start is missing", f"ALTER TABLE {table} RENAME COLUMN start TO startNs", codes=(3,), words=("start",))
    database("further columns", f"ALTER TABLE {table} ADD COLUMN somethingNew TEXT DEFAULT 'x'", codes=(0,))
    database("texts, fractions and blobs in INTEGER", f"INSERT INTO {table} VALUES('abc',15,0,7,1),(1.5,2,0,0,1),(x'00',1,0,0,1)", codes=(0,), words=("could not be read",))
    database("end before start", f"INSERT INTO {table} VALUES(30,20,0,7,1)", codes=(0,), words=("negative durations",))
    database("NULL where none may be", f"INSERT INTO {table} VALUES(NULL,1,0,0,1)", codes=(0,), words=("could not be read",))
    database("names that point nowhere", f"INSERT INTO {table} VALUES(40,41,0,7,77)", codes=(0,), words=("missing",))
    database("schema 4", "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT)", "INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION_MAJOR','4')", codes=(3,), words=("schema 4",))
    database("an endless view instead of a table", "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i AS start, i AS \"end\" FROM n", codes=(0,))
    database("a trigger", "CREATE TABLE t(a); CREATE TRIGGER boom AFTER INSERT ON t BEGIN DELETE FROM StringIds; END", codes=(0,))
    database("2 000 tables", ";".join(f"CREATE TABLE t{i}(a)" for i in range(2000)), codes=(0,))


# ---- 32 to 34: formats that are not read: refused in words, whatever is in them
def formats_not_read():
    header = "Time (%),Total Time (ns),Instances,Name"
    for name, data in (("CRLF", header + "\r\n1,2,3,k\r\n"), ("byte order mark", "\ufeff" + header), ("UTF-16", header.encode("utf-16")), ("semicolons", header.replace(",", ";")),
                       ("decimal comma", header + "\n\"1,5\",2,3,k"), ("thousands", header + "\n1,\"1,215,000\",3,k"), ("newline in quotes", header + '\n1,2,3,"a\nb"'),
                       ("a column missing", "Time (%),Name\n1,k"), ("header twice", header + "\n" + header), ("a million columns", "a," * 1_000_000)):
        case(32, f"CSV: {name}", file("t.csv", data), codes=(3,))
    frame = b"\x80\x04"
    for name, data in (("GLOBAL os.system", b"cos\nsystem\n(S'true'\ntR."), ("REDUCE", frame + b"\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R."), ("memo out of range", frame + b"j\xff\xff\xff\x7f."),
                       ("100 000 marks", frame + b"(" * 100_000), ("a length of 4 GB", frame + b"\x8d" + struct.pack("<Q", 1 << 32)), ("a list in itself", frame + b"]\x94h\x00a.")):
        case(33, f"pickle: {name}", file("snapshot.pickle", data), codes=(3,))
    for name, data in hostile_protobuf():
        case(34, f"Perfetto: {name}", file("t.pftrace", data), codes=(3,), words=("Perfetto",))
        case(34, f"ONNX: {name}", file("t.onnx", data), codes=(3,), verb="run")


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def hostile_protobuf():
    deep = b""
    for _ in range(10_000):
        deep = field(7, deep)
    packet = field(1, field(50, field(1, field(50, b"\0" * 100))))
    cycle = field(1, field(60, field(1, 1) + field(5, 2))) + field(1, field(60, field(1, 2) + field(5, 1)))
    return [("field 0", b"\0\1\2"), ("a varint of 11 bytes", b"\x08" + b"\xff" * 10 + b"\1"), ("a length past the end", b"\x3a\xff\xff\xff\xff\x07ab"), ("a group", b"\x3b\x3c"),
            ("10 000 nested messages", deep), ("packets in packets", packet), ("tracks that are their own parents", cycle), ("an unknown interned id", field(1, field(11, field(10, 999))))]


# ---- 35: ONNX models
def tensor(name, dims, dtype=1, data=b"", more=b""):
    return b"".join(field(1, d) for d in dims) + field(2, dtype) + field(8, name) + (field(9, data) if data else b"") + more


def value(name, dims, dtype=1):
    shape = b"".join(field(1, field(1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, dtype) + field(2, shape)))


def node(op, inputs, outputs, *attributes):
    return b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs) + field(4, op) + b"".join(field(5, a) for a in attributes)


def ints(name, values):
    return field(1, name) + b"".join(field(8, v) for v in values) + field(20, 7)


def model(nodes, inputs=(("x", (1, 3, 8, 8)),), outputs=("y",), tensors=(), opset=13):
    graph = b"".join(field(1, n) for n in nodes) + field(2, "g") + b"".join(field(5, t) for t in tensors)
    graph += b"".join(field(11, value(n, d)) for n, d in inputs) + b"".join(field(12, field(1, o)) for o in outputs)
    return field(1, 7) + field(7, graph) + field(8, field(1, "") + field(2, opset))


def onnx_models():
    def onnx(name, data=None, codes=(3,), **more):
        case(35, name, data if callable(data) else file("m.onnx", data), codes=codes, verb="run", **more)
    relu = node("Relu", ["x"], ["y"])
    weight = node("Conv", ["x", "w"], ["y"])
    external = lambda place: field(13, field(1, "location") + field(2, place)) + field(14, 1)
    for name, place in (("../../etc/passwd", "../../../../../../etc/passwd"), ("an absolute path", "/etc/passwd")):
        onnx(f"external data at {name}", model([weight], tensors=[tensor("w", (4, 3, 3, 3), more=external(place))]))

    def symlink(folder):
        (folder / "w.bin").symlink_to("/etc/passwd")
        return file("m.onnx", model([weight], tensors=[tensor("w", (4, 3, 3, 3), more=external("w.bin"))]))(folder)
    onnx("external data behind a link", symlink)
    onnx("negative extents", model([weight], tensors=[tensor("w", (-4, 3, 3, 3), data=b"\0" * 432)]))
    onnx("extents whose product overflows", model([weight], tensors=[tensor("w", (1 << 40, 1 << 40, 3, 3), data=b"\0" * 432)]))
    onnx("fewer bytes than the extents say", model([weight], tensors=[tensor("w", (4, 3, 3, 3), data=b"\0" * 100)]))
    onnx("a cycle", model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"])], outputs=("b",)))
    onnx("one output name twice", model([relu, node("Neg", ["x"], ["y"])]))
    onnx("an initializer that is missing", model([weight]))
    onnx("opset 999", model([relu], opset=999))
    onnx("an unknown operator", model([node("Frobnicate", ["x"], ["y"])]))
    onnx("a million nodes", model([node("Relu", ["x" if i == 0 else f"t{i}"], [f"t{i + 1}"]) for i in range(1_000_000)], outputs=("t1000000",)))
    inner = field(1, relu) + field(2, "g") + field(12, field(1, "y"))
    for _ in range(200):
        branch = field(1, "then_branch") + field(6, inner) + field(20, 5)
        inner = field(1, node("If", ["c"], ["y"], branch, field(1, "else_branch") + field(6, inner[:0] + field(2, "e")) + field(20, 5))) + field(2, "g") + field(12, field(1, "y"))
    onnx("If in If, 200 deep", model([node("If", ["c"], ["y"], field(1, "then_branch") + field(6, inner) + field(20, 5))], inputs=(("c", (1,)),)))
    shape = tensor("s", (2,), 7, struct.pack("<2q", 1 << 19, 1 << 19))
    onnx("ConstantOfShape of 1 TB", model([node("ConstantOfShape", ["s"], ["y"])], tensors=[shape]))
    # what an Expand gives is read where it lies, nothing is stored
    onnx("Expand to 1 TB", codes=(0, 3), data=model([node("Expand", ["x", "s"], ["y"])], inputs=(("x", (1, 1)),), tensors=[shape]))
    onnx("Resize to 1 TB", model([node("Resize", ["x", "", "", "s"], ["y"])], inputs=(("x", (1, 1, 8, 8)),), tensors=[tensor("s", (4,), 7, struct.pack("<4q", 1, 1, 1 << 19, 1 << 19))]))
    kernel_of = tensor("w", (4, 3, 3, 3), data=b"\0" * 432)
    onnx("Conv of group 0", model([node("Conv", ["x", "w"], ["y"], field(1, "group") + field(3, 0) + field(20, 2))], tensors=[kernel_of]))
    onnx("Conv of stride 0", model([node("Conv", ["x", "w"], ["y"], ints("strides", [0, 0]))], tensors=[kernel_of]))
    onnx("Conv whose kernel is larger than its input", model([weight], inputs=(("x", (1, 3, 2, 2)),), tensors=[kernel_of]))
    onnx("f16 weights that are NaN", model([node("Add", ["x", "w"], ["y"])], inputs=(("x", (2,)),), tensors=[tensor("w", (2,), 10, b"\xff\x7f\xff\x7f")]), codes=(0, 3))
    onnx("an empty graph", field(1, 7) + field(7, field(2, "g")) + field(8, field(2, 13)))
    onnx("no graph", field(1, 7))
    onnx("a model that is sound", model([relu]), codes=(0,))


# ---- 36: what surrounds a capture
def surroundings():
    quick = ["run", "stream", "--set", "n=1000", "--threads", "1", "--warmup", "0", "--no-probe"]

    def ran(steps, folder, name="a.tide", **more):
        return subprocess.run([tool, *quick, "--steps", str(steps), "-o", str(folder / name)], capture_output=True, **more)

    def killed(folder):
        path = folder / "killed.tide"
        child = subprocess.Popen([tool, "run", "stream", "--set", "n=1000", "--threads", "1", "--warmup", "0", "--no-probe", "--steps", "1000000", "-o", str(path)],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.time() + 8
        while time.time() < end and not pathlib.Path(str(path) + "-wal").exists():
            time.sleep(0.02)
        time.sleep(0.7)
        child.send_signal(signal.SIGKILL)
        child.wait()
        return path
    case(36, "kill -9 while recording", killed, codes=(0, 3), verb="analyze", raw=64 * MB)

    def two(folder):
        both = [subprocess.Popen([tool, *quick, "--steps", "2000", "-o", str(folder / "a.tide")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
        for child in both:
            child.wait()
        return folder / "a.tide"
    case(36, "two runs into one file", two, codes=(0,), verb="analyze", raw=64 * MB)
    full = "import resource,os,sys; resource.setrlimit(resource.RLIMIT_FSIZE, (40960, 40960)); os.execv(sys.argv[1], sys.argv[1:])"
    case(36, "a full disk while recording", lambda f: f / "full.tide", codes=(3,), verb=lambda p: [sys.executable, "-c", full, tool, *quick, "--steps", "3000", "-o", str(p)])
    case(36, "a full disk while importing", lambda f: f / "full.tide", codes=(3,),
         verb=lambda p: [sys.executable, "-c", full, tool, "import", str(traces / "kineto_h100_bert_small.pt.trace.json.gz"), "-o", str(p)])
    case(36, "a full disk while exporting", lambda f: f / "full.json", codes=(3,),
         verb=lambda p: [sys.executable, "-c", full, tool, "export", str(traces / "kineto_h100_bert_small.pt.trace.json.gz"), "-o", str(p)])
    case(36, "a folder that may not be written", lambda f: pathlib.Path("/proc/a.tide"), codes=(3,), verb=lambda p: [tool, *quick, "--steps", "2", "-o", str(p)])

    def odd_name(folder):
        path = os.fsencode(folder) + b"/new\nline \xff.json"
        with open(path, "wb") as f:
            f.write(events(GOOD_TEXT).encode())
        return pathlib.Path(os.fsdecode(path))
    case(36, "a name with a newline and bytes that are no UTF-8", odd_name, codes=(0,), good=1)
    case(36, "a capture cut in half", lambda f: (ran(5, f), os.truncate(f / "a.tide", (f / "a.tide").stat().st_size // 2), f / "a.tide")[2], codes=(3,), verb="analyze")


def runner():
    """Runs what it is asked to, a line of JSON each: a small process of its own, because a child's peak memory includes its parent's."""
    for line in sys.stdin:
        asked = json.loads(line)
        with open(asked["out"], "wb") as out, open(asked["err"], "wb") as err:
            child = subprocess.Popen([os.fsencode(c) for c in asked["command"]], stdout=out, stderr=err, stdin=subprocess.DEVNULL)
            timer = threading.Timer(LIMIT_S * 12, child.kill)  # on a busy machine; what counts is processor time
            timer.start()
            _, status, used = os.wait4(child.pid, 0)
            timer.cancel()
            child.returncode = os.waitstatus_to_exitcode(status)
        print(json.dumps([child.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]), flush=True)


def run(command, folder):
    """Exit code, output, error, seconds of the processor, peak bytes."""
    out, err = folder / "stdout.txt", folder / "stderr.txt"
    helper.stdin.write(json.dumps({"command": [str(c) for c in command], "out": str(out), "err": str(err)}) + "\n")
    helper.stdin.flush()
    code, cpu, peak = json.loads(helper.stdout.readline())
    return code, out.read_bytes(), err.read_bytes(), cpu, peak


def judge(one, folder):
    path = one.make(folder)
    output = folder / "out.tide"
    if callable(one.verb):
        command = one.verb(path)
    elif one.verb == "run":
        command = [tool, "run", str(path), "--steps", "1", "--warmup", "0", "--no-probe", "--threads", "1", "-o", str(output)]
    elif one.verb == "analyze":
        command = [tool, "analyze", str(path)]
    else:
        command = [tool, "import", str(path), "-o", str(output)]
    code, out, err, cpu, peak = run(command, folder)
    said = (out + err).decode("utf-8", "replace")
    problems = []
    if code < 0:
        problems.append(f"ended by signal {-code}")
    elif code not in one.codes:
        problems.append(f"exit code {code}, expected {' or '.join(map(str, one.codes))}: {said.strip()[:200]}")
    if cpu > LIMIT_S:
        problems.append(f"{cpu:.1f} s of the processor")
    size = one.raw if one.raw is not None else (path.stat().st_size if path.exists() and path.is_file() else 0)
    if peak > 4 * size + 256 * MB:
        problems.append(f"{peak / MB:.0f} MB of memory for {size / MB:.1f} MB")
    if code in (2, 3):
        if not err.strip():
            problems.append("refused without a word")
        name = path.name.split("\n")[0].split(".")[0]
        if one.says_file and name not in said:
            problems.append(f"does not name the file: {said.strip()[:200]}")
        if not callable(one.verb) and output.exists():
            problems.append("left a file behind")
    for word in one.words:
        if word not in said:
            problems.append(f'does not say "{word}": {said.strip()[:300]}')
    if one.good is not None and code == 0:
        asked = [tool, "query", str(output), "SELECT count(*) AS n FROM NVTX_EVENTS JOIN StringIds ON StringIds.id = textId WHERE value LIKE 'good%'", "--json"]
        counted = subprocess.run(asked, capture_output=True, text=True)
        rows = json.loads(counted.stdout)["rows"] if counted.returncode == 0 else None
        if rows != [[one.good]]:
            problems.append(f"{one.good} good events are not kept: {counted.stdout.strip()[:200]} {counted.stderr.strip()[:200]}")
    outcome = {0: "kept", 2: "refused (usage)", 3: "refused"}.get(code, f"code {code}")
    first = next((line for line in err.decode("utf-8", "replace").splitlines() if line.strip()), "") if code else next((l[12:] for l in said.splitlines() if l.startswith("  - Import: ") and "marks no steps" not in l), "")
    return outcome, cpu, peak, problems, first.replace(str(folder) + "/", "").strip()[:150]


def main():
    for part in (files_and_packing, json_texts, event_fields, sqlite_files, formats_not_read, onnx_models, surroundings):
        part()
    lines = ["| group | input | outcome | processor [s] | memory [MB] | first words |", "| ---: | --- | --- | ---: | ---: | --- |"]
    failed = 0
    for one in cases:
        with tempfile.TemporaryDirectory() as folder:
            outcome, cpu, peak, problems, words = judge(one, pathlib.Path(folder))
        for problem in problems:
            failed += 1
            print(f"DOES NOT HOLD: {one.group} {one.name}: {problem}", flush=True)
        text = words.replace("|", "\\|").encode("ascii", "backslashreplace").decode()
        lines.append(f"| {one.group} | {one.name} | {'**wrong** ' if problems else ''}{outcome} | {cpu:.2f} | {peak / MB:.0f} | {text} |")
    groups = {one.group for one in cases}
    print(f"{len(cases)} inputs in {len(groups)} groups, {failed} problems")
    if len(sys.argv) > 2:
        head = (f"# Bad inputs\n\n{len(cases)} inputs in {len(groups)} groups, made and tried by `tests/acceptance/bad_inputs.py`; {failed} problems. What has to hold is said there.\n"
                "Measured: processor time and peak memory of the whole process.\n\n")
        pathlib.Path(sys.argv[2]).write_text(head + "\n".join(lines) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__)
        sys.exit(2)
    if sys.argv[1] == "--runner":
        sys.exit(runner())
    helper = subprocess.Popen([sys.executable, __file__, "--runner"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    tool = os.path.abspath(sys.argv[1])
    traces = pathlib.Path(__file__).resolve().parent.parent / "data" / "traces"
    sys.exit(main())
