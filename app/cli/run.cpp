// SPDX-License-Identifier: Apache-2.0
// tensortide run: runs a workload, shows progress, records a capture, prints the answers.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <memory>

#include "app/base/model_outputs.h"
#include "app/base/model_preview.h"
#include "app/base/workbench.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"
#include "engine/base/shell_words.h"
#include "profiler/store/capture_file.h"

namespace app::cli {
namespace {

using engine::Result;
using nlohmann::json;

struct RunArguments {
  RunOptions run;
  std::string output, progress;
  std::string roofs;
  std::string save_outputs, check;
  std::optional<double> tolerance;
  bool json = false, no_probe = false, no_cupti_cost = false, check_finite = false, plan = false;
};

json progress_json(const profiler::RecordProgress& p) {
  json line = {{"stage", p.stage},
               {"step", p.step},
               {"steps", p.steps},
               {"fraction", json_number(p.fraction)},
               {"last_step_ns", json_number(p.last_step_ns)}};
  if (p.recent_steps > 0) {
    line["recent"] = {{"steps", p.recent_steps},
                      {"shortest_ns", json_number(p.shortest_ns)},
                      {"longest_ns", json_number(p.longest_ns)}};
    line["loss"] = json_number(p.loss);
    if (p.loss_failed) line["loss_failed"] = true;
  }
  if (p.planned) {
    line["planned"] = {{"ops", p.planned->ops},
                       {"flops", json_number(p.planned->flops)},
                       {"operand_bytes", json_number(p.planned->operand_bytes)},
                       {"memory_bytes", json_number(p.planned->memory_bytes)}};
  }
  return line;
}

/// Prints a stage once, and on a terminal the steps on one line that is rewritten.
class TextProgress {
 public:
  void operator()(const profiler::RecordProgress& p) {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (p.stage != stage_) {
      if (open_line_) tell("\n");
      stage_ = p.stage;
      open_line_ = terminal;
      tell("{} ...{}", p.stage, terminal ? "" : "\n");
    }
    if (!terminal || p.step == 0) return;
    tell_in_place("{}: step {}{}, {} each ", p.stage, p.step, p.steps > 0 ? fmt::format(" of {}", p.steps) : "",
                  profiler::format_quantity(p.last_step_ns, profiler::Quantity::duration_ns));
    std::fflush(stderr);
  }
  ~TextProgress() {
    if (open_line_) tell("\n");
  }

