// SPDX-License-Identifier: Apache-2.0
// How fast 3x3 convolutions are on this machine, as direct sums and by Winograd's minimal filtering.
#pragma once

#include <vector>

#include "engine/kernels/core/winograd_timing.h"

namespace engine::cpu {

/// Times both ways at some shapes of well-known networks, one image on one thread: about half a second. Shapes whose
/// runs others disturbed too much to tell the faster way (shortest_runs()) are left out, and counted in `left_out`.
std::vector<WinogradTiming> measure_winograd(int* left_out = nullptr);

}  // namespace engine::cpu
