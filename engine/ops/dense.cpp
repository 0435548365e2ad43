// SPDX-License-Identifier: Apache-2.0
// Strided elements of any dtype to and from dense row-major doubles.
#include "engine/ops/dense.h"

#include <algorithm>
#include <cstring>

#include "engine/tensor/element.h"

namespace engine::ops {
namespace {

/// The innermost axis of a tensor, walked row by row in row-major order.
struct Rows {
  int64_t length = 1;  ///< elements per row
  int64_t step = 0;    ///< elements from one to the next in a row
  std::vector<int64_t> starts;
};

/// Where the rows begin, in elements from element (0, ..., 0).
Rows rows_of(const TensorType& type) {
  Rows rows;
  if (type.elements() == 0) return rows;
  const size_t outer = type.shape.empty() ? 0 : type.shape.size() - 1;
  if (!type.shape.empty()) {
    rows.length = type.shape.back();
    rows.step = type.strides.back();
  }
  rows.starts.reserve(static_cast<size_t>(type.elements() / rows.length));
  std::vector<int64_t> index(outer, 0);
  int64_t start = 0;
  while (true) {
    rows.starts.push_back(start);
    size_t axis = outer;
    while (axis > 0) {
      --axis;
      start += type.strides[axis];
      if (++index[axis] < type.shape[axis]) break;
      start -= type.strides[axis] * type.shape[axis];
      index[axis] = 0;
      if (axis == 0) return rows;
    }
    if (outer == 0) return rows;
  }
}

template <class Element, class Value>
void load_rows(const Tensor& tensor, const Rows& rows, Value* out) {
  const auto* base = tensor.data_as<const Element>();
  for (const int64_t start : rows.starts) {
    const Element* row = base + start;
    for (int64_t i = 0; i < rows.length; ++i) *out++ = static_cast<Value>(row[i * rows.step]);
  }
}

template <class Element, class Value>
void store_rows(const Tensor& tensor, const Rows& rows, const Value* values) {
  auto* base = tensor.data_as<Element>();
  for (const int64_t start : rows.starts) {
    Element* row = base + start;
    for (int64_t i = 0; i < rows.length; ++i) row[i * rows.step] = static_cast<Element>(*values++);
  }
}

}  // namespace

std::vector<double> load(const Tensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.type().elements()));
  const Rows rows = rows_of(tensor.type());
  double* out = values.data();
  switch (tensor.dtype()) {
    case DType::float64: load_rows<double>(tensor, rows, out); break;
    case DType::float32: load_rows<float>(tensor, rows, out); break;
    case DType::int64: load_rows<int64_t>(tensor, rows, out); break;
    case DType::int32: load_rows<int32_t>(tensor, rows, out); break;
    case DType::int8: load_rows<int8_t>(tensor, rows, out); break;
    case DType::uint8: load_rows<uint8_t>(tensor, rows, out); break;
    default: {
      const int64_t size = size_bytes(tensor.dtype());
      for (const int64_t start : rows.starts) {
        for (int64_t i = 0; i < rows.length; ++i) {
          *out++ = load_element(tensor.dtype(), tensor.data() + (start + i * rows.step) * size);
        }
      }
    }
  }
  return values;
}

std::vector<double> load_expanded(const Tensor& tensor, const Shape& shape) {
  const Result<Tensor> expanded = tensor.expand(shape);
  CHECK(expanded.ok());
  return load(*expanded);
}

void store(const Tensor& tensor, std::span<const double> values) {
  CHECK(static_cast<int64_t>(values.size()) == tensor.type().elements());
  const Rows rows = rows_of(tensor.type());
  if (tensor.dtype() == DType::float64) return store_rows<double>(tensor, rows, values.data());
  if (tensor.dtype() == DType::float32) return store_rows<float>(tensor, rows, values.data());
  const int64_t size = size_bytes(tensor.dtype());
  const double* value = values.data();
  for (const int64_t start : rows.starts) {
    for (int64_t i = 0; i < rows.length; ++i) {
      store_element(tensor.dtype(), tensor.data() + (start + i * rows.step) * size, *value++);
    }
  }
}

std::vector<int64_t> load_whole(const Tensor& tensor) {
  CHECK(!is_floating(tensor.dtype()));
  std::vector<int64_t> values(static_cast<size_t>(tensor.type().elements()));
  const Rows rows = rows_of(tensor.type());
  int64_t* out = values.data();
  switch (tensor.dtype()) {
    case DType::int64: load_rows<int64_t>(tensor, rows, out); break;
    case DType::int32: load_rows<int32_t>(tensor, rows, out); break;
    case DType::int8: load_rows<int8_t>(tensor, rows, out); break;
    default: load_rows<uint8_t>(tensor, rows, out);
  }
  if (tensor.dtype() == DType::boolean) {
    for (int64_t& value : values) value = value != 0 ? 1 : 0;
  }
  return values;
}

std::vector<int64_t> load_whole_expanded(const Tensor& tensor, const Shape& shape) {
  const Result<Tensor> expanded = tensor.expand(shape);
  CHECK(expanded.ok());
  return load_whole(*expanded);
}

void store_whole(const Tensor& tensor, std::span<const int64_t> values) {
  CHECK(!is_floating(tensor.dtype()) && static_cast<int64_t>(values.size()) == tensor.type().elements());
  const Rows rows = rows_of(tensor.type());
  switch (tensor.dtype()) {
    case DType::int64: return store_rows<int64_t>(tensor, rows, values.data());
    case DType::int32: return store_rows<int32_t>(tensor, rows, values.data());
    case DType::int8: return store_rows<int8_t>(tensor, rows, values.data());
    case DType::uint8: return store_rows<uint8_t>(tensor, rows, values.data());
    default: {
      std::vector<uint8_t> flags(values.size());
      for (size_t i = 0; i < flags.size(); ++i) flags[i] = values[i] != 0 ? 1 : 0;
      store_rows<uint8_t>(tensor, rows, flags.data());
    }
  }
}

void copy_bits(const Tensor& from, const Tensor& to) {
  CHECK(from.shape() == to.shape() && from.dtype() == to.dtype());
  const Rows source = rows_of(from.type()), target = rows_of(to.type());
  const int64_t size = size_bytes(from.dtype());
  for (size_t row = 0; row < source.starts.size(); ++row) {
    const std::byte* read = from.data() + source.starts[row] * size;
    std::byte* write = to.data() + target.starts[row] * size;
    for (int64_t i = 0; i < source.length; ++i) {
      std::memcpy(write + i * target.step * size, read + i * source.step * size, static_cast<size_t>(size));
    }
  }
}

}  // namespace engine::ops
