// SPDX-License-Identifier: Apache-2.0
// com.microsoft's operators with weights of 2, 4 or 8 bits in blocks: unpacked once, when the model is read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/ops/casting.h"
#include "engine/ops/indexing.h"
#include "engine/ops/mixed_linear.h"
#include "engine/ops/ops.h"
#include "engine/tensor/element.h"
#include "engine/tensor/quantization.h"

namespace engine::onnx {
namespace {

/// Number `i` of those of `bits` each that lie in bytes from the lowest bit on.
int code_of(const uint8_t* bytes, int64_t i, int64_t bits) {
  return bytes[i * bits / 8] >> (i * bits % 8) & ((1 << bits) - 1);
}

/// Weights [rows, columns] whose blocks along a row share a scale and a zero point.
struct Packed {
  int64_t rows = 0, columns = 0, bits = 4, block = 32;
  Tensor values, scales;
  std::optional<Tensor> zeros;

  int64_t blocks() const { return (columns + block - 1) / block; }
  int64_t row_bytes() const { return blocks() * block * bits / 8; }
  int code(const uint8_t* row, int64_t column) const { return code_of(row, column, bits); }
  /// Zero points are numbers of the scales' type, or codes, each row of them in whole bytes.
  double zero(int64_t row, int64_t at) const {
    if (!zeros) return static_cast<double>(1 << (bits - 1));
    if (zeros->dtype() != DType::uint8) return zeros->get_flat(row * blocks() + at);
    return code(zeros->data_as<uint8_t>() + row * ((blocks() * bits + 7) / 8), at);
  }
};

/// Reads inputs 1 to 3 and what the attributes say of them; fails where they do not fit.
std::optional<Packed> read_packed(NodeContext& node) {
  Packed p;
  p.columns = node.integer("K", 0, 1, int64_t{1} << 31);
  p.rows = node.integer("N", 0, 1, int64_t{1} << 31);
  p.bits = node.integer("bits", 4, 2, 8);
  p.block = node.integer("block_size", 0, 16, int64_t{1} << 20);
  if (!node.failed() && p.bits != 2 && p.bits != 4 && p.bits != 8)
    node.fail(fmt::format("attribute bits: {} is none of 2, 4 and 8", p.bits));
  if (!node.failed() && !std::has_single_bit(static_cast<uint64_t>(p.block)))
    node.fail(fmt::format("attribute block_size: {} is no power of 2", p.block));
  if (node.integer("weight_prepacked", 0, 0, 16) != 0) node.fail("attribute weight_prepacked: only 0 is supported");
  if (node.has_input(4)) node.fail("input 4 (g_idx): is not supported");
  const auto values = node.constant_elements(1, "B"), scales = node.constant_elements(2, "scales");
  if (node.has_input(3)) p.zeros = node.constant_elements(3, "zero_points");
  if (node.failed()) return std::nullopt;
  p.values = *values, p.scales = *scales;
  const auto expect = [&](size_t i, const Tensor& t, int64_t wanted) {
    if (!node.failed() && t.type().elements() != wanted)
      node.fail(fmt::format("input {} has {} elements; {} rows of {} blocks of {} weights of {} bits need {}", i,
                            t.type().elements(), p.rows, p.blocks(), p.block, p.bits, wanted));
  };
  if (p.values.dtype() != DType::uint8) node.fail(fmt::format("input 1 (B) is {}, must be u8", name(p.values.dtype())));
  if (!is_floating(p.scales.dtype()))
    node.fail(fmt::format("input 2 (scales) is {}, must be real", name(p.scales.dtype())));
  expect(1, p.values, p.rows * p.row_bytes());
  expect(2, p.scales, p.rows * p.blocks());
  if (p.zeros)
    expect(3, *p.zeros,
           p.zeros->dtype() == DType::uint8 ? p.rows * ((p.blocks() * p.bits + 7) / 8) : p.rows * p.blocks());
  return node.failed() ? std::nullopt : std::optional(std::move(p));
}

std::optional<Tensor> made(NodeContext& node, const TensorType& type) {
  Result<Tensor> tensor = Tensor::empty(type);
  if (tensor) return std::move(*tensor);
  node.fail(tensor.error().message);
  return std::nullopt;
}

/// The numbers that the codes stand for.
std::optional<Tensor> unpacked(NodeContext& node, const Packed& p, DType dtype) {
  std::optional<Tensor> w = made(node, TensorType::contiguous(dtype, {p.rows, p.columns}));
  if (!w) return w;
  for (int64_t row = 0; row < p.rows; ++row) {
    const uint8_t* codes = p.values.data_as<uint8_t>() + row * p.row_bytes();
    for (int64_t at = 0; at < p.blocks(); ++at) {
      const double scale = p.scales.get_flat(row * p.blocks() + at), zero = p.zero(row, at);
      std::array<double, 256> values{};
      for (int code = 0; code < 1 << p.bits; ++code) values[static_cast<size_t>(code)] = (code - zero) * scale;
      for (int64_t column = at * p.block; column < std::min((at + 1) * p.block, p.columns); ++column) {
        const double value = values[static_cast<size_t>(p.code(codes, column))];
        std::byte* const to = w->data() + (row * p.columns + column) * size_bytes(dtype);
        if (dtype == DType::float32) *reinterpret_cast<float*>(to) = static_cast<float>(value);
        else store_element(dtype, to, value);
      }
    }
  }
  return w;
}

/// Whether our kernels compute with the codes as they are: 4 bits in blocks of 32 around 8, scales that are f16, and x
/// that may be rounded to 8 bits.
bool computes_in_blocks(const Packed& p, int64_t accuracy) {
  if (accuracy != 4 || p.bits != 4 || p.block != kBlock || p.columns % kBlock != 0) return false;
  for (int64_t i = 0; i < p.scales.type().elements(); ++i) {
    const double scale = p.scales.get_flat(i);
    std::byte bits[2];
    store_element(DType::float16, bits, scale);
    if (load_element(DType::float16, bits) != scale) return false;
  }
  for (int64_t row = 0; row < p.rows; ++row) {
    for (int64_t at = 0; at < p.blocks(); ++at) {
      if (p.zero(row, at) != 8) return false;
    }
  }
  return true;
}

/// The file's pairs are neighbours; ours are half a block apart.
ValueId in_blocks(NodeContext& node, const Packed& p, ValueId x) {
  std::optional<Tensor> w = made(node, TensorType::contiguous(DType::uint8, {p.rows, p.columns / 2})),
                        scales = made(node, TensorType::contiguous(DType::float16, {p.rows, p.blocks()}));
  if (!w || !scales) return kNoValue;
  constexpr int64_t kHalf = kBlock / 2;
  for (int64_t row = 0; row < p.rows; ++row) {
    const uint8_t* codes = p.values.data_as<uint8_t>() + row * p.row_bytes();
    for (int64_t i = 0; i < p.columns / 2; ++i) {
      const int64_t column = i / kHalf * kBlock + i % kHalf;
      w->data_as<uint8_t>()[row * p.columns / 2 + i] =
          static_cast<uint8_t>(p.code(codes, column) | p.code(codes, column + kHalf) << 4);
    }
  }
  for (int64_t i = 0; i < p.scales.type().elements(); ++i) scales->set_flat(i, p.scales.get_flat(i));
  GraphBuilder& builder = node.builder();
  return ops::mixed_linear(builder, x, builder.constant("weights", *w, Role::weight),
                           builder.constant("scales", *scales, Role::weight));
}

}  // namespace

void convert_matmul_nbits(NodeContext& node) {
  const int64_t accuracy = node.integer("accuracy_level", 0, 0, 4);
  const std::optional<Packed> p = read_packed(node);
  const ValueId x = node.input(0);
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const TensorType type = builder.type(x);
  if (type.rank() < 1 || type.shape.back() != p->columns || !is_floating(type.dtype))
    return node.fail(fmt::format("input 0 (A) is {}; its last extent must be K, {}", to_string(type), p->columns));
  ValueId y = kNoValue;
  if (computes_in_blocks(*p, accuracy)) {
    y = in_blocks(node, *p, x);
  } else {
    const std::optional<Tensor> w = unpacked(node, *p, type.dtype);
    if (!w) return;
    node.note(fmt::format("MatMulNBits: weights of {} bits are held as {}, {} times the bytes", p->bits,
                          name(type.dtype), size_bytes(type.dtype) * 8 / p->bits));
    const ValueId weights = ops::transpose(builder, builder.constant("weights", *w, Role::weight), 0, 1);
    y = type.rank() == 1 ? ops::squeeze(builder, ops::matmul(builder, ops::unsqueeze(builder, x, 0), weights), 0)
                         : ops::matmul(builder, x, weights);
  }
  if (node.has_input(5)) y = ops::add(builder, y, node.input(5));
  if (!node.failed()) node.set_output(y);
}

/// Rows of a table of codes, gathered, then multiplied by their scales.
void convert_gather_block_quantized(NodeContext& node) {
  const std::string_view narrow = node.narrow(0);
  const int64_t bits = node.integer("bits", 4, 2, 8), block = node.integer("block_size", 128, 0, int64_t{1} << 20);
  const int64_t rank = node.input_type(0).rank();
  const int64_t quantized = read_axis(node, "quantize_axis", 1, rank),
                gathered = read_axis(node, "gather_axis", 0, rank);
  if (!node.failed() && (rank != 2 || quantized != 1 || gathered != 0))
    node.fail("attributes gather_axis and quantize_axis: only 0 and 1, of tables with two axes, are supported");
  if (!node.failed() && bits != 2 && bits != 4 && bits != 8)
    node.fail(fmt::format("attribute bits: {} is none of 2, 4 and 8", bits));
  std::optional<Tensor> codes = node.constant_elements(0, "data");
  if (node.failed()) return;
  const bool floats = is_floating(codes->dtype());
  if (!floats && codes->dtype() != DType::uint8 && codes->dtype() != DType::int8)
    return node.fail(fmt::format("input 0 (data) is {}, must be of 8 bits or less", name(codes->dtype())));
  const bool packed = narrow.empty() && bits < 8 && codes->dtype() == DType::uint8;
  const int64_t rows = codes->shape()[0], per_byte = packed ? 8 / bits : 1, columns = codes->shape()[1] * per_byte;
  if (packed) {
    std::optional<Tensor> wide = made(node, TensorType::contiguous(DType::uint8, {rows, columns}));
    if (!wide) return;
    for (int64_t i = 0; i < rows * columns; ++i)
      wide->data_as<uint8_t>()[i] = static_cast<uint8_t>(code_of(codes->data_as<uint8_t>(), i, bits));
    codes = std::move(wide);
  }
  const int64_t size = std::max<int64_t>(block == 0 ? columns : block, 1), blocks = (columns + size - 1) / size;
  const TensorType scale_type = node.input_type(2);
  const ValueId indices = node.input(1), scales = node.input(2);
  if (!node.failed() && scale_type.shape != Shape{rows, blocks})
    node.fail(fmt::format("input 2 (scales) is {}; {} rows of {} blocks need {}", to_string(scale_type), rows, blocks,
                          to_string(Shape{rows, blocks})));
  if (node.failed()) return;
  GraphBuilder& builder = node.builder();
  const DType dtype = scale_type.dtype;
  const ValueId table = builder.constant("table", *codes, Role::weight);
  ValueId y = ops::cast(builder, ops::gather(builder, table, indices, 0), dtype);
  /// One number per block of each gathered row, for every column.
  const auto for_columns = [&](ValueId of_blocks) {
    const ValueId own = ops::gather(builder, of_blocks, indices, 0);
    return node.failed() ? kNoValue : repeated_along(node, own, builder.type(own).rank() - 1, size, columns);
  };
  if (node.has_input(3)) {
    std::optional<Tensor> zeros = node.constant_elements(3, "zero_points");
    if (node.failed()) return;
    const int64_t row_bytes = (blocks + per_byte - 1) / per_byte;
    if (zeros->dtype() != codes->dtype())
      return node.fail(
          fmt::format("input 3 (zero_points) is {}, must be {}", name(zeros->dtype()), name(codes->dtype())));
    if (zeros->type().elements() != (packed ? rows * row_bytes : rows * blocks))
      return node.fail(fmt::format("input 3 (zero_points): has {} elements for {} rows of {} blocks",
                                   zeros->type().elements(), rows, blocks));
    std::vector<double> wide;
    for (int64_t i = 0; i < rows * blocks; ++i) {
      const int64_t at = i % blocks;
      wide.push_back(packed ? code_of(zeros->data_as<uint8_t>() + i / blocks * row_bytes, at, bits)
                            : zeros->get_flat(i));
    }
    const ValueId of_blocks = constant_of(node, Tensor::from_values({rows, blocks}, wide, dtype));
    if (node.failed()) return;
    y = ops::subtract(builder, y, for_columns(of_blocks));
  } else if (narrow.empty() && !floats) {
    y = ops::scale(builder, y, 1, -static_cast<double>(1 << (bits - 1)));
  }
  if (node.failed()) return;
  y = ops::multiply(builder, y, for_columns(scales));
  if (!node.failed()) node.set_output(y);
}

}  // namespace engine::onnx
