// SPDX-License-Identifier: Apache-2.0
// Messages of protobuf files, one after the other: each a field of one number of the outermost message. What is broken
// is refused with its byte and value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>

#include "profiler/import/byte_stream.h"

namespace profiler {

/// Longest message of a file, and longest unpacked one.
inline constexpr size_t kMostMessageBytes = size_t{1} << 28;

/// A message within a file, for what is said of it.
struct ProtoPlace {
  const std::filesystem::path* file = nullptr;
  int64_t byte = 0;  ///< at which its content begins, in the unpacked file
};

/// Calls take(field, content, place) for each message of the outermost level; fields that are no messages are skipped.
/// Returns the byte at which the file breaks off inside a message; -1: it does not. Refused: bytes that are no
/// protobuf, a message that is too long, what `take` refuses, a cancelled import.
engine::Result<int64_t> each_message(
    ByteStream& stream, const std::filesystem::path& file, const ImportControl& control,
    const std::function<engine::Result<void>(uint32_t field, std::string_view content, const ProtoPlace&)>& take);

/// Runs read(reader) over a message; where it is broken, refused with the byte and the value there.
engine::Result<void> read_message(std::string_view content, const ProtoPlace& place,
                                  const std::function<engine::Result<void>(protozero::pbf_reader&)>& read);

/// Whether all of these bytes are fields of a message; `each` sees number and wire type (0 to 5) of each. Of a message
/// that is cut at its end, what is whole counts.
bool looks_like_message(std::string_view content, bool cut,
                        const std::function<bool(uint32_t field, uint32_t wire, std::string_view value)>& each);

}  // namespace profiler
