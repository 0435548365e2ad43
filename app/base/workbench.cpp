// SPDX-License-Identifier: Apache-2.0
// Workbench: the composition root. Turns "run this" into graph, backend, roofs and recorder.
#include "app/base/workbench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "app/base/devices.h"
#include "app/base/given_weights.h"
#include "app/base/gpu_chain.h"
#include "app/base/input_files.h"
#include "app/base/job.h"
#include "app/base/model_outputs.h"
#include "app/base/run_settings.h"
#include "app/base/untraced_run.h"
#include "engine/base/nearest_name.h"
#include "engine/base/read_file.h"
#include "engine/base/shell_words.h"
#include "engine/cpu/pinned_threads.h"
#include "engine/files/picture.h"
#include "engine/graph/to_device.h"
#include "engine/netfile/network_file.h"
#include "engine/ops/data_loading.h"
#include "engine/ops/fusion.h"
#include "engine/runtime/check_finite.h"
#include "engine/runtime/fold_constants.h"
#include "engine/runtime/plan.h"
#include "engine/sim/backend.h"
#include "engine/tensor/device_name.h"
#include "profiler/base/content_hash.h"
#include "profiler/capture/capture_builder.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/record/catalog.h"
#include "profiler/record/plan_records.h"
#include "profiler/record/probe.h"
#include "profiler/record/probe_beside.h"
#include "profiler/store/capture_file.h"

