// SPDX-License-Identifier: Apache-2.0
// Builds, runs, times and simulates a learner's kernel, plain loops and ours.
#include "app/base/kernel_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <future>
#include <limits>

#include "app/base/devices.h"
#include "app/base/kernel_process.h"
#include "app/base/work_folder.h"
#include "engine/base/vector_bits.h"
#include "engine/ops/ladder.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "profiler/memory/captured_access.h"
#include "profiler/record/plan_records.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::Result;
using std::chrono::steady_clock;

/// With causes, simulation follows every line: several times slower.
constexpr double kMostClassified = 8e6;

// ---- ours

using Build = std::function<engine::ValueId(engine::GraphBuilder&, const std::vector<engine::ValueId>&)>;

struct OwnGraph {
  std::shared_ptr<const engine::Graph> graph;
  std::vector<engine::ValueId> given;  ///< by operand; kNoValue: not given
  engine::ValueId result = engine::kNoValue;
};

Result<OwnGraph> own_graph(const KernelKind& kind, const KernelSizes& sizes, const Build& build) {
  engine::GraphBuilder builder;
  OwnGraph own;
  std::vector<engine::ValueId> given;
  for (const KernelOperand& operand : kind.operands) {
    own.given.push_back(
        operand.given
            ? builder.input(operand.name, engine::TensorType::contiguous(engine::DType::float32, operand.shape(sizes)),
                            engine::Fill{engine::Fill::Kind::uniform, -1, 1})
            : engine::kNoValue);
    if (operand.given) given.push_back(own.given.back());
  }
  own.result = build(builder, given);
  builder.mark_output(own.result);
  Result<engine::Graph> graph = builder.finish();
  if (!graph) return graph.error();
  own.graph = std::make_shared<const engine::Graph>(*std::move(graph));
  return own;
}

Build usual_build(const KernelKind& kind, const KernelSizes& sizes) {
  return [&kind, &sizes](engine::GraphBuilder& builder, const std::vector<engine::ValueId>& given) {
    return kind.build(builder, given, sizes);
  };
}

/// Median nanoseconds of one call, from batches of calls that take some milliseconds.
double median_time(const std::function<int64_t(uint32_t)>& call, double seconds) {
  constexpr double kBatchNs = 5e6;
  constexpr size_t kLeastBatches = 3;
  const auto end = steady_clock::now() + std::chrono::duration<double>(seconds);
  const auto first = static_cast<double>(std::max<int64_t>(call(1), 1));
  const auto times = static_cast<uint32_t>(std::clamp(kBatchNs / first, 1.0, 100000.0));
  std::vector<double> batches;
  while (batches.size() < kLeastBatches || steady_clock::now() < end) {
    const int64_t time = call(times);
    if (time <= 0) return std::nan("");
    batches.push_back(static_cast<double>(time) / times);
  }
  const auto middle = batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 2);
  std::nth_element(batches.begin(), middle, batches.end());
  return *middle;
}

/// A plan of ours with the numbers of a kernel's process, which goes first.
class OwnRun {
 public:
  static Result<std::unique_ptr<OwnRun>> make(const KernelKind& kind, const KernelSizes& sizes, const Build& build,
                                              int threads) {
    Result<OwnGraph> graph = own_graph(kind, sizes, build);
    if (!graph) return graph.error();
    auto run = std::make_unique<OwnRun>();
    run->graph_ = *std::move(graph);
    Result<std::unique_ptr<engine::Backend>> backend = make_device("cpu", {.threads = threads});
    if (!backend) return backend.error();
    run->backend_ = *std::move(backend);
    Result<std::unique_ptr<engine::Plan>> plan = engine::Plan::make(run->graph_.graph, *run->backend_);
    if (!plan) return plan.error();
    run->plan_ = *std::move(plan);
    return run;
  }
  Result<std::vector<float>> result(KernelProcess& of) {
    for (size_t i = 0; i < graph_.given.size(); ++i) {
      if (graph_.given[i] != engine::kNoValue)
        std::ranges::copy(of.operand(i), plan_->tensor(graph_.given[i]).data_as<float>());
    }
    plan_->run_step(step_++, nullptr);
    Result<engine::Tensor> rows = plan_->tensor(graph_.result).contiguous();
    if (!rows) return rows.error();
    const float* const first = rows->data_as<float>();
    return std::vector<float>(first, first + rows->type().elements());
  }
  double time(double seconds) {
    return median_time(
        [this](uint32_t times) {
          const auto start = steady_clock::now();
          for (uint32_t i = 0; i < times; ++i) plan_->run_step(step_++, nullptr);
          return std::chrono::nanoseconds(steady_clock::now() - start).count();
        },
        seconds);
  }
  /// Of the op that makes the result.
  std::string kernel() const { return plan_->kernel_name(plan_->graph().value(graph_.result).producer); }

