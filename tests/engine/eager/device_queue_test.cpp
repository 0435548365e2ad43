// SPDX-License-Identifier: Apache-2.0
// Queues of simulated devices: in order, beside each other and the caller; sessions use them for further devices alone.
#include "engine/eager/device_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/thread_pool.h"
#include "engine/base/thread_team.h"
#include "engine/cpu/backend.h"
#include "engine/eager/session.h"
#include "engine/graph/to_device.h"
#include "engine/ops/ops.h"
#include "engine/sim/backend.h"
#include "engine/workloads/workload.h"

namespace engine {
namespace {

/// An op that does what it is told.
struct Told final : PreparedOp {
  explicit Told(std::function<void()> what) : what(std::move(what)) {}
  void run() override { what(); }
  KernelFacts facts() const override { return unknown_facts(); }
  std::function<void()> what;
};

TEST(DeviceQueue, ComputesInOrderAndTellsOfNumberedOps) {
  const auto queue = eager::DeviceQueue::start(0, 1);
  ASSERT_NE(queue, nullptr);
  std::vector<int> order;
  Told first([&] { order.push_back(1); }), second([&] { order.push_back(2); }), third([&] { order.push_back(3); });
  queue->submit(first, 7);
  queue->submit(second, eager::DeviceQueue::kUnnumbered);
  queue->submit(third, 9);
  queue->wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  const std::vector<eager::DoneOp> done = queue->take_done();
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].op, 7U);
  EXPECT_EQ(done[1].op, 9U);
  EXPECT_LE(done[0].begin_ticks, done[0].end_ticks);
  EXPECT_LE(done[0].end_ticks, done[1].begin_ticks);
  EXPECT_TRUE(queue->take_done().empty());
}

TEST(DeviceQueue, TwoWorkAtOnceAndBesideTheCaller) {
  const auto first = eager::DeviceQueue::start(0, 1), second = eager::DeviceQueue::start(1, 1);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  // Each waits for the other two: one after the other they would wait for ever.
  std::atomic<int> here = 0;
  const auto meet = [&] {
    ++here;
    while (here < 3) std::this_thread::yield();
  };
  Told a(meet), b(meet);
  first->submit(a, 0);
  second->submit(b, 1);
  meet();
  first->wait();
  second->wait();
  EXPECT_EQ(here, 3);
}

TEST(DeviceQueue, TeamsOfTwoDoNotWaitForEachOther) {
  const auto first = eager::DeviceQueue::start(0, 2), second = eager::DeviceQueue::start(1, 2);
  if (first == nullptr || second == nullptr) GTEST_SKIP() << "the system starts no more threads";
  // Members of both teams meet, which needs all four of them at once.
  std::atomic<int> here = 0;
  const auto meet = [&] {
    run_on_each_thread(2, [&](int, int) {
      ++here;
      while (here < 4) std::this_thread::yield();
    });
  };
  Told a(meet), b(meet);
  first->submit(a, 0);
  second->submit(b, 1);
  first->wait();
  second->wait();
  EXPECT_EQ(here, 4);
  const std::vector<eager::DoneOp> done = first->take_done();
  ASSERT_EQ(done.size(), 1U);
  if (largest_team() > 0) {
    EXPECT_EQ(done[0].threads, 2);
  }
}

/// Keeps when each op ran.
struct Times final : Observer {
  void step_begin(uint32_t, int64_t ticks) override { begin = ticks; }
  void step_end(uint32_t, int64_t ticks) override { end = ticks; }
  void op_done(uint32_t op, int64_t from, int64_t to) override { ops[op] = {from, to}; }
  std::map<uint32_t, std::pair<int64_t, int64_t>> ops;
  int64_t begin = 0, end = 0;
};

/// The workload `devices` for one step, its outputs and gradients' sums in the loss.
class DataParallelStep : public ::testing::TestWithParam<int64_t> {
 protected:
  std::vector<double> outputs(const Arguments& given, Times* times = nullptr) {
    const Workload* workload = *find_workload("devices");
    const Arguments arguments = *resolve(*workload, given);
    const auto graph = std::make_shared<const Graph>(*build_graph(*workload, arguments));
    EagerSession session(*cpu_);
    EXPECT_TRUE(session.add_device(*sim0_).ok());
    EXPECT_TRUE(session.add_device(*sim1_).ok());
    EXPECT_TRUE(session.announce(graph).ok());
    for (uint32_t step = 0; step < 3; ++step) {  // parameters are trained by the gradients
      const auto ran = session.run_step(
          step, [&](GraphBuilder& builder) { workload->build(builder, arguments); }, times);
      if (!ran) ADD_FAILURE() << ran.error().message;
    }
    graph_ = graph;
    std::vector<double> all;
    for (const char* name : {"parallel.weight", "parallel.bias"}) {
      const Tensor tensor = *session.find(name);
      for (int64_t i = 0; i < *element_count(tensor.shape()); ++i) all.push_back(tensor.get_flat(i));
    }
    return all;
  }
  std::unique_ptr<Backend> cpu_ = *cpu::make_backend(1);
  std::unique_ptr<Backend> sim0_ = sim::make_backend(0, *cpu::make_backend(1)),
                           sim1_ = sim::make_backend(1, *cpu::make_backend(1));
  std::shared_ptr<const Graph> graph_;
};

TEST_P(DataParallelStep, TrainsAsOneDeviceDoes) {
  const std::string batch = std::to_string(GetParam());
  const std::vector<double> two = outputs({{"batch", batch}}), again = outputs({{"batch", batch}}),
                            one = outputs({{"batch", batch}, {"replicas", "1"}});
  ASSERT_EQ(two.size(), one.size());
  EXPECT_EQ(two, again) << "the same each time";
  for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(two[i], one[i], 2e-5) << i;
}

INSTANTIATE_TEST_SUITE_P(Batches, DataParallelStep, ::testing::Values(50, 51, 7, 2, 1));

TEST_F(DataParallelStep, EveryOpIsReportedOnceWithinItsStep) {
  Times times;
  outputs({}, &times);
  for (const Node& node : graph_->nodes()) {
    const bool copies = node.op == &kToDevice;
    if (node.op->view != nullptr) continue;
    const auto found = times.ops.find(node.id);
    ASSERT_NE(found, times.ops.end()) << node.op->name << (copies ? " copies" : "");
    EXPECT_GE(found->second.first, times.begin) << node.op->name;
    EXPECT_LE(found->second.second, times.end) << node.op->name;
  }
}

}  // namespace
}  // namespace engine
