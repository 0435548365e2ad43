// SPDX-License-Identifier: Apache-2.0
// Local response normalisation and its gradient; their loops are those of response_norm_loops.h.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/norms/response_norm-inl.h"

namespace engine::cpu {
namespace {

/// batch == 0: another type, or another shape.
loops::ResponseShape shape_of(const TensorType& type) {
  return type.dtype == DType::float32 ? loops::ResponseShape::of(type.shape, type.strides) : loops::ResponseShape{};
}

class ResponseNormOp final : public PreparedOp {
 public:
  ResponseNormOp(const PrepareRequest& request, const loops::ResponseShape& shape, int threads)
      : in_(request.arguments.inputs),
        y_(request.arguments.outputs[0]),
        shape_(shape),
        threads_(threads),
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {
    const Attributes& a = request.node.attributes;
    const int64_t size = a.get_int("size", 5);
    settings_ = {.alpha = static_cast<float>(a.get_double("alpha", 1e-4) / static_cast<double>(size)),
                 .beta = static_cast<float>(a.get_double("beta", 0.75)),
                 .bias = static_cast<float>(a.get_double("bias", 1))};
    shape_.set_size(size);
    shape_.gradient = in_.size() == 2;
    scratch_.resize(static_cast<size_t>(shape_.scratch_elements() * threads));
  }
  void run() override {
    parallel_for(threads_, shape_.pieces(),
                 shape_.batch * shape_.channels * shape_.pixels * (shape_.before + shape_.after + 8),
                 [&](int64_t piece) {
                   const ResponseParts<> parts{{},
                                               loops_,
                                               settings_,
                                               in_.back().data_as<const float>(),
                                               in_[0].data_as<const float>(),
                                               y_.data_as<float>(),
                                               scratch_.data() + shape_.scratch_elements() * team_member()};
                   loops::response_piece(shape_, piece, parts);
                 });
  }
  KernelFacts facts() const override { return {.name = name_}; }

 private:
  std::vector<Tensor> in_;
  Tensor y_;
  loops::ResponseShape shape_;
  int threads_;
  ResponseSettings settings_{};
  std::vector<float> scratch_;
  std::string name_;
  ResponseLoops loops_ = response_loops();
};

/// f32, channels last (rank 4) or row-major.
std::unique_ptr<PreparedOp> prepare_response_norm(Context& context, const PrepareRequest& request) {
  const loops::ResponseShape shape = shape_of(request.arguments.outputs[0].type());
  if (shape.batch == 0) return nullptr;
  for (const Tensor& tensor : request.arguments.inputs) {
    const loops::ResponseShape other = shape_of(tensor.type());
    if (other.batch != shape.batch || other.channels_last != shape.channels_last) return nullptr;
  }
  return std::make_unique<ResponseNormOp>(request, shape, context.threads);
}

}  // namespace

std::span<const Kernel> response_norm_kernels() {
  static constexpr Kernel kKernels[] = {
      {"local_response_norm", prepare_response_norm},
      {"local_response_norm_grad", prepare_response_norm},
  };
  return kKernels;
}

}  // namespace engine::cpu
