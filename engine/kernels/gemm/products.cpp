// SPDX-License-Identifier: Apache-2.0
// Whose routine computes a product, and our loops with scratch of each team member.
#include "engine/kernels/gemm/products.h"

#include <cblas.h>

#include <algorithm>

#include "engine/base/check.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/scalar_memory.h"
#include "engine/kernels/gemm/products-inl.h"

namespace engine::cpu {
namespace {

template <class T>
GemmMatrix<T> matrix(const ProductOperand<T>& operand) {
  const GemmMatrix<T> m{operand.data, operand.row, 1};
  return operand.transposed ? m.transposed() : m;
}

}  // namespace

template <class T>
Products<T>::Products(const Context& context, bool shared)
    : blas_(context.openblas), shared_(shared), threads_(context.threads), loops_(gemm_loops_of<T>()) {
  vendors_ = sizeof(T) == sizeof(float) ? context.dnnl != nullptr : context.openblas || loops_.multiply == nullptr;
}

template <class T>
int64_t Products<T>::elements_each(std::span<const ProductShape> shapes) const {
  if (loops_.multiply == nullptr) return 0;
  return loops::product_scratch(shapes, !vendors_, !blas_, loops_.workspace_elements);
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
const char* Products<T>::vector_name() const {
  if (vectors_are_own()) return "own gemm";
  return sizeof(T) == sizeof(float) ? "OpenBLAS sgemv" : "OpenBLAS dgemv";
}

template <class T>
void Products<T>::run(int64_t m, int64_t n, int64_t k, T alpha, const ProductOperand<T>& a, const ProductOperand<T>& b,
                      T beta, T* c, int64_t c_row) const {
  if (!shared_) return part(m, n, k, alpha, a, b, beta, c, c_row);
  if (m == 0 || n == 0) return;
  // Parts of one thread each, also of the vendors' routines: who has time takes the next, and nobody is waited for who
  // sleeps. The longer side is cut.
  const CallingThreads one(1);
  const int64_t work = streaming_work(static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k));
  if (m >= n) {
    parallel_parts(threads_, m, tile(loops_.tile_rows), work, [&](int64_t begin, int64_t end) {
      set_calling_thread_count(1);
      part(end - begin, n, k, alpha, {a.data + begin * (a.transposed ? 1 : a.row), a.row, a.transposed}, b, beta,
           c + begin * c_row, c_row);
    });
  } else {
    parallel_parts(threads_, n, tile(loops_.tile_columns), work, [&](int64_t begin, int64_t end) {
      set_calling_thread_count(1);
      part(m, end - begin, k, alpha, a, {b.data + begin * (b.transposed ? b.row : 1), b.row, b.transposed}, beta,
           c + begin, c_row);
    });
  }
}

template <class T>
int64_t Products<T>::tile(int64_t own) const {
  constexpr int64_t kVendors = 16;  // a multiple of their vectors
  return vendors_ ? kVendors : own;
}

template <class T>
void Products<T>::part(int64_t m, int64_t n, int64_t k, T alpha, const ProductOperand<T>& a, const ProductOperand<T>& b,
                       T beta, T* c, int64_t c_row) const {
  if (!vendors_) {
    if (m == 0 || n == 0) return;
    return own({.a = matrix(a),
                .b = matrix(b),
                .bias = nullptr,
                .c = c,
                .c_row = c_row,
                .m = m,
                .n = n,
                .k = k,
                .accumulate = beta != T{0}},
               alpha);
  }
  if constexpr (sizeof(T) == sizeof(float)) {
    dnnl_product(m, n, k, alpha, a, b, beta, c, c_row);
  } else {
    cblas_dgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans, b.transposed ? CblasTrans : CblasNoTrans,
                static_cast<blasint>(m), static_cast<blasint>(n), static_cast<blasint>(k), alpha, a.data,
                static_cast<blasint>(a.row), b.data, static_cast<blasint>(b.row), beta, c, static_cast<blasint>(c_row));
  }
}

template <class T>
void Products<T>::own(const GemmProblem<T>& p, T alpha) const {
  CHECK(loops::product_scratch({p.m, p.n, p.k, alpha != T{1}}, loops_.workspace_elements) <= scratch_each_);
  own_product<ScalarMemory>(loops_, p, alpha, scratch_ + team_member() * scratch_each_);
}

template <class T>
void Products<T>::vector_times_matrix(int64_t n, int64_t k, T alpha, const T* a, const ProductOperand<T>& b, T beta,
                                      T* c) const {
  if (vectors_are_own()) {
    own({.a = {a, k, 1},
         .b = matrix(b),
         .bias = nullptr,
         .c = c,
         .c_row = n,
         .m = 1,
         .n = n,
         .k = k,
         .accumulate = beta != T{0}},
        alpha);
    return;
  }
  const auto rows = static_cast<blasint>(b.transposed ? n : k), columns = static_cast<blasint>(b.transposed ? k : n),
             row = static_cast<blasint>(b.row);
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
