// SPDX-License-Identifier: Apache-2.0
// How much of the catalog the GPU computes: which ops have no kernel, and which workloads therefore do not run there.
#include <gtest/gtest.h>

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

TEST(CudaCoverage, FewOpsRunOnTheCpuAlone) {
  constexpr size_t kMost = 40;  // 33 of 230 when this was written: linear algebra, recurrent, quantized, some indexing
  const std::set<std::string> listed = ops_with_kernels();
  std::string names;
  size_t without = 0;
  for (const Op* op : op_catalog()) {
    if (op->view != nullptr || listed.contains(std::string(op->name))) continue;
    ++without;
    names += std::string(op->name) + " ";
  }
  RecordProperty("ops_without_kernel", names);
  EXPECT_LE(without, kMost) << "of " << op_catalog().size() << " ops these have no CUDA kernel: " << names;
}

/// At their defaults, with training where that is the default.
TEST(CudaCoverage, TheseWorkloadsRun) {
  const std::set<std::string> listed = ops_with_kernels();
  for (const char* name : {"stream", "launch", "gemm", "mlp", "alexnet", "vgg", "inception", "resnet50", "resnet56", "squeezenet", "densenet",
                           "mobilenet", "attention", "transformer", "gpt", "embedding_bag", "im2col", "tree", "half_training", "jacobian"}) {
    const auto workload = find_workload(name);
    ASSERT_TRUE(workload.ok()) << name;
    const auto arguments = resolve(**workload, {});
    ASSERT_TRUE(arguments.ok()) << name;
    const auto graph = build_graph(**workload, *arguments);
    ASSERT_TRUE(graph.ok()) << name << ": " << graph.error().message;
    for (const Node& node : graph->nodes()) {
      EXPECT_TRUE(node.op->view != nullptr || listed.contains(std::string(node.op->name))) << name << ": " << node.op->name;
    }
  }
}

}  // namespace
