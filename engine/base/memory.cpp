// SPDX-License-Identifier: Apache-2.0
// Reads /proc/meminfo, takes the least that any limit leaves; writes byte counts in words.
#include "engine/base/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "engine/base/memory_limits.h"

namespace engine {
namespace {

struct MemInfo {
  int64_t total_bytes = 0, available_bytes = 0;
};

MemInfo read_meminfo(const std::filesystem::path& root) {
  MemInfo memory;
  std::ifstream file(root / "proc/meminfo");
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
  return memory;
}

}  // namespace

HostMemory host_memory(const std::filesystem::path& root, const ResourceLimits& limits) {
  const MemInfo machine = read_meminfo(root);
  HostMemory memory{machine.total_bytes, machine.available_bytes, {}};
  for (const MemoryLimit& limit : memory_limits(root, limits)) {
    if (memory.total_bytes == 0 || limit.total_bytes < memory.total_bytes) memory.total_bytes = limit.total_bytes;
    if (memory.available_bytes != 0 && limit.available_bytes >= memory.available_bytes) continue;
    memory.available_bytes = std::max<int64_t>(limit.available_bytes, 1);
    memory.limit = limit.what;
  }
  return memory;
}

HostMemory host_memory() { return host_memory("/", ResourceLimits::of_this_process()); }

std::string format_bytes(double bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"};
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
