// SPDX-License-Identifier: Apache-2.0
// How much memory this process holds, read between steps from /proc/self/statm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/capture/capture_builder.h"

namespace profiler {

struct ResidentPages {
  int64_t resident = 0, files = 0;
};
/// Of the text of /proc/PID/statm; nothing: it is no such text.
std::optional<ResidentPages> parse_statm(const std::string& text);

class ResidentMemory {
 public:
  /// Reads once; nothing is kept where the system does not tell.
  void look();
  /// Adds the series (resident_series.h) of all that was read.
  void add_to(CaptureBuilder&) const;

 private:
  std::vector<int64_t> time_ns_;
  std::vector<double> resident_bytes_, files_bytes_;
};

}  // namespace profiler
