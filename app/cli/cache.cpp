// SPDX-License-Identifier: Apache-2.0
// tensortide cache: simulates a hierarchy of caches on a recorded trace, or on what a workload's ops access.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <thread>

#include "app/base/described_run.h"
#include "app/base/run_settings.h"
#include "app/cli/argument_checks.h"
#include "app/cli/cache_levels.h"
#include "app/cli/cache_output.h"
#include "app/cli/cache_progress.h"
#include "app/cli/command.h"
#include "app/cli/foreign.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"
#include "engine/workloads/workload.h"
#include "profiler/base/words.h"
#include "profiler/memory/access_trace.h"
#include "profiler/memory/cache_simulator.h"
#include "profiler/memory/miss_curve.h"
#include "profiler/memory/op_simulation.h"
#include "profiler/store/capture_file.h"

namespace app::cli {
namespace {

/// The first ones, and how many more there are.
std::string named_few(std::span<const std::string> names) {
  constexpr size_t kMost = 4;
  const std::string first = fmt::format("{}", fmt::join(names.first(std::min(names.size(), kMost)), ", "));
  return names.size() > kMost ? fmt::format("{} and {} more", first, names.size() - kMost) : first;
}

using engine::Result;
using profiler::counted;

struct CacheArguments {
  RunOptions run;  ///< what says the graph; of `run` alone: taken to be refused in words
  std::string threads = "0";
  std::string trace, format = "auto", curve_sample = "auto", progress;
  CacheLevels caches;
  int sample = 1;
  uint64_t curve_lines = 0;  ///< 0: not given
  bool instructions = false, flush = false, causes = false, curve = false, warm = false, json = false;
};

profiler::TraceFormat format_of(const std::string& name) {
  if (name == "din") return profiler::TraceFormat::din;
  if (name == "lackey") return profiler::TraceFormat::lackey;
  if (name == "addresses") return profiler::TraceFormat::addresses;
  return profiler::TraceFormat::automatic;
}

/// "1/8" or "8": every so many sets.
CLI::Validator part_of_sets() {
  const auto check = [](std::string& text) {
    if (text.starts_with("1/")) text.erase(0, 2);
    return whole_number(1, 64)(text);
  };
  return {check, ""};
}

/// --sample, which does not go with --causes, however few accesses there are.
Result<int> sample_of(const CacheArguments& options) {
  if (options.sample > 1 && options.causes)
    return engine::usage_error("[--sample] the causes of misses need all lines: not together with --causes");
  return options.sample;
}

/// Up to so many accesses, all passes together, `auto` follows every line: about a minute (4.2 s of processor time per
/// 100 M of ResNet-50's accesses, 2026-11-22, a virtual machine). Lines, at 20 bytes of memory each, likewise: 1 GB.
constexpr double kMostExactAccesses = 1.5e9, kMostExactLines = 5e7;

/// How the curve is sampled; nothing: it is not, or there is none. `accesses`, `lines`: about so many.
Result<std::optional<profiler::SampledDistance::Options>> curve_sample_of(const CacheArguments& options,
                                                                          double accesses, double lines,
                                                                          int line_bytes) {
  const std::string& text = options.curve_sample;
  std::optional<profiler::SampledDistance::Options> none;
  if (options.causes && ((text != "auto" && text != "all") || options.curve_lines > 0))
    return engine::usage_error(
        "[--curve-sample] the causes of misses need all lines, and then the curve has them: not together with "
        "--causes");
  if (!options.curve || options.causes) return none;
  profiler::SampledDistance::Options sample{.line_bytes = line_bytes};
  if (options.curve_lines > 0) {
    if (text == "all")
      return engine::usage_error("[--curve-lines] all lines are followed: not together with --curve-sample all");
    sample.most_lines = options.curve_lines;
  }
  if (text.starts_with("1/")) {
    std::string part = text.substr(2);
    if (const std::string wrong = whole_number(1, 1'000'000)(part); !wrong.empty())
      return engine::usage_error("[--curve-sample] " + wrong);
    sample.rate = 1 / std::stod(part);
  } else if (text != "auto" && text != "all") {
    return engine::usage_error(
        fmt::format("[--curve-sample] \"{}\": auto, all, or a part of the lines such as 1/100", text));
  } else if (text == "auto" && sample.most_lines == 0 && (accesses > kMostExactAccesses || lines > kMostExactLines)) {
    sample = profiler::usual_sample(static_cast<uint64_t>(lines), line_bytes);
  }
  if (sample.rate == 1 && sample.most_lines == 0) return none;
  return std::optional(sample);
}

/// What one description says, to two listeners.
class ToBoth : public engine::AccessSink {
 public:
  ToBoth(engine::AccessSink& one, engine::AccessSink& other) : one_(one), other_(other) {}
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    one_.group(iterations, streams);
    other_.group(iterations, streams);
  }

