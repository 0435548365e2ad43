// SPDX-License-Identifier: Apache-2.0
// Modules that move from device to device, and one module on several devices.
#include "engine/eager/module.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/cpu/backend.h"
#include "engine/eager/data_parallel.h"
#include "engine/graph/to_device.h"
#include "engine/sim/backend.h"

namespace engine {
namespace {

using Numbers = std::vector<double>;

Numbers numbers(const Variable& x) {
  const Result<Tensor> tensor = x.to_tensor();
  if (!tensor) {
    ADD_FAILURE() << tensor.error().message;
    return {};
  }
  Numbers all;
  for (int64_t i = 0; i < tensor->type().elements(); ++i) all.push_back(tensor->get_flat(i));
  return all;
}

/// y = x weight^T + bias, scaled by a buffer; prints sizes as the course's slide does.
class Printing final : public Module {
 public:
  Printing(EagerSession& session, int64_t inputs, int64_t outputs)
      : linear_(add_module("fc", std::make_unique<Linear>(session, inputs, outputs))),
        scale_(add_buffer("scale", make_variable(session, *Tensor::from_values({1}, Numbers{2}, DType::float32)))) {}
  Variable forward(const Variable& x) override {
    const Variable y = linear_.forward(x) * scale_;
    if (y.ok()) {
      lines.push_back(fmt::format("In Model: input size [{}], output size [{}] on {}", fmt::join(x.shape(), ", "),
                                  fmt::join(y.shape(), ", "), to_string(y.device())));
    }
    return y;
  }
  std::vector<std::string> lines;

 private:
  Linear& linear_;
  Variable& scale_;
};

class Modules : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(session.add_device(*sim0).ok());
    ASSERT_TRUE(session.add_device(*sim1).ok());
  }
  Variable random(const Shape& shape, bool requires_grad = false) {
    return make_variable(session, TensorType::contiguous(DType::float32, shape), Fill{Fill::Kind::normal, 0, 1},
                         requires_grad);
  }
  std::unique_ptr<Sequential> network() {
    std::vector<std::unique_ptr<Module>> layers;
    layers.push_back(std::make_unique<Linear>(session, 5, 8));
    layers.push_back(std::make_unique<Relu>());
    layers.push_back(std::make_unique<Linear>(session, 8, 2));
    return std::make_unique<Sequential>(std::move(layers));
  }
  std::unique_ptr<Backend> cpu = *cpu::make_backend(2);
  std::unique_ptr<Backend> sim0 = sim::make_backend(0, *cpu::make_backend(1)),
                           sim1 = sim::make_backend(1, *cpu::make_backend(1));
  EagerSession session{*cpu};
};

// J9
TEST_F(Modules, MovesInPlaceAndKeepsEveryReference) {
  const auto model = network();
  const Variable aside = random({2});  // a tensor that no module owns
  std::vector<Variable> optimiser;     // holds the parameters, as an optimiser does
  for (const Module::Named& p : model->parameters()) optimiser.push_back(*p.variable);
  ASSERT_EQ(optimiser.size(), 4U);
  EXPECT_EQ(model->parameters()[3].name, "2.bias");
  const Numbers before = numbers(optimiser[0]);

  const auto moved = model->to("sim:0");
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  EXPECT_EQ(moved->module, model.get());
  EXPECT_EQ(moved->size_bytes, 4 * (5 * 8 + 8 + 8 * 2 + 2));
  for (size_t i = 0; i < optimiser.size(); ++i) {
    EXPECT_EQ(model->parameters()[i].variable->cell(), optimiser[i].cell());
    EXPECT_EQ(to_string(optimiser[i].device()), "sim:0");
    EXPECT_TRUE(optimiser[i].requires_grad());
  }
  EXPECT_EQ(numbers(optimiser[0]), before);
  EXPECT_EQ(to_string(aside.device()), "cpu");
  EXPECT_EQ(model->to("sim:0")->size_bytes, 0);  // they are there

  // A step of the optimiser changes what the module computes.
  const Variable x = random({3, 5}).to("sim:0");
  const double first = (model->forward(x) * model->forward(x)).sum().item();
  const Variable y = model->forward(x), loss = (y * y).sum();
  ASSERT_TRUE(loss.backward().ok());
  {
    const NoGrad none(session);
    for (const Variable& p : optimiser) ASSERT_TRUE(p.copy_(p - p.grad() * 0.01).ok());
  }
  const double second = (model->forward(x) * model->forward(x)).sum().item();
  EXPECT_LT(second, first);
  EXPECT_EQ(to_string(optimiser[0].grad().device()), "sim:0");
  EXPECT_EQ(model->to(Device{})->size_bytes, 2 * 4 * (5 * 8 + 8 + 8 * 2 + 2));  // with their gradients
  EXPECT_EQ(to_string(optimiser[0].grad().device()), "cpu");
}

