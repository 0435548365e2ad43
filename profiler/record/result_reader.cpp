// SPDX-License-Identifier: Apache-2.0
// Copies results to the host where they lie elsewhere, and sums them up.
#include "profiler/record/result_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/capture/results.h"

namespace profiler {

using engine::Result;
using engine::Tensor;
using engine::ValueId;

ResultReader::ResultReader(const engine::Graph& graph, engine::Backend& backend) : graph_(graph), backend_(backend) {
  const engine::DeviceTraits& device = backend.info().traits();
  in_host_memory_ = device.shares_host_memory;
  if (!device.computes) return;
  for (const ValueId id : graph.outputs()) {
    if (std::ranges::find(outputs_, id) == outputs_.end()) outputs_.push_back(id);
  }
  const auto updates = [](const engine::Node& node) { return node.phase == engine::Phase::update; };
  if (std::ranges::none_of(graph.nodes(), updates)) return;
  for (const engine::Value& value : graph.values()) {
    if (value.kind == engine::ValueKind::parameter) parameters_.push_back(value.id);
  }
  std::ranges::sort(parameters_, {}, [&](ValueId id) { return graph.value(id).name; });
}

Result<Tensor> ResultReader::on_host(const Tensor& tensor) const {
  if (in_host_memory_) return tensor;
  Result<Tensor> host = Tensor::empty(tensor.type());
  if (!host) return host;
  if (Result<void> copied = backend_.copy(tensor, *host); !copied) return copied.error();
  return host;
}

Result<ResultRecord> ResultReader::output(const Tensor& tensor) const {
  const Result<Tensor> host = on_host(tensor);
  if (!host) return host.error();
  return summarize_result(*host);
}

Result<ResultRecord> ResultReader::parameters(const std::function<Tensor(ValueId)>& tensor) const {
  int64_t elements = 0;
  for (const ValueId id : parameters_) elements += graph_.value(id).type.elements();
  ResultSummary summary(engine::DType::float64, elements, false);
  for (const ValueId id : parameters_) {
    const Result<Tensor> host = on_host(tensor(id));
    if (!host) return host.error();
    if (Result<void> added = summary.add(*host); !added) return added.error();
  }
  return std::move(summary).finish();
}

void ResultReader::read(uint32_t step, const std::function<Tensor(ValueId)>& tensor, CaptureBuilder& builder) const {
  const auto add = [&](Result<ResultRecord> result, TensorId id, const std::string& name) {
    if (!result) {
      builder.honesty().notes.push_back(
          fmt::format("The result {} could not be read after step {}: {}.", name, step, result.error().message));
      return;
    }
    result->tensor = id;
    result->step = step;
    builder.add_result(*std::move(result));
  };
  for (const ValueId id : outputs_) add(output(tensor(id)), id, graph_.value(id).name);
  if (!parameters_.empty()) add(parameters(tensor), kNoTensor, "all parameters");
}

}  // namespace profiler
