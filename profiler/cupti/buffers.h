// SPDX-License-Identifier: Apache-2.0
// BufferPool: the memory CUPTI writes records into. Its callbacks run on the program's own threads and only move
// pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace profiler::cupti {

class BufferPool {
 public:
  struct Size {
    size_t buffer_bytes = size_t{2} << 20;  ///< CUPTI fills one per thread that produces records
    size_t at_first = 8, at_most = 64;      ///< buffers
  };
  /// buffer_bytes: a multiple of 64.
  explicit BufferPool(Size size);

  /// A buffer of zeros, or nullptr when all are out: CUPTI then drops records and counts them.
  uint8_t* request();
  /// CUPTI gives a buffer back, `valid_bytes` of it written.
  void complete(uint8_t* buffer, size_t valid_bytes);

  struct Filled {
    uint8_t* data = nullptr;
    size_t valid_bytes = 0;
  };
  /// Next buffer to decode, oldest first.
  std::optional<Filled> next_filled();
  /// After decoding: zeroed and ready for request().
  void recycle(const Filled&);
  /// Adds buffers when few are left; on the collector's thread, so that nobody else waits for memory.
  void top_up();

  size_t buffer_bytes() const { return size_.buffer_bytes; }
  size_t allocated() const;
  int64_t refused() const;  ///< requests that found none

 private:
  uint8_t* make_buffer() const;
  Size size_;
  mutable std::mutex mutex_;  ///< nothing is called while it is held
  struct Free {
    void operator()(uint8_t* data) const;
  };
  std::vector<std::unique_ptr<uint8_t, Free>> memory_;
  std::vector<uint8_t*> free_;
  std::vector<Filled> filled_;
  size_t next_ = 0;  ///< of filled_
  int64_t refused_ = 0;
};

}  // namespace profiler::cupti
