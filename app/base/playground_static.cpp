// SPDX-License-Identifier: Apache-2.0
// Builds the graph with GraphBuilder, whose ops infer shapes; then one step of a Plan on the processor.
#include "app/base/playground_static.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/base/playground_words.h"
#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"

namespace app {

using engine::DType;
using engine::Result;
using engine::TensorType;
using engine::usage_error;
using engine::ValueId;

namespace {

constexpr int64_t kMostStaticElements = 1 << 20;

/// Builds line after line; the first error stays.
class StaticBuilder {
 public:
  Result<void> add(const std::string& line);
  engine::GraphBuilder& graph() { return builder_; }
  const std::vector<std::pair<std::string, ValueId>>& names() const { return names_; }
  bool understood() const { return understood_; }

 private:
  engine::Error none(std::string words) {
    understood_ = false;
    return usage_error(std::move(words));
  }
  Result<ValueId> operand(const std::string& text);
  Result<ValueId> leaf(const std::string& name, const PlaygroundCall&);
  Result<ValueId> value(const PlaygroundAssignment&);

  engine::GraphBuilder builder_;
  std::vector<std::pair<std::string, ValueId>> names_;
  bool understood_ = true;
};

Result<ValueId> StaticBuilder::operand(const std::string& text) {
  if (const auto number = number_of(text))
    return builder_.input("", TensorType::contiguous(DType::float32, {}), {engine::Fill::Kind::constant, *number, 0});
  const auto at = std::ranges::find(names_, text, &std::pair<std::string, ValueId>::first);
  if (at == names_.end()) return none(fmt::format("there is no \"{}\"", text));
  return at->second;
}

Result<ValueId> StaticBuilder::leaf(const std::string& name, const PlaygroundCall& call) {
  DType dtype = DType::float32;
  std::vector<std::string> rest;
  for (const std::string& word : call.arguments) {
    if (const auto parsed = engine::parse_dtype(word)) dtype = *parsed;
    else rest.push_back(word);
  }
  if (call.name == "tensor") {
    std::vector<double> values;
    for (const std::string& word : rest) {
      const auto number = number_of(word);
      if (!number) return none(fmt::format("\"{}\" is no number", word));
      values.push_back(*number);
    }
    if (values.empty()) return none("tensor needs numbers");
    auto tensor = engine::Tensor::from_values({static_cast<int64_t>(values.size())}, values, dtype);
    if (!tensor) return tensor.error();
    return builder_.constant(name, *std::move(tensor), engine::Role::input);
  }
  const bool full = call.name == "full";
  const auto shape = rest.size() == (full ? 2U : 1U) ? shape_of(rest[0]) : std::nullopt;
  const auto fills = full && shape ? number_of(rest[1]) : std::optional(call.name == "ones" ? 1.0 : 0.0);
  const auto count = shape ? engine::element_count(*shape) : std::nullopt;
  if (!shape || !fills)
    return none(fmt::format("{} needs a shape such as 2x3{}", call.name, full ? " and a number" : ""));
  if (!count || *count > kMostStaticElements)
    return usage_error(fmt::format("{} has more than {} elements", rest[0], kMostStaticElements));
  const engine::Fill fill = call.name == "random" ? engine::Fill{engine::Fill::Kind::normal, 0, 1}
                                                  : engine::Fill{engine::Fill::Kind::constant, *fills, 0};
  return builder_.input(name, TensorType::contiguous(dtype, *shape), fill);
}

Result<ValueId> StaticBuilder::value(const PlaygroundAssignment& a) {
  if (a.sign != 0) {
    const auto left = operand(a.left), right = operand(a.right);
    if (!left) return left.error();
    if (!right) return right.error();
    switch (a.sign) {
      case '+': return engine::ops::add(builder_, *left, *right);
      case '-': return engine::ops::subtract(builder_, *left, *right);
      case '*': return engine::ops::multiply(builder_, *left, *right);
      default: return engine::ops::matmul(builder_, *left, *right);
    }
  }
  const size_t dot = a.expression.find('.');
  const auto call = call_of(dot == std::string::npos ? a.expression : a.expression.substr(dot + 1));
  static constexpr std::string_view kLeaves[] = {"zeros", "ones", "full", "random", "tensor"};
  if (dot == std::string::npos && call && std::ranges::find(kLeaves, call->name) != std::end(kLeaves))
    return leaf(a.name, *call);
  if (dot != std::string::npos && call && call->arguments.empty() && (call->name == "relu" || call->name == "sum")) {
    const auto x = operand(stripped(a.expression.substr(0, dot)));
    if (!x) return x.error();
    if (call->name == "relu") return engine::ops::relu(builder_, *x);
    return engine::ops::sum(builder_, *x, {});
  }
  if (is_name(a.expression)) return operand(a.expression);
  return none(
      fmt::format("\"{}\" is no line of a static graph: it takes tensors on cpu, + - * @, relu and sum", a.expression));
}

Result<void> StaticBuilder::add(const std::string& line) {
  if (line.starts_with(kLoopWord))
    return usage_error(
        "data decide how often a loop turns, and a static graph is built before there are data. Run it with "
        "--graph eager, or write its turns out");
  const auto parts = assignment_of(line);
  if (!parts || !is_name(parts->name) || parts->expression.empty())
    return none(fmt::format("\"{}\" is no assignment such as z = x + y", line));
  const Result<ValueId> made = value(*parts);
  if (!made) return made.error();
  if (builder_.failed()) return builder_.finish().error();
  const auto at = std::ranges::find(names_, parts->name, &std::pair<std::string, ValueId>::first);
  if (at != names_.end()) at->second = *made;
  else names_.emplace_back(parts->name, *made);
  return {};
}

std::string first_values(const engine::Tensor& tensor) {
  constexpr int64_t kShown = 6;
  std::string text;
  const int64_t count = tensor.type().elements();
  for (int64_t i = 0; i < std::min(kShown, count); ++i)
    text += fmt::format("{}{:.7g}", i > 0 ? ", " : "", tensor.get_flat(i));
  return count > kShown ? text + ", ..." : text;
}

}  // namespace

Result<StaticOutcome> run_as_static_graph(const std::vector<std::string>& lines) {
  StaticBuilder builder;
  StaticOutcome outcome;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string line = stripped(lines[i]);
    if (line.empty() || line.starts_with("#")) continue;
    if (const Result<void> added = builder.add(line); !added) {
      outcome.refused_line = i + 1;
      outcome.refusal = added.error().message;
      outcome.understood = builder.understood();
      return outcome;
    }
    ++outcome.lines;
  }
  for (const auto& [name, id] : builder.names()) builder.graph().mark_output(id);
  Result<engine::Graph> graph = builder.graph().finish();
  if (!graph) return graph.error();
  outcome.ops = graph->nodes().size();
  auto backend = engine::cpu::make_backend(1);
  if (!backend) return backend.error();
  auto plan = engine::Plan::make(std::make_shared<const engine::Graph>(*std::move(graph)), **backend);
  if (!plan) return plan.error();
  outcome.memory_bytes = (*plan)->memory().persistent_bytes + (*plan)->memory().arena_bytes;
  (*plan)->run_step(0, nullptr);
  for (const auto& [name, id] : builder.names()) {
    const engine::Tensor& tensor = (*plan)->tensor(id);
    outcome.values.push_back({name, engine::to_string(tensor.type()), first_values(tensor)});
  }
  return outcome;
}

}  // namespace app
