// SPDX-License-Identifier: Apache-2.0
// Textbook algorithms on one dense row-major matrix of doubles: the truth the linear algebra kernels are tested
// against.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace engine::ops {

struct DenseMatrix {
  int64_t rows = 0, columns = 0;
  std::vector<double> values;

  DenseMatrix(int64_t m, int64_t n) : rows(m), columns(n), values(static_cast<size_t>(m * n), 0.0) {}
  double& at(int64_t i, int64_t j) { return values[static_cast<size_t>(i * columns + j)]; }
  double at(int64_t i, int64_t j) const { return values[static_cast<size_t>(i * columns + j)]; }
};

/// Gaussian elimination with partial pivoting; x takes the place of b. The determinant, 0 when a pivot is exactly 0 (b
/// is then unspecified).
double eliminate(DenseMatrix a, DenseMatrix& b);
/// False when some pivot is not positive. Reads the lower triangle.
bool cholesky_in_place(DenseMatrix& a);
/// Jacobi's cyclic rotations. Eigenvalues ascend; vectors are columns with their largest component positive.
std::vector<double> eigh_jacobi(DenseMatrix a, DenseMatrix& vectors);
/// One-sided Jacobi rotations (Hestenes). Singular values descend; u [m, r], vt [r, n].
std::vector<double> svd_jacobi(const DenseMatrix& a, DenseMatrix& u, DenseMatrix& vt);
/// Householder reflections; q [m, r], r [r, n] with a diagonal that is not negative.
void qr_householder(DenseMatrix a, DenseMatrix& q, DenseMatrix& r);

}  // namespace engine::ops
