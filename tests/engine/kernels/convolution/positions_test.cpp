// SPDX-License-Identifier: Apache-2.0
// Convolutions whose kernels lie in the padding with most of their positions: these are left out, results stay.
#include <gtest/gtest.h>

#include "engine/cpu/backend.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "tests/support/op_examples.h"

namespace engine {
namespace {

struct Case {
  const char* what;
  int64_t rows, columns, kernel_rows, kernel_columns;
  std::vector<int64_t> stride, padding, dilation;
  int64_t groups;
  int64_t left;  ///< positions that meet an element of x
};

const Case kCases[] = {
    {"all meet", 12, 12, 3, 3, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1, 9},
    {"only the middle", 12, 12, 3, 3, {1, 1}, {12, 12, 12, 12}, {12, 12}, 1, 1},
    {"farther away", 12, 12, 3, 3, {1, 1}, {36, 36, 36, 36}, {36, 36}, 1, 1},
    {"the middle row", 12, 40, 3, 3, {1, 1}, {12, 12, 12, 12}, {12, 12}, 1, 3},
    {"the middle column", 40, 12, 3, 3, {1, 1}, {12, 12, 12, 12}, {12, 12}, 1, 3},
    {"one pixel", 1, 1, 3, 3, {1, 1}, {1, 1, 1, 1}, {1, 1}, 1, 1},
    {"of five", 9, 9, 5, 5, {1, 1}, {12, 12, 12, 12}, {6, 6}, 1, 9},
    {"with a stride", 12, 12, 3, 3, {2, 2}, {12, 12, 12, 12}, {12, 12}, 1, 1},
    {"padding on one side", 6, 6, 3, 3, {1, 1}, {12, 12, 0, 0}, {6, 6}, 1, 1},
    {"groups", 12, 12, 3, 3, {1, 1}, {12, 12, 12, 12}, {12, 12}, 4, 1},
    {"each channel alone", 12, 12, 3, 3, {1, 1}, {12, 12, 12, 12}, {12, 12}, 16, 1},
};

/// A convolution with a bias, and with a batch norm and relu that fusion would take along.
TEST(KernelPositions, ThoseThatMeetOnlyPaddingAreLeftOut) {
  for (const bool onednn : {true, false}) {
    cpu::BackendOptions options;
    options.threads = 1;
    options.onednn = onednn;
    auto backend = cpu::make_backend(options);
    ASSERT_TRUE(backend.ok());
    for (const Case& c : kCases) {
      SCOPED_TRACE(c.what);
      GraphBuilder builder;
      const Fill normal{Fill::Kind::normal, 0, 1};
      const ValueId x =
          builder.input("x", TensorType::channels_last(DType::float32, {2, 16, c.rows, c.columns}), normal);
      const ValueId w = builder.parameter(
          "w", TensorType::contiguous(DType::float32, {32, 16 / c.groups, c.kernel_rows, c.kernel_columns}), normal);
      const ValueId b = builder.parameter("b", TensorType::contiguous(DType::float32, {32}), normal);
      const Attributes attributes{
          {"stride", c.stride}, {"padding", c.padding}, {"dilation", c.dilation}, {"groups", c.groups}};
      const ValueId y = builder.append1(ops::kConv2d, {x, w, b}, attributes);
      builder.mark_output(y);
      auto graph = builder.finish();
      ASSERT_TRUE(graph.ok()) << graph.error().message;
      auto plan = Plan::make(std::make_shared<const Graph>(*std::move(graph)), **backend);
      ASSERT_TRUE(plan.ok()) << plan.error().message;
      for (int step = 0; step < 2; ++step) (*plan)->run_step(0, nullptr);
      const std::vector<Tensor> wanted =
          test::run_reference(ops::kConv2d, {(*plan)->tensor(x), (*plan)->tensor(w), (*plan)->tensor(b)}, attributes);
      const std::vector<double> got = test::values((*plan)->tensor(y)), expected = test::values(wanted[0]);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-4) << i;
      if (!onednn || !(*plan)->kernel_name(0).starts_with("oneDNN")) continue;
      const int64_t all = c.kernel_rows * c.kernel_columns;
      EXPECT_DOUBLE_EQ((*plan)->spared_flops(0),
                       2.0 * static_cast<double>((all - c.left) * 16 / c.groups) * static_cast<double>(got.size()));
    }
  }
}

}  // namespace
}  // namespace engine
