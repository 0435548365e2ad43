// SPDX-License-Identifier: Apache-2.0
// Ops whose limit is known from closed forms, for tests of verdicts (the machine's roofs are in OpLab).
#pragma once

#include <string>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/capture/capture.h"
#include "tests/profiler/analysis/verdict/verdict_words.h"
#include "tests/support/op_lab.h"

namespace profiler {

using tests::OpLab;
inline constexpr int64_t kMiB = OpLab::kMiB;

inline Verdict verdict_of(OpLab& lab, OpId op = 0) { return analyze(lab.finish())->verdicts[op]; }

/// y = a + s b over 256 MiB each: 4 x 256 MiB through DRAM at 20 GB/s takes 53.7 ms.
inline constexpr double kTriadBytes = 4.0 * 256 * kMiB;
inline constexpr double kTriadNs = kTriadBytes / 20;

inline OpId add_triad(OpLab& lab, double time_ns, double jitter = 0) {
  const int64_t n = 256 * kMiB;
  return lab.op("scaled_add", {lab.tensor(n), lab.tensor(n)}, {lab.tensor(n)}, 2.0 * n / 4, time_ns, jitter);
}

/// 2048^3 f32: 17.2 GFLOP at 200 GFLOP/s takes 85.9 ms.
inline constexpr double kGemmFlops = 2.0 * 2048 * 2048 * 2048;
inline constexpr double kGemmNs = kGemmFlops / 200;

inline OpId add_gemm(OpLab& lab, double time_ns) {
  const int64_t n = 2048, bytes = n * n * 4;
  const OpLab::Options square{.shape = {n, n}};
  return lab.op("matmul", {lab.tensor(bytes, square), lab.tensor(bytes, square)}, {lab.tensor(bytes, square)},
                kGemmFlops, time_ns);
}

}  // namespace profiler
