// SPDX-License-Identifier: Apache-2.0
// Which vector unit the kernels compute with.
#pragma once

namespace engine::cpu {

/// Name of the vector unit chosen on this machine, as Highway calls it: "AVX3" (AVX-512), "AVX2",
/// "SSE4", ...
const char* vector_unit();

}  // namespace engine::cpu
