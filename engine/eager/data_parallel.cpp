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

/// While one lives, a module's variables are their copies on another device.
class Replica {
 public:
  Replica(Module& module, const Device& device) : variables_(module.parameters()) {
    const std::vector<Module::Named> buffers = module.buffers();
    variables_.insert(variables_.end(), buffers.begin(), buffers.end());
    for (const auto& [name, variable] : variables_) {
      originals_.push_back(*variable);
      *variable = variable->to(device);
    }
  }
  ~Replica() {
    for (size_t i = 0; i < variables_.size(); ++i) *variables_[i].variable = originals_[i];
  }
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

 private:
  std::vector<Module::Named> variables_;
  std::vector<Variable> originals_;
};

Variable DataParallel::replica(const Variable& part, const Device& device) {
  const Variable there = part.to(device);
  const Replica replica(module_, device);
  return module_.forward(there);
}

Variable DataParallel::forward(const Variable& x) {
  if (!x.ok()) return x;
  if (x.shape().empty()) return x.slice(0, 0, 1);  // refused: it has no first dimension to split
  std::vector<Variable> results;
  int64_t at = 0;
  for (const int64_t rows : split_rows(x.shape()[0], static_cast<int64_t>(devices_.size()))) {
    const Variable part = rows == x.shape()[0] ? x : x.slice(0, at, at + rows);
    results.push_back(replica(part, devices_[results.size()]).to(devices_[0]));
    at += rows;
  }
  if (results.size() == 1) return results[0];
  return engine::apply(results, [](GraphBuilder& builder, std::span<const ValueId> parts) {
    return std::vector{ops::concat(builder, {parts.begin(), parts.end()}, 0)};
  })[0];
}

}  // namespace engine
