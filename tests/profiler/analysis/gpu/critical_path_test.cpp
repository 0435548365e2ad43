// SPDX-License-Identifier: Apache-2.0
// Critical paths, against a simulation of a host and its streams: what is on the path makes the step longer by as much
// as it gets longer itself, what is not does not.
#include "profiler/analysis/gpu/critical_path.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "profiler/import/importer.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"

namespace profiler {
namespace {

void expect_whole(const CriticalPath& path) {
  int64_t now = path.begin_ns;
  for (const PathPart& part : path.parts) {
    EXPECT_EQ(part.begin_ns, now);
    EXPECT_GT(part.end_ns, part.begin_ns);
    now = part.end_ns;
  }
  EXPECT_EQ(now, path.end_ns);
}

/// What a host thread does in turn.
struct Command {
  enum class Kind : uint8_t { op, launch, synchronize_stream, synchronize_device, wait_stream, copy_and_wait };
  Kind kind = Kind::op;
  int stream = 0;
  int64_t host_ns = 0, device_ns = 0;  ///< of the op or call, and of the work
};

/// Runs commands as CUDA does: streams in order, calls that return at once, or behind what they wait for.
struct Simulation {
  struct Span {
    int64_t begin_ns = 0, end_ns = 0;
  };
  static constexpr int64_t kLatencyNs = 2'000;
  std::vector<Span> host, device;  ///< by command; a device's span of no length: none
  int64_t end_ns = 0;

