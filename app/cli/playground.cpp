// SPDX-License-Identifier: Apache-2.0
// tensortide playground: lines on the eager engine with two simulated devices; each shows what moved where.
#include "app/base/playground.h"
#include "app/base/playground_static.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "engine/base/read_file.h"
#include "profiler/base/table.h"
#include "profiler/base/words.h"

namespace app::cli {
namespace {

using nlohmann::json;

struct PlaygroundArguments {
  std::string script;
  std::string graph = "eager";
  bool json = false;
};

/// The value that a line is about: the name it begins with.
const PlaygroundValue* value_of(const std::vector<PlaygroundValue>& values, const PlaygroundStep& step) {
  const std::string name = step.line.substr(0, step.line.find_first_of(" =.[("));
  const auto at = std::ranges::find(values, name, &PlaygroundValue::name);
  return at == values.end() ? nullptr : &*at;
}

/// What the line's own value has: flat, so that queries of lessons reach it.
void add_result(json& out, const PlaygroundStep& step, const std::vector<PlaygroundValue>& values) {
  int64_t copied = 0;
  for (const PlaygroundMove& move : step.moves) copied += move.size_bytes;
  out["copies_count"] = step.moves.size();
  out["copied_bytes"] = copied;
  const PlaygroundValue* value = step.refused || !step.understood ? nullptr : value_of(values, step);
  if (value == nullptr) return;
  out["result"] = value->name;
  out["result_device"] = value->device;
  out["result_dtype"] = value->dtype;
  out["result_bytes"] = value->size_bytes;
  out["result_same_as"] = value->same_as;
  out["result_values"] = value->values;
}

json as_json(const PlaygroundStep& step, const Playground& playground) {
  const std::vector<PlaygroundValue> known = playground.values();
  json moves = json::array(), values = json::array();
  for (const PlaygroundMove& m : step.moves)
    moves.push_back({{"from", m.from}, {"to", m.to}, {"size_bytes", m.size_bytes}, {"reason", m.reason}});
  for (const PlaygroundValue& v : known)
    values.push_back({{"name", v.name},
                      {"kind", v.module ? "module" : "tensor"},
                      {"device", v.device},
                      {"dtype", v.dtype},
                      {"shape", v.shape},
                      {"size_bytes", v.size_bytes},
                      {"same_as", v.same_as},
                      {"values", v.values}});
  json out = {{"line", step.line},
              {"text", step.text},
              {"refused", step.refused},
              {"understood", step.understood},
              {"remedy", step.remedy.empty() ? json(nullptr) : json(step.remedy)},
              {"moves", moves},
              {"recorded_ops", step.recorded_ops},
              {"saved_bytes", step.saved_bytes},
              {"values", values},
              {"devices", playground.devices()}};
  add_result(out, step, known);
  return out;
}

void print(const PlaygroundStep& step, const Playground& playground) {
  show("> {}\n", step.line);
  show("  {}{}\n", step.refused ? "Refused: " : "", step.text);
  if (!step.remedy.empty()) show("  With the copy: {}\n", step.remedy);
  if (step.refused || !step.understood) return;
  const std::vector<PlaygroundValue> values = playground.values();
  if (const PlaygroundValue* v = value_of(values, step); v != nullptr)
    show("  {}: {}{} {} on {}{}\n", v->name, v->module ? "module of " : "", v->dtype, v->shape, v->device,
         v->values.empty() ? "" : ": " + v->values);
}

/// Prints a line's outcome at once: a window reads it from a pipe.
bool run_line(Playground& playground, const std::string& line, bool as_lines_of_json) {
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string::npos || line[first] == '#') return true;
  const PlaygroundStep step = playground.run(line);
  if (as_lines_of_json) show("{}\n", as_json(step, playground).dump(-1, ' ', true, json::error_handler_t::replace));
  else print(step, playground);
  std::fflush(stdout);
  return step.understood;
}

std::vector<std::string> lines_of(std::istream& in) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

/// All lines are built before one runs.
int static_graph(const std::vector<std::string>& lines, bool as_json) {
  const auto done = run_as_static_graph(lines);
  if (!done) return report(done.error());
  const bool refused = done->refused_line > 0;
  if (as_json) {
    json values = json::array();
    for (const StaticValue& v : done->values)
      values.push_back({{"name", v.name}, {"type", v.type}, {"values", v.values}});
    show("{}\n", json{{"built_lines", done->lines},
                      {"refused_line", refused ? json(done->refused_line) : json(nullptr)},
                      {"refusal", refused ? json(done->refusal) : json(nullptr)},
                      {"ran", !refused},
                      {"ops", done->ops},
                      {"memory_bytes", done->memory_bytes},
                      {"values", values}}
                     .dump(-1, ' ', true, json::error_handler_t::replace));
  } else if (refused) {
    show("Refused at build, line {}: {}\nNothing has run.\n", done->refused_line, done->refusal);
  } else {
    show("Built {} with shapes alone: {}, {} of memory planned ahead. Then it ran once.\n",
         profiler::counted(done->lines, "line"), profiler::counted(done->ops, "op"),
         profiler::format_quantity(static_cast<double>(done->memory_bytes), profiler::Quantity::bytes));
    for (const StaticValue& v : done->values) show("  {}: {}: {}\n", v.name, v.type, v.values);
  }
  return done->understood ? kDone : kUsage;
}

int playground(const PlaygroundArguments& options) {
  constexpr uint64_t kLargestScript = 1 << 20;
  std::string script;
  if (!options.script.empty()) {
    auto text = engine::read_file(options.script, kLargestScript);
    if (!text) return report(text.error());
    script = *std::move(text);
  }
  if (options.graph == "static") {
    std::istringstream text(script);
    return static_graph(lines_of(options.script.empty() ? std::cin : text), options.json);
  }
  auto made = Playground::make();
  if (!made) return report(made.error());
  bool understood = true;
  if (!options.script.empty()) {
    for (size_t begin = 0; begin < script.size();) {
      const size_t end = std::min(script.find('\n', begin), script.size());
      understood &= run_line(**made, script.substr(begin, end - begin), options.json);
      begin = end + 1;
    }
  } else {
    for (std::string line; std::getline(std::cin, line);) understood &= run_line(**made, line, options.json);
  }
  return understood ? kDone : kUsage;
}

}  // namespace

Handler add_playground(CLI::App& verb) {
  auto o = std::make_shared<PlaygroundArguments>();
  verb.add_option("script", o->script, "File with a line per action [standard input]; # begins a comment")
      ->option_text("SCRIPT");
  verb.add_option("--graph", o->graph, "Run each line at once, or build all lines first [eager, static]")
      ->check(CLI::IsMember({"eager", "static"}))
      ->option_text("MODE");
  verb.add_flag("--json", o->json, "Print one JSON document per line")->group("Output");
  verb.footer("Lines:\n" + playground_grammar() + "Example: tensortide playground lines.txt");
  return [o] { return playground(*o); };
}

}  // namespace app::cli
