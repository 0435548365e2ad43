// SPDX-License-Identifier: Apache-2.0
// The content of a file in one word, by which a capture recognises what it was recorded with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace profiler {

/// "xxh3:0123456789abcdef": XXH3-64 of the bytes of a regular file. Refused: missing, no regular file (a device or FIFO
/// would not end), unreadable, larger than it was when it was opened, cancelled. `go_on` is asked once a MiB, with the
/// bytes read and their number: false cancels.
engine::Result<std::string> content_hash(
    const std::filesystem::path& path, const std::function<bool(uint64_t have_bytes, uint64_t all_bytes)>& go_on = {});

/// The same of bytes in memory.
std::string text_hash(std::string_view);

}  // namespace profiler
