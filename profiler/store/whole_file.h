// SPDX-License-Identifier: Apache-2.0
// Small files whose names somebody else may have chosen or planted: read within bounds, written whole or not at all,
// never through a link.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace profiler {

/// The bytes of a regular file. Refused: missing, a link, a pipe, a device, a folder, over `most_bytes`, unreadable.
engine::Result<std::string> read_whole_file(const std::filesystem::path& file, size_t most_bytes);

/// Writes beside `file` and moves it there, with the permissions of what was there. Refused, and nothing changed: a
/// link, pipe, device or folder of that name, a folder that cannot be written, a full disk.
engine::Result<void> write_whole_file(const std::filesystem::path& file, std::string_view bytes);

/// Copies a closed capture to where save_capture() might write one: whole, or what was there stays.
engine::Result<void> copy_capture(const std::filesystem::path& from, const std::filesystem::path& to);

/// Refused: `output` is `input` by any name or link, a capture or sweep of ours, or no regular file.
engine::Result<void> check_output(const std::filesystem::path& output, const std::filesystem::path& input);

}  // namespace profiler
