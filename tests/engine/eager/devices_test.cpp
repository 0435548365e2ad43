// SPDX-License-Identifier: Apache-2.0
// Devices of a session: identity of to(), copies and what they move, refusals before any computation, 0-d operands,
// gradients across devices, graphs that name devices.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "engine/cpu/backend.h"
#include "engine/eager/variable.h"
#include "engine/graph/to_device.h"
#include "engine/ops/ops.h"
#include "engine/ops/probes.h"
#include "engine/runtime/plan.h"
#include "engine/sim/backend.h"

namespace engine {
namespace {

using Numbers = std::vector<double>;

/// Keeps what it is told.
struct Log final : Observer {
  struct Entry {
    uint32_t op;
    Transfer transfer;
  };
  void step_begin(uint32_t, int64_t) override {}
  void step_end(uint32_t, int64_t) override {}
  void op_done(uint32_t op, int64_t, int64_t) override { ops.push_back(op); }
  void transfer_done(uint32_t op, const Transfer& transfer) override { transfers.push_back({op, transfer}); }
  std::vector<uint32_t> ops;
  std::vector<Entry> transfers;
};

class Devices : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(session.add_device(*sim0).ok());
    ASSERT_TRUE(session.add_device(*sim1).ok());
    session.observe(&log);
  }
  Variable values(const Shape& shape, std::vector<double> numbers, bool requires_grad = false) {
    return make_variable(session, *Tensor::from_values(shape, numbers, DType::float32), requires_grad);
  }
  Variable random(const Shape& shape, bool requires_grad = false) {
    return make_variable(session, TensorType::contiguous(DType::float32, shape), Fill{Fill::Kind::normal, 0, 1},
                         requires_grad);
  }
  std::unique_ptr<Backend> cpu = *cpu::make_backend(2);
  std::unique_ptr<Backend> sim0 = sim::make_backend(0, *cpu::make_backend(1)),
                           sim1 = sim::make_backend(1, *cpu::make_backend(1));
  Log log;
  EagerSession session{*cpu};
};

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

// J3, the slide's u, v, w.
TEST_F(Devices, ToGivesTheTensorItselfWhereItLies) {
  const Variable u = values({3}, {1, 2, 3});
  const Variable v = u.to("sim:0");  // another memory: a copy
  const Variable w = u.to("cpu");    // there already: u itself
  EXPECT_EQ(w.cell(), u.cell());
  EXPECT_EQ(u.cpu().cell(), u.cell());
  EXPECT_NE(v.cell(), u.cell());
  EXPECT_EQ(v.to("sim:0").cell(), v.cell());
  EXPECT_EQ(to_string(u.device()), "cpu");
  EXPECT_EQ(to_string(v.device()), "sim:0");
  ASSERT_EQ(log.transfers.size(), 1U);
  EXPECT_EQ(log.transfers[0].transfer.size_bytes, 12);

  ASSERT_TRUE(w.slice(0, 0, 1).fill_(5).ok());  // w[0] = 5
  EXPECT_EQ(numbers(u), (Numbers{5, 2, 3}));
  EXPECT_EQ(numbers(v), (Numbers{1, 2, 3}));
  ASSERT_TRUE(v.slice(0, 1, 2).fill_(7).ok());  // v[1] = 7
  EXPECT_EQ(numbers(u), (Numbers{5, 2, 3}));
  EXPECT_EQ(numbers(v), (Numbers{1, 7, 3}));
}

// J4
TEST_F(Devices, BothOperandsMoveAndTheProductIsComputedThere) {
  const Variable m = random({10, 10}), x = random({10, 100});
  const Variable here = matmul(m, x);
  const Variable moved_m = m.to("sim:0"), moved_x = x.to("sim:0");
  const Variable there = matmul(moved_m, moved_x);
  ASSERT_TRUE(there.ok()) << there.error().message;
  EXPECT_EQ(to_string(there.device()), "sim:0");
  EXPECT_EQ(numbers(there), numbers(here));
  ASSERT_EQ(log.transfers.size(), 2U);
  EXPECT_EQ(log.transfers[0].transfer.size_bytes, 400);
  EXPECT_EQ(log.transfers[1].transfer.size_bytes, 4000);
  for (const auto& [op, transfer] : log.transfers) {
    EXPECT_EQ(to_string(transfer.from), "cpu");
    EXPECT_EQ(to_string(transfer.to), "sim:0");
    EXPECT_EQ(transfer.reason, Transfer::Reason::asked);
    EXPECT_LE(transfer.begin_ticks, transfer.end_ticks);
    EXPECT_EQ(op, Transfer::kNoOp);
  }
}

