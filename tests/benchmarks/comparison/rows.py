# SPDX-License-Identifier: Apache-2.0
"""What is compared, against whom, and how fast we want to be. Factors stand for the peer they were set against: "torch-debian" is
Debian 12's torch 1.13; of the current PyTorch and onnxruntime we want to be ahead (ahead())."""
import dataclasses

TORCH = ("torch", "torch-debian")
LIBRARIES = ("openblas", "onednn")


@dataclasses.dataclass(frozen=True)
class Goal:
    """`must` and `aim` bound a figure of ours:
    ratio:   time ours / time of the fastest of `peers` (at most)
    copy:    our share of copy's bytes per second in the same rounds (at least)
    ns:      our nanoseconds (at most)
    own:     time ours / time of our case `against` in the same rounds (at most)"""
    kind: str
    must: float
    aim: float
    peers: tuple = ()
    against: str = ""
    threads: int = 0  # 0: any number


@dataclasses.dataclass(frozen=True)
class Row:
    what: str
    case: str
    goals: tuple = ()
    peers: tuple = ()          # who is asked for the same case
    peer_case: str = ""        # what peers are asked for, where it is not `case`
    flops: float = 0           # of one run: share of PEAK
    copy_bytes: int = 0        # size of the tensor that `copy` copies beside it
    moved_tensors: float = 2   # tensors of copy_bytes that one run reads and writes
    quick: bool = False        # part of --quick
    speed_up: tuple = ()       # (must, aim) of the time on one thread / on two
    waits_for: str = ""        # what is not built yet, without which the goal cannot be judged
    remark: str = ""           # why the goal is missed, where we know; shown under the table while it is


def ratio(must, aim, *peers, threads=0):
    return Goal("ratio", must, aim, peers, threads=threads)


def ahead(*peers):
    return ratio(1.0, 1.0, *peers)


def gemm_rows():
    for n in (64, 128, 256, 512, 1024, 2048, 4096):
        flops = 2.0 * n**3
        case = f"gemm m={n} n={n} k={n}"
        peers = (*LIBRARIES, *TORCH, "onnxruntime")
        yield Row(f"GEMM {n}, engine's choice", case, (ratio(1.10, 1.03, *LIBRARIES),), peers, flops=flops, quick=n == 256,
                  speed_up=(1.8, 1.95) if n >= 512 else ())
        goal = () if n < 128 else (ratio(1.5, 1.2, *LIBRARIES) if n < 512 else ratio(1.25, 1.10, *LIBRARIES),)
        yield Row(f"GEMM {n}, hand-written rung", case + " rung=own", goal, LIBRARIES, case, flops=flops, quick=n == 256)
    for n in (512, 1024, 2048):
        yield Row(f"GEMM {n}, bf16", f"gemm m={n} n={n} k={n} dtype=bf16", (ratio(1.5, 1.0, "onednn"),), ("onednn",))
    for batch in (1, 8, 64):
        goal = () if batch == 64 else (ratio(1.1, 1.0, *LIBRARIES, *TORCH, "onnxruntime"),)
        yield Row(f"linear {batch} x 4096 -> 1024", f"linear batch={batch} in=4096 out=1024", goal,
                  (*LIBRARIES, *TORCH, "onnxruntime"), flops=2.0 * batch * 4096 * 1024, quick=batch == 1)


PLAIN_WEIGHTS = ("our weights lie as [O, I, H, W], so that optimisers, files and views see plain numbers, and are moved into oneDNN's "
                 "blocks, or their gradients out of them, inside the op; oneDNN alone is timed with weights that lie in its blocks already. "
                 "Where images have few pixels the gradients are products over weights as they lie; elsewhere the torch peers, which move them too, "
                 "are the fair comparison.")

