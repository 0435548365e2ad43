// SPDX-License-Identifier: Apache-2.0
// How much of the catalog the GPU computes: which ops have no kernel, and which workloads therefore do not run there.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "engine/cuda/kernels.h"
#include "engine/ops/ops.h"
#include "engine/workloads/workload.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

std::set<std::string> ops_with_kernels() {
  std::set<std::string> listed;
  for (const cuda::Kernel& kernel : cuda::kernels()) listed.emplace(kernel.op);
  return listed;
}

/// Ops of the catalog that run on the CPU alone. The list only gets shorter: a new op either comes with a kernel, or is entered here.
TEST(CudaCoverage, OpsWithoutAKernelAreKnown) {
  const std::set<std::string> known{};
  const std::set<std::string> listed = ops_with_kernels();
  std::set<std::string> without;
  for (const Op* op : op_catalog()) {
    if (op->view == nullptr && !listed.contains(std::string(op->name))) without.emplace(op->name);
  }
  std::string names;
  for (const std::string& name : without) names += name + " ";
  EXPECT_EQ(without, known) << without.size() << " of " << op_catalog().size() << " ops have no CUDA kernel: " << names;
}

/// Every workload at its defaults: the first op that would be refused on a GPU.
TEST(CudaCoverage, WorkloadsRunButForThese) {
  const std::map<std::string, std::string> expected{};
  const std::set<std::string> listed = ops_with_kernels();
  std::map<std::string, std::string> refused;
  for (const Workload& workload : workloads()) {
    const auto arguments = resolve(workload, {});
    ASSERT_TRUE(arguments.ok()) << workload.name;
    const auto graph = build_graph(workload, *arguments);
    ASSERT_TRUE(graph.ok()) << workload.name << ": " << graph.error().message;
    for (const Node& node : graph->nodes()) {
      if (node.op->view != nullptr || listed.contains(std::string(node.op->name))) continue;
      refused.emplace(workload.name, node.op->name);
    }
  }
  EXPECT_EQ(refused, expected);
}

}  // namespace
