// SPDX-License-Identifier: Apache-2.0
// ByteStream: a file read piece by piece, gzip taken apart on the way, with progress, cancel and limits.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/result.h"

namespace profiler {

/// How a long read tells of itself and is ended.
struct ImportControl {
  std::function<void(double fraction)> progress;  ///< 0..1 of this file; may be empty
  const std::atomic<bool>* stop = nullptr;        ///< true: give up soon
  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

class ByteStream {
 public:
  /// Refuses what is no readable regular file (directory, FIFO, no permission), naming it.
  static engine::Result<std::unique_ptr<ByteStream>> open(const std::filesystem::path& file, const ImportControl&);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Reads up to `size` bytes; 0: the end. A gzip stream that breaks off or is damaged ends there: see trouble().
  engine::Result<size_t> read(char* to, size_t size);
  /// What was wrong with the compressed data: "gzip data end too early"; empty: nothing.
  const std::string& trouble() const { return trouble_; }
  bool compressed() const { return compressed_; }
  int64_t bytes_out() const { return out_; }

 private:
  struct Inflate;
  ByteStream(int descriptor, int64_t size, const std::filesystem::path& file, const ImportControl&);
  engine::Result<size_t> read_raw(char* to, size_t size);
  engine::Result<size_t> read_inflated(char* to, size_t size);

  std::filesystem::path file_;
  ImportControl control_;
  int descriptor_;
  int64_t size_, in_ = 0, out_ = 0, told_ = 0;
  bool compressed_ = false;
  std::string trouble_;
  std::unique_ptr<Inflate> inflate_;
};

/// The first `size` bytes of a file, unpacked; fewer when it is shorter.
engine::Result<std::string> first_bytes(const std::filesystem::path& file, size_t size);

}  // namespace profiler
