// SPDX-License-Identifier: Apache-2.0
// How wide this machine's vector registers are.
#pragma once

namespace engine {

/// Bits of the widest vectors our kernels use here: 512 (AVX-512 F, BW, CD, DQ and VL), 256 (AVX2 and FMA) or 128.
int vector_bits();

}  // namespace engine
