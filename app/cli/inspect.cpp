// SPDX-License-Identifier: Apache-2.0
// tensortide inspect: what a model is made of, and whether it can be run, without running it.
#include "app/base/inspection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"
#include "profiler/base/table.h"

namespace app::cli {
namespace {

using nlohmann::json;
using profiler::format_quantity;
using profiler::Quantity;

struct InspectArguments {
  RunOptions run;
  bool json = false;
};

json value_json(const InspectedValue& value) {
  return {{"name", value.name},
          {"dtype", value.dtype},
          {"declared", value.extents},
          {"shape", value.has_shape ? json(value.shape) : json(nullptr)}};
}

template <class Items, class F>
json list_json(const Items& items, const F& make) {
  json list = json::array();
  for (const auto& item : items) list.push_back(make(item));
  return list;
}

json language_json(const std::optional<LanguageFacts>& facts) {
  if (!facts) return nullptr;
  json formats = json::array();
  for (const LanguageFormat& f : facts->formats) {
    formats.push_back({{"weights", f.weights},
                       {"weight_bytes", f.weight_bytes},
                       {"cache_bytes", f.cache_bytes},
                       {"fits", facts->memory_bytes > 0 ? json(f.fits) : json(nullptr)},
                       {"longest_context", f.longest_context > 0 ? json(f.longest_context) : json(nullptr)}});
  }
  return {{"family", facts->family},
          {"layers", facts->layers},
          {"parameters", facts->parameters},
          {"parameters_per_token", facts->parameters_per_token},
          {"flops_per_token", facts->flops_per_token},
          {"cache_elements_per_token", facts->cache_elements_per_token},
          {"context", facts->context},
          {"batch", facts->batch},
          {"memory_available_bytes", facts->memory_bytes > 0 ? json(facts->memory_bytes) : json(nullptr)},
          {"formats", formats}};
}

void show_language(const LanguageFacts& facts) {
  show("\nParameters: {} ({}), {} of them work for each token\n",
       format_quantity(static_cast<double>(facts.parameters), Quantity::count), facts.parameters,
       format_quantity(static_cast<double>(facts.parameters_per_token), Quantity::count));
  show("A token behind {} others: {}\n", facts.context - 1, format_quantity(facts.flops_per_token, Quantity::flops));
  show("Cache of keys and values: {} numbers per token, for batch {} and context {}:\n", facts.cache_elements_per_token,
       facts.batch, facts.context);
  show("\n{:<8} {:>12} {:>12}  {}\n", "weights", "bytes", "cache bytes",
       facts.memory_bytes > 0
           ? fmt::format("fits {} of available memory", format_quantity(facts.memory_bytes, Quantity::capacity_bytes))
           : "fits: unknown");
  for (const LanguageFormat& f : facts.formats)
    show("{:<8} {:>12} {:>12}  {}\n", f.weights, format_quantity(f.weight_bytes, Quantity::bytes),
         format_quantity(f.cache_bytes, Quantity::bytes),
         facts.memory_bytes <= 0  ? std::string("–")
         : f.longest_context == 0 ? std::string("no: the weights alone do not")
         : f.fits                 ? fmt::format("yes, to a context of {}", f.longest_context)
                                  : fmt::format("no, only to a context of {}", f.longest_context));
}

json document(const Inspection& i) {
  const auto or_null = [](const std::string& text) { return text.empty() ? json(nullptr) : json(text); };
  const auto positive = [](int64_t value) { return value > 0 ? json(value) : json(nullptr); };
  return {{"title", i.title},
          {"producer", or_null(i.producer)},
          {"opset", positive(i.opset)},
          {"ir_version", positive(i.ir_version)},
          {"runs", i.why_not.empty()},
          {"why_not", or_null(i.why_not)},
          {"inputs", list_json(i.inputs, value_json)},
          {"outputs", list_json(i.outputs, value_json)},
          {"open_extents",
           list_json(i.open,
                     [&](const OpenExtent& open) {
                       return json{{"name", or_null(open.name)}, {"where", open.where}, {"option", open.option}};
                     })},
          {"operators", list_json(i.operators,
                                  [&](const InspectedOps& op) {
                                    return json{{"name", op.type},
                                                {"count", op.count},
                                                {"supported", op.needed.empty()},
                                                {"needed", or_null(op.needed)}};
                                  })},
          {"ops", list_json(i.ops,
                            [](const InspectedOps& op) {
                              return json{{"type", op.type},
                                          {"count", op.count},
                                          {"flops", json_number(op.flops)},
                                          {"operand_bytes", json_number(op.bytes)}};
                            })},
          {"language_model", language_json(i.language)},
          {"parameters", json_number(i.parameters)},
          {"parameter_bytes", json_number(i.parameter_bytes)},
          {"flops", json_number(i.flops)},
          {"operand_bytes", json_number(i.operand_bytes)},
          {"memory_bytes", json_number(i.memory_bytes)},
          {"notes", i.notes},
          {"origin", "exact"}};
}

void show_values(const char* heading, const std::vector<InspectedValue>& values) {
  show("\n{}:\n", heading);
  for (const InspectedValue& value : values) {
    const std::string declared = value.extents.empty() ? "" : fmt::format(" {}", fmt::join(value.extents, " x "));
    const std::string run = value.has_shape ? engine::to_string(value.shape) : std::string();
    const bool same = run.empty() || fmt::format("{}", fmt::join(value.extents, "x")) == run;
    show("  {}: {}{}{}\n", value.name, value.dtype, declared, same ? "" : fmt::format(", run as {}", run));
  }
}

void show_open(const Inspection& i) {
  if (i.open.empty()) return;
  show("\nOpen extents:\n");
  for (const OpenExtent& open : i.open)
    show("  {}{}: set by {}\n", open.where, open.name.empty() ? ", without a name" : " (" + open.name + ")",
         open.option);
}

void show_operators(const Inspection& i) {
  const auto missing = std::ranges::count_if(i.operators, [](const InspectedOps& op) { return !op.needed.empty(); });
  if (missing > 0) {
    show("\nOperators that are not supported:\n");
    for (const InspectedOps& op : i.operators) {
      if (!op.needed.empty()) show("  {} ({}x): {}\n", op.type, op.count, op.needed);
    }
  }
  if (i.operators.empty()) return;
  std::vector<std::string> counted;
  for (const InspectedOps& op : i.operators) counted.push_back(fmt::format("{} {}", op.count, op.type));
  show("\nOperators of the file: {}\n", fmt::join(counted, ", "));
}

void show_text(const Inspection& i) {
  show("{}{}\n", i.title,
       i.opset > 0 ? fmt::format(": ONNX, opset {}{}", i.opset, i.producer.empty() ? "" : ", by " + i.producer) : "");
  if (!i.why_not.empty()) show("It cannot be run as it is: {}\n", i.why_not);
  if (i.language) show_language(*i.language);
  show_values("Inputs", i.inputs);
  show_values("Outputs", i.outputs);
  show_open(i);
  if (!i.language || i.why_not.empty())
    show("\nParameters{}: {} in {}\n", i.language ? " as they would be run" : "",
         format_quantity(i.parameters, Quantity::count), format_quantity(i.parameter_bytes, Quantity::bytes));
  if (i.why_not.empty()) {
    show("A step: {}, {} of operands, {} of memory\n", format_quantity(i.flops, Quantity::flops),
         format_quantity(i.operand_bytes, Quantity::bytes), format_quantity(i.memory_bytes, Quantity::bytes));
    show("\n{:<28} {:>7} {:>14} {:>14}\n", "Ops of a step", "count", "FLOPs", "operand bytes");
    for (const InspectedOps& op : i.ops)
      show("{:<28} {:>7} {:>14} {:>14}\n", op.type, op.count, format_quantity(op.flops, Quantity::flops),
           format_quantity(op.bytes, Quantity::bytes));
    if (std::ranges::find(i.ops, "conv2d", &InspectedOps::type) != i.ops.end())
      show("FLOPs of convolutions are those of direct sums; Winograd's filtering, where a run uses it, has fewer.\n");
  }
  show_operators(i);
  for (const std::string& note : i.notes) show("Note: {}\n", note);
}

int run(const InspectArguments& options) {
  const engine::Result<RunRequest> request = make_request(options.run);
  if (!request) return report(request.error());
  const engine::Result<Inspection> inspection = inspect(*request);
  if (!inspection) return report(inspection.error());
  if (options.json) print_json(document(*inspection));
  else show_text(*inspection);
  return inspection->why_not.empty() ? kDone : kNo;
}

}  // namespace

Handler add_inspect(CLI::App& verb) {
  auto o = std::make_shared<InspectArguments>();
  add_graph_options(verb, o->run, "ONNX or JSON file, or a workload");
  add_input_options(verb, o->run);
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer("Example: tensortide inspect model.onnx --set sequence=128\nExit code 1: it cannot be run as it is.");
  return [o] { return run(*o); };
}

}  // namespace app::cli
