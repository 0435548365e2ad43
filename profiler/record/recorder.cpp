// SPDX-License-Identifier: Apache-2.0
// record(): plans, warms up, runs steps with and without the collector, and writes between them.
#include "profiler/record/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <map>

#include "engine/base/clock.h"
#include "engine/ops/data_dependent.h"
#include "profiler/base/statistics.h"
#include "profiler/base/table.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/layer_ranges.h"
#include "profiler/record/calibration.h"
#include "profiler/record/catalog.h"
#include "profiler/record/copy_ties.h"
#include "profiler/record/cupti_cost.h"
#include "profiler/record/engine_collector.h"
#include "profiler/record/gpu_collector.h"
#include "profiler/record/gpu_sample_records.h"
#include "profiler/record/host_load.h"
#include "profiler/record/loss_reader.h"
#include "profiler/record/plan_records.h"
#include "profiler/record/power.h"
#include "profiler/record/progress_pace.h"
#include "profiler/record/resident_memory.h"
#include "profiler/record/result_reader.h"
#include "profiler/record/side_lanes.h"
#include "profiler/record/sleep_meter.h"
#include "profiler/record/step_schedule.h"
#include "profiler/record/value_reader.h"
#include "profiler/store/capture_file.h"

namespace profiler {

using engine::refused_error;
using engine::Result;

namespace {

constexpr int64_t kFlushEveryNs = 100'000'000;  ///< a killed run loses no more than this and the running step
constexpr size_t kFewestRecords = 1 << 16;      ///< 1.5 MB
constexpr double kNotableDrift = 0.03;

class Nobody final : public engine::Observer {
 public:
  void step_begin(uint32_t, int64_t) override {}
  void step_end(uint32_t, int64_t) override {}
  void op_done(uint32_t, int64_t, int64_t) override {}
};

/// One run from plan to frozen capture.
class Recording {
 public:
  Recording(const RecordRequest& request, const std::function<void(const RecordProgress&)>& progress,
            const std::atomic<bool>& stop)
      : request_(request),
        pace_(progress),
        stop_(stop),
        schedule_({request.warmup_steps, request.steps, request.measure_cost}),
        loss_(*request.graph, *request.backend),
        results_(*request.graph, *request.backend),
        checks_(engine::ops::size_checks(*request.graph)) {}
  Result<std::shared_ptr<const Capture>> run();

 private:
  struct RawStep {
    uint32_t index;
    int64_t begin_ticks, end_ticks;
    bool traced, warmup;
  };
  struct Names {
    NameId step, warmup, untraced, write;
  };

  Result<void> plan();
  void describe();
  Result<void> note_fp8();
  Result<void> make_replay();
  Result<void> open_output();
  Result<void> write_header();
  Result<void> run_steps();
  Result<void> run_step(StepKind);
  Result<void> flush();
  void note_threads();
  GpuBatch tied(GpuBatch batch) {
    ties_->tie(batch, steps_begin_ns_);
    return batch;
  }
  void convert(std::vector<Activity>& activities, std::vector<StepRecord>& steps);
  Result<void> append(GpuBatch, const std::vector<StepRecord>&);
  Result<std::shared_ptr<const Capture>> finish();
  void add_samples();
  Result<void> check_sizes() const;
  void read_loss(uint32_t step);
  Result<void> hand_out_outputs();
  void read_results(uint32_t step);
  void keep_values();
  void conclude();
  void measure_beside(bool before);
  void note_foreign_load();
  void note_power();
  void look_at_memory();
  void report(const char* stage, double fraction);
  void report_plan();