 private:
  std::string stage_;
  bool open_line_ = false;
};

int fail(const RunArguments& options, const engine::Error& error) {
  if (options.progress == "json") {
    const json line = {
        {"error",
         {{"message", error.message}, {"kind", error.kind == engine::ErrorKind::usage ? "usage" : "refused"}}}};
    tell_line(line);
    return error.kind == engine::ErrorKind::usage ? kUsage : kRefused;
  }
  return report(error);
}

/// --check-finite: exit 1 when some op made NaN or infinity.
int run_checked(const RunArguments& options, const RunRequest& request, const std::atomic<bool>& stop) {
  const Result<std::optional<std::string>> found = check_finite(request, stop);
  if (!found) return fail(options, found.error());
  if (options.json) {
    const json document = {{"finite", !found->has_value()}, {"found", *found ? json(**found) : json(nullptr)}};
    print_json(document);
  } else {
    show("{}\n", *found ? **found : std::string("all results of all ops are finite"));
  }
  return *found ? kNo : kDone;
}

/// --plan: the graph and its memory as a capture without times.
int write_plan(const RunArguments& options, const RunRequest& request) {
  const Result<ModelPreview> preview = preview_model(request);
  if (!preview) return fail(options, preview.error());
  if (const Result<void> saved = profiler::save_capture(*preview->capture, request.output); !saved)
    return fail(options, saved.error());
  const std::string file = std::filesystem::absolute(request.output).string();
  if (options.progress == "json") {
    tell_line({{"result", {{"file", file}, {"complete", true}, {"note", preview->does_not_fit}}}});
  } else if (!options.json) {
    using profiler::format_quantity, profiler::Quantity;
    show("{}: {} ops, {} parameters\nA step: {}, {} of operands, {} of memory (exact); nothing was run\nPlan: {}\n",
         preview->title, preview->capture->ops().size(),
         format_quantity(static_cast<double>(preview->parameters), Quantity::count),
         format_quantity(preview->flops, Quantity::flops), format_quantity(preview->compulsory_bytes, Quantity::bytes),
         format_quantity(preview->memory_bytes, Quantity::bytes), engine::display_line(request.output.native()));
    if (!preview->does_not_fit.empty()) show("{}\n", preview->does_not_fit);
  }
  if (options.json) {
    print_json({{"file", file},
                {"run", run_json(*preview->capture)},
                {"parameters", preview->parameters},
                {"weight_bytes", preview->weight_bytes},
                {"flops", json_number(preview->flops)},
                {"compulsory_bytes", json_number(preview->compulsory_bytes)},
                {"memory_bytes", json_number(preview->memory_bytes)},
                {"does_not_fit", preview->does_not_fit.empty() ? json(nullptr) : json(preview->does_not_fit)},
                {"origin", "exact"}});
  }
  return kDone;
}

/// --check-finite looks at a plan.
Result<void> check_finite_alone(const RunRequest& request) {
  if (const std::string graph = request.setting("graph"); graph != "static") {
    return engine::usage_error(fmt::format(
        "[--graph] {}: --check-finite looks at the ops of a static plan one by one; leave one of them out", graph));
  }
  return {};
}

/// "(4, 7, 2)", of a scalar "()".
std::string place_words(const engine::Shape& at) {
  return at.empty() ? "()" : fmt::format("({})", fmt::join(at, ", "));
}

json outputs_json(const OutputReport& report) {
  json checks = json::array();
  for (const OutputCheck& c : report.checks) {
    checks.push_back({{"name", c.name},
                      {"expected_file", c.file.empty() ? json(nullptr) : json(c.file)},
                      {"ok", c.ok},
                      {"why", c.why.empty() ? json(nullptr) : json(c.why)},
                      {"elements", c.elements},
                      {"elements_beyond", c.beyond},
                      {"largest_difference", json_number(c.difference)},
                      {"largest_expected", json_number(c.scale)},
                      {"at", c.at},
                      {"ours", json_number(c.ours)},
                      {"expected", json_number(c.expected)}});
  }
  return {
      {"saved", report.saved}, {"checks", checks}, {"ok", report.checks.empty() ? json(nullptr) : json(report.ok())}};
}

std::string check_words(const OutputCheck& c) {
  if (c.file.empty()) return fmt::format("  {}: not compared, there is no expected file\n", c.name);
  if (!c.why.empty()) return fmt::format("  {}: differs: {}\n", c.name, c.why);
  if (c.elements == 0) return fmt::format("  {}: equal (no elements)\n", c.name);
  const std::string largest =
      c.difference == 0
          ? std::string("equal")
          : fmt::format("largest difference {:.3g} at {}: {:.7g} instead of {:.7g} (largest expected {:.3g})",
                        c.difference, place_words(c.at), c.ours, c.expected, c.scale);
  if (c.ok) return fmt::format("  {}: {}\n", c.name, c.difference == 0 ? largest : "within tolerance; " + largest);
  return fmt::format("  {}: {} of {} elements are beyond the tolerance of {:g}; {}\n", c.name, c.beyond, c.elements,
                     c.tolerance, largest);
}

void show_outputs(const OutputReport& report) {
  if (!report.saved.empty()) show("\nOutputs:\n");
  for (const std::string& file : report.saved) show("  {}\n", file);
  if (!report.checks.empty()) show("\nOutputs against the expected ones:\n");
  for (const OutputCheck& check : report.checks) show("{}", check_words(check));
}

int run(const RunArguments& options) {
  Result<RunRequest> request = make_request(options.run);
  if (!request) return fail(options, request.error());
  request->outputs = {options.save_outputs, options.check, options.tolerance};
  if (options.check_finite) {
    if (const Result<void> alone = check_finite_alone(*request); !alone) return fail(options, alone.error());
  }
  const Result<profiler::VerdictRules> rules = profiler::VerdictRules::of_user();
  if (!rules) return fail(options, rules.error());  // before minutes of recording
  request->output =
      options.output.empty() ? new_capture_path(".", options.run.workload) : std::filesystem::path(options.output);
  request->probe = !options.no_probe;
  request->cupti_cost = !options.no_cupti_cost;
  request->roofs = options.roofs;
  request->command = "tensortide run " + engine::shell_line(words_of(stored_request(*request)));
  if (options.plan) return write_plan(options, *request);
  const std::atomic<bool>& stop = stop_on_interrupt();
  if (options.check_finite) return run_checked(options, *request, stop);
  const bool json_progress = options.progress == "json";
  auto text = json_progress ? nullptr : std::make_unique<TextProgress>();
  const Progress progress = [&](const profiler::RecordProgress& p) {
    if (json_progress) {
      tell_line(progress_json(p));
    } else {
      (*text)(p);
    }
  };
  std::error_code unreadable;
  const bool replaced = std::filesystem::exists(request->output, unreadable);
  OutputReport outputs;
  auto capture = record(*request, progress, stop, &outputs);
  text.reset();
  if (!capture) return fail(options, capture.error());

  const auto analyzed = profiler::analyze(*capture, *rules);
  const std::string file = std::filesystem::absolute(request->output).string();
  if (options.json) {
    json document = {{"file", file}, {"run", run_json(**capture)}, {"summary", summary_json(*analyzed)}};
    if (!request->outputs.empty()) document["outputs"] = outputs_json(outputs);
    print_json(document);
  } else if (!json_progress) {
    show("{}\nCapture: {}{}\n", summary_text(*analyzed), engine::display_line(request->output.native()),
         replaced ? " (took the place of an older capture)" : "");
    show_outputs(outputs);
  }
  if (json_progress) {
    json line = {{"result", {{"file", file}, {"complete", (*capture)->run().complete}}}};
    if (!request->outputs.empty()) line["result"]["outputs"] = outputs_json(outputs);
    tell_line(line);
  }
  return outputs.ok() ? kDone : kNo;
}

}  // namespace

Handler add_run(CLI::App& verb) {
  auto o = std::make_shared<RunArguments>();
  add_run_options(verb, o->run);
  const char* files = "Inputs and outputs";
  add_input_options(verb, o->run);
  verb.add_option("--save-outputs", o->save_outputs, "Write each output of the last step as NAME.npy")
      ->option_text("DIR")
      ->group(files);
  verb.add_option("--check", o->check, "Compare outputs with NAME.npy or output_K.pb; exit 1 where they differ")
      ->option_text("DIR")
      ->group(files);
  verb.add_option("--tolerance", o->tolerance, "Of --check, relative to the largest value (default 1e-3, bf16 8e-3)")
      ->check(CLI::Range(0.0, 1.0))
      ->option_text("RATIO")
      ->group(files);
  const char* group = "Measurement";
  verb.add_flag("--no-probe", o->no_probe, "Measure no roofs, neither before nor beside the run")->group(group);
  verb.add_option("--roofs", o->roofs, "Take the roofs from a file of `tensortide probe --json`")
      ->option_text("FILE")
      ->group(group);
  verb.add_flag("--no-cupti-cost", o->no_cupti_cost, "Skip the run that measures the cost of CUPTI")->group(group);
  CLI::Option* finite =
      verb.add_flag("--check-finite", o->check_finite, "Record nothing; name the first op that makes NaN or infinity")
          ->group(group);
  CLI::Option* plan =
      verb.add_flag("--plan", o->plan, "Run nothing; write ops, shapes and planned memory as a capture")->group(group);
  verb.add_option("-o,--output", o->output, "Capture to write (default WORKLOAD.tide, numbered)")
      ->option_text("FILE")
      ->group("Output");
  add_progress_option(verb, o->progress);
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer("Example: tensortide run resnet50 --batch 4 --mode training -o r.tide --json");
  for (const char* recorded : {"--output", "--collect", "--warmup", "--roofs", "--save-outputs", "--check"})
    finite->excludes(recorded);
  for (const char* computed : {"--save-outputs", "--check", "--check-finite"}) plan->excludes(computed);
  return [o] { return run(*o); };
}

}  // namespace app::cli
