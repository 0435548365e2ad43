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

int64_t in_lines(int64_t elements) { return (elements + 15) / 16 * 16; }

/// Packed panels, and a times alpha behind them.
template <class T>
int64_t scratch_elements(const GemmLoops<T>& loops, const ProductShape& s) {
  return in_lines(loops.workspace_elements(s.m, s.n, s.k)) + (s.scaled ? in_lines(s.m * s.k) : 0);
}

}  // namespace

template <class T>
Products<T>::Products(const Context& context, bool shared)
    : blas_(context.openblas), shared_(shared), threads_(context.threads), loops_(gemm_loops_of<T>()) {
  vendors_ = sizeof(T) == sizeof(float) ? context.dnnl != nullptr : context.openblas || loops_.multiply == nullptr;
}

template <class T>
int64_t Products<T>::elements_each(std::span<const ProductShape> shapes) const {
  int64_t most = 0;
  if (loops_.multiply == nullptr) return most;
  for (const ProductShape& s : shapes) {
    if (!vendors_) most = std::max(most, scratch_elements(loops_, s));
    if (!blas_) most = std::max(most, scratch_elements(loops_, {1, s.n, s.k, s.scaled}));  // vector_times_matrix()
  }
  return most;
}

template <class T>
int64_t Products<T>::workspace_bytes(std::span<const ProductShape> shapes) const {
  return threads_ * elements_each(shapes) * static_cast<int64_t>(sizeof(T));
}

template <class T>
void Products<T>::bind(std::byte* workspace, std::span<const ProductShape> shapes) {
  scratch_ = reinterpret_cast<T*>(workspace);
  scratch_each_ = elements_each(shapes);
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
  const ProductShape shape{p.m, p.n, p.k, alpha != T{1}};
  CHECK(scratch_elements(loops_, shape) <= scratch_each_);
  T* const scratch = scratch_ + team_member() * scratch_each_;
  if (shape.scaled) {
    T* const to = scratch + in_lines(loops_.workspace_elements(p.m, p.n, p.k));
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
