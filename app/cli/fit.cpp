// SPDX-License-Identifier: Apache-2.0
// tensortide fit: the largest batch that fits into memory, and where the memory goes.
#include "app/base/fit.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "app/base/answers.h"
#include "app/base/fit_trial.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"
#include "profiler/analysis/footprint.h"
#include "profiler/base/table.h"

namespace app::cli {
namespace {

using engine::Result;
using nlohmann::json;
using profiler::format_quantity;
using profiler::Quantity;

struct FitArguments {
  RunOptions run;
  std::string memory;
  bool json = false, try_it = false;
};

/// Keys of earlier versions: "ran", or why it did not.
std::string outcome_words(const FitTrial& trial) {
  return trial.stopped ? "stopped" : trial.ran ? "ran" : trial.message;
}

json trial_json(const FitTrial& trial) {
  return {{"ran", trial.ran},
          {"limit_bytes", json_number(trial.limit_bytes)},
          {"overhead_bytes", json_figure(trial.overhead_bytes, profiler::Origin::measured)},
          {"peak_resident_bytes", json_figure(trial.peak_bytes, profiler::Origin::measured)},
          {"above_batch", trial.above > 0 ? json(trial.above) : json(nullptr)},
          {"above_refused", trial.above_refused},
          {"words", trial.ran ? json(nullptr) : json(trial.message)}};
}

/// Bytes by role at the peak.
json roles_json(const profiler::Footprint& f) {
  json roles = json::object();
  for (const profiler::FootprintPoint& point : f.points) {
    if (point.op != f.peak_op) continue;
    for (size_t role = 0; role < point.live_bytes.size(); ++role) {
      roles[std::string(engine::name(static_cast<engine::Role>(role))) + "_bytes"] = point.live_bytes[role];
    }
  }
  return roles;
}

std::string text_of(const Fit& fit, const profiler::Footprint* footprint) {
  const auto bytes = [](double value) { return format_quantity(value, Quantity::bytes); };
  std::string text;
  for (const std::string& sentence : fit_sentences(fit)) text += sentence + "\n";
  if (footprint == nullptr) return text;
  text += fmt::format("\nAt the peak ({} of live tensors, while {} runs):\n", bytes(footprint->peak_bytes),
                      fit.planned->name(fit.planned->ops()[footprint->peak_op].name));
  for (const profiler::FootprintPoint& point : footprint->points) {
    if (point.op != footprint->peak_op) continue;
    for (size_t role = 0; role < point.live_bytes.size(); ++role) {
      if (point.live_bytes[role] > 0)
        text +=
            fmt::format("  {:<16} {}\n", engine::name(static_cast<engine::Role>(role)), bytes(point.live_bytes[role]));
    }
  }
  if (fit.workspace_bytes > 0) text += fmt::format("  {:<16} {}\n", "kernel workspace", bytes(fit.workspace_bytes));
  text += "Largest tensors then:\n";
  constexpr size_t kShown = 5;
  for (size_t i = 0; i < std::min(kShown, footprint->at_peak.size()); ++i) {
    const profiler::TensorRecord& tensor = fit.planned->tensors()[footprint->at_peak[i]];
    text += fmt::format("  {:<40} {}\n", fit.planned->name(tensor.name), bytes(static_cast<double>(tensor.size_bytes)));
  }
  return text;
}

int run(const FitArguments& options) {
  Result<RunRequest> request = make_request(options.run);
  if (!request) return report(request.error());
  double memory = 0;
  if (!options.memory.empty()) {
    Result<double> given = parse_bytes("--memory", options.memory);
    if (!given) return report(given.error());
    memory = *given;
  }
  Result<Fit> fit = largest_batch(*request, memory);
  if (!fit) return report(fit.error());
  std::optional<FitTrial> tried;
  if (options.try_it && fit->largest > 0) {
    Result<FitTrial> outcome = try_largest(*request, *fit, stop_on_interrupt());
    if (!outcome) return report(outcome.error());
    tried = *std::move(outcome);
  }
  const bool has_ops = fit->planned && !fit->planned->ops().empty();
  const profiler::Footprint footprint = has_ops ? profiler::footprint(*fit->planned) : profiler::Footprint{};
  if (options.json) {
    const json document = {{"available_bytes", json_number(fit->available_bytes)},
                           {"limit", fit->limit.empty() ? json(nullptr) : json(fit->limit)},
                           {"largest_batch", fit->largest},
                           {"largest_bytes", fit->largest > 0 ? json_number(fit->largest_bytes) : json(nullptr)},
                           {"workspace_bytes", fit->largest > 0 ? json_number(fit->workspace_bytes) : json(nullptr)},
                           {"packed_copies_most_bytes", json_number(fit->copies_most_bytes)},
                           {"refused_batch", fit->refused > 0 ? json(fit->refused) : json(nullptr)},
                           {"refused_bytes", fit->refused > 0 ? json_number(fit->refused_bytes) : json(nullptr)},
                           {"peak_live_bytes", has_ops ? json_number(footprint.peak_bytes) : json(nullptr)},
                           {"at_peak", has_ops ? roles_json(footprint) : json(nullptr)},
                           {"tried", tried ? json(outcome_words(*tried)) : json(nullptr)},
                           {"trial", tried ? trial_json(*tried) : json(nullptr)},
                           {"origin", "exact"}};
    print_json(document);
  } else {
    show("{}", text_of(*fit, has_ops ? &footprint : nullptr));
    if (tried) show("\n{}\n", trial_words(*fit, *tried));
  }
  return fit->largest > 0 ? kDone : kNo;
}

}  // namespace

Handler add_fit(CLI::App& verb) {
  auto o = std::make_shared<FitArguments>();
  verb.add_option("--memory", o->memory, "Memory to fill, such as 16GB or 80GiB (default: what is free now)")
      ->option_text("SIZE");
  verb.add_flag("--try", o->try_it, "Then run a step of that batch, and of one far too large, under a limit");
  add_run_options(verb, o->run);
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer(
      "Example: tensortide fit resnet50 --mode training --memory 16GB\nExit code 1: not even one sample fits. Without "
      "--try, nothing is allocated.\nThe limit of --try holds that memory, and what a process needs beside its "
      "plan.\nThe larger batch is one that this room cannot hide.");
  return [o] { return run(*o); };
}

}  // namespace app::cli
