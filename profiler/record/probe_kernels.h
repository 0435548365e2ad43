// SPDX-License-Identifier: Apache-2.0
// The loops the probe times: register-only multiply-adds, streams over memory, dependent loads.
// Chosen for the CPU at run time.
#pragma once

#include <cstdint>

namespace profiler::probe {

/// Streams work on whole chunks of this many floats.
inline constexpr int64_t kChunk = 256;

/// The loops for one vector unit. Counts of floats are multiples of kChunk.
struct Loops {
  const char* target = "";  ///< "AVX3", "AVX2", "SSE4", ...
  int vector_bits = 0;
  /// `rounds` rounds of independent multiply-adds that touch no memory; the value returned depends
  /// on all of them.
  double (*multiply_add_f32)(int64_t rounds) = nullptr;
  double (*multiply_add_f64)(int64_t rounds) = nullptr;
  /// `rounds` multiply-adds of one vector, of which each needs the one before.
  double (*multiply_add_chain)(int64_t rounds) = nullptr;
  int64_t flops_per_round_f32 = 0, flops_per_round_f64 = 0;
  // Each does `passes` passes over its arrays without a call in between: in L1 a pass takes only
  // some 200 cycles.
  float (*read)(const float* a, int64_t count, int64_t passes) = nullptr;  ///< sum of a
  /// The same sum with lines asked for 32 KiB ahead: the processor's own prefetchers stop at pages.
  float (*read_ahead)(const float* a, int64_t count, int64_t passes) = nullptr;
  void (*write)(float* a, int64_t count, int64_t passes) = nullptr;                 ///< a = 1
  void (*copy)(const float* a, float* b, int64_t count, int64_t passes) = nullptr;  ///< b = a
  void (*triad)(const float* a, const float* b, float* c, int64_t count,
                int64_t passes) = nullptr;  ///< c = a + 3 b
  // Write and copy with stores past the caches.
  void (*write_past)(float* a, int64_t count, int64_t passes) = nullptr;
  void (*copy_past)(const float* a, float* b, int64_t count, int64_t passes) = nullptr;
};

/// The loops for the widest vector unit this CPU has.
Loops best_loops();

/// Follows `steps` links (a multiple of 16) from `start`; each load needs the one before.
const void* follow_links(const void* start, int64_t steps);

}  // namespace profiler::probe
