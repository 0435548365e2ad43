# SPDX-License-Identifier: Apache-2.0
"""The same work beside others' tools: NVIDIA's sanitizer and ncu, and PyTorch with its profiler. What is not on the machine is left out, and said.

usage: peers.py torch-step OUT.json [--batch N] [--image N] [--steps N] [--device cuda|cpu]
Trains ResNet-50 (our workload's network, optimiser and number format) in PyTorch and writes step times, kernel times and kernel names.
Exit code 0: measured, 4: there is no PyTorch, or none for this device.
"""
import argparse
import csv
import glob
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

NCU_METRICS = ["dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__time_duration.sum"]
# Workloads that ncu and our counters both count; equal but for the tool. NCU_STEPS: all that the traced process runs.
COUNTED = {"gemm": ["gemm", "--set", "m=4096", "--set", "n=4096", "--set", "k=4096"], "stream": ["stream", "--set", f"n={1 << 28}"]}
NCU_STEPS = 3
# Tool, GPU tests, seconds; the whole networks are left to the first.
SANITIZERS = [("memcheck", "*", 170), ("racecheck", "*OnTheGpu*", 90), ("synccheck", "*OnTheGpu*", 60)]
BATCH, STEPS, PROFILED = 32, 20, 5
ABSENT = 4


def value_of(figure):
    """Of {"value": x, "origin": ...}; NaN where it is null."""
    value = figure.get("value") if isinstance(figure, dict) else figure
    return float("nan") if value is None else float(value)


def find_tool(name):
    """On the PATH, in the toolkits, in Nsight's own folders; None where there is none."""
    places = [f"/usr/local/cuda*/bin/{name}", f"/usr/local/cuda*/{name}/{name}", f"/opt/nvidia/nsight-compute/*/{name}", f"/usr/local/cuda*/nsight-compute*/{name}"]
    return shutil.which(name) or next((place for pattern in places for place in sorted(glob.glob(pattern)) if os.access(place, os.X_OK)), None)


def leave_out(session, name, why):
    session.note(name, "absent", 0, why)


# -- compute-sanitizer ----------------------------------------------------------------------------------------------------------------------


def sanitize(session):
    tool = find_tool("compute-sanitizer")
    if tool is None:
        return leave_out(session, "sanitizer", "compute-sanitizer is not on this machine")
    for kind, tests, most_s in SANITIZERS:
        command = [tool, "--tool", kind, "--error-exitcode", "9", session.bin / "gpu_test", f"--gtest_filter={tests}"]
        session.step(f"sanitizer_{kind}", command, most_s, may_stop=True)
        log = (session.out / f"sanitizer_{kind}.log").read_text(errors="replace") if (session.out / f"sanitizer_{kind}.log").exists() else ""
        errors = [line for line in log.splitlines() if "ERROR SUMMARY" in line or "RACECHECK SUMMARY" in line]
        print(f"        {kind}: {log.count('[       OK ]')} tests without an error, {log.count('[  FAILED  ]')} with; {'; '.join(errors) or 'no summary'}")


# -- ncu ------------------------------------------------------------------------------------------------------------------------------------


