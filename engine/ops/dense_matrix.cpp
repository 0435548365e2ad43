// SPDX-License-Identifier: Apache-2.0
// Textbook algorithms, plain loops. Source: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th edition,
// sections 3.4, 4.2, 5.2, 8.5 and 8.6.
#include "engine/ops/dense_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace engine::ops {
namespace {

constexpr int kMostSweeps = 60;  // Jacobi converges quadratically: 6 to 10 do

/// The rotation that makes the off-diagonal element of [[p, r], [r, q]] zero.
struct Rotation {
  double cosine = 1, sine = 0;

  Rotation(double p, double q, double r) {
    const double theta = (q - p) / (2 * r);
    const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::hypot(theta, 1.0));
    cosine = 1 / std::hypot(t, 1.0);
    sine = t * cosine;
  }
  void turn(double& x, double& y) const {
    const double old = x;
    x = cosine * old - sine * y;
    y = sine * old + cosine * y;
  }
};

void turn_columns(DenseMatrix& a, int64_t p, int64_t q, const Rotation& rotation) {
  for (int64_t i = 0; i < a.rows; ++i) rotation.turn(a.at(i, p), a.at(i, q));
}

/// Columns of `from` in the order given, into `to`.
void gather_columns(const DenseMatrix& from, const std::vector<int64_t>& order, DenseMatrix& to) {
  for (int64_t j = 0; j < to.columns; ++j) {
    for (int64_t i = 0; i < to.rows; ++i) to.at(i, j) = from.at(i, order[static_cast<size_t>(j)]);
  }
}

/// Whether the component of largest size (the first of them) of column j is negative.
bool points_down(const DenseMatrix& a, int64_t j) {
  double largest = 0;
  for (int64_t i = 0; i < a.rows; ++i) {
    if (std::abs(a.at(i, j)) > std::abs(largest)) largest = a.at(i, j);
  }
  return largest < 0;
}

void negate_column(DenseMatrix& a, int64_t j) {
  for (int64_t i = 0; i < a.rows; ++i) a.at(i, j) = -a.at(i, j);
}

/// Makes column j a unit vector orthogonal to the columns before it: what is left of the unit vector that loses least.
void complete_column(DenseMatrix& u, int64_t j) {
  std::vector<double> best;
  double best_norm = -1;
  for (int64_t e = 0; e < u.rows; ++e) {
    std::vector<double> v(static_cast<size_t>(u.rows), 0.0);
    v[static_cast<size_t>(e)] = 1;
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t k = 0; k < j; ++k) {
        double product = 0;
        for (int64_t i = 0; i < u.rows; ++i) product += u.at(i, k) * v[static_cast<size_t>(i)];
        for (int64_t i = 0; i < u.rows; ++i) v[static_cast<size_t>(i)] -= product * u.at(i, k);
      }
    }
    const double norm = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
    if (norm <= best_norm) continue;
    best_norm = norm;
    best = std::move(v);
  }
  for (int64_t i = 0; i < u.rows; ++i) u.at(i, j) = best[static_cast<size_t>(i)] / best_norm;
}

DenseMatrix transposed(const DenseMatrix& a) {
  DenseMatrix result(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) result.at(j, i) = a.at(i, j);
  }
  return result;
}

/// svd of a matrix with at least as many rows as columns.
std::vector<double> svd_tall(DenseMatrix a, DenseMatrix& u, DenseMatrix& vt) {
  const int64_t n = a.columns;
  DenseMatrix v(n, n);
  for (int64_t i = 0; i < n; ++i) v.at(i, i) = 1;
  bool turned = true;
  for (int sweep = 0; sweep < kMostSweeps && turned; ++sweep) {
    turned = false;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        double pp = 0, qq = 0, pq = 0;
        for (int64_t i = 0; i < a.rows; ++i) {
          pp += a.at(i, p) * a.at(i, p);
          qq += a.at(i, q) * a.at(i, q);
          pq += a.at(i, p) * a.at(i, q);
        }
        if (!(std::abs(pq) > std::numeric_limits<double>::epsilon() / 4 * std::sqrt(pp * qq))) continue;
        const Rotation rotation(pp, qq, pq);
        turn_columns(a, p, q, rotation);
        turn_columns(v, p, q, rotation);
        turned = true;
      }
    }
  }
  std::vector<double> norms(static_cast<size_t>(n), 0.0);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < a.rows; ++i)
      norms[static_cast<size_t>(j)] = std::hypot(norms[static_cast<size_t>(j)], a.at(i, j));
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](int64_t j) { return norms[static_cast<size_t>(j)]; });
  std::vector<double> s;
  DenseMatrix sorted(n, n);
  gather_columns(a, order, u);
  gather_columns(v, order, sorted);
  for (int64_t j = 0; j < n; ++j) {
    s.push_back(norms[static_cast<size_t>(order[static_cast<size_t>(j)])]);
    if (s.back() > 0) {
      for (int64_t i = 0; i < u.rows; ++i) u.at(i, j) /= s.back();
    } else if (s.back() == 0) {
      complete_column(u, j);
    }
  }
  vt = transposed(sorted);
  return s;
}

}  // namespace

