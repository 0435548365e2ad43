// SPDX-License-Identifier: Apache-2.0
// Reads /proc/meminfo and the cgroup's limit; writes byte counts in words.
#include "engine/base/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

namespace engine {
namespace {

/// A cgroup file holds one number, or "max".
std::optional<int64_t> read_number(const char* path) {
  std::ifstream file(path);
  int64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

/// File cache that the kernel drops before it refuses an allocation; 0 where the cgroup does not
/// tell.
int64_t reclaimable_bytes() {
  std::ifstream file("/sys/fs/cgroup/memory.stat");
  std::string key;
  int64_t value = 0;
  while (file >> key >> value) {
    if (key == "inactive_file") return value;
  }
  return 0;
}

}  // namespace

HostMemory host_memory() {
  HostMemory memory;
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  int64_t kib = 0;
  while (file >> key >> kib) {
    if (key == "MemTotal:") memory.total_bytes = kib * 1024;
    if (key == "MemAvailable:") {
      memory.available_bytes = kib * 1024;
      break;  // stands after MemTotal
    }
    std::getline(file, unit);
  }
  const auto limit = read_number("/sys/fs/cgroup/memory.max");
  const auto used = read_number("/sys/fs/cgroup/memory.current");
  if (limit && used) {
    const int64_t free_bytes = std::max<int64_t>(*limit - *used + reclaimable_bytes(), 0);
    memory.available_bytes = std::min(memory.available_bytes, free_bytes);
    memory.total_bytes = std::min(memory.total_bytes, *limit);
  }
  return memory;
}

std::string format_bytes(double bytes) {
  static constexpr const char* kUnits[] = {"B",   "KiB", "MiB", "GiB", "TiB",
                                           "PiB", "EiB", "ZiB", "YiB"};
  if (std::isnan(bytes)) return "unknown";
  size_t unit = 0;
  while (std::abs(bytes) >= 1023.5 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  const int decimals = unit == 0 || std::abs(bytes) >= 99.95 ? 0 : 1;
  return fmt::format("{:.{}f} {}", bytes, decimals, kUnits[unit]);
}

}  // namespace engine
