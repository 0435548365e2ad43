// SPDX-License-Identifier: Apache-2.0
// Eager sessions: the same figures as plans, tapes as long as the data asks for, memory given back,
// refusals in words.
#include "engine/eager/session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/cpu/backend.h"
#include "engine/null/backend.h"
#include "engine/ops/autograd.h"
#include "engine/ops/ops.h"
#include "engine/workloads/workload.h"

namespace engine {
namespace {

const TensorType kVector = TensorType::contiguous(DType::float32, {1024});
const Fill kNormal{Fill::Kind::normal, 0, 1};

std::unique_ptr<Backend> cpu_backend() { return *cpu::make_backend(2); }

/// Largest difference relative to the larger magnitude; infinite where only one is finite.
double difference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  for (int64_t i = 0; i < a.type().elements(); ++i) {
    const double x = a.get_flat(i), y = b.get_flat(i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x == y) continue;
    const double relative = std::abs(x - y) / std::max({std::abs(x), std::abs(y), 1e-3});
    largest = std::isfinite(relative) ? std::max(largest, relative) : std::numeric_limits<double>::infinity();
  }
  return largest;
}

void expect_equal_steps(const Workload& workload, const Arguments& arguments, bool announced) {
  auto backend = *cpu::make_backend(1);  // two threads that spin would make small ops slow on a busy machine
  Result<Graph> built = build_graph(workload, arguments);
  ASSERT_TRUE(built.ok()) << built.error().message;
  const auto graph = std::make_shared<const Graph>(std::move(*built));
  auto plan = Plan::make(graph, *backend, {.seed = 7});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EagerSession session(*backend, 7);
  if (announced) {
    Result<void> accepted = session.announce(graph);
    ASSERT_TRUE(accepted.ok()) << accepted.error().message;
  }
  for (uint32_t step = 0; step < 2; ++step) {
    (*plan)->run_step(step, nullptr);
    Result<void> ran = session.run_step(step, [&](GraphBuilder& builder) { workload.build(builder, arguments); });
    ASSERT_TRUE(ran.ok()) << workload.name << ": " << ran.error().message;
    ASSERT_EQ(session.tape().nodes().size(), graph->nodes().size());
    for (const ValueId id : graph->outputs()) {
      EXPECT_LE(difference((*plan)->tensor(id), session.tensor(id)), 2e-4)
          << workload.name << " step " << step << " " << graph->value(id).name;
    }
  }
}

class EagerWorkload : public testing::TestWithParam<std::string> {};

TEST_P(EagerWorkload, GivesThePlansValues) {
  const Workload* workload = *find_workload(GetParam());
  expect_equal_steps(*workload, *resolve(*workload, workload->small), workload->name != "jacobian");
}

TEST(EagerSession, AGraphWhoseOpsWereMovedIsRefusedInWords) {
  const Workload* jacobian = *find_workload("jacobian");
  auto backend = cpu_backend();
  EagerSession session(*backend);
  Result<Graph> moved = build_graph(*jacobian, *resolve(*jacobian, jacobian->small));
  ASSERT_TRUE(moved.ok());
  const Result<void> announced = session.announce(std::make_shared<const Graph>(std::move(*moved)));
  ASSERT_FALSE(announced.ok());
  EXPECT_EQ(announced.error().kind, ErrorKind::usage);  // flags that do not go together
  EXPECT_NE(announced.error().message.find("--graph static"), std::string::npos) << announced.error().message;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Workload& workload : workloads()) names.push_back(workload.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalog, EagerWorkload, testing::ValuesIn(workload_names()),
                         [](const auto& tested) { return tested.param; });

TEST(EagerSession, AWorkloadNeedNotBeAnnounced) {
  const Workload* mlp = *find_workload("mlp");
  expect_equal_steps(*mlp, *resolve(*mlp, mlp->small), false);
}

TEST(EagerSession, TrainingStepsEqualThePlansBitForBit) {
  const Workload* mlp = *find_workload("mlp");
  const Arguments arguments = *resolve(*mlp, {{"input", "12"}, {"hidden", "16,8"}, {"batch", "4"}});
  auto backend = cpu_backend();
  const auto graph = std::make_shared<const Graph>(*build_graph(*mlp, arguments));
  auto plan = Plan::make(graph, *backend, {.seed = 3});
  ASSERT_TRUE(plan.ok());
  EagerSession session(*backend, 3);
  for (uint32_t step = 0; step < 5; ++step) {
    (*plan)->run_step(step, nullptr);
    ASSERT_TRUE(session.run_step(step, [&](GraphBuilder& b) { mlp->build(b, arguments); }).ok());
  }
  for (const Value& value : graph->values()) {
    if (value.kind != ValueKind::parameter) continue;
    const Tensor planned = (*plan)->tensor(value.id), eager = session.tensor(value.id);
    EXPECT_EQ(std::memcmp(planned.data(), eager.data(), static_cast<size_t>(value.type.span_bytes())), 0) << value.name;
  }
}

/// Halves x until its sum of squares is below `limit`: the tape's length depends on the values.
size_t tape_length(EagerSession& session, double limit) {
  const Result<void> ran = session.run_step(0, [&](GraphBuilder& b) {
    ValueId x = b.input("x", kVector, kNormal);
    const auto norm = [&] { return session.tensor(ops::sum(b, ops::multiply(b, x, x), {})).get_flat(0); };
    while (!b.failed() && norm() > limit) x = ops::scale(b, x, 0.5);
    b.mark_output(x);
  });
  EXPECT_TRUE(ran.ok());
  return session.tape().nodes().size();
}

TEST(EagerSession, TheTapeIsAsLongAsTheDataAsksFor) {
  auto backend = cpu_backend();
  EagerSession session(*backend);
  const size_t few = tape_length(session, 100), many = tape_length(session, 0.1);
  EXPECT_GT(few, 4u);
  // Each halving divides the sum of squares by 4 and appends three ops: 1000 / 0.1 = 4^6.6, 1000 /
  // 100 = 4^1.7.
  EXPECT_EQ(many - few, 3u * 5);
}

TEST(EagerSession, RepeatedStepsInferAndPrepareNothing) {
  const Workload* mlp = *find_workload("mlp");
  const Arguments arguments = *resolve(*mlp, {{"input", "12"}, {"hidden", "16,8"}, {"batch", "4"}});
  auto backend = cpu_backend();
  for (const bool announced : {false, true}) {
    EagerSession session(*backend);
    if (announced) {
      ASSERT_TRUE(session.announce(std::make_shared<const Graph>(*build_graph(*mlp, arguments))).ok());
    }
    const auto build = [&](GraphBuilder& b) { mlp->build(b, arguments); };
    ASSERT_TRUE(session.run_step(0, build).ok());
    ASSERT_TRUE(session.run_step(1, build).ok());
    const int64_t inferred = session.runner().inferred_count(), prepared = session.runner().prepared_count();
    const int64_t reserved = session.pool().reserved_bytes();
    for (uint32_t step = 2; step < 5; ++step) ASSERT_TRUE(session.run_step(step, build).ok());
    EXPECT_EQ(session.runner().inferred_count(), inferred);
    EXPECT_EQ(session.runner().prepared_count(), prepared);
    EXPECT_EQ(session.pool().reserved_bytes(), reserved);
  }
}

/// x -> relu -> relu -> ... `length` times.
void chain(GraphBuilder& builder, int length) {
  ValueId x = builder.input("x", kVector, kNormal);
  for (int i = 0; i < length; ++i) x = ops::relu(builder, x);
  builder.mark_output(x);
}

TEST(EagerSession, AnAnnouncedChainLivesInTwoTensors) {
  auto backend = cpu_backend();
  GraphBuilder builder;
  chain(builder, 100);
  EagerSession session(*backend);
  ASSERT_TRUE(session.announce(std::make_shared<const Graph>(*builder.finish())).ok());
  ASSERT_TRUE(session.run_step(0, [](GraphBuilder& b) { chain(b, 100); }).ok());
  EXPECT_EQ(session.pool().peak_bytes(), 2 * kVector.span_bytes());
  EXPECT_EQ(session.memory().peak_live_bytes, 2 * kVector.span_bytes());
  EXPECT_EQ(session.pool().live_bytes(), kVector.span_bytes());  // the output
}

TEST(EagerSession, WithoutAnnouncementValuesLiveToTheNextStep) {
  auto backend = cpu_backend();
  EagerSession session(*backend);
  ASSERT_TRUE(session.run_step(0, [](GraphBuilder& b) { chain(b, 100); }).ok());
  EXPECT_EQ(session.pool().live_bytes(), 100 * kVector.span_bytes());
  ASSERT_TRUE(session.run_step(1, [](GraphBuilder& b) { chain(b, 3); }).ok());
  EXPECT_EQ(session.pool().live_bytes(), 3 * kVector.span_bytes());
}

TEST(EagerSession, AStepThatIsNotTheAnnouncedOneIsRefused) {
  auto backend = cpu_backend();
  GraphBuilder builder;
  chain(builder, 3);
  EagerSession session(*backend);
  ASSERT_TRUE(session.announce(std::make_shared<const Graph>(*builder.finish())).ok());
  const Result<void> longer = session.run_step(0, [](GraphBuilder& b) { chain(b, 4); });
  ASSERT_FALSE(longer.ok());
  EXPECT_NE(longer.error().message.find("has only 3 ops"), std::string::npos) << longer.error().message;
  const Result<void> shorter = session.run_step(1, [](GraphBuilder& b) { chain(b, 2); });
  ASSERT_FALSE(shorter.ok());
  EXPECT_NE(shorter.error().message.find("has 2 ops"), std::string::npos) << shorter.error().message;
  const Result<void> other =
      session.run_step(2, [](GraphBuilder& b) { ops::sigmoid(b, b.input("x", kVector, kNormal)); });
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message.find("sigmoid"), std::string::npos) << other.error().message;
  EXPECT_TRUE(session.run_step(3, [](GraphBuilder& b) { chain(b, 3); }).ok());
}