 private:
  engine::AccessSink &one_, &other_;
};

/// Accesses of a trace, from the bytes of its file: eight of a short line, or one of gzip's.
double guessed_accesses(const std::string& trace) {
  std::error_code unreadable;
  const auto bytes = static_cast<double>(std::filesystem::file_size(trace, unreadable));
  return unreadable ? 0 : trace.ends_with(".gz") ? bytes : bytes / 8;
}

/// Records of each kind, and what became of those that are no loads or stores. `apart_curve`: there is one beside the
/// caches.
std::string records_text(const profiler::TraceSummary& read, bool instructions, bool classify, bool apart_curve) {
  std::string text = fmt::format("{}, {}", counted(read.lines, "line"), counted(read.loads, "load"));
  if (read.miscellaneous > 0) text += fmt::format(" ({} of them miscellaneous)", read.miscellaneous);
  text += fmt::format(", {}, {}{}", counted(read.stores, "store"),
                      counted(read.instructions, "instruction fetch", "instruction fetches"),
                      read.instructions == 0 ? ""
                      : instructions         ? " counted as loads"
                                             : " skipped");
  if (read.copy_backs > 0) text += fmt::format(", {}", counted(read.copy_backs, "copy-back"));
  if (read.invalidations > 0) {
    text += fmt::format(", {}{}", counted(read.invalidations, "invalidation"),
                        classify      ? " ignored (causes and curves have none)"
                        : apart_curve ? " (the curve ignores them)"
                                      : "");
  }
  return text;
}

int simulate_trace(const CacheArguments& options, profiler::CacheConfig config, const std::string& origin) {
  const Result<int> sample = sample_of(options);
  if (!sample) return report_error(sample.error(), options.progress);
  // A trace says nothing of how many lines it touches before it has been read.
  const auto curve_sample = curve_sample_of(options, guessed_accesses(options.trace), 0, config.line_bytes());
  if (!curve_sample) return report_error(curve_sample.error(), options.progress);
  // Stack distances need all sets: where sets are sampled, or lines, the curve has a listener of its own.
  const bool apart_curve = options.curve && (*curve_sample || *sample > 1),
             classify = options.causes || (options.curve && !apart_curve);
  const auto slices = profiler::parts_of(config, 1, *sample);
  if (!slices) return report_error(slices.error(), options.progress);
  profiler::CacheSimulator simulator(config, {.slices = slices->front(), .classify = classify});
  profiler::TraceOptions trace;
  trace.format = format_of(options.format);
  trace.instructions = options.instructions;
  set_windows(trace, config);
  CacheProgress progress(options.progress == "json", 0);
  const double passes = options.warm ? 2 : 1;
  double passed = 0;
  if (progress.wanted()) trace.progress = [&](double fraction) { progress.tell((passed + fraction) / passes); };
  trace.copy_back = [&](uint64_t address, uint64_t bytes) { simulator.copy_back(address, bytes); };
  if (!classify) trace.invalidate = [&](uint64_t address, uint64_t bytes) { simulator.invalidate(address, bytes); };
  const auto start = std::chrono::steady_clock::now();
  profiler::SampledDistance distances(
      curve_sample->value_or(profiler::SampledDistance::Options{.line_bytes = config.line_bytes()}));
  profiler::LookupCount lookups(config.line_bytes(), 1);
  ToBoth counted_too(simulator, lookups);
  engine::AccessSink& caches = *sample > 1 ? static_cast<engine::AccessSink&>(counted_too) : simulator;
  ToBoth both(caches, distances);
  const Result<profiler::TraceSummary> read = profiler::read_trace(options.trace, trace, apart_curve ? both : caches);
  if (!read) return report_error(read.error(), options.progress);
  CacheRun run;
  const auto take = [&](const char* epoch) {
    run.epochs.push_back(simulator.take_epoch(epoch));
    if (*sample == 1) return;
    profiler::scale_counts(run.epochs.back(), *slices, *sample);
    set_lookups(run.epochs.back(), lookups.take());
  };
  if (options.curve)
    run.curve =
        apart_curve ? curve_of(distances, config.line_bytes()) : curve_of(*simulator.distances(), config.line_bytes());
  if (options.flush) simulator.flush();
  take("cold: whole trace, from empty caches");
  if (options.warm) {
    passed = 1;
    if (const auto again = profiler::read_trace(options.trace, trace, caches); !again)
      return report_error(again.error(), options.progress);
    if (options.flush) simulator.flush();
    take("warm: the trace once more");
  }
  progress.finish();
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.what =
      fmt::format("{} ({} trace): {}", std::filesystem::path(options.trace).filename().string(),
                  profiler::name(read->format), records_text(*read, options.instructions, classify, apart_curve));
  run.trace = *read;
  run.config = std::move(config);
  run.config_origin = origin;
  run.tensors = {{"trace", "", 0}};
  run.classified = classify;
  if (options.json) {
    print_json(cache_json(run));
  } else {
    show("{}", cache_text(run));
  }
  return kDone;
}

/// Ops beyond this are not told apart: each keeps counts per level and tensor. `run --collect simulate` tells any
/// number.
constexpr size_t kMostOps = 64;

profiler::CacheEpoch sum_of(std::string name, std::span<const profiler::CacheEpoch> parts) {
  profiler::CacheEpoch sum = parts.front();
  sum.name = std::move(name);
  for (const profiler::CacheEpoch& part : parts.subspan(1)) {
    for (size_t l = 0; l < sum.levels.size(); ++l) {
      for (size_t t = 0; t < sum.levels[l].size(); ++t) sum.levels[l][t] += part.levels[l][t];
      for (size_t set = 0; set < sum.set_misses[l].size(); ++set) sum.set_misses[l][set] += part.set_misses[l][set];
    }
    for (size_t t = 0; t < sum.memory.size(); ++t) sum.memory[t] += part.memory[t];
    sum.refs += part.refs;
    for (size_t t = 0; t < sum.sampled_lookups.size(); ++t) sum.sampled_lookups[t] += part.sampled_lookups[t];
  }
  find_sampling_errors(sum);
  return sum;
}

int simulate_workload(const CacheArguments& options, profiler::CacheConfig config, const std::string& origin) {
  RunOptions wanted = options.run;
  wanted.values["threads"] = options.threads;
  const Result<RunRequest> request = make_request(wanted);
  if (!request) return report_error(request.error(), options.progress);
  const Result<int> sample = sample_of(options);
  if (!sample) return report_error(sample.error(), options.progress);
  if (const auto possible = profiler::parts_of(config, 1, *sample); !possible)
    return report_error(possible.error(), options.progress);
  const Result<DescribedRun> described = DescribedRun::make(*request, profiler::CacheSimulator::address_limit(config));
  if (!described) return report_error(described.error(), options.progress);
  CacheRun run;
  for (const DescribedRun::Tensor& t : described->tensors())
    run.tensors.push_back({t.name, std::string(name(t.role)), t.size_bytes});
  profiler::SimulationRequest simulation{.tensors = static_cast<uint32_t>(run.tensors.size()),
                                         .ranges = described->ranges()};
  simulation.threads =
      request->threads > 0 ? request->threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  simulation.sample = *sample;
  profiler::AccessDescription step;
  step.describe = [&](engine::AccessSink& sink) { return described->step(sink), engine::access::Fidelity::loops; };
  const bool tells = options.progress == "json";
  const uint64_t accesses = options.curve || tells ? profiler::count_accesses(step) : 0;
  const auto start = std::chrono::steady_clock::now();
  // The second step op by op, where they are few.
  std::vector<size_t> ops;
  for (size_t op = 0; op < described->op_count(); ++op) {
    if (!described->op_name(op).empty()) ops.push_back(op);
  }
  const bool apart = !ops.empty() && ops.size() <= kMostOps;
  if (options.warm && !apart)
    return report_error(
        engine::usage_error(
            fmt::format("[--warm] at most {} ops can be counted apart, and this step has {}", kMostOps, ops.size())),
        options.progress);
  constexpr size_t kWholeStep = SIZE_MAX;
  std::vector<std::string> names{"cold: first step, from empty caches"};
  std::vector<size_t> passes{kWholeStep};
  const auto then = [&](std::string name, size_t op) { names.push_back(std::move(name)), passes.push_back(op); };
  const std::string steady = "steady: second step";
  if (!apart) then(steady, kWholeStep);
  for (size_t i = 0; apart && i < ops.size(); ++i) then(described->op_name(ops[i]), ops[i]);
  for (size_t i = 0; options.warm && i < ops.size(); ++i) then("", ops[i]), then(described->op_name(ops[i]), ops[i]);
  double lines = 0;
  for (const CacheTensor& t : run.tensors) lines += static_cast<double>(t.size_bytes) / config.line_bytes();
  const double all_accesses = (options.warm ? 4.0 : 2.0) * static_cast<double>(accesses);
  const auto curve_sample = curve_sample_of(options, all_accesses, lines, config.line_bytes());
  if (!curve_sample) return report_error(curve_sample.error(), options.progress);
  // As for traces, but by a walk of its own.
  const bool apart_curve = options.curve && (*curve_sample || simulation.sample > 1);
  CacheProgress progress(tells, all_accesses * (1 + (apart_curve ? 1 : 0) + (*sample > 1 ? 1 : 0)));
  const auto describe = [&](engine::AccessSink& to, size_t epoch) {
    CountingSink counting(to, progress);
    engine::AccessSink& sink = tells ? counting : to;
    if (passes[epoch] == kWholeStep) described->step(sink);
    else described->op(passes[epoch], sink);
  };
  simulation.classify = options.causes || (options.curve && !apart_curve);
  std::unique_ptr<profiler::StackDistance> distances;
  auto epochs = profiler::simulate(config, simulation, names, describe, &distances);
  if (!epochs) return report_error(epochs.error(), options.progress);
  if (apart_curve) {
    profiler::SampledDistance sampled(
        curve_sample->value_or(profiler::SampledDistance::Options{.line_bytes = config.line_bytes()}));
    for (size_t epoch = 0; epoch < names.size(); ++epoch) describe(sampled, epoch);
    run.curve = curve_of(sampled, config.line_bytes());
  } else if (options.curve) {
    run.curve = curve_of(*distances, config.line_bytes());
  }
  progress.finish();
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.epochs = *std::move(epochs);
  if (apart) {
    const auto first = std::make_move_iterator(run.epochs.begin() + 1);
    run.ops.assign(first, first + static_cast<std::ptrdiff_t>(ops.size()));
    std::vector<profiler::CacheEpoch> warm;
    for (size_t i = 1 + ops.size() + 1; i < run.epochs.size(); i += 2) warm.push_back(std::move(run.epochs[i]));
    run.epochs.resize(1);
    if (options.warm) run.epochs.push_back(sum_of("warm: each op once more right after itself", warm));
    run.epochs.push_back(sum_of(steady, run.ops));
  }
  run.what = fmt::format("{}, one step", described->title());
  const DescribedRun::HowKnown known = described->how_known();
  run.description = fmt::format(
      "Accesses (modelled, one thread): {} by the loops of Tensortide's kernels, {} by assumed "
      "tiles (libraries) or "
      "evenly spread indices, {} with each operand once. Vector loads count per line, others per "
      "element.",
      counted(static_cast<uint64_t>(known.ops[0]), "op"), known.ops[1], known.ops[2]);
  if (!known.assumed.empty())
    run.description += fmt::format(
        " Ops without an access model are listed with their lower "
        "bounds: {}.",
        named_few(known.assumed));
  if (known.products > 0) {
    run.description += fmt::format(
        " Nothing runs: {} by Tensortide's own kernel, though a run may call a library with other "
        "tiles (`tensortide "
        "run {} --collect simulate` shows which).",
        counted(static_cast<uint64_t>(known.products), "GEMM is simulated", "GEMMs are simulated"),
        options.run.workload);
  }
  run.config = std::move(config);
  run.config_origin = origin;
  run.classified = simulation.classify;
  if (options.json) {
    print_json(cache_json(run));
  } else {
    show("{}", cache_text(run));
  }
  return kDone;
}

/// A capture holds no accesses; its ops are simulated as it is recorded, or by a view of the window.
Result<void> check_is_no_capture(const std::string& file) {
  if (!file.ends_with(".tide")) return {};
  const auto capture = profiler::open_capture(file);
  if (!capture) return capture.error();
  const std::string command = (*capture)->run().command;
  return engine::usage_error(
      fmt::format("{} is a capture: cache takes a workload, or a trace with --trace. A capture's ops are simulated as "
                  "it is recorded, with --collect simulate{}; then `tensortide analyze "
                  "FILE --table cache` shows them. The window's cache view simulates any op of this one",
                  file, command.empty() ? std::string() : fmt::format(" (this one by `{}`)", command)));
}

/// Settings of a run that choose among kernels of the CPU.
bool chooses_kernels(const RunSetting& s) { return s.where == RunSetting::Where::cpu; }

/// What has no meaning beside what is simulated, a trace or a workload: said, not ignored.
Result<void> check_flags(const CacheArguments& options, const CLI::App& verb) {
  for (const RunSetting& s : run_settings()) {
    if (!chooses_kernels(s) || options.run.value(s.name()).empty()) continue;
    const std::string flag = s.flag(), value = options.run.value(s.name()),
                      workload = options.run.workload.empty() ? "WORKLOAD" : options.run.workload;
    return engine::usage_error(
        fmt::format("[{0}] it is a flag of run: cache runs nothing and simulates only "
                    "Tensortide's own kernels. `tensortide run {1} {0} {2} --collect simulate` "
                    "simulates the accesses of a run",
                    flag, workload, value));
  }
  if (!options.trace.empty()) {
    std::string flag = first_given(verb, {"--preset", "--set"});
    for (const RunSetting& s : run_settings()) {
      if (!options.run.value(s.name()).empty()) flag = s.flag();
    }
    if (!flag.empty())
      return engine::usage_error(
          fmt::format("[{}] it belongs to a workload, and --trace gives a trace instead: leave one of them out", flag));
  }
  return {};
}

/// A trace without --trace in front would be looked for among the workloads.
Result<void> check_workload_is_no_trace(const std::string& workload) {
  const std::filesystem::path file = workload;
  std::error_code code;
  if (workload.empty() || engine::find_workload(workload) || file.extension() == ".onnx" || file.extension() == ".json")
    return {};
  if (!std::filesystem::exists(file, code) || std::filesystem::is_directory(file, code)) return {};
  return engine::usage_error(fmt::format("{0} is a file: a trace is given with --trace {0}", workload));
}

int cache(const CacheArguments& options, const CLI::App& verb) {
  if (options.trace.empty() == options.run.workload.empty())
    return report_error(engine::usage_error("give either a workload or --trace FILE"), options.progress);
  for (const std::string& file : {options.run.workload, options.trace}) {
    if (const Result<void> other = check_is_no_capture(file); !other)
      return report_error(other.error(), options.progress);
  }
  if (const Result<void> named = check_workload_is_no_trace(options.run.workload); !named)
    return report_error(named.error(), options.progress);
  if (const Result<void> together = check_flags(options, verb); !together)
    return report_error(together.error(), options.progress);
  std::string origin;
  Result<profiler::CacheConfig> config = hierarchy(options.caches, origin);
  if (!config) return report_error(config.error(), options.progress);
  return options.run.workload.empty() ? simulate_trace(options, *std::move(config), origin)
                                      : simulate_workload(options, *std::move(config), origin);
}

}  // namespace

