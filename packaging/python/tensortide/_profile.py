# SPDX-License-Identifier: Apache-2.0
"""Drives torch.profiler and imports what it wrote."""
import contextlib
import os
import shutil
import tempfile
import warnings
import weakref

from . import _binary
from ._capture import Capture

_running = []  # profiles whose block is open, outermost first


def step():
    """Ends one step of the innermost open profile; does nothing outside of one. For scripts under `tensortide run`."""
    if _running:
        _running[-1].step()


class _ModuleRanges:
    """Ranges around the modules of one model, with the names of its attributes: "layer1.0.conv1"."""

    MARK = "nn.Module path: "  # by which the importer knows them

    def __init__(self, model, record_function):
        self._model, self._record, self._handles, self._open = model, record_function, [], {}

    def __enter__(self):
        for path, module in self._model.named_modules():
            if not path:
                continue
            self._handles.append(module.register_forward_pre_hook(self._opener(self.MARK + path)))
            try:  # closes the range of a forward pass that fails, too
                self._handles.append(module.register_forward_hook(self._close, always_call=True))
            except TypeError:  # PyTorch before 2.0
                self._handles.append(module.register_forward_hook(self._close))
        return self

    def _opener(self, name):
        def opened(module, _inputs):
            one = self._record(name)
            one.__enter__()
            self._open.setdefault(id(module), []).append(one)
        return opened

    def _close(self, module, *_):
        opened = self._open.get(id(module))
        if opened:
            opened.pop().__exit__(None, None, None)

    def __exit__(self, *_):
        for handle in self._handles:
            handle.remove()


class profile:  # pylint: disable=invalid-name
    """Profiles a block of PyTorch code and writes a capture.

    steps: records this many steps; p.step() ends one. None: records the whole block as one step.
    warmup: steps before them that are not recorded.
    output: the capture to write. None: a temporary file, removed with this object.
    model: its modules become layers, by the names of their attributes. Without it, frames of modules are traced
        (with_stack), which costs more and names layers by class and number.
    modules: False: no layers.
    memory: records what the allocators of PyTorch hold.
    roofs: "here": the roofs of this machine's processor, where `tensortide probe` measured them. "probe": measures them
        first if needed. None: none.
    trace: also keeps the trace of torch.profiler, as .json or .json.gz.
    options: further arguments of torch.profiler.profile.
    """

    def __init__(self, steps=None, warmup=1, output=None, model=None, modules=True, memory=True, roofs="here", trace=None,
                 **options):
        if steps is not None and (not isinstance(steps, int) or steps < 1):
            raise ValueError(f"steps is {steps!r}: it has to be a whole number from 1 on, or None")
        if not isinstance(warmup, int) or warmup < 0:
            raise ValueError(f"warmup is {warmup!r}: it has to be a whole number from 0 on")
        if roofs not in ("here", "probe", None):
            raise ValueError(f"roofs is {roofs!r}: it is \"here\", \"probe\" or None")
        _binary.binary()  # a missing program is reported before hours of training
        self._steps, self._warmup, self._model, self._roofs = steps, warmup, model, roofs
        folder = tempfile.mkdtemp(prefix="tensortide-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._output = _binary.path_of(output) if output else os.path.join(folder, "profile.tide")
        stem = os.path.splitext(os.path.basename(self._output))[0]  # by which the capture calls the run
        self._trace = _binary.path_of(trace) if trace else os.path.join(folder, stem + ".json")
        self._options = dict(record_shapes=True, profile_memory=memory, with_stack=modules and model is None, **options)
        self._modules = modules
        self._torch = self._block = self._capture = None
        self._ended = 0
        self._traced = False

    @property
    def finished(self):
        """Whether all steps were recorded: the loop may end."""
        return self._traced

    def __enter__(self):
        try:
            import torch
        except ImportError as error:
            raise TorchMissing("PyTorch is not installed: pip install torch") from error
        options = dict(self._options)
        if self._steps is not None:
            options["schedule"] = torch.profiler.schedule(wait=0, warmup=self._warmup, active=self._steps, repeat=1)
        self._torch = torch.profiler.profile(on_trace_ready=self._keep, **options)
        with contextlib.ExitStack() as block:
            if self._model is not None and self._modules:
                block.enter_context(_ModuleRanges(self._model, torch.profiler.record_function))
            self._torch.__enter__()
            self._block = block.pop_all()
        _running.append(self)
        return self

    def _keep(self, torch_profile):
        torch_profile.export_chrome_trace(self._trace)
        self._traced = True

    def step(self):
        """Ends one step. After the last one, recording costs nothing any more."""
        if self._torch is None:
            raise RuntimeError("step() is for inside `with tensortide.profile(...)`")
        self._ended += 1
        if not self._traced:
            self._torch.step()

    def __exit__(self, kind, error, trace):
        _running.remove(self)
        try:
            self._torch.__exit__(kind, error, trace)
        finally:
            self._block.close()
            self._torch = None
        try:
            self._import()
        except _binary.TensortideError as problem:
            if kind is None:
                raise
            warnings.warn(f"tensortide: nothing was kept of the failed block: {problem}", stacklevel=2)
        return False

    def _import(self):
        if not os.path.isfile(self._trace) or (self._steps is not None and self._ended <= self._warmup):
            raise _binary.TensortideError(
                f"No step was recorded: {self._ended} ended, and the first {self._warmup} are warm-up. "
                "Call p.step() after each step, or use steps=None.")
        self._trace_to_capture()
        self._capture = Capture(self._output)

    def _trace_to_capture(self):
        command = ["import", self._trace, "-o", self._output, "--json"]
        if self._roofs is None:
            _binary.document(*command)
            return
        if self._roofs == "probe":
            _binary.document("probe", "--json")
        try:
            _binary.document(*command, "--roofs", "here")
        except _binary.TensortideError as problem:
            # Work of a GPU has the roofs of its data sheet; an unmeasured machine has none. Both are no loss of the trace.
            if _binary.document(*command).get("kernels") == 0:
                warnings.warn(f"tensortide: the capture has no roofs: {problem}", stacklevel=4)

    @property
    def capture(self):
        """The capture of the recorded steps; an error inside the block."""
        if self._capture is None:
            raise RuntimeError("the capture is written at the end of `with tensortide.profile(...)`")
        return self._capture

    @property
    def file(self):
        return self.capture.file

    def ops(self, by=None, kind=None):
        return self.capture.ops(by, kind)

    def table(self, name, by=None, kind=None):
        return self.capture.table(name, by, kind)

    def summary(self):
        return self.capture.summary()

    def show(self):
        return self.capture.show()

    def save(self, file):
        """Copies the capture to `file`, which has to be new."""
        if os.path.exists(file):
            raise FileExistsError(f"{file}: exists already")
        shutil.copyfile(self.capture.file, file)
        return Capture(file)

    def _repr_svg_(self):
        return self._capture._repr_svg_() if self._capture is not None else None


class TorchMissing(_binary.TensortideError, ImportError):
    """PyTorch is needed to profile, but not to read captures."""
