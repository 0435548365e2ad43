#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A ResNet-50 training step (forward, backward, SGD with momentum): Tensortide against torch, step by step in turn.

Both run f32, channels last, stride in the 3x3, on the same number of threads; ours runs as a child that makes one step per line
it is sent, torch runs here. Prints both medians and the ratio ours / torch (below 1: we are faster). Where torch is not
installed (Debian: python3-torch) it says so and times ours alone.

usage: resnet50_vs_torch.py [--program build/release/bin/tensortide_benchmarks] [--batch 16] [--threads 2] [--rounds 7] [--cpu-time]
--cpu-time: CPU time instead of wall time; with --threads 1 a figure that a busy machine disturbs little.
"""
import argparse
import os
import statistics
import subprocess
import sys
import time


def torch_step(batch, threads):
    """A function that makes one step, or None where torch is missing."""
    try:
        import torch
        from torch import nn
    except ImportError:
        return None
    torch.set_num_threads(threads)
    torch.manual_seed(0)

    class Bottleneck(nn.Module):
        def __init__(self, inputs, width, stride):
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width))
            self.shortcut = nn.Sequential()
            if stride != 1 or inputs != 4 * width:
                self.shortcut = nn.Sequential(nn.Conv2d(inputs, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width))
            self.relu = nn.ReLU(inplace=True)

        def forward(self, x):
            return self.relu(self.body(x) + self.shortcut(x))

    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for stage, (blocks, width) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)]):
        for block in range(blocks):
            layers.append(Bottleneck(inputs, width, 2 if stage > 0 and block == 0 else 1))
            inputs = 4 * width
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000)]
    model = nn.Sequential(*layers).to(memory_format=torch.channels_last).train()
    parameters = sum(p.numel() for p in model.parameters())
    assert parameters == 25557032, parameters  # torchvision's resnet50
    images = torch.randn(batch, 3, 224, 224).to(memory_format=torch.channels_last)
    labels = torch.randint(0, 1000, (batch,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    loss = nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss(model(images), labels).backward()
        optimizer.step()

    step.name = "torch " + torch.__version__
    return step


class Ours:
    """The benchmark program, asked for one step at a time."""

    def __init__(self, program, batch, threads, cpu_time):
        command = [program, "step", "resnet50", f"batch={batch}", "mode=training", "--threads", str(threads), "--ask"]
        if cpu_time:
            command.append("--cpu-time")
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def step_ms(self):
        self.child.stdin.write("step\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        if not answer:
            sys.exit(f"tensortide_benchmarks ended with code {self.child.wait()}")
        return float(answer)

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def summary(name, times):
    print(f"{name:24s} {statistics.median(times):9.1f} ms per step (median of {len(times)}, {min(times):.1f} to {max(times):.1f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bin/tensortide_benchmarks")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--cpu-time", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(options.threads))  # torch.set_num_threads does not reach OpenBLAS
    clock = time.process_time if options.cpu_time else time.perf_counter

    ours = Ours(options.program, options.batch, options.threads, options.cpu_time)
    theirs = torch_step(options.batch, options.threads)
    times = {"ours": [], "torch": []}
    for round_number in range(options.rounds + 1):  # the first warms up
        ours_ms = ours.step_ms()
        if theirs:
            begin = clock()
            theirs()
            torch_ms = (clock() - begin) * 1e3
        if round_number > 0:
            times["ours"].append(ours_ms)
            if theirs:
                times["torch"].append(torch_ms)
    ours.close()
    kind = "CPU time" if options.cpu_time else "wall time"
    print(f"ResNet-50 training step, batch {options.batch}, {options.threads} threads, f32, {kind}, load average {os.getloadavg()[0]:.1f}")
    summary("Tensortide", times["ours"])
    if theirs:
        summary(theirs.name, times["torch"])
        ratios = [a / b for a, b in zip(times["ours"], times["torch"])]
        print(f"ratio ours / torch       {statistics.median(times['ours']) / statistics.median(times['torch']):9.3f}"
              f"    (of neighbouring steps: {min(ratios):.3f} to {max(ratios):.3f})")
    else:
        print("torch is not installed for this Python (Debian: apt install python3-torch): no ratio")


main()