 private:
  OwnGraph graph_;
  std::unique_ptr<engine::Backend> backend_;
  std::unique_ptr<engine::Plan> plan_;
  uint32_t step_ = 0;
};

// ---- right or wrong

std::optional<KernelFault> compare(const KernelKind& kind, const KernelSizes& sizes, size_t operand,
                                   std::span<const float> got, const std::vector<float>& wanted, double& largest) {
  KernelFault fault{.kind = KernelFault::Kind::wrong,
                    .tensor = kind.operands[operand].name,
                    .shape = kind.operands[operand].shape(sizes),
                    .count = static_cast<int64_t>(wanted.size())};
  double scale = 0;
  for (const float w : wanted) scale = std::max(scale, std::abs(static_cast<double>(w)));
  for (size_t i = 0; i < wanted.size() && i < got.size(); ++i) {
    const double difference = std::abs(static_cast<double>(got[i]) - static_cast<double>(wanted[i]));
    const bool unwritten = KernelProcess::is_unwritten(got[i]);
    if (!unwritten && difference <= kind.tolerance * scale) {
      largest = std::max(largest, scale > 0 ? difference / scale : 0);
      continue;
    }
    if (fault.differing++ == 0) {
      fault.at = static_cast<int64_t>(i);
      fault.got = static_cast<double>(got[i]);
      fault.wanted = static_cast<double>(wanted[i]);
      if (unwritten) fault.kind = KernelFault::Kind::unwritten;
    } else if (!unwritten && fault.kind == KernelFault::Kind::unwritten) {
      // Not all of it is missing: what was written wrongly says more.
      fault.kind = KernelFault::Kind::wrong;
      fault.at = static_cast<int64_t>(i);
      fault.got = static_cast<double>(got[i]);
      fault.wanted = static_cast<double>(wanted[i]);
    }
  }
  if (fault.differing == 0) return std::nullopt;
  return fault;
}

class Check {
 public:
  Check(const KernelRequest& request, const std::atomic<bool>& stop)
      : request_(request), kind_(*request.kind), stop_(stop) {}

  Result<KernelReport> run() {
    if (Result<void> done = prepare(); !done) return done.error();
    if (Result<void> done = build_all(); !done) return done.error();
    if (!report_.fault) {
      if (Result<void> done = simulate_all(); !done) return done.error();
    }
    if (!report_.fault && request_.timed) {
      if (Result<void> done = time_all(); !done) return done.error();
    }
    return std::move(report_);
  }

 private:
  /// A source with its two programs.
  struct Program {
    std::string name;
    KernelSource source;
    KernelBuild timed, noting;
  };

  Result<void> prepare() {
    Result<KernelSource> source = read_source(request_.file);
    if (!source) return source.error();
    const Result<fs::path> folder = kernels_folder();
    if (!folder) return folder.error();
    Result<KernelSource> other =
        read_source(request_.against.empty() ? *folder / (std::string(kind_.name) + ".cpp") : request_.against);
    if (!other) return other.error();
    report_.like = kind_.name;
    report_.file = source->name;
    report_.against = request_.against.empty() ? std::string() : other->name;
    report_.held = held_limits();
    report_.trusted = request_.trusted;
    report_.caches = request_.caches;
    report_.tolerance = kind_.tolerance;
    programs_.push_back({"yours", *std::move(source), {}, {}});
    programs_.push_back({request_.against.empty() ? "plain loops" : other->name, *std::move(other), {}, {}});
    Result<KernelSizes> sizes = kernel_sizes(kind_, request_.sizes, false);
    if (!sizes) return sizes.error();
    report_.sizes = *std::move(sizes);
    // What is asked for is simulated at its own sizes where that is not too much.
    constexpr double kMostAccesses = 2e7;
    const bool same =
        request_.simulated.empty() && !request_.sizes.empty() && kind_.accesses(report_.sizes) <= kMostAccesses;
    Result<KernelSizes> simulated =
        same ? Result<KernelSizes>(report_.sizes) : kernel_sizes(kind_, request_.simulated, true);
    if (!simulated) return simulated.error();
    report_.simulated_sizes = *std::move(simulated);
    constexpr double kTooMany = 3e8;
    if (const double accesses = kind_.accesses(report_.simulated_sizes); accesses > kTooMany)
      return engine::usage_error(fmt::format("[--simulate] {} are {:.2g} accesses; at most {:.1g} are simulated",
                                             sizes_text(kind_, report_.simulated_sizes), accesses, kTooMany));
    Result<Compiler> compiler = find_compiler(request_.compiler, request_.trusted);
    if (!compiler) return compiler.error();
    build_ = {.kind = &kind_, .compiler = *compiler, .optimize = request_.optimize, .trusted = request_.trusted};
    report_.compiler = compiler->version;
    report_.options = fmt::format("-O{}", request_.optimize);
    Result<WorkFolder> work = WorkFolder::make("kernel");
    if (!work) return work.error();
    work_.emplace(*std::move(work));
    return {};
  }

