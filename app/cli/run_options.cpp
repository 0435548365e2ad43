// SPDX-License-Identifier: Apache-2.0
// Options of everything that runs: declared and checked.
#include "app/cli/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "app/base/gpu_chain.h"
#include "engine/base/nearest_name.h"
#include "engine/tensor/device_name.h"
#include "profiler/record/catalog.h"

namespace app::cli {

using engine::Result;

namespace {

/// Flags with a few fixed values, and those of them that mean something on GPUs alone: said, not ignored.
Result<void> check_fixed_flags(const RunOptions& options) {
  struct Fixed {
    const char* flag;
    const std::string& given;
    std::vector<std::string> known;  ///< the usual one first
    std::vector<std::string> of_gpus = {};
    const char* why = "";
  };
  const std::array fixed{
      Fixed{"--graph", options.graph, {"static", "eager", "replay"}, {"replay"}, "a whole step is launched at once by GPUs alone"},
      Fixed{"--fuse", options.fuse, {"off", "on"}},
      Fixed{"--winograd", options.winograd, {"auto", "off", "on"}},
      Fixed{"--tf32", options.tf32, {"off", "on"}, {"on"}, "TF32 is a format of NVIDIA's tensor cores"},
      Fixed{"--fp8", options.fp8, {"off", "e4m3", "e5m2"}, {"e4m3", "e5m2"}, "FP8 is a format of NVIDIA's tensor cores"},
      Fixed{"--deterministic", options.deterministic, {"off", "on"}, {"on"}, "it chooses among kernels of GPUs"},
      Fixed{"--transfer", options.transfer, {"", "pinned", "pageable"}, {"pinned", "pageable"}, "this device shares the host's memory, so nothing is transferred"},
  };
  for (const Fixed& f : fixed) {
    if (std::ranges::find(f.known, f.given) == f.known.end()) {
      std::string values;
      for (const std::string& value : f.known) {
        if (!value.empty()) values += fmt::format("{}\"{}\"", values.empty() ? "" : " or ", value);
      }
      return engine::usage_error(fmt::format("[{}] unknown value \"{}\": it is {}", f.flag, f.given, values));
    }
    if (!engine::is_gpu(options.device) && std::ranges::find(f.of_gpus, f.given) != f.of_gpus.end()) {
      return engine::usage_error(fmt::format("[{}] {}: {}; use --device cuda, or leave {} out", f.flag, f.given, f.why, f.flag));
    }
  }
  if (!options.without.empty() && engine::is_gpu(options.device)) {
    return engine::usage_error(fmt::format("[--without] {}: it leaves out libraries of the CPU; use --device cpu, or leave --without out", options.without));
  }
  if (options.winograd == "on" && engine::is_gpu(options.device)) {
    return engine::usage_error("[--winograd] on: it chooses among convolutions of the CPU; leave --winograd out, cuDNN chooses its own");
  }
  return {};
}

/// --batch, --dtype, --mode and --set together; one parameter with two values is wrong usage, whichever came last.
Result<engine::Arguments> settings_of(const RunOptions& options) {
  engine::Arguments settings;
  std::map<std::string, std::string> flags;  // by parameter: the words that gave it
  const auto give = [&](const std::string& key, const std::string& value, const std::string& words) -> Result<void> {
    const auto [entry, added] = settings.emplace(key, value);
    const std::string& before = flags.emplace(key, words).first->second;
    if (added || entry->second == value) return {};
    return engine::usage_error(fmt::format("[{}] it has two values, by {} and by {}: leave one of them out", key, before, words));
  };
  for (const auto& [key, value] : {std::pair{"batch", &options.batch}, {"dtype", &options.dtype}, {"mode", &options.mode}}) {
    if (!value->empty()) static_cast<void>(give(key, *value, fmt::format("--{} {}", key, *value)).ok());
  }
  for (const std::string& setting : options.settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return engine::usage_error(fmt::format("[--set] \"{}\" is not of the form key=value", setting));
    }
    if (const Result<void> ok = give(setting.substr(0, equals), setting.substr(equals + 1), "--set " + setting); !ok) return ok.error();
  }
  return settings;
}

}  // namespace

Result<int64_t> parse_integer(const char* flag, const std::string& text, int64_t minimum, int64_t maximum) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return engine::usage_error(fmt::format("[{}] \"{}\" is not a whole number", flag, text));
  }
  if (value < minimum || value > maximum) {
    return engine::usage_error(fmt::format("[{}] {} is out of range: {} to {}", flag, value, minimum, maximum));
  }
  return value;
}

