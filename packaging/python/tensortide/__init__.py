# SPDX-License-Identifier: Apache-2.0
"""Tensortide from Python: profiles PyTorch training loops and reads captures.

    with tensortide.profile(steps=5) as p:
        for x, y in loader:
            train(x, y)
            p.step()
    p.ops()                                   # a table of the recorded steps
    tensortide.open("r.tide").ops(by="type")  # of any capture or trace
"""
from ._binary import TensortideError, binary
from ._capture import Capture, open  # pylint: disable=redefined-builtin
from ._profile import profile, step

__all__ = ["Capture", "TensortideError", "binary", "open", "probe", "profile", "step"]


def probe():
    """Measures the roofs of this machine, unless they are known; takes a minute or more."""
    from ._binary import document
    return document("probe", "--json")
