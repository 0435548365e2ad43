# SPDX-License-Identifier: Apache-2.0
"""Holds exports against what others publish: Perfetto's own protobuf classes, speedscope's file format, Go's pprof, Holistic Trace
Analysis (HTA) and TensorBoard's PyTorch plugin, both the fields they read and, where they are installed, what they find.

usage: check_exports.py TENSORTIDE CAPTURE_OR_TRACE...
Each part is said to be left out where its program is not there. In a throw-away environment:
  pip install perfetto protobuf "pandas<2.3" "numpy<2" plotly networkx pydot psutil pyyaml ipython
  pip install --no-deps HolisticTraceAnalysis torch_tb_profiler     (their other needs are for drawing)
and `go` on the PATH for pprof.
Exit code 0: all hold, 1: something does not (said which), 3: a program failed.
"""
import importlib.util
import json
import logging
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings

problems = []


def check(holds, what):
    if not holds:
        problems.append(what)


def installed(module):
    return importlib.util.find_spec(module) is not None


def unknown_fields(message, path, seen):
    from google.protobuf import unknown_fields as unknown
    for field in unknown.UnknownFieldSet(message):
        seen.add(f"{path}.{field.field_number}")
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        for one in value if hasattr(value, "append") or hasattr(value, "add") else [value]:
            unknown_fields(one, f"{path}.{descriptor.name}", seen)


def perfetto(file):
    if not installed("perfetto"):
        return "left out: perfetto is not installed"
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto
    trace = proto.Trace()
    trace.ParseFromString(file.read_bytes())
    seen = set()
    for packet in trace.packet:
        unknown_fields(packet, "packet", seen)
    check(not seen, f"perfetto: fields that the published schema lacks: {sorted(seen)}")
    tracks = {p.track_descriptor.uuid for p in trace.packet if p.HasField("track_descriptor")}
    opened = {}
    for p in trace.packet:
        if not p.HasField("track_event"):
            continue
        event = p.track_event
        check(event.track_uuid in tracks, f"perfetto: track {event.track_uuid} was not declared")
        if event.type == event.TYPE_SLICE_BEGIN:
            opened[event.track_uuid] = opened.get(event.track_uuid, 0) + 1
        if event.type == event.TYPE_SLICE_END:
            opened[event.track_uuid] = opened.get(event.track_uuid, 0) - 1
    check(not any(opened.values()), "perfetto: slices are not balanced")
    stages = sum(p.HasField("gpu_render_stage_event") for p in trace.packet)
    return f"{len(trace.packet)} packets, {len(tracks)} tracks, {stages} GPU stages"


def speedscope(file):
    document = json.loads(file.read_bytes())
    check(document["$schema"] == "https://www.speedscope.app/file-format-schema.json", "speedscope: $schema")
    frames = document["shared"]["frames"]
    check(all(set(f) <= {"name", "file", "line", "col"} and isinstance(f["name"], str) for f in frames), "speedscope: frames")
    check(set(document) <= {"$schema", "shared", "profiles", "name", "activeProfileIndex", "exporter", "version"}, "speedscope: keys")
    for profile in document["profiles"]:
        check(set(profile) == {"type", "name", "unit", "startValue", "endValue", "events"}, f"speedscope: keys {sorted(profile)}")
        check(profile["type"] == "evented" and profile["unit"] == "nanoseconds", "speedscope: type and unit")
        stack, last = [], profile["startValue"]
        for event in profile["events"]:
            check(set(event) == {"type", "frame", "at"} and event["at"] >= last, "speedscope: events go back in time")
            last = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
            else:
                check(bool(stack) and stack.pop() == event["frame"], "speedscope: frames are not balanced")
        check(not stack and last <= profile["endValue"], "speedscope: frames stay open")
    return f"{len(frames)} frames, {len(document['profiles'])} profiles"


def pprof(file):
    if shutil.which("go") is None:
        return "left out: there is no go on the PATH"
    top = subprocess.run(["go", "tool", "pprof", "-top", "-nodecount=3", str(file)], capture_output=True, text=True)
    check(top.returncode == 0 and "Showing" in top.stdout, f"pprof: {top.stderr.strip()}")
    return top.stdout.strip().splitlines()[-1].strip() if top.returncode == 0 else "refused"


def kineto(file):
    """What HTA's parser (trace_parser) and TensorBoard's plugin look at."""
    trace = json.loads(file.read_bytes())
    check(isinstance(trace.get("traceEvents"), list), "kineto: traceEvents")
    check("distributedInfo" in trace and "rank" in trace["distributedInfo"], "kineto: distributedInfo.rank (HTA)")
    check("schemaVersion" in trace and "deviceProperties" in trace, "kineto: schemaVersion, deviceProperties")
    kinds = {}
    for event in trace["traceEvents"]:
        if event.get("ph") != "X":
            continue
        for key in ("name", "cat", "ts", "dur", "pid", "tid"):
            check(key in event, f"kineto: {event.get('cat')} without {key}")
        kinds[event["cat"]] = kinds.get(event["cat"], 0) + 1
        if event["cat"] in ("kernel", "gpu_memcpy", "gpu_memset"):
            for key in ("stream", "correlation", "device"):
                check(key in event["args"], f"kineto: {event['cat']} without args.{key}")
        if event["cat"] in ("cuda_runtime", "cuda_driver"):
            check("correlation" in event["args"], "kineto: an API call without args.correlation")
    return ", ".join(f"{n} {k}" for k, n in sorted(kinds.items()))


