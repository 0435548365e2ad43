# SPDX-License-Identifier: Apache-2.0
"""What the package uses of PyTorch, for tests on machines without it."""
from . import optim, profiler