Result<RunRequest> make_request(const RunOptions& options) {
  if (Result<void> fixed = check_fixed_flags(options); !fixed) return fixed.error();
  RunRequest request;
  request.workload = options.workload;
  request.preset = options.preset;
  request.device = options.device;
  request.eager = options.graph == "eager";
  request.replay = options.graph == "replay";
  request.fuse = options.fuse == "on";
  request.winograd = *engine::winograd_use(options.winograd);
  for (size_t begin = 0; !options.without.empty() && begin <= options.without.size();) {
    const size_t end = std::min(options.without.find(',', begin), options.without.size());
    const std::string library = options.without.substr(begin, end - begin);
    begin = end + 1;
    if (library != "onednn" && library != "openblas") {
      return engine::usage_error(fmt::format("[--without] unknown library \"{}\": it is \"onednn\", \"openblas\" or \"onednn,openblas\"", library));
    }
    (library == "onednn" ? request.without_onednn : request.without_openblas) = true;
  }
  request.tf32 = options.tf32 == "on";
  request.fp8 = static_cast<engine::Fp8>(std::ranges::find(engine::kFp8Names, options.fp8) - engine::kFp8Names.begin());
  request.deterministic = options.deterministic == "on";
  request.pageable = options.transfer == "pageable";
  Result<profiler::CollectorNames> collect =
      profiler::parse_collectors(options.collect, options.device, [&] { return gpu_chain_of(options.device); });
  if (!collect) return collect.error();
  request.collect = *std::move(collect);
  if (!options.simulate_limit.empty()) {
    Result<int64_t> limit = parse_integer("--simulate-limit", options.simulate_limit, 1, 86400);
    if (!limit) return limit.error();
    if (!request.collect.contains("simulate"))
      return engine::usage_error(
          fmt::format("[--simulate-limit] {}: nothing is simulated without --collect simulate; add it, or leave "
                      "--simulate-limit out",
                      *limit));
    request.simulate_seconds = static_cast<double>(*limit);
  }
  Result<engine::Arguments> settings = settings_of(options);
  if (!settings) return settings.error();
  request.settings = *std::move(settings);
  Result<int64_t> threads = parse_integer("--threads", options.threads, 0, 4096);
  if (!threads) return threads.error();
  request.threads = static_cast<int>(*threads);
  Result<int64_t> steps = options.steps == "auto" ? Result<int64_t>(0) : parse_integer("--steps", options.steps, 1, 1000000);
  if (!steps) return steps.error();
  request.steps = static_cast<int>(*steps);
  Result<int64_t> warmup = options.warmup == "auto" ? Result<int64_t>(-1) : parse_integer("--warmup", options.warmup, 0, 1000000);
  if (!warmup) return warmup.error();
  request.warmup_steps = static_cast<int>(*warmup);
  Result<int64_t> seed = parse_integer("--seed", options.seed, 0, INT64_MAX);
  if (!seed) return seed.error();
  request.seed = static_cast<uint64_t>(*seed);
  return request;
}

void add_graph_options(CLI::App& verb, RunOptions& o, const std::string& subject) {
  // An empty text is a script's forgotten variable, not a wish for the default.
  const CLI::Validator not_empty([](const std::string& text) { return text.empty() ? std::string("is empty") : std::string(); }, "");
  const char* group = "Workload";
  verb.add_option("workload", o.workload, subject)->required()->option_text("NAME|FILE");
  verb.add_option("--preset", o.preset, "Named set of parameters")->option_text("NAME")->group(group);
  verb.add_option("--batch", o.batch, "Samples per step")->check(not_empty)->option_text("N")->group(group);
  verb.add_option("--dtype", o.dtype, "Data type [f32, f64, bf16, f16, as the workload offers]")->check(not_empty)->option_text("TYPE")->group(group);
  verb.add_option("--mode", o.mode, "Mode [inference, training]")->check(not_empty)->option_text("MODE")->group(group);
  verb.add_option("--fuse", o.fuse, "Fuse ops [off, on] (default off)")->capture_default_str()->option_text("VALUE")->group(group);
  verb.add_option("--set", o.settings, "Any parameter of the workload; repeatable")->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->option_text("KEY=VALUE")->group(group);
}

void add_run_options(CLI::App& verb, RunOptions& o) {
  add_graph_options(verb, o, "Workload (`tensortide workloads` lists them), ONNX or JSON file");
  const char* group = "Execution";
  verb.add_option("--device", o.device, "Device [cpu, null, sim:0..7, emu:0, cuda, cuda:1, ...] (default cpu)")->capture_default_str()->option_text("NAME")->group(group);
  verb.add_option("--graph", o.graph, "Graph [static, eager, replay] (default static)")->capture_default_str()->option_text("VALUE")->group(group);
  verb.add_option("--threads", o.threads, "Worker threads; 0: all physical cores (default 0)")->capture_default_str()->option_text("N")->group(group);
  verb.add_option("--winograd", o.winograd, "Winograd convolutions [auto, on, off] (default auto)")->capture_default_str()->option_text("VALUE")->group(group);
  verb.add_option("--without", o.without, "Leave out libraries [onednn, openblas, or both with a comma]")->check(CLI::Validator([](const std::string& text) { return text.empty() ? std::string("is empty") : std::string(); }, ""))->option_text("LIST")->group(group);
  group = "NVIDIA GPUs";
  verb.add_option("--tf32", o.tf32, "TF32 in f32 matrix multiplications [off, on] (default off)")->capture_default_str()->option_text("VALUE")->group(group);
  verb.add_option("--fp8", o.fp8, "FP8 in matrix multiplications [off, e4m3, e5m2] (default off)")->capture_default_str()->option_text("VALUE")->group(group);
  verb.add_option("--deterministic", o.deterministic, "Deterministic kernels only [off, on] (default off)")->capture_default_str()->option_text("VALUE")->group(group);
  verb.add_option("--transfer", o.transfer, "Host memory of copies [pinned, pageable] (default pinned)")->option_text("VALUE")->group(group);
  group = "Measurement";
  verb.add_option("--steps", o.steps, "Timed steps; auto: until the median is known within 2 % (default auto)")->capture_default_str()->option_text("N")->group(group);
  verb.add_option("--warmup", o.warmup, "Steps before timing; auto: until two agree (default auto)")->capture_default_str()->option_text("N")->group(group);
  verb.add_option("--seed", o.seed, "Seed of weights and data (default 1)")->capture_default_str()->option_text("N")->group(group);
  verb.add_option("--collect", o.collect, fmt::format("Sources [{}]", profiler::collector_choices(false)))
      ->capture_default_str()
      ->option_text("LIST")
      ->group(group);
  verb.add_option("--simulate-limit", o.simulate_limit, "Time budget of the cache simulation; beyond it, sets are sampled (60)")->default_str("60")->option_text("SECONDS")->group(group);
}

}  // namespace app::cli
