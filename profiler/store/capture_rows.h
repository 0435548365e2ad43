// SPDX-License-Identifier: Apache-2.0
// Whether the rows of a capture, as `query` sees them, are those that the rest of the program works with.
#pragma once

#include <filesystem>

#include "engine/base/result.h"

namespace profiler {

/// Checks what open_capture() does not read: indexes, which a query may use, and in big files the rows of NVTX_EVENTS,
/// which have a packed copy. Takes about as long as reading all rows. Refused: they differ from what was written, or
/// from that copy.
engine::Result<void> check_rows(const std::filesystem::path& file);

}  // namespace profiler
