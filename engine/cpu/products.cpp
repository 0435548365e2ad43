// SPDX-License-Identifier: Apache-2.0
// Whose routine computes a product, and our loops with scratch of each team member.
#include "engine/cpu/products.h"

#include <cblas.h>

#include <algorithm>

#include "engine/base/check.h"
#include "engine/cpu/parallel.h"

namespace engine::cpu {
namespace {

template <class T>
GemmMatrix<T> matrix(const ProductOperand<T>& operand) {
  const GemmMatrix<T> m{operand.data, operand.row, 1};
  return operand.transposed ? m.transposed() : m;
}

/// The first address of `elements` that begins a line.
template <class T>
T* aligned(std::vector<T>& elements, int64_t wanted) {
  constexpr size_t kLine = 64;
  const size_t needed = static_cast<size_t>(wanted) + kLine / sizeof(T);
  if (elements.size() < needed) elements.resize(needed);
  const auto address = reinterpret_cast<uintptr_t>(elements.data());
  return reinterpret_cast<T*>((address + kLine - 1) / kLine * kLine);
}

}  // namespace

template <class T>
Products<T>::Products(const Context& context, bool shared)
    : blas_(context.openblas), shared_(shared), threads_(context.threads), scratch_(static_cast<size_t>(context.threads)) {
  if constexpr (sizeof(T) == sizeof(float)) {
    vendors_ = context.dnnl != nullptr;
    loops_ = gemm_loops_f32();
  } else {
    loops_ = gemm_loops_f64();
    vendors_ = context.openblas || loops_.multiply == nullptr;
  }
}

template <class T>
const char* Products<T>::name() const {
  if (!vendors_) return "own gemm";
  return sizeof(T) == sizeof(float) ? "oneDNN sgemm" : "OpenBLAS dgemm";
}

template <class T>
void Products<T>::run(int64_t m, int64_t n, int64_t k, T alpha, const ProductOperand<T>& a, const ProductOperand<T>& b, T beta, T* c, int64_t c_row) const {
  if (vendors_) {
    if constexpr (sizeof(T) == sizeof(float)) {
      dnnl_product(m, n, k, alpha, a, b, beta, c, c_row);
    } else {
      cblas_dgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans, b.transposed ? CblasTrans : CblasNoTrans, static_cast<blasint>(m),
                  static_cast<blasint>(n), static_cast<blasint>(k), alpha, a.data, static_cast<blasint>(a.row), b.data, static_cast<blasint>(b.row), beta, c,
                  static_cast<blasint>(c_row));
    }
    return;
  }
  if (m == 0 || n == 0) return;
  const GemmProblem<T> whole{.a = matrix(a), .b = matrix(b), .bias = nullptr, .c = c, .c_row = c_row, .m = m, .n = n, .k = k, .accumulate = beta != T{0}};
  if (!shared_) return own(whole, alpha);
  const int64_t work = m * n < kMultiplyAddGrain / std::max<int64_t>(1, k) ? 0 : kStreamingGrain;
  if (m >= n) {
    parallel_parts(threads_, m, loops_.tile_rows, work, [&](int64_t begin, int64_t end) {
      GemmProblem<T> part = whole;
      part.a.data += begin * part.a.row;
      part.c += begin * c_row;
      part.m = end - begin;
      own(part, alpha);
    });
  } else {
    parallel_parts(threads_, n, loops_.tile_columns, work, [&](int64_t begin, int64_t end) {
      GemmProblem<T> part = whole;
      part.b.data += begin * part.b.column;
      part.c += begin;
      part.n = end - begin;
      own(part, alpha);
    });
  }
}

template <class T>
void Products<T>::own(const GemmProblem<T>& problem, T alpha) const {
  GemmProblem<T> p = problem;
  const int64_t gemm = loops_.workspace_elements(p.m, p.n, p.k), scaled = alpha == T{1} ? 0 : p.m * p.k;
  T* const scratch = aligned(scratch_[static_cast<size_t>(team_member())], (gemm + 15) / 16 * 16 + scaled);
  if (scaled > 0) {
    T* const to = scratch + (gemm + 15) / 16 * 16;
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t j = 0; j < p.k; ++j) to[i * p.k + j] = alpha * p.a.data[i * p.a.row + j * p.a.column];
    }
    p.a = {to, p.k, 1};
  }
  loops_.multiply(p, scratch);
}

template <class T>
void Products<T>::vector_times_matrix(int64_t n, int64_t k, T alpha, const T* a, const ProductOperand<T>& b, T beta, T* c) const {
  if (!blas_ && loops_.multiply != nullptr) {
    own({.a = {a, k, 1}, .b = matrix(b), .bias = nullptr, .c = c, .c_row = n, .m = 1, .n = n, .k = k, .accumulate = beta != T{0}}, alpha);
    return;
  }
  const auto rows = static_cast<blasint>(b.transposed ? n : k), columns = static_cast<blasint>(b.transposed ? k : n), row = static_cast<blasint>(b.row);
  const auto transposed = b.transposed ? CblasNoTrans : CblasTrans;
  if constexpr (sizeof(T) == sizeof(float)) {
    cblas_sgemv(CblasRowMajor, transposed, rows, columns, alpha, b.data, row, a, 1, beta, c, 1);
  } else {
    cblas_dgemv(CblasRowMajor, transposed, rows, columns, alpha, b.data, row, a, 1, beta, c, 1);
  }
}

template class Products<float>;
template class Products<double>;

}  // namespace engine::cpu
