// SPDX-License-Identifier: Apache-2.0
// How fast a disk gives data that no cache of the system holds.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>

#include "engine/base/result.h"
#include "profiler/machine/machine.h"

namespace profiler {

struct DiskRate {
  Measured read_bytes_per_s;  ///< over passes, each through the whole file
  int64_t file_bytes = 0;
  int64_t block_bytes = 0;  ///< of one read
};

/// Writes a file of `bytes` (whole MiB from 1 on) in `folder`, brings it to the disk, reads it three times past the
/// page cache (O_DIRECT, one block after the other) and removes it. A disk's own cache, and that of a host below a
/// virtual machine, may still hold it. Refused: the file system takes no O_DIRECT (tmpfs), no space, stopped.
engine::Result<DiskRate> measure_disk(const std::filesystem::path& folder, int64_t bytes,
                                      const std::atomic<bool>& stop);

}  // namespace profiler
