// SPDX-License-Identifier: Apache-2.0
// A libcublasLt.so.13 that multiplies host memory with plain loops, as strict as the real one about what it takes:
// types, layouts, scales and biases of FP8, alignments. FAKE_CUBLASLT=no_fp8: it has no algorithm for FP8.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tests/support/fp8.h"

namespace {

struct Description {
  cublasComputeType_t compute;
  cudaDataType_t scale_type;
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
  const float *a_scale = nullptr, *b_scale = nullptr;
};
struct Layout {
  cudaDataType_t type;
  uint64_t rows, columns;
  int64_t leading;
  int32_t batch = 1;
  int64_t step = 0;
};
struct Preference {
  uint64_t workspace = 0;
  uint32_t alignment[4] = {};
};

template <class T, class Opaque>
T& as(Opaque* handle) {
  return *reinterpret_cast<T*>(handle);
}
template <class T, class Opaque>
const T& as(const Opaque* handle) {
  return *reinterpret_cast<const T*>(handle);
}

bool is_fp8(cudaDataType_t type) { return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2; }

double element(const Layout& l, const void* base, int64_t at) {
  switch (l.type) {
    case CUDA_R_64F: return static_cast<const double*>(base)[at];
    case CUDA_R_16BF: return static_cast<double>(__bfloat162float(static_cast<const __nv_bfloat16*>(base)[at]));
    case CUDA_R_16F: return static_cast<double>(__half2float(static_cast<const __half*>(base)[at]));
    case CUDA_R_8F_E4M3: return test::fp8_value(static_cast<const uint8_t*>(base)[at], test::Fp8Kind::e4m3);
    case CUDA_R_8F_E5M2: return test::fp8_value(static_cast<const uint8_t*>(base)[at], test::Fp8Kind::e5m2);
    default: return static_cast<double>(static_cast<const float*>(base)[at]);
  }
}

void set_element(const Layout& l, void* base, int64_t at, double value) {
  switch (l.type) {
    case CUDA_R_64F: static_cast<double*>(base)[at] = value; return;
    case CUDA_R_16BF: static_cast<__nv_bfloat16*>(base)[at] = __double2bfloat16(value); return;
    case CUDA_R_16F: static_cast<__half*>(base)[at] = __double2half(value); return;
    default: static_cast<float*>(base)[at] = static_cast<float>(value); return;
  }
}

/// To 10 bits of mantissa.
double as_tf32(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, 11)), exponent - 11);
}

/// What cuBLAS's documentation of cublasLtMatmul() asks of FP8.
bool takes_fp8(const Description& d, const Layout& a, const Layout& b, const Layout& out) {
  const char* words = std::getenv("FAKE_CUBLASLT");
  if (words != nullptr && std::string_view(words) == "no_fp8") return false;
  const bool types = is_fp8(a.type) && is_fp8(b.type) && !(a.type == CUDA_R_8F_E5M2 && b.type == CUDA_R_8F_E5M2);
  const bool result = out.type == CUDA_R_32F || out.type == CUDA_R_16BF || out.type == CUDA_R_16F;
  const bool bias = d.epilogue != CUBLASLT_EPILOGUE_BIAS || out.type != CUDA_R_32F;  // it would have to be of bf16
  const int64_t out_bytes = out.type == CUDA_R_32F ? 4 : 2;
  return types && result && bias && d.a == CUBLAS_OP_T && d.b == CUBLAS_OP_N && d.compute == CUBLAS_COMPUTE_32F &&
         d.a_scale != nullptr && d.b_scale != nullptr && a.leading % 16 == 0 && b.leading % 16 == 0 &&
         a.rows % 16 == 0 && out.leading * out_bytes % 16 == 0 && out.rows % 16 == 0;
}

bool takes(const Description& d, const Layout& a, const Layout& b, const Layout& out, const Preference& p) {
  if (is_fp8(a.type) || is_fp8(b.type)) {
    for (const uint32_t alignment : p.alignment) {
      if (alignment < 16) return false;
    }
    return takes_fp8(d, a, b, out);
  }
  return d.a_scale == nullptr && a.type == out.type && b.type == out.type;
}

}  // namespace