  explicit Simulation(const std::vector<Command>& commands) {
    int64_t now = 1'000'000;
    std::map<int, int64_t> free_at, not_before;
    for (const Command& c : commands) {
      Span on_host{now, now + c.host_ns}, on_device;
      const bool works = c.kind == Command::Kind::launch || c.kind == Command::Kind::copy_and_wait;
      if (works) {
        const int64_t given = c.kind == Command::Kind::launch ? now + c.host_ns : now;
        const int64_t begin = std::max({given, free_at[c.stream], not_before[c.stream]}) + kLatencyNs;
        on_device = {begin, begin + c.device_ns};
        free_at[c.stream] = on_device.end_ns;
      }
      int64_t until = 0;
      for (const auto& [stream, free] : free_at) {
        if (c.kind == Command::Kind::synchronize_device || stream == c.stream) until = std::max(until, free);
      }
      const bool waits = c.kind == Command::Kind::synchronize_stream || c.kind == Command::Kind::synchronize_device ||
                         c.kind == Command::Kind::copy_and_wait;
      if (waits && until > now) on_host.end_ns = until + 500;
      if (c.kind == Command::Kind::wait_stream) {
        for (const auto& [stream, free] : free_at) {
          if (stream != c.stream) not_before[c.stream] = std::max(not_before[c.stream], free);
        }
      }
      host.push_back(on_host), device.push_back(on_device);
      now = on_host.end_ns;
      end_ns = std::max({end_ns, now, on_device.end_ns});
    }
  }
};

std::vector<Command> random_commands(uint32_t seed, int streams) {
  std::mt19937 random(seed);
  const auto pick = [&random](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least));
  };
  std::vector<Command> commands;
  const int64_t host = seed % 2 == 0 ? 4'000 : 40'000;  // streams ahead of the host, or behind it
  for (int i = 0; i < 60; ++i) {
    const int64_t kind = pick(0, 20);
    const int stream = static_cast<int>(pick(0, streams));
    Command c{.stream = stream, .host_ns = pick(1'000, host)};
    if (kind < 12) c.kind = Command::Kind::launch, c.device_ns = pick(3'000, 60'000);
    else if (kind == 12) c.kind = Command::Kind::synchronize_stream;
    else if (kind == 13) c.kind = Command::Kind::synchronize_device;
    else if (kind == 14) c.kind = Command::Kind::copy_and_wait, c.device_ns = pick(3'000, 20'000);
    else if (kind <= 16 && streams > 1) c.kind = Command::Kind::wait_stream;
    commands.push_back(c);
  }
  return commands;
}

/// The rows of what the commands did: host and device, by command.
struct Recorded {
  std::shared_ptr<const Capture> capture;
  std::map<int64_t, size_t> command_at;  ///< of the host, by begin
};

Recorded record(const std::vector<Command>& commands, const Simulation& run) {
  CaptureBuilder b;
  const TrackId thread = b.track(TrackKind::host_thread, "main thread", "Host");
  const OpId op = b.add_op({.name = b.intern("op"), .type = b.intern("op")}, {});
  Recorded recorded;
  for (size_t i = 0; i < commands.size(); ++i) {
    const Command& c = commands[i];
    const GpuPlace place{.device = 0, .context = 1, .stream = 7 + c.stream};
    Activity a{.start_ns = run.host[i].begin_ns, .duration_ns = run.host[i].end_ns - run.host[i].begin_ns};
    a.track = thread;
    a.step = 0;
    a.correlation = i + 1;
    recorded.command_at[a.start_ns] = i;
    using enum Command::Kind;
    switch (c.kind) {
      case op: {
        a.op = 0, a.correlation = 0, a.name = b.intern("op");
        b.add_activity(a);
        break;
      }
      case launch: a.name = b.intern("cudaLaunchKernel"), b.add_api_call(a, {}); break;
      case copy_and_wait: a.name = b.intern("cudaMemcpy"), b.add_api_call(a, {}); break;
      case synchronize_device: a.name = b.intern("cudaDeviceSynchronize"), b.add_api_call(a, {}); break;
      case wait_stream: {
        a.name = b.intern("cudaStreamWaitEvent"), b.add_api_call(a, {});
        Activity wait = a;
        wait.track = b.track(TrackKind::stream, "synchronisation", "GPU 0");
        b.add_synchronization(wait, {.place = place, .kind = SyncKind::stream_wait_event});
        break;
      }
      case synchronize_stream: {
        a.name = b.intern("cudaStreamSynchronize"), b.add_api_call(a, {});
        Activity wait = a;
        wait.track = b.track(TrackKind::stream, "synchronisation", "GPU 0");
        b.add_synchronization(wait, {.place = place, .kind = SyncKind::stream});
        break;
      }
    }
    if (run.device[i].end_ns == run.device[i].begin_ns) continue;
    Activity work = a;
    work.start_ns = run.device[i].begin_ns;
    work.duration_ns = run.device[i].end_ns - work.start_ns;
    work.name = b.intern(fmt::format("work {}", i));
    work.track = b.track(TrackKind::stream, fmt::format("stream {}", place.stream), "GPU 0");
    if (c.kind == launch) b.add_kernel(work, {.place = place});
    else b.add_copy(work, {.place = place, .kind = CopyKind::device_to_host});
  }
  (void)op;
  b.add_step(
      {.index = 0, .start_ns = run.host.front().begin_ns, .duration_ns = run.end_ns - run.host.front().begin_ns});
  auto capture = b.finish();
  EXPECT_TRUE(capture) << capture.error().message;
  recorded.capture = capture ? *capture : nullptr;
  return recorded;
}

TEST(CriticalPath, WhatIsOnItMakesTheStepLongerAndNothingElseDoes) {
  size_t on_path = 0, off_path = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const auto commands = random_commands(seed, 1 + static_cast<int>(seed % 3));
    const Simulation run(commands);
    const Recorded recorded = record(commands, run);
    ASSERT_NE(recorded.capture, nullptr);
    const auto paths = critical_paths(*recorded.capture);
    ASSERT_EQ(paths.size(), 1u);
    expect_whole(paths[0]);
    std::set<std::pair<bool, size_t>> parts;  // whether it is a device's, command
    const ActivityColumns& a = recorded.capture->activities();
    for (const PathPart& part : paths[0].parts) {
      if (part.kind > PathKind::call) continue;
      const bool device = part.kind == PathKind::device;
      // two streams may begin work at one time, so work is told by its call
      parts.insert(
          {device, device ? a.correlation[part.activity] - 1 : recorded.command_at.at(a.start_ns[part.activity])});
    }
    for (size_t i = 0; i < commands.size(); ++i) {
      for (const bool device : {false, true}) {
        if (device && commands[i].device_ns == 0) continue;
        const bool waits = !device && commands[i].kind != Command::Kind::op &&
                           commands[i].kind != Command::Kind::launch && commands[i].kind != Command::Kind::wait_stream;
        if (waits) continue;  // their length is not their own
        std::vector<Command> longer = commands;
        (device ? longer[i].device_ns : longer[i].host_ns) += 1;
        const int64_t change = Simulation(longer).end_ns - run.end_ns;
        EXPECT_EQ(change, parts.contains({device, i}) ? 1 : 0)
            << "seed " << seed << ", command " << i << (device ? " on the device" : " on the host");
        ++(change > 0 ? on_path : off_path);
      }
    }
  }
  EXPECT_GT(on_path, 200u);
  EXPECT_GT(off_path, 200u);
}

TEST(CriticalPath, FillsTheStepsOfEveryCapture) {
  const std::string traces = std::string(TENSORTIDE_TEST_DATA) + "/traces/";
  std::vector<std::shared_ptr<const Capture>> captures{tests::sample_gpu_capture()};
  for (const char* file : {"kineto_h100_bert_small.pt.trace.json.gz", "kineto_v100_resnet50_2021.pt.trace.json.gz",
                           "kineto_a100_nccl_rank0of2.pt.trace.json.gz", "chrome_x_event_trace.json.gz"}) {
    auto capture = import_traces({.files = {traces + file}, .format = {}, .command = {}, .control = {}});
    ASSERT_TRUE(capture) << capture.error().message;
    captures.push_back(*capture);
  }
  auto ranks = import_traces({.files = {traces + "kineto_a100_nccl_rank0of2.pt.trace.json.gz",
                                        traces + "kineto_a100_nccl_rank0of2.pt.trace.json.gz"},
                              .format = {},
                              .command = {},
                              .control = {}});
  ASSERT_TRUE(ranks) << ranks.error().message;
  captures.push_back(*ranks);
  for (const auto& capture : captures) {
    const auto paths = critical_paths(*capture);
    EXPECT_FALSE(paths.empty());
    for (const CriticalPath& path : paths) expect_whole(path);
    const Table table = critical_path_table(*capture, paths);
    double share = 0;
    for (const auto& row : table.rows) share += std::get<double>(row[4]);
    EXPECT_NEAR(share, 1, 1e-9);
    EXPECT_FALSE(critical_path_sentences(*capture, paths).empty());
  }
}

TEST(CriticalPath, OnOneThreadWithoutAGpuItIsTheOpsAndWhatIsBetween) {
  CaptureBuilder b;
  const TrackId thread = b.track(TrackKind::host_thread, "main thread", "Host");
  b.add_op({.name = b.intern("a"), .type = b.intern("a")}, {});
  for (const auto& [begin, end] : {std::pair{0, 40}, {50, 70}, {55, 60}}) {
    Activity a{.start_ns = begin, .duration_ns = end - begin, .name = b.intern(fmt::format("op {}", begin)), .op = 0};
    a.track = thread;
    b.add_activity(a);
  }
  b.add_step({.index = 0, .start_ns = 0, .duration_ns = 100});
  auto capture = b.finish();
  ASSERT_TRUE(capture) << capture.error().message;
  const auto paths = critical_paths(**capture);
  ASSERT_EQ(paths.size(), 1u);
  expect_whole(paths[0]);
  std::map<std::string, int64_t> ns;
  for (const PathPart& part : paths[0].parts)
    ns[part.activity == kNoActivity ? std::string(name(part.kind))
                                    : std::string((*capture)->name((*capture)->activities().name[part.activity]))] +=
        part.end_ns - part.begin_ns;
  EXPECT_EQ(ns, (std::map<std::string, int64_t>{{"op 0", 40}, {"op 50", 15}, {"op 55", 5}, {"outside ops", 40}}));
}

TEST(CriticalPath, AThreadThatRunsNothingWaitsForTheOneThatDoes) {
  CaptureBuilder b;
  const TrackId main = b.track(TrackKind::host_thread, "main thread", "Host"),
                autograd = b.track(TrackKind::host_thread, "autograd", "Host");
  b.add_op({.name = b.intern("a"), .type = b.intern("a")}, {});
  const auto add = [&](TrackId track, int64_t begin, int64_t end, const char* what) {
    Activity a{.start_ns = begin, .duration_ns = end - begin, .name = b.intern(what), .op = 0};
    a.track = track;
    b.add_activity(a);
  };
  Activity step{.start_ns = 0, .duration_ns = 100, .kind = ActivityKind::step};
  step.track = main;
  b.add_activity(step);
  add(main, 0, 30, "forward"), add(autograd, 35, 80, "backward"), add(main, 85, 100, "update");
  b.add_step({.index = 0, .start_ns = 0, .duration_ns = 100});
  auto capture = b.finish();
  ASSERT_TRUE(capture) << capture.error().message;
  const auto paths = critical_paths(**capture);
  ASSERT_EQ(paths.size(), 1u);
  expect_whole(paths[0]);
  std::vector<std::pair<PathKind, int64_t>> parts;
  for (const PathPart& part : paths[0].parts) parts.emplace_back(part.kind, part.end_ns - part.begin_ns);
  EXPECT_EQ(
      parts,
      (std::vector<std::pair<PathKind, int64_t>>{
          {PathKind::op, 30}, {PathKind::outside, 5}, {PathKind::op, 45}, {PathKind::outside, 5}, {PathKind::op, 15}}));
}

TEST(CriticalPath, NothingRecordedHasNone) {
  auto capture = CaptureBuilder().finish();
  ASSERT_TRUE(capture);
  EXPECT_TRUE(critical_paths(**capture).empty());
  EXPECT_TRUE(critical_path_sentences(**capture, {}).empty());
  EXPECT_TRUE(critical_path_table(**capture, {}).rows.empty());
}

}  // namespace
}  // namespace profiler