def kernels_of_ncu(text):
    """[{"name", metric: value}] of ncu's raw page as CSV with base units; what stands before the table (the program's output) is skipped."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None:
        return []
    kernels = []
    for row in csv.DictReader(lines[begin:]):
        if not (row.get("ID") or "").isdigit():  # the row of units
            continue
        try:
            kernels.append({"name": row["Kernel Name"], **{metric: float(row[metric].replace(",", "")) for metric in NCU_METRICS}})
        except (KeyError, ValueError):
            continue
    return kernels


def per_step(kernels, steps):
    """Bytes and nanoseconds of one step, where every step launched the same kernels; None otherwise."""
    if not kernels or len(kernels) % steps != 0:
        return None
    total = {metric: sum(kernel[metric] for kernel in kernels) / steps for metric in NCU_METRICS}
    return {"dram_bytes": total[NCU_METRICS[0]] + total[NCU_METRICS[1]], "time_ns": total[NCU_METRICS[2]], "kernels": len(kernels) // steps}


def counted_bytes(table):
    """What our counters saw between DRAM and L2 in one step, of `analyze --table cache --json`; None where nothing was counted."""
    keys = [column["key"] for column in table["columns"]]
    total, seen = 0.0, False
    for row in table["rows"]:
        row = row if isinstance(row, dict) else dict(zip(keys, row))
        if "DRAM" not in str(row.get("link")) or row.get("measured_bytes") is None:
            continue
        total, seen = total + float(row["measured_bytes"]), True
    return total if seen else None


def beside_ncu(session):
    """Bytes of device memory of one step, by ncu and by our counters."""
    device = "cpu" if session.rehearse else "cuda"
    tool = find_tool("ncu")
    if tool is None:
        return leave_out(session, "ncu", "ncu is not on this machine")
    rows = []
    for name, words in COUNTED.items():
        program = [session.bin / "tensortide", "run", *words, "--device", device, "--no-probe"]
        ours = [*program, "--steps", "5", "--collect", "cupti,counters", "--no-cupti-cost", "-o", session.out / f"beside_ncu_{name}.tide"]
        theirs = [tool, "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(NCU_METRICS),
                  *program, "--steps", str(NCU_STEPS - 1), "--warmup", "1", "-o", session.out / f"under_ncu_{name}.tide"]
        if not (session.step(f"counted_{name}", ours, 60) and session.step(f"ncu_{name}", theirs, 90, stdout=session.out / f"ncu_{name}.csv")):
            continue
        table = subprocess.run([session.bin / "tensortide", "analyze", session.out / f"beside_ncu_{name}.tide", "--table", "cache", "--json"], capture_output=True, text=True)
        step = per_step(kernels_of_ncu((session.out / f"ncu_{name}.csv").read_text(errors="replace")), NCU_STEPS)
        counted = counted_bytes(json.loads(table.stdout)) if table.returncode == 0 else None
        ratio = counted / step["dram_bytes"] if counted and step and step["dram_bytes"] else None
        rows.append({"name": name, "ncu": step, "counted_dram_bytes": counted, "ratio": ratio})
        print(f"        {name}: our counters {figure(counted)}B, ncu {figure(step and step['dram_bytes'])}B per step, ratio {figure(ratio)}", flush=True)
    (session.out / "beside_ncu.json").write_text(json.dumps(rows, indent=1) + "\n")


def figure(value):
    """Three digits with a prefix; a dash where it is unknown."""
    if value is None or value != value:
        return "– "
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return f"{value / factor:.3g} {prefix}"
    return f"{value:.3g} "


# -- PyTorch --------------------------------------------------------------------------------------------------------------------------------

# Steps whose times count: no warm-up, and with the observer that all other figures come from.
OUR_KERNELS = """SELECT count(*) AS kernels, sum(k."end" - k.start) AS time_ns FROM CUPTI_ACTIVITY_KIND_KERNEL k
JOIN TIDE_STEP s ON k.start >= s.start AND k.start < s."end" WHERE s.isWarmup = 0 AND s.isTraced = 1"""
OUR_STEPS = 'SELECT "end" - start AS time_ns FROM TIDE_STEP WHERE isWarmup = 0 AND isTraced = 1'


def query(session, capture, sql):
    """Rows of one SELECT; None where the capture has no such table."""
    done = subprocess.run([session.bin / "tensortide", "query", session.out / capture, sql, "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)["rows"] if done.returncode == 0 else None


def our_step(session, capture):
    """Step and kernel times of a capture of ours."""
    steps, kernels = query(session, capture, OUR_STEPS), query(session, capture, OUR_KERNELS)
    if not steps:
        return None
    ours = {"step_ns": statistics.median(float(row[0]) for row in steps), "steps": len(steps), "kernels": None, "kernel_ns": None}
    if kernels and kernels[0][1] is not None:
        ours["kernels"], ours["kernel_ns"] = kernels[0][0] / len(steps), kernels[0][1] / len(steps)
    return ours


def beside_torch(session):
    """One ResNet-50 training step: ours traced, PyTorch's under its profiler."""
    batch, image, device = (2, 32, "cpu") if session.rehearse else (BATCH, 224, "cuda")
    answer = session.out / "torch_resnet50.json"
    words = ["--batch", str(batch), "--image", str(image), "--device", device, "--steps", "2" if session.rehearse else str(STEPS)]
    if not session.step("torch", [sys.executable, "-B", pathlib.Path(__file__), "torch-step", answer, *words], 150, accept=(0, ABSENT)):
        return
    if not answer.exists():
        return leave_out(session, "torch_step", (session.out / "torch.log").read_text(errors="replace").strip() or "PyTorch is not on this machine")
    theirs = json.loads(answer.read_text())
    capture = "resnet50.tide"
    if not (session.out / capture).exists():
        collect = [] if session.rehearse else ["--collect", "cupti", "--no-cupti-cost"]
        size = ["--set", f"image_size={image}", "--batch", str(batch), "--mode", "training", "--steps", words[-1]]
        session.step("capture_resnet50", [session.bin / "tensortide", "run", "resnet50", *size, *collect, "--device", device, "--no-probe", "-o", session.out / capture], 90)
    ours = our_step(session, capture) if (session.out / capture).exists() else None
    rows = []
    for layout, their in theirs["layouts"].items():
        row = {"layout": layout, "ours": ours, "torch": their}
        for key in ("step_ns", "kernel_ns"):
            row[f"{key}_ratio"] = ours[key] / their[key] if ours and ours.get(key) and their.get(key) else None
        rows.append(row)
        print(f"        ResNet-50, batch {batch}, {layout}: step ours {figure(ours and ours['step_ns'] / 1e9)}s, PyTorch {figure(their['step_ns'] / 1e9)}s, ratio "
              f"{figure(row['step_ns_ratio'])}; kernels ours {figure(ours and ours['kernel_ns'] and ours['kernel_ns'] / 1e9)}s, PyTorch "
              f"{figure(their['kernel_ns'] and their['kernel_ns'] / 1e9)}s, ratio {figure(row['kernel_ns_ratio'])}", flush=True)
    (session.out / "beside_torch.json").write_text(json.dumps({"torch": theirs["versions"], "rows": rows}, indent=1) + "\n")


