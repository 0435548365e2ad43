// SPDX-License-Identifier: Apache-2.0
// Linear algebra on the last two axes; leading axes are a batch. Floating types; results are row-major.
#pragma once

#include <array>
#include <span>

#include "engine/graph/builder.h"

namespace engine::ops {

// A matrix without the wanted property (singular, not positive definite, no convergence) gives NaN, that matrix alone.
extern const Op kSolve;        ///< solve(a, b) -> x: a x = b; a [..., n, n], b [..., n, k]
extern const Op kInverse;      ///< inverse(a) -> y; a [..., n, n]
extern const Op kDeterminant;  ///< determinant(a) -> y [...]; a [..., n, n]
extern const Op kCholesky;     ///< cholesky(a) -> l: lower, a = l l^T; reads the lower triangle of a [..., n, n]
/// eigh(a) -> values, vectors: of the symmetric matrix whose lower triangle a has; values [..., n] ascend, vectors are
/// columns, each with its largest component positive.
extern const Op kEigh;
/// svd(a) -> u, s, vt: a = u diag(s) vt, reduced: r = min(m, n); s descends, the largest component of each column of u
/// is positive.
extern const Op kSvd;
extern const Op kQr;  ///< qr(a) -> q, r: reduced, the diagonal of r is not negative; a [..., m, n]

std::span<const Op* const> linear_algebra_ops();

ValueId solve(GraphBuilder&, ValueId a, ValueId b);
ValueId inverse(GraphBuilder&, ValueId a);
ValueId determinant(GraphBuilder&, ValueId a);
ValueId cholesky(GraphBuilder&, ValueId a);
std::array<ValueId, 2> eigh(GraphBuilder&, ValueId a);  ///< values, vectors
std::array<ValueId, 3> svd(GraphBuilder&, ValueId a);   ///< u, s, vt
std::array<ValueId, 2> qr(GraphBuilder&, ValueId a);    ///< q, r

}  // namespace engine::ops
