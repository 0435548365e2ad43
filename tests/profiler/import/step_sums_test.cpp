// SPDX-License-Identifier: Apache-2.0
// What the tables of a trace say of a step adds up to what ran in it: every grouping, every trace there is and many
// made ones.
#include <cmath>
#include <map>
#include <set>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/communication.h"
#include "profiler/capture/timed_steps.h"
#include "profiler/store/capture_file.h"
#include "tests/profiler/import/import_support.h"
#include "tests/profiler/import/made_traces.h"

namespace {

using namespace profiler;
using namespace tests;

size_t column(const Table& table, const std::string& key) {
  const auto at =
      std::find_if(table.columns.begin(), table.columns.end(), [&](const Column& c) { return c.key == key; });
  EXPECT_NE(at, table.columns.end()) << key;
  return static_cast<size_t>(at - table.columns.begin());
}

double number(const Cell& cell) { return std::holds_alternative<double>(cell) ? std::get<double>(cell) : 0; }

double sum_of(const Table& table, const std::string& key, bool outermost_only = false) {
  const size_t at = column(table, key), depth = outermost_only ? column(table, "depth_count") : 0;
  double sum = 0;
  for (const auto& row : table.rows) {
    if (!outermost_only || number(row[depth]) == 1) sum += number(row[at]);
  }
  return sum;
}

struct Raw {
  double ns = 0, pieces = 0;  ///< of a step
};

/// By the events alone: of a GPU the durations of its work in counted steps; of a host, instant by instant, what the
/// innermost op of each thread covers.
Raw raw_of_a_step(const Capture& c) {
  std::set<uint32_t> steps;
  for (const StepRecord& s : c.steps()) {
    if (s.traced && !s.warmup) steps.insert(s.index);
  }
  const ActivityColumns& a = c.activities();
  const bool gpu = !c.gpu().kernels.empty() || !c.gpu().copies.empty() || !c.gpu().memsets.empty();
  Raw raw;
  std::map<TrackId, std::vector<uint32_t>> by_track;
  for (uint32_t i = 0; i < a.size(); ++i) {
    const ActivityKind kind = a.kind[i];
    if (gpu && (kind == ActivityKind::kernel || kind == ActivityKind::copy || kind == ActivityKind::memset) &&
        steps.contains(a.step[i])) {
      raw.ns += static_cast<double>(a.duration_ns[i]);
      ++raw.pieces;
    }
    if (!gpu && kind == ActivityKind::op) by_track[a.track[i]].push_back(i);
  }
  for (const auto& [track, rows] : by_track) {
    std::set<int64_t> edges;
    for (const uint32_t i : rows) edges.insert({a.start_ns[i], a.start_ns[i] + a.duration_ns[i]});
    for (auto edge = edges.begin(); edge != edges.end() && std::next(edge) != edges.end(); ++edge) {
      uint32_t owner = kNoOp;
      for (const uint32_t i : rows) {
        if (a.start_ns[i] <= *edge && a.start_ns[i] + a.duration_ns[i] > *edge)
          owner = i;  // rows ascend by start, longer first
      }
      if (owner != kNoOp && steps.contains(a.step[owner])) raw.ns += static_cast<double>(*std::next(edge) - *edge);
    }
  }
  const double count = static_cast<double>(std::max<size_t>(1, steps.size()));
  return {raw.ns / count, raw.pieces / count};
}

void expect_tables_add_up(const CapturePtr& c, const std::string& what) {
  ASSERT_NE(c, nullptr) << what;
  const Raw raw = raw_of_a_step(*c);
  const auto analyzed = analyze(c);
  const double within = 1e-9 * raw.ns + 1e-3;
  for (const OpsBy by : {OpsBy::op, OpsBy::type, OpsBy::kernel, OpsBy::phase, OpsBy::layer}) {
    const Table table = ops_table(*analyzed, by);
    EXPECT_NEAR(sum_of(table, "time_ns", by == OpsBy::layer), raw.ns, within)
        << what << ", grouping " << static_cast<int>(by);
    if (by == OpsBy::kernel && !c->gpu().kernels.empty()) {
      EXPECT_NEAR(sum_of(table, "calls_count"), raw.pieces, 1e-6) << what;
    }
  }
  EXPECT_NEAR(sum_of(*table_by_name(*analyzed, "verdicts", OpsBy::op), "time_ns"), raw.ns, within)
      << what << ", by limit";
  const Summary s = summary(*analyzed);
  double shares = std::isnan(s.untimed_ratio) ? 0 : s.untimed_ratio;
  for (const Limiter& limiter : s.limiters) shares += limiter.share;
  if (!s.limiters.empty()) {
    EXPECT_NEAR(shares, 1, 1e-9) << what;
  }
  double span = 0, parts = 0;
  for (const GpuRegion& r : overlap(*c).regions) {
    span += r.span_ns, parts += r.kernel_ns + r.exposed_communication_ns + r.exposed_ns() + r.idle_ns;
    EXPECT_GE(std::min({r.kernel_ns, r.exposed_communication_ns, r.exposed_ns(), r.idle_ns}), 0) << what;
    EXPECT_NEAR(r.idle.total(), r.idle_ns, 1e-3) << what;
  }
  EXPECT_NEAR(parts, span, 1e-6 * span + 1e-3) << what;
}

TEST(StepSums, TablesOfRealTracesAddUp) {
  for (const char* name : {"kineto_h100_bert_small.pt.trace.json.gz", "kineto_a100_nccl_rank0of2.pt.trace.json.gz",
                           "kineto_v100_resnet50_2021.pt.trace.json.gz", "chrome_x_event_trace.json.gz"}) {
    expect_tables_add_up(import_file(trace_file(name)), name);
  }
  const auto nsys =
      import_bytes(*first_bytes(trace_file("nsys_h100_2gpu_1s.sqlite.gz"), size_t{4} << 20), "h100.sqlite");
  ASSERT_TRUE(nsys) << nsys.error().message;
  expect_tables_add_up(*nsys, "nsys");
}

TEST(StepSums, TablesOfMadeTracesAddUp) {
  for (uint32_t seed = 1; seed <= 24; ++seed) {
    MadeShape shape{.steps = 1 + static_cast<int>(seed % 7),
                    .threads = 1 + static_cast<int>(seed % 3),
                    .devices = 1 + static_cast<int>(seed % 2)};
    shape.gpu = seed % 5 != 0;
    shape.communication = seed % 2 == 0;
    shape.lag_ns = seed % 3 == 0 ? 1'700'000 : 0;
    const MadeTrace made = made_kineto(seed, shape);
    const auto imported = import_bytes(made.json);
    ASSERT_TRUE(imported) << imported.error().message;
    const std::string what = "seed " + std::to_string(seed);
    expect_tables_add_up(*imported, what);
    if (!shape.gpu) continue;
    EXPECT_NEAR(raw_of_a_step(**imported).ns * made.steps, static_cast<double>(made.device_ns), 1e-3) << what;
    const Overlap o = overlap(**imported);
    EXPECT_EQ(o.places.busy_ns > 0, made.device_ns + made.stepless_ns > 0) << what;
  }
}

// 1.77x, 1.68x and 1.64x were the sums where medians over the steps an op ran in stood for what a step takes.
TEST(StepSums, AnOpOfOneStepInFourIsAQuarterOfIt) {
  std::string events;
  for (int step = 0; step < 4; ++step) {
    const int at = 1000 * step;
    events += "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#" + std::to_string(step) +
              "\",\"pid\":1,\"tid\":1,\"ts\":" + std::to_string(at) + ",\"dur\":1000},";
    events +=
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":" + std::to_string(at + 10) +
        ",\"dur\":400,\"args\":{\"Input Dims\":[[" + std::to_string(2 + step) +
        ",3],[3,4]],\"Input type\":[\"float\",\"float\"]}},";
  }
  events.pop_back();
  const auto c = import_bytes("{\"traceEvents\": [" + events + "]}");
  ASSERT_TRUE(c) << c.error().message;
  const auto analyzed = analyze(*c);
  const Table ops = ops_table(*analyzed, OpsBy::op);
  ASSERT_EQ(ops.rows.size(), 4u);
  for (const auto& row : ops.rows) EXPECT_DOUBLE_EQ(number(row[column(ops, "time_ns")]), 100'000);
  const Table types = ops_table(*analyzed, OpsBy::type);
  ASSERT_EQ(types.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(number(types.rows[0][column(types, "time_ns")]), 400'000);
  EXPECT_DOUBLE_EQ(number(types.rows[0][column(types, "calls_count")]), 1);
  EXPECT_DOUBLE_EQ(number(types.rows[0][column(types, "flops")]), 2 * 3 * 4 * (2 + 3 + 4 + 5) / 4.0);
}

/// Steps of these lengths, an op of busy_us in each; with a GPU that op launches a kernel of that time.
CapturePtr steps_of(const std::vector<std::pair<int, int>>& lengths_and_busy_us, bool gpu) {
  std::string events;
  int at = 1000, step = 0;
  for (const auto& [length, busy] : lengths_and_busy_us) {
    ++step;
    const std::string n = std::to_string(step), ts = std::to_string(at);
    events += R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)" + n + R"(","pid":1,"tid":1,"ts":)" + ts +
              R"(,"dur":)" + std::to_string(length) + "},";
    events += R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":)" + ts + R"(,"dur":)" +
              std::to_string(gpu ? 1 : busy) + R"(,"args":{"External id":)" + n + "}},";
    if (gpu) {
      events += R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":)" + ts +
                R"(,"dur":1,"args":{"correlation":)" + n + R"(,"External id":)" + n + "}},";
      events += R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)" + ts + R"(,"dur":)" +
                std::to_string(busy) + R"(,"args":{"device":0,"stream":7,"correlation":)" + n + R"(,"External id":)" +
                n + "}},";
    }
    at += length;
  }
  events.pop_back();
  const auto c = import_events(events);
  EXPECT_TRUE(c) << c.error().message;
  return c ? *c : nullptr;
}

// Medians over the steps of each one's idle part said 49 % where 98 % of the time passed outside of ops, and 51 % of
// the step where an op of 1 ms takes 2 %.
TEST(StepSums, SharesAreOfAllStepsHoweverMuchTheyDiffer) {
  const std::vector<std::vector<std::pair<int, int>>> kinds{{{1000, 1000}, {99000, 1000}},
                                                            {{1000, 990}, {99000, 1000}, {1000, 990}},
                                                            {{100, 90}, {100, 90}, {100, 90}, {50000, 10}},
                                                            {{700, 70}, {70, 70}, {7000, 7}},
                                                            {{1000, 400}, {1000, 400}}};
  for (const auto& kind : kinds) {
    double length = 0, busy = 0;
    for (const auto& [l, b] : kind) length += l, busy += b;
    for (const bool gpu : {false, true}) {
      const CapturePtr c = steps_of(kind, gpu);
      ASSERT_NE(c, nullptr);
      expect_tables_add_up(c, "steps of different lengths");
      const auto analyzed = analyze(c);
      const Summary s = summary(*analyzed);
      EXPECT_NEAR(s.untimed_ratio, 1 - busy / length, 1e-9) << kind[0].first << (gpu ? " on a GPU" : "");
      const Table ops = ops_table(*analyzed, OpsBy::type);
      double shares = 0, times = 0;
      for (const auto& row : ops.rows) {
        if (const Cell& share = row[column(ops, "share_ratio")]; std::holds_alternative<double>(share))
          shares += number(share), times += number(row[column(ops, "time_ns")]);
      }
      EXPECT_NEAR(shares, busy / length, 1e-9) << kind[0].first << (gpu ? " on a GPU" : "");
      EXPECT_NEAR(times / mean_step_ns(*c), shares, 1e-9) << "a share is the time beside it, of the mean step";
      EXPECT_EQ(std::isnan(mean_step_apart_ns(*c)), kind.size() == 2)
          << "said where it is not the median: " << kind[0].first;
    }
  }
}

TEST(StepSums, OpsThatCrossOnAThreadCountOnce) {
  const auto c = import_events(R"~({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":100},
    {"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":10,"dur":10}, {"ph":"X","cat":"cpu_op","name":"c","pid":1,"tid":1,"ts":15,"dur":35},
    {"ph":"X","cat":"cpu_op","name":"d","pid":1,"tid":1,"ts":40,"dur":90}, {"ph":"X","cat":"cpu_op","name":"e","pid":1,"tid":1,"ts":60,"dur":0})~");
  ASSERT_TRUE(c) << c.error().message;
  expect_tables_add_up(*c, "crossing ops");
  EXPECT_DOUBLE_EQ(raw_of_a_step(**c).ns, 130'000);
}

TEST(StepSums, OddTracesAddUp) {
  const char* const kOdd[] = {
      // no ids; ids that are words
      R"~({"ph":"X","cat":"cpu_op","name":"a","ts":0,"dur":10},{"ph":"X","cat":"kernel","name":"k","ts":5,"dur":7,"args":{"device":0,"stream":7}})~",
      R"~({"ph":"X","cat":"kernel","name":"k","pid":"GPU","tid":"stream 7","ts":"5","dur":"7.5"},{"ph":"X","cat":"cpu_op","name":"a","pid":"p","tid":"t","ts":0,"dur":10})~",
      // begin and end halves on a device's lanes
      R"~({"ph":"M","name":"process_name","pid":1,"args":{"name":"/device:GPU:0"}},{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"Stream #1"}},
        {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"XLA Ops"}},{"ph":"B","name":"k","pid":1,"tid":1,"ts":1},{"ph":"E","name":"k","pid":1,"tid":1,"ts":9},
        {"ph":"B","name":"o","pid":1,"tid":2,"ts":1},{"ph":"E","pid":1,"tid":2,"ts":9})~",
      // spans that cross and some without length on one stream, equal streams of two GPUs
      R"~({"ph":"X","cat":"kernel","name":"a","ts":0,"dur":8,"args":{"device":0,"stream":7}},{"ph":"X","cat":"kernel","name":"b","ts":5,"dur":20,"args":{"device":0,"stream":7}},
        {"ph":"X","cat":"kernel","name":"c","ts":6,"dur":0,"args":{"device":1,"stream":7}},{"ph":"X","cat":"kernel","name":"a","ts":5,"dur":3,"args":{"device":1,"stream":7}})~",
      // steps that overlap, come twice, and have no length
      R"~({"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":1,"tid":0,"ts":0,"dur":120},{"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":1,"tid":1,"ts":10,"dur":120},
        {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":0,"ts":100,"dur":120},{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":0,"ts":300,"dur":0},
        {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":90,"dur":15},{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":110,"dur":15},{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":295,"dur":15})~",
      // a launch of two kernels, one before it; the largest step there can be; times before 0
      R"~({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":50,"dur":5,"args":{"correlation":1}},{"ph":"X","cat":"kernel","name":"k","ts":10,"dur":5,"args":{"correlation":1}},
        {"ph":"X","cat":"kernel","name":"k","ts":90,"dur":5,"args":{"correlation":1}})~",
      R"~({"ph":"X","cat":"user_annotation","name":"ProfilerStep#4294967294","pid":1,"tid":1,"ts":0,"dur":100},
        {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","ts":20,"dur":5,"args":{"device":0,"stream":7,"bytes":100}})~",
      R"~({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":-100,"dur":50},{"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":-80,"dur":50})~"};
  for (const char* events : kOdd) {
    const auto c = import_events(events);
    ASSERT_TRUE(c) << events << c.error().message;
    expect_tables_add_up(*c, events);
  }
}

