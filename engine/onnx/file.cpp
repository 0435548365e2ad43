// SPDX-License-Identifier: Apache-2.0
// Reads one protobuf message from a file that may be anything.
#include "engine/onnx/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>

#include "engine/onnx/text.h"

namespace engine::onnx {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargestMessage = std::numeric_limits<int32_t>::max();

/// Looks before opening: opening a FIFO would wait for a writer.
Result<void> check_regular(const fs::path& file, const std::string& shown) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) {
    return refused_error(fmt::format("{}: no such file", shown));
  }
  if (error) return refused_error(fmt::format("{}: {}", shown, error.message()));
  if (fs::is_directory(status)) return refused_error(fmt::format("{}: is a directory", shown));
  if (!fs::is_regular_file(status)) {
    return refused_error(
        fmt::format("{}: is no regular file but a pipe, a socket or a device", shown));
  }
  const uintmax_t size = fs::file_size(file, error);
  if (error) return refused_error(fmt::format("{}: {}", shown, error.message()));
  if (size == 0) return refused_error(fmt::format("{}: the file is empty", shown));
  if (size > kLargestMessage) {
    return refused_error(fmt::format("{}: has {} bytes; a protobuf message has at most {}", shown,
                                     size, kLargestMessage));
  }
  return {};
}

}  // namespace

Result<void> read_message(const fs::path& file, std::string_view what,
                          google::protobuf::MessageLite& message) {
  const std::string shown = printable(file.string());
  if (Result<void> regular = check_regular(file, shown); !regular) return regular;
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return refused_error(fmt::format("{}: {}", shown, std::strerror(errno)));
  try {
    if (message.ParseFromIstream(&stream)) return {};
  } catch (const std::bad_alloc&) {
    return refused_error(fmt::format("{}: reading it needs more memory than there is", shown));
  }
  return refused_error(fmt::format(
      "{}: is no {}, or is truncated: its bytes are no valid protobuf message", shown, what));
}

}  // namespace engine::onnx
