// SPDX-License-Identifier: Apache-2.0
// PackedColumn: integers in chunks, each stored as the distance from the chunk's smallest value in as few bytes as that
// needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/check.h"

namespace profiler {

/// One chunk as it lies in memory and in a file: rows distances of `width` bytes each, little endian; width 0: all
/// equal `base`.
struct PackedChunk {
  uint64_t base = 0;  ///< the smallest value, as two's complement
  uint32_t rows = 0;
  uint8_t width = 0;           ///< 0, 1, 2, 4 or 8
  std::vector<uint8_t> bytes;  ///< rows * width
};

/// A column of T (an integer or an enumeration) that is appended to, sealed once, and then read by index or chunk by
/// chunk.
template <class T>
class PackedColumn {
 public:
  static constexpr size_t kChunkRows = 65536;  ///< of all chunks but the last

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t chunk_count() const { return chunks_.size(); }
  const PackedChunk& chunk(size_t i) const { return chunks_[i]; }
  /// Bytes held, the reserve of the vectors included.
  size_t size_bytes() const {
    size_t sum = chunks_.capacity() * sizeof(PackedChunk) + tail_.capacity() * sizeof(T);
    for (const PackedChunk& c : chunks_) sum += c.bytes.capacity();
    return sum;
  }

  T operator[](size_t i) const {
    const size_t at = i / kChunkRows, row = i % kChunkRows;
    if (at >= chunks_.size()) return tail_[row];
    const PackedChunk& c = chunks_[at];
    return from_bits(c.base + distance(c, row));
  }

  void push_back(T value) {
    if (tail_.empty()) {
      CHECK(size_ % kChunkRows == 0);  // nothing is appended behind a sealed short chunk
      tail_.reserve(kChunkRows);
    }
    tail_.push_back(value);
    ++size_;
    if (tail_.size() == kChunkRows) pack_tail();
  }
  /// Appends a chunk as it was stored. Only the last may be short.
  void append(PackedChunk chunk) {
    CHECK(tail_.empty() && size_ % kChunkRows == 0 && chunk.rows <= kChunkRows);
    CHECK(chunk.bytes.size() == size_t{chunk.rows} * chunk.width);
    size_ += chunk.rows;
    chunks_.push_back(std::move(chunk));
  }
  /// Packs what was appended last; the column is complete.
  void seal() {
    if (!tail_.empty()) pack_tail();
    tail_.shrink_to_fit();
    chunks_.shrink_to_fit();
  }
  /// All values of one chunk of a sealed column.
  void decode(size_t chunk, std::vector<T>& out) const {
    const PackedChunk& c = chunks_[chunk];
    out.resize(c.rows);
    switch (c.width) {
      case 0: std::fill(out.begin(), out.end(), from_bits(c.base)); break;
      case 1: widen<uint8_t>(c, out); break;
      case 2: widen<uint16_t>(c, out); break;
      case 4: widen<uint32_t>(c, out); break;
      default: widen<uint64_t>(c, out); break;
    }
  }

  /// Reads one value after the other.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = T;
    Iterator(const PackedColumn& column, size_t at) : column_(&column), at_(at) {}
    T operator*() const { return (*column_)[at_]; }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return Iterator(*column_, at_++); }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const PackedColumn* column_;
    size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }

  friend bool operator==(const PackedColumn& a, const PackedColumn& b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

 private:
  // Ids of 32 bits are stored plus one, so that "none" (all ones) lies beside the small ids and not four billion away.
  static constexpr bool kIsId = std::is_same_v<T, uint32_t>;
  static T from_bits(uint64_t bits) {
    if constexpr (kIsId) {
      return static_cast<uint32_t>(bits) - 1;
    } else {
      return static_cast<T>(bits);
    }
  }
  static uint64_t to_bits(T value) {
    if constexpr (kIsId) {
      return static_cast<uint32_t>(value + 1);
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<uint64_t>(static_cast<std::underlying_type_t<T>>(value));
    } else {
      return static_cast<uint64_t>(value);
    }
  }
  template <class Stored>
  static uint64_t load(const PackedChunk& c, size_t row) {
    Stored value;
    std::memcpy(&value, c.bytes.data() + row * sizeof value, sizeof value);
    return value;
  }
  static uint64_t distance(const PackedChunk& c, size_t row) {
    switch (c.width) {
      case 0: return 0;
      case 1: return c.bytes[row];
      case 2: return load<uint16_t>(c, row);
      case 4: return load<uint32_t>(c, row);
      default: return load<uint64_t>(c, row);
    }
  }
  template <class Stored>
  static void widen(const PackedChunk& c, std::vector<T>& out) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = from_bits(c.base + load<Stored>(c, i));
  }
  template <class Stored>
  void narrow(PackedChunk& c) const {
    for (size_t i = 0; i < tail_.size(); ++i) {
      const auto value = static_cast<Stored>(to_bits(tail_[i]) - c.base);
      std::memcpy(c.bytes.data() + i * sizeof value, &value, sizeof value);
    }
  }
  void pack_tail() {
    const auto [low, high] = std::minmax_element(tail_.begin(), tail_.end(), [](T a, T b) {
      if constexpr (kIsId) {
        return to_bits(a) < to_bits(b);
      } else {
        return a < b;
      }
    });
    PackedChunk c{.base = to_bits(*low), .rows = static_cast<uint32_t>(tail_.size()), .width = 0, .bytes = {}};
    const uint64_t most = to_bits(*high) - c.base;
    c.width = most == 0 ? 0 : most <= 0xff ? 1 : most <= 0xffff ? 2 : most <= 0xffffffff ? 4 : 8;
    c.bytes.resize(size_t{c.rows} * c.width);
    switch (c.width) {
      case 0: break;
      case 1: narrow<uint8_t>(c); break;
      case 2: narrow<uint16_t>(c); break;
      case 4: narrow<uint32_t>(c); break;
      default: narrow<uint64_t>(c); break;
    }
    chunks_.push_back(std::move(c));
    tail_.clear();
  }

  std::vector<PackedChunk> chunks_;
  std::vector<T> tail_;
  size_t size_ = 0;
};

}  // namespace profiler
