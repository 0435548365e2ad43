# SPDX-License-Identifier: Apache-2.0
"""python -m tensortide run [OPTIONS] train.py [ARGUMENTS]: profiles a script. Other commands go to `tensortide`."""
import argparse
import os
import runpy
import sys

from . import _binary, _profile


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m tensortide run", allow_abbrev=False,
        description="Runs a Python script and records some of its training steps. A step ends with each step of an optimizer, "
        "or, if the script calls it, with tensortide.step().")
    parser.add_argument("--steps", type=int, default=5, metavar="N", help="steps to record (default 5)")
    parser.add_argument("--warmup", type=int, default=1, metavar="N", help="steps before them (default 1)")
    parser.add_argument("--whole", action="store_true", help="record the whole script as one step")
    parser.add_argument("-o", "--output", metavar="FILE", help="capture to write (default: name of the script + .tide)")
    parser.add_argument("--trace", metavar="FILE", help="also keep the trace of torch.profiler")
    parser.add_argument("--no-modules", action="store_true", help="no layers: tracing costs less")
    parser.add_argument("--no-memory", action="store_true", help="no bytes of the allocators")
    parser.add_argument("--roofs", choices=["here", "probe", "none"], default="here", help="roofs of this processor (default here)")
    parser.add_argument("script", help="Python script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    return parser


class _Steps:
    """Ends a step where the script says so, else behind each step of its first optimizer."""

    def __init__(self, profiled):
        self._profiled, self._optimizer, self.said = profiled, None, False

    def of_script(self):
        self.said = True
        self._profiled.step()

    def of_optimizer(self, optimizer, *_):
        if self._optimizer is None:
            self._optimizer = id(optimizer)
        if not self.said and self._optimizer == id(optimizer):
            self._profiled.step()


def run(arguments):
    options = _parser().parse_args(arguments)
    if not os.path.isfile(options.script):
        raise _binary.TensortideError(f"{options.script}: no such script")
    output = options.output or os.path.splitext(os.path.basename(options.script))[0] + ".tide"
    profiled = _profile.profile(steps=None if options.whole else options.steps, warmup=options.warmup, output=output,
                                modules=not options.no_modules, memory=not options.no_memory, trace=options.trace,
                                roofs=None if options.roofs == "none" else options.roofs)
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    code = 0
    with profiled:
        steps, hook = _Steps(profiled), None
        if not options.whole:
            from torch.optim.optimizer import register_optimizer_step_post_hook
            hook = register_optimizer_step_post_hook(steps.of_optimizer)
        _profile.step = steps.of_script
        sys.modules["tensortide"].step = steps.of_script
        try:
            runpy.run_path(options.script, run_name="__main__")
        except SystemExit as end:  # as the script asked for, behind the import
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
        finally:
            if hook is not None:
                hook.remove()
    print(f"tensortide: wrote {output}", file=sys.stderr)
    return code


def main():
    if sys.argv[1:2] == ["run"] and any(word.endswith(".py") or word in ("-h", "--help") for word in sys.argv[2:]):
        try:
            return run(sys.argv[2:])
        except (_binary.TensortideError, ValueError) as error:
            print(f"tensortide: {error}", file=sys.stderr)
            return 2 if isinstance(error, ValueError) else 3
    try:
        program = _binary.binary()
    except _binary.TensortideError as error:
        print(f"tensortide: {error}", file=sys.stderr)
        return 3
    os.execv(program, [program, *sys.argv[1:]])
    return 3


if __name__ == "__main__":
    sys.exit(main())
