// SPDX-License-Identifier: Apache-2.0
// The table of CUDA kernels, one line per family, and what their preparations share.
#include "engine/cuda/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace engine::cuda {
namespace {

class LaunchedOp final : public PreparedOp {
 public:
  LaunchedOp(Context& context, const PrepareRequest& request, KernelFacts facts,
             std::function<cudaError_t(const Launcher&)> launch)
      : context_(context),
        where_(fmt::format("[{}] {}", request.node.op->name, request.node.layer)),
        facts_(std::move(facts)),
        launch_(std::move(launch)) {}

  void run() override {
    if (!context_.launcher.on_host) context_.activate();
    const cudaError_t code = launch_(context_.launcher);
    if (code != cudaSuccess) context_.note(code, where_);
  }
  KernelFacts facts() const override { return facts_; }

 private:
  Context& context_;
  const std::string where_;
  const KernelFacts facts_;
  const std::function<cudaError_t(const Launcher&)> launch_;
};

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> all;
  for (const std::span<const Kernel> family : {
           along_axis_kernels(),
           attention_kernels(),
           convolution_kernels(),
           copy_kernels(),
           elementwise_kernels(),
           fused_kernels(),
           gather_kernels(),
           load_kernels(),
           norm_kernels(),
           pooling_kernels(),
           probe_kernels(),
           product_kernels(),
           reduce_kernels(),
           update_kernels(),
           window_kernels(),
       }) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace

std::span<const Kernel> kernels() {
  static const std::vector<Kernel> all = all_kernels();
  return all;
}

bool takes_any(const Node&, const Call&) { return true; }

bool takes_floats(const Node&, const Call& call) {
  const auto floating = [](const TensorType& type) { return is_floating(type.dtype); };
  return std::ranges::all_of(call.inputs, floating) && std::ranges::all_of(call.outputs, floating);
}

PreparedKernel launched(Context& context, const PrepareRequest& request, KernelFacts facts,
                        std::function<cudaError_t(const Launcher&)> launch) {
  return std::unique_ptr<PreparedOp>(
      std::make_unique<LaunchedOp>(context, request, std::move(facts), std::move(launch)));
}

PreparedKernel launched(Context& context, const PrepareRequest& request, std::string kernel_name,
                        std::function<cudaError_t(const Launcher&)> launch) {
  return launched(context, request, KernelFacts{.name = std::move(kernel_name)}, std::move(launch));
}

Error refuse(const PrepareRequest& request, std::string_view why) {
  return refused_error(fmt::format("[{}] {}: {}", request.node.op->name, request.node.layer, why));
}

}  // namespace engine::cuda
