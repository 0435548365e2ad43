// SPDX-License-Identifier: Apache-2.0
// Tensors: typed, strided windows onto a storage.
#include "engine/tensor/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/base/wide.h"
#include "engine/tensor/element.h"

namespace engine {
namespace {

int64_t saturate(Wide value) {
  return static_cast<int64_t>(std::min<Wide>(value, std::numeric_limits<int64_t>::max()));
}

/// Lowest and highest element a type names, relative to element (0, ..., 0).
struct Reach {
  Wide low = 0, high = 0;
};
Reach reach(const TensorType& type) {
  Reach result;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const Wide step = static_cast<Wide>(type.shape[i] - 1) * type.strides[i];
    (step < 0 ? result.low : result.high) += step;
  }
  return result;
}

/// One row of elements of `size` bytes; strides in bytes.
void copy_row(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride, int64_t count,
              int64_t size) {
  if (from_stride == size && to_stride == size) {
    std::memcpy(to, from, static_cast<size_t>(count * size));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * to_stride, from + i * from_stride, static_cast<size_t>(size));
}

}  // namespace

TensorType TensorType::contiguous(DType dtype, Shape shape) {
  Strides strides = contiguous_strides(shape);
  return {dtype, std::move(shape), std::move(strides)};
}

TensorType TensorType::channels_last(DType dtype, Shape shape) {
  Strides strides = channels_last_strides(shape);
  return {dtype, std::move(shape), std::move(strides)};
}

int64_t TensorType::elements() const {
  const auto count = element_count(shape);
  CHECK(count.has_value());
  return *count;
}

int64_t TensorType::distinct_bytes() const {
  if (elements() == 0) return 0;
  Wide bytes = size_bytes(dtype);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (strides[i] != 0) bytes *= shape[i];  // below 8 * 2^63
  }
  return saturate(bytes);
}

int64_t TensorType::span_bytes() const {
  if (elements() == 0) return 0;
  const Reach r = reach(*this);
  return saturate((r.high - r.low + 1) * size_bytes(dtype));
}

std::string to_string(const TensorType& type) { return fmt::format("{} {}", name(type.dtype), to_string(type.shape)); }

Tensor::Tensor(std::shared_ptr<Storage> storage, TensorType type, int64_t offset_elements)
    : storage_(std::move(storage)), type_(std::move(type)), offset_(offset_elements) {
  CHECK(storage_ != nullptr);
  CHECK(type_.shape.size() == type_.strides.size());
  const Reach r = type_.elements() == 0 ? Reach{0, -1} : reach(type_);
  CHECK(offset_ + r.low >= 0);
  CHECK((offset_ + r.high + 1) * size_bytes(type_.dtype) <= storage_->size_bytes());
}

Result<Tensor> Tensor::empty(TensorType type) {
  if (!element_count(type.shape)) {
    return usage_error(
        fmt::format("shape {} has a negative extent or more than 2^63 - 1 elements", to_string(type.shape)));
  }
  auto storage = Storage::allocate_host(type.span_bytes());
  if (!storage) return storage.error();
  // Reversed types start at their highest element.
  int64_t offset = 0;
  if (type.elements() > 0) offset = static_cast<int64_t>(-reach(type).low);
  return Tensor(*storage, std::move(type), offset);
}

Result<Tensor> Tensor::from_values(Shape shape, std::span<const double> values, DType dtype) {
  const auto count = element_count(shape);
  if (!count || *count != static_cast<int64_t>(values.size())) {
    return usage_error(fmt::format("shape {} does not hold {} values", to_string(shape), values.size()));
  }
  Result<Tensor> tensor = empty(TensorType::contiguous(dtype, std::move(shape)));
  if (!tensor) return tensor;
  const int64_t size = engine::size_bytes(dtype);
  std::byte* address = tensor->data();
  for (const double value : values) {
    store_element(dtype, address, value);
    address += size;
  }
  return tensor;
}

std::byte* Tensor::data() const {
  CHECK(defined());
  return storage_->data() + offset_ * size_bytes(type_.dtype);
}

namespace {
Result<Tensor> apply(const Tensor& tensor, const Result<View>& view) {
  if (!view) return view.error();
  return Tensor(tensor.storage(), view->type, tensor.offset_elements() + view->offset_elements);
}
}  // namespace

