// SPDX-License-Identifier: Apache-2.0
// A whole trace file as text, unpacked, up to a limit.
#pragma once

#include <filesystem>
#include <string>

#include "profiler/import/byte_stream.h"

namespace profiler {

/// Refused: what ByteStream refuses, more than 1 GiB (JSON of that size takes several times as much memory), a
/// cancelled import.
engine::Result<std::string> whole_text(const std::filesystem::path& file, const ImportControl&);

}  // namespace profiler
