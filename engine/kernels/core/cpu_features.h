// SPDX-License-Identifier: Apache-2.0
// What this machine's CPU can: its feature bits.
#pragma once

#include <string>
#include <vector>

namespace engine::cpu {

/// Vector and matrix features whose registers the operating system saves: "avx2", "avx512f",
/// "amx-bf16", ...
std::vector<std::string> cpu_features();
/// Widest vector unit: 512, 256 or 128 bits, from the feature bits (never from the model number).
int vector_bits(const std::vector<std::string>& features);

}  // namespace engine::cpu
