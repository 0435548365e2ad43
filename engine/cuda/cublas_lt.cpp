// SPDX-License-Identifier: Apache-2.0
// Opens cuBLASLt, describes products to it, keeps the algorithm its heuristic names.
#include "engine/cuda/cublas_lt.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "engine/cuda/fp8.h"
#include "engine/cuda/libraries.h"

namespace engine::cuda {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool load(void* library, CublasLtFunctions& f) {
  return find(library, "cublasLtCreate", f.create) && find(library, "cublasLtDestroy", f.destroy) &&
         find(library, "cublasLtGetVersion", f.version) && find(library, "cublasLtMatmul", f.matmul) &&
         find(library, "cublasLtMatmulDescCreate", f.describe) &&
         find(library, "cublasLtMatmulDescDestroy", f.forget) &&
         find(library, "cublasLtMatmulDescSetAttribute", f.set_description) &&
         find(library, "cublasLtMatrixLayoutCreate", f.lay_out) &&
         find(library, "cublasLtMatrixLayoutDestroy", f.forget_layout) &&
         find(library, "cublasLtMatrixLayoutSetAttribute", f.set_layout) &&
         find(library, "cublasLtMatmulPreferenceCreate", f.prefer) &&
         find(library, "cublasLtMatmulPreferenceDestroy", f.forget_preference) &&
         find(library, "cublasLtMatmulPreferenceSetAttribute", f.set_preference) &&
         find(library, "cublasLtMatmulAlgoGetHeuristic", f.choose) &&
         find(library, "cublasLtMatmulAlgoConfigGetAttribute", f.algorithm);
}

cudaDataType_t data_type(DType dtype) {
  switch (dtype) {
    case DType::float64: return CUDA_R_64F;
    case DType::bfloat16: return CUDA_R_16BF;
    case DType::float16: return CUDA_R_16F;
    default: return CUDA_R_32F;
  }
}

/// The product's own operands, read as they are.
LtOperands own_operands(const Product& product, bool tf32) {
  LtOperands own;
  own.x = product.b.bytes;
  own.y = product.a.bytes;
  own.x_type = own.y_type = data_type(product.c.dtype);
  if (product.c.dtype == DType::float32 && tf32) own.format = ProductFormat::tf32, own.words = " tf32";
  return own;
}

/// Handles to what cuBLASLt has made for one product, destroyed with it.
class LtOp final : public PreparedOp {
 public:
  LtOp(Context& context, const PrepareRequest& request, const Product& product, LtOperands operands,
       const std::string& not_fp8)
      : context_(context),
        where_(fmt::format("[{}] {}", request.node.op->name, request.node.layer)),
        product_(product),
        operands_(std::move(operands)),
        workspace_(lt_scratch(request)),
        lt_(context.cublas_lt) {
    facts_ = {.library = KernelLibrary::cublas, .format = operands_.format, .not_fp8 = not_fp8};
  }
  ~LtOp() override {
    const CublasLtFunctions& f = lt_->functions();
    if (description_ != nullptr) f.forget(description_);
    for (const cublasLtMatrixLayout_t layout : {x_, y_, d_}) {
      if (layout != nullptr) f.forget_layout(layout);
    }
  }
  LtOp(const LtOp&) = delete;
  LtOp& operator=(const LtOp&) = delete;

  void run() override {
    context_.activate();
    const bool wide = product_.c.dtype == DType::float64;
    const void* one = wide ? static_cast<const void*>(&kOneDouble) : &kOne;
    const void* kept = operands_.adds ? one : wide ? static_cast<const void*>(&kZeroDouble) : &kZero;
    const cublasStatus_t status = lt_->functions().matmul(
        lt_->handle(), description_, one, operands_.x, x_, operands_.y, y_, kept, product_.c.bytes, d_,
        product_.c.bytes, d_, &chosen_.algo, workspace_, chosen_.workspaceSize, context_.launcher.stream);
    if (status != CUBLAS_STATUS_SUCCESS) {
      context_.note(cudaErrorLaunchFailure, fmt::format("{}: cuBLASLt status {}", where_, static_cast<int>(status)));
    }
  }
  KernelFacts facts() const override { return facts_; }

  /// False: cuBLASLt has no algorithm for this.
  bool resolve(const LtShape& shape, int64_t workspace_bytes);

 private:
  bool describe(const LtShape& shape);
  bool lay_out(cublasLtMatrixLayout_t& layout, cudaDataType_t type, const LtMatrix& matrix, int64_t batch,
               int64_t step) const;
  std::string name_algorithm() const;

