// SPDX-License-Identifier: Apache-2.0
// Asks the processor for what Highway asks for before it uses these widths.
#include "engine/base/vector_bits.h"

namespace engine {

int vector_bits() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return 512;
  }
  if (avx2) return 256;
#endif
  return 128;
}

}  // namespace engine
