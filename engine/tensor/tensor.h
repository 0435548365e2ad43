// SPDX-License-Identifier: Apache-2.0
// Tensor: a typed, strided view of a Storage. Views share the storage and copy nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/base/result.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/storage.h"

namespace engine {

/// What a tensor is, without its bytes: dtype, extents, and the layout in memory (strides in elements).
struct TensorType {
  DType dtype = DType::float32;
  Shape shape;
  Strides strides;

  /// Row-major type.
  static TensorType contiguous(DType, Shape);
  /// Rank 4: stored as N,H,W,C; other ranks row-major.
  static TensorType channels_last(DType, Shape);
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  /// Elements; CHECKs that the count does not overflow (graph building has refused such shapes already).
  int64_t elements() const;
  /// Distinct bytes the tensor names: an axis with stride 0 counts once.
  int64_t distinct_bytes() const;
  /// Bytes from the lowest to one past the highest element: what a dense type needs as storage.
  int64_t span_bytes() const;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// "f32 16x128x28x28"
std::string to_string(const TensorType&);

class Tensor {
 public:
  Tensor() = default;
  /// A view of `storage` from element `offset` on. CHECKs that every element lies inside.
  Tensor(std::shared_ptr<Storage> storage, TensorType type, int64_t offset_elements = 0);
  /// A new host tensor with unspecified contents. Refused when memory does not suffice.
  static Result<Tensor> empty(TensorType type);
  /// A new row-major host tensor holding `values`.
  static Result<Tensor> from_values(Shape, std::span<const double> values, DType = DType::float64);

  const TensorType& type() const { return type_; }
  const Shape& shape() const { return type_.shape; }
  const Strides& strides() const { return type_.strides; }
  DType dtype() const { return type_.dtype; }
  const std::shared_ptr<Storage>& storage() const { return storage_; }
  int64_t offset_elements() const { return offset_; }
  bool defined() const { return storage_ != nullptr; }
  /// Address of element (0, ..., 0).
  std::byte* data() const;
  template <class T>
  T* data_as() const {
    return reinterpret_cast<T*>(data());
  }

  // Views: same storage, no copy. Each fails naming the tensor's shape and the wrong argument.
  /// New extents, one of which may be -1. Refused when the strides do not allow it without a copy; the message says so.
  Result<Tensor> reshape(Shape) const;
  Result<Tensor> transpose(int64_t axis_a, int64_t axis_b) const;
  /// axes[i] = which axis of this becomes axis i.
  Result<Tensor> permute(std::span<const int64_t> axes) const;
  /// Elements start, start+step, ... before end along `axis` (Python rules: negative counts from the end; step != 0,
  /// may be negative).
  Result<Tensor> slice(int64_t axis, int64_t start, int64_t end, int64_t step = 1) const;
  /// Repeats axes of extent 1 (and new leading axes) with stride 0.
  Result<Tensor> expand(const Shape&) const;
  /// Removes `axis`, which must have extent 1.
  Result<Tensor> squeeze(int64_t axis) const;
  Result<Tensor> unsqueeze(int64_t axis) const;

  /// A row-major copy (this very tensor when it is row-major already).
  Result<Tensor> contiguous() const;

  /// Element by logical position, any dtype, as double (host tensors only; for tests, references and tiny tensors).
  double get(std::span<const int64_t> index) const;
  void set(std::span<const int64_t> index, double value) const;
  /// Same, by row-major position among the logical elements.
  double get_flat(int64_t position) const;
  void set_flat(int64_t position, double value) const;

 private:
  std::shared_ptr<Storage> storage_;
  TensorType type_;
  int64_t offset_ = 0;
};

/// Copies element by element between host tensors of equal shape and dtype (CHECKed) and any layouts; they must not
/// overlap.
void copy_elements(const Tensor& from, const Tensor& to);

/// The view arithmetic on types alone (no storage): what Tensor's methods and the graph's view operations share.
struct View {
  TensorType type;
  int64_t offset_elements = 0;  ///< relative to the viewed tensor's first element
};
Result<View> view_reshape(const TensorType&, Shape);
Result<View> view_permute(const TensorType&, std::span<const int64_t> axes);
Result<View> view_slice(const TensorType&, int64_t axis, int64_t start, int64_t end, int64_t step);
Result<View> view_expand(const TensorType&, const Shape&);
Result<View> view_squeeze(const TensorType&, int64_t axis);
Result<View> view_unsqueeze(const TensorType&, int64_t axis);

}  // namespace engine