  const RecordRequest& request_;
  ProgressPace pace_;
  const std::atomic<bool>& stop_;
  StepSchedule schedule_;
  std::unique_ptr<engine::Plan> plan_;  // one of the two
  std::unique_ptr<engine::EagerSession> session_;
  CaptureBuilder builder_;
  std::unique_ptr<CaptureWriter> writer_;
  std::unique_ptr<LayerRanges> layers_;
  std::optional<SideLanes> lanes_;
  std::unique_ptr<EngineCollector> collector_;
  std::optional<GpuCollector> gpu_;
  std::optional<CopyTies> ties_;  // where gpu_ is
  std::optional<GpuObserver> gpu_observer_;
  std::unique_ptr<GpuSampler> sampler_;
  LossReader loss_;
  ResidentMemory resident_;
  const ResultReader results_;
  const std::vector<engine::ops::SizeCheck> checks_;
  std::unique_ptr<engine::TickClock> clock_;
  std::vector<RoofBeside> beside_;
  Names names_{};
  TrackId host_ = 0, profiler_ = 0;
  size_t ops_per_step_ = 0;
  std::vector<RawStep> raw_steps_;    // since the last flush
  std::vector<Activity> last_flush_;  // its own cost, written with the next one
  GpuBatch waiting_;                  // of the warm-up: the file is begun with the first measured step
  std::vector<StepRecord> waiting_steps_;
  bool header_written_ = false;
  bool threads_noted_ = false;
  uint32_t next_step_ = 0;
  int64_t last_flush_ns_ = 0, last_end_ns_ = 0;
  int64_t steps_begin_ns_ = 0;  ///< everything before it was preparation
  double last_step_ns_ = kUnknown, spin_before_ns_ = kUnknown;
  std::optional<HostTicks> load_before_;
  SleepMeter sleep_;
  const PowerCounters power_;
  PowerReading power_before_;
  int recorded_steps_ = 0;  ///< since power_before_
  bool stopped_ = false;
};

void Recording::report(const char* stage, double fraction) {
  pace_.report({.stage = stage, .step = schedule_.traced_steps(), .steps = request_.steps, .fraction = fraction},
               engine::now_ns());
}

void Recording::report_plan() {
  const Capture& known = builder_.so_far();
  const RunInfo& run = known.run();
  PlannedStep planned{
      .ops = static_cast<int>(ops_per_step_),
      .memory_bytes = static_cast<double>(run.arena_bytes + run.persistent_bytes + run.workspace_bytes)};
  for (const OpRecord& op : known.ops()) planned.flops += op.flops;
  for (const OperandRecord& operand : known.operands())
    planned.operand_bytes += static_cast<double>(operand.read_bytes + operand.written_bytes);
  pace_.report({.stage = "preparing", .fraction = 0.03, .planned = planned}, engine::now_ns());
}

Result<void> Recording::plan() {
  report("planning", 0);
  if (Result<void> opened = open_output(); !opened) return opened;
  if (request_.build) {
    session_ = std::make_unique<engine::EagerSession>(*request_.backend, request_.seed);
    for (engine::Backend* device : request_.further_devices) {
      if (Result<void> added = session_->add_device(*device); !added) return added;
    }
    return session_->announce(request_.graph);
  }
  auto plan = engine::Plan::make(request_.graph, *request_.backend, {.seed = request_.seed});
  if (!plan) return plan.error();
  plan_ = std::move(*plan);
  return {};
}

/// "f32 f64"; empty for model files and workloads without a dtype.
std::string dtype_choices(const std::string& name) {
  const auto workload = engine::find_workload(name);
  if (!workload) return {};
  const auto dtype = std::ranges::find((*workload)->parameters, "dtype", &engine::Parameter::name);
  return dtype == (*workload)->parameters.end() ? std::string() : fmt::format("{}", fmt::join(dtype->choices, " "));
}

/// Everything known before the first step.
void Recording::describe() {
  report("preparing", 0.02);
  RunInfo& run = builder_.run();
  run.workload = request_.workload;
  run.device = engine::to_string(request_.backend->info().device);
  run.device_traits = engine::to_words(request_.backend->info().traits());
  const bool of_gpu = run.traits().is_gpu, emulated = run.traits().emulated;
  run.title = request_.title + (emulated ? " (emulated)" : "");  // wherever it is shown
  run.arguments = request_.arguments;
  run.dtype_choices = dtype_choices(request_.workload);
  if (session_) run.arguments["graph"] = "eager";
  run.threads = request_.backend->threads();
  run.seed = request_.seed;
  run.command = request_.command;
  run.created_at = engine::local_time_now();
  run.product_version = request_.product_version;
  if (request_.machine) {
    builder_.machine() = *request_.machine;
    builder_.machine().beside = beside_;
  } else {
    builder_.machine().info = request_.backend->info();
    builder_.honesty().notes.emplace_back(
        emulated ? "The GPU was emulated: results are those of its kernels, times are those of the emulation. So there "
                   "are no roofs, no verdicts and no findings."
        : request_.standing_trace
            ? "The roofs of this device are unknown: OpenCL has no figures for them, and no probe measures them."
        : of_gpu ? "The GPU's roofs are those of its data sheet (specified), which come with a trace: --collect cupti."
                 : "The machine's roofs are unknown; `tensortide probe` measures them once.");
  }
  Honesty& honesty = builder_.honesty();
  honesty.notes.insert(honesty.notes.end(), request_.notes.begin(), request_.notes.end());
  honesty.cost_ratio = honesty.cost_noise_ratio = honesty.cost_bound_ratio = honesty.clock_drift_ratio = kUnknown;
  for (const Collector* collector : collectors()) {
    if (collector->missing.empty() || of_gpu) continue;
    const Availability found = collector->check({});
    if (found.available) continue;
    std::string note = fmt::format("{}: {}.", collector->missing, found.why);
    if (!found.remedy.empty()) note += fmt::format(" What helps: {}.", found.remedy);
    honesty.notes.push_back(std::move(note));
  }
  if (of_gpu) {
    honesty.notes.emplace_back(
        request_.standing_trace ? "Ops run on the device while the host goes on. An op's time is that of its kernels "
                                  "and copies, from the driver's profiling events."
        : request_.tracer != nullptr
            ? "Ops run on the GPU while the host goes on: an op's time is that of its kernels and "
              "copies there."
            : "Ops run on the GPU while the host goes on. Their times here are those of the "
              "launches; only a whole "
              "step is timed to its end. --collect cupti traces the kernels.");
  }
  host_ = builder_.add_track({.kind = TrackKind::host_thread, .name = "main thread", .group = "Host"});
  profiler_ = builder_.add_track({.kind = TrackKind::overhead, .name = "profiler", .group = "Profiler"});
  if (session_) {
    add_session(builder_, *session_, *request_.graph);
  } else {
    add_plan(builder_, *plan_);
  }
  lanes_.emplace(builder_, *request_.graph, session_.get(), host_, request_.tracer != nullptr);
  std::ranges::copy(lanes_->notes(), std::back_inserter(honesty.notes));
  layers_ = std::make_unique<LayerRanges>(builder_);
  names_ = {builder_.intern("step"), builder_.intern("warm-up step"), builder_.intern("untraced step"),
            builder_.intern("write capture")};
  for (const OpRecord& op : builder_.so_far().ops()) ops_per_step_ += op.view ? 0 : 1;
  collector_ = std::make_unique<EngineCollector>(std::max(kFewestRecords, 2 * ops_per_step_),
                                                 run.traits().is_processor ? builder_.so_far().ops().size() : 0);
  if (request_.tracer != nullptr) {
    gpu_.emplace(*request_.tracer, builder_);
    ties_.emplace(builder_, *request_.graph);
    gpu_observer_.emplace(*collector_, *request_.tracer);
  }
  clock_ = std::make_unique<engine::TickClock>();
  report_plan();
}

/// Which products are done in FP8, where that was asked for; refused where none is.
Result<void> Recording::note_fp8() {
  constexpr size_t kMostReasons = 3;
  const auto asked = request_.arguments.find("fp8");
  if (asked == request_.arguments.end()) return {};
  int in_fp8 = 0, others = 0;
  std::vector<std::string> reasons;
  const Capture& so_far = builder_.so_far();
  for (const OpRecord& op : so_far.ops()) {
    const engine::KernelFacts& facts = so_far.facts(op.id);
    if (facts.format == engine::ProductFormat::fp8) ++in_fp8;
    if (facts.not_fp8.empty()) continue;
    ++others;
    if (reasons.size() < kMostReasons) reasons.push_back(fmt::format("{}: {}", so_far.name(op.name), facts.not_fp8));
  }
  std::string why;
  for (const std::string& reason : reasons) why += (why.empty() ? "" : "; ") + reason;
  if (others > static_cast<int>(reasons.size()))
    why += fmt::format("; and {} more", others - static_cast<int>(reasons.size()));
  if (in_fp8 == 0 && others == 0) {
    return refused_error(
        fmt::format("[--fp8] {}: this workload has no matrix multiplication that can use it; leave "
                    "--fp8 out",
                    asked->second));
  }
  if (in_fp8 == 0)
    return refused_error(
        fmt::format("[--fp8] {}: none of the {} matrix multiplications can use it "
                    "({}); leave --fp8 out",
                    asked->second, others, why));
  builder_.honesty().notes.push_back(
      fmt::format("FP8 ({}): {} of {} matrix multiplications round their operands to 8 "
                  "bits{}.",
                  asked->second, in_fp8, in_fp8 + others, why.empty() ? "" : fmt::format("; not {}", why)));
  return {};
}

/// One step as always, which nobody counts: kernels are loaded by it. Then the ops are noted down, each under its id.
Result<void> Recording::make_replay() {
  report("preparing", 0.03);
  plan_->run_step(next_step_, nullptr);
  if (Result<void> well = request_.health ? request_.health() : Result<void>(); !well) return well;
  Nobody nobody_else;
  std::optional<GpuObserver> noting;
  if (request_.tracer != nullptr) noting.emplace(nobody_else, *request_.tracer);
  if (Result<void> made = plan_->replay(noting ? &*noting : nullptr); !made) return made;
  builder_.honesty().notes.emplace_back(
      "Each step is one launch of all its ops (a CUDA graph). The host starts no single op, so "
      "times of ops are those "
      "of the GPU's kernels. One step ran before the first one here.");
  return {};
}

Result<void> Recording::open_output() {
  if (request_.output.empty()) return {};
  auto writer = CaptureWriter::create(request_.output);
  if (!writer) return writer.error();
  writer_ = std::move(*writer);
  return {};
}

Result<void> Recording::write_header() {
  header_written_ = true;
  auto header = CaptureBuilder(builder_).finish();
  if (!header) return header.error();
  return writer_->write_header(**header);
}

Result<void> Recording::append(GpuBatch batch, const std::vector<StepRecord>& steps) {
  builder_.add_activities(batch.activities, batch.records);
  for (const StepRecord& s : steps) builder_.add_step(s);
  if (!writer_) return {};
  // An older capture of that name is only given up for one that holds a measured step.
  profiler::append(waiting_, std::move(batch));
  waiting_steps_.insert(waiting_steps_.end(), steps.begin(), steps.end());
  if (schedule_.traced_steps() == 0) return {};
  if (!header_written_) {
    if (Result<void> begun = write_header(); !begun) return begun;
  }
  Result<void> written = writer_->append(waiting_.activities, waiting_steps_, builder_.so_far(), waiting_.records);
  waiting_ = {};
  waiting_steps_.clear();
  return written;
}

/// The ops of one lane, by their start: each within the step, and behind the one before.
void one_after_the_other(std::vector<Activity>& ops, int64_t begin_ns, int64_t end_ns) {
  std::ranges::stable_sort(ops, {}, &Activity::start_ns);  // those of a device's own thread were told of last
  int64_t at = begin_ns;
  for (Activity& op : ops) {
    const int64_t end = op.start_ns + op.duration_ns;
    op.start_ns = std::clamp(op.start_ns, at, end_ns);
    at = std::clamp(end, op.start_ns, end_ns);
    op.duration_ns = at - op.start_ns;
  }
}

/// Stamps to spans: steps follow each other, ops lie within their step, each lane's one after the other, layers around
/// the ops.
void Recording::convert(std::vector<Activity>& activities, std::vector<StepRecord>& steps) {
  std::span<const RawOp> ops = collector_->ops();
  std::map<TrackId, std::vector<Activity>> lanes;  // the step's ops
  for (const RawStep& raw : raw_steps_) {
    // the clock's slope is refined with each read-out: a nanosecond back would make spans overlap
    const int64_t begin = std::max(clock_->to_ns(raw.begin_ticks), last_end_ns_);
    const int64_t end = std::max(clock_->to_ns(raw.end_ticks), begin);
    last_end_ns_ = end;
    steps.push_back({.index = raw.index,
                     .start_ns = begin,
                     .duration_ns = end - begin,
                     .traced = raw.traced,
                     .warmup = raw.warmup});
    const NameId name = raw.warmup ? names_.warmup : raw.traced ? names_.step : names_.untraced;
    activities.push_back({.start_ns = begin,
                          .duration_ns = end - begin,
                          .correlation = 0,
                          .name = name,
                          .op = kNoOp,
                          .step = raw.index,
                          .track = host_,
                          .kind = ActivityKind::step,
                          .flags = 0});
    for (auto& [track, of_lane] : lanes) of_lane.clear();
    std::vector<Activity>* lane = nullptr;
    for (; !ops.empty() && ops.front().step == raw.index; ops = ops.subspan(1)) {
      const RawOp& op = ops.front();
      const TrackId track = lanes_->lane_of(op.op);
      if (lane == nullptr || lane->empty() || lane->back().track != track) lane = &lanes[track];
      const int64_t from = clock_->to_ns(op.begin_ticks);
      lane->push_back({.start_ns = from,
                       .duration_ns = clock_->to_ns(op.end_ticks) - from,
                       .correlation = 0,
                       .name = builder_.so_far().ops()[op.op].name,
                       .op = op.op,
                       .step = raw.index,
                       .track = track,
                       .kind = ActivityKind::op,
                       .flags = 0});
    }
    for (auto& [track, of_lane] : lanes) {
      one_after_the_other(of_lane, begin, end);
      layers_->append(of_lane, activities);
    }
  }
  CHECK(ops.empty());
}

/// How many threads shared each op: as seen up to the first measured step, with which the file begins.
void Recording::note_threads() {
  if (threads_noted_ || schedule_.traced_steps() == 0) return;
  threads_noted_ = true;
  const std::span<const int> threads = collector_->threads();
  for (size_t op = 0; op < threads.size(); ++op) builder_.set_threads(static_cast<OpId>(op), threads[op]);
}

/// Reads out the collector between steps; what this costs is shown on the profiler's own track.
Result<void> Recording::flush() {
  note_threads();
  look_at_memory();
  clock_->refresh();
  const int64_t begin_ticks = engine::now_ticks();
  GpuBatch batch;
  batch.activities = std::move(last_flush_);
  std::vector<StepRecord> steps;
  convert(batch.activities, steps);
  lanes_->append(*collector_, *clock_, batch);
  if (gpu_) profiler::append(batch, tied(gpu_->read_out()));
  collector_->clear();
  raw_steps_.clear();
  if (Result<void> appended = append(std::move(batch), steps); !appended) return appended;
  const int64_t begin = std::max(clock_->to_ns(begin_ticks), last_end_ns_);
  const int64_t end = std::max(clock_->to_ns(engine::now_ticks()), begin);
  last_flush_ = {{.start_ns = begin,
                  .duration_ns = end - begin,
                  .correlation = 0,
                  .name = names_.write,
                  .op = kNoOp,
                  .step = kNoStep,
                  .track = profiler_,
                  .kind = ActivityKind::overhead,
                  .flags = 0}};
  last_flush_ns_ = end;
  return {};
}

Result<void> Recording::run_step(StepKind kind) {
  const bool traced = kind != StepKind::untraced;
  if (traced && collector_->room() < ops_per_step_) {
    if (Result<void> flushed = flush(); !flushed) return flushed;
  }
  const uint32_t index = next_step_++;
  const bool meter = kind != StepKind::warmup && SleepMeter::looks_at(last_step_ns_);
  if (meter) sleep_.begin();
  const int64_t begin = engine::now_ticks();
  engine::Observer* observer = !traced         ? nullptr
                               : gpu_observer_ ? &*gpu_observer_
                                               : static_cast<engine::Observer*>(collector_.get());
  if (session_) {
    if (Result<void> ran = session_->run_step(index, request_.build, observer); !ran) {
      if (gpu_observer_) gpu_observer_->close();
      return engine::Error{ran.error().kind, fmt::format("step {}: {}", index, ran.error().message)};
    }
  } else {
    plan_->run_step(index, observer);
  }
  const int64_t end = engine::now_ticks();
  if (meter) sleep_.end();
  if (Result<void> well = request_.health ? request_.health() : Result<void>(); !well) {
    return engine::Error{well.error().kind, fmt::format("step {}: {}", index, well.error().message)};
  }
  if (Result<void> fits = check_sizes(); !fits) {
    return engine::Error{fits.error().kind, fmt::format("step {}: {}", index, fits.error().message)};
  }
  if (loss_.after_each_step()) read_loss(index);
  if (index == 0 && results_.after_first_step()) read_results(index);
  raw_steps_.push_back({index, begin, end, traced, kind == StepKind::warmup});
  last_step_ns_ = static_cast<double>(end - begin) * clock_->ns_per_tick();
  schedule_.ran(kind, last_step_ns_);
  pace_.ended(last_step_ns_, loss_.last(), loss_.failed());
  const bool first = kind == StepKind::traced && schedule_.traced_steps() == 1;
  if (first || engine::now_ns() - last_flush_ns_ >= kFlushEveryNs) return flush();
  return {};
}

/// Whether the data of the last step asked for the sizes that the graph has.
Result<void> Recording::check_sizes() const {
  if (checks_.empty()) return {};
  Result<engine::Tensor> found = engine::Tensor::empty(engine::TensorType::contiguous(engine::DType::int64, {}));
  if (!found) return found.error();
  for (const engine::ops::SizeCheck& check : checks_) {
    const engine::Tensor value = session_ ? session_->tensor(check.found) : plan_->tensor(check.found);
    if (Result<void> copied = request_.backend->copy(value, *found); !copied) return copied;
    if (Result<void> fits = engine::ops::check_size(*request_.graph, check, *found->data_as<int64_t>()); !fits)
      return fits;
  }
  return {};
}

Result<void> Recording::run_steps() {
  last_flush_ns_ = engine::now_ns();
  bool recording = false;
  while (const std::optional<StepKind> kind = schedule_.next()) {
    if (*kind != StepKind::warmup && !recording) {
      recording = true;
      spin_before_ns_ = measure_spin_ns();
      load_before_ = host_ticks_now();
      power_before_ = power_.read();
    }
    report(recording ? "recording" : "warming up", recording ? 0.1 + 0.85 * schedule_.fraction() : 0.05);
    if (stop_.load()) {
      stopped_ = true;
      break;
    }
    if (Result<void> ran = run_step(*kind); !ran) return ran;
    if (recording) ++recorded_steps_;
  }
  note_power();
  if (schedule_.traced_steps() == 0) {
    return refused_error("[run] stopped before the first measured step; there is nothing to keep");
  }
  return flush();
}

/// What others used of the processors meanwhile: kept as a figure. Who shows times says it once, by
/// background_load_words().
void Recording::note_foreign_load() {
  const std::optional<HostTicks> now = host_ticks_now();
  if (!load_before_ || !now) return;
  builder_.honesty().foreign_load_ratio = foreign_load(*load_before_, *now);
}

/// Where tensors are in the memory of this process.
void Recording::look_at_memory() {
  if (builder_.so_far().run().traits().is_processor) resident_.look();
}

/// What the processors spent since the recording began, and whether they slowed themselves down.
void Recording::note_power() {
  if (recorded_steps_ == 0) return;
  const PowerReading now = power_.read();
  builder_.run().step_energy_j = power_.energy_j(power_before_, now) / recorded_steps_;
  Honesty& honesty = builder_.honesty();
  honesty.throttle_events = throttle_events(power_before_, now);
  if (honesty.throttle_events > 0) {
    honesty.notes.push_back(
        fmt::format("The processors throttled {:.0f} times during the run (heat or power): times "
                    "are longer than usual.",
                    honesty.throttle_events));
  }
}

/// What this machine's roofs are now.
void Recording::measure_beside(bool before) {
  if (!request_.measure_beside || !request_.machine) return;
  report(before ? "measuring DRAM's bandwidth beside the run" : "measuring DRAM's bandwidth again", before ? 0 : 0.96);
  for (const BandwidthRoof& roof : request_.measure_beside()) {
    auto at = std::ranges::find_if(beside_, [&](const RoofBeside& b) {
      return b.level == roof.level && b.mix == roof.mix && b.threads == roof.threads;
    });
    if (at == beside_.end())
      at = beside_.insert(
          at, RoofBeside{.level = roof.level, .mix = roof.mix, .threads = roof.threads, .before = {}, .after = {}});
    (before ? at->before : at->after) = roof.bytes_per_s;
  }
  builder_.machine().beside = beside_;
}

/// What the run cost, drifted and left open, in figures and sentences.
void Recording::conclude() {
  Honesty& honesty = builder_.honesty();
  note_foreign_load();
  builder_.run().read_bytes_per_batch = lanes_->read_bytes_per_batch();
  honesty.asleep_ratio = sleep_.ratio();
  honesty.queued_ratio = sleep_.queued_ratio();
  const TracingCost cost = schedule_.cost();
  honesty.cost_ratio = cost.ratio;
  honesty.cost_noise_ratio = cost.noise_ratio;
  const double step_ns = median(schedule_.traced_ns());
  honesty.cost_bound_ratio =
      step_ns > 0 ? static_cast<double>(ops_per_step_) * measure_ns_per_traced_op() / step_ns : kUnknown;
  honesty.dropped_records = collector_->dropped();
  honesty.spin_ns = spin_before_ns_;
  honesty.clock_drift_ratio = spin_before_ns_ / measure_spin_ns() - 1;
  if (std::abs(honesty.clock_drift_ratio) > kNotableDrift) {
    honesty.notes.push_back(
        fmt::format("The processor's clock was {:.0f} % {} at the end of the run than at its "
                    "start; background load or heat may be the cause.",
                    100 * std::abs(honesty.clock_drift_ratio), honesty.clock_drift_ratio > 0 ? "faster" : "slower"));
  }
  if (gpu_) {
    honesty.gpu_losses = gpu_->losses();
    for (std::string& note : gpu_->notes()) honesty.notes.push_back(std::move(note));
    if (!request_.standing_trace)
      honesty.notes.push_back(
          cupti_cost_words(schedule_.traced_ns(), request_.untraced_steps_ns, request_.untraced_why));
  }
  if (honesty.dropped_records > 0)
    honesty.notes.push_back(
        fmt::format("{} not recorded: the buffer was full.",
                    honesty.dropped_records == 1 ? "1 op was" : fmt::format("{} ops were", honesty.dropped_records)));
  if (stopped_) {
    builder_.run().complete = false;
    builder_.run().incomplete_reason = fmt::format("stopped after {} measured step{}", schedule_.traced_steps(),
                                                   schedule_.traced_steps() == 1 ? "" : "s");
  }
  if (schedule_.traced_steps() == 1) {
    honesty.notes.emplace_back("One step was timed: its spread is unknown.");
  } else if (!stopped_ && request_.steps == 0 && !schedule_.steady()) {
    honesty.notes.push_back(fmt::format("The steps vary: their median is known to ± {:.1f} % after {} of them.",
                                        100 * schedule_.uncertainty(), schedule_.traced_steps()));
  }
}

void Recording::read_loss(uint32_t step) {
  const engine::ValueId id = *loss_.value();
  loss_.read(step, session_ ? session_->tensor(id) : plan_->tensor(id));
}

/// Gives whoever asked for them the outputs of the last step.
Result<void> Recording::hand_out_outputs() {
  if (!request_.with_outputs) return {};
  request_.backend->synchronize();
  return request_.with_outputs([&](engine::ValueId id) -> Result<engine::Tensor> {
    const engine::Tensor there = session_ ? session_->tensor(id) : plan_->tensor(id);
    auto host = engine::Tensor::empty(engine::TensorType::contiguous(there.dtype(), there.shape()));
    if (!host) return host;
    if (Result<void> copied = request_.backend->copy(there, *host); !copied) return copied.error();
    return host;
  });
}

void Recording::read_results(uint32_t step) {
  results_.read(
      step, [this](engine::ValueId id) { return session_ ? session_->tensor(id) : plan_->tensor(id); }, builder_);
}

/// What each tensor holds, in a step of its own that no other step's time has a part in.
void Recording::keep_values() {
  if (!request_.keep_values || stopped_) return;
  if (session_ || request_.replay) {
    builder_.honesty().notes.push_back(
        fmt::format("Values were not kept: {}. Record a planned run of single ops.",
                    session_ ? "an eager run frees tensors as it goes" : "a step is one launch of all its ops"));
    return;
  }
  report("reading values", 0.98);
  read_values(*plan_, next_step_, builder_);
}

/// What the GPU was sampled for, as series of the capture; a sampling that failed loses its figures, not the run.
void Recording::add_samples() {
  if (!sampler_) return;
  Result<GpuSamples> samples = sampler_->stop();
  sampler_.reset();
  if (samples) {
    add_sampled(builder_, *samples);
  } else {
    builder_.honesty().notes.push_back(fmt::format("The GPU was not sampled over time: {}.", samples.error().message));
  }
}

Result<std::shared_ptr<const Capture>> Recording::finish() {
  look_at_memory();  // first: what is read and kept from here on is the profiler's, not the run's
  report("writing", 0.97);
  GpuBatch last;
  last.activities = std::move(last_flush_);
  if (gpu_) {
    request_.backend->synchronize();
    profiler::append(last, tied(gpu_->finish()));
  }
  add_samples();
  if (loss_.value() && !loss_.after_each_step() && next_step_ > 0)
    read_loss(next_step_ - 1);  // on a GPU a copy amid the steps would show in them
  if (results_.any() && !results_.after_first_step() && next_step_ > 0) read_results(next_step_ - 1);
  keep_values();
  loss_.add_to(builder_);
  resident_.add_to(builder_);
  if (Result<void> appended = append(std::move(last), {}); !appended) return appended.error();
  conclude();
  if (!stopped_) measure_beside(false);
  auto capture = builder_.finish();
  if (!capture) return capture.error();
  if (writer_) {
    if (Result<void> closed = writer_->close((*capture)->run(), (*capture)->honesty(), (*capture)->machine()); !closed)
      return closed.error();
  }
  report("writing", 1);
  return capture;
}

Result<std::shared_ptr<const Capture>> Recording::run() {
  measure_beside(true);
  if (Result<void> planned = plan(); !planned) return planned.error();
  describe();
  if (Result<void> noted = note_fp8(); !noted) return noted.error();
  steps_begin_ns_ = engine::now_ns();
  if (request_.replay) {
    if (Result<void> made = make_replay(); !made) return made.error();
  }
  if (request_.start_samples) {
    auto started = request_.start_samples();
    if (!started) return started.error();
    sampler_ = *std::move(started);
  }
  if (Result<void> ran = run_steps(); !ran) return ran.error();
  // A further step changes what the last one put out.
  Result<void> handed = request_.keep_values ? hand_out_outputs() : Result<void>();
  auto capture = finish();
  if (!capture) return capture;
  if (!request_.keep_values) handed = hand_out_outputs();
  if (!handed) return handed.error();
  return capture;
}

}  // namespace

Result<std::shared_ptr<const Capture>> record(const RecordRequest& request,
                                              const std::function<void(const RecordProgress&)>& progress,
                                              const std::atomic<bool>& stop) {
  CHECK(request.graph != nullptr && request.backend != nullptr);
  return Recording(request, progress, stop).run();
}

}  // namespace profiler