def resnet50(torch, classes=1000):
    """torchvision's network (stride in the 3x3 convolution), which not every machine has."""
    nn = torch.nn

    class Bottleneck(nn.Module):
        def __init__(self, inside, width, stride):
            super().__init__()
            out = 4 * width
            self.body = nn.Sequential(
                nn.Conv2d(inside, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                nn.Conv2d(width, width, 3, stride=stride, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                nn.Conv2d(width, out, 1, bias=False), nn.BatchNorm2d(out))
            project = stride != 1 or inside != out
            self.skip = nn.Sequential(nn.Conv2d(inside, out, 1, stride=stride, bias=False), nn.BatchNorm2d(out)) if project else nn.Identity()
            self.relu = nn.ReLU(inplace=True)

        def forward(self, x):
            return self.relu(self.body(x) + self.skip(x))

    layers, inside = [nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, stride=2, padding=1)], 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            layers.append(Bottleneck(inside, width, stride if block == 0 else 1))
            inside = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inside, classes))


def torch_step(given):
    try:
        import torch
    except ImportError as error:
        print(f"there is no PyTorch here: {error}")
        return ABSENT
    on_gpu = given.device == "cuda"
    if on_gpu and not torch.cuda.is_available():
        print("this PyTorch sees no GPU")
        return ABSENT
    # as our runs: products and convolutions of f32 in f32
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    wait = torch.cuda.synchronize if on_gpu else lambda: None
    layouts = {}
    for layout in ("channels_last", "contiguous_format"):
        torch.manual_seed(1)
        form = getattr(torch, layout)
        model = resnet50(torch).to(given.device).to(memory_format=form).train()
        x = torch.rand(given.batch, 3, given.image, given.image, device=given.device).to(memory_format=form)
        y = torch.randint(0, 1000, (given.batch,), device=given.device)
        optimizer, loss_of = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), torch.nn.CrossEntropyLoss()

        def step():
            optimizer.zero_grad(set_to_none=True)
            loss_of(model(x), y).backward()
            optimizer.step()
            wait()

        for _ in range(min(5, given.steps)):
            step()
        times = []
        for _ in range(given.steps):
            begin = time.perf_counter_ns()
            step()
            times.append(time.perf_counter_ns() - begin)
        layouts[layout] = {"step_ns": statistics.median(times), "steps_ns": times, **profiled(torch, step, on_gpu, min(PROFILED, given.steps))}
        layouts[layout]["parameters"] = sum(parameter.numel() for parameter in model.parameters())
    versions = {"torch": torch.__version__, "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(), "device": torch.cuda.get_device_name(0) if on_gpu else "cpu"}
    pathlib.Path(given.out).write_text(json.dumps({"versions": versions, "batch": given.batch, "image": given.image, "layouts": layouts}, indent=1) + "\n")
    return 0


def profiled(torch, step, on_gpu, steps):
    """Time in kernels and their number per step by torch.profiler; null on a CPU."""
    from torch.profiler import ProfilerActivity, profile
    if not on_gpu:
        return {"kernel_ns": None, "kernels": None, "largest": []}
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
        for _ in range(steps):
            step()
    by_name, count = {}, 0
    for event in prof.events():
        if event.device_type != torch.autograd.DeviceType.CUDA or event.name.startswith(("Memcpy", "Memset")) or getattr(event, "is_user_annotation", False):
            continue
        count += 1
        by_name[event.name] = by_name.get(event.name, 0) + event.time_range.elapsed_us() * 1e3
    largest = sorted(by_name.items(), key=lambda item: -item[1])[:12]
    return {"kernel_ns": sum(by_name.values()) / steps, "kernels": count / steps, "largest": [{"name": name, "time_ns": ns / steps} for name, ns in largest]}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].splitlines()[0].removeprefix("usage: "))
    parser.add_argument("command", choices=["torch-step"])
    parser.add_argument("out")
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--image", type=int, default=224)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    return torch_step(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