  static constexpr float kOne = 1, kZero = 0;
  static constexpr double kOneDouble = 1, kZeroDouble = 0;
  Context& context_;
  const std::string where_;
  const Product product_;
  const LtOperands operands_;
  std::byte* const workspace_;
  const std::shared_ptr<CublasLt> lt_;
  cublasLtMatmulDesc_t description_ = nullptr;
  cublasLtMatrixLayout_t x_ = nullptr, y_ = nullptr, d_ = nullptr;
  cublasLtMatmulHeuristicResult_t chosen_{};
  KernelFacts facts_;
};

bool LtOp::lay_out(cublasLtMatrixLayout_t& layout, cudaDataType_t type, const LtMatrix& matrix, int64_t batch,
                   int64_t step) const {
  const CublasLtFunctions& f = lt_->functions();
  const auto rows = static_cast<uint64_t>(matrix.rows), columns = static_cast<uint64_t>(matrix.columns);
  if (f.lay_out(&layout, type, rows, columns, matrix.leading) != CUBLAS_STATUS_SUCCESS) return false;
  if (batch == 1) return true;
  const auto count = static_cast<int32_t>(batch);
  return f.set_layout(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count) == CUBLAS_STATUS_SUCCESS &&
         f.set_layout(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step) == CUBLAS_STATUS_SUCCESS;
}

bool LtOp::describe(const LtShape& shape) {
  const CublasLtFunctions& f = lt_->functions();
  const DType dtype = product_.c.dtype;
  const bool wide = dtype == DType::float64;
  const cublasComputeType_t compute = wide ? CUBLAS_COMPUTE_64F
                                      : dtype == DType::float32 && operands_.x_scale == nullptr && context_.tf32
                                          ? CUBLAS_COMPUTE_32F_FAST_TF32
                                          : CUBLAS_COMPUTE_32F;
  if (f.describe(&description_, compute, wide ? CUDA_R_64F : CUDA_R_32F) != CUBLAS_STATUS_SUCCESS) return false;
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
    return f.set_description(description_, attribute, &value, sizeof value) == CUBLAS_STATUS_SUCCESS;
  };
  const cublasOperation_t x = shape.x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                          y = shape.y.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  if (!set(CUBLASLT_MATMUL_DESC_TRANSA, x) || !set(CUBLASLT_MATMUL_DESC_TRANSB, y)) return false;
  if (product_.bias.bytes != nullptr) {
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
    const void* bias = product_.bias.bytes;
    if (!set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue) || !set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias)) return false;
  }
  if (operands_.x_scale != nullptr && (!set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, operands_.x_scale) ||
                                       !set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, operands_.y_scale))) {
    return false;
  }
  return lay_out(x_, operands_.x_type, shape.x, shape.batch, shape.x_step) &&
         lay_out(y_, operands_.y_type, shape.y, shape.batch, shape.y_step) &&
         lay_out(d_, data_type(dtype), shape.d, shape.batch, shape.d_step);
}

int wanted_algorithm() {
  constexpr int kMost = 255;
  const char* text = std::getenv(kAlgorithmVariable);
  return text == nullptr ? 0 : std::clamp(std::atoi(text), 0, kMost);
}

bool LtOp::resolve(const LtShape& shape, int64_t workspace_bytes) {
  if (!describe(shape)) return false;
  const CublasLtFunctions& f = lt_->functions();
  cublasLtMatmulPreference_t preference = nullptr;
  if (f.prefer(&preference) != CUBLAS_STATUS_SUCCESS) return false;
  const auto bytes = static_cast<uint64_t>(workspace_bytes);
  bool set = f.set_preference(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes) ==
             CUBLAS_STATUS_SUCCESS;
  const auto align = [&](cublasLtMatmulPreferenceAttributes_t attribute, const void* address) {
    constexpr uintptr_t kMost = 256;  // what it takes for granted
    const auto bits = reinterpret_cast<uintptr_t>(address) | kMost;
    const auto alignment = static_cast<uint32_t>(bits & (~bits + 1));
    set = set && f.set_preference(preference, attribute, &alignment, sizeof alignment) == CUBLAS_STATUS_SUCCESS;
  };
  align(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, operands_.x);
  align(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, operands_.y);
  align(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, product_.c.bytes);
  align(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, product_.c.bytes);
  if (context_.deterministic) {  // parts of a sum may otherwise be joined as they come
    const uint32_t none = CUBLASLT_REDUCTION_SCHEME_NONE;
    set = set && f.set_preference(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &none, sizeof none) ==
                     CUBLAS_STATUS_SUCCESS;
  }
  int found = 0;
  const int wanted = wanted_algorithm();
  std::vector<cublasLtMatmulHeuristicResult_t> named(static_cast<size_t>(wanted) + 1);
  const cublasStatus_t status =
      set ? f.choose(lt_->handle(), description_, x_, y_, d_, d_, preference, wanted + 1, named.data(), &found)
          : CUBLAS_STATUS_NOT_SUPPORTED;
  f.forget_preference(preference);
  if (status != CUBLAS_STATUS_SUCCESS || found <= wanted || named.back().state != CUBLAS_STATUS_SUCCESS) return false;
  chosen_ = named.back();
  facts_.name = name_algorithm() + not_fp8_words(facts_.not_fp8);
  return true;
}