TEST(StepSums, StepsEndWithTheGpusWork) {
  const MadeTrace made = made_kineto(11, {.steps = 5, .threads = 1, .lag_ns = 3'000'000});
  const auto imported = import_bytes(made.json);
  ASSERT_TRUE(imported) << imported.error().message;
  const Capture& c = **imported;
  const std::vector<StepWindow> windows = timed_step_windows(c);
  ASSERT_EQ(windows.size(), 5u);
  for (size_t i = 0; i < windows.size(); ++i) {
    EXPECT_GE(windows[i].end_ns, windows[i].begin_ns);
    if (i > 0) {
      EXPECT_EQ(windows[i].begin_ns, windows[i - 1].end_ns) << "the GPU is behind: steps follow one another";
    }
  }
  const Overlap o = overlap(c);
  double busy = 0;
  for (const GpuRegion& r : o.regions) busy += r.span_ns - r.idle_ns;
  EXPECT_NEAR(busy, o.places.busy_ns - o.places.stepless_ns, 1) << "all work of the steps lies in their windows";
  EXPECT_GT(o.places.behind_host_ns, 0.9 * busy);
  std::string said;
  for (const std::string& sentence : o.findings) said += sentence;
  EXPECT_NE(said.find("runs behind the host"), std::string::npos) << said;
}

