// SPDX-License-Identifier: Apache-2.0
// DataSet: compressed batches of pixels in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"

namespace engine {

class DataSet {
 public:
  /// Makes `batches` batches of `batch_bytes` pixels: waves in steps of 16 with noise in the low two bits. zlib shrinks
  /// them to about two thirds, as PNG does photographs. They lie in a nameless file in the directory for temporary
  /// files. Refused where that directory rejects it, or above 1 GiB.
  static Result<std::unique_ptr<DataSet>> make(int64_t batches, int64_t batch_bytes, uint64_t seed);
  ~DataSet();
  DataSet(const DataSet&) = delete;
  DataSet& operator=(const DataSet&) = delete;

  int64_t batches() const { return static_cast<int64_t>(sizes_.size()); }
  int64_t batch_bytes() const { return batch_bytes_; }
  /// The bytes of a batch as they lie in the file; false: the file system refused. From any thread.
  bool read(int64_t batch, std::vector<std::byte>& encoded) const;
  /// Pixels of what read() gave; false: that is no batch.
  bool decode(std::span<const std::byte> encoded, std::span<std::byte> pixels) const;

 private:
  DataSet(int file, int64_t batch_bytes) : file_(file), batch_bytes_(batch_bytes) {}
  Result<void> append(std::span<const std::byte> pixels);

  int file_;
  int64_t batch_bytes_;
  std::vector<int64_t> offsets_, sizes_;
};

}  // namespace engine
