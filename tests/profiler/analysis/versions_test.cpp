// SPDX-License-Identifier: Apache-2.0
// Layers that compute the same: speed-up, share of the library, error against the first, tensors; and layers that do
// not.
#include "profiler/analysis/versions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/tensor/tensor.h"
#include "profiler/capture/results.h"
#include "tests/support/op_lab.h"

namespace profiler {
namespace {

class Versions : public testing::Test {
 protected:
  tests::OpLab lab;
  TensorId x = lab.tensor(64, {.role = Role::input, .persistent = true}),
           w = lab.tensor(256, {.role = Role::weight, .persistent = true});

  /// A GEMM of 128 FLOPs and a relu of its result, which holds these values.
  OpId layer(const char* name, double time_ns, const std::vector<double>& values, engine::KernelLibrary library = {}) {
    const TensorId product = lab.tensor(16), y = lab.tensor(16);
    const OpId op = lab.op("matmul", {x, w}, {product}, 128, 0.75 * time_ns, 0, name);
    lab.builder().set_facts(op, {.name = "lab", .library = library});
    lab.op("relu", {product}, {y}, 4, 0.25 * time_ns, 0, std::string(name) + ".after");
    ResultRecord result = *summarize_result(*engine::Tensor::from_values({4}, values, engine::DType::float32));
    result.tensor = y;
    lab.builder().add_result(std::move(result));
    return op;
  }
};

TEST_F(Versions, SpeedUpErrorAndShareOfTheLibrary) {
  lab.builder().machine().info.libraries = {"oneDNN 2.6.3", "OpenBLAS 0.3.21"};
  layer("naive", 8e6, {3, 4, 0, 0});
  layer("tiled", 2e6, {3, 4, 0, 0});
  layer("library", 1e6, {3, 4, 0, 0.5}, engine::KernelLibrary::openblas);
  const auto groups = versions(*analyze(lab.finish()));
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].size(), 3u);
  const Version &naive = groups[0][0], &tiled = groups[0][1], &library = groups[0][2];
  EXPECT_EQ(tiled.layer, "tiled");
  EXPECT_EQ(tiled.ops.size(), 2u) << "layers inside it are part of it";
  EXPECT_NEAR(naive.speed_up, 1, 1e-12);
  EXPECT_NEAR(tiled.speed_up, 4, 1e-9);
  EXPECT_NEAR(library.speed_up, 8, 1e-9);
  EXPECT_NEAR(tiled.library_ratio, 0.5, 1e-9);
  EXPECT_NEAR(tiled.flop_per_s, 128 / 1.5e-3, 1e-3) << "of the matrix multiplication alone";
  EXPECT_EQ(tiled.distance, 0);
  EXPECT_NEAR(library.distance, 0.1, 1e-9) << "0.5 / |(3, 4)|";
  EXPECT_NEAR(library.largest_error, 0.125, 1e-9) << "0.5 / 4";
  EXPECT_EQ(library.library, "OpenBLAS 0.3.21");
  EXPECT_EQ(tiled.library, "");
  EXPECT_EQ(tiled.tensors, 2);
  EXPECT_EQ(tiled.tensor_bytes, 32);
}

TEST_F(Versions, WordsAndTable) {
  lab.builder().machine().info.libraries = {"OpenBLAS 0.3.21"};
  layer("naive", 8e6, {1, 2, 3, 4});
  layer("tiled", 2e6, {1, 2, 3, 4});
  layer("library", 1e6, {1, 2, 3, 4}, engine::KernelLibrary::openblas);
  const auto analyzed = analyze(lab.finish());
  const auto words = versions_sentences(*analyzed);
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[0], "library is 8 times as fast as naive.");
  EXPECT_EQ(words[1], "tiled, the fastest without a library, has 50 % of the library's speed (OpenBLAS 0.3.21).");
  EXPECT_EQ(words[2], "All versions put out the same values.");
  const Table table = versions_table(*analyzed);
  ASSERT_EQ(table.rows.size(), 3u);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
}

TEST_F(Versions, LayersThatReadOtherTensorsAreNoVersions) {
  layer("one", 1e6, {1, 2, 3, 4});
  x = lab.tensor(64, {.role = Role::input, .persistent = true});
  layer("two", 1e6, {1, 2, 3, 4});
  EXPECT_TRUE(versions(*analyze(lab.finish())).empty());
}

TEST_F(Versions, OfValuesThatAreNotFiniteNoDistanceIsKnown) {
  layer("one", 1e6, {1, 2, 3, 4});
  layer("two", 1e6, {1, 2, 3, NAN});
  const auto groups = versions(*analyze(lab.finish()));
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_TRUE(std::isnan(groups[0][1].distance));
}

}  // namespace
}  // namespace profiler