TEST(StepSums, RanksKeepTheirStepsAndDevices) {
  TemporaryFolder folder;
  const MadeTrace first = made_kineto(3, {.steps = 3, .communication = true}),
                  second = made_kineto(4, {.steps = 4, .communication = true, .shift_ns = 40'000'000});
  write_bytes(folder / "a.json", first.json), write_bytes(folder / "b.json", second.json);
  const auto c =
      import_traces({.files = {folder / "a.json", folder / "b.json"}, .format = {}, .command = {}, .control = {}});
  ASSERT_TRUE(c) << c.error().message;
  ASSERT_EQ((*c)->ranks().size(), 2u);
  EXPECT_EQ((*c)->ranks()[0].steps.size(), 3u);
  EXPECT_EQ((*c)->ranks()[1].steps.size(), 4u);
  EXPECT_GT((*c)->ranks()[1].steps[0].start_ns, (*c)->ranks()[0].steps[2].start_ns) << "each at its own time";
  EXPECT_EQ((*c)->steps().size(), 4u) << "steps of one number are one step of the work";
  const Overlap o = overlap(**c);
  ASSERT_EQ(o.regions.size(), 7u);
  for (const GpuRegion& r : o.regions)
    EXPECT_LT(r.idle_ns, r.span_ns) << "rank " << r.rank << ", step " << r.step << ": its GPU worked";
  expect_tables_add_up(*c, "two ranks");
  EXPECT_NEAR(raw_of_a_step(**c).ns * 4, static_cast<double>(first.device_ns + second.device_ns), 1e-3);
  ASSERT_TRUE(save_capture(**c, folder / "both.tide"));
  const auto again = open_capture(folder / "both.tide");
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ((*again)->ranks().size(), 2u);
  EXPECT_EQ((*again)->ranks()[1].tracks, (*c)->ranks()[1].tracks);
  ASSERT_EQ((*again)->ranks()[1].steps.size(), 4u);
  EXPECT_EQ((*again)->ranks()[1].steps[2].start_ns, (*c)->ranks()[1].steps[2].start_ns);
  EXPECT_EQ((*again)->name((*again)->ranks()[1].name), "rank 1");
}