  /// The learner's source first: where it has a fault, nothing else is needed.
  Result<void> build_all() {
    for (size_t i = 0; i < programs_.size() && !report_.fault; ++i) {
      Program& program = programs_[i];
      const auto make = [&](bool notes) {
        return build_kernel(program.source, build_, notes, work_->path() / fmt::format("{}{}", i, notes ? "n" : "t"),
                            stop_);
      };
      auto noting = std::async(std::launch::async, make, true);
      Result<KernelBuild> timed = make(false), noted = noting.get();
      if (!timed) return timed.error();
      if (!noted) return noted.error();
      program.timed = *std::move(timed);
      program.noting = *std::move(noted);
      report_.fault = program.timed.fault ? program.timed.fault : program.noting.fault;
      if (i > 0 && report_.fault && request_.against.empty())
        return engine::refused_error(
            fmt::format("the plain loops do not compile here: {}", fault_text(*report_.fault)));
    }
    return {};
  }

  Result<std::unique_ptr<KernelProcess>> start(const KernelBuild& build, const Program& program,
                                               const KernelSizes& sizes) {
    return KernelProcess::start(build, program.source, kind_, sizes,
                                {.seconds = request_.most_s, .trusted = request_.trusted}, stop_);
  }

  size_t result_operand() const {
    for (size_t i = 0; i < kind_.operands.size(); ++i) {
      if (kind_.operands[i].result) return i;
    }
    return kind_.operands.size() - 1;
  }

  /// The result of the process against ours of the same numbers, which were `wanted` before the call.
  void judge(KernelProcess& process, const Program& program, const KernelSizes& sizes,
             const std::vector<float>& wanted) {
    report_.fault = process.fault();
    if (report_.fault) return;
    const size_t operand = result_operand();
    report_.fault = compare(kind_, sizes, operand, process.operand(operand), wanted, report_.largest_difference);
    if (report_.fault) {
      report_.fault->file = program.source.name;
      report_.fault->printed = process.printed();
    }
  }

  Result<void> simulate_all() {
    Result<std::unique_ptr<OwnRun>> own =
        OwnRun::make(kind_, report_.simulated_sizes, usual_build(kind_, report_.simulated_sizes), 1);
    if (!own) return own.error();
    report_.classified = kind_.accesses(report_.simulated_sizes) <= kMostClassified;
    for (const Program& program : programs_) {
      Result<std::unique_ptr<KernelProcess>> process = start(program.noting, program, report_.simulated_sizes);
      if (!process) return process.error();
      (*process)->fill(1);
      const Result<std::vector<float>> wanted = (*own)->result(**process);
      if (!wanted) return wanted.error();
      simulate(**process, program.name);
      if (stop_) return engine::refused_error("it was stopped");
      judge(**process, program, report_.simulated_sizes, *wanted);
      if (report_.fault) return {};
    }
    return simulate_ours();
  }

