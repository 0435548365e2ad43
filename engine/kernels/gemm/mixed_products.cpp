// SPDX-License-Identifier: Apache-2.0
// Which way rows of x and weights meet, by how many rows there are.
#include "engine/kernels/gemm/mixed_products.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/core/whole_lines.h"
#include "engine/kernels/gemm/gemm_simd.h"

namespace engine::cpu {
namespace {

/// Rows of x up to which the weights are used as they stream by (measured: widening pays from about nine on).
constexpr int64_t kFewRows = 8;
/// Bytes of a panel of weights, and rows it has at most.
constexpr int64_t kPanelBytes = 1 << 20, kMostPanelRows = 256;
static_assert(kFewestPanelRows % kMixedGroup == 0);

/// Where in the room of so many rows lies what; offsets in bytes.
struct Places {
  Places(int64_t rows, int64_t k)
      : scales(whole_lines_of(rows * k)),
        sums(scales + whole_lines_of(rows * k / kBlock * 4)),
        values(sums + scales_bytes(rows, k)) {}
  static int64_t scales_bytes(int64_t rows, int64_t k) { return whole_lines_of(rows * k / kBlock * 4); }
  int64_t rounded = 0, scales, sums, values;
};

}  // namespace

std::optional<MixedFormat> mixed_format(DType weights) {
  switch (weights) {
    case DType::float32: return MixedFormat::f32;
    case DType::bfloat16: return MixedFormat::bf16;
    case DType::float16: return MixedFormat::f16;
    case DType::int8: return MixedFormat::q8;
    case DType::uint8: return MixedFormat::q4;
    default: return std::nullopt;
  }
}

MixedProducts::MixedProducts(MixedFormat format, int64_t k, bool blocks)
    : format_(format), k_(k), blocks_(blocks), loops_(mixed_loops(format)) {}

bool MixedProducts::streams(int64_t m) { return m <= kFewRows; }
bool MixedProducts::packs(int64_t m) const { return blocks_ && loops_.many != nullptr && !streams(m); }
bool MixedProducts::widens(int64_t m) const { return !packs(m) && !streams(m); }

int64_t MixedProducts::panel_rows(int64_t m) const {
  const int64_t row = packs(m) ? mixed_group_bytes(k_) / kMixedGroup : std::max<int64_t>(k_, 1) * 4;
  const int64_t fit = kPanelBytes / std::max<int64_t>(row, 1) / kFewestPanelRows * kFewestPanelRows;
  return std::clamp(fit, kFewestPanelRows, kMostPanelRows);
}

int64_t MixedProducts::room_bytes(int64_t rows) const {
  if (!blocks_) return 0;
  const Places places(rows, k_);
  return places.values + (widens(rows) ? whole_lines_of(rows * k_ * 4) : 0);
}

int64_t MixedProducts::scratch_bytes(int64_t m) const {
  if (streams(m)) return 0;
  const int64_t rows = panel_rows(m);
  if (packs(m)) return whole_lines_of(rows / kMixedGroup * mixed_group_bytes(k_));
  const int64_t panel = format_ == MixedFormat::f32 ? 0 : whole_lines_of(rows * k_ * 4);
  return panel + whole_lines_of(gemm_loops_f32().workspace_elements(m, rows, k_) * 4);
}

int64_t MixedProducts::weight_row_bytes() const {
  switch (format_) {
    case MixedFormat::f32: return k_ * 4;
    case MixedFormat::bf16:
    case MixedFormat::f16: return k_ * 2;
    case MixedFormat::q8: return k_;
    case MixedFormat::q4: return k_ / 2;
  }
  return 0;
}

void MixedProducts::round(const Rows& x, int64_t m, int64_t begin, int64_t end) const {
  const Places places(x.all, k_);
  auto* const rounded = reinterpret_cast<int8_t*>(x.room + places.rounded);
  auto* const scales = reinterpret_cast<float*>(x.room + places.scales);
  auto* const sums = reinterpret_cast<float*>(x.room + places.sums);
  auto* const starts = reinterpret_cast<int32_t*>(x.room + places.sums);  // packed weights take no sums
  float* const values = widens(m) ? reinterpret_cast<float*>(x.room + places.values) : nullptr;
  for (int64_t b = begin; b < end; ++b) {
    int8_t* const to = rounded + b * kBlock;
    scales[b] = round_block(x.x + b * kBlock, to);
    int32_t sum = 0;
    for (int64_t i = 0; i < kBlock; ++i) sum += to[i];
    if (packs(m)) starts[b] = loops_.start * sum;
    else sums[b] = static_cast<float>(sum);
    if (values == nullptr) continue;
    for (int64_t i = 0; i < kBlock; ++i) values[b * kBlock + i] = scales[b] * static_cast<float>(to[i]);
  }
}

MixedRows MixedProducts::rows_of(const Rows& x, int64_t first, int64_t count) const {
  MixedRows rows{count, k_, x.x + first * k_};
  if (!blocks_) return rows;
  const Places places(x.all, k_);
  const int64_t block = first * k_ / kBlock;
  rows.rounded = reinterpret_cast<const int8_t*>(x.room + places.rounded) + first * k_;
  rows.scales = reinterpret_cast<const float*>(x.room + places.scales) + block;
  rows.sums = reinterpret_cast<const float*>(x.room + places.sums) + block;
  rows.starts = reinterpret_cast<const int32_t*>(x.room + places.sums) + block;
  return rows;
}

void MixedProducts::multiply(const Rows& x, int64_t first, int64_t count, const MixedWeights& weights, float* y,
                             int64_t y_row, std::byte* scratch) const {
  const MixedRows rows = rows_of(x, first, count);
  if (streams(count)) return loops_.products(rows, weights, y, y_row);
  const int64_t panel = panel_rows(count);
  const auto part = [&](int64_t at, int64_t size) {
    const uint16_t* scales = blocks_ ? weights.scales + at * blocks_in_row() : nullptr;
    return MixedWeights{static_cast<const std::byte*>(weights.w) + at * weight_row_bytes(), scales, size};
  };
  const GemmLoops<float> gemm = gemm_loops_f32();
  auto* const widened = reinterpret_cast<float*>(scratch);
  for (int64_t at = 0; at < weights.rows; at += panel) {
    const int64_t size = std::min(panel, weights.rows - at);
    if (packs(count)) {
      loops_.pack(part(at, size), k_, scratch);
      loops_.many(rows, scratch, size, y + at, y_row);
      continue;
    }
    const float* b = widened;
    float* of_gemm = widened;
    if (format_ == MixedFormat::f32) {
      b = static_cast<const float*>(part(at, size).w);
    } else {
      of_gemm += whole_lines_of(panel * k_ * 4) / 4;
      for (int64_t row = 0; row < size; ++row) loops_.widen(part(at + row, 1), k_, widened + row * k_);
    }
    const float* a = rows.x;
    if (blocks_) a = reinterpret_cast<const float*>(x.room + Places(x.all, k_).values) + first * k_;
    GemmProblem<float> p{.a = {a, k_, 1}, .b = {b, 1, k_}};
    p.c = y + at;
    p.c_row = y_row;
    p.m = count, p.n = size, p.k = k_;
    gemm.multiply(p, of_gemm);
  }
}

std::string MixedProducts::kernel_name(int64_t m) const {
  constexpr const char* kNames[] = {"bf16", "f16", "8-bit blocks", "4-bit blocks", "f32"};
  const bool of_bytes = product_format(m) == ProductFormat::int8;
  return fmt::format("own {} of {} ({}{}{})", streams(m) ? "gemv" : "gemm", kNames[static_cast<size_t>(format_)],
                     vector_unit(), of_bytes && *loops_.unit != '\0' ? ", " : "", of_bytes ? loops_.unit : "");
}

ProductFormat MixedProducts::product_format(int64_t m) const {
  return blocks_ && !widens(m) ? ProductFormat::int8 : ProductFormat::as_it_is;
}

}  // namespace engine::cpu
