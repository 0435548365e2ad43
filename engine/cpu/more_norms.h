// SPDX-License-Identifier: Apache-2.0
// Batch norms beside those of images: of signals [N, C, L], and the gradient of one with given statistics.
#pragma once

#include <span>

#include "engine/cpu/kernels.h"

namespace engine::cpu {

std::span<const Kernel> more_norm_kernels();

}  // namespace engine::cpu