def kernels_of(tool, source, folder):
    """Number and total time (ns) of the kernels, by SQL from the capture."""
    capture = source
    if not source.endswith(".tide"):
        capture = str(folder / "capture.tide")
        subprocess.run([tool, "import", source, "-o", capture], check=True, capture_output=True)
    sql = 'SELECT count(*), coalesce(sum("end" - start), 0) FROM CUPTI_ACTIVITY_KIND_KERNEL'
    asked = subprocess.run([tool, "query", capture, sql, "--json"], capture_output=True, text=True)
    return tuple(json.loads(asked.stdout)["rows"][0]) if asked.returncode == 0 else (0, 0)  # no kernels: no table


def tensorboard(file, kernels):
    """The plugin's own parser finds every kernel and its time to the nanosecond."""
    if not installed("torch_tb_profiler"):
        return "left out: torch_tb_profiler is not installed"
    from torch_tb_profiler.profiler.data import RunProfileData
    profile = RunProfileData.parse("worker", "1", str(file), None)
    if kernels[0] == 0:
        check(not profile.has_kernel, "TensorBoard: finds kernels where there are none")
        return "no kernels"
    check(profile.kernel_stat is not None, "TensorBoard: finds no kernels")
    if profile.kernel_stat is None:
        return "no kernels"
    found = (int(profile.kernel_stat["count"].sum()), round(float(profile.kernel_stat["sum"].sum()) * 1000))
    check(found == tuple(kernels), f"TensorBoard: {found[0]} kernels of {found[1]} ns, there are {kernels[0]} of {kernels[1]} ns")
    return f"{found[0]} kernels, {found[1]} ns, steps {', '.join(profile.steps_names)}"


def hta(file, source, kernels):
    """HTA's breakdown of the export equals its breakdown of the trace it came from; HTA rounds times down to microseconds."""
    if not installed("hta"):
        return "left out: HolisticTraceAnalysis is not installed"
    if kernels[0] == 0:
        return "left out: HTA is for traces with kernels"
    from hta.trace_analysis import TraceAnalysis

    def breakdown(trace):
        return TraceAnalysis(trace_files={0: str(trace)}).get_temporal_breakdown(visualize=False).to_dict("records")[0]
    ours = breakdown(file)
    busy = ours["compute_time(us)"] + ours["non_compute_time(us)"]
    check(abs(busy + ours["idle_time(us)"] - ours["kernel_time(us)"]) <= 2, "HTA: busy and idle do not add up")
    text = ", ".join(f"{key} {value:.0f}" for key, value in ours.items() if key.endswith("(us)"))
    try:
        theirs = breakdown(source)
    except Exception as error:  # pylint: disable=broad-except
        return f"{text}; HTA does not read the original ({type(error).__name__})"
    for key, value in ours.items():
        if key.endswith("(us)"):
            check(abs(value - theirs[key]) <= max(2, min(kernels[0], 0.02 * theirs["kernel_time(us)"])), f"HTA: {key} is {value}, of the original {theirs[key]}")
    return f"{text}; the original: " + ", ".join(f"{theirs[key]:.0f}" for key in ours if key.endswith("(us)"))


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    tool, inputs = sys.argv[1], sys.argv[2:]
    formats = [("t.pftrace", perfetto), ("t.speedscope.json", speedscope), ("t.pb.gz", pprof), ("t.json", kineto)]
    with tempfile.TemporaryDirectory() as folder:
        for source in inputs:
            for name, reader in formats:
                file = pathlib.Path(folder) / name
                made = subprocess.run([tool, "export", source, "-o", str(file)], capture_output=True, text=True)
                if made.returncode != 0:
                    print(made.stderr)
                    return 3
                print(f"{pathlib.Path(source).name}: {reader.__name__}: {reader(file)}", flush=True)
            kernels = kernels_of(tool, source, pathlib.Path(folder))
            kineto_file = pathlib.Path(folder) / "t.json"
            print(f"{pathlib.Path(source).name}: TensorBoard: {tensorboard(kineto_file, kernels)}", flush=True)
            print(f"{pathlib.Path(source).name}: HTA: {hta(kineto_file, pathlib.Path(source).resolve(), kernels)}", flush=True)
    for problem in sorted(set(problems)):
        print(f"DOES NOT HOLD: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
