// SPDX-License-Identifier: Apache-2.0
// How much of the catalog the GPU computes: every op of every workload in each of its variants, plain and fused, has a
// CUDA kernel that takes its types, or stands in a short list with the reason why not.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "engine/cuda/kernels.h"
#include "engine/ops/fusion.h"
#include "engine/ops/ops.h"
#include "engine/workloads/workload.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

/// Ops of workloads that the GPU does not compute, and why that is as it should be.
const std::map<std::string, std::string, std::less<>> kWithout{
    {"quantize_linear", "of weights that train in 8 bits (half_training), a study of rounding on the processor"},
    {"dequantize_linear", "as quantize_linear"},
    {"ladder_product", "shows loops of a processor, one rung after the other; a GPU's product is gemm"},
    {"lstm", "one op for a whole sequence; --set steps=unrolled runs the same network step by step"},
    {"lstm_grad", "as lstm"},
    {"solve", "LAPACK's: cuSOLVER is not among our libraries"},
    {"inverse", "as solve"},
    {"determinant", "as solve"},
    {"cholesky", "as solve"},
    {"eigh", "as solve"},
    {"svd", "as solve"},
    {"qr", "as solve"},
    {"dynamic_quantize_linear", "8-bit products for processors: GPUs have other formats for inference"},
    {"matmul_integer", "as dynamic_quantize_linear"},
    {"expert_linear",
     "experts that the data chooses, on the processor so far: their sizes are known to the device alone"},
    {"top_k", "of routers; as expert_linear"},
    {"gather_elements", "as top_k"},
    {"one_hot", "as top_k"},
    {"mixed_linear", "weights in blocks as processors multiply them: GPUs have other formats for inference"},
};

bool has_kernel(const Graph& graph, const Node& node) {
  if (node.op->view != nullptr) return true;
  const auto inputs = graph.input_types(node), outputs = graph.output_types(node);
  const Call call{node.attributes, inputs, outputs};
  for (const cuda::Kernel& kernel : cuda::kernels()) {
    if (kernel.op == node.op->name && kernel.takes(node, call)) return true;
  }
  return false;
}

/// The small size, and from there each choice of each parameter alone and each mode with bf16.
std::vector<Arguments> variants(const Workload& workload) {
  std::vector<Arguments> all{workload.small};
  const Parameter *mode = nullptr, *dtype = nullptr;
  for (const Parameter& parameter : workload.parameters) {
    if (parameter.name == "mode") mode = &parameter;
    if (parameter.name == "dtype") dtype = &parameter;
    for (const std::string& choice : parameter.choices) {
      all.push_back(workload.small);
      all.back()[parameter.name] = choice;
    }
  }
  if (mode == nullptr || dtype == nullptr) return all;
  for (const std::string& m : mode->choices) {  // 16-bit training casts, which f32 does not
    all.push_back(workload.small);
    all.back()["mode"] = m;
    all.back()["dtype"] = "bf16";
  }
  return all;
}

TEST(CudaCoverage, EveryOpOfEveryWorkloadHasAKernelOrAReason) {
  std::set<std::string, std::less<>> used;
  for (const Workload& workload : workloads()) {
    for (const Arguments& given : variants(workload)) {
      const auto arguments = resolve(workload, given);
      if (!arguments.ok()) continue;
      const auto graph = build_graph(workload, *arguments);
      if (!graph.ok()) continue;  // a choice that excludes another
      const Graph fused = fuse(*graph);
      for (const Graph* g : {&*graph, &fused}) {
        for (const Node& node : g->nodes()) {
          if (has_kernel(*g, node)) continue;
          const auto reason = kWithout.find(node.op->name);
          EXPECT_NE(reason, kWithout.end())
              << workload.name << ": " << node.op->name << " of "
              << (node.inputs.empty() ? "nothing" : to_string(g->value(node.inputs[0]).type));
          used.emplace(node.op->name);
        }
      }
    }
  }
  for (const auto& [op, reason] : kWithout)
    EXPECT_TRUE(used.contains(op)) << op << " is excused, though no workload lacks its kernel";
}

TEST(CudaCoverage, FewOpsRunOnTheCpuAlone) {
  constexpr size_t kMost = 41;  // 33 of 232 when this was written: linear algebra, recurrent, quantized, some indexing
  std::set<std::string, std::less<>> listed;
  for (const cuda::Kernel& kernel : cuda::kernels()) listed.emplace(kernel.op);
  std::string names;
  size_t without = 0;
  for (const Op* op : op_catalog()) {
    if (op->view != nullptr || listed.contains(op->name)) continue;
    ++without;
    names += std::string(op->name) + " ";
  }
  EXPECT_LE(without, kMost) << "of " << op_catalog().size() << " ops these have no CUDA kernel: " << names;
}

}  // namespace