Handler add_cache(CLI::App& verb) {
  auto o = std::make_shared<CacheArguments>();
  const char* group = "Accesses";
  verb.add_option("--trace", o->trace, "Trace of accesses instead of a workload; may be gzipped")
      ->option_text("FILE")
      ->group(group);
  verb.add_option("--trace-format", o->format, "Format [auto, din, lackey, addresses] (default auto)")
      ->check(CLI::IsMember({"auto", "din", "lackey", "addresses"}))
      ->needs("--trace")
      ->capture_default_str()
      ->option_text("FORMAT")
      ->group(group);
  verb.add_flag("--instructions", o->instructions, "Count instruction fetches as loads")
      ->needs("--trace")
      ->group(group);
  add_graph_options(verb, o->run, "Workload, ONNX or JSON file whose ops are simulated");
  verb.get_option("workload")->required(false)->option_text("[NAME|FILE]");
  for (const RunSetting& s : run_settings()) {
    if (chooses_kernels(s)) verb.add_option(s.flag(), o->run.values[s.name()])->group("");
  }
  add_cache_levels(verb, o->caches, "Caches");
  group = "Counts";
  verb.add_flag("--causes", o->causes, "Split misses: compulsory, capacity, conflict; count prefetchable ones")
      ->group(group);
  verb.add_flag("--warm", o->warm, "Count each op, or the whole trace, a second time right after itself")->group(group);
  verb.add_flag("--flush", o->flush, "Count lines that are dirty at the end of a trace as written")
      ->needs("--trace")
      ->group(group);
  verb.add_option("--sample", o->sample, "Simulate this part of the sets and scale: 1/8 (default 1)")
      ->transform(part_of_sets())
      ->capture_default_str()
      ->option_text("PART")
      ->group(group);
  verb.add_flag("--curve", o->curve, "Misses of every cache size at once")->group(group);
  verb.add_option("--curve-sample", o->curve_sample, "Lines of the curve [auto, all, 1/100] (default auto)")
      ->needs("--curve")
      ->capture_default_str()
      ->option_text("PART")
      ->group(group);
  verb.add_option("--curve-lines", o->curve_lines, "Most lines that the curve follows")
      ->transform(whole_number(64, int64_t{1} << 28))
      ->needs("--curve")
      ->option_text("N")
      ->group(group);
  verb.add_option("--threads", o->threads, "Threads of the simulation; 0: all (default 0)")
      ->check(whole_number(0, 4096))
      ->capture_default_str()
      ->option_text("N")
      ->group(group);
  add_progress_option(verb, o->progress);
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer(cache_levels_text() +
              "Example: tensortide cache gemm --set m=512 --level 32KiB/8/64:plru --level 1MiB/16/64:lru\n"
              "Example: tensortide cache --trace mm.din.gz --level 32KiB/8/64 --level 2MiB/16/64:inclusive --causes");
  return [o, &verb] { return cache(*o, verb); };
}

}  // namespace app::cli
