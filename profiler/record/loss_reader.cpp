// SPDX-License-Identifier: Apache-2.0
// Finds the loss among a graph's outputs and keeps what it was after each step.
#include "profiler/record/loss_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "profiler/capture/training_loss.h"

namespace profiler {

std::optional<engine::ValueId> loss_of(const engine::Graph& graph) {
  const auto updates = [](const engine::Node& node) { return node.phase == engine::Phase::update; };
  if (std::ranges::none_of(graph.nodes(), updates)) return std::nullopt;
  std::optional<engine::ValueId> found;
  for (const engine::ValueId output : graph.outputs()) {
    const engine::TensorType& type = graph.value(output).type;
    if (type.elements() != 1 || !is_floating(type.dtype)) continue;
    if (found) return std::nullopt;
    found = output;
  }
  return found;
}

LossReader::LossReader(const engine::Graph& graph, engine::Backend& backend) : backend_(backend) {
  const engine::DeviceTraits& device = backend.info().traits();
  if (device.computes) value_ = loss_of(graph);
  in_host_memory_ = device.shares_host_memory;
}

void LossReader::read(uint32_t step, const engine::Tensor& loss) {
  if (!failure_.empty()) return;
  auto host = engine::Tensor::empty(engine::TensorType::contiguous(loss.dtype(), loss.shape()));
  const engine::Result<void> copied = host ? backend_.copy(loss, *host) : engine::Result<void>(host.error());
  if (!copied) {
    failure_ = fmt::format("The loss could not be read after step {}: {}. It is unknown from there on.", step,
                           copied.error().message);
    return;
  }
  steps_.push_back(step);
  values_.push_back(host->get_flat(0));
}

bool LossReader::failed() const { return !values_.empty() && !std::isfinite(values_.back()); }

double LossReader::last() const {
  return values_.empty() || failed() ? std::numeric_limits<double>::quiet_NaN() : values_.back();
}

void LossReader::add_to(CaptureBuilder& builder) const {
  if (!failure_.empty()) builder.honesty().notes.push_back(failure_);
  const auto named = [&](std::string_view name) {
    return CounterSeries{
        .name = builder.intern(name), .group = builder.intern(kLossGroup), .unit = 0, .time_ns = {}, .value = {}};
  };
  CounterSeries series = named(kLossName);
  const std::vector<StepRecord>& steps = builder.so_far().steps();
  auto step = steps.begin();
  for (size_t i = 0; i < steps_.size(); ++i) {
    while (step != steps.end() && step->index < steps_[i]) ++step;  // both ascend
    if (step == steps.end()) break;
    if (step->index != steps_[i]) continue;
    const int64_t end_ns = step->start_ns + step->duration_ns;
    if (!std::isfinite(values_[i])) {
      CounterSeries failed = named(kLossFailedName);
      failed.time_ns = {end_ns};
      failed.value = {1};
      builder.add_counter(std::move(failed));
      builder.honesty().notes.push_back(
          fmt::format("The loss is no number any more ({}) after step {}: this training has failed. `tensortide run "
                      "--check-finite` names the op that begins it.",
                      std::isnan(values_[i]) ? "nan" : fmt::format("{}", values_[i]), steps_[i]));
      break;
    }
    series.time_ns.push_back(end_ns);
    series.value.push_back(values_[i]);
  }
  if (!series.value.empty()) builder.add_counter(std::move(series));
}

}  // namespace profiler
