// SPDX-License-Identifier: Apache-2.0
// A build without oneDNN: it has no kernels, and nobody gets as far as asking it to compute.
#include "engine/base/check.h"
#include "engine/kernels/convolution/batch_norm_fold.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/gemm/matmul_choice.h"
#include "engine/kernels/gemm/products.h"
#include "engine/kernels/recurrent/recurrent.h"

namespace engine::cpu {

std::span<const Kernel> onednn_kernels() { return {}; }
std::shared_ptr<DnnlRuntime> make_dnnl_runtime() { return nullptr; }
bool has_onednn() { return false; }
std::string onednn_version() { return {}; }
bool onednn_convolves(Context&, const Node&, const Call&) { return false; }
bool dnnl_has_bf16() { return false; }
bool onednn_lacked_memory() { throw; }

std::unique_ptr<PreparedOp> prepare_transposition(Context&, const Tensor&, const Tensor&) { return nullptr; }
std::unique_ptr<PreparedOp> prepare_dnnl_matmul(Context&, const PrepareRequest&) { return nullptr; }
int64_t dnnl_matmul_workspace(Context&, const Node&, const Call&) { return 0; }
FoldedConvolutionCall prepare_folded_convolution(Context& context, const FusedProgram& program,
                                                 const PrepareRequest& request, Finish finish) {
  return prepare_folded_winograd(context, program, request, finish);
}
int64_t folded_convolution_workspace(Context&, const FusedProgram&, const Call&) { return 0; }
std::unique_ptr<PackedProduct> PackedProduct::make(Context&, const Shape&) { return nullptr; }
void dnnl_product(int64_t, int64_t, int64_t, float, const ProductOperand<float>&, const ProductOperand<float>&, float,
                  float*, int64_t) {
  CHECK(has_onednn());
}

}  // namespace engine::cpu