# in, out, kernel, stride, input side: one of each kind of layer in ResNet-50
CONVOLUTIONS = ((3, 64, 7, 2, 224), (64, 64, 3, 1, 56), (64, 256, 1, 1, 56), (128, 128, 3, 1, 28), (512, 128, 1, 1, 28),
                (256, 256, 3, 1, 14), (1024, 256, 1, 1, 14), (1024, 2048, 1, 2, 14), (512, 512, 3, 1, 7), (2048, 512, 1, 1, 7))


def conv_rows():
    for batch in (1, 16):
        for inputs, out, kernel, stride, side in CONVOLUTIONS:
            out_side = (side + 2 * (kernel // 2) - kernel) // stride + 1
            for which in ("forward", "data", "weights"):
                if which == "data" and inputs == 3:
                    continue  # nobody asks for the gradient of an image
                case = f"conv batch={batch} channels={inputs} out={out} kernel={kernel} stride={stride} image={side} pass={which}"
                name = {"forward": "forward", "data": "gradient by input", "weights": "gradient by weights"}[which]
                yield Row(f"conv {kernel}x{kernel}{'/2' if stride == 2 else ''} {inputs}->{out} @{side} b{batch}, {name}", case,
                          (ratio(1.05, 1.02, "onednn"), ratio(1.0, 0.9, *TORCH)),
                          ("onednn", *TORCH) + (("onnxruntime",) if which == "forward" else ()),
                          flops=2.0 * batch * out * out_side**2 * inputs * kernel**2,
                          quick=batch == 1 and (inputs, kernel, which) == (256, 3, "forward"),
                          remark=PLAIN_WEIGHTS if batch == 1 and which != "forward" else "")


def memory_rows():
    for mib in (1, 16):
        size = mib << 20
        yield Row(f"chain sigmoid(relu(2x+b)+z), {mib} MiB", f"chain bytes={size}", (ratio(0.35, 0.2, *TORCH),),
                  (*TORCH, "onnxruntime"), copy_bytes=size, moved_tensors=3, quick=mib == 1,
                  remark="torch allocates each op's result anew; where the C library returns that memory in between, torch takes up to ten times as long: "
                         "0.16 to 1.7 ms were seen for 1 MiB, so that a ratio of one run says little.")
    # 128 MiB: four times the last cache level of the machine these goals were set on, as STREAM's rules ask (J. McCalpin). The copy
    # beside an op moves as many bytes as the op: of 16 MiB tensors a large last level holds two, but not three.
    for op, tensors in (("relu", 2), ("add", 3), ("sigmoid", 2)):
        for mib in (16, 128):
            yield Row(f"{op}, {mib} MiB", f"elementwise bytes={mib << 20} op={op}", (Goal("copy", 0.90, 0.95),),
                      ("onednn", *TORCH, "onnxruntime"), copy_bytes=tensors * (mib << 20) // 2, quick=op == "relu" and mib == 16)
    peers = ("onednn", *TORCH, "onnxruntime")
    yield Row("softmax 4096 x 1024", "softmax rows=4096 columns=1024", (ratio(1.0, 0.8, "onednn"), ahead(*TORCH)), peers, copy_bytes=16 << 20)
    yield Row("layer norm 4096 x 1024", "layer_norm rows=4096 columns=1024", (ratio(1.1, 1.0, "onednn"), ahead(*TORCH)), peers, copy_bytes=16 << 20)


def layer_rows():
    for batch, heads in ((1, 12), (8, 8)):
        case = f"attention batch={batch} heads={heads} length=512 depth=64"
        flops = 4.0 * batch * heads * 512 * 512 * 64
        yield Row(f"attention b{batch} h{heads} s512 d64", case, (ratio(0.75, 0.4, *TORCH),), TORCH, flops=flops)
        yield Row(f"attention b{batch} h{heads} s512 d64, against torch's fused one", case, (ahead("torch"),), ("torch",),
                  case + " variant=fused", flops=flops)
    yield Row("LSTM T32 b128 256->256", "lstm steps=32 batch=128 inputs=256 hidden=256",
              (ratio(0.65, 0.6, "torch-debian", threads=1), ratio(0.4, 0.3, "torch-debian", threads=2), ahead("torch")),
              ("onednn", *TORCH, "onnxruntime"), flops=2.0 * 32 * 128 * 4 * 256 * 512,
              remark="current PyTorch calls oneDNN's LSTM; ours calls oneDNN's product per step, with weights packed once for all steps, and "
                     "computes the gates in loops of its own.")


def net_rows():
    forward = "net name=resnet50 batch=16 mode=forward"
    inside = ("relu, and an addition before it, are a loop of our own over each image's result in the cache (NaN stays NaN), which onnxruntime "
              "computes inside the convolution")
    # No share of the peak: the products that Winograd's filtering spares are not computed.
    yield Row("ResNet-50 b16 forward", forward + " fuse=on",
              (ratio(0.95, 0.80, "torch-debian"), ahead("torch", "onnxruntime")), (*TORCH, "onnxruntime"), forward, speed_up=(1.7, 1.85),
              remark="with --fuse on, and 3x3 convolutions by Winograd's filtering where it is expected to be faster; batch norm folded into convolutions; " + inside)
    yield Row("ResNet-50 b16 forward, --winograd off", forward + " fuse=on winograd=off",
              (ratio(0.95, 0.80, "torch-debian"), ahead("torch")), (*TORCH, "onnxruntime"), forward, flops=16 * 8178e6, speed_up=(1.7, 1.85),
              remark="direct sums throughout, as onnxruntime computes them")
    yield Row("ResNet-50 b16 forward+backward", "net name=resnet50 batch=16 mode=gradients",
              (ratio(0.90, 0.70, "torch-debian"), ahead("torch")), TORCH,
              flops=3 * 16 * 8178e6, speed_up=(1.7, 1.85))
    yield Row("ResNet-50 b16 forward+backward, --fuse on", "net name=resnet50 batch=16 mode=gradients fuse=on",
              (ratio(0.90, 0.60, "torch-debian"), ahead("torch")), TORCH, "net name=resnet50 batch=16 mode=gradients",
              flops=3 * 16 * 8178e6, speed_up=(1.7, 1.85),
              remark="relu, additions and their gradients are loops of our own in the cache of the op before; torch is not compiled")
    mlp = "net name=mlp batch=128 mode=gradients"
    flops = 2.0 * 128 * (3 * (784 * 1024 + 1024 * 1024 + 1024 * 10) - 784 * 1024)
    yield Row("MLP 784-1024-1024-10 b128 forward+backward", mlp,
              (ratio(0.95, 0.75, *TORCH, threads=1), ratio(0.95, 0.75, "torch", threads=2),
               ratio(0.3, 0.2, "torch-debian", threads=2)), TORCH, flops=flops)
    for what, net, must, aim in (("ResNet-50 b16", "name=resnet50 batch=16", 1.01, 1.0), ("MLP b16", "name=mlp batch=16", 1.05, 1.01)):
        case = f"net {net} mode=gradients"
        yield Row(f"{what} forward+backward with op tracing on", case + " tracing=on", (Goal("own", must, aim, against=case),))


def overhead_rows():
    for kind, what, must, aim in (("replay", "plan replay", 50, 15), ("eager", "eager", 200, 100),
                                  ("recording", "eager, recording gradients", 400, 250)):
        yield Row(f"overhead per tiny op, {what}", f"overhead kind={kind}", (Goal("ns", must, aim),),
                  () if kind == "replay" else TORCH, quick=True)
    yield Row("trace zone on", "trace kind=on", (Goal("ns", 25, 16),), quick=True)
    yield Row("trace zone off", "trace kind=off", (Goal("ns", 1, 0.3),), quick=True)


def all_rows():
    for part in (gemm_rows, conv_rows, memory_rows, layer_rows, net_rows, overhead_rows):
        yield from part()