  void simulate(KernelProcess& process, const std::string& name) {
    const KernelLayout& layout = process.layout();
    SimulatedKernel one{.name = name};
    std::vector<profiler::TensorRange> ranges;
    for (size_t i = 0; i < kind_.operands.size(); ++i) {
      one.tensors.push_back({kind_.operands[i].name, 4 * layout.counts[i]});
      ranges.push_back({static_cast<uint64_t>(layout.offsets_bytes[i]),
                        static_cast<uint64_t>(layout.offsets_bytes[i] + 4 * layout.counts[i]),
                        static_cast<uint32_t>(i)});
    }
    one.tensors.push_back({"scratch", 0});
    ranges.push_back({static_cast<uint64_t>(layout.scratch_offset_bytes), static_cast<uint64_t>(layout.bytes),
                      static_cast<uint32_t>(kind_.operands.size())});
    profiler::CacheSimulator caches(
        request_.caches,
        {.tensors = static_cast<uint32_t>(one.tensors.size()), .ranges = ranges, .classify = report_.classified});
    process.call(1, [&](const NotedAccess& access) {
      const bool scratch = access.tensor == kind_.operands.size();
      const int64_t first = scratch ? layout.scratch_offset_bytes : layout.offsets_bytes[access.tensor];
      const engine::AccessStream stream{.address = static_cast<uint64_t>(first + 4 * access.index),
                                        .tensor = access.tensor,
                                        .bytes = static_cast<uint16_t>(4 * access.width),
                                        .kind = access.stores ? engine::AccessKind::store : engine::AccessKind::load};
      caches.group(1, std::span(&stream, 1));
    });
    caches.flush();
    one.counts = caches.take_epoch(name);
    report_.simulated.push_back(std::move(one));
  }

  /// The op as our own kernel accesses its tensors.
  Result<void> simulate_ours() {
    Result<OwnGraph> own = own_graph(kind_, report_.simulated_sizes, usual_build(kind_, report_.simulated_sizes));
    if (!own) return own.error();
    const Result<engine::MemoryPlan> memory = engine::plan_memory(*own->graph);
    if (!memory) return memory.error();
    profiler::CaptureBuilder builder;
    builder.run().device = "cpu";
    profiler::add_planned(builder, *own->graph, *memory);
    const auto capture = builder.finish();
    if (!capture) return capture.error();
    const uint64_t limit = profiler::CacheSimulator::address_limit(request_.caches);
    const Result<profiler::CapturedStep> step = profiler::CapturedStep::make(*capture, limit);
    if (!step) return step.error();
    SimulatedKernel ours{.name = "Tensortide"};
    std::vector<profiler::TensorRange> ranges;
    for (const profiler::TensorRecord& t : (*capture)->tensors()) {
      const bool owns = t.alias_of == profiler::kNoTensor && t.size_bytes > 0;
      ours.tensors.push_back({std::string((*capture)->name(t.name)), owns ? t.size_bytes : 0});
      if (owns)
        ranges.push_back({step->address(t.id), step->address(t.id) + static_cast<uint64_t>(t.size_bytes), t.id});
    }
    ours.tensors.push_back({"packed panels", 0});
    ranges.push_back({step->panels_address(), limit, step->panels()});
    std::ranges::sort(ranges, {}, &profiler::TensorRange::begin);
    profiler::CacheSimulator caches(
        request_.caches, {.tensors = step->tensor_count(), .ranges = ranges, .classify = report_.classified});
    for (const profiler::OpRecord& op : (*capture)->ops()) {
      if (op.view) continue;
      if (!step->objection(op.id).empty()) return {};  // its accesses are not known: no third row
      step->describe(op.id, caches);
    }
    caches.flush();
    ours.counts = caches.take_epoch(ours.name);
    report_.simulated.push_back(std::move(ours));
    return {};
  }

  void add_time(std::string name, std::string kernel, double time_ns) {
    const double flops = kind_.flops(report_.sizes);
    report_.times.push_back(
        {std::move(name), std::move(kernel), time_ns, flops > 0 ? flops / time_ns * 1e9 : std::nan("")});
  }

