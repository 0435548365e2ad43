// SPDX-License-Identifier: Apache-2.0
// libtensortide: C functions over the graph builder, plans, the recorder and the tables.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/c_api/tensortide.h"
#include "engine/base/json_text.h"
#include "engine/cpu/backend.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "profiler/analysis/analyze.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/record/recorder.h"
#include "profiler/store/capture_file.h"

struct tensortide_graph {
  engine::GraphBuilder builder;
};
struct tensortide_session {
  std::shared_ptr<const engine::Graph> graph;
  std::unique_ptr<engine::Backend> backend;
  std::unique_ptr<engine::Plan> plan;
  uint32_t step = 0;
};
struct tensortide_capture {
  std::shared_ptr<const profiler::Capture> capture;
};

namespace {

using engine::Result;
using engine::ValueId;
using nlohmann::json;

std::string& last_error() {
  thread_local std::string message;
  return message;
}

/// Keeps the words and returns what means failure.
template <class T>
T failed(std::string words, T result) {
  last_error() = std::move(words);
  return result;
}

/// The value, or an error that names the function.
std::optional<ValueId> value_of(const engine::Graph& graph, int64_t value, const char* function) {
  if (value >= 0 && value < static_cast<int64_t>(graph.values().size())) return static_cast<ValueId>(value);
  last_error() = fmt::format("[{}] value {}: the graph has {} values", function, value, graph.values().size());
  return std::nullopt;
}

std::optional<engine::TensorType> type_of(const char* dtype, const int64_t* shape, size_t rank) {
  const std::optional<engine::DType> known = engine::parse_dtype(dtype == nullptr ? "" : dtype);
  if (!known || (rank > 0 && shape == nullptr)) {
    last_error() = fmt::format("[leaf] \"{}\" is no data type, or the shape is missing", dtype == nullptr ? "" : dtype);
    return std::nullopt;
  }
  const engine::Shape extents(shape, shape + rank);
  const std::optional<int64_t> elements = engine::element_count(extents);
  if (!elements || *elements > (int64_t{1} << 59)) {
    last_error() = "[leaf] an extent is negative, or there are too many elements";
    return std::nullopt;
  }
  return engine::TensorType::contiguous(*known, extents);
}

int64_t leaf(tensortide_graph* graph, const char* name, const char* dtype, const int64_t* shape, size_t rank,
             bool parameter) {
  if (graph == nullptr || name == nullptr || *name == '\0')
    return failed<int64_t>("[leaf] needs a graph and a name", -1);
  const auto type = type_of(dtype, shape, rank);
  if (!type) return -1;
  const engine::Fill zeros{engine::Fill::Kind::zeros};
  engine::GraphBuilder trial = graph->builder;  // a refusal would stay with the builder
  // A state, because kernels may pack a parameter once, and this one is written between steps.
  const ValueId id =
      parameter ? trial.state(name, *type, zeros, engine::Role::weight) : trial.input(name, *type, zeros);
  if (trial.failed()) return failed<int64_t>(trial.finish().error().message, -1);
  graph->builder = std::move(trial);
  return id;
}

/// Attributes of a JSON object, each of its kind.
Result<engine::Attributes> attributes_of(const char* text) {
  engine::Attributes attributes;
  if (text == nullptr) return attributes;
  const json object = engine::parse_json<json>(text);
  if (!object.is_object()) return engine::usage_error("[op] the attributes are no JSON object such as {\"axis\": 1}");
  for (const auto& [key, item] : object.items()) {
    const std::optional<engine::AttributeKind> kind = engine::attribute_kind(key);
    if (kind == engine::AttributeKind::whole && item.is_number_integer()) {
      attributes.set(key, item.get<int64_t>());
    } else if (kind == engine::AttributeKind::real && item.is_number()) {
      attributes.set(key, item.get<double>());
    } else if (kind == engine::AttributeKind::text && item.is_string()) {
      attributes.set(key, item.get<std::string>());
    } else if (kind == engine::AttributeKind::list && item.is_array() &&
               std::all_of(item.begin(), item.end(), [](const json& x) { return x.is_number_integer(); })) {
      attributes.set(key, item.get<std::vector<int64_t>>());
    } else {
      return engine::usage_error(
          fmt::format("[op] the attribute \"{}\" is unknown, or its value of another kind", key));
    }
  }
  return attributes;
}

Result<std::shared_ptr<const engine::Graph>> finished(const tensortide_graph& graph) {
  engine::GraphBuilder builder = graph.builder;
  Result<engine::Graph> made = builder.finish();
  if (!made) return made.error();
  return std::make_shared<const engine::Graph>(*std::move(made));
}

char* text_of(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return failed<char*>("there is not enough memory", nullptr);
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

/// The tensor behind a value that lives to the end of a step; null with the reason.
const engine::Tensor* readable(const tensortide_session& session, int64_t value, size_t count, const char* function) {
  const auto id = value_of(*session.graph, value, function);
  if (!id) return nullptr;
  const std::vector<ValueId>& outputs = session.graph->outputs();
  const bool leaf = session.graph->value(*id).kind != engine::ValueKind::intermediate;
  if (!leaf && std::find(outputs.begin(), outputs.end(), *id) == outputs.end())
    return failed<const engine::Tensor*>(fmt::format("[{}] value {} is no leaf and no output", function, value),
                                         nullptr);
  const engine::Tensor& tensor = session.plan->tensor(*id);
  if (static_cast<int64_t>(count) == tensor.type().elements()) return &tensor;
  return failed<const engine::Tensor*>(
      fmt::format("[{}] value {} has {} elements, {} were given", function, value, tensor.type().elements(), count),
      nullptr);
}

}  // namespace

const char* tensortide_version(void) { return TENSORTIDE_VERSION; }
const char* tensortide_error(void) { return last_error().c_str(); }

tensortide_graph* tensortide_graph_create(void) { return new (std::nothrow) tensortide_graph; }
void tensortide_graph_free(tensortide_graph* graph) { delete graph; }

int64_t tensortide_graph_input(tensortide_graph* graph, const char* name, const char* dtype, const int64_t* shape,
                               size_t rank) {
  return leaf(graph, name, dtype, shape, rank, false);
}
int64_t tensortide_graph_parameter(tensortide_graph* graph, const char* name, const char* dtype, const int64_t* shape,
                                   size_t rank) {
  return leaf(graph, name, dtype, shape, rank, true);
}

int64_t tensortide_graph_op(tensortide_graph* graph, const char* op, const int64_t* inputs, size_t count,
                            const char* attributes, int64_t* outputs, size_t capacity) {
  const engine::Op* found = op == nullptr ? nullptr : engine::find_op(op);
  if (graph == nullptr || found == nullptr || (count > 0 && inputs == nullptr))
    return failed<int64_t>(fmt::format("[op] \"{}\" is no op; `tensortide ops` lists them", op == nullptr ? "" : op),
                           -1);
  if (found->view != nullptr && count != 1)
    return failed<int64_t>(fmt::format("[op] {} takes 1 operand, {} were given", op, count), -1);
  std::vector<ValueId> operands;
  for (size_t i = 0; i < count; ++i) {
    const auto id = value_of(graph->builder.graph(), inputs[i], "op");
    if (!id) return -1;
    operands.push_back(*id);
  }
  const Result<engine::Attributes> read = attributes_of(attributes);
  if (!read) return failed<int64_t>(read.error().message, -1);
  engine::GraphBuilder trial = graph->builder;
  const std::vector<ValueId> results = trial.append(*found, std::move(operands), *read);
  if (trial.failed()) return failed<int64_t>(trial.finish().error().message, -1);
  graph->builder = std::move(trial);
  for (size_t i = 0; i < results.size() && i < capacity && outputs != nullptr; ++i) outputs[i] = results[i];
  return static_cast<int64_t>(results.size());
}

int tensortide_graph_mark_output(tensortide_graph* graph, int64_t value) {
  if (graph == nullptr) return failed("[mark_output] needs a graph", -1);
  const auto id = value_of(graph->builder.graph(), value, "mark_output");
  if (!id) return -1;
  graph->builder.mark_output(*id);
  return 0;
}

int64_t tensortide_graph_shape(const tensortide_graph* graph, int64_t value, int64_t* shape, size_t capacity) {
  if (graph == nullptr) return failed<int64_t>("[shape] needs a graph", -1);
  const auto id = value_of(graph->builder.graph(), value, "shape");
  if (!id) return -1;
  const engine::Shape& extents = graph->builder.type(*id).shape;
  for (size_t i = 0; i < extents.size() && i < capacity && shape != nullptr; ++i) shape[i] = extents[i];
  return static_cast<int64_t>(extents.size());
}

tensortide_session* tensortide_session_create(const tensortide_graph* graph, int threads) {
  if (graph == nullptr) return failed<tensortide_session*>("[session] needs a graph", nullptr);
  auto session = std::make_unique<tensortide_session>();
  auto made = finished(*graph);
  if (!made) return failed<tensortide_session*>(made.error().message, nullptr);
  session->graph = *std::move(made);
  auto backend = engine::cpu::make_backend(threads);
  if (!backend) return failed<tensortide_session*>(backend.error().message, nullptr);
  session->backend = *std::move(backend);
  auto plan = engine::Plan::make(session->graph, *session->backend);
  if (!plan) return failed<tensortide_session*>(plan.error().message, nullptr);
  session->plan = *std::move(plan);
  return session.release();
}
void tensortide_session_free(tensortide_session* session) { delete session; }

int tensortide_session_write(tensortide_session* session, int64_t value, const double* elements, size_t count) {
  if (session == nullptr || elements == nullptr) return failed("[write] needs a session and elements", -1);
  const engine::Tensor* tensor = readable(*session, value, count, "write");
  if (tensor == nullptr) return -1;
  const engine::Value& of = session->graph->value(static_cast<ValueId>(value));
  if (of.kind == engine::ValueKind::intermediate || of.kind == engine::ValueKind::constant)
    return failed(fmt::format("[write] value {} is computed or constant: only leaves are written", value), -1);
  for (size_t i = 0; i < count; ++i) tensor->set_flat(static_cast<int64_t>(i), elements[i]);
  return 0;
}

int tensortide_session_read(const tensortide_session* session, int64_t value, double* elements, size_t count) {
  if (session == nullptr || elements == nullptr) return failed("[read] needs a session and elements", -1);
  const engine::Tensor* tensor = readable(*session, value, count, "read");
  if (tensor == nullptr) return -1;
  for (size_t i = 0; i < count; ++i) elements[i] = tensor->get_flat(static_cast<int64_t>(i));
  return 0;
}

int tensortide_session_run(tensortide_session* session) {
  if (session == nullptr) return failed("[run] needs a session", -1);
  session->plan->run_step(session->step++, nullptr);
  return 0;
}

tensortide_capture* tensortide_record(const tensortide_graph* graph, int threads, int steps, const char* file) {
  if (graph == nullptr || steps < 1) return failed<tensortide_capture*>("[record] needs a graph and a step", nullptr);
  auto made = finished(*graph);
  if (!made) return failed<tensortide_capture*>(made.error().message, nullptr);
  auto backend = engine::cpu::make_backend(threads);
  if (!backend) return failed<tensortide_capture*>(backend.error().message, nullptr);
  profiler::RecordRequest request;
  request.workload = "graph";
  request.title = "Graph of libtensortide";
  request.graph = *std::move(made);
  request.backend = backend->get();
  request.warmup_steps = 1;
  request.steps = steps;
  request.product_version = TENSORTIDE_VERSION;
  if (file != nullptr) request.output = file;
  const std::atomic<bool> stop = false;
  auto capture = profiler::record(request, nullptr, stop);
  if (!capture) return failed<tensortide_capture*>(capture.error().message, nullptr);
  return new tensortide_capture{*std::move(capture)};
}

tensortide_capture* tensortide_capture_open(const char* file) {
  if (file == nullptr) return failed<tensortide_capture*>("[open] needs a file", nullptr);
  auto capture = profiler::open_capture(file);
  if (!capture) return failed<tensortide_capture*>(capture.error().message, nullptr);
  return new tensortide_capture{*std::move(capture)};
}
void tensortide_capture_free(tensortide_capture* capture) { delete capture; }

char* tensortide_capture_table(const tensortide_capture* capture, const char* table) {
  if (capture == nullptr || table == nullptr) return failed<char*>("[table] needs a capture and a name", nullptr);
  const auto analyzed = profiler::analyze(capture->capture);
  const auto made = profiler::table_by_name(*analyzed, table, profiler::OpsBy::op);
  if (!made) return failed<char*>(made.error().message, nullptr);
  return text_of(profiler::to_json(*made));
}
void tensortide_text_free(char* text) { std::free(text); }
