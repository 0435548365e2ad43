// SPDX-License-Identifier: Apache-2.0
// tensortide ops: all ops with their formulas; or the ops of one workload with shapes, FLOPs and bytes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"
#include "engine/ops/ops.h"
#include "profiler/base/table.h"

namespace app::cli {
namespace {

using engine::Op;
using nlohmann::json;
using profiler::Origin;
using profiler::Quantity;

struct OpsArguments {
  RunOptions run;
  std::string format = "text";
  bool json = false;
};

std::string kind_of(const Op& op) {
  if (op.view != nullptr) return "view";
  if (op.matrix_product) return "matrix";
  return op.elementwise ? "elementwise" : "";
}

profiler::Table all_ops() {
  profiler::Table table;
  table.name = "ops";
  table.columns = {
      {"op", "Op", Quantity::text, Origin::exact, "Name of the op"},
      {"kind", "Kind", Quantity::text, Origin::exact,
       "view: shares storage, moves nothing; matrix: matrix multiplication or convolution; elementwise"},
      {"gradient", "Gradient", Quantity::text, Origin::exact, "Whether it can be differentiated backwards"},
      {"tangent", "Tangent", Quantity::text, Origin::exact, "Whether it can be differentiated forwards"},
      {"formula", "Formula", Quantity::text, Origin::exact, "What it computes"}};
  std::vector<const Op*> ops(engine::op_catalog().begin(), engine::op_catalog().end());
  std::ranges::sort(ops, {}, &Op::name);
  const auto yes = [](bool value) { return std::string(value ? "yes" : "no"); };
  for (const Op* op : ops) {
    const std::string kind = kind_of(*op);
    table.rows.push_back({std::string(op->name), kind.empty() ? profiler::Cell() : profiler::Cell(kind),
                          yes(op->gradient != nullptr), yes(op->tangent != nullptr), std::string(op->formula)});
  }
  return table;
}

std::string types_words(const std::vector<engine::TensorType>& types) {
  std::vector<std::string> words;
  for (const engine::TensorType& type : types) words.push_back(to_string(type));
  return fmt::format("{}", fmt::join(words, ", "));
}

double sum(const std::vector<int64_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), 0.0,
                         [](double a, int64_t b) { return a + static_cast<double>(b); });
}

/// One row per op with its operands: calls that are alike are counted.
profiler::Table ops_of(const engine::Graph& graph) {
  profiler::Table table;
  table.name = "ops";
  table.columns = {
      {"op", "Op", Quantity::text, Origin::exact, "Name of the op"},
      {"calls_count", "Calls", Quantity::count, Origin::exact, "Calls of a step with these operands"},
      {"inputs", "Operands", Quantity::text, Origin::exact, "Data types and shapes it reads"},
      {"outputs", "Results", Quantity::text, Origin::exact, "Data types and shapes it writes"},
      {"flops", "FLOPs", Quantity::flops, Origin::exact, "Of one call; a multiply-add is 2"},
      {"read_bytes", "Reads", Quantity::bytes, Origin::exact, "Compulsory bytes of one call: each operand byte once"},
      {"written_bytes", "Writes", Quantity::bytes, Origin::exact, "The same of its results"},
      {"formula", "Formula", Quantity::text, Origin::exact, "What it computes"}};
  std::map<std::vector<std::string>, size_t> rows;
  for (const engine::Node& node : graph.nodes()) {
    const std::string in = types_words(graph.input_types(node)), out = types_words(graph.output_types(node));
    const engine::Cost cost = graph.cost(node);
    const std::vector<std::string> key{
        std::string(node.op->name), in, out, fmt::format("{}", cost.flops),
        fmt::format("{} {}", fmt::join(cost.read_bytes, ","), fmt::join(cost.written_bytes, ","))};
    const auto [at, fresh] = rows.try_emplace(key, table.rows.size());
    if (!fresh) {
      profiler::Cell& calls = table.rows[at->second][1];
      calls = std::get<double>(calls) + 1;
      continue;
    }
    table.rows.push_back({std::string(node.op->name), 1.0, in, out, cost.flops, sum(cost.read_bytes),
                          sum(cost.written_bytes), std::string(node.op->formula)});
  }
  return table;
}

int ops(const OpsArguments& options) {
  profiler::Table table;
  if (options.run.workload.empty()) {
    table = all_ops();
  } else {
    const engine::Result<RunRequest> request = make_request(options.run);
    if (!request) return report(request.error());
    const engine::Result<RequestedGraph> requested = requested_graph(*request);
    if (!requested) return report(requested.error());
    table = ops_of(*requested->graph);
  }
  const std::string format = options.json ? "json" : options.format;
  if (format == "json") {
    print_json(table_json(table));
  } else {
    show("{}", format == "csv" ? profiler::to_csv(table) : profiler::to_text(table));
  }
  return kDone;
}

}  // namespace

Handler add_ops(CLI::App& verb) {
  auto o = std::make_shared<OpsArguments>();
  add_graph_options(verb, o->run, "Workload or model whose ops are listed with shapes; none: all ops");
  verb.get_option("workload")->required(false)->option_text("[NAME|FILE]");
  add_formats(verb, o->format, o->json);
  verb.footer("Example: tensortide ops mlp --batch 8\nExample: tensortide ops");
  return [o] { return ops(*o); };
}

}  // namespace app::cli
