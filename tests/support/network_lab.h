// SPDX-License-Identifier: Apache-2.0
// Captures of networks that tests write down layer by layer: a training step of blocks with attention and residuals.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/capture/capture_builder.h"

namespace tests {

class NetworkLab {
 public:
  profiler::TensorId tensor(const std::string& name, profiler::Role role = profiler::Role::activation,
                            bool persistent = false) {
    profiler::TensorRecord t;
    t.name = builder_.intern(name);
    t.shape = {256};
    t.strides = {1};
    t.role = role;
    t.persistent = persistent;
    t.size_bytes = kBytes;
    return builder_.add_tensor(t);
  }
  profiler::TensorId view_of(profiler::TensorId base, const std::string& name) {
    profiler::TensorRecord t = builder_.so_far().tensors()[base];
    t.name = builder_.intern(name);
    t.alias_of = base;
    return builder_.add_tensor(t);
  }

  profiler::OpId op(const std::string& layer, const std::string& type, const std::vector<profiler::TensorId>& reads,
                    const std::vector<profiler::TensorId>& writes, profiler::Phase phase = profiler::Phase::forward,
                    bool view = false) {
    profiler::OpRecord record;
    const std::string name = (layer.empty() ? "" : layer + "/") + type;
    const auto count = ++uses_[name];
    record.name = builder_.intern(count == 1 ? name : fmt::format("{}#{}", name, count));
    record.type = builder_.intern(type);
    record.layer = builder_.intern(layer);
    record.kernel = builder_.intern(view ? "view" : "reference");
    record.phase = phase;
    record.view = view;
    record.flops = view ? 0 : 1000;
    std::vector<profiler::OperandRecord> operands;
    for (const profiler::TensorId t : reads)
      operands.push_back({0, t, builder_.so_far().tensors()[t].role, false, view ? 0 : kBytes, 0});
    for (const profiler::TensorId t : writes)
      operands.push_back({0, t, builder_.so_far().tensors()[t].role, true, 0, view ? 0 : kBytes});
    return builder_.add_op(record, operands);
  }

  /// x -> blocks (query, key, value -> attention -> add of x -> mlp.fc1 -> mlp.fc2 -> add) -> loss, its backward pass
  /// in reverse, and an update for each weight.
  void training_step(int blocks) {
    using profiler::Phase;
    using profiler::Role;
    struct Done {
      std::string layer, type;
      std::vector<profiler::TensorId> reads;
      profiler::TensorId written, weight;
    };
    std::vector<Done> done;
    const auto forward = [&](const std::string& layer, const std::string& type, std::vector<profiler::TensorId> reads,
                             bool weighs) {
      const auto weight = weighs ? tensor(layer + ".weight", Role::weight, true) : profiler::kNoTensor;
      const auto written = tensor(layer + "." + type);
      std::vector<profiler::TensorId> all = reads;
      if (weighs) all.push_back(weight);
      op(layer, type, all, {written});
      done.push_back({layer, type, std::move(reads), written, weight});
      return written;
    };
    profiler::TensorId x = tensor("x", Role::input, true);
    for (int i = 0; i < blocks; ++i) {
      const std::string block = fmt::format("block{}", i);
      const auto q = forward(block + ".attention.query", "linear", {x}, true),
                 k = forward(block + ".attention.key", "linear", {x}, true),
                 v = forward(block + ".attention.value", "linear", {x}, true);
      const auto a = forward(block + ".attention", "attention", {q, k, v}, false);
      const auto middle = forward(block, "add", {a, x}, false);
      const auto h = forward(block + ".mlp.fc1", "linear", {middle}, true);
      const auto m = forward(block + ".mlp.fc2", "linear", {h}, true);
      x = forward(block, "add", {m, middle}, false);
    }
    forward("loss", "cross_entropy", {x}, false);
    std::vector<profiler::TensorId> gradient(builder_.so_far().tensors().size(), profiler::kNoTensor);
    std::vector<std::pair<const Done*, profiler::TensorId>> weights;
    for (size_t i = done.size(); i-- > 0;) {
      const Done& d = done[i];
      std::vector<profiler::TensorId> reads = d.reads, writes;
      if (gradient[d.written] != profiler::kNoTensor) reads.push_back(gradient[d.written]);
      for (const profiler::TensorId t : d.reads) {
        if (gradient[t] == profiler::kNoTensor) gradient[t] = tensor(fmt::format("grad{}", t), Role::gradient);
        else reads.push_back(gradient[t]);  // added to what is there
        writes.push_back(gradient[t]);
      }
      if (d.weight != profiler::kNoTensor) {
        weights.emplace_back(&d, tensor(d.layer + ".weight_grad", Role::gradient));
        writes.push_back(weights.back().second);
      }
      op(d.layer, d.type + "_grad", reads, writes, Phase::backward);
    }
    for (const auto& [d, grad] : weights) op(d->layer, "sgd", {d->weight, grad}, {d->weight}, Phase::update);
  }

  /// `count` ops one after the other, `per_layer` in each layer; 0: outside all layers.
  void chain(int count, int per_layer) {
    profiler::TensorId x = tensor("x", profiler::Role::input, true);
    for (int i = 0; i < count; ++i) {
      const auto y = tensor(fmt::format("t{}", i));
      op(per_layer > 0 ? fmt::format("layer{}", i / per_layer) : "", fmt::format("op{}", i), {x}, {y});
      x = y;
    }
  }

  profiler::CaptureBuilder& builder() { return builder_; }
  std::shared_ptr<const profiler::Analyzed> analyzed() {
    auto capture = builder_.finish();
    CHECK(capture.ok());
    return profiler::analyze(*std::move(capture));
  }

  static constexpr int64_t kBytes = 1024;  ///< of each tensor

 private:
  profiler::CaptureBuilder builder_;
  std::map<std::string, int> uses_;
};

}  // namespace tests
