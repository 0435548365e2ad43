// SPDX-License-Identifier: Apache-2.0
// What the comparison (tests/benchmarks/run) asks its children for: cases made ready once and timed in batches, line by
// line.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace benchmarks {

/// "gemm m=64 n=64 k=32": a name and its settings. Each setting asked for is ticked off; what is left over is refused.
class CaseText {
 public:
  static engine::Result<CaseText> parse(std::string_view text);

  const std::string& name() const { return name_; }
  /// A whole number from 1 to 2^24; keeps an error when it is missing or none.
  int64_t count(std::string_view key, int64_t most = 1 << 24);
  /// One of `allowed`, separated by spaces; the first when missing.
  std::string choice(std::string_view key, std::string_view allowed);
  /// The first mistake: of the calls above, or a setting that nobody asked for.
  engine::Result<void> check() const;

 private:
  std::string name_;
  std::map<std::string, std::string, std::less<>> settings_;
  std::map<std::string, bool, std::less<>> used_;
  std::string mistake_;
};

/// A case made ready.
struct Timed {
  /// Runs it `repeats` times; nanoseconds per run (per op where the case says so).
  std::function<double(int64_t repeats)> ns_per_run;
  std::string note = {};  ///< what computes it: kernels, ops
};
using CaseMaker = std::function<engine::Result<Timed>(CaseText&)>;

/// A Timed that runs `once` over and over.
Timed repeated(std::function<void()> once, std::string note);

/// Answers each line of `in` by one line:
///   about              -> about ABOUT
///   prepare CASE       -> ready ID NOTE       made ready, not run yet
///   run ID REPEATS     -> ns NUMBER           per run
///   drop ID            -> dropped ID          memory given back
/// and anything else, or what cannot be done, -> no REASON. Ends with the input.
void serve(std::istream& in, std::ostream& out, const std::string& about, const CaseMaker& make);

}  // namespace benchmarks