TEST(StepSums, RanksAreCalledWhatTheirFilesSay) {
  const auto names = [](const std::string& first, const std::string& second) {
    TemporaryFolder folder;
    const auto trace = [](const std::string& said) {
      return "{" + said +
             "\"traceEvents\": "
             "[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":5}]}";
    };
    write_bytes(folder / "a.json", trace(first)), write_bytes(folder / "b.json", trace(second));
    const auto c =
        import_traces({.files = {folder / "a.json", folder / "b.json"}, .format = {}, .command = {}, .control = {}});
    EXPECT_TRUE(c) << c.error().message;
    std::string all;
    for (const RankRecord& rank : (*c)->ranks())
      all += std::string((*c)->name(rank.name)) + " of " + (*c)->tracks()[rank.tracks.at(0)].group + "; ";
    return all;
  };
  const std::string five = R"("distributedInfo": {"backend": "nccl", "rank": 5, "world_size": 8}, )",
                    two = R"("distributedInfo": {"rank":2}, )";
  EXPECT_EQ(names(five, two), "rank 5 of rank 5 · process 1; rank 2 of rank 2 · process 1; ");
  EXPECT_EQ(names(five, five), "rank 0 of rank 0 · process 1; rank 1 of rank 1 · process 1; ") << "they do not differ";
  EXPECT_EQ(names(five, ""), "rank 0 of rank 0 · process 1; rank 1 of rank 1 · process 1; ");
}

