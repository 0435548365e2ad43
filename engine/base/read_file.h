// SPDX-License-Identifier: Apache-2.0
// Reads files that somebody named: regular files only, never more than a limit, never waiting.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace engine {

/// A regular file that is open for reading; closes itself.
class RegularFile {
 public:
  /// Refuses folders, pipes, sockets and devices by name without waiting for a writer; the message starts with the
  /// path.
  static Result<RegularFile> open(const std::filesystem::path&);
  RegularFile(RegularFile&& other) noexcept : descriptor_(other.release()), size_bytes_(other.size_bytes_) {}
  RegularFile& operator=(RegularFile&&) = delete;
  ~RegularFile();

  int descriptor() const { return descriptor_; }
  uint64_t size_bytes() const { return size_bytes_; }  ///< when it was opened; files of /proc have 0
  /// The descriptor, which the caller closes from now on.
  int release() {
    const int descriptor = descriptor_;
    descriptor_ = -1;
    return descriptor;
  }

 private:
  RegularFile(int descriptor, uint64_t size_bytes) : descriptor_(descriptor), size_bytes_(size_bytes) {}
  int descriptor_;
  uint64_t size_bytes_;
};

/// All bytes of a regular file. Errors (refused): what RegularFile::open() refuses, reading fails, it has more than
/// `most_bytes` bytes.
Result<std::string> read_file(const std::filesystem::path&, uint64_t most_bytes);

/// The first bytes of a regular file, at most `bytes`; fewer where it ends before.
Result<std::string> read_front(const std::filesystem::path&, uint64_t bytes);

}  // namespace engine
