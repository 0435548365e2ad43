// SPDX-License-Identifier: Apache-2.0
// Ops that show a machine, made ready; round_trip, which copies, is its own PreparedOp.
#include "engine/cuda/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/cuda/kernels.h"

namespace engine::cuda {
namespace {

PreparedKernel prepare_chain(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  const Attributes& attributes = request.node.attributes;
  const auto walk = make_walk<2>(y.shape(), {y.strides(), x.strides()});
  if (!walk) return refuse(request, "the operands have more than 8 axes that cannot be merged");
  MultiplyAddChain work;
  work.arithmetic = x.dtype() == DType::float64 ? Arithmetic::float64 : Arithmetic::float32;
  work.x = Data(x);
  work.y = Data(y);
  work.walk = *walk;
  work.rounds = attributes.get_int("rounds", 1);
  work.chains = static_cast<int>(std::bit_floor(static_cast<uint64_t>(attributes.get_int("chains", 1))));
  work.factor = attributes.get_double("factor", 1);
  work.shift = attributes.get_double("shift", 0);
  return launched(context, request, fmt::format("own multiply_add_chain (CUDA), {} in flight per thread", work.chains),
                  [work](const Launcher& launcher) { return launch(launcher, work); });
}

PreparedKernel prepare_chase(Context& context, const PrepareRequest& request) {
  const Tensor& next = request.arguments.inputs[0];
  PointerChase work;
  work.next = Data(next);
  work.last = Data(request.arguments.outputs[0]);
  work.count = next.type().elements();
  work.stride = next.strides()[0];
  work.accesses = request.node.attributes.get_int("accesses", 0);
  return launched(context, request, KernelFacts{.name = "own pointer_chase (CUDA), one thread", .single_thread = true},
                  [work](const Launcher& launcher) { return launch(launcher, work); });
}

PreparedKernel prepare_divergent(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &path = request.arguments.inputs[1], &y = request.arguments.outputs[0];
  const auto walk = make_walk<3>(y.shape(), {y.strides(), x.strides(), path.strides()});
  if (!walk) return refuse(request, "the operands have more than 8 axes that cannot be merged");
  DivergentChain work;
  work.arithmetic = x.dtype() == DType::float64 ? Arithmetic::float64 : Arithmetic::float32;
  work.x = Data(x);
  work.path = Data(path);
  work.y = Data(y);
  work.walk = *walk;
  work.rounds = request.node.attributes.get_int("rounds", 1);
  work.paths = static_cast<int>(request.node.attributes.get_int("paths", 1));
  return launched(context, request, "own divergent_chain (CUDA), a branch per path",
                  [work](const Launcher& launcher) { return launch(launcher, work); });
}

}  // namespace

std::span<const Kernel> probe_kernels() {
  static constexpr Kernel kKernels[] = {
      {"multiply_add_chain", takes_floats, prepare_chain},
      {"pointer_chase", takes_any, prepare_chase},
      {"divergent_chain", takes_any, prepare_divergent},
      {"round_trip", takes_any, prepare_round_trip},
  };
  return kKernels;
}

}  // namespace engine::cuda