Result<Tensor> Tensor::reshape(Shape shape) const { return apply(*this, view_reshape(type_, std::move(shape))); }

Result<Tensor> Tensor::transpose(int64_t axis_a, int64_t axis_b) const {
  const int64_t n = type_.rank();
  for (const int64_t axis : {axis_a, axis_b}) {
    if (axis < -n || axis >= n) {
      return usage_error(fmt::format("[transpose] axis {} is out of range for shape {}", axis, to_string(type_.shape)));
    }
  }
  std::vector<int64_t> axes(type_.shape.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  std::swap(axes[static_cast<size_t>(axis_a < 0 ? axis_a + n : axis_a)],
            axes[static_cast<size_t>(axis_b < 0 ? axis_b + n : axis_b)]);
  return permute(axes);
}

Result<Tensor> Tensor::permute(std::span<const int64_t> axes) const { return apply(*this, view_permute(type_, axes)); }

Result<Tensor> Tensor::slice(int64_t axis, int64_t start, int64_t end, int64_t step) const {
  return apply(*this, view_slice(type_, axis, start, end, step));
}

Result<Tensor> Tensor::expand(const Shape& shape) const { return apply(*this, view_expand(type_, shape)); }
Result<Tensor> Tensor::squeeze(int64_t axis) const { return apply(*this, view_squeeze(type_, axis)); }
Result<Tensor> Tensor::unsqueeze(int64_t axis) const { return apply(*this, view_unsqueeze(type_, axis)); }

Result<Tensor> Tensor::contiguous() const {
  if (is_contiguous(type_.shape, type_.strides)) return *this;
  Result<Tensor> copy = empty(TensorType::contiguous(type_.dtype, type_.shape));
  if (copy) copy_elements(*this, *copy);
  return copy;
}

void copy_elements(const Tensor& from, const Tensor& to) {
  CHECK(from.shape() == to.shape() && from.dtype() == to.dtype());
  const Shape& shape = from.shape();
  const int64_t size = size_bytes(from.dtype());
  if (from.type().elements() == 0) return;
  if (from.strides() == to.strides() && is_dense(shape, from.strides())) {
    std::memcpy(to.data(), from.data(), static_cast<size_t>(from.type().span_bytes()));
    return;
  }
  if (shape.empty()) return copy_row(from.data(), size, to.data(), size, 1, size);
  std::vector<int64_t> index(shape.size() - 1, 0);
  const std::byte* source = from.data();
  std::byte* target = to.data();
  while (true) {
    copy_row(source, from.strides().back() * size, target, to.strides().back() * size, shape.back(), size);
    size_t axis = index.size();
    while (axis > 0) {  // an odometer over the outer axes
      --axis;
      source += from.strides()[axis] * size;
      target += to.strides()[axis] * size;
      if (++index[axis] < shape[axis]) break;
      source -= from.strides()[axis] * size * shape[axis];
      target -= to.strides()[axis] * size * shape[axis];
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (index.empty()) return;
  }
}

namespace {
int64_t element_offset(const TensorType& type, std::span<const int64_t> index) {
  CHECK(index.size() == type.shape.size());
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    CHECK(index[i] >= 0 && index[i] < type.shape[i]);
    offset += index[i] * type.strides[i];
  }
  return offset;
}

int64_t flat_offset(const TensorType& type, int64_t position) {
  CHECK(position >= 0 && position < type.elements());
  int64_t offset = 0;
  for (size_t i = type.shape.size(); i-- > 0;) {
    offset += position % type.shape[i] * type.strides[i];
    position /= type.shape[i];
  }
  return offset;
}
}  // namespace

double Tensor::get(std::span<const int64_t> index) const {
  return load_element(type_.dtype, data() + element_offset(type_, index) * size_bytes(type_.dtype));
}

void Tensor::set(std::span<const int64_t> index, double value) const {
  store_element(type_.dtype, data() + element_offset(type_, index) * size_bytes(type_.dtype), value);
}

double Tensor::get_flat(int64_t position) const {
  return load_element(type_.dtype, data() + flat_offset(type_, position) * size_bytes(type_.dtype));
}

void Tensor::set_flat(int64_t position, double value) const {
  store_element(type_.dtype, data() + flat_offset(type_, position) * size_bytes(type_.dtype), value);
}

}  // namespace engine
