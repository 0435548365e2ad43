// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors over buffers, as the engine's own view arithmetic makes them: which bytes each names, and when a copy is
// made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/tensor/tensor.h"
#include "engine/tensor/tensor_examples.h"

namespace views {

/// The bytes behind one or more tensors.
struct StorageBuffer {
  std::string name;  ///< "A"
  int64_t elements = 0;
  engine::DType dtype = engine::DType::float32;
  std::shared_ptr<engine::Storage> data;  ///< null: too large to be kept here; only its addresses are known
  int64_t size_bytes() const;
};

struct StorageTensor {
  std::string name;     ///< "x", or as the example names it; then "a", "b", ...
  std::string made_by;  ///< "x.transpose(0, 1)"; the example's title of the first
  engine::TensorType type;
  int64_t offset = 0;  ///< elements into its buffer
  size_t buffer = 0;
  int64_t copied_bytes = 0;  ///< written to a new buffer when it was made; 0: a view
};

/// The first tensor and all that was made of it. Offsets, shapes and strides are those of engine::view_*().
class StorageModel {
 public:
  /// `type` is dense or any view of a buffer that begins with it. Values count up from 0.
  StorageModel(const std::string& title, const engine::TensorType& type, const std::string& name = "x");

  const std::vector<StorageTensor>& tensors() const { return tensors_; }
  const std::vector<StorageBuffer>& buffers() const { return buffers_; }

  /// Makes all that the example makes of its first tensor, which the model begins with, under the names of its steps.
  void follow(const engine::TensorExample&);

  // Each makes one more tensor and returns its index, or fails in the engine's words and changes nothing.
  /// A view where strides allow it, else a copy in row-major order, viewed.
  engine::Result<size_t> reshape(size_t of, const engine::Shape&);
  engine::Result<size_t> transpose(size_t of, int64_t axis_a, int64_t axis_b);
  engine::Result<size_t> slice(size_t of, int64_t axis, int64_t start, int64_t end, int64_t step);
  engine::Result<size_t> expand(size_t of, const engine::Shape&);
  /// A copy unless it is row-major already; then a view.
  engine::Result<size_t> contiguous(size_t of);

  /// Writes the first element; every tensor over that byte sees it. Fails where there is no element or no data.
  engine::Result<void> write_first(size_t of, double value);
  /// NaN: its buffer is not kept.
  double value(size_t buffer, int64_t element) const;

 private:
  engine::Result<size_t> add(size_t of, std::string made_by, engine::Result<engine::View>);
  engine::Result<size_t> add_copy(size_t of, std::string made_by);
  engine::Tensor tensor(size_t index) const;
  std::string next_name() const;

  std::vector<StorageTensor> tensors_;
  std::vector<StorageBuffer> buffers_;
  size_t named_ = 0;  // tensors of the example behind the first
};

/// "50x2304", "50, 2304", "-1": extents; "scalar" and "" are those of rank 0. Fails naming the word that is no number.
engine::Result<engine::Shape> parse_shape(const std::string& text);

/// What each element of a buffer is to a tensor.
struct StorageUse {
  std::vector<int64_t> position;  ///< by element: the first logical position that reads it, row-major; -1: none
  std::vector<uint32_t> readers;  ///< by element: how many logical positions read it (2 and more: expanded)
};
/// Fails where the tensor has more than kMostStorageElements logical elements, or its buffer does.
inline constexpr int64_t kMostStorageElements = 1 << 22;
engine::Result<StorageUse> use_of(const StorageModel&, size_t tensor);

/// "x[0, 1, 3]" of a row-major position among the elements.
std::string index_text(const StorageTensor&, int64_t position);

}  // namespace views
