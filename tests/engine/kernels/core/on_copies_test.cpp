// SPDX-License-Identifier: Apache-2.0
// Kernels on copies: what copies are refused, what an op on copies tells of its kernel; and sums of 8-bit integers,
// which are exact whoever adds them.
#include "engine/kernels/core/on_copies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "engine/cpu/backend.h"
#include "engine/kernels/core/cpu_features.h"
#include "engine/kernels/core/kernels.h"
#include "engine/ops/ops.h"
#include "tests/engine/kernels/core/kernel_case.h"
#include "tests/engine/kernels/core/kernel_case_words.h"

namespace engine::cpu {
namespace {

/// A kernel that tells of itself.
class Telling final : public PreparedOp {
 public:
  void run() override {}
  KernelFacts facts() const override { return {.name = "telling", .code = CodeKind::reference, .round_trip = true}; }
  double spared_flops() const override { return 7; }
  void report(Observer&, uint32_t op) override { reported = op; }
  bool reports() const override { return true; }
  bool only_submits() const override { return false; }

  static inline uint32_t reported = 0;
};

std::unique_ptr<PreparedOp> prepare_telling(Context&, const PrepareRequest&) { return std::make_unique<Telling>(); }

BoundCase pooled_image() {
  return bind_case({"",
                    "max_pool2d",
                    {{"kernel", Ints{2, 2}}, {"stride", Ints{2, 2}}, {"padding", Ints{0, 0, 0, 0}}},
                    {{row_major({1, 3, 4, 4})}},
                    ""});
}

TEST(OnCopies, TellWhatTheirKernelTells) {
  Context context(BackendOptions{.threads = 1});
  BoundCase bound = pooled_image();
  bound.arguments.attributes = &bound.node.attributes;
  const GuardedWorkspace workspace(workspace_on_copies(
      context, bound.node, {bound.node.attributes, bound.inputs, bound.outputs}, kChannelsLast, nullptr));
  const auto op =
      prepare_on_copies(context, {bound.node, bound.arguments, workspace.data(), {}}, kChannelsLast, prepare_telling);
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->facts(), (KernelFacts{.name = "channels-last copies via workspace: telling",
                                      .code = CodeKind::reference,
                                      .copies = kChannelsLast,
                                      .round_trip = true}));
  EXPECT_EQ(op->spared_flops(), 7);
  EXPECT_TRUE(op->reports());
  EXPECT_FALSE(op->only_submits());
  struct Nobody final : Observer {
    void step_begin(uint32_t, int64_t) override {}
    void step_end(uint32_t, int64_t) override {}
    void op_done(uint32_t, int64_t, int64_t) override {}
  } nobody;
  op->report(nobody, 12);
  EXPECT_EQ(Telling::reported, 12u);
}

/// Constant operands of every kind of kernel that computes on copies: of another type, of another layout, packed by the
/// kernel itself or read again. What is written over them later is not seen.
TEST(OnCopies, OfConstantOperandsAreMadeOnce) {
  const auto f16 = DType::float16;
  const KernelCase cases[] = {
      {"linear", "linear", {}, {{row_major({5, 24}, f16)}, {row_major({16, 24}, f16)}}, ""},
      {"linear of one row", "linear", {}, {{row_major({1, 24}, f16)}, {row_major({16, 24}, f16)}}, ""},
      {"matmul", "matmul", {}, {{row_major({3, 24}, f16)}, {row_major({24, 8}, f16)}}, ""},
      {"conv2d",
       "conv2d",
       conv({1, 1}, {1, 1, 1, 1}),
       {{row_major({1, 8, 6, 6}, f16)}, {row_major({8, 8, 3, 3}, f16)}},
       ""},
      {"depthwise",
       "conv2d",
       conv({1, 1}, {1, 1, 1, 1}, {1, 1}, 8),
       {{row_major({1, 8, 6, 6}, f16)}, {row_major({8, 1, 3, 3}, f16)}},
       ""},
      {"layer_norm",
       "layer_norm",
       {{"axis", int64_t{-1}}},
       {{row_major({4, 32}, f16)}, {row_major({32}, f16)}, {row_major({32}, f16)}},
       ""}};
  const auto backend = *make_backend(2);
  int on_copies = 0;
  for (const KernelCase& c : cases) {
    SCOPED_TRACE(c.name);
    BoundCase bound = bind_case(c);
    bound.arguments.attributes = &bound.node.attributes;
    const Call call{bound.node.attributes, bound.inputs, bound.outputs};
    const int64_t bytes = backend->workspace_bytes(bound.node, call);
    const GuardedWorkspace workspace(bytes);
    std::vector<bool> constant(bound.inputs.size(), true);
    constant[0] = false;
    const auto op = backend->prepare({bound.node, bound.arguments, workspace.data(), constant});
    ASSERT_TRUE(op.ok());
    on_copies += (*op)->facts().copies.widens ? 1 : 0;
    const Tensor& y = bound.arguments.outputs[0];
    const auto values = [&] {
      for (int64_t i = 0; i < y.type().elements(); ++i) y.set_flat(i, -77);
      (*op)->run();
      std::vector<double> all;
      for (int64_t i = 0; i < y.type().elements(); ++i) all.push_back(y.get_flat(i));
      return all;
    };
    const std::vector<double> first = values();
    std::memset(workspace.data(), 0x55, static_cast<size_t>(bytes));
    EXPECT_EQ(values(), first) << "the workspace is other ops', too";
    if (!(*op)->facts().copies.widens) continue;
    const Tensor& w = bound.arguments.inputs[1];
    for (int64_t i = 0; i < w.type().elements(); ++i) w.set_flat(i, 3);
    EXPECT_EQ(values(), first);
    EXPECT_TRUE((*op)->reads_once(1));
  }
  EXPECT_GE(on_copies, 4);
}

/// Copies that a kernel reads again stay only while memory is plenty: else each step makes them anew.
TEST(OnCopies, AreNotKeptWhereMemoryIsScarce) {
  Context context(BackendOptions{.threads = 1});
  BoundCase bound = pooled_image();
  bound.arguments.attributes = &bound.node.attributes;
  const int64_t bytes = workspace_on_copies(context, bound.node, {bound.node.attributes, bound.inputs, bound.outputs},
                                            kChannelsLast, nullptr);
  const GuardedWorkspace workspace(bytes);
  const auto prepare = [&] {
    return prepare_on_copies(context, {bound.node, bound.arguments, workspace.data(), {true}}, kChannelsLast,
                             prepare_telling);
  };
  auto op = prepare();
  EXPECT_TRUE(op->reads_once(0));
  EXPECT_EQ(*context.kept_bytes, 3 * 4 * 4 * 4);
  op.reset();
  EXPECT_EQ(*context.kept_bytes, 0) << "given back";
  *context.kept_bytes = int64_t{1} << 60;
  op = prepare();
  EXPECT_FALSE(op->reads_once(0));
  op->run();
}

/// A number that stands for a gigabyte is not copied: neither room nor a kernel is asked for.
TEST(OnCopies, RefuseWhatRepeatsTooMuchAlike) {
  Context context(BackendOptions{.threads = 1});
  for (const auto& [batch, refused] : {std::pair<int64_t, bool>{1 << 20, true}, {8, false}}) {
    const TensorType x = strided({batch, 16, 8, 8}, {0, 64, 8, 1}), w = row_major({8, 16, 1, 1}),
                     alone = row_major({16, 1, 3, 3});
    for (const auto& [weight, groups] : {std::pair(w, 1), std::pair(alone, 16)}) {
      SCOPED_TRACE(testing::Message() << "batch " << batch << ", groups " << groups);
      Node node;
      node.op = find_op("conv2d");
      const int64_t around = groups == 1 ? 0 : 1;
      node.attributes = conv({1, 1}, {around, around, around, around}, {1, 1}, groups);
      const std::vector<TensorType> inputs{x, weight}, outputs{nhwc({batch, weight.shape[0], 8, 8})};
      const Call call{node.attributes, inputs, outputs};
      EXPECT_EQ(workspace_on_copies(context, node, call, kChannelsLast, nullptr) == kNoKernel, refused);
      for (const Kernel& kernel : kernels_of(context, *node.op))
        EXPECT_LT(kernel.workspace_bytes(context, node, call), int64_t{256} << 20);
      std::vector<Tensor> tensors;  // nothing is read or written: nobody runs
      const GuardedWorkspace somewhere(1 << 20);
      for (const TensorType& type : {x, weight, outputs[0]})
        tensors.emplace_back(std::make_shared<Storage>(Device{}, somewhere.data(), type.span_bytes(), nullptr), type);
      const PrepareRequest request{
          node, {&node.attributes, {tensors[0], tensors[1]}, {tensors[2]}}, somewhere.data(), {}};
      EXPECT_EQ(prepare_on_copies(context, request, kChannelsLast, prepare_telling) == nullptr, refused);
    }
  }
}

/// A kernel is taken with the workspace that it uses, or not at all: whoever brings less gets another, which computes
/// the same.
TEST(Workspace, KernelsThatWantMoreThanIsBroughtAreNotTaken) {
  const auto backend = *make_backend(2);
  int with_workspace = 0;
  for (const KernelCase& c : kernel_cases()) {
    BoundCase bound = bind_case(c);
    bound.arguments.attributes = &bound.node.attributes;
    const int64_t bytes = backend->workspace_bytes(bound.node, {bound.node.attributes, bound.inputs, bound.outputs});
    if (bytes == 0) continue;
    ++with_workspace;
    SCOPED_TRACE(c.name);
    for (const int64_t brought : {int64_t{0}, bytes - 1, bytes}) {
      const GuardedWorkspace workspace(brought);
      PrepareRequest request{bound.node, bound.arguments, workspace.data(),
                             std::vector<bool>(bound.inputs.size(), false), brought};
      const auto op = backend->prepare(request);
      if (!op) continue;  // refused: nothing computes it in less
      if (brought == bytes) {
        EXPECT_EQ((*op)->code(), run_kernel(c, *backend).code);
      }
      (*op)->run();
      EXPECT_EQ(workspace.bytes_written_behind(), 0) << brought << " of " << bytes << ": " << (*op)->kernel_name();
    }
  }
  EXPECT_GT(with_workspace, 20);
}

/// Bytes at both ends of their range: odd sums near 2^24 and far beyond it, where f32 has even numbers only.
TEST(IntegerConvolutions, SumsAreExactBeyondWhatF32Holds) {
  struct Layer {
    const char* name;
    int64_t channels, kernel;
    bool fits;  ///< in f32: oneDNN may
  };
  const Layer layers[] = {{"1024 channels", 1024, 1, false},      {"4096 channels", 4096, 1, false},
                          {"3x3 of 128 channels", 128, 3, false}, {"3x3 of 57 channels", 57, 3, true},
                          {"512 channels", 512, 1, true},         {"514 channels", 514, 1, true},
                          {"515 channels", 515, 1, false}};
  for (const Layer& layer : layers) {
    for (const DType bytes : {DType::uint8, DType::int8}) {
      for (const int weight_value : {127, -127, -128}) {
        SCOPED_TRACE(testing::Message() << layer.name << ", " << name(bytes) << ", weights " << weight_value);
        const TensorType x = nhwc({1, layer.channels, 4, 3}, bytes),
                         w = row_major({8, layer.channels, layer.kernel, layer.kernel}, DType::int8);
        const int64_t around = layer.kernel / 2;
        const KernelCase c{"",
                           "conv_integer",
                           conv({1, 1}, {around, around, around, around}),
                           {{x}, {w}, {row_major({}, bytes), Draw::zeros}, {row_major({}, DType::int8), Draw::zeros}},
                           ""};
        BoundCase bound = bind_case(c);
        bound.arguments.attributes = &bound.node.attributes;
        const double most = bytes == DType::uint8 ? 255 : -128;
        const auto& in = bound.arguments.inputs;
        for (int64_t i = 0; i < x.elements(); ++i) in[0].set_flat(i, most);
        for (int64_t i = 0; i < 12; ++i)
          in[0].set_flat(i, most + (bytes == DType::uint8 ? -1 : 1));  // one channel makes sums odd
        for (int64_t i = 0; i < w.elements(); ++i) in[1].set_flat(i, weight_value);
        for (int64_t o = 0; o < 8; ++o)
          in[1].set_flat(o * layer.channels * layer.kernel * layer.kernel, weight_value > 0 ? 127 : -127);
        for (const int zero : {0, bytes == DType::uint8 ? 3 : 127}) {
          in[2].set_flat(0, zero);
          bound.node.op->reference(bound.arguments);
          std::vector<double> wanted;
          for (int64_t i = 0; i < bound.outputs[0].elements(); ++i)
            wanted.push_back(bound.arguments.outputs[0].get_flat(i));
          const auto backend = *make_backend(2);
          const Call call{bound.node.attributes, bound.inputs, bound.outputs};
          for (const bool constant : {false, true}) {
            const GuardedWorkspace workspace(backend->workspace_bytes(bound.node, call));
            const auto op =
                backend->prepare({bound.node, bound.arguments, workspace.data(), std::vector<bool>(4, constant)});
            ASSERT_TRUE(op.ok());
            const std::string kernel = (*op)->kernel_name();
            const auto features = cpu_features();
            const bool has_products = std::ranges::find(features, "avx512-vnni") != features.end();
            if (!layer.fits || !has_onednn()) {
              EXPECT_TRUE(kernel.starts_with("own i8 product")) << kernel;
            } else if (has_products) {
              EXPECT_TRUE(kernel.starts_with("oneDNN")) << kernel;
            }
            for (int64_t i = 0; i < bound.outputs[0].elements(); ++i) bound.arguments.outputs[0].set_flat(i, -77);
            (*op)->run();
            EXPECT_EQ(workspace.bytes_written_behind(), 0);
            for (size_t i = 0; i < wanted.size(); ++i)
              ASSERT_EQ(bound.arguments.outputs[0].get_flat(static_cast<int64_t>(i)), wanted[i])
                  << i << " by " << kernel;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace engine::cpu
