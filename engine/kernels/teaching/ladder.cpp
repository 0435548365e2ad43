// SPDX-License-Identifier: Apache-2.0
// ladder_product: which loops a rung names. The last rungs are our own matrix product, on one thread and on all.
#include <fmt/format.h>

#include <array>
#include <string>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/teaching/ladder_rungs.h"

namespace engine::cpu {
namespace {

template <class T>
VectorLadder<T> vector_ladder() {
  if constexpr (sizeof(T) == sizeof(float)) {
    return vector_ladder_f32();
  } else {
    return vector_ladder_f64();
  }
}

/// One thread, one loop nest.
template <class T>
class LoopOp final : public PreparedOp {
 public:
  LoopOp(LadderLoop<T> loop, const LadderProblem<T>& problem, std::string name)
      : loop_(loop), problem_(problem), name_(std::move(name)) {}
  void run() override { loop_(problem_); }
  KernelFacts facts() const override { return {.name = name_}; }

 private:
  LadderLoop<T> loop_;
  LadderProblem<T> problem_;
  std::string name_;
};

/// A product, then the sigmoid of what it gave.
class WithSigmoid final : public PreparedOp {
 public:
  WithSigmoid(std::unique_ptr<PreparedOp> product, Tensor c) : product_(std::move(product)), c_(std::move(c)) {}
  void run() override {
    product_->run();
    const int64_t count = c_.type().elements();
    if (c_.dtype() == DType::float32) scalar_sigmoid(c_.data_as<float>(), count);
    else scalar_sigmoid(c_.data_as<double>(), count);
  }
  KernelFacts facts() const override {
    return joined(std::array{product_->facts(), KernelFacts{.name = "sigmoid"}}, ", then ");
  }

 private:
  std::unique_ptr<PreparedOp> product_;
  Tensor c_;
};

/// Dense rows one behind the other, perhaps with gaps between them.
bool rows_in_order(const Shape& shape, const Strides& strides) {
  return (shape[1] <= 1 || strides[1] == 1) && (shape[0] <= 1 || strides[0] >= shape[1]);
}

template <class T>
std::unique_ptr<PreparedOp> prepare_loop(const KernelArguments& arguments, const Attributes& attributes,
                                         const std::string& rung) {
  const Tensor &a = arguments.inputs[0], &b = arguments.inputs[1], &c = arguments.outputs[0];
  const LadderProblem<T> problem{.a = a.data_as<T>(),
                                 .b = b.data_as<T>(),
                                 .c = c.data_as<T>(),
                                 .m = c.shape()[0],
                                 .n = c.shape()[1],
                                 .k = a.shape()[1],
                                 .row_of_b = b.strides()[0],
                                 .tile = attributes.get_int("tile", 64),
                                 .sigmoid = attributes.get_int("sigmoid", 0) != 0};
  if (const LadderLoop<T> loop = scalar_ladder<T>(rung)) {
    const std::string tile = rung == "tiled" ? fmt::format(" by {}", problem.tile) : "";
    return std::make_unique<LoopOp<T>>(
        loop, problem, fmt::format("own ladder, {}{}: scalar, -fno-tree-vectorize, deliberately slow", rung, tile));
  }
  const VectorLadder<T> vectors = vector_ladder<T>();
  struct Width {
    const char *rung, *bits;
    LadderLoop<T> loop;
  };
  for (const Width& w :
       std::array{Width{"simd128", "128", vectors.tiled_128}, Width{"simd256", "256", vectors.tiled_256},
                  Width{"simd512", "512", vectors.tiled_512}}) {
    if (w.rung != rung || w.loop == nullptr) continue;
    return std::make_unique<LoopOp<T>>(
        w.loop, problem,
        fmt::format("own ladder, tiled by {}, {}-bit vectors ({})", problem.tile, w.bits, vector_unit()));
  }
  if (rung != "registers" || vectors.registers == nullptr) return nullptr;
  return std::make_unique<LoopOp<T>>(vectors.registers, problem,
                                     fmt::format("own ladder, c in registers ({})", vector_unit()));
}

std::unique_ptr<PreparedOp> prepare_ladder(Context& context, const PrepareRequest& request) {
  const Tensor& c = request.arguments.outputs[0];
  const DType dtype = c.dtype();
  if (dtype != DType::float32 && dtype != DType::float64) return nullptr;
  const Tensor &a = request.arguments.inputs[0], &b = request.arguments.inputs[1];
  if (!is_contiguous(a.shape(), a.strides()) || !rows_in_order(b.shape(), b.strides())) return nullptr;
  const Attributes& attributes = request.node.attributes;
  const std::string rung = attributes.get_string("rung", "naive");
  if (rung == "packed" || rung == "threaded") {
    std::unique_ptr<PreparedOp> product = prepare_own_matmul(rung == "packed" ? 1 : context.threads, request);
    if (product == nullptr || attributes.get_int("sigmoid", 0) == 0) return product;
    return std::make_unique<WithSigmoid>(std::move(product), c);
  }
  return dtype == DType::float32 ? prepare_loop<float>(request.arguments, attributes, rung)
                                 : prepare_loop<double>(request.arguments, attributes, rung);
}

}  // namespace

std::span<const Kernel> ladder_kernels() {
  static constexpr Kernel kKernels[] = {{"ladder_product", prepare_ladder, own_matmul_workspace}};
  return kKernels;
}

}  // namespace engine::cpu
