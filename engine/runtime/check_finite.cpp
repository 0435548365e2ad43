// SPDX-License-Identifier: Apache-2.0
// An observer that reads what each op wrote.
#include "engine/runtime/check_finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/tensor/element.h"

namespace engine {
namespace {

struct Count {
  int64_t nans = 0, infinities = 0;
  bool any() const { return nans + infinities > 0; }
};

template <class T>
Count count_of(const T* values, int64_t count) {
  Count found;
  for (int64_t i = 0; i < count; ++i) {
    if (std::isfinite(values[i])) continue;
    ++(std::isnan(values[i]) ? found.nans : found.infinities);
  }
  return found;
}

/// Counts elements on the host, in any strides.
Count count_non_finite(const Tensor& tensor) {
  const TensorType& type = tensor.type();
  if (!is_floating(type.dtype)) return {};
  if (is_dense(type.shape, type.strides) && type.dtype == DType::float32)
    return count_of(tensor.data_as<const float>(), type.elements());
  if (is_dense(type.shape, type.strides) && type.dtype == DType::float64)
    return count_of(tensor.data_as<const double>(), type.elements());
  Count found;
  for (int64_t i = 0; i < type.elements(); ++i) {
    const double value = tensor.get_flat(i);
    if (!std::isfinite(value)) ++(std::isnan(value) ? found.nans : found.infinities);
  }
  return found;
}

class FiniteObserver final : public Observer {
 public:
  explicit FiniteObserver(Plan& plan) : plan_(plan) {}

  void step_begin(uint32_t, int64_t) override {}
  void step_end(uint32_t, int64_t) override {}
  void op_done(uint32_t op, int64_t, int64_t) override {
    if (found_ || error_) return;
    plan_.backend().synchronize();
    const Node& node = plan_.graph().node(op);
    for (size_t j = 0; j < node.outputs.size(); ++j) {
      const Count count = look_at(node.outputs[j]);
      if (!count.any()) continue;
      found_ =
          NonFinite{node.id, j, count.nans, count.infinities, plan_.graph().value(node.outputs[j]).type.elements(), {}};
      find_bad_inputs(node);
      return;
    }
  }

  std::optional<NonFinite> found_;
  std::optional<Error> error_;

 private:
  Count look_at(ValueId id) {
    const Tensor& tensor = plan_.tensor(id);
    if (tensor.storage()->device() == Device{}) return count_non_finite(tensor);
    Result<Tensor> host = Tensor::empty(TensorType::contiguous(tensor.dtype(), tensor.shape()));
    const Result<void> copied = host ? plan_.backend().copy(tensor, *host) : Result<void>(host.error());
    if (!copied) {
      error_ = copied.error();
      return {};
    }
    return count_non_finite(*host);
  }

  /// What an op overwrites is no longer what it read.
  void find_bad_inputs(const Node& node) {
    const std::vector<int>& in_place = node.op->in_place;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (std::ranges::find(in_place, static_cast<int>(i)) != in_place.end()) continue;
      if (std::ranges::find(found_->bad_inputs, node.inputs[i]) != found_->bad_inputs.end()) continue;
      if (look_at(node.inputs[i]).any()) found_->bad_inputs.push_back(node.inputs[i]);
    }
  }

  Plan& plan_;
};

}  // namespace

Result<std::optional<NonFinite>> run_step_checking_finite(Plan& plan, uint32_t step) {
  FiniteObserver observer(plan);
  plan.run_step(step, &observer);
  if (observer.error_) return *observer.error_;
  return observer.found_;
}

std::string describe(const Graph& graph, const NonFinite& found) {
  const Node& node = graph.node(found.node);
  std::string text =
      fmt::format("first {}: layer {}, op {} (node {}), output {}: {} of {} elements are NaN, {} infinite",
                  found.nans > 0 ? "NaN" : "infinity", node.layer.empty() ? "(none)" : node.layer, node.op->name,
                  node.id, graph.value(node.outputs[found.output]).name, found.nans, found.elements, found.infinities);
  for (const ValueId id : found.bad_inputs) {
    text += fmt::format("; its operand {} held NaN or infinity before", graph.value(id).name);
  }
  return text;
}

}  // namespace engine
