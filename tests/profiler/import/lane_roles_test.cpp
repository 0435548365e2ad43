// SPDX-License-Identifier: Apache-2.0
// Lanes that repeat a device's work in other groupings do not count: XLA's lines, TensorFlow's timeline, lines without
// a known name.
#include "profiler/import/lane_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "profiler/capture/communication.h"
#include "tests/profiler/import/import_support.h"

namespace {

using namespace profiler;
using namespace tests;

struct Event {
  int pid, tid, at, duration;
  const char* name;
};
struct LaneNames {
  int pid, tid;
  const char *process, *thread;
};

CapturePtr import_lanes(const std::vector<LaneNames>& lanes, const std::vector<Event>& events) {
  std::string text;
  for (const LaneNames& l : lanes) {
    text += fmt::format("{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":\"{}\"}}}},\n", l.pid,
                        l.process);
    if (*l.thread != '\0')
      text +=
          fmt::format("{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"{}\"}}}},\n",
                      l.pid, l.tid, l.thread);
  }
  for (const Event& e : events)
    text += fmt::format("{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"{}\"}},\n", e.pid, e.tid,
                        e.at, e.duration, e.name);
  text.resize(text.size() - 2);
  const auto capture = import_events(text);
  EXPECT_TRUE(capture) << capture.error().message;
  return capture ? *capture : nullptr;
}

/// Microseconds of kernels, copies and memsets.
double work_us(const Capture& c) {
  double ns = 0;
  for (size_t i = 0; i < c.activities().size(); ++i) {
    const ActivityKind kind = c.activities().kind[i];
    if (kind == ActivityKind::kernel || kind == ActivityKind::copy || kind == ActivityKind::memset)
      ns += static_cast<double>(c.activities().duration_ns[i]);
  }
  return ns / 1000;
}

TEST(LaneRoles, TensorFlowsTimelineHasEveryStreamOnce) {
  // stream:all and memcpy repeat the streams; ".../gpu:0 Compute" is the executor on the host
  for (const auto& [host, stream, all, copies] :
       {std::tuple{"/job:localhost/replica:0/task:0/gpu:0 Compute", "/gpu:0/stream:12 Compute",
                   "/gpu:0/stream:all Compute", "/gpu:0/memcpy Compute"},
        {"/job:localhost/replica:0/task:0/device:GPU:0 Compute", "/device:GPU:0/stream:12 Compute",
         "/device:GPU:0/stream:all Compute", "/device:GPU:0/memcpy Compute"},
        {"/job:w/task:0/device:GPU:0 Compute", "/gpu:0/context#0/stream#1:Kernel Compute",
         "/device:GPU:0/stream:all Compute", "/device:GPU:0/memcpy Compute"}}) {
    const auto c = import_lanes({{1, 0, "/job:localhost/replica:0/task:0/device:CPU:0 Compute", ""},
                                 {3, 0, host, ""},
                                 {5, 0, all, ""},
                                 {7, 0, stream, ""},
                                 {9, 0, copies, ""},
                                 {11, 0, "/gpu:0/stream:14 Compute", ""}},
                                {{1, 0, 0, 5, "NoOp"},
                                 {3, 0, 0, 900, "MatMul"},
                                 {5, 0, 10, 40, "MatMul"},
                                 {5, 0, 60, 30, "Relu"},
                                 {7, 0, 10, 40, "MatMul"},
                                 {7, 0, 60, 30, "Relu"},
                                 {9, 0, 100, 7, "MEMCPYDtoH"},
                                 {11, 0, 100, 7, "MEMCPYDtoH"}});
    ASSERT_NE(c, nullptr);
    EXPECT_DOUBLE_EQ(work_us(*c), 77) << stream;
    EXPECT_EQ(c->gpu().kernels.size(), 2u);
    EXPECT_EQ(c->gpu().copies.size(), 1u);
    EXPECT_NE(notes(*c).find("do not count as work"), std::string::npos) << notes(*c);
  }
}

TEST(LaneRoles, WithoutSingleStreamsAllOfThemAtOnceAreTheWork) {
  const auto c = import_lanes({{3, 0, "/job:localhost/replica:0/task:0/device:GPU:0 Compute", ""},
                               {5, 0, "/device:GPU:0/stream:all Compute", ""},
                               {9, 0, "/device:GPU:0/memcpy Compute", ""}},
                              {{3, 0, 0, 900, "MatMul"}, {5, 0, 10, 40, "MatMul"}, {9, 0, 100, 7, "MEMCPYHtoD"}});
  ASSERT_NE(c, nullptr);
  EXPECT_DOUBLE_EQ(work_us(*c), 47);
  // the executor alone is the host's time
  const auto host =
      import_lanes({{3, 0, "/job:localhost/replica:0/task:0/device:GPU:0 Compute", ""}}, {{3, 0, 0, 900, "MatMul"}});
  ASSERT_NE(host, nullptr);
  EXPECT_DOUBLE_EQ(work_us(*host), 0);
}

TEST(LaneRoles, XlaOnAGpuCountsItsStreams) {
  std::vector<LaneNames> lanes = {{1, 13, "/device:GPU:0", "Stream #13(Compute)"},
                                  {1, 14, "/device:GPU:0", "Stream #14(MemcpyH2D,Memset)"},
                                  {9, 1, "/host:CPU", "main"}};
  std::vector<Event> events = {{1, 13, 10, 40, "loop_fusion"},
                               {1, 13, 60, 30, "ncclDevKernel_AllReduce_Sum_f32"},
                               {1, 14, 5, 4, "MemcpyH2D"},
                               {1, 14, 0, 1, "Memset"},
                               {9, 1, 0, 100, "ExecuteReplicated"}};
  int tid = 100;
  for (const char* line : {"XLA Ops", "XLA Modules", "Steps", "Framework Ops", "Framework Name Scope", "TensorFlow Ops",
                           "TensorFlow Name Scope", "Source code", "Launch Stats", "Async XLA Ops"}) {
    lanes.push_back({1, ++tid, "/device:GPU:0", line});
    events.push_back({1, tid, 10, 40, "fusion"}), events.push_back({1, tid, 60, 30, "all-reduce"});
  }
  const auto c = import_lanes(lanes, events);
  ASSERT_NE(c, nullptr);
  EXPECT_DOUBLE_EQ(work_us(*c), 75);
  EXPECT_EQ(c->gpu().memsets.size(), 1u);
  Communication communication(*c);
  double sent = 0;
  for (const KernelRecord& k : c->gpu().kernels)
    sent += communication.is(k.activity) ? static_cast<double>(c->activities().duration_ns[k.activity]) : 0;
  EXPECT_DOUBLE_EQ(sent, 30'000);
}

TEST(LaneRoles, XlaOnATpuCountsOpsAndNoneOfThoseAround) {
  const auto c = import_lanes(
      {{3, 1, "/device:TPU:0", "Steps"}, {3, 2, "/device:TPU:0", "XLA Modules"}, {3, 3, "/device:TPU:0", "XLA Ops"}},
      {{3, 1, 0, 100, "0"},
       {3, 2, 0, 100, "jit_step"},
       {3, 3, 0, 80, "while.1"},
       {3, 3, 0, 30, "fusion.1"},
       {3, 3, 30, 48, "convolution.2"},
       {3, 3, 80, 20, "copy.3"},
       {3, 3, 85, 2, "marker"}});
  ASSERT_NE(c, nullptr);
  EXPECT_DOUBLE_EQ(work_us(*c), 30 + 48 + 20) << "the loop is what is in it, a copy is more than a short marker in it";
}

TEST(LaneRoles, UnnamedLinesCountUnlessTheyRepeatOthers) {
  const auto c = import_lanes({{4, 1, "/device:GPU:1", "compute"},
                               {4, 2, "/device:GPU:1", "side"},
                               {4, 3, "/device:GPU:1", "all of it"},
                               {4, 4, "/device:GPU:1", "groups"}},
                              {{4, 1, 0, 10, "a"},
                               {4, 1, 10, 10, "b"},
                               {4, 1, 30, 10, "c"},
                               {4, 2, 5, 40, "beside"},
                               {4, 3, 0, 10, "a"},
                               {4, 3, 10, 10, "b"},
                               {4, 4, 0, 20, "layer 1"},
                               {4, 4, 30, 10, "layer 2"}});
  ASSERT_NE(c, nullptr);
  EXPECT_DOUBLE_EQ(work_us(*c), 70);
  ASSERT_EQ(c->gpu().kernels.size(), 4u);
  for (const KernelRecord& k : c->gpu().kernels) EXPECT_EQ(k.place.device, 1);
}

TEST(LaneRoles, DevicesOfOneNumberInTwoProcessesAreTwo) {
  const auto c = import_lanes({{4, 1, "/device:GPU:0", "Stream #1"}, {5, 1, "/device:GPU:0", "Stream #1"}},
                              {{4, 1, 0, 10, "a"}, {5, 1, 0, 10, "a"}});
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->gpu().kernels.size(), 2u);
  EXPECT_NE(c->gpu().kernels[0].place.device, c->gpu().kernels[1].place.device);
}

TEST(LaneRoles, NamesOfDevices) {
  const DeviceName name = device_name_in("/job:worker/task:1/device:GPU:12/stream:7 Compute");
  EXPECT_EQ(name.kind, "gpu");
  EXPECT_EQ(name.number, 12);
  EXPECT_EQ(name.before, "/job:worker/task:1");
  EXPECT_EQ(name.rest, "/stream:7 Compute");
  EXPECT_EQ(device_name_in("/gpu:3/stream:all Compute").number, 3);
  EXPECT_EQ(device_name_in("/device:TPU:0").kind, "tpu");
  for (const char* host : {"/host:CPU", "/device:CPU:0", "/job:localhost/replica:0/task:0/cpu:0 Compute", "python", "",
                           "/device:", "/device:XLA_CPU:0"})
    EXPECT_TRUE(device_name_in(host).kind.empty()) << host;
  EXPECT_EQ(device_name_in("/device:GPU:99999999999999999999").number, -1);
}

TEST(LaneRoles, NumbersThatAreTakenGetTheNextFreeOne) {
  const auto numbers = [](const std::vector<std::string>& processes) {
    std::vector<LaneFacts> lanes;
    for (size_t i = 0; i < processes.size(); ++i) {
      LaneFacts lane;
      lane.process = processes[i], lane.thread = "Stream #1", lane.process_key = i;
      lanes.push_back(lane);
    }
    std::vector<int32_t> devices;
    for (const LaneChoice& c : choose_lanes(lanes)) devices.push_back(c.device);
    return devices;
  };
  const std::string last = "/device:GPU:2147483647";
  EXPECT_EQ(numbers({last, last, last}), (std::vector<int32_t>{2147483647, 0, 1})) << "there is no larger one";
  EXPECT_EQ(numbers({"/device:GPU:0", "/device:GPU:0", "/device:GPU:1"}), (std::vector<int32_t>{0, 2, 1}))
      << "1 keeps its own";
  EXPECT_EQ(numbers({"/device:GPU:99999999999999999999", "/device:GPU:5"}), (std::vector<int32_t>{-1, 5}));
  const std::vector<int32_t> many = numbers(std::vector<std::string>(20'000, "/device:GPU:0"));
  EXPECT_EQ(std::set<int32_t>(many.begin(), many.end()).size(), many.size());
  EXPECT_EQ(*std::ranges::max_element(many), 19'999);
}

/// A line that groups others in ever smaller parts: each of its spans at the cost of two look-ups.
TEST(LaneRoles, ManySpansThatHoldAllThatFollows) {
  constexpr int64_t kMany = 30'000;
  std::vector<LaneFacts> lanes(2);
  for (LaneFacts& lane : lanes) lane.process = "/device:GPU:0";
  lanes[0].thread = "Stream #1", lanes[1].thread = "groups";
  for (int64_t i = 0; i < kMany; ++i) {
    lanes[0].spans.push_back({2 * i, 2 * i + 1});
    lanes[1].spans.push_back({2 * i, 2 * kMany - 1});
  }
  EXPECT_EQ(choose_lanes(lanes)[1].role, LaneRole::summary);
  lanes[1].spans.back() = {2 * kMany - 2, 2 * kMany};  // ends with none of them
  EXPECT_EQ(choose_lanes(lanes)[1].role, LaneRole::work);
}

}  // namespace