TEST_F(Devices, ACopyIsRowMajorAndAViewOfAnotherDeviceIsThere) {
  const Variable x = values({2, 3}, {1, 2, 3, 4, 5, 6}).to("sim:1");
  const Variable turned = x.transpose(0, 1).to("sim:0");
  EXPECT_EQ(numbers(turned), (Numbers{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(turned.type().strides, (Strides{2, 1}));
  EXPECT_EQ(to_string(x.slice(1, 0, 2).device()), "sim:1");
  EXPECT_EQ(numbers((x * 2 + 1).relu()), (Numbers{3, 5, 7, 9, 11, 13}));
  EXPECT_EQ(to_string((x * 2).device()), "sim:1");
  EXPECT_DOUBLE_EQ(x.sum().item(), 21);
  EXPECT_EQ(x.to("sim:0").to("cpu").shape(), (Shape{2, 3}));
  EXPECT_EQ(values({0, 3}, {}).to("sim:0").shape(), (Shape{0, 3}));
}

// J5
TEST_F(Devices, NewTensorsAreLikeTheirSource) {
  const Variable wide = make_variable(session, *Tensor::from_values({1}, Numbers{2}, DType::float64)).to("sim:1");
  const Variable zeros = wide.new_zeros({2, 2});
  EXPECT_EQ(zeros.dtype(), DType::float64);
  EXPECT_EQ(to_string(zeros.device()), "sim:1");
  EXPECT_EQ(numbers(zeros), (Numbers{0, 0, 0, 0}));
  const Variable half = make_variable(session, *Tensor::from_values({1}, Numbers{2}, DType::float16));
  const Variable full = half.new_full({2, 3}, 1.4);
  EXPECT_EQ(full.dtype(), DType::float16);
  EXPECT_EQ(full.shape(), (Shape{2, 3}));
  EXPECT_EQ(numbers(full), Numbers(6, 1.400390625));
  EXPECT_EQ(numbers(half.new_ones({2})), (Numbers{1, 1}));
  EXPECT_EQ(to_string((wide + zeros).device()), "sim:1");
  EXPECT_FALSE(half.new_zeros({-1}).ok());
  EXPECT_EQ(session.recorded_ops(), 0);
}

TEST_F(Devices, OnlyCopyMixesTypesAndDevices) {
  const Variable x = values({2, 2}, {1, 2, 3, 4}).to("sim:0");
  const Variable y = make_variable(session, *Tensor::from_values({2}, Numbers{0.1, 70000}, DType::float64));
  ASSERT_TRUE(x.copy_(y).ok());  // f64 row on the cpu into an f32 matrix on sim:0
  EXPECT_EQ(numbers(x), (Numbers{0.1F, 70000, 0.1F, 70000}));
  const Variable half = make_variable(session, *Tensor::from_values({2}, Numbers{0, 0}, DType::float16));
  ASSERT_TRUE(half.copy_(y).ok());
  EXPECT_EQ(half.to_tensor()->get_flat(0), 0.0999755859375);
  const Result<void> wrong = x.copy_(values({3}, {1, 2, 3}));
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("[copy_]"), std::string::npos) << wrong.error().message;
  EXPECT_EQ(numbers(x)[0], 0.1F);
  // The same bytes in another order.
  const Variable line = values({3}, {1, 2, 3});
  ASSERT_TRUE(line.copy_(line.slice(0, -1, -4, -1)).ok());
  EXPECT_EQ(numbers(line), (Numbers{3, 2, 1}));
}

TEST_F(Devices, CopyIsNotRecordedAndSaysSo) {
  const Variable leaf = values({2}, {1, 2}, true);
  EXPECT_FALSE(leaf.fill_(0).ok());
  EXPECT_FALSE(values({2}, {0, 0}).copy_(leaf).ok());
  EXPECT_EQ(numbers(leaf), (Numbers{1, 2}));
  const Variable loss = (leaf * leaf).sum();
  {
    const NoGrad none(session);
    EXPECT_TRUE(leaf.fill_(3).ok());
  }
  const Result<void> done = loss.backward();  // whose saved bytes were overwritten
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().message.find("overwritten"), std::string::npos) << done.error().message;
}

// J6, J7
TEST_F(Devices, OpsAcrossDevicesAreRefusedBeforeAnythingIsComputed) {
  const Variable x = values({2}, {1, 2}), y = values({2}, {3, 4}).to("sim:0"), z = y.to("sim:1");
  log.transfers.clear();
  const int64_t blocks = session.pool().live_blocks(), requests = session.pool().requests();
  struct Case {
    Variable result;
    std::vector<std::string> names;
  };
  const Case cases[] = {
      {x + y, {"[add]", "cpu", "sim:0"}},
      {y * z, {"[multiply]", "sim:0", "sim:1"}},
      {matmul(z.reshape({1, 2}), x.reshape({2, 1})), {"[matmul]", "sim:1", "cpu", "operand 1 by .to(\"sim:1\")"}}};
  for (const Case& c : cases) {
    ASSERT_FALSE(c.result.ok());
    for (const std::string& name : c.names)
      EXPECT_NE(c.result.error().message.find(name), std::string::npos) << name << " in " << c.result.error().message;
  }
  EXPECT_TRUE(log.transfers.empty());
  EXPECT_EQ(session.pool().live_blocks(), blocks);
  EXPECT_EQ(session.pool().requests(), requests);
  EXPECT_EQ(numbers(x), (Numbers{1, 2}));
  EXPECT_EQ(numbers(x + y.cpu()), (Numbers{4, 6}));
}

TEST_F(Devices, AnUnknownDeviceIsNamedWithThoseThereAre) {
  const Variable x = values({2}, {1, 2});
  EXPECT_NE(x.to("sim:3").error().message.find("it has cpu, sim:0, sim:1"), std::string::npos)
      << x.to("sim:3").error().message;
  EXPECT_NE(x.cuda(1).error().message.find("no cuda:1"), std::string::npos) << x.cuda(1).error().message;
  EXPECT_NE(x.to("smi:0").error().message.find("smi:0"), std::string::npos);
  EXPECT_FALSE(session.add_device(*sim0).ok());
  EXPECT_EQ(numbers(x), (Numbers{1, 2}));
}

// J8
TEST_F(Devices, ZeroDimensionalOperandsMixAndTheirTransferIsSeen) {
  const Variable y = values({2}, {3, 4}).to("sim:0");
  const Variable scalar = values({}, {10}), one = values({1}, {10});
  log.transfers.clear();
  const Variable sum = y + scalar;
  ASSERT_TRUE(sum.ok()) << sum.error().message;
  EXPECT_EQ(numbers(sum), (Numbers{13, 14}));
  EXPECT_EQ(to_string(sum.device()), "sim:0");
  ASSERT_EQ(log.transfers.size(), 1U);
  EXPECT_EQ(log.transfers[0].transfer.size_bytes, 4);
  EXPECT_EQ(log.transfers[0].transfer.reason, Transfer::Reason::scalar);
  EXPECT_EQ(numbers(scalar - y), (Numbers{7, 6}));
  EXPECT_EQ(to_string(scalar.device()), "cpu");  // itself it stays
  EXPECT_FALSE((y + one).ok());
  const Variable there = scalar.to("sim:1");
  EXPECT_EQ(numbers(values({2}, {1, 2}) * there), (Numbers{10, 20}));  // the other way
  EXPECT_EQ(to_string((scalar + there).device()), "cpu");              // where the first one is
}

TEST_F(Devices, ZeroDimensionalOperandsOfAnotherDtypeMix) {
  const auto tensor = [&](const Shape& shape, const std::vector<double>& list, DType dtype) {
    return make_variable(session, *Tensor::from_values(shape, list, dtype));
  };
  const Variable x = values({2}, {3, 4}).to("sim:0"), tenth = tensor({}, {0.1}, DType::float64);
  log.transfers.clear();
  const Variable scaled = x * tenth;
  ASSERT_TRUE(scaled.ok()) << scaled.error().message;
  EXPECT_EQ(scaled.dtype(), DType::float32);
  EXPECT_EQ(numbers(scaled), (Numbers{3 * 0.1f, 4 * 0.1f})) << "0.1 was rounded to f32 first";
  ASSERT_EQ(log.transfers.size(), 1U);
  EXPECT_EQ(log.transfers[0].transfer.size_bytes, 4) << "it travels in the dtype of the result";
  const Variable counts = tensor({3}, {1, 2, 3}, DType::int32);
  EXPECT_EQ((counts * tensor({}, {0.5}, DType::float16)).dtype(), DType::float16) << "a float is a higher kind";
  EXPECT_EQ((counts + tensor({}, {1}, DType::int64)).dtype(), DType::int32);
  EXPECT_EQ(numbers(counts * tensor({}, {0.5}, DType::float32)), (Numbers{0.5, 1, 1.5}));
  EXPECT_FALSE((counts + tensor({1}, {1}, DType::int64)).ok()) << "a shape of (1) has an axis";
  const Variable w = random({4}, true);
  ASSERT_TRUE((w * tensor({}, {3}, DType::float64)).sum().backward().ok());
  EXPECT_EQ(numbers(w.grad()), (Numbers{3, 3, 3, 3}));
}

TEST_F(Devices, GradientsCrossDevices) {
  const auto loss_of = [&](const Variable& w, const Variable& x, const char* device) {
    return (matmul(x.to(device), w.to(device)).relu().to("cpu") * 3).sum();
  };
  const Variable w = random({4, 3}, true), x = random({5, 4}, true);
  ASSERT_TRUE(loss_of(w, x, "cpu").backward().ok());
  const Numbers by_w = numbers(w.grad()), by_x = numbers(x.grad());
  w.zero_grad();
  x.zero_grad();
  log.transfers.clear();
  const Result<void> done = loss_of(w, x, "sim:1").backward();
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(numbers(w.grad()), by_w);
  EXPECT_EQ(numbers(x.grad()), by_x);
  EXPECT_EQ(to_string(w.grad().device()), "cpu");
  int64_t gradient_bytes = 0;
  for (const auto& [op, transfer] : log.transfers)
    gradient_bytes += transfer.reason == Transfer::Reason::gradient ? transfer.size_bytes : 0;
  EXPECT_EQ(gradient_bytes, 4 * (5 * 3 + 4 * 3 + 5 * 4));
  // Again: the same program adds.
  ASSERT_TRUE(loss_of(w, x, "sim:1").backward().ok());
  for (size_t i = 0; i < by_w.size(); ++i)
    EXPECT_FLOAT_EQ(static_cast<float>(numbers(w.grad())[i]), static_cast<float>(2 * by_w[i]));
}

TEST_F(Devices, TheSameOpsOnTwoDevicesHaveTwoTapes) {
  const Variable a = values({2}, {1, 2}, true);
  const Variable b0 = values({2}, {3, 4}).to("sim:0"), b1 = values({2}, {5, 6}).to("sim:1");
  for (const auto& [b, device] : {std::pair{b0, "sim:0"}, std::pair{b1, "sim:1"}}) {
    const Variable loss = (a.to(device) * b).sum();  // which stays there
    EXPECT_EQ(to_string(loss.device()), device);
    ASSERT_TRUE(loss.backward().ok());
    EXPECT_EQ(numbers(a.grad()), numbers(b));
    a.zero_grad();
  }
  // A fetched scalar has a gradient too.
  const Variable factor = values({}, {2}, true);
  ASSERT_TRUE((b0 * factor).sum().backward().ok());
  EXPECT_DOUBLE_EQ(factor.grad().item(), 7);
  EXPECT_EQ(to_string(factor.grad().device()), "cpu");
}

// ---- graphs that name devices

/// y = relu(m x) + s on sim:0, and back.
void across(GraphBuilder& builder) {
  const Fill uniform{Fill::Kind::uniform, -1, 1};
  const ValueId m = builder.input("m", TensorType::contiguous(DType::float32, {10, 10}), uniform),
                x = builder.input("x", TensorType::contiguous(DType::float32, {10, 100}), uniform),
                s = builder.input("s", TensorType::contiguous(DType::float32, {}), {Fill::Kind::constant, 0.5, 0});
  const ValueId there_m = to_device(builder, m, "", "sim:0"), there_x = to_device(builder, x, "", "sim:0");
  const ValueId y = ops::relu(builder, ops::matmul(builder, there_m, there_x));
  builder.mark_output(to_device(builder, ops::add(builder, y, s), "sim:0", ""));
}

TEST_F(Devices, AGraphMayNameDevices) {
  GraphBuilder described;
  across(described);
  const auto graph = std::make_shared<const Graph>(*described.finish());
  EagerSession plain{*cpu};
  ASSERT_TRUE(plain.add_device(*sim0).ok());
  for (const bool announced : {false, true}) {
    if (announced) {
      const Result<void> done = session.announce(graph);
      ASSERT_TRUE(done.ok()) << done.error().message;
      EXPECT_EQ(session.kernel_name(0), "copy cpu -> sim:0");
    }
    log = {};
    for (uint32_t step = 0; step < 3; ++step) {
      const Result<void> ran = session.run_step(step, across, &log);
      ASSERT_TRUE(ran.ok()) << ran.error().message;
    }
    ASSERT_EQ(log.transfers.size(), 12U);
    const int64_t sizes[] = {400, 4000, 4, 4000};
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(log.transfers[i].transfer.size_bytes, sizes[i]);
    EXPECT_EQ(log.transfers[2].transfer.reason, Transfer::Reason::scalar);
    EXPECT_EQ(session.tape().node(log.transfers[2].op).op->name, "add");
    EXPECT_EQ(log.ops.size(), 3 * graph->nodes().size());
    const Tensor result = session.tensor(session.tape().outputs()[0]);
    EXPECT_EQ(to_string(result.storage()->device()), "cpu");
    EXPECT_GE(result.get_flat(0), 0.5);
  }
}

TEST_F(Devices, GraphsSayWhatIsWrongWithTheirDevices) {
  const auto refusal = [&](const EagerSession::Build& build) {
    const Result<void> ran = session.run_step(0, build);
    return ran ? std::string("ran") : ran.error().message;
  };
  const auto input = [](GraphBuilder& builder) {
    return builder.input("v", TensorType::contiguous(DType::float32, {2}), Fill{});
  };
  EXPECT_NE(refusal([&](GraphBuilder& b) { to_device(b, input(b), "", "sim:7"); }).find("there is no sim:7"),
            std::string::npos);
  EXPECT_NE(refusal([&](GraphBuilder& b) { to_device(b, input(b), "sim:0", "sim:1"); }).find("is on cpu, not on sim:0"),
            std::string::npos);
  EXPECT_NE(refusal([&](GraphBuilder& b) { to_device(b, input(b), "", "cpu"); }).find("is on cpu already"),
            std::string::npos);
  EXPECT_NE(refusal([&](GraphBuilder& b) {
              const ValueId v = input(b);
              ops::add(b, v, to_device(b, v, "", "sim:0"));
            }).find("[add]"),
            std::string::npos);
  GraphBuilder builder;
  across(builder);
  const auto plan = Plan::make(std::make_shared<const Graph>(*builder.finish()), *cpu);
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.error().message.find("--graph eager"), std::string::npos) << plan.error().message;
}