double eliminate(DenseMatrix a, DenseMatrix& b) {
  double determinant = 1;
  for (int64_t k = 0; k < a.rows; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < a.rows; ++i) {
      if (std::abs(a.at(i, k)) > std::abs(a.at(pivot, k))) pivot = i;
    }
    if (a.at(pivot, k) == 0) return 0;
    if (pivot != k) {
      for (int64_t j = 0; j < a.columns; ++j) std::swap(a.at(k, j), a.at(pivot, j));
      for (int64_t j = 0; j < b.columns; ++j) std::swap(b.at(k, j), b.at(pivot, j));
      determinant = -determinant;
    }
    determinant *= a.at(k, k);
    for (int64_t i = k + 1; i < a.rows; ++i) {
      const double factor = a.at(i, k) / a.at(k, k);
      for (int64_t j = k; j < a.columns; ++j) a.at(i, j) -= factor * a.at(k, j);
      for (int64_t j = 0; j < b.columns; ++j) b.at(i, j) -= factor * b.at(k, j);
    }
  }
  for (int64_t k = a.rows; k-- > 0;) {
    for (int64_t j = 0; j < b.columns; ++j) {
      for (int64_t i = k + 1; i < a.rows; ++i) b.at(k, j) -= a.at(k, i) * b.at(i, j);
      b.at(k, j) /= a.at(k, k);
    }
  }
  return determinant;
}

bool cholesky_in_place(DenseMatrix& a) {
  for (int64_t j = 0; j < a.rows; ++j) {
    for (int64_t i = 0; i < j; ++i) a.at(i, j) = 0;
    double diagonal = a.at(j, j);
    for (int64_t k = 0; k < j; ++k) diagonal -= a.at(j, k) * a.at(j, k);
    if (!(diagonal > 0)) return false;
    a.at(j, j) = std::sqrt(diagonal);
    for (int64_t i = j + 1; i < a.rows; ++i) {
      for (int64_t k = 0; k < j; ++k) a.at(i, j) -= a.at(i, k) * a.at(j, k);
      a.at(i, j) /= a.at(j, j);
    }
  }
  return true;
}

std::vector<double> eigh_jacobi(DenseMatrix a, DenseMatrix& vectors) {
  const int64_t n = a.rows;
  DenseMatrix v(n, n);
  for (int64_t i = 0; i < n; ++i) {
    v.at(i, i) = 1;
    for (int64_t j = i + 1; j < n; ++j) a.at(i, j) = a.at(j, i);
  }
  bool turned = true;
  for (int sweep = 0; sweep < kMostSweeps && turned; ++sweep) {
    turned = false;
    for (int64_t p = 0; p < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        const double size = std::abs(a.at(p, p)) + std::abs(a.at(q, q));
        if (!(std::abs(a.at(p, q)) > std::numeric_limits<double>::epsilon() / 8 * size) || a.at(p, q) == 0) continue;
        const Rotation rotation(a.at(p, p), a.at(q, q), a.at(p, q));
        turn_columns(a, p, q, rotation);
        for (int64_t j = 0; j < n; ++j) rotation.turn(a.at(p, j), a.at(q, j));
        turn_columns(v, p, q, rotation);
        turned = true;
      }
    }
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order, {}, [&](int64_t j) { return a.at(j, j); });
  std::vector<double> eigenvalues;
  for (const int64_t j : order) eigenvalues.push_back(a.at(j, j));
  gather_columns(v, order, vectors);
  for (int64_t j = 0; j < n; ++j) {
    if (points_down(vectors, j)) negate_column(vectors, j);
  }
  return eigenvalues;
}

std::vector<double> svd_jacobi(const DenseMatrix& a, DenseMatrix& u, DenseMatrix& vt) {
  std::vector<double> s;
  if (a.rows >= a.columns) {
    s = svd_tall(a, u, vt);
  } else {
    DenseMatrix v(a.columns, a.rows), ut(a.rows, a.rows);
    s = svd_tall(transposed(a), v, ut);
    u = transposed(ut);
    vt = transposed(v);
  }
  for (int64_t j = 0; j < u.columns; ++j) {
    if (!points_down(u, j)) continue;
    negate_column(u, j);
    for (int64_t k = 0; k < vt.columns; ++k) vt.at(j, k) = -vt.at(j, k);
  }
  return s;
}

void qr_householder(DenseMatrix a, DenseMatrix& q, DenseMatrix& r) {
  const int64_t m = a.rows, rank = std::min(m, a.columns);
  std::vector<std::vector<double>> reflectors;
  const auto reflect = [m](DenseMatrix& x, const std::vector<double>& v, int64_t from_row) {
    for (int64_t j = 0; j < x.columns; ++j) {
      double product = 0;
      for (int64_t i = from_row; i < m; ++i) product += v[static_cast<size_t>(i)] * x.at(i, j);
      for (int64_t i = from_row; i < m; ++i) x.at(i, j) -= 2 * product * v[static_cast<size_t>(i)];
    }
  };
  for (int64_t k = 0; k < rank; ++k) {
    std::vector<double> v(static_cast<size_t>(m), 0.0);
    double norm = 0;
    for (int64_t i = k; i < m; ++i) {
      v[static_cast<size_t>(i)] = a.at(i, k);
      norm = std::hypot(norm, a.at(i, k));
    }
    v[static_cast<size_t>(k)] += a.at(k, k) < 0 ? -norm : norm;
    double length = 0;
    for (const double value : v) length = std::hypot(length, value);
    for (double& value : v) value = length > 0 ? value / length : 0;
    reflect(a, v, k);
    reflectors.push_back(std::move(v));
  }
  for (int64_t k = 0; k < rank; ++k) q.at(k, k) = 1;
  for (int64_t k = rank; k-- > 0;) reflect(q, reflectors[static_cast<size_t>(k)], k);
  for (int64_t i = 0; i < rank; ++i) {
    const double sign = a.at(i, i) < 0 ? -1 : 1;
    for (int64_t j = i; j < a.columns; ++j) r.at(i, j) = sign * a.at(i, j);
    if (sign < 0) negate_column(q, i);
  }
}

}  // namespace engine::ops
