// SPDX-License-Identifier: Apache-2.0
// tensortide predict: what the ops of a capture or of a workload would take on GPUs that are not here.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>

#include "app/base/answers.h"
#include "app/cli/command.h"
#include "app/cli/foreign.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"
#include "engine/netfile/network_file.h"
#include "profiler/capture/batch.h"
#include "profiler/import/importer.h"
#include "profiler/predict/prediction.h"
#include "profiler/predict/systolic_table.h"
#include "profiler/store/sqlite.h"

namespace app::cli {
namespace {

using engine::Result;
using nlohmann::json;
using profiler::Quantity;

struct PredictArguments {
  RunOptions run;
  std::string on, by, format = "text";  // by: empty is type
  bool json = false;
};

/// One rule for a trace of another tool, whether it is read on the spot or was imported into a capture before.
engine::Error no_prediction_of_traces(const std::string& file) {
  return engine::refused_error(
      fmt::format("{}: holds an imported trace, which lacks the sizes of its ops' work. "
                  "Predict takes captures of `tensortide run`, workloads and models",
                  profiler::sqlite::shown(std::filesystem::path(file))));
}

/// What is predicted: a capture by its file, else a workload by its plan.
Result<std::shared_ptr<const profiler::Capture>> subject(const PredictArguments& options) {
  if (std::filesystem::path(options.run.workload).extension() == ".tide") {
    const RunOptions& r = options.run;
    const bool given = std::ranges::any_of(r.values, [](const auto& value) { return !value.second.empty(); });
    if (given || !r.preset.empty() || !r.settings.empty()) {
      return engine::usage_error(
          fmt::format("[predict] {}: a capture is predicted as it was run; name the workload instead to change its "
                      "batch, dtype, mode, fusion or parameters",
                      r.workload));
    }
    auto capture = open_any(options.run.workload);
    if (capture && !(*capture)->run().source.empty()) return no_prediction_of_traces(options.run.workload);
    return capture;
  }
  if (!engine::looks_like_network_file(options.run.workload) && profiler::is_foreign_trace(options.run.workload))
    return no_prediction_of_traces(options.run.workload);
  Result<RunRequest> request = make_request(options.run);
  if (!request) return request.error();
  Result<PlannedRun> planned = plan(*request, {});
  if (!planned) return planned.error();
  if (!planned->capture)
    return engine::usage_error(fmt::format("[predict] {}: {}", options.run.workload, planned->does_not_fit));
  return planned->capture;
}

std::string words(const profiler::Prediction& p) {
  std::string text;
  for (const std::string& sentence : prediction_sentences(p)) text += sentence + "\n";
  return text + (p.unknown_ops > 0 ? "--by op shows the reason of ops that are not modelled.\n" : "");
}

json step_json(const profiler::Prediction& p, double samples) {
  const bool some = p.modelled_ns > 0;
  return {{"device", p.gpu.key},
          {"name", p.gpu.name},
          {"step_ns", json_number(p.step_ns())},
          {"modelled_ns", some ? json_number(p.modelled_ns) : json(nullptr)},
          {"samples_per_s", json_number(samples / (p.step_ns() * 1e-9))},
          {"error_ratio", some ? json_number(p.error) : json(nullptr)},
          {"checked_on_this_device", p.gpu.errors.checked},
          {"limit", some ? json(profiler::name(p.limit)) : json(nullptr)},
          {"unknown_ops_count", p.unknown_ops},
          {"origin", "modelled"}};
}

constexpr std::string_view kSystolic = "systolic:";

int predict_systolic(const PredictArguments& options, Format format) {
  Result<profiler::SystolicArray> array =
      profiler::parse_systolic(std::string_view(options.on).substr(kSystolic.size()));
  if (!array) return report(array.error());
  const auto capture = subject(options);
  if (!capture) return report(capture.error());
  const profiler::Table table = profiler::systolic_table(**capture, *array);
  const profiler::SystolicStep step = profiler::systolic_step(**capture, *array);
  const double used = step.cycles > 0 ? step.used_ratio(*array) : std::numeric_limits<double>::quiet_NaN();
  switch (format) {
    case Format::csv: show("{}", profiler::to_csv(table)); break;
    case Format::json: {
      json document = table_json(table);
      document["step"] = {{"cycles_count", json_number(step.cycles)},
                          {"used_ratio", json_number(used)},
                          {"ops_count", step.ops},
                          {"other_ops_count", step.others},
                          {"origin", "modelled"}};
      print_json(document);
      break;
    }
    case Format::text:
      show(
          "{}{} x {} processing elements, {}: {} in all (modelled: memories never late, folds not overlapped), {} of "
          "its multiply-adds used. {} other ops do not run on the array.\n",
          profiler::to_text(table), array->rows, array->columns, profiler::name(array->dataflow),
          fmt::format("{:.4g} cycles", step.cycles), profiler::format_quantity(used, Quantity::percent_of),
          step.others);
  }
  return kDone;
}

/// All data sheets, or one: least times, and whether the step fits.
int predict_sheets(const PredictArguments& options, const profiler::GpuDataSheet* one, Format format) {
  const auto capture = subject(options);
  if (!capture) return report(capture.error());
  const Answer answer = sheets_answer(**capture, one);
  switch (format) {
    case Format::csv: show("{}", profiler::to_csv(answer.table)); break;
    case Format::json: print_json(table_json(answer.table)); break;
    case Format::text:
      show("{}{}\n", profiler::to_text(answer.table), answer.sentence);
      for (const std::string& note : answer.notes) show("{}\n", note);
  }
  return kDone;
}

int predict(const PredictArguments& options) {
  const std::map<std::string, Format> formats{{"text", Format::text}, {"csv", Format::csv}, {"json", Format::json}};
  const Format format = options.json ? Format::json : formats.at(options.format);
  if (options.on.starts_with(kSystolic)) return predict_systolic(options, format);
  if (options.on == kSheets) return predict_sheets(options, nullptr, format);
  std::vector<profiler::ModelledGpu> gpus = profiler::modelled_gpus();
  if (!options.on.empty()) {
    Result<profiler::ModelledGpu> one = profiler::modelled_gpu(options.on);
    const profiler::GpuDataSheet* const sheet = one ? nullptr : profiler::named_data_sheet(options.on);
    if (sheet != nullptr) return predict_sheets(options, sheet, format);
    if (!one) return report(one.error());
    gpus = {*std::move(one)};
  }
  const auto capture = subject(options);
  if (!capture) return report(capture.error());
  std::vector<profiler::Prediction> predictions;
  for (const profiler::ModelledGpu& gpu : gpus) predictions.push_back(profiler::predict(**capture, gpu));
  const double samples = profiler::batch_of(**capture);
  const bool one = !options.on.empty();
  const profiler::Table table = one ? profiler::prediction_table(**capture, predictions.front(), options.by != "op")
                                    : profiler::predicted_devices_table(predictions, samples);
  if (format == Format::csv) {
    show("{}", profiler::to_csv(table));
  } else if (format == Format::json) {
    json document = table_json(table);
    if (one) document["step"] = step_json(predictions.front(), samples);
    print_json(document);
  } else {
    show("{}{}", profiler::to_text(table),
         one ? words(predictions.front()) : std::string("All modelled. --on DEVICE shows its ops.\n"));
  }
  return kDone;
}

}  // namespace

Handler add_predict(CLI::App& verb) {
  auto o = std::make_shared<PredictArguments>();
  verb.add_option("--on", o->on, "GPU such as v100, sheets, a sheet's name, systolic:64x64 (default: all)")
      ->option_text("NAME");
  verb.add_option("--by", o->by, "With --on: rows [op, type] (default op)")
      ->needs("--on")
      ->check(CLI::IsMember({"op", "type"}))
      ->option_text("VALUE");
  add_graph_options(verb, o->run, "Capture, workload, ONNX or JSON file");
  add_formats(verb, o->format, o->json);
  verb.footer(
      "Example: tensortide predict resnet50 --mode training --batch 16 --on gtx-1080-ti\nNothing runs: times are "
      "modelled, each with its error band.");
  return [o] { return predict(*o); };
}

}  // namespace app::cli
