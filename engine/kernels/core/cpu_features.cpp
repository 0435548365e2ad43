// SPDX-License-Identifier: Apache-2.0
// Asks CPUID for features.
#include "engine/kernels/core/cpu_features.h"

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace engine::cpu {
namespace {

#if defined(__x86_64__)
struct CpuidRegisters {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

CpuidRegisters cpuid(unsigned leaf, unsigned subleaf) {
  CpuidRegisters r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

/// Register sets the operating system saves (XCR0); 0 when it saves none.
uint64_t saved_register_sets() {
  if (!(cpuid(1, 0).ecx & (1u << 27))) return 0;  // OSXSAVE
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}
#endif

}  // namespace

std::vector<std::string> cpu_features() {
  std::vector<std::string> features;
#if defined(__x86_64__)
  constexpr uint64_t kAvx = 0x6, kAvx512 = 0xe6, kAmx = 0x60000;
  const uint64_t saved = saved_register_sets();
  const CpuidRegisters leaf1 = cpuid(1, 0), leaf7 = cpuid(7, 0), leaf7_1 = cpuid(7, 1);
  struct Bit {
    const char* name;
    unsigned word;
    int bit;
    uint64_t needs;
  };
  const Bit bits[] = {{"sse4.2", leaf1.ecx, 20, 0},
                      {"avx", leaf1.ecx, 28, kAvx},
                      {"fma", leaf1.ecx, 12, kAvx},
                      {"f16c", leaf1.ecx, 29, kAvx},
                      {"avx2", leaf7.ebx, 5, kAvx},
                      {"avx-vnni", leaf7_1.eax, 4, kAvx},
                      {"avx512f", leaf7.ebx, 16, kAvx512},
                      {"avx512bw", leaf7.ebx, 30, kAvx512},
                      {"avx512vl", leaf7.ebx, 31, kAvx512},
                      {"avx512-vnni", leaf7.ecx, 11, kAvx512},
                      {"avx512-bf16", leaf7_1.eax, 5, kAvx512},
                      {"avx512-fp16", leaf7.edx, 23, kAvx512},
                      {"amx-tile", leaf7.edx, 24, kAmx},
                      {"amx-bf16", leaf7.edx, 22, kAmx},
                      {"amx-int8", leaf7.edx, 25, kAmx}};
  for (const Bit& b : bits) {
    if ((b.word >> b.bit & 1u) != 0 && (saved & b.needs) == b.needs) features.emplace_back(b.name);
  }
#endif
  return features;
}

int vector_bits(const std::vector<std::string>& features) {
  const auto has = [&](const char* name) {
    return std::find(features.begin(), features.end(), name) != features.end();
  };
  return has("avx512f") ? 512 : has("avx2") ? 256 : 128;
}

}  // namespace engine::cpu
