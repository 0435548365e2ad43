// SPDX-License-Identifier: Apache-2.0
// gpu_selfcheck: what the documents say of CUPTI and only a GPU can confirm, check by check; prints one JSON document.
// usage: gpu_selfcheck [--json FILE]   exit code 0: all passed or skipped, 1: one failed, 3: no GPU or no CUPTI
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "profiler/cupti/examine.h"
#include "profiler/cupti/pm_sampler.h"
#include "profiler/cupti/range_counters.h"
#include "profiler/cupti/tracer.h"
#include "profiler/gpu/joiner.h"
#include "tests/profiler/cupti/selfcheck/work.h"

namespace {

using nlohmann::json;
using namespace profiler;  // NOLINT: a program, not a library

constexpr unsigned kHardLimitSeconds = 110;  // a hang is a failure, not a wait

class Report {
 public:
  void add(const std::string& name, bool pass, const json& value, const json& expected,
           const std::string& reason = "") {
    checks_.push_back({{"name", name},
                       {"state", pass ? "pass" : "fail"},
                       {"value", value},
                       {"expected", expected},
                       {"reason", reason}});
    failed_ = failed_ || !pass;
    fmt::print(stderr, "{}  {}  {}\n", pass ? "pass" : "FAIL", name, value.dump());
  }
  void note(const std::string& name, const json& value) {
    checks_.push_back({{"name", name}, {"state", "info"}, {"value", value}});
  }
  bool failed() const { return failed_; }
  std::string text() const { return json{{"checks", checks_}, {"failed", failed_}}.dump(2); }

 private:
  json checks_ = json::array();
  bool failed_ = false;
};

bool ok(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return true;
  fmt::print(stderr, "gpu_selfcheck: {}: {}\n", doing, cudaGetErrorString(error));
  return false;
}

/// Nanoseconds of `count` launches of an empty kernel and the wait for them, best of 5.
double launch_loop_ns(int count) {
  double best = INFINITY;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const int64_t begin = engine::now_ns();
    for (int i = 0; i < count; ++i) selfcheck::spin(0, nullptr);
    cudaDeviceSynchronize();
    best = std::min(best, static_cast<double>(engine::now_ns() - begin));
  }
  return best;
}

/// The same in a process of its own, in which CUPTI never was.
double untraced_launch_loop_ns(const char* program) {
  FILE* child = popen(fmt::format("'{}' --untraced", program).c_str(), "r");
  if (child == nullptr) return NAN;
  double ns = NAN;
  if (std::fscanf(child, "%lf", &ns) != 1) ns = NAN;
  pclose(child);
  return ns;
}