TEST_F(Modules, AMoveAfterUseIsNoticedAndARefusedOneMovesNothing) {
  const auto model = network();
  const Variable x = random({3, 5});
  const Variable loss = model->forward(x).sum();
  ASSERT_TRUE(model->to("sim:1").ok());
  const Result<void> done = loss.backward();
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().message.find("was moved from cpu to sim:1"), std::string::npos) << done.error().message;
  EXPECT_FALSE(model->to("sim:5").ok());
  EXPECT_FALSE(model->to("nowhere").ok());
  EXPECT_EQ(to_string(model->parameters()[0].variable->device()), "sim:1");
  const Variable mixed = model->forward(x);  // the input was not moved
  ASSERT_FALSE(mixed.ok());
  EXPECT_NE(mixed.error().message.find("[linear]"), std::string::npos) << mixed.error().message;
}

TEST_F(Modules, BuffersMoveToo) {
  Printing model(session, 5, 2);
  EXPECT_EQ(model.to("sim:0")->size_bytes, 4 * (10 + 2 + 1));
  EXPECT_EQ(to_string(model.buffers()[0].variable->device()), "sim:0");
  EXPECT_EQ(model.buffers()[0].name, "scale");
}

// J11
TEST(SplitRows, AsTorchChunkDoes) {
  using Sizes = std::vector<int64_t>;
  EXPECT_EQ(split_rows(50, 2), (Sizes{25, 25}));
  EXPECT_EQ(split_rows(5, 2), (Sizes{3, 2}));
  EXPECT_EQ(split_rows(5, 4), (Sizes{2, 2, 1}));
  EXPECT_EQ(split_rows(1, 2), (Sizes{1}));
  EXPECT_EQ(split_rows(0, 2), (Sizes{0}));
}

TEST_F(Modules, DataParallelPrintsLikeTheSlide) {
  auto owned = std::make_unique<Printing>(session, 5, 2);
  Printing& model = *owned;
  DataParallel parallel(std::move(owned), {{"sim", 0}, {"sim", 1}});
  const Variable y = parallel.forward(random({50, 5}));
  ASSERT_TRUE(y.ok()) << y.error().message;
  EXPECT_EQ(model.lines, (std::vector<std::string>{"In Model: input size [25, 5], output size [25, 2] on sim:0",
                                                   "In Model: input size [25, 5], output size [25, 2] on sim:1"}));
  EXPECT_EQ(y.shape(), (Shape{50, 2}));
  EXPECT_EQ(to_string(y.device()), "sim:0");
}

struct Copies final : Observer {
  void step_begin(uint32_t, int64_t) override {}
  void step_end(uint32_t, int64_t) override {}
  void op_done(uint32_t, int64_t, int64_t) override {}
  void transfer_done(uint32_t, const Transfer& t) override {
    (t.reason == Transfer::Reason::gradient ? backward : forward) += t.size_bytes;
  }
  int64_t forward = 0, backward = 0;
};

TEST_F(Modules, DataParallelComputesWhatOneDeviceDoes) {
  for (const int64_t batch : {50, 5, 1, 2}) {
    SCOPED_TRACE(batch);
    auto owned = network();
    Sequential& model = *owned;
    const Variable x = random({batch, 5}, true);
    const auto run = [&](Module& module) {
      const Variable y = module.forward(x);
      EXPECT_TRUE((y * y).sum().backward().ok());
      Numbers all = numbers(y);
      const auto take = [&](const Variable& leaf) {
        EXPECT_EQ(to_string(leaf.grad().device()), "cpu");
        const Numbers gradient = numbers(leaf.grad());
        all.insert(all.end(), gradient.begin(), gradient.end());
        leaf.zero_grad();
      };
      take(x);
      for (const Module::Named& p : model.parameters()) take(*p.variable);
      return all;
    };
    const Numbers single = run(model);
    DataParallel parallel(std::move(owned), {{"sim", 0}, {"sim", 1}});
    Copies copies;
    session.observe(&copies);
    const Numbers split = run(parallel);
    session.observe(nullptr);
    ASSERT_EQ(split.size(), single.size());
    for (size_t i = 0; i < single.size(); ++i)
      EXPECT_NEAR(split[i], single[i], 1e-5 * std::max(1.0, std::abs(single[i])));
    // Scatter, replicate and gather, and the same back.
    const int64_t second = batch / 2, weights = 5 * 8 + 8 + 8 * 2 + 2, devices = second > 0 ? 2 : 1;
    const int64_t expected = 4 * (batch * 5 + devices * weights + second * 2);
    EXPECT_EQ(copies.forward, expected);
    EXPECT_EQ(copies.backward, expected);
    EXPECT_EQ(model.parameters()[0].variable->cell()->maker, nullptr);  // its own again
  }
  EXPECT_EQ(session.recorded_ops(), 0);
}

TEST_F(Modules, DataParallelSaysWhatItCannotDo) {
  DataParallel nowhere(network(), {{"sim", 0}, {"sim", 6}});
  const Variable y = nowhere.forward(random({4, 5}));
  ASSERT_FALSE(y.ok());
  EXPECT_NE(y.error().message.find("no sim:6"), std::string::npos) << y.error().message;
  DataParallel parallel(network(), {{"sim", 0}});
  EXPECT_FALSE(parallel.forward(random({})).ok());
  EXPECT_EQ(to_string(parallel.module().parameters()[0].variable->device()), "cpu");
  EXPECT_TRUE(parallel.forward(random({0, 5})).ok());
}

}  // namespace
}  // namespace engine