TEST(StepSums, CommunicationIsNoComputing) {
  const auto c =
      import_events(R"~({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":1000},
    {"ph":"X","cat":"cpu_op","name":"c10d::allreduce_","pid":1,"tid":1,"ts":10,"dur":50,"args":{"External id":1}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernelExC","pid":1,"tid":1,"ts":20,"dur":5,"args":{"correlation":1}},
    {"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)","pid":0,"tid":20,"ts":300,"dur":640,"args":{"device":0,"stream":20,"correlation":1}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":70,"dur":50},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":80,"dur":5,"args":{"correlation":2}},
    {"ph":"X","cat":"kernel","name":"sgemm_128x64","pid":0,"tid":7,"ts":100,"dur":250,"args":{"device":0,"stream":7,"correlation":2}})~");
  ASSERT_TRUE(c) << c.error().message;
  const Overlap o = overlap(**c);
  ASSERT_EQ(o.regions.size(), 1u);
  EXPECT_DOUBLE_EQ(o.regions[0].kernel_ns, 250'000);
  EXPECT_DOUBLE_EQ(o.regions[0].communication_ns, 640'000);
  EXPECT_DOUBLE_EQ(o.regions[0].exposed_communication_ns, 590'000);
  EXPECT_EQ(o.regions[0].bound, GpuBound::communication);
  EXPECT_NE(o.findings.at(0).find("computes 25 % of the time, communicates without computing 59 %"), std::string::npos)
      << o.findings[0];
  const auto analyzed = analyze(*c);
  EXPECT_EQ(analyzed->step.bound, Bound::communication);
  const Summary s = summary(*analyzed);
  ASSERT_FALSE(s.limiters.empty());
  EXPECT_EQ(s.limiters[0].bound, Bound::communication);
  EXPECT_TRUE(s.limiters[0].what.starts_with("communication between GPUs: c10d::allreduce_")) << s.limiters[0].what;
  const Table kernels = ops_table(*analyzed, OpsBy::kernel);
  for (const auto& row : kernels.rows) {
    const bool nccl = std::get<std::string>(row[0]).starts_with("nccl");
    EXPECT_EQ(std::get<std::string>(row[column(kernels, "verdict")]) == "communication", nccl)
        << std::get<std::string>(row[0]);
  }
}

}  // namespace