/// What one section did, joined: activities by op.
class Session {
 public:
  Session() {
    for (int i = 0; i < 2000; ++i) {
      OpRecord op;
      op.name = builder_.intern(fmt::format("op{}", i));
      builder_.add_op(op, {});
    }
  }
  engine::Result<void> start(const cupti::CuptiApi& api) {
    auto tracer = cupti::CuptiTracer::start(api, {});
    if (!tracer) return tracer.error();
    tracer_ = *std::move(tracer);
    return {};
  }
  GpuTracer& tracer() { return *tracer_; }
  /// Everything since the last call.
  GpuBatch collect() {
    cudaDeviceSynchronize();
    usleep(500'000);  // three read-outs
    GpuBatch batch;
    for (GpuEvents& events : tracer_->take()) append(batch, joiner_.join(std::move(events), false));
    append(batch, joiner_.join({}, true));
    return batch;
  }
  const GpuLosses& losses() const { return joiner_.losses(); }
  void stop() { static_cast<void>(tracer_->stop()); }

 private:
  CaptureBuilder builder_;
  GpuJoiner joiner_{builder_};
  std::unique_ptr<cupti::CuptiTracer> tracer_;
};

void check_second_subscriber(Report& report, const cupti::CuptiApi& api) {
  char other[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = {};
  CUpti_SubscriberParams params{CUpti_SubscriberParams_STRUCT_SIZE, "second", other, sizeof other};
  CUpti_SubscriberHandle handle = nullptr;
  const auto nothing = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  const CUptiResult result =
      api.subscribe_v2(&handle, reinterpret_cast<CUpti_CallbackFunc>(+nothing), nullptr, &params);
  report.add("second subscriber is refused with a name",
             result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && *other != '\0',
             json{{"result", static_cast<int>(result)}, {"name", other}}, 39);
}

void check_clock(Report& report, Session& session) {
  const int64_t begin = engine::now_ns();
  {
    const ExternalScope op(session.tracer(), ExternalKind::op, 1);
    for (int i = 0; i < 100; ++i) selfcheck::spin(20000, nullptr);
  }
  cudaDeviceSynchronize();
  const int64_t end = engine::now_ns();
  const GpuBatch batch = session.collect();
  std::map<uint64_t, int64_t> launches;
  for (const ApiCallRecord& call : batch.records.api_calls) {
    const Activity& a = batch.activities[call.activity];
    launches[a.correlation] = a.start_ns;
  }
  int64_t early = 0, outside = 0, without_call = 0, worst = 0;
  for (const KernelRecord& kernel : batch.records.kernels) {
    const Activity& a = batch.activities[kernel.activity];
    const auto launch = launches.find(a.correlation);
    if (launch == launches.end()) {
      ++without_call;
    } else {
      worst = std::min(worst, a.start_ns - launch->second);
      early += a.start_ns + 2000 < launch->second;
    }
    outside += a.start_ns + 2000 < begin || a.start_ns + a.duration_ns > end + 2000;
  }
  report.add("100 kernels are seen", batch.records.kernels.size() == 100, batch.records.kernels.size(), 100);
  report.add("every kernel has its call", without_call == 0, without_call, 0, "cudart is linked statically");
  report.add("no kernel starts before its launch", early == 0, json{{"early", early}, {"worst_ns", worst}},
             "0, within 2 us");
  report.add("kernels lie between first launch and synchronisation", outside == 0, outside, 0);
}

void check_copies(Report& report, Session& session) {
  for (const size_t bytes : {size_t{4} << 10, size_t{64} << 10, size_t{4} << 20, size_t{256} << 20}) {
    void *device = nullptr, *pinned = nullptr;
    if (!ok(cudaMalloc(&device, bytes), "cudaMalloc") || !ok(cudaMallocHost(&pinned, bytes), "cudaMallocHost")) return;
    std::vector<char> pageable(bytes, 1);
    for (const bool pin : {true, false}) {
      for (const auto direction : {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost}) {
        session.collect();
        void* host = pin ? pinned : pageable.data();
        const bool up = direction == cudaMemcpyHostToDevice;
        cudaMemcpyAsync(up ? device : host, up ? host : device, bytes, direction, nullptr);
        const GpuBatch batch = session.collect();
        int64_t sum = 0, kinds = 0;
        double ns = 0;
        for (const CopyRecord& copy : batch.records.copies) {
          sum += copy.bytes;
          kinds += copy.kind == (up ? CopyKind::host_to_device : CopyKind::device_to_host) &&
                   (up ? copy.source : copy.destination) == (pin ? MemoryKind::pinned : MemoryKind::pageable);
          ns += static_cast<double>(batch.activities[copy.activity].duration_ns);
        }
        const auto records = static_cast<int64_t>(batch.records.copies.size());
        report.add(fmt::format("copy {} {} {} B", pin ? "pinned" : "pageable", up ? "to device" : "to host", bytes),
                   sum == static_cast<int64_t>(bytes) && kinds == records && records > 0,
                   json{{"records", records},
                        {"bytes", sum},
                        {"rate_bytes_per_s", ns > 0 ? static_cast<double>(bytes) / ns * 1e9 : 0}},
                   json{{"bytes", bytes}});
      }
    }
    cudaMemset(device, 7, bytes);
    const GpuBatch batch = session.collect();
    report.add(fmt::format("memset {} B", bytes),
               batch.records.memsets.size() == 1 && batch.records.memsets[0].bytes == static_cast<int64_t>(bytes),
               batch.records.memsets.size(), 1);
    cudaFree(device);
    cudaFreeHost(pinned);
  }
}

void check_attribution(Report& report, Session& session) {
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  session.collect();
  {
    const ExternalScope step(session.tracer(), ExternalKind::step, 0);
    for (uint64_t i = 0; i < 1000; ++i) {
      const ExternalScope op(session.tracer(), ExternalKind::op, i);
      selfcheck::spin(1000, streams[i % 2]);
    }
  }
  const GpuBatch batch = session.collect();
  std::vector<int> seen(1000);
  for (const KernelRecord& kernel : batch.records.kernels) {
    const OpId op = batch.activities[kernel.activity].op;
    if (op < seen.size()) ++seen[op];
  }
  report.add("1000 kernels on 2 streams each find their op", std::count(seen.begin(), seen.end(), 1) == 1000,
             std::count(seen.begin(), seen.end(), 1), 1000);
  report.add("nothing was lost", !session.losses().any(),
             json{{"dropped", session.losses().dropped},
                  {"untimed", session.losses().untimed},
                  {"unattributed", session.losses().unattributed},
                  {"unreadable", session.losses().unreadable},
                  {"clock_steps", session.losses().clock_steps}},
             "all 0");
  cudaEvent_t before, after;
  cudaEventCreate(&before);
  cudaEventCreate(&after);
  cudaEventRecord(before, streams[0]);
  selfcheck::spin(1'000'000, streams[0]);
  cudaEventRecord(after, streams[0]);
  const GpuBatch timed = session.collect();
  float event_ms = 0;
  cudaEventElapsedTime(&event_ms, before, after);
  const double kernel_ns = timed.records.kernels.size() == 1
                               ? static_cast<double>(timed.activities[timed.records.kernels[0].activity].duration_ns)
                               : NAN;
  report.add("a kernel's time agrees with CUDA events",
             std::abs(kernel_ns / (1e6 * static_cast<double>(event_ms)) - 1) < 0.05,
             json{{"kernel_ns", kernel_ns}, {"events_ns", 1e6 * static_cast<double>(event_ms)}}, "within 5 %");
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
}

void check_graph(Report& report, Session& session) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  session.collect();
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  for (uint64_t i = 0; i < 3; ++i) {
    const ExternalScope op(session.tracer(), ExternalKind::op, 100 + i);
    selfcheck::spin(1000, stream);
  }
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t exec;
  if (!ok(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate")) return;
  for (int i = 0; i < 100; ++i) cudaGraphLaunch(exec, stream);
  const GpuBatch batch = session.collect();
  std::map<OpId, int> ops;
  for (const KernelRecord& kernel : batch.records.kernels) ++ops[batch.activities[kernel.activity].op];
  report.add(
      "100 replays of a graph give 300 kernels of their 3 ops", ops[100] == 100 && ops[101] == 100 && ops[102] == 100,
      json{{"kernels", batch.records.kernels.size()}, {"op100", ops[100]}, {"op101", ops[101]}, {"op102", ops[102]}},
      300);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

/// After the trace has ended: counters and traces do not mix. Needs the driver's handles, by name.
void check_counters(Report& report, const cupti::CuptiLibrary& library) {
  if (!library.no_counters.empty()) return report.note("counters", library.no_counters);
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto current =
      reinterpret_cast<int (*)(CUcontext*)>(driver == nullptr ? nullptr : dlsym(driver, "cuCtxGetCurrent"));
  CUcontext context = nullptr;
  if (current == nullptr || current(&context) != 0 || context == nullptr)
    return report.note("counters", "no current context");
  auto counters = cupti::RangeCounters::make(library.api, context, 0, 0, profiler::CounterSet::traffic, 16);
  if (!counters) {
    const bool permission = counters.error().message.find("ERR_NVGPUCTRPERM") != std::string::npos;
    if (permission) return report.note("counters", counters.error().message);
    return report.add("counters start", false, counters.error().message, "");
  }
  report.add("the counters fit into one pass", counters->choice().passes == 1, counters->choice().passes, 1);
  constexpr size_t kLarge = size_t{256} << 20, kSmall = size_t{1} << 20;  // floats: 1 GiB, 4 MiB (stays in L2)
  float *from = nullptr, *to = nullptr;
  if (!ok(cudaMalloc(&from, kLarge * 4), "cudaMalloc") || !ok(cudaMalloc(&to, kLarge * 4), "cudaMalloc")) return;
  cudaMemset(from, 0, kLarge * 4);
  cudaDeviceSynchronize();
  auto counted = [&]() -> engine::Result<std::vector<profiler::CounterRange>> {
    if (auto done = counters->begin(); !done) return done.error();
    for (const OpId op : {0u, 1u, 2u}) {  // large; small twice: the second time from L2
      if (auto done = counters->push(op); !done) return done.error();
      selfcheck::copy(to, from, op == 0 ? kLarge : kSmall, nullptr);
      if (auto done = counters->pop(); !done) return done.error();
    }
    cudaDeviceSynchronize();
    return counters->end();
  }();
  if (!counted) return report.add("counters count", false, counted.error().message, "");
  json values = json::array();
  double large = 0, small_again = 0;
  for (const profiler::CounterRange& range : *counted) {
    json row{{"op", range.op}};
    for (size_t m = 0; m < range.values.size(); ++m) {
      const std::string& key = counters->choice().metrics[m].key;
      row[key] = range.values[m];
      if (key != "dram_read_bytes" && key != "dram_written_bytes") continue;
      if (range.op == 0) large += range.values[m];
      if (range.op == 2) small_again += range.values[m];
    }
    values.push_back(row);
  }
  report.note("counted", values);
  report.add("a copy of 1 GiB moves 2 GiB of device memory", std::abs(large / (8.0 * kLarge) - 1) < 0.03, large,
             "2 GiB, within 3 %");
  report.add("what lies in L2 is not read from device memory", small_again < 0.5 * 8.0 * kSmall, small_again,
             "well below 8 MiB");
  cudaFree(from);
  cudaFree(to);
}

/// Samples lie on the clock that kernels and our own stamps lie on: a sampled GPU is busy while a kernel spins, and
/// idle before.
void check_samples(Report& report, const cupti::CuptiLibrary& library) {
  if (!library.no_counters.empty() || !library.no_samples.empty())
    return report.note("samples", library.no_counters + library.no_samples);
  auto sampler = cupti::PmSampler::start(library.api, 0, 0);
  if (!sampler) {
    const bool permission = sampler.error().message.find("ERR_NVGPUCTRPERM") != std::string::npos;
    if (permission) return report.note("samples", sampler.error().message);
    return report.add("samples start", false, sampler.error().message, "");
  }
  for (const cupti::ChosenMetric& metric : (*sampler)->choice().metrics) {
    if (metric.key == "tensor_active_ratio") report.note("samples: tensor cores", metric.source);
  }
  constexpr useconds_t kIdleUs = 50'000;
  constexpr size_t kFloats = size_t{64} << 20;  // 256 MiB read and as many written each time
  float *from = nullptr, *to = nullptr;
  if (!ok(cudaMalloc(&from, kFloats * 4), "cudaMalloc") || !ok(cudaMalloc(&to, kFloats * 4), "cudaMalloc")) return;
  cudaDeviceSynchronize();
  const int64_t begin = engine::now_ns();
  usleep(kIdleUs);
  const int64_t busy = engine::now_ns();
  for (int i = 0; i < 200; ++i) selfcheck::copy(to, from, kFloats, nullptr);
  cudaDeviceSynchronize();
  const int64_t idle = engine::now_ns();
  usleep(kIdleUs);
  const int64_t end = engine::now_ns();
  const auto samples = (*sampler)->stop();
  cudaFree(from);
  cudaFree(to);
  if (!samples) return report.add("samples are read", false, samples.error().message, "");
  report.add("samples are there", samples->start_ns.size() > 100, samples->start_ns.size(), "> 100");
  const int64_t first = samples->start_ns.empty() ? 0 : samples->start_ns.front(),
                last = samples->end_ns.empty() ? 0 : samples->end_ns.back();
  constexpr int64_t kSlackNs = 20'000'000;
  report.add("samples lie on our clock",
             first > begin - 10'000'000'000 && first < busy && last > idle - kSlackNs && last < end + kSlackNs,
             json{{"first_ns", first - begin}, {"last_ns", last - begin}, {"end_ns", end - begin}},
             "before the work to after it");
  double moved_inside = 0, moved_outside = 0;
  for (const SampledFigure& figure : samples->figures) {
    if (figure.key != "dram_read_bytes" && figure.key != "dram_written_bytes") continue;
    for (size_t i = 0; i < figure.values.size(); ++i) {
      if (samples->start_ns[i] < begin || samples->end_ns[i] > end) continue;
      const double bytes = figure.values[i] * 1e-9 * static_cast<double>(samples->end_ns[i] - samples->start_ns[i]);
      (samples->end_ns[i] > busy - 1'000'000 && samples->start_ns[i] < idle + 1'000'000 ? moved_inside
                                                                                        : moved_outside) += bytes;
    }
  }
  constexpr double kKnown = 200.0 * 8 * kFloats;
  report.add("sampled bytes are those of the copies, at their time",
             std::abs(moved_inside / kKnown - 1) < 0.1 && moved_outside < 0.02 * kKnown,
             json{{"inside", moved_inside}, {"outside", moved_outside}, {"known", kKnown}},
             "inside within 10 %, outside below 2 %");
}

int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

void check_soak(Report& report, Session& session) {
  int64_t before = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 5000; ++i) selfcheck::spin(0, nullptr);
    session.collect();
    if (round == 4) before = resident_bytes();
  }
  const int64_t grown = resident_bytes() - before;
  report.add("75 000 kernels leave memory where it was", grown < (int64_t{64} << 20), grown, "below 64 MiB");
}

int run(Report& report, const char* program) {
  const double untraced_ns = untraced_launch_loop_ns(program);
  const auto library = cupti::load_cupti(cupti::cupti_places());
  for (const ChainLink& link : cupti::examine(library, {.here = cupti::surroundings(), .attach = false})) {
    report.note("chain: " + link.name, json{{"works", link.works}, {"found", link.found}});
  }
  if (!library) return 3;
  Session session;
  if (auto started = session.start(library->api); !started) {
    report.add("tracing starts", false, started.error().message, "");
    return 3;
  }
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  report.note("versions", json{{"driver", driver}, {"runtime", runtime}, {"cupti", library->version}});
  if (!ok(cudaFree(nullptr), "first context")) return 3;
  check_second_subscriber(report, library->api);
  check_clock(report, session);
  check_copies(report, session);
  check_attribution(report, session);
  check_graph(report, session);
  const double traced_ns = launch_loop_ns(10'000);
  report.note(
      "10 000 empty launches",
      json{{"traced_ns", traced_ns}, {"untraced_ns", untraced_ns}, {"cost_ratio", traced_ns / untraced_ns - 1}});
  check_soak(report, session);
  session.stop();
  check_counters(report, *library);
  check_samples(report, *library);
  return report.failed() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  alarm(kHardLimitSeconds);
  if (argc > 1 && std::string(argv[1]) == "--untraced") {
    fmt::print("{}\n", launch_loop_ns(10'000));
    return 0;
  }
  Report report;
  const int code = run(report, argv[0]);
  if (argc > 2 && std::string(argv[1]) == "--json") {
    std::ofstream(argv[2]) << report.text() << "\n";
  } else {
    fmt::print("{}\n", report.text());
  }
  return code;
}
