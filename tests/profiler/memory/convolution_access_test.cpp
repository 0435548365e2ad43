// SPDX-License-Identifier: Apache-2.0
// What convolutions are said to access: the loads of their register tiles, byte by byte, and the lines that a blocked
// product fetches.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "engine/kernels/core/describe_access.h"
#include "engine/ops/ops.h"
#include "profiler/memory/cache_simulator.h"

namespace {

using engine::DType;
using engine::TensorType;
using engine::access::Fidelity;
using engine::access::OpCall;

/// One image, channels last, in f32; a square window with padding that keeps corners in the middle.
struct Layer {
  int64_t inputs, outputs, size, window = 1, stride = 1, groups = 1;
  int64_t padding() const { return window / 2; }
  int64_t result() const { return (size + 2 * padding() - window) / stride + 1; }
  int64_t pixels() const { return result() * result(); }
  /// Pairs of a row of the result and a row of the window whose row of the image exists.
  int64_t row_taps() const {
    int64_t pairs = 0;
    for (int64_t i = 0; i < result(); ++i) {
      for (int64_t u = 0; u < window; ++u) {
        const int64_t row = i * stride + u - padding();
        pairs += row >= 0 && row < size;
      }
    }
    return pairs;
  }
};

constexpr uint32_t kX = 0, kW = 1, kY = 2, kPacked = 3;

/// x, w and y on pages of their own; weights were packed before. `tile`: by Winograd's filtering.
void describe(const Layer& l, engine::AccessSink& sink, int tile = 0) {
  engine::Node node;
  node.op = engine::find_op("conv2d");
  const int64_t p = l.padding();
  node.attributes = {{"stride", std::vector<int64_t>{l.stride, l.stride}},
                     {"padding", std::vector<int64_t>{p, p, p, p}},
                     {"groups", l.groups}};
  const OpCall call{
      .node = node,
      .inputs = {{TensorType::channels_last(DType::float32, {1, l.inputs, l.size, l.size}), 0x10000000, kX},
                 {TensorType::contiguous(DType::float32, {l.outputs, l.inputs / l.groups, l.window, l.window}),
                  0x20000000, kW}},
      .outputs = {{TensorType::channels_last(DType::float32, {1, l.outputs, l.result(), l.result()}), 0x30000000, kY}},
      .workspace_address = 0x40000000,
      .workspace_tensor = kPacked,
      .vector_bytes = 64,
      .first_level_bytes = 48 << 10,
      .winograd_tile = tile,
      .winograd_weights = 0x70000000,
      .own_products = tile != 0,
      .constant_weights = true};
  EXPECT_EQ(engine::access::describe(call, sink), tile != 0 ? Fidelity::loops : Fidelity::modelled);
}

struct CoreBytes : engine::AccessSink {
  std::array<int64_t, 4> loaded{}, stored{};
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    for (const engine::AccessStream& s : streams)
      (s.kind == engine::AccessKind::load ? loaded : stored)[s.tensor] += iterations * s.bytes;
  }
};

CoreBytes core_bytes(const Layer& l) {
  CoreBytes bytes;
  describe(l, bytes);
  EXPECT_EQ(bytes.stored[kY], l.outputs * l.pixels() * 4);
  EXPECT_EQ(bytes.loaded[kPacked] + bytes.stored[kPacked] + bytes.stored[kX] + bytes.stored[kW] + bytes.loaded[kY], 0);
  return bytes;
}

TEST(ConvolutionAccess, BytesIntoTheCoreAreTheLoadsOfTheRegisterTiles) {
  // 1x1: each of 16 blocks of 32 outputs takes every input; 18 tiles of 11 pixels, whose inputs (44 KiB) stay in 48
  // KiB, take all weights.
  const CoreBytes point = core_bytes({1024, 512, 14});
  EXPECT_EQ(point.loaded[kX], 196 * 1024 * 16 * 4);
  EXPECT_EQ(point.loaded[kW], 18 * 1024 * 512 * 4);
  // Tiles go on where rows of 7 end: 49 pixels in 4 tiles of up to 13.
  EXPECT_EQ(core_bytes({512, 64, 7}).loaded[kW], 4 * 512 * 64 * 4);
  // 3x3: two tiles of 14 pixels a row, which all meet the three columns of the window.
  const Layer square{128, 128, 28, 3};
  const CoreBytes three = core_bytes(square);
  EXPECT_EQ(three.loaded[kX], square.row_taps() * square.row_taps() * 128 * 4 * 4);
  EXPECT_EQ(three.loaded[kW], square.row_taps() * 3 * 2 * 128 * 128 * 4);
  // Each channel by itself: vectors of both; 5 tiles of up to 6 pixels a row.
  const Layer own{96, 96, 28, 3, 1, 96};
  const CoreBytes depthwise = core_bytes(own);
  EXPECT_EQ(depthwise.loaded[kX], own.row_taps() * own.row_taps() * 96 * 4);
  EXPECT_EQ(depthwise.loaded[kW], own.row_taps() * 3 * 5 * 96 * 4);
}

