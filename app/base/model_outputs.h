// SPDX-License-Identifier: Apache-2.0
// What a run puts out: kept as files, held against expected ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/base/job.h"
#include "profiler/record/recorder.h"

namespace app {

/// How one output compares with the expected one.
struct OutputCheck {
  std::string name;
  std::string file;  ///< the expected tensor's; empty: there is none, the output is not checked
  bool ok = true;
  std::string why;  ///< why the two cannot be compared: types; empty: they can
  int64_t elements = 0;
  double tolerance = 0;
  int64_t beyond = 0;  ///< elements beyond the tolerance
  /// Of the element that is farthest off: where, what both have, how far; and the expected tensor's largest magnitude,
  /// which the tolerance is relative to. NaN: nothing was compared.
  engine::Shape at;
  double ours = std::numeric_limits<double>::quiet_NaN(), expected = ours, difference = ours, scale = ours;
};

struct OutputReport {
  std::vector<std::string> saved;  ///< files
  std::vector<OutputCheck> checks;
  bool ok() const;
};

/// A name as that of a file: letters, digits, '.', '_' and '-' stay, other bytes become "%2F"; a name that is taken
/// gets "-2". Never leads out of a folder.
std::string output_file_name(const std::string& name, std::set<std::string>& taken);

/// Holds `ours` against `expected`. Floats: |ours - expected| <= tolerance * largest |expected|; NaN equals NaN, and an
/// infinity itself. Integers and booleans: exactly. `tolerance` nothing: 1e-3, of bf16 2^-7, two steps of its 8 bits.
OutputCheck check_output(const std::string& name, const engine::Tensor& ours, const engine::Tensor& expected,
                         std::optional<double> tolerance);

/// Looks after a run's outputs.
class OutputKeeper {
 public:
  /// `save`, `check`: folders; empty: not asked for. Refused before anything runs: a folder that cannot be made, a file
  /// that cannot be read. So is a folder where no file fits an output by name (NAME.npy) or number (output_K.pb).
  static engine::Result<OutputKeeper> make(const OutputRequest&, std::vector<NamedOutput> outputs);
  /// After the last step.
  engine::Result<void> take(const profiler::ReadOutput&, OutputReport&) const;

 private:
  struct Kept {
    NamedOutput output;
    std::filesystem::path save, expected;  ///< empty: not
  };
  std::vector<Kept> kept_;
  std::optional<double> tolerance_;
  bool checks_ = false;
};

}  // namespace app
