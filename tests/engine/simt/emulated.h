// SPDX-License-Identifier: Apache-2.0
// What tests of the emulated GPU share: a backend on it, and the weights of a network after some steps there.
#pragma once

#include <gtest/gtest.h>

#include "engine/cuda/backend.h"
#include "engine/runtime/plan.h"
#include "engine/simt/device.h"
#include "engine/tensor/device_name.h"
#include "engine/workloads/workload.h"
#include "tests/support/op_examples.h"

namespace test {

/// A backend on a device that is as new.
inline std::unique_ptr<engine::Backend> make_emulated(engine::simt::Pace pace,
                                                      engine::ModuleBackendOptions options = {}) {
  engine::simt::Device::the().reset(pace);
  auto backend = engine::cuda::make_backend_on(engine::simt::describe(), options, engine::simt::kNoLibraries);
  EXPECT_TRUE(backend.ok()) << backend.error().message;
  return backend.ok() ? *std::move(backend) : nullptr;
}

/// A workload in its smallest size, with some arguments of one's own.
inline std::shared_ptr<const engine::Graph> graph_of(const std::string& workload, const engine::Arguments& given) {
  const auto found = engine::find_workload(workload);
  EXPECT_TRUE(found.ok());
  engine::Arguments all = (*found)->small;
  for (const auto& [key, value] : given) all[key] = value;
  const auto arguments = engine::resolve(**found, all);
  EXPECT_TRUE(arguments.ok()) << arguments.error().message;
  auto graph = engine::build_graph(**found, *arguments);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return std::make_shared<const engine::Graph>(*std::move(graph));
}

/// Parameters and outputs after some steps; `replay`: those behind the first are one launch each.
inline std::vector<std::vector<double>> values_after(engine::Backend& backend,
                                                     const std::shared_ptr<const engine::Graph>& graph, uint32_t steps,
                                                     bool replay = false) {
  auto plan = engine::Plan::make(graph, backend);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  if (!plan.ok()) return {};
  for (uint32_t step = 0; step < steps; ++step) {
    if (replay && step == 1) {
      const auto noted = (*plan)->replay(nullptr);
      EXPECT_TRUE(noted.ok()) << noted.error().message;
    }
    (*plan)->run_step(step, nullptr);
  }
  backend.synchronize();
  if (engine::is_gpu(backend.info().device)) {
    const auto health = engine::cuda::health(backend);
    EXPECT_TRUE(health.ok()) << health.error().message;
  }
  std::vector<std::vector<double>> values;
  const auto fetch = [&](engine::ValueId id) {
    const engine::Tensor host = make_tensor((*plan)->tensor(id).type());
    const auto copied = backend.copy((*plan)->tensor(id), host);
    EXPECT_TRUE(copied.ok()) << copied.error().message;
    values.push_back(test::values(host));
  };
  for (const engine::Value& value : graph->values()) {
    if (value.kind == engine::ValueKind::parameter) fetch(value.id);
  }
  for (const engine::ValueId output : graph->outputs()) fetch(output);
  return values;
}

}  // namespace test
