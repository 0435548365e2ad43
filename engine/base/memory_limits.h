// SPDX-License-Identifier: Apache-2.0
// What keeps this process from using all memory of the machine: control groups (versions 1 and 2) and resource limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/memory.h"

namespace engine {

/// One limit that applies to this process.
struct MemoryLimit {
  std::string what;             ///< "ulimit -v", "control group /user.slice"
  int64_t total_bytes = 0;      ///< what it allows in all
  int64_t available_bytes = 0;  ///< what of that is left, file cache that the kernel drops included; never below 0
};

/// setrlimit(2) in bytes; -1: unlimited.
struct ResourceLimits {
  int64_t address_space_bytes = -1;  ///< RLIMIT_AS, `ulimit -v`
  int64_t data_bytes = -1;           ///< RLIMIT_DATA, `ulimit -d`
  static ResourceLimits of_this_process();
};

/// The limits of this process's control group and of all groups around it, as far as they are mounted here, and its
/// resource limits. `root` is where /proc and /sys lie. Sources: cgroups(7); kernel documentation, cgroup-v2.rst and
/// cgroup-v1/memory.rst; proc(5).
std::vector<MemoryLimit> memory_limits(const std::filesystem::path& root, const ResourceLimits&);

/// Whether the system refuses memory that it might not have (vm.overcommit_memory = 2), rather than end a process
/// later.
bool memory_is_committed(const std::filesystem::path& root = "/");

/// As host_memory(), for a machine whose files lie under `root`.
HostMemory host_memory(const std::filesystem::path& root, const ResourceLimits&);

}  // namespace engine