/// Bytes that come into the first level.
int64_t into_first_level(const Layer& l, const char* cache = "48KiB/12/64:lru") {
  profiler::CacheSimulator simulator({.levels = {*profiler::parse_cache_level(cache, "L1")}, .rules = {}},
                                     {.tensors = 4});
  describe(l, simulator);
  return static_cast<int64_t>(simulator.take_epoch("cold").total(0).misses()) * 64;
}

TEST(ConvolutionAccess, LinesComeInAsABlockedProductSays) {
  // The weights of a block (128 KiB) come in for each tile, the inputs of a tile for each block, the result once.
  const Layer point{1024, 512, 14};
  const int64_t product = 18 * 1024 * 512 * 4 + 16 * 196 * 1024 * 4 + 196 * 512 * 4;
  EXPECT_NEAR(static_cast<double>(into_first_level(point)) / static_cast<double>(product), 1, 0.02);
  // Those of a small block (8 KiB) stay: its input and weights come in once per block.
  const Layer small{64, 32, 56};
  EXPECT_NEAR(static_cast<double>(into_first_level(small)) / (4.0 * (56 * 56 * 64 + 56 * 56 * 32 + 64 * 32)), 1, 0.05);
}

// layer3.0.downsample.0 of ResNet-50: every other pixel of 512 channels, so that the 14 pixels of a register tile lie
// 4096 bytes apart, in one set of 12 ways, and each of their elements misses. It is so: oneDNN 2.6.3
// (brgconv_1x1:avx512_core) copies no strided rows on f32 (is_rtus is set for AMX alone), its compiled kernel
// broadcasts from 14 addresses 0x1000 apart for two vectors of weights, and it takes 2.28 ms with 512 inputs but 0.79
// ms with 496 and 0.86 ms with 528 (one thread of a processor with that first level, shortest of 300).
TEST(ConvolutionAccess, PixelsOfAPowerOfTwoApartDriveEachOtherOut) {
  const Layer layer{512, 1024, 28, 1, 2}, wider{528, 1024, 28, 1, 2};
  const int64_t blocks = 1024 / 32, elements = blocks * layer.pixels() * layer.inputs;
  for (const char* cache : {"48KiB/12/64:lru", "48KiB/12/64:lru3plru4"}) {
    const int64_t moved = into_first_level(layer, cache);
    EXPECT_GT(moved, elements * 64 * 9 / 10) << cache << ": nearly every element of x brings its line anew";
    EXPECT_LT(into_first_level(wider, cache), moved / 4) << cache;
  }
  EXPECT_EQ(core_bytes(layer).loaded[kX], elements * 4);
}

TEST(ConvolutionAccess, NoFewerBytesEnterTheCoreThanTheFirstLevel) {
  for (const Layer& l : {Layer{3, 64, 32, 7, 2}, Layer{64, 64, 28}, Layer{64, 256, 28}, Layer{64, 64, 28, 3},
                         Layer{256, 128, 14, 3, 2}, Layer{512, 512, 7, 3}, Layer{1024, 512, 14}, Layer{2048, 512, 7},
                         Layer{64, 128, 28, 1, 2}, Layer{96, 96, 28, 3, 1, 96}, Layer{96, 96, 28, 3, 2, 96}}) {
    const CoreBytes core = core_bytes(l);
    const int64_t moved = core.loaded[kX] + core.loaded[kW] + core.stored[kY];
    EXPECT_GE(static_cast<double>(moved), 0.98 * static_cast<double>(into_first_level(l)))
        << l.inputs << " to " << l.outputs << ", " << l.size << ", window " << l.window;
  }
}

