// SPDX-License-Identifier: Apache-2.0
// Descriptions of accesses: every workload's stay inside its tensors and say the same each time; products and
// elementwise ops count as their loops do.
#include "app/base/described_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"

namespace {

using engine::AccessKind;
using engine::AccessStream;

constexpr uint64_t kLimit = (uint64_t{1} << 37) - 65536;

/// Counts, and remembers the lowest and highest address that was charged to each tensor.
struct Listener : engine::AccessSink {
  void group(int64_t iterations, std::span<const AccessStream> streams) override {
    ASSERT_GT(iterations, 0);
    for (const AccessStream& s : streams) {
      (s.kind == AccessKind::load ? loads : stores) += static_cast<uint64_t>(iterations);
      const uint64_t last = s.address + static_cast<uint64_t>((iterations - 1) * s.stride);
      auto [extent, added] = extents.try_emplace(s.tensor, s.address, s.address);
      extent->second.first = std::min({extent->second.first, s.address, last});
      extent->second.second = std::max({extent->second.second, s.address, last});
    }
  }
  uint64_t loads = 0, stores = 0;
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> extents;
};

app::RunRequest request_of(const engine::Workload& workload) {
  app::RunRequest request;
  request.workload = workload.name;
  request.settings = workload.small;
  return request;
}

TEST(DescribedRun, EveryWorkloadStaysInsideItsTensors) {
  for (const engine::Workload& workload : engine::workloads()) {
    app::RunRequest request = request_of(workload);
    for (const engine::Parameter& p : workload.parameters) {  // with the gradients, where it has any
      if (p.name == "mode" && std::ranges::find(p.choices, "training") != p.choices.end())
        request.settings["mode"] = "training";
    }
    const auto run = app::DescribedRun::make(request, kLimit);
    ASSERT_TRUE(run.ok()) << workload.name << ": " << run.error().message;
    Listener heard;
    run->step(heard);
    EXPECT_GT(heard.loads, 0u) << workload.name;
    for (const auto& [tensor, extent] : heard.extents) {
      const auto& named = run->tensors()[tensor];
      const bool panels = tensor == run->captured().panels();
      const uint64_t begin = panels ? run->captured().panels_address() : run->captured().address(tensor);
      const uint64_t bytes = panels ? engine::access::kWorkspaceBytes : static_cast<uint64_t>(named.size_bytes);
      EXPECT_GE(extent.first, begin) << workload.name << " " << named.name;
      // Blocks of weights whose channels end early are read as whole blocks: at most two vectors per channel and tap
      // more.
      const uint64_t slack = named.role == engine::Role::weight ? bytes * 32 : 0;
      EXPECT_LT(extent.second, begin + bytes + slack) << workload.name << " " << named.name;
    }
    Listener again;
    run->step(again);
    EXPECT_EQ(heard.loads, again.loads) << workload.name;
    EXPECT_EQ(heard.extents, again.extents) << workload.name;
  }
}

TEST(DescribedRun, NoOpOfAWorkloadIsAssumed) {
  struct Silence : engine::AccessSink {
    void group(int64_t, std::span<const AccessStream>) override {}
  };
  std::map<std::string, std::string> assumed;  // op type: a workload that has it
  for (const engine::Workload& workload : engine::workloads()) {
    for (const std::string mode : {"", "training", "inference"}) {
      app::RunRequest request = request_of(workload);
      const auto offers = [&](const engine::Parameter& p) {
        return p.name == "mode" && std::ranges::find(p.choices, mode) != p.choices.end();
      };
      if (!mode.empty() && std::ranges::none_of(workload.parameters, offers)) continue;
      if (!mode.empty()) request.settings["mode"] = mode;
      const auto run = app::DescribedRun::make(request, kLimit);
      ASSERT_TRUE(run.ok()) << workload.name << ": " << run.error().message;
      Silence nobody;
      for (size_t op = 0; op < run->op_count(); ++op) {
        if (run->op_name(op).empty() || run->op(op, nobody) != engine::access::Fidelity::assumed) continue;
        assumed.emplace(run->op_type(op), workload.name);
      }
    }
  }
  assumed.erase("solve");  // LAPACK's loops are its own
  for (const auto& [op, workload] : assumed) ADD_FAILURE() << op << " of " << workload << " has no description";
}

TEST(DescribedRun, ASmallProductCountsAsItsLoopsDo) {
  app::RunRequest request;
  request.workload = "gemm";
  request.settings = {{"m", "28"}, {"n", "64"}, {"k", "10"}};
  const auto run = app::DescribedRun::make(request, kLimit);
  ASSERT_TRUE(run.ok()) << run.error().message;
  Listener heard;
  run->step(heard);
  // Five tiles of 6 x 64, the last with 4 rows: each step loads an element of a per row and four lines of b; c is
  // stored once, by lines.
  EXPECT_EQ(heard.loads, 10u * (4 * (6 + 4) + (4 + 4)));
  EXPECT_EQ(heard.stores, 28u * 4);
  EXPECT_EQ(run->how_known().ops, (std::array<int, 3>{1, 0, 0}));
  EXPECT_EQ(run->how_known().products, 1);
}

TEST(DescribedRun, OnlyProductsThatALibraryMayRunAreCountedAsSuch) {
  for (const auto& [rung, ops] :
       {std::pair{"tiled", std::array<int, 3>{1, 0, 0}}, {"packed", {1, 0, 0}}, {"library", {0, 1, 0}}}) {
    app::RunRequest request;
    request.workload = "ladder";
    request.settings = {{"product", "matmul"}, {"size", "20"}, {"rung", rung}};
    const auto run = app::DescribedRun::make(request, kLimit);
    ASSERT_TRUE(run.ok()) << run.error().message;
    EXPECT_EQ(run->how_known().ops, ops) << rung;
    EXPECT_EQ(run->how_known().products, 0) << rung;
  }
}

/// Bytes per tensor, loaded and stored.
struct ByteListener : engine::AccessSink {
  void group(int64_t iterations, std::span<const AccessStream> streams) override {
    for (const AccessStream& s : streams)
      (s.kind == AccessKind::load ? loads : stores)[s.tensor] += iterations * s.bytes;
  }
  std::map<uint32_t, int64_t> loads, stores;
};

/// Over few pixels weights are read, and their gradient written, as they lie: nothing of them goes through the
/// workspace.
TEST(DescribedRun, ConvolutionGradientsOverFewPixelsMoveNoWeights) {
  using engine::TensorType;
  const TensorType x = TensorType::channels_last(engine::DType::float32, {1, 32, 7, 7}),
                   y = TensorType::channels_last(engine::DType::float32, {1, 64, 7, 7});
  const TensorType w = TensorType::contiguous(engine::DType::float32, {64, 32, 3, 3});
  const engine::access::Operand image{x, 1 << 20, 0}, weight{w, 2 << 20, 1}, result{y, 3 << 20, 2};
  constexpr int64_t kWeightBytes = 64 * 32 * 9 * 4, kImageBytes = 32 * 49 * 4, kResultBytes = 64 * 49 * 4;
  engine::Node node;
  node.attributes = {{"stride", std::vector<int64_t>{1, 1}}, {"padding", std::vector<int64_t>{1, 1, 1, 1}}};
  for (const bool by_input : {true, false}) {
    node.op = engine::find_op(by_input ? "conv2d_grad_input" : "conv2d_grad_weight");
    const engine::access::OpCall call{.node = node,
                                      .inputs = {result, by_input ? weight : image},
                                      .outputs = {by_input ? image : weight},
                                      .workspace_address = 1 << 24,
                                      .workspace_tensor = 3};
    ByteListener heard;
    EXPECT_EQ(engine::access::describe(call, heard), engine::access::Fidelity::modelled);
    if (by_input) {
      EXPECT_EQ(heard.loads[2],
                2 * 3 * kResultBytes);  // dy as it lies, for each of three panels of two blocks of 16 channels
      EXPECT_EQ(heard.loads[1], 7 * kWeightBytes);  // by seven tiles of seven rows
      EXPECT_EQ(heard.stores[1], 0);
      EXPECT_EQ(heard.stores[0], kImageBytes);
    } else {
      EXPECT_EQ(heard.loads[2], kResultBytes);  // packed once
      EXPECT_EQ(heard.stores[1], kWeightBytes);
      EXPECT_EQ(heard.loads[1], 0);
      EXPECT_EQ(heard.loads[0], 19 * 19 * 32 * 4);  // 7 x 7 pixels by 3 x 3 taps without those of padding
    }
  }
}

TEST(DescribedRun, AStreamReadsAndWritesEachElementOnce) {
  app::RunRequest request;
  request.workload = "stream";
  const auto workload = engine::find_workload("stream");
  ASSERT_TRUE(workload.ok());
  request.settings = (*workload)->small;
  const auto run = app::DescribedRun::make(request, kLimit);
  ASSERT_TRUE(run.ok()) << run.error().message;
  Listener heard;
  run->step(heard);
  EXPECT_EQ(run->how_known().ops[1] + run->how_known().ops[2], 0);
  EXPECT_GE(heard.loads, heard.stores);
}

TEST(DescribedRun, RefusesUnknownWorkloadsAndWhatIsTooLarge) {
  app::RunRequest request;
  request.workload = "gemn";
  EXPECT_FALSE(app::DescribedRun::make(request, kLimit).ok());
  request.workload = "gemm";
  request.settings = {{"m", "1000000"}, {"n", "1000000"}, {"k", "8"}};
  const auto run = app::DescribedRun::make(request, kLimit);
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.error().message.find("gemm"), std::string::npos);
}

}  // namespace