TEST(EagerSession, RefusalsNameOpAndShapesAndLeaveTheSessionUsable) {
  auto backend = cpu_backend();
  EagerSession session(*backend);
  const auto mismatch = [](GraphBuilder& b) {
    const ValueId a = b.input("a", TensorType::contiguous(DType::float32, {2, 3}), kNormal);
    const ValueId c = b.input("c", TensorType::contiguous(DType::float32, {4, 5}), kNormal);
    const LayerScope layer(b, "head");
    ops::relu(b, ops::matmul(b, a, c));
  };
  const Result<void> refused = session.run_step(0, mismatch);
  ASSERT_FALSE(refused.ok());
  for (const char* word : {"head", "matmul", "k = 3", "k = 4"})
    EXPECT_NE(refused.error().message.find(word), std::string::npos) << refused.error().message;
  EXPECT_EQ(session.pool().live_bytes(), 0);
  // What lives across steps keeps its type.
  ASSERT_TRUE(session.run_step(1, [](GraphBuilder& b) { chain(b, 2); }).ok());
  const Result<void> retyped =
      session.run_step(2, [](GraphBuilder& b) { b.input("x", TensorType::contiguous(DType::float32, {3}), kNormal); });
  ASSERT_FALSE(retyped.ok());
  EXPECT_NE(retyped.error().message.find("1024"), std::string::npos) << retyped.error().message;
  // More than there is: the op, its result and the bytes.
  const Result<void> huge = session.run_step(3, [](GraphBuilder& b) {
    ops::contiguous(b, ops::expand(b, b.input("x", kVector, kNormal), {int64_t{1} << 40, 1024}));
  });
  ASSERT_FALSE(huge.ok());
  for (const char* word : {"contiguous", "1099511627776x1024", "PiB"})
    EXPECT_NE(huge.error().message.find(word), std::string::npos) << huge.error().message;
  EXPECT_TRUE(session.run_step(4, [](GraphBuilder& b) { chain(b, 2); }).ok());
}