TEST(WinogradAccess, EveryStepsBytesAreThoseOfItsTiles) {
  constexpr int64_t kIn = 64, kOut = 128, kSize = 56, kTiles = 14 * 14, kPoints = 36,
                    kUnits = 6;  // F(4x4, 3x3): 32 or 33 tiles at a time
  CoreBytes bytes;
  describe({kIn, kOut, kSize, 3}, bytes, 4);
  const int64_t y = kOut * kSize * kSize, v = kPoints * kTiles * kIn, m = kPoints * kTiles * kOut;
  // Of the 6 x 6 elements of a tile, those of the border do not exist: 14 tiles see 14 * 6 - 2 of each axis.
  EXPECT_EQ(bytes.loaded[kX], kIn * (14 * 6 - 2) * (14 * 6 - 2) * 4);
  EXPECT_EQ(bytes.stored[kY], y * 4);
  EXPECT_EQ(bytes.loaded[kW], kPoints * kIn * kOut * kUnits * 6 * 4)
      << "transformed weights, for each five or six tiles of a unit";
  EXPECT_EQ(bytes.stored[kPacked], (v + m) * 4);
  EXPECT_EQ(bytes.loaded[kPacked], (v * (kOut / 64) + m) * 4) << "V for each panel of 64 outputs";
  EXPECT_EQ(bytes.stored[kX] + bytes.stored[kW] + bytes.loaded[kY], 0);
}

TEST(WinogradAccess, TilesThatStickOutStoreNothingBeyondTheResult) {
  CoreBytes bytes;
  describe({32, 32, 7, 3}, bytes, 4);  // 2 x 2 tiles of 4 x 4 over 7 x 7
  EXPECT_EQ(bytes.stored[kY], 32 * 49 * 4);
  EXPECT_EQ(bytes.stored[kPacked], (36 * 4 * 32 + 36 * 4 * 32) * 4);
}

/// What a file says of a kernel need not be so: only convolutions that can be computed so are described so.
TEST(WinogradAccess, OtherConvolutionsHaveNoTiles) {
  for (const Layer& l : {Layer{64, 64, 56, 3, 2}, Layer{64, 64, 56, 1}, Layer{64, 64, 56, 5}, Layer{4, 4, 8, 3}}) {
    engine::Node node;
    node.op = engine::find_op("conv2d");
    const int64_t p = l.padding();
    node.attributes = {{"stride", std::vector<int64_t>{l.stride, l.stride}},
                       {"padding", std::vector<int64_t>{p, p, p, p}}};
    const OpCall call{
        .node = node,
        .inputs = {{TensorType::channels_last(DType::float32, {1, l.inputs, l.size, l.size}), 0x10000000, kX},
                   {TensorType::contiguous(DType::float32, {l.outputs, l.inputs, l.window, l.window}), 0x20000000, kW}},
        .outputs = {{TensorType::channels_last(DType::float32, {1, l.outputs, l.result(), l.result()}), 0x30000000,
                     kY}},
        .workspace_address = 0x40000000,
        .workspace_tensor = kPacked,
        .winograd_tile = 4,
        .winograd_weights = 0x70000000,
        .own_products = true};
    CoreBytes bytes;
    EXPECT_EQ(engine::access::describe(call, bytes), Fidelity::assumed);
  }
}

/// V and M of a unit stay in a second level of 2 MiB: image, weights and result come in once or a few times.
TEST(WinogradAccess, UnitsStayInTheSecondLevel) {
  const Layer l{64, 64, 56, 3};
  profiler::CacheSimulator simulator({.levels = {*profiler::parse_cache_level("48KiB/12/64:lru", "L1"),
                                                 *profiler::parse_cache_level("2MiB/16/64:lru", "L2")},
                                      .rules = {}},
                                     {.tensors = 4});
  describe(l, simulator, 4);
  const auto moved = static_cast<int64_t>(simulator.take_epoch("cold").total(1).misses()) * 64;
  EXPECT_LT(moved, 36 * 196 * (64 + 64) * 4) << "V and M of all 196 tiles";
}

}  // namespace