/// When each op ran, and what it reported.
struct Times final : Observer {
  void step_begin(uint32_t, int64_t) override {}
  void step_end(uint32_t, int64_t) override {}
  void op_done(uint32_t op, int64_t begin, int64_t end) override { spans[op] = {begin, end}; }
  void transfer_done(uint32_t op, const Transfer&) override { ++reports[op]; }
  std::map<uint32_t, std::pair<int64_t, int64_t>> spans;
  std::map<uint32_t, int> reports;
};

/// A 0-d result of a busy device is fetched: waiting for that device is no part of the op, nor of the copy.
TEST_F(Devices, WaitingForADeviceIsNoPartOfTheOpThatNeedsItsResult) {
  Times times;
  const auto build = [](GraphBuilder& builder) {
    const auto square = TensorType::contiguous(DType::float32, {600, 600});
    const ValueId x = to_device(builder, builder.input("x", square, Fill{Fill::Kind::uniform, 0, 1}), "", "sim:0");
    const ValueId total = ops::sum(builder, ops::matmul(builder, x, x), {0, 1});
    const ValueId y = builder.input("y", TensorType::contiguous(DType::float32, {4}), Fill{Fill::Kind::uniform, 0, 1});
    builder.mark_output(ops::multiply(builder, y, total));
  };
  for (uint32_t step = 0; step < 2; ++step) {
    const Result<void> ran = session.run_step(step, build, &times);
    ASSERT_TRUE(ran.ok()) << ran.error().message;
  }
  const auto& nodes = session.tape().nodes();
  const NodeId last = nodes.back().id;
  ASSERT_EQ(nodes.back().op->name, "multiply");
  ASSERT_TRUE(times.spans.contains(last) && times.spans.contains(last - 1));
  EXPECT_GE(times.spans[last].first, times.spans[last - 1].second) << "it began before the sum had ended";
}

TEST_F(Devices, OpsOfDevicesReportTheirCopies) {
  Times times;
  const auto build = [](GraphBuilder& builder) {
    const ValueId x = builder.input("x", TensorType::contiguous(DType::float32, {64}), Fill{Fill::Kind::uniform, 0, 1});
    builder.mark_output(ops::round_trip(builder, x, "pageable", false));
    builder.mark_output(ops::round_trip(builder, to_device(builder, x, "", "sim:0"), "pageable", false));
  };
  const Result<void> ran = session.run_step(0, build, &times);
  ASSERT_TRUE(ran.ok()) << ran.error().message;
  ASSERT_EQ(session.tape().nodes().size(), 3U);
  EXPECT_GT(times.reports[0], 0);
  EXPECT_EQ(times.reports[2], times.reports[0]);
}

}  // namespace
}  // namespace engine
