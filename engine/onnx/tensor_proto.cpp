// SPDX-License-Identifier: Apache-2.0
// TensorProto -> Tensor: types, dimensions and data checked against each other before anything is
// allocated.
#include "engine/onnx/tensor_proto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "engine/onnx/external_data.h"
#include "engine/onnx/narrow_types.h"
#include "engine/onnx/text.h"

namespace engine::onnx {
namespace {

using ::onnx::TensorProto;

static_assert(std::endian::native == std::endian::little, "raw_data is little endian");

/// Names of TensorProto.DataType by number, as onnx.proto lists them.
constexpr std::array<std::string_view, 27> kDataTypes{
    "UNDEFINED", "FLOAT",      "UINT8",      "INT8",         "UINT16",         "INT16",      "INT32",
    "INT64",     "STRING",     "BOOL",       "FLOAT16",      "DOUBLE",         "UINT32",     "UINT64",
    "COMPLEX64", "COMPLEX128", "BFLOAT16",   "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ",
    "UINT4",     "INT4",       "FLOAT4E2M1", "FLOAT8E8M0",   "UINT2",          "INT2"};

std::string_view data_type_name(int32_t data_type) {
  const bool known = data_type >= 0 && static_cast<size_t>(data_type) < kDataTypes.size();
  return known ? kDataTypes[static_cast<size_t>(data_type)] : "unknown";
}

Error wrong_count(std::string_view field, int64_t has, int64_t wants, const Shape& shape, std::string_view unit) {
  return refused_error(
      fmt::format("field {}: has {} {}, but dims {} need {}", field, has, unit, to_string(shape), wants));
}

/// Copies a typed data field, whose entries may be wider than the element (16-bit floats lie in
/// int32_data).
template <class Element, class Field>
void copy_entries(const Field& field, const Tensor& tensor) {
  CHECK(field.size() == tensor.type().elements());
  std::ranges::transform(field, tensor.data_as<Element>(), [](auto entry) { return static_cast<Element>(entry); });
}

void copy_typed(const TensorProto& proto, const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::float64: return copy_entries<double>(proto.double_data(), tensor);
    case DType::float32: return copy_entries<float>(proto.float_data(), tensor);
    case DType::int64: return copy_entries<int64_t>(proto.int64_data(), tensor);
    case DType::int32: return copy_entries<int32_t>(proto.int32_data(), tensor);
    case DType::bfloat16:
    case DType::float16: return copy_entries<uint16_t>(proto.int32_data(), tensor);
    case DType::int8: return copy_entries<int8_t>(proto.int32_data(), tensor);
    case DType::uint8:
    case DType::boolean: return copy_entries<uint8_t>(proto.int32_data(), tensor);
  }
}

/// Entries of the typed data field that belongs to `dtype`: a bound on what may be allocated.
int64_t typed_entries(const TensorProto& proto, DType dtype) {
  switch (dtype) {
    case DType::float64: return proto.double_data_size();
    case DType::float32: return proto.float_data_size();
    case DType::int64: return proto.int64_data_size();
    default: return proto.int32_data_size();
  }
}

/// The data lie in the message itself.
Result<Tensor> from_message(const TensorProto& proto, DType dtype, Shape shape) {
  const int64_t elements = *element_count(shape);
  const int64_t bytes = elements * size_bytes(dtype);
  const auto raw_bytes = static_cast<int64_t>(proto.raw_data().size());
  const int64_t entries = typed_entries(proto, dtype);
  if (proto.has_raw_data() && raw_bytes != bytes) return wrong_count("raw_data", raw_bytes, bytes, shape, "bytes");
  if (proto.has_raw_data() && entries > 0)
    return refused_error(
        fmt::format("has {} entries of {} beside raw_data; only one may be there", entries, name(dtype)));
  if (!proto.has_raw_data() && entries != elements)
    return wrong_count("data", entries, elements, shape, fmt::format("entries of {}", name(dtype)));
  Result<Tensor> tensor = Tensor::empty(TensorType::contiguous(dtype, std::move(shape)));
  if (!tensor) return tensor;
  if (!proto.has_raw_data()) {
    copy_typed(proto, *tensor);
  } else if (bytes > 0) {
    std::memcpy(tensor->data(), proto.raw_data().data(), static_cast<size_t>(bytes));
  }
  return tensor;
}

/// A tensor of a type that is held in another: its bytes as they are in the file, widened.
Result<Tensor> to_wide_tensor(const TensorProto& proto, const NarrowType& type, const std::filesystem::path& folder) {
  Result<Shape> shape = to_shape(proto.dims(), type.held);
  if (!shape) return shape.error();
  if (proto.has_segment()) return refused_error("field segment: tensors in segments are not supported");
  const int64_t elements = *element_count(*shape), bytes = type.packed_bytes(elements);
  const TensorType packed_type = TensorType::contiguous(DType::uint8, {bytes});
  Result<Tensor> packed = Error{};
  if (is_external(proto)) {
    packed = read_external(proto, packed_type, folder);
  } else if (proto.has_raw_data()) {
    packed = from_message(proto, DType::uint8, {bytes});
  } else {  // entries of a byte, or of an element where it is larger
    const int64_t per_entry = std::max(type.bits / 8, 1), entries = bytes / per_entry;
    const bool wide = type.bits == 32;
    const int64_t has = wide ? proto.uint64_data_size() : proto.int32_data_size();
    if (has != entries) return wrong_count("data", has, entries, *shape, fmt::format("entries of {}", type.name));
    packed = Tensor::empty(packed_type);
    for (int64_t i = 0; packed && i < entries; ++i) {
      uint64_t entry = wide ? proto.uint64_data(static_cast<int>(i))
                            : static_cast<uint64_t>(static_cast<int64_t>(proto.int32_data(static_cast<int>(i))));
      for (int64_t b = 0; b < per_entry; ++b, entry >>= 8)
        packed->data()[i * per_entry + b] = static_cast<std::byte>(entry & 0xFF);
    }
  }
  if (!packed) return packed;
  Result<Tensor> tensor = Tensor::empty(TensorType::contiguous(type.held, *std::move(shape)));
  if (tensor) widen(type, {packed->data(), static_cast<size_t>(bytes)}, *tensor);
  return tensor;
}

}  // namespace

