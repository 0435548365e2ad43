// SPDX-License-Identifier: Apache-2.0
// tensortide save: the graph of a workload or model as a JSON or ONNX file that runs again.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"
#include "engine/netfile/graph_file.h"
#include "engine/onnx/save.h"
#include "profiler/base/words.h"
#include "profiler/store/whole_file.h"

namespace app::cli {
namespace {

struct SaveArguments {
  RunOptions run;
  std::string output;
  bool json = false;
};

/// "sgd (4x), relu_grad (2x)": ops under their own names.
std::string counted(const std::map<std::string, int64_t>& ops) {
  std::vector<std::string> words;
  for (const auto& [op, count] : ops) words.push_back(fmt::format("{} ({}x)", op, count));
  return fmt::format("{}", fmt::join(words, ", "));
}

void show_saved(const SaveArguments& options, const engine::Graph& graph, const engine::onnx::SavedModel* model) {
  if (options.json) {
    nlohmann::json document = {{"file", std::filesystem::absolute(options.output).string()},
                               {"ops", graph.nodes().size()},
                               {"parameter_count", graph.parameter_count()}};
    if (model != nullptr) {
      document["opset"] = model->opset;
      document["nodes"] = model->nodes;
      document["own_ops"] = model->own;
      document["keeps_every_op"] = model->whole;
    }
    return print_json(document);
  }
  show("Graph: {} ({}). Run it: tensortide run {}\n", options.output, profiler::counted(graph.nodes().size(), "op"),
       options.output);
  if (model == nullptr) return;
  if (model->own.empty()) {
    show("ONNX opset {}, standard operators only, so other programs can run it.\n", model->opset);
  } else if (model->whole) {
    show("Only Tensortide runs it: the graph changes values or computes gradients, so all ops keep their own names.\n");
  } else {
    show("ONNX opset {}. Only Tensortide runs it, because ONNX has no equal operator for: {}\n", model->opset,
         counted(model->own));
  }
}

int save(const SaveArguments& options) {
  const engine::Result<RunRequest> request = make_request(options.run);
  if (!request) return report(request.error());
  const bool onnx = options.output.ends_with(".onnx");
  if (!onnx && !options.output.ends_with(".json")) {
    return report(engine::usage_error(
        fmt::format("[-o] {}: end the name in .onnx or .json; these are the two formats", options.output)));
  }
  const engine::Result<RequestedGraph> requested = requested_graph(*request);
  if (!requested) return report(requested.error());
  std::optional<engine::onnx::SavedModel> model;
  engine::Result<std::string> bytes = std::string();
  if (onnx) {
    engine::Result<engine::onnx::SavedModel> saved =
        engine::onnx::save_model(*requested->graph, requested->title, request->seed);
    if (!saved) return report(saved.error());
    bytes = std::move(saved->bytes);
    model = *std::move(saved);
  } else {
    bytes = engine::graph_to_json(*requested->graph, requested->title);
  }
  if (!bytes) return report(bytes.error());
  if (engine::Result<void> written = profiler::write_whole_file(options.output, *bytes); !written)
    return report(written.error());
  show_saved(options, *requested->graph, model ? &*model : nullptr);
  return kDone;
}

}  // namespace

Handler add_save(CLI::App& verb) {
  auto o = std::make_shared<SaveArguments>();
  add_graph_options(verb, o->run, "Workload, ONNX or JSON file whose graph is saved");
  verb.add_option("-o,--output", o->output, "File to write; ends in .onnx or .json")
      ->required()
      ->option_text("FILE")
      ->group("Output");
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer("Example: tensortide save mlp --batch 8 --mode inference -o net.onnx && tensortide run net.onnx");
  return [o] { return save(*o); };
}

}  // namespace app::cli
