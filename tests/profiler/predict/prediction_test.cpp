// SPDX-License-Identifier: Apache-2.0
// Captures whose ops are not what their names say, recurrent layers, and batches of products.
#include "profiler/predict/prediction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profiler/capture/capture_builder.h"
#include "profiler/predict/systolic_table.h"

namespace profiler {
namespace {

class Step {
 public:
  TensorId tensor(std::vector<int64_t> shape, engine::DType dtype = engine::DType::float32) {
    TensorRecord t;
    t.name = b_.intern("t" + std::to_string(b_.so_far().tensors().size()));
    t.shape = std::move(shape), t.strides = engine::contiguous_strides(t.shape), t.dtype = dtype, t.size_bytes = 4;
    return b_.add_tensor(t);
  }
  void op(const char* type, std::vector<TensorId> in, TensorId out, double flops = 0, int64_t bytes = 4096) {
    OpRecord r;
    r.name = b_.intern("op " + std::to_string(b_.so_far().ops().size())), r.type = b_.intern(type), r.flops = flops;
    std::vector<OperandRecord> operands;
    for (const TensorId t : in) operands.push_back({.tensor = t, .read_bytes = bytes});
    operands.push_back({.tensor = out, .output = true, .written_bytes = bytes});
    b_.add_op(r, operands);
  }
  /// Of the last op.
  void attribute(const char* key, int64_t value) {
    engine::Attributes attributes;
    attributes.set(key, value);
    b_.set_attributes(static_cast<OpId>(b_.so_far().ops().size() - 1), attributes);
  }
  Prediction on(const char* gpu) const { return predict(b_.so_far(), *modelled_gpu(gpu)); }
  const Capture& capture() const { return b_.so_far(); }

 private:
  CaptureBuilder b_;
};

TEST(Prediction, ShapesThatFitNoSuchOpAreUnknownWithAReason) {
  Step s;
  const auto m = s.tensor({64, 32}), wrong = s.tensor({31, 16}), vector = s.tensor({64}), out = s.tensor({64, 16}),
             x = s.tensor({2, 3, 8, 8}), w = s.tensor({4, 2, 3, 3}), y = s.tensor({2, 4, 8, 8}),
             empty = s.tensor({0, 32}), negative = s.tensor({-5, 32}),
             huge = s.tensor({int64_t{1} << 31, int64_t{1} << 31}), sequence = s.tensor({5, 2, 3});
  s.op("matmul", {m, wrong}, out);
  s.op("matmul", {m, vector}, out);
  s.op("matmul", {m}, out);
  s.op("matmul", {empty, wrong}, out);
  s.op("linear", {negative, m}, out);
  s.op("matmul", {huge, huge}, huge);
  s.op("conv2d", {x, w}, y);  // three channels, filters of two
  s.op("conv2d_grad_weight", {x}, w);
  s.op("conv2d", {m, w}, y);
  s.op("lstm", {sequence, m, m}, y);
  s.op("lstm_grad", {x, x, x}, y);
  s.op("attention", {x, x, x}, y, 1e12);
  s.op("load_batch", {}, y);
  s.op("relu", {x}, y, NAN);
  s.op("telepathy", {x}, y, 1e12);  // far more arithmetic than bytes
  const Prediction p = s.on("v100");
  EXPECT_EQ(p.unknown_ops, 15);
  EXPECT_EQ(p.modelled_ns, 0);
  EXPECT_TRUE(std::isnan(p.step_ns()));
  for (const PredictedOp& op : p.ops) {
    EXPECT_FALSE(op.known) << op.op;
    EXPECT_TRUE(op.note.starts_with("not modelled: ")) << op.note;
  }
  EXPECT_EQ(prediction_table(s.capture(), p, false).rows.size(), 15u);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(prediction_table(s.capture(), p, false).rows[0][1]))
      << "unknown is no 0";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(predicted_devices_table({p}, 1).rows[0][2]));
  EXPECT_EQ(systolic_step(s.capture(), {32, 32}).ops, 0);
}

TEST(Prediction, ABatchOfProductsIsOneKernel) {
  Step s;
  const auto a = s.tensor({12, 64, 32}), b = s.tensor({12, 32, 64}), c = s.tensor({12, 64, 64});
  s.op("matmul", {a, b}, c, 2.0 * 12 * 64 * 64 * 32);
  const Prediction p = s.on("v100");
  ASSERT_TRUE(p.ops[0].known);
  const GpuTime one = product_time(p.gpu, {64, 64, 32});
  EXPECT_LT(p.modelled_ns, 2 * one.ns) << "twelve blocks on eighty multiprocessors";
  EXPECT_GE(p.ops[0].time.dram_bytes, 12.0 * 4 * (64 * 32 + 32 * 64 + 64 * 64));
  EXPECT_DOUBLE_EQ(p.error, p.gpu.errors.product);
  EXPECT_EQ(systolic_step(s.capture(), {32, 32}).cycles, 12 * systolic_work({32, 32}, 64, 64, 32)->cycles);
}

TEST(Prediction, ALongerSequenceTakesItsStepsMore) {
  double before = 0;
  for (const int64_t steps : {25, 50, 100}) {
    Step s;
    const auto x = s.tensor({steps, 16, 512}), w = s.tensor({1, 2048, 512}), r = s.tensor({1, 2048, 512}),
               y = s.tensor({steps, 16, 512});
    s.op("lstm", {x, w, r}, y);
    const Prediction p = s.on("p100");
    ASSERT_TRUE(p.ops[0].known) << p.ops[0].note;
    EXPECT_GT(p.modelled_ns, 1.9 * before);
    EXPECT_DOUBLE_EQ(p.error, p.gpu.errors.recurrent);
    before = p.modelled_ns;
  }
}

TEST(Prediction, OneUnknownOpLeavesTheStepUnknown) {
  Step s;
  const auto x = s.tensor({128, 256});
  s.op("relu", {x}, x);
  EXPECT_GT(s.on("v100").step_ns(), 0);
  s.op("cholesky", {x}, x);
  const Prediction p = s.on("v100");
  EXPECT_GT(p.modelled_ns, 0);
  EXPECT_TRUE(std::isnan(p.step_ns()));
  EXPECT_NE(p.ops[1].note.find("decompositions"), std::string::npos);
}

TEST(Prediction, DepthwiseConvolutionsAreTheirBytes) {
  Step s;
  const auto x = s.tensor({8, 32, 56, 56}), w = s.tensor({32, 1, 3, 3}), y = s.tensor({8, 32, 56, 56});
  s.op("conv2d", {x, w}, y, 1e6, int64_t{4} * 8 * 32 * 56 * 56);
  s.attribute("groups", 32);
  const Prediction p = s.on("v100");
  ASSERT_TRUE(p.ops[0].known);
  EXPECT_EQ(p.ops[0].time.limit(), GpuLimit::dram);
  EXPECT_NE(p.ops[0].note.find("depthwise"), std::string::npos) << p.ops[0].note;
}

TEST(Prediction, FusedOpsAreTheirFirstMember) {
  Step s;
  const auto x = s.tensor({128, 256}), w = s.tensor({512, 256}), y = s.tensor({128, 512});
  s.op("linear", {x, w}, y);
  s.op("linear+relu", {x, w}, y);
  s.op("relu+add", {x}, x);
  const Prediction p = s.on("t4");
  EXPECT_EQ(p.ops[0].time.ns, p.ops[1].time.ns);
  EXPECT_TRUE(p.ops[2].known);
  const Table by_type = prediction_table(s.capture(), p, true);
  EXPECT_EQ(by_type.rows.size(), 3u);
}

}  // namespace
}  // namespace profiler
