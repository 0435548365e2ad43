// SPDX-License-Identifier: Apache-2.0
// What is said where roofs do not do what is expected of them: there is none, or something is faster.
#pragma once

#include <string>

#include "profiler/analysis/analyze.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// Why a capture has no roofs for its ops, and what makes them available, as a sentence; empty: it has some.
std::string no_roofs_words(const Capture&);

/// Why no op of a step is compared with its roofs: no_roofs_words(), or which roof is missing and why. An op needs an
/// arithmetic roof and the bandwidth of every level it uses. Empty: some op is compared. Otherwise no share of a roof
/// is shown, for the step neither.
std::string unbounded_words(const Analyzed&);

/// Ops whose modelled bytes across the outermost link exceed the measured bandwidth of that level (above_roof()). The
/// bytes are spread over the op's median time, as in the timeline's lane of DRAM traffic.
struct AboveRoof {
  std::string level;       ///< "DRAM"
  size_t ops = 0, of = 0;  ///< of those with such bytes, a time and a roof
  OpId worst = kNoOp;      ///< furthest above
  double bytes_per_s = 0,
         roof_bytes_per_s = 0;  ///< of the worst: modelled / measured, and the roof of its mix of reads and writes
  int threads = 0;              ///< of that roof
  double written_ratio = 0;     ///< part of its bytes that are written
  size_t served =
      0;  ///< of `ops`: better known bytes (simulated, measured) stay below the roof, so caches served the others
  size_t in_band = 0;       ///< ... bytes at the low end of the model's error band do, so caches may have
  size_t confirmed = 0;     ///< of `ops`: measured or simulated bytes are above it, too
  bool weak_roofs = false;  ///< roofs_weakness(), or the bandwidth moved beside the run
};
/// ops == 0: none, or nothing is known.
AboveRoof above_roof_ops(const Analyzed&);
/// Which roof that is: "1 thread at 50 % writes".
std::string roof_of_words(const AboveRoof&);
/// As a sentence, with what explains it as far as is known; empty: there are none.
std::string above_roof_words(const Analyzed&);

}  // namespace profiler