  Result<void> time_all() {
    constexpr double kSeconds = 0.25, kOwnSeconds = 0.1;
    Result<std::unique_ptr<OwnRun>> own = OwnRun::make(kind_, report_.sizes, usual_build(kind_, report_.sizes), 1);
    if (!own) return own.error();
    for (const Program& program : programs_) {
      Result<std::unique_ptr<KernelProcess>> process = start(program.timed, program, report_.sizes);
      if (!process) return process.error();
      double time = 0;
      // Right before it is timed, and with other numbers afterwards: no result may be kept from call to call.
      for (const uint64_t seed : {2, 3}) {
        (*process)->fill(seed);
        const Result<std::vector<float>> wanted = (*own)->result(**process);
        if (!wanted) return wanted.error();
        (*process)->call(1);
        if (stop_) return engine::refused_error("it was stopped");
        judge(**process, program, report_.sizes, *wanted);
        if (report_.fault) return {};
        if (seed == 2) time = median_time([&](uint32_t times) { return (*process)->call(times); }, kSeconds);
        report_.fault = (*process)->fault();
        if (report_.fault) return {};
      }
      add_time(program.name, "", time);
    }
    if (kind_.on_ladder) {
      for (const engine::ops::LadderRung& rung : engine::ops::ladder_rungs()) {
        if (rung.vector_bits > engine::vector_bits() || stop_) continue;
        const Build build = [&](engine::GraphBuilder& builder, const std::vector<engine::ValueId>& given) {
          return engine::ops::ladder_product(builder, given[0], given[1], rung.name, 64, false);
        };
        Result<std::unique_ptr<OwnRun>> run = OwnRun::make(kind_, report_.sizes, build, 0);
        if (!run) return run.error();
        add_time(fmt::format("ladder: {}", rung.name), "", (*run)->time(kOwnSeconds));
      }
    }
    add_time("Tensortide, 1 thread", (*own)->kernel(), (*own)->time(kOwnSeconds));
    report_.times.back().is_ours = true;
    Result<std::unique_ptr<OwnRun>> all = OwnRun::make(kind_, report_.sizes, usual_build(kind_, report_.sizes), 0);
    if (!all) return all.error();
    add_time("Tensortide, all cores", (*all)->kernel(), (*all)->time(kOwnSeconds));
    return {};
  }

  const KernelRequest& request_;
  const KernelKind& kind_;
  const std::atomic<bool>& stop_;
  KernelReport report_;
  BuildRequest build_;
  std::optional<WorkFolder> work_;
  std::vector<Program> programs_;
};

double dram_bytes(const SimulatedKernel& kernel) {
  const profiler::MemoryCounts memory = kernel.counts.total_memory();
  return static_cast<double>(memory.read_bytes() + memory.all_written_bytes());
}

}  // namespace

Result<KernelReport> check_kernel(const KernelRequest& request, const std::atomic<bool>& stop) {
  return Check(request, stop).run();
}

std::vector<std::pair<std::string, std::string>> kernel_figure_names(const profiler::CacheConfig& caches) {
  std::vector<std::pair<std::string, std::string>> names{
      {"speedup", "time of what it is compared with, divided by yours"},
      {"library_ratio", "Tensortide's time on one thread, divided by yours"},
      {"time_ns", "your time"},
      {"flop_per_s", "your floating point operations per second"},
      {"accesses", "your loads and stores"},
      {"misses", "your misses of the first level"},
      {"dram_bytes", "bytes that you move to and from memory"},
      {"dram_ratio", "bytes that the other moves to and from memory, divided by yours"}};
  for (const profiler::CacheLevelConfig& level : caches.levels)
    names.emplace_back("misses_" + level.name, "your misses of " + level.name);
  return names;
}

std::map<std::string, double> kernel_figures(const KernelReport& report) {
  std::map<std::string, double> figures;
  for (const auto& [name, help] : kernel_figure_names(report.caches)) figures[name] = std::nan("");
  if (report.fault) return figures;
  if (report.times.size() >= 2) {
    const KernelTime& own = report.times[0];
    figures["time_ns"] = own.time_ns;
    figures["flop_per_s"] = own.flop_per_s;
    figures["speedup"] = report.times[1].time_ns / own.time_ns;
    for (const KernelTime& time : report.times)
      if (time.is_ours) figures["library_ratio"] = time.time_ns / own.time_ns;
  }
  if (report.simulated.size() >= 2) {
    const profiler::CacheEpoch& own = report.simulated[0].counts;
    figures["accesses"] = static_cast<double>(own.refs);
    figures["misses"] = static_cast<double>(own.total(0).misses());
    for (size_t l = 0; l < report.caches.levels.size(); ++l)
      figures["misses_" + report.caches.levels[l].name] = static_cast<double>(own.total(l).misses());
    figures["dram_bytes"] = dram_bytes(report.simulated[0]);
    figures["dram_ratio"] = dram_bytes(report.simulated[1]) / dram_bytes(report.simulated[0]);
  }
  return figures;
}

}  // namespace app