namespace app {
namespace {

using engine::Arguments;
using engine::Result;

bool names_network_file(const std::string& workload) { return workload.ends_with(".json"); }

/// A picture that is given decides about "height" and "width" of a workload with such an image, where nobody else does.
Result<void> fit_to_picture(const RunRequest& request, const engine::Workload& workload, Arguments& given) {
  const auto open = [&](const char* name) {
    return std::ranges::find(workload.parameters, name, &engine::Parameter::name) != workload.parameters.end() &&
           !given.contains(name);
  };
  if (!open("height") || !open("width")) return {};
  for (const std::string& word : request.inputs.files) {
    const std::string file = split_input(word).file;
    if (!engine::names_picture(file)) continue;
    const Result<engine::Picture> picture = engine::read_picture(file, 3);
    if (!picture)
      return engine::Error{picture.error().kind, fmt::format("[--input] {}: {}", word, picture.error().message)};
    given["height"] = std::to_string(picture->height);
    given["width"] = std::to_string(picture->width);
    return {};
  }
  return {};
}

/// The parameters of the request's file of weights.
Result<void> give_weights(const RunRequest& request, Job& job) {
  if (request.weights.empty()) return {};
  if (request.is("graph", "eager"))
    return engine::usage_error(
        "[--weights] eager mode starts parameters as each step is built, so no file is read; use --graph static");
  if (!engine::named_devices(*job.graph).empty())
    return engine::usage_error(
        "[--weights] this workload names further devices and runs in eager mode, which starts parameters itself; leave "
        "--weights out");
  Result<WeightedGraph> weighted = with_weights(*job.graph, request.weights);
  if (!weighted) return weighted.error();
  job.graph = weighted->graph;
  job.notes.insert(job.notes.end(), weighted->notes.begin(), weighted->notes.end());
  job.build = nullptr;  // it would append parameters as they were
  return {};
}

/// `workload`: one of the catalog, or one that was read from a file.
Result<Job> build_workload_job(const RunRequest& request, const engine::Workload* workload) {
  Arguments given;
  if (!request.preset.empty()) {
    std::vector<std::string> names;
    bool found = false;
    for (const engine::Preset& preset : workload->presets) {
      names.push_back(preset.name);
      if (preset.name != request.preset) continue;
      given = preset.arguments;
      found = true;
    }
    if (!found && names.empty()) {
      return engine::usage_error(fmt::format("[--preset] {} has no presets", request.workload));
    }
    if (!found) {
      return engine::usage_error(fmt::format("[--preset] {} has no preset \"{}\"; did you mean \"{}\"?",
                                             request.workload, request.preset,
                                             engine::nearest_name(request.preset, names)));
    }
  }
  for (const auto& [key, value] : request.settings) given[key] = value;
  if (Result<void> fits = fit_to_picture(request, *workload, given); !fits) return fits.error();
  Result<Arguments> arguments = engine::resolve(*workload, given);
  if (!arguments) return arguments.error();
  Result<engine::Graph> graph = engine::build_graph(*workload, *arguments);
  if (!graph) return graph.error();
  auto build = [append = workload->build, given = *arguments](engine::GraphBuilder& builder) {
    append(builder, given);
  };
  Job job{std::make_shared<const engine::Graph>(std::move(*graph)),
          std::move(build),
          workload->title,
          std::move(*arguments),
          {},
          {},
          {}};
  for (const engine::ValueId id : job.graph->outputs()) job.outputs.push_back({job.graph->value(id).name, id});
  if (Result<void> weighted = give_weights(request, job); !weighted) return weighted.error();
  if (Result<void> given = give_inputs(request, job); !given) return given.error();
  return job;
}

/// A file of another program, by its name: "mlp.pt".
engine::Error foreign_model(const std::string& name) {
  return engine::usage_error(
      fmt::format("{}: only ONNX models (.onnx) and networks in JSON (.json) are run. From PyTorch: "
                  "torch.onnx.export(model, inputs, \"model.onnx\"); `tensortide import` opens a trace of the profiler",
                  name));
}

Result<Job> load_job(const RunRequest& request) {
  if (names_network_file(request.workload)) {
    Result<engine::Workload> read = engine::load_network_file(request.workload);
    if (!read) return read.error();
    return build_workload_job(request, &*read);
  }
  if (names_model_file(request.workload)) {
    if (!request.weights.empty())
      return engine::usage_error(fmt::format("[--weights] {}: {} has its own weights; leave it out",
                                             request.weights.string(), request.workload));
    return load_model_job(request);
  }
  Result<const engine::Workload*> workload = engine::find_workload(request.workload);
  if (!workload && request.workload.find('.') != std::string::npos) return foreign_model(request.workload);
  if (!workload) return workload.error();
  return build_workload_job(request, *workload);
}

/// What a model file computes of its constants alone is computed here, once, and not in every step. Eager mode, which
/// runs each op as it is appended, does without.
Result<void> fold_job(Job& job, bool fuse) {
  Result<std::unique_ptr<engine::Backend>> host = make_device("cpu", DeviceOptions{.threads = 1});
  if (!host) return host.error();
  int64_t nodes = 0;
  const auto fold = [&](bool keep_dequantized) -> Result<void> {
    Result<engine::FoldedConstants> folded =
        engine::fold_constants(*job.graph, **host, {.keep_dequantized = keep_dequantized});
    if (!folded) return folded.error();
    if (folded->nodes == 0) return {};
    nodes += folded->nodes;
    job.graph = std::make_shared<const engine::Graph>(std::move(folded->graph));
    return {};
  };
  if (Result<void> first = fold(fuse); !first) return first;
  if (fuse) {
    job.graph = std::make_shared<const engine::Graph>(engine::fuse(*job.graph));
    if (Result<void> second = fold(false); !second) return second;
  }
  if (nodes > 0)
    job.notes.push_back(fmt::format("{} of the model's ops read constants alone. {} computed once, before the steps.",
                                    nodes, nodes == 1 ? "It was" : "They were"));
  const auto unfused = std::ranges::count_if(
      job.graph->nodes(), [&](const engine::Node& node) { return !fuse && node.op->name == "dequantize_linear"; });
  if (unfused > 0)
    job.notes.push_back(
        fmt::format("The model is quantised, but --fuse is off: {} of its ops turn bytes into f32 in each step. With "
                    "--fuse on the ops behind them compute on the bytes.",
                    unfused));
  return {};
}

Result<Job> make_job(const RunRequest& request) {
  const bool fuse = request.is("fuse", "on");
  if (fuse && request.is("graph", "eager")) {
    return engine::usage_error(
        "[--fuse] on: eager mode runs each op before the next exists, so nothing can be fused; "
        "use --graph static");
  }
  if (request.is("winograd", "on") && !engine::traits_of(request.device).is_processor)
    return engine::usage_error(
        fmt::format("[--winograd] on: it computes convolutions of the CPU, not on {}; leave it out", request.device));
  Result<Job> job = load_job(request);
  if (!job) return job;
  for (auto& [name, value] : recorded_settings(request)) job->arguments[name] = value;
  if (names_model_file(request.workload) && !request.is("graph", "eager")) {
    if (Result<void> folded = fold_job(*job, fuse); !folded) return folded.error();
    job->build = nullptr;  // it would append the ops as they were
    return job;
  }
  if (!fuse) return job;
  job->graph = std::make_shared<const engine::Graph>(engine::fuse(*job->graph));
  job->build = nullptr;  // it would append the ops as they were
  return job;
}

/// What machine_roofs() may give as it is; nothing: something is to be measured.
std::optional<profiler::Machine> usable_roofs(RoofsAge age) {
  constexpr double kFreshSeconds = 600;
  std::optional<profiler::Machine> known = profiler::cached_probe();
  const bool fresh = known && profiler::cached_probe_age_s().value_or(kFreshSeconds) < kFreshSeconds;
  const bool sound = known && profiler::roofs_weakness(*known).empty();
  return fresh || (sound && age == RoofsAge::any) ? known : std::nullopt;
}

/// Whether roofs were measured for so many threads, even in vain.
bool has_roofs(const profiler::Machine& machine, int threads) {
  const int most = 4 * std::max(1, machine.info.hardware_threads);
  return threads == 0 || threads > most || std::ranges::any_of(machine.compute, [&](const profiler::ComputeRoof& roof) {
           return roof.threads == threads;
         });
}

/// The run that collectors are started for; `record` is filled in later.
profiler::CollectContext collect_context(const RunRequest& request, profiler::RecordRequest& record,
                                         const Progress& progress, const std::atomic<bool>& stop) {
  return {.device = request.device,
          .asked = request.collect,
          .eager = request.is("graph", "eager"),
          .record = record,
          .gpu = {start_gpu_trace, start_gpu_counters, start_gpu_samples},
          .time_untraced = [&]() -> Result<std::vector<double>> {
            if (!request.cupti_cost) return engine::refused_error("--no-cupti-cost");
            if (progress) progress({.stage = "timing steps without CUPTI"});
            // Not the command of the capture, whose paths are relative to its folder.
            return untraced_run("tensortide run " + engine::shell_line(words_of(request)), stop);
          },
          .simulate_seconds = request.simulate_seconds,
          .progress = progress,
          .stop = stop};
}

}  // namespace

bool names_model_file(const std::string& workload) {
  return !names_network_file(workload) && (workload.find('/') != std::string::npos || workload.ends_with(".onnx"));
}

Result<profiler::Machine> machine_roofs(RoofsAge age, int threads, const Progress& progress,
                                        const std::atomic<bool>& stop) {
  std::optional<profiler::Machine> machine = usable_roofs(age);
  if (machine && has_roofs(*machine, threads)) return *std::move(machine);
  const auto told = [&](std::string stage, double fraction) {
    if (progress) progress({.stage = std::move(stage), .fraction = fraction});
  };
  const auto cancelled = [&] { return stop.load(); };
  const profiler::ProbeLock lock =
      profiler::ProbeLock::take([&](const std::string& sentence) { told(sentence, 0); }, cancelled);
  if (lock.waited()) machine = usable_roofs(age);  // another process has measured them meanwhile
  if (!machine) {
    const std::optional<profiler::Machine> known = profiler::cached_probe();
    const bool sound = known && profiler::roofs_weakness(*known).empty();
    profiler::ProbeOptions options;
    options.levels_of = sound ? &*known : nullptr;
    options.earlier = known ? &*known : nullptr;
    options.progress = [&](double fraction, const std::string& what) {
      told(fmt::format("measuring this machine's roofs{}: {}", known ? " again" : " (once)", what), 0.5 * fraction);
    };
    options.cancelled = cancelled;
    Result<profiler::Machine> measured = profiler::probe_machine(options);
    if (!measured) return measured;
    // Weak roofs serve this run, disturbed as it is, but do not take the place of sound ones. Not being able to
    // remember does no harm.
    machine = profiler::remember_probe(*std::move(measured)).machine;
  }
  if (has_roofs(*machine, threads)) return *std::move(machine);
  profiler::ProbeOptions options;
  options.levels_of = &*machine;
  options.threads = threads;
  options.add_threads = true;
  options.progress = [&](double fraction, const std::string& what) {
    told(fmt::format("measuring this machine's roofs for {} thread{}: {}", threads, threads == 1 ? "" : "s", what),
         0.5 * fraction);
  };
  options.cancelled = cancelled;
  Result<profiler::Machine> more = profiler::probe_machine(options);
  if (!more) return more;
  return profiler::remember_probe(*std::move(more)).machine;
}

namespace {

/// Why threads may not be held; empty: they may. Further threads would share the processor of the one that starts them.
std::string why_not_pinned(const engine::Graph& graph, bool further_devices) {
  const auto loads = [](const engine::Node& node) {
    return node.op == &engine::ops::kLoadBatch && node.attributes.get_int("overlap", 1) != 0;
  };
  if (std::ranges::any_of(graph.nodes(), loads))
    return "this workload loads data on threads of its own, which would share a processor (overlap=off has none)";
  if (further_devices)
    return "the simulated devices of this workload have threads of their own, which would share a processor";
  return {};
}

}  // namespace

Result<std::shared_ptr<const profiler::Capture>> record(const RunRequest& request, const Progress& progress,
                                                        const std::atomic<bool>& stop, OutputReport* report) {
  Result<Job> job = make_job(request);
  if (!job) return job.error();
  if (const Result<void> taken = profiler::check_device(request.collect, request.device); !taken) return taken.error();
  if (engine::traits_of(request.device).is_gpu && !request.roofs.empty()) {
    return engine::usage_error(
        fmt::format("[--roofs] speaks of the processor, and --device {} does the work: leave it out", request.device));
  }
  Result<OutputKeeper> keeper = OutputKeeper::make(request.outputs, job->outputs);
  if (!keeper) return keeper.error();
  profiler::RecordRequest record;
  if (!request.outputs.empty() && report != nullptr) {
    if (!engine::traits_of(request.device).computes)
      return engine::usage_error(
          fmt::format("[--device] {} computes nothing, so there are no outputs", request.device));
    record.with_outputs = [&](const profiler::ReadOutput& read) { return keeper->take(read, *report); };
  }
  profiler::CollectContext context = collect_context(request, record, progress, stop);
  const Result<profiler::Collections> collections =
      profiler::start_collectors(context, profiler::When::during);  // there before the device is, and after it
  if (!collections) return collections.error();
  const Result<std::unique_ptr<profiler::GpuTracer>> standing = start_standing_trace(request.device);  // likewise
  if (!standing) return standing.error();
  if (*standing) {
    record.tracer = standing->get();
    record.standing_trace = true;
  }
  Result<std::unique_ptr<engine::Backend>> backend = make_device(request.device, request.device_options());
  if (!backend) return backend.error();
  // Refuse what cannot fit or be written before spending seconds on the roofs.
  if (auto memory = engine::plan_memory_within(*job->graph, (*backend)->info()); !memory) {
    if (!names_model_file(request.workload) && !names_network_file(request.workload)) return memory.error();
    return engine::refused_error(fmt::format("{}: {}", request.workload, memory.error().message));
  }

  std::vector<std::unique_ptr<engine::Backend>> further;
  for (const std::string& name : engine::named_devices(*job->graph)) {
    if (name == to_string((*backend)->info().device)) continue;
    DeviceOptions options = request.device_options();
    if (options.threads > 0) options.threads = engine::sim::share_of(options.threads);  // they share the processor
    auto made = make_device(name, options);
    if (!made) return made.error();
    further.push_back(*std::move(made));
  }

  if (!request.output.empty()) {
    if (auto writable = profiler::check_capture_target(request.output); !writable) return writable.error();
  }

  record.workload = is_input_file(request.workload) ? named_file(request.workload) : request.workload;
  record.title = job->title;
  record.arguments = job->arguments;
  if (!request.weights.empty()) record.arguments[kWeights] = request.weights.filename().string();
  if (!job->inputs.empty()) record.arguments[kInputs] = fmt::format("{}", fmt::join(job->inputs, " "));
  if (is_input_file(request.workload)) {
    Result<std::string> content = profiler::content_hash(request.workload);
    if (!content) return content.error();
    remember_file(*content, request.workload);
    record.arguments[kContent] = *std::move(content);
  }
  record.graph = job->graph;
  // A plan runs on one device: what names several runs eagerly.
  if (request.is("graph", "eager") || !further.empty()) record.build = job->build;
  for (const auto& device : further) record.further_devices.push_back(device.get());
  record.replay = request.is("graph", "replay");
  if (record.replay && record.build) {
    return engine::usage_error(
        "[--graph] replay: this workload names further devices, and a graph of the GPU has but one; use --graph eager");
  }
  record.backend = backend->get();
  record.health = [&device = **backend] { return device_health(device); };
  record.seed = request.seed;
  record.notes = job->notes;
  record.steps = request.steps;
  record.warmup_steps = request.warmup_steps;
  record.output = request.output;
  record.command = request.command;
  record.product_version = TENSORTIDE_VERSION;
  if (is_gpu((*backend)->info().device)) {
    // The processor's roofs say nothing of a GPU, whose own come from its data sheet with the trace.
  } else if (!request.roofs.empty()) {
    Result<profiler::Machine> machine = roofs_from(request.roofs);
    if (!machine) return machine.error();
    record.machine = *std::move(machine);
  } else if (request.probe && (*backend)->info().traits().computes) {  // which computes nothing that roofs could bound
    Result<profiler::Machine> machine = machine_roofs(RoofsAge::any, (*backend)->threads(), progress, stop);
    if (!machine) return machine.error();
    record.machine = *std::move(machine);
  } else {
    record.machine = profiler::cached_probe();
  }
  if (request.probe && record.machine && (*backend)->info().traits().is_processor) {
    Result<std::unique_ptr<profiler::BesideProbe>> beside =
        profiler::BesideProbe::make(*record.machine, (*backend)->threads());
    if (!beside) record.machine->notes.push_back(beside.error().message + ".");
    else if (*beside)
      record.measure_beside = [probe = std::shared_ptr(*std::move(beside))] { return probe->measure(); };
  }
  // Roofs are those of threads that nobody holds: later runs take them from the cache.
  std::unique_ptr<engine::cpu::PinnedThreads> pinned;
  if (request.is("pin", "on") || request.is("pin", "auto")) {
    const std::string why_not = why_not_pinned(*job->graph, !further.empty());
    if (!why_not.empty() && request.is("pin", "on"))
      return engine::usage_error(fmt::format("[--pin] on: {}; leave --pin out", why_not));
    if (why_not.empty()) {
      Result<std::unique_ptr<engine::cpu::PinnedThreads>> held =
          engine::cpu::PinnedThreads::make((*backend)->threads());
      if (!held) return held.error();
      pinned = *std::move(held);
    }
    record.notes.push_back(pinned ? pinned->words() : fmt::format("Threads stay on no processor: {}.", why_not));
  }
  auto recorded = profiler::record(record, progress, stop);
  pinned.reset();  // what is simulated starts threads of its own
  return recorded ? profiler::collect_afterwards(context, *std::move(recorded)) : recorded;
}

Result<profiler::Machine> roofs_from(const std::filesystem::path& path) {
  constexpr uint64_t kLargestFile = 4 << 20;  // those of `probe --json` have some 20 KiB
  const Result<std::string> text = engine::read_file(path, kLargestFile);
  if (!text) return engine::refused_error("[--roofs] " + text.error().message);
  Result<profiler::Machine> machine = profiler::machine_from_json(*text);
  if (!machine) return engine::refused_error(fmt::format("[--roofs] {}: {}", path.string(), machine.error().message));
  return machine;
}

Result<std::optional<std::string>> check_finite(const RunRequest& request, const std::atomic<bool>& stop) {
  constexpr uint32_t kAutoSteps = 3;
  Result<Job> job = make_job(request);
  if (!job) return job.error();
  Result<std::unique_ptr<engine::Backend>> backend = make_device(request.device, request.device_options());
  if (!backend) return backend.error();
  Result<std::unique_ptr<engine::Plan>> plan = engine::Plan::make(job->graph, **backend, {.seed = request.seed});
  if (!plan) return plan.error();
  const uint32_t steps = request.steps > 0 ? static_cast<uint32_t>(request.steps) : kAutoSteps;
  for (uint32_t step = 0; step < steps && !stop; ++step) {
    const Result<std::optional<engine::NonFinite>> found = engine::run_step_checking_finite(**plan, step);
    if (!found) return found.error();
    if (*found) return std::optional(fmt::format("step {}: {}", step, describe(*job->graph, **found)));
  }
  return std::optional<std::string>();
}

Result<PlannedRun> plan(const RunRequest& request, const profiler::Machine& roofs) {
  Result<Job> job = make_job(request);
  if (!job) return job.error();
  Result<std::unique_ptr<engine::Backend>> backend = make_device(request.device, request.device_options());
  if (!backend) return backend.error();
  PlannedRun planned{.title = job->title, .capture = nullptr, .does_not_fit = {}};
  Result<engine::MemoryPlan> memory = engine::plan_memory(*job->graph);
  if (!memory) {
    planned.does_not_fit = memory.error().message;
    return planned;
  }
  if (Result<void> fits = engine::check_memory(*memory, (*backend)->info()); !fits)
    planned.does_not_fit = fits.error().message;
  profiler::CaptureBuilder builder;
  profiler::RunInfo& run = builder.run();
  run.workload = request.workload;
  run.title = job->title;
  run.arguments = job->arguments;
  run.device = request.device;
  run.threads = (*backend)->threads();
  builder.machine() = roofs;
  profiler::add_planned(builder, *job->graph, *memory, backend->get(), request.is("graph", "eager"));
  auto capture = builder.finish();
  if (!capture) return capture.error();
  planned.capture = *std::move(capture);
  return planned;
}

Result<RequestedGraph> requested_graph(const RunRequest& request) {
  Result<Job> job = make_job(request);
  if (!job) return job.error();
  RequestedGraph requested{
      .title = job->title, .graph = job->graph, .notes = job->notes, .arguments = std::move(job->arguments)};
  for (const NamedOutput& output : job->outputs) requested.outputs.emplace_back(output.name, output.value);
  return requested;
}

std::filesystem::path new_capture_path(const std::filesystem::path& directory, const std::string& workload) {
  const std::string stem = std::filesystem::path(workload).stem().string();
  std::error_code ignored;
  std::filesystem::path path = directory / (stem + ".tide");
  for (int n = 2; std::filesystem::exists(path, ignored); ++n) path = directory / fmt::format("{}-{}.tide", stem, n);
  return path;
}

}  // namespace app
