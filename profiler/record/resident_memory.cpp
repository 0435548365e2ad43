// SPDX-License-Identifier: Apache-2.0
// Pages of the process as bytes over time.
#include "profiler/record/resident_memory.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "engine/base/clock.h"
#include "profiler/capture/resident_series.h"

namespace profiler {

std::optional<ResidentPages> parse_statm(const std::string& text) {
  std::istringstream words(text);
  int64_t size = 0;
  ResidentPages pages;
  if (!(words >> size >> pages.resident >> pages.files)) return std::nullopt;
  if (pages.resident < 0 || pages.files < 0 || pages.files > pages.resident) return std::nullopt;
  return pages;
}

void ResidentMemory::look() {
  std::ifstream file("/proc/self/statm");
  const auto pages = parse_statm({std::istreambuf_iterator<char>(file), {}});
  if (!pages) return;
  const auto page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  time_ns_.push_back(engine::now_ns());
  resident_bytes_.push_back(page_bytes * static_cast<double>(pages->resident));
  files_bytes_.push_back(page_bytes * static_cast<double>(pages->files));
}

void ResidentMemory::add_to(CaptureBuilder& builder) const {
  if (time_ns_.empty()) return;
  const auto add = [&](std::string_view name, const std::vector<double>& bytes) {
    builder.add_counter({.name = builder.intern(name),
                         .group = builder.intern(kProcessMemoryGroup),
                         .unit = builder.intern("B"),
                         .time_ns = time_ns_,
                         .value = bytes});
  };
  add(kResidentName, resident_bytes_);
  add(kResidentFilesName, files_bytes_);
}

}  // namespace profiler
