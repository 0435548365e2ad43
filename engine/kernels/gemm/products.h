// SPDX-License-Identifier: Apache-2.0
// Matrix products inside of other kernels (recurrent layers, attention), of shapes that change from call to call: by
// the vendors' routines, or by our own loops where the backend leaves their library out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/graph/kernel_facts.h"
#include "engine/kernels/core/context.h"
#include "engine/kernels/gemm/gemm_simd.h"
#include "engine/kernels/gemm/inner_product_loops.h"

namespace engine::cpu {

/// A row-major matrix, or its transpose.
template <class T>
struct ProductOperand {
  const T* data = nullptr;
  int64_t row = 0;  ///< elements from one row to the next, as it lies
  bool transposed = false;
};

/// What a kernel asks of Products, at most.
using loops::ProductShape;

/// f32 by oneDNN's sgemm, f64 by OpenBLAS' dgemm, vectors times matrices by OpenBLAS' gemv where that is asked for.
template <class T>
class Products {
 public:
  /// `shared`: products are shared among the context's threads; else each is the calling team member's, and members may
  /// ask at once.
  Products(const Context&, bool shared);

  /// What products of up to these shapes need of their own, for all members of a team: 0 where the vendors compute
  /// them.
  int64_t workspace_bytes(std::span<const ProductShape>) const;
  /// `workspace`: 64-byte aligned, of workspace_bytes() of the same shapes. Before the first product.
  void bind(std::byte* workspace, std::span<const ProductShape>);

  /// c = alpha * op(a) op(b) + beta * c; c is m x n, `c_row` elements from row to row; beta 0 or 1.
  void run(int64_t m, int64_t n, int64_t k, T alpha, const ProductOperand<T>& a, const ProductOperand<T>& b, T beta,
           T* c, int64_t c_row) const;
  /// The same for m = 1 in one stream over b; a's elements are neighbours.
  void vector_times_matrix(int64_t n, int64_t k, T alpha, const T* a, const ProductOperand<T>& b, T beta, T* c) const;

  /// "oneDNN sgemm", "OpenBLAS dgemm", "own gemm".
  const char* name() const;
  /// Whose vector_times_matrix() is: "OpenBLAS sgemv", "OpenBLAS dgemv", "own gemm".
  const char* vector_name() const;
  /// The same as facts.
  KernelLibrary library() const {
    return !vendors_                    ? KernelLibrary::own
           : sizeof(T) == sizeof(float) ? KernelLibrary::onednn
                                        : KernelLibrary::openblas;
  }
  KernelLibrary vector_library() const { return vectors_are_own() ? KernelLibrary::own : KernelLibrary::openblas; }

 private:
  int64_t elements_each(std::span<const ProductShape>) const;
  int64_t tile(int64_t own) const;
  /// A product of the calling team member.
  void part(int64_t m, int64_t n, int64_t k, T alpha, const ProductOperand<T>& a, const ProductOperand<T>& b, T beta,
            T* c, int64_t c_row) const;
  bool vectors_are_own() const { return !blas_ && loops_.multiply != nullptr; }
  void own(const GemmProblem<T>& problem, T alpha) const;

  bool vendors_, blas_, shared_;
  int threads_;
  T* scratch_ = nullptr;
  int64_t scratch_each_ = 0;  ///< elements of each team member
  GemmLoops<T> loops_;
};

/// oneDNN's sgemm, row-major. Only where the build has it.
void dnnl_product(int64_t m, int64_t n, int64_t k, float alpha, const ProductOperand<float>& a,
                  const ProductOperand<float>& b, float beta, float* c, int64_t c_row);

}  // namespace engine::cpu
