// SPDX-License-Identifier: Apache-2.0
// mixed_linear: one matrix, whose rows the threads share.
#include "engine/kernels/gemm/mixed_linear.h"

#include <memory>

#include "engine/kernels/core/parallel.h"
#include "engine/kernels/gemm/gemm_simd.h"
#include "engine/kernels/gemm/mixed_products.h"

namespace engine::cpu {
namespace {

MixedProducts products_of(const TensorType& x, const TensorType& w, bool blocks) {
  return {*mixed_format(w.dtype), x.shape.back(), blocks};
}
int64_t rows_of(const TensorType& x) { return x.shape.back() > 0 ? x.elements() / x.shape.back() : 0; }

class MixedLinear final : public PreparedOp {
 public:
  MixedLinear(const PrepareRequest& request, bool blocks, int threads)
      : tensors_(request.arguments),
        products_(products_of(tensors_.inputs[0].type(), tensors_.inputs[1].type(), blocks)),
        m_(rows_of(tensors_.inputs[0].type())),
        n_(tensors_.inputs[1].shape()[0]),
        k_(tensors_.inputs[0].shape().back()),
        threads_(threads),
        scratch_(request.workspace + products_.room_bytes(m_)),
        x_{tensors_.inputs[0].data_as<const float>(), request.workspace, m_} {}

  void run() override {
    if (const int64_t blocks = m_ * products_.blocks_in_row(); blocks > 0) {
      parallel_parts(threads_, blocks, 1, m_ * k_,
                     [&](int64_t begin, int64_t end) { products_.round(x_, m_, begin, end); });
    }
    auto* const y = tensors_.outputs[0].data_as<float>();
    const int64_t each = products_.scratch_bytes(m_);
    const double work = static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_);
    parallel_parts(threads_, n_, kFewestPanelRows, streaming_work(work), [&](int64_t begin, int64_t end) {
      products_.multiply(x_, 0, m_, weights(begin, end), y + begin, n_, scratch_ + team_member() * each);
    });
  }
  KernelFacts facts() const override {
    return {.name = products_.kernel_name(m_),
            .format = products_.product_format(m_),
            .own_gemm = !MixedProducts::streams(m_)};
  }

 private:
  MixedWeights weights(int64_t begin, int64_t end) const {
    const int64_t blocks = products_.blocks_in_row();
    const uint16_t* scales = blocks > 0 ? tensors_.inputs[2].data_as<const uint16_t>() + begin * blocks : nullptr;
    return {tensors_.inputs[1].data() + begin * products_.weight_row_bytes(), scales, end - begin};
  }

  KernelArguments tensors_;
  MixedProducts products_;
  int64_t m_, n_, k_;
  int threads_;
  std::byte* scratch_;
  MixedProducts::Rows x_;
};

bool dense(const TensorType& type) { return is_contiguous(type.shape, type.strides); }

bool takes(const TensorType& x, const TensorType& w, const TensorType* scales) {
  return x.dtype == DType::float32 && mixed_format(w.dtype).has_value() && x.elements() > 0 && w.shape[0] > 0 &&
         dense(x) && dense(w) && (scales == nullptr || (scales->dtype == DType::float16 && dense(*scales))) &&
         gemm_loops_f32().multiply != nullptr && x.elements() <= INT32_MAX;
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_mixed_linear(Context& context, const PrepareRequest& request) {
  const auto& in = request.arguments.inputs;
  const bool blocks = in.size() > 2;
  if (!takes(in[0].type(), in[1].type(), blocks ? &in[2].type() : nullptr) ||
      !dense(request.arguments.outputs[0].type()))
    return nullptr;
  return std::make_unique<MixedLinear>(request, blocks, context.threads);
}

int64_t mixed_linear_workspace(Context& context, const Node& /*node*/, const Call& call) {
  const TensorType &x = call.inputs[0], &w = call.inputs[1];
  const bool blocks = call.inputs.size() > 2;
  if (!takes(x, w, blocks ? &call.inputs[2] : nullptr)) return 0;
  const MixedProducts products = products_of(x, w, blocks);
  return products.room_bytes(rows_of(x)) + products.scratch_bytes(rows_of(x)) * context.threads;
}

}  // namespace engine::cpu
