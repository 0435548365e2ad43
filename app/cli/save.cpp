// SPDX-License-Identifier: Apache-2.0
// tensortide save: the graph of a workload or model as a JSON file that runs again.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"
#include "engine/netfile/graph_file.h"
#include "profiler/store/whole_file.h"

namespace app::cli {
namespace {

struct SaveArguments {
  RunOptions run;
  std::string output;
  bool json = false;
};

int save(const SaveArguments& options) {
  const engine::Result<RunRequest> request = make_request(options.run);
  if (!request) return report(request.error());
  if (!options.output.ends_with(".json"))
    return report(
        engine::usage_error(fmt::format("[-o] {}: only .json is written; end the name in .json", options.output)));
  const engine::Result<RequestedGraph> requested = requested_graph(*request);
  if (!requested) return report(requested.error());
  const engine::Result<std::string> text = engine::graph_to_json(*requested->graph, requested->title);
  if (!text) return report(text.error());
  if (engine::Result<void> written = profiler::write_whole_file(options.output, *text); !written)
    return report(written.error());
  const size_t ops = requested->graph->nodes().size();
  if (options.json) {
    print_json({{"file", std::filesystem::absolute(options.output).string()},
                {"ops", ops},
                {"parameter_count", requested->graph->parameter_count()}});
  } else {
    show("Graph: {} ({} ops). Run it: tensortide run {}\n", options.output, ops, options.output);
  }
  return kDone;
}

}  // namespace

Handler add_save(CLI::App& verb) {
  auto o = std::make_shared<SaveArguments>();
  add_graph_options(verb, o->run, "Workload, ONNX or JSON file whose graph is saved");
  verb.add_option("-o,--output", o->output, "File to write; ends in .json")
      ->required()
      ->option_text("FILE")
      ->group("Output");
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer("Example: tensortide save mlp --batch 8 -o net.json && tensortide run net.json");
  return [o] { return save(*o); };
}

}  // namespace app::cli