Result<DType> to_dtype(int32_t data_type) {
  switch (data_type) {
    case TensorProto::FLOAT: return DType::float32;
    case TensorProto::UINT8: return DType::uint8;
    case TensorProto::INT8: return DType::int8;
    case TensorProto::INT32: return DType::int32;
    case TensorProto::INT64: return DType::int64;
    case TensorProto::BOOL: return DType::boolean;
    case TensorProto::FLOAT16: return DType::float16;
    case TensorProto::DOUBLE: return DType::float64;
    case TensorProto::BFLOAT16: return DType::bfloat16;
    default: break;
  }
  return refused_error(
      fmt::format("field data_type: data type {} ({}) is not supported", data_type, data_type_name(data_type)));
}

Result<void> check_shape(const Shape& shape, DType dtype) {
  if (shape.size() > static_cast<size_t>(kLargestRank)) {
    return refused_error(fmt::format("field dims: {} axes, at most {} are supported", shape.size(), kLargestRank));
  }
  const auto negative = std::ranges::find_if(shape, [](int64_t extent) { return extent < 0; });
  if (negative != shape.end()) {
    return refused_error(fmt::format("field dims: extent {} in {} is negative", *negative, to_string(shape)));
  }
  const std::optional<int64_t> elements = element_count(shape);
  if (!elements || *elements > std::numeric_limits<int64_t>::max() / size_bytes(dtype)) {
    return refused_error(fmt::format("field dims: {} {} has more bytes than 2^63 - 1", name(dtype), to_string(shape)));
  }
  return {};
}

Result<Shape> to_shape(const google::protobuf::RepeatedField<int64_t>& dims, DType dtype) {
  if (dims.size() > kLargestRank) {
    return refused_error(fmt::format("field dims: {} axes, at most {} are supported", dims.size(), kLargestRank));
  }
  Shape shape(dims.begin(), dims.end());
  if (Result<void> fits = check_shape(shape, dtype); !fits) return fits.error();
  return shape;
}

Result<Tensor> to_tensor(const TensorProto& proto, const std::filesystem::path& folder) {
  if (const NarrowType* narrow = narrow_type(proto.data_type())) return to_wide_tensor(proto, *narrow, folder);
  const Result<DType> dtype = to_dtype(proto.data_type());
  if (!dtype) return dtype.error();
  Result<Shape> shape = to_shape(proto.dims(), *dtype);
  if (!shape) return shape.error();
  if (proto.has_segment()) return refused_error("field segment: tensors in segments are not supported");
  Result<Tensor> tensor = is_external(proto)
                              ? read_external(proto, TensorType::contiguous(*dtype, std::move(*shape)), folder)
                              : from_message(proto, *dtype, std::move(*shape));
  if (!tensor) return tensor;
  if (*dtype == DType::boolean) {  // any byte may stand in a file, but a bool is 0 or 1
    auto* flags = tensor->data_as<uint8_t>();
    std::transform(flags, flags + tensor->type().elements(), flags, [](uint8_t flag) { return flag != 0 ? 1 : 0; });
  }
  return tensor;
}

}  // namespace engine::onnx
