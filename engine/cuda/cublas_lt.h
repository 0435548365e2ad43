// SPDX-License-Identifier: Apache-2.0
// cuBLASLt, opened by name when it is on the machine: a table of its functions, one handle, and products made ready
// with it.
#pragma once

#include <cublasLt.h>

#include <memory>
#include <optional>
#include <string>

#include "engine/base/library_search.h"
#include "engine/cuda/product.h"

namespace engine::cuda {

/// The functions we call, with the types of the header they were compiled against.
struct CublasLtFunctions {
  decltype(&::cublasLtCreate) create = nullptr;
  decltype(&::cublasLtDestroy) destroy = nullptr;
  decltype(&::cublasLtGetVersion) version = nullptr;
  decltype(&::cublasLtMatmul) matmul = nullptr;
  decltype(&::cublasLtMatmulDescCreate) describe = nullptr;
  decltype(&::cublasLtMatmulDescDestroy) forget = nullptr;
  decltype(&::cublasLtMatmulDescSetAttribute) set_description = nullptr;
  decltype(&::cublasLtMatrixLayoutCreate) lay_out = nullptr;
  decltype(&::cublasLtMatrixLayoutDestroy) forget_layout = nullptr;
  decltype(&::cublasLtMatrixLayoutSetAttribute) set_layout = nullptr;
  decltype(&::cublasLtMatmulPreferenceCreate) prefer = nullptr;
  decltype(&::cublasLtMatmulPreferenceDestroy) forget_preference = nullptr;
  decltype(&::cublasLtMatmulPreferenceSetAttribute) set_preference = nullptr;
  decltype(&::cublasLtMatmulAlgoGetHeuristic) choose = nullptr;
  decltype(&::cublasLtMatmulAlgoConfigGetAttribute) algorithm = nullptr;
};

class CublasLt {
 public:
  /// See search_cublas_lt(). Null when it is not there or does not start; `why` then says so.
  static std::shared_ptr<CublasLt> open(std::string& why);
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  const CublasLtFunctions& functions() const { return functions_; }
  cublasLtHandle_t handle() const { return handle_; }
  /// "cuBLASLt 13.1.0".
  std::string name() const;
  /// Where it was looked for and what was found; starts nothing.
  static LibraryReport report();

 private:
  CublasLt() = default;
  CublasLtFunctions functions_;
  cublasLtHandle_t handle_ = nullptr;
};

/// One matrix of a product as cuBLASLt sees it: column-major with `leading` elements from column to column.
struct LtMatrix {
  int64_t rows = 0, columns = 0, leading = 0;
  bool transposed = false;  ///< as an operand
};

/// c^T = b^T a^T, column-major: x = b, y = a, d = c.
struct LtShape {
  LtMatrix x, y, d;
  int64_t batch = 1, x_step = 0, y_step = 0, d_step = 0;
};
/// How cuBLASLt can be told of a product; nothing where its strides cannot be said (neither axis is dense, more than
/// one batch axis, a dtype that is none of its). Pure arithmetic.
std::optional<LtShape> lt_shape(const Product&);
/// The part of it that tells of the result and the batch, whatever strides the operands have: they are copied.
std::optional<LtShape> lt_result_shape(const Product&);

/// What cuBLASLt is given as scratch: 32 MiB from Hopper on, else 4 MiB, as NVIDIA recommends.
int64_t lt_workspace_bytes(int capability);
/// Its scratch must begin at a multiple of this.
inline constexpr int64_t kLtAlignment = 256;

/// For measurements: a number k in this environment variable takes the k-th of the algorithms that the heuristic names,
/// 0 the first, as is used without it.
inline constexpr const char* kAlgorithmVariable = "TENSORTIDE_CUBLASLT_ALGORITHM";

/// Operands that are not the product's own: rounded copies with a scale.
struct LtOperands {
  const void *x = nullptr, *y = nullptr;
  cudaDataType_t x_type = CUDA_R_32F, y_type = CUDA_R_32F;
  const float *x_scale = nullptr, *y_scale = nullptr;  ///< on the GPU
  bool adds = false;                                   ///< to what stands in the result
  ProductFormat format = ProductFormat::as_it_is;
  std::string words;  ///< behind the algorithm in the kernel's name, for people
};

/// Where in an op's scratch cuBLASLt's begins.
std::byte* lt_scratch(const PrepareRequest&);

/// Null where cuBLASLt has no algorithm for it. Without `operands`: the product's own. `not_fp8`: KernelFacts::not_fp8,
/// which ends the kernel's name.
Result<std::unique_ptr<PreparedOp>> prepare_lt(Context&, const PrepareRequest&, const Product&, const LtShape&,
                                               const std::optional<LtOperands>& operands = std::nullopt,
                                               const std::string& not_fp8 = {});

}  // namespace engine::cuda