extern "C" {
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(new int(0));
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<int*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
size_t cublasLtGetVersion() { return 130999; }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                        cudaDataType_t scale_type) {
  *made = reinterpret_cast<cublasLtMatmulDesc_t>(new Description{.compute = compute, .scale_type = scale_type});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t made) {
  delete &as<Description>(made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t made, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t size) {
  Description& d = as<Description>(made);
  const auto set = [&](auto& member) {
    if (size != sizeof member) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&member, value, size);
    return CUBLAS_STATUS_SUCCESS;
  };
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA: return set(d.a);
    case CUBLASLT_MATMUL_DESC_TRANSB: return set(d.b);
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return set(d.epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return set(d.bias);
    case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER: return set(d.a_scale);
    case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER: return set(d.b_scale);
    default: return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t leading) {
  *made = reinterpret_cast<cublasLtMatrixLayout_t>(
      new Layout{.type = type, .rows = rows, .columns = columns, .leading = leading});
  return leading < static_cast<int64_t>(rows) ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t made) {
  delete &as<Layout>(made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t made, cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, size_t) {
  Layout& l = as<Layout>(made);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) std::memcpy(&l.batch, value, sizeof l.batch);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) std::memcpy(&l.step, value, sizeof l.step);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  *made = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference());
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t made) {
  delete &as<Preference>(made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t made,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                                                    size_t) {
  Preference& p = as<Preference>(made);
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES: std::memcpy(&p.workspace, value, sizeof p.workspace); break;
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES: std::memcpy(&p.alignment[0], value, sizeof p.alignment[0]); break;
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES: std::memcpy(&p.alignment[1], value, sizeof p.alignment[1]); break;
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES: std::memcpy(&p.alignment[2], value, sizeof p.alignment[2]); break;
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES: std::memcpy(&p.alignment[3], value, sizeof p.alignment[3]); break;
    default: break;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t d, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t out, cublasLtMatmulPreference_t p, int wanted,
                                              cublasLtMatmulHeuristicResult_t* named, int* found) {
  *found = 0;
  if (!takes(as<Description>(d), as<Layout>(a), as<Layout>(b), as<Layout>(out), as<Preference>(p)))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  for (; *found < wanted; ++*found) {
    named[*found] = {};
    named[*found].state = CUBLAS_STATUS_SUCCESS;
    named[*found].workspaceSize = as<Preference>(p).workspace;
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t*, cublasLtMatmulAlgoConfigAttributes_t,
                                                    void* value, size_t size, size_t* written) {
  const int32_t number = 7;
  if (size != sizeof number) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, &number, size);
  *written = size;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* c, cublasLtMatrixLayout_t, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t*, void* workspace,
                              size_t workspace_bytes, cudaStream_t) {
  const Description& how = as<Description>(description);
  const Layout &la = as<Layout>(a_layout), &lb = as<Layout>(b_layout), &ld = as<Layout>(d_layout);
  constexpr size_t kEnd = 1 << 16;  // whoever keeps something there loses it
  std::memset(workspace, 0xee, std::min(workspace_bytes, kEnd));
  std::memset(static_cast<std::byte*>(workspace) + workspace_bytes - std::min(workspace_bytes, kEnd), 0xee,
              std::min(workspace_bytes, kEnd));
  const bool wide = how.scale_type == CUDA_R_64F;
  const double kept = wide ? *static_cast<const double*>(beta) : static_cast<double>(*static_cast<const float*>(beta));
  double factor = wide ? *static_cast<const double*>(alpha) : static_cast<double>(*static_cast<const float*>(alpha));
  if (how.a_scale != nullptr) factor *= static_cast<double>(*how.a_scale) * static_cast<double>(*how.b_scale);
  const bool rounds = how.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const auto at = [](const Layout& l, cublasOperation_t op, int64_t row, int64_t column) {
    return op == CUBLAS_OP_T ? column + row * l.leading : row + column * l.leading;
  };
  const auto depth = static_cast<int64_t>(how.a == CUBLAS_OP_T ? la.rows : la.columns);
  for (int64_t z = 0; z < ld.batch; ++z) {
    for (int64_t i = 0; i < static_cast<int64_t>(ld.rows); ++i) {
      for (int64_t j = 0; j < static_cast<int64_t>(ld.columns); ++j) {
        double sum = 0;
        for (int64_t l = 0; l < depth; ++l) {
          const double x = element(la, a, z * la.step + at(la, how.a, i, l)),
                       y = element(lb, b, z * lb.step + at(lb, how.b, l, j));
          sum += rounds ? as_tf32(x) * as_tf32(y) : x * y;
        }
        const int64_t to = z * ld.step + i + j * ld.leading;
        double value = factor * sum + (kept == 0 ? 0 : kept * element(ld, c, to));
        if (how.epilogue == CUBLASLT_EPILOGUE_BIAS) value += element(ld, how.bias, i);
        set_element(ld, d, to, value);
      }
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}
}