TEST(EagerSession, ConstantsMadeAnewEachStepAreTakenAnew) {
  auto backend = cpu_backend();
  EagerSession session(*backend);
  for (const double wanted : {2.0, 5.0}) {
    ValueId y = kNoValue;
    ASSERT_TRUE(session
                    .run_step(0,
                              [&](GraphBuilder& b) {
                                y = ops::copy(b, b.constant("c", *Tensor::from_values({1}, {&wanted, 1})));
                              })
                    .ok());
    EXPECT_EQ(session.tensor(y).get_flat(0), wanted);
  }
}

/// Counts what it is told.
class Counter final : public Observer {
 public:
  void step_begin(uint32_t step, int64_t ticks) override {
    last_step = step;
    last_ticks = ticks;
  }
  void step_end(uint32_t, int64_t ticks) override {
    EXPECT_GE(ticks, last_ticks);
    ++steps;
  }
  void op_done(uint32_t op, int64_t begin, int64_t end) override {
    EXPECT_LE(last_ticks, begin);
    EXPECT_LE(begin, end);
    last_ticks = end;
    ops.push_back(op);
  }
  uint32_t last_step = 0;
  int64_t last_ticks = 0;
  int steps = 0;
  std::vector<uint32_t> ops;
};

TEST(EagerSession, TheObserverIsToldOfEachOpButViews) {
  auto backend = null::make_backend();
  EagerSession session(*backend);
  Counter counter;
  ASSERT_TRUE(session
                  .run_step(
                      9,
                      [](GraphBuilder& b) {
                        const ValueId x = b.input("x", TensorType::contiguous(DType::float32, {2, 3}), kNormal);
                        ops::relu(b, ops::transpose(b, ops::relu(b, x), 0, 1));
                      },
                      &counter)
                  .ok());
  EXPECT_EQ(counter.ops, (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(counter.steps, 1);
  EXPECT_EQ(counter.last_step, 9u);
}

TEST(EagerSession, AppendGraphRepeatsAGraph) {
  const Workload* mlp = *find_workload("mlp");
  const Arguments arguments = *resolve(*mlp, {{"input", "12"}, {"hidden", "16,8"}, {"batch", "4"}});
  const Graph graph = *build_graph(*mlp, arguments);
  GraphBuilder builder;
  append_graph(builder, graph);
  const Graph again = *builder.finish();
  ASSERT_EQ(again.values().size(), graph.values().size());
  ASSERT_EQ(again.nodes().size(), graph.nodes().size());
  EXPECT_EQ(again.outputs(), graph.outputs());
  for (const Value& value : graph.values()) EXPECT_EQ(again.value(value.id).type, value.type);
  for (const Node& node : graph.nodes()) {
    EXPECT_EQ(again.node(node.id).op, node.op);
    EXPECT_EQ(again.node(node.id).inputs, node.inputs);
    EXPECT_EQ(again.node(node.id).layer, node.layer);
    EXPECT_EQ(again.node(node.id).phase, node.phase);
  }
}

}  // namespace
}  // namespace engine
