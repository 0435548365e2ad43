// SPDX-License-Identifier: Apache-2.0
// Module: lists by name, and the move of all of them.
#include "engine/eager/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/ops/ops.h"
#include "engine/tensor/device_name.h"

namespace engine {

void Module::collect(List Module::*list, const std::string& prefix, std::vector<Named>& all) {
  for (auto& [name, variable] : this->*list) all.push_back({prefix + name, &variable});
  for (const auto& [name, module] : modules_) module->collect(list, prefix + name + ".", all);
}

std::vector<Module::Named> Module::parameters() {
  std::vector<Named> all;
  collect(&Module::parameters_, "", all);
  return all;
}

std::vector<Module::Named> Module::buffers() {
  std::vector<Named> all;
  collect(&Module::buffers_, "", all);
  return all;
}

void Module::zero_grad() {
  for (const Named& parameter : parameters()) parameter.variable->zero_grad();
}

Variable& Module::add_parameter(std::string name, Variable parameter) {
  return parameters_.emplace_back(std::move(name), std::move(parameter)).second;
}

Variable& Module::add_buffer(std::string name, Variable buffer) {
  return buffers_.emplace_back(std::move(name), std::move(buffer)).second;
}

Result<Module::Moved> Module::to(const Device& device) {
  std::vector<Named> all = parameters(), further = buffers();
  all.insert(all.end(), further.begin(), further.end());
  std::vector<eager::Cell*> cells;
  const auto add = [&](eager::Cell* cell) {
    if (cell != nullptr && std::ranges::find(cells, cell) == cells.end()) cells.push_back(cell);  // tied ones move once
  };
  for (const auto& [name, variable] : all) {
    if (!variable->ok()) return Error{variable->error().kind, fmt::format("[{}] {}", name, variable->error().message)};
    if (variable->cell()->core != all[0].variable->cell()->core)
      return usage_error(fmt::format("[{}] belongs to another session", name));
    if (variable->cell()->maker != nullptr) {
      return usage_error(fmt::format("[{}] was computed by a recorded op: only leaves move in place", name));
    }
    add(variable->cell());
    add(variable->cell()->gradient);
  }
  if (cells.empty()) return Moved{this, 0};
  eager::Core& core = *cells[0]->core;
  eager::OpRunner* target = find_runner(core.devices.runners(), to_string(device));
  if (target == nullptr) {
    return usage_error(
        fmt::format("[to] this session has no {}; it has {}", to_string(device), device_names(core.devices.runners())));
  }
  const Result<int64_t> size_bytes = core.relocate(cells, *target);
  if (!size_bytes) return size_bytes.error();
  return Moved{this, *size_bytes};
}

Result<Module::Moved> Module::to(std::string_view device) {
  const Result<Device> parsed = parse_device(device);
  if (!parsed) return usage_error("[to] " + parsed.error().message);
  return to(*parsed);
}

// ---- modules

namespace {

Variable uniform(EagerSession& session, Shape shape, int64_t inputs) {
  const double bound = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(inputs, 1)));
  return make_variable(session, TensorType::contiguous(DType::float32, std::move(shape)),
                       Fill{Fill::Kind::uniform, -bound, bound},
                       /*requires_grad=*/true);
}

}  // namespace

Linear::Linear(EagerSession& session, int64_t inputs, int64_t outputs)
    : weight_(add_parameter("weight", uniform(session, {outputs, inputs}, inputs))),
      bias_(add_parameter("bias", uniform(session, {outputs}, inputs))) {}

Variable Linear::forward(const Variable& x) {
  const std::array operands{x, weight_, bias_};
  return engine::apply(operands, [](GraphBuilder& builder, std::span<const ValueId> values) {
    return std::vector{ops::linear(builder, values[0], values[1], values[2])};
  })[0];
}

Sequential::Sequential(std::vector<std::unique_ptr<Module>> modules) {
  for (auto& module : modules) order_.push_back(&add_module(std::to_string(order_.size()), std::move(module)));
}

Variable Sequential::forward(const Variable& x) {
  Variable y = x;
  for (Module* module : order_) y = module->forward(y);
  return y;
}

}  // namespace engine
