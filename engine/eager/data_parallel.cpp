// SPDX-License-Identifier: Apache-2.0
// DataParallel: scatter, replicate, run, gather.
#include "engine/eager/data_parallel.h"

#include "engine/graph/to_device.h"
#include "engine/ops/indexing.h"

namespace engine {

DataParallel::DataParallel(std::unique_ptr<Module> module, std::vector<Device> devices)
    : module_(add_module("module", std::move(module))), devices_(std::move(devices)) {
  CHECK(!devices_.empty());
}

/// Copies of a module's variables on another device. During forward() they are the module's.
class Replica {
 public:
  Replica(Module& module, const Device& device) : variables_(module.parameters()) {
    const std::vector<Module::Named> buffers = module.buffers();
    variables_.insert(variables_.end(), buffers.begin(), buffers.end());
    for (const auto& [name, variable] : variables_) others_.push_back(variable->to(device));
  }
  Variable forward(Module& module, const Variable& x) {
    swap();
    const Variable y = module.forward(x);
    swap();
    return y;
  }

 private:
  void swap() {
    for (size_t i = 0; i < variables_.size(); ++i) std::swap(*variables_[i].variable, others_[i]);
  }
  std::vector<Module::Named> variables_;
  std::vector<Variable> others_;
};

Variable DataParallel::forward(const Variable& x) {
  if (!x.ok()) return x;
  if (x.shape().empty()) return x.slice(0, 0, 1);  // refused: it has no first dimension to split
  std::vector<Variable> parts, results;
  std::vector<Replica> replicas;
  int64_t at = 0;
  for (const int64_t rows : split_rows(x.shape()[0], static_cast<int64_t>(devices_.size()))) {
    const Variable part = rows == x.shape()[0] ? x : x.slice(0, at, at + rows);
    parts.push_back(part.to(devices_[parts.size()]));
    at += rows;
  }
  for (size_t i = 0; i < parts.size(); ++i) replicas.emplace_back(module_, devices_[i]);
  for (size_t i = 0; i < parts.size(); ++i) results.push_back(replicas[i].forward(module_, parts[i]));
  for (Variable& result : results) result = result.to(devices_[0]);
  if (results.size() == 1) return results[0];
  return engine::apply(results, [](GraphBuilder& builder, std::span<const ValueId> all) {
    return std::vector{ops::concat(builder, {all.begin(), all.end()}, 0)};
  })[0];
}

}  // namespace engine