std::string LtOp::name_algorithm() const {
  const auto read = [&](cublasLtMatmulAlgoConfigAttributes_t attribute) {
    int32_t value = -1;
    size_t written = 0;
    const bool known =
        lt_->functions().algorithm(&chosen_.algo, attribute, &value, sizeof value, &written) == CUBLAS_STATUS_SUCCESS;
    return known ? value : -1;
  };
  return fmt::format("{} algo {} tile {} stages {} split-k {} workspace {}{}", lt_->name(),
                     read(CUBLASLT_ALGO_CONFIG_ID), read(CUBLASLT_ALGO_CONFIG_TILE_ID),
                     read(CUBLASLT_ALGO_CONFIG_STAGES_ID), read(CUBLASLT_ALGO_CONFIG_SPLITK_NUM), chosen_.workspaceSize,
                     operands_.words);
}

}  // namespace

std::shared_ptr<CublasLt> CublasLt::open(std::string& why) {
  std::shared_ptr<CublasLt> lt(new CublasLt());
  const LibrarySearch search = search_cublas_lt([&lt](void* library) { return load(library, lt->functions_); });
  if (search.handle == nullptr) {
    why = search.why();
    return nullptr;
  }
  if (const cublasStatus_t status = lt->functions_.create(&lt->handle_); status != CUBLAS_STATUS_SUCCESS) {
    why = fmt::format("cuBLASLt does not start: status {}", static_cast<int>(status));
    return nullptr;
  }
  return lt;
}

CublasLt::~CublasLt() {
  if (handle_ != nullptr) functions_.destroy(handle_);
}

std::string CublasLt::name() const { return cublas_lt_name(functions_.version()); }

LibraryReport CublasLt::report() {
  CublasLtFunctions functions;
  return {"cuBLASLt",
          "pip install nvidia-cublas, or install cuBLAS 13 of the CUDA Toolkit; without it "
          "Tensortide's "
          "own kernels multiply matrices",
          search_cublas_lt([&functions](void* library) { return load(library, functions); })};
}

int64_t lt_workspace_bytes(int capability) { return capability >= 90 ? int64_t{32} << 20 : int64_t{4} << 20; }

namespace {

/// A matrix [rows, columns] with these strides, read column-major as [columns, rows]; the operand is that matrix
/// transposed, so a row-major one needs no transposition. False: neither axis is dense.
bool as_column_major(int64_t rows, int64_t columns, const int64_t (&strides)[2], LtMatrix& matrix) {
  const auto fits = [](int64_t unit_extent, int64_t unit, int64_t other_extent, int64_t other) {
    return (unit == 1 || unit_extent == 1) && (other >= unit_extent || other_extent == 1);
  };
  if (fits(columns, strides[1], rows, strides[0])) {
    matrix = {columns, rows, rows == 1 ? columns : strides[0], false};
    return true;
  }
  if (fits(rows, strides[0], columns, strides[1])) {
    matrix = {rows, columns, columns == 1 ? rows : strides[1], true};
    return true;
  }
  return false;
}

}  // namespace

std::byte* lt_scratch(const PrepareRequest& request) {
  return request.workspace +
         (kLtAlignment - reinterpret_cast<intptr_t>(request.workspace) % kLtAlignment) % kLtAlignment;
}

std::optional<LtShape> lt_result_shape(const Product& p) {
  if (!is_floating(p.c.dtype) || p.a.dtype != p.c.dtype || p.b.dtype != p.c.dtype || p.batch.axes > 1)
    return std::nullopt;
  if (p.bias.bytes != nullptr && (p.bias_stride != 1 || p.bias.dtype != p.c.dtype || p.c.dtype == DType::float64))
    return std::nullopt;
  LtShape shape;
  if (!as_column_major(p.m, p.n, p.c_strides, shape.d) || shape.d.transposed) return std::nullopt;
  constexpr int64_t kMost = INT32_MAX;  // cuBLASLt counts batches in 32 bits
  if (p.batch.count > kMost) return std::nullopt;
  shape.batch = p.batch.count;
  if (p.batch.axes == 1) {
    shape.d_step = p.batch.strides[0][0];
    shape.y_step = p.batch.strides[1][0];
    shape.x_step = p.batch.strides[2][0];
  }
  return shape;
}

std::optional<LtShape> lt_shape(const Product& p) {
  std::optional<LtShape> shape = lt_result_shape(p);
  if (!shape || !as_column_major(p.k, p.n, p.b_strides, shape->x) || !as_column_major(p.m, p.k, p.a_strides, shape->y))
    return std::nullopt;
  return shape;
}

Result<std::unique_ptr<PreparedOp>> prepare_lt(Context& context, const PrepareRequest& request, const Product& product,
                                               const LtShape& shape, const std::optional<LtOperands>& operands,
                                               const std::string& not_fp8) {
  LtOperands used = operands ? *operands : own_operands(product, context.in_tf32());
  auto op = std::make_unique<LtOp>(context, request, product, std::move(used), not_fp8);
  if (!op->resolve(shape, lt_workspace_bytes(context.capability))) return std::unique_ptr<PreparedOp>();
  return std::unique_ptr<PreparedOp>(std::move(op));
}

}  // namespace engine::cuda
