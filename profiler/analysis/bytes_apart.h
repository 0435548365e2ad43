// SPDX-License-Identifier: Apache-2.0
// Where two ways of knowing the same bytes say very different things: which of them counts, and why.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/origin.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/traffic_model.h"

namespace profiler {

/// Modelled and better known (simulated, measured) bytes of one op across a link are reported when they differ by more
/// than this factor.
inline constexpr double kBytesApart = 2;

/// Of some ops, across one link, per step.
struct BytesApart {
  std::string outer;                               ///< "DRAM"
  Origin preferred = Origin::simulated;            ///< what counts in every figure of these ops: simulated or measured
  double preferred_bytes = 0, modelled_bytes = 0;  ///< of all of them
  size_t ops = 0, apart = 0;                       ///< views left out; how many of them are apart
  OpId worst = kNoOp;                              ///< apart by most bytes
  double worst_preferred_bytes = 0, worst_modelled_bytes = 0;
  bool assumed_loops =
      false;  ///< the accesses of some that are apart were themselves modelled: loops of a library, or indices
};

/// Nothing: the bytes are known in one way only, or agree. Ops that move less than a page, or less than a hundredth of
/// what all of `ops` move, count as agreeing: nobody decides by them.
std::optional<BytesApart> bytes_apart(const Analyzed&, std::span<const OpId> ops, std::string_view outer);

/// Across all links but the innermost, the outermost first.
std::vector<BytesApart> bytes_apart(const Analyzed&, std::span<const OpId> ops);

/// "Simulated and modelled bytes are more than 2x apart at DRAM for 2 of 23 ops (most for fc2/matmul: 5.53 MB and 430
/// kB). The simulated ones count: they ..."; empty: none is. All of one preference.
std::string bytes_apart_words(const Capture&, std::span<const BytesApart>);
/// The same of all ops of the step; empty: none is. `outermost_only`: of the link to the farthest level alone.
std::vector<std::string> bytes_apart_sentences(const Analyzed&, bool outermost_only);

/// The size that modelled DRAM bytes hang on, and who says so: "the 6.36 MiB of L3 that the probe saw", "... that the
/// system claims"; empty: unknown.
std::string last_cache_words(const TrafficModel&);

}  // namespace profiler
