// SPDX-License-Identifier: Apache-2.0
// ByteRanges: which bytes each tensor occupies, cut into blocks such that two tensors share whole
// blocks or nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/capture/capture.h"

namespace profiler {

/// Consecutive blocks [first, last) of one tensor.
struct BlockRange {
  uint32_t first = 0, last = 0;
};

class ByteRanges {
 public:
  explicit ByteRanges(const Capture&);

  /// The tensor whose bytes these are (itself unless it is a view or an in-place output).
  TensorId root(TensorId tensor) const { return root_[tensor]; }
  /// Bytes of a root; views: of their root.
  double bytes(TensorId tensor) const { return root_bytes_[root_[tensor]]; }
  /// Blocks of the tensor's root.
  BlockRange blocks(TensorId tensor) const { return ranges_[root_[tensor]]; }
  size_t block_count() const { return block_bytes_.size(); }
  double block_bytes(uint32_t block) const { return block_bytes_[block]; }
  /// True when arena addresses were used, so that tensors placed on the same bytes share blocks.
  /// False: the capture's addresses contradict its lifetimes (or there are none) and every root has
  /// bytes of its own.
  bool by_address() const { return by_address_; }

 private:
  void resolve_roots(const Capture&);
  bool place_by_address(const Capture&);
  void place_apart();

  std::vector<TensorId> root_;
  std::vector<double> root_bytes_;
  std::vector<BlockRange> ranges_;
  std::vector<double> block_bytes_;
  bool by_address_ = false;
};

}  // namespace profiler
