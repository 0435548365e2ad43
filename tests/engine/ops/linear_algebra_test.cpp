// SPDX-License-Identifier: Apache-2.0
// Linear algebra by its residuals, on the CPU's kernels and on the references: what a result must satisfy, whoever
// computed it.
#include "engine/ops/linear_algebra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/cpu/backend.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "tests/support/host_interpreter.h"

namespace engine {
namespace {

const Fill kNormal{Fill::Kind::normal, 0, 1};

/// A dense row-major matrix for the arithmetic of the checks.
struct M {
  int64_t rows, columns;
  std::vector<double> values;
  double at(int64_t i, int64_t j) const { return values[static_cast<size_t>(i * columns + j)]; }
};

M product(const M& a, const M& b) {
  M c{a.rows, b.columns, std::vector<double>(static_cast<size_t>(a.rows * b.columns), 0.0)};
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t k = 0; k < a.columns; ++k) {
      for (int64_t j = 0; j < b.columns; ++j)
        c.values[static_cast<size_t>(i * b.columns + j)] += a.at(i, k) * b.at(k, j);
    }
  }
  return c;
}

M transposed(const M& a) {
  M t{a.columns, a.rows, {}};
  for (int64_t j = 0; j < a.columns; ++j) {
    for (int64_t i = 0; i < a.rows; ++i) t.values.push_back(a.at(i, j));
  }
  return t;
}

double norm(const M& a) {
  double total = 0;
  for (const double value : a.values) total += value * value;
  return std::sqrt(total);
}

double distance(const M& a, const M& b) {
  M difference = a;
  for (size_t i = 0; i < a.values.size(); ++i) difference.values[i] -= b.values[i];
  return norm(difference);
}

M diagonal(const M& values) {
  const auto n = static_cast<int64_t>(values.values.size());
  M d{n, n, std::vector<double>(static_cast<size_t>(n * n), 0.0)};
  for (int64_t i = 0; i < n; ++i) d.values[static_cast<size_t>(i * n + i)] = values.values[static_cast<size_t>(i)];
  return d;
}

M identity(int64_t n) { return diagonal({1, n, std::vector<double>(static_cast<size_t>(n), 1.0)}); }

/// One value of a batch of two, the second.
M second(const Tensor& tensor, int64_t rows, int64_t columns) {
  M m{rows, columns, {}};
  for (int64_t i = 0; i < rows * columns; ++i) m.values.push_back(tensor.get_flat(rows * columns + i));
  return m;
}

/// Builds on a batch of two [rows, columns] matrices, runs on the CPU's kernels and on the references, and checks both.
template <class Build, class Check>
void on_both(int64_t rows, int64_t columns, Build build, Check check) {
  for (const DType dtype : {DType::float64, DType::float32}) {
    SCOPED_TRACE(std::string(name(dtype)) + " " + std::to_string(rows) + " x " + std::to_string(columns));
    GraphBuilder builder;
    const ValueId a = builder.input("a", TensorType::contiguous(dtype, {2, rows, columns}), kNormal);
    const std::vector<ValueId> results = build(builder, a);
    for (const ValueId id : results) builder.mark_output(id);
    Result<Graph> graph = builder.finish();
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const double epsilon = dtype == DType::float64 ? 2.3e-16 : 1.2e-7;
    const double tolerance = 30 * epsilon * static_cast<double>(std::max(rows, columns));
    {
      auto backend = cpu::make_backend(2);
      auto plan = Plan::make(std::make_shared<const Graph>(*graph), **backend);
      ASSERT_TRUE(plan.ok()) << plan.error().message;
      const NodeId node = graph->value(results[0]).producer;
      EXPECT_EQ((*plan)->facts(node).library, KernelLibrary::lapack);
      (*plan)->run_step(0, nullptr);
      check([&](ValueId id) { return (*plan)->tensor(id); }, a, results, tolerance);
    }
    if (std::max(rows, columns) > 24) continue;  // the references are plain loops
    test::HostInterpreter host(*graph);
    host.run();
    check([&](ValueId id) { return host.tensor(id); }, a, results, tolerance);
  }
}

using Values = std::vector<ValueId>;

TEST(LinearAlgebra, SolutionsAndInversesLeaveNoResidual) {
  for (const int64_t n : {1, 2, 17, 64}) {
    on_both(
        n, n,
        [n](GraphBuilder& builder, ValueId a) {
          const ValueId b = builder.input("b", TensorType::contiguous(builder.type(a).dtype, {2, n, 3}), kNormal);
          const ValueId x = ops::solve(builder, a, b);
          return Values{x, b, ops::inverse(builder, a)};
        },
        [n](auto value, ValueId a_id, const Values& ids, double tolerance) {
          const M a = second(value(a_id), n, n), x = second(value(ids[0]), n, 3), b = second(value(ids[1]), n, 3);
          EXPECT_LE(distance(product(a, x), b), tolerance * norm(a) * norm(x));
          const M y = second(value(ids[2]), n, n);
          EXPECT_LE(distance(product(a, y), identity(n)), tolerance * norm(a) * norm(y));
        });
  }
}

TEST(LinearAlgebra, CholeskyGivesTheMatrixBack) {
  for (const int64_t n : {1, 2, 17, 64}) {
    on_both(
        n, 2 * n,
        [](GraphBuilder& builder, ValueId m) {
          const ValueId a = ops::matmul(builder, m, ops::transpose(builder, m, -2, -1));
          return Values{ops::cholesky(builder, a), a};
        },
        [n](auto value, ValueId, const Values& ids, double tolerance) {
          const M l = second(value(ids[0]), n, n), a = second(value(ids[1]), n, n);
          EXPECT_LE(distance(product(l, transposed(l)), a), tolerance * norm(a));
          for (int64_t i = 0; i < n; ++i) {
            EXPECT_GT(l.at(i, i), 0);
            for (int64_t j = i + 1; j < n; ++j) EXPECT_EQ(l.at(i, j), 0);
          }
        });
  }
}

TEST(LinearAlgebra, EigenvectorsDiagonaliseTheLowerTriangle) {
  for (const int64_t n : {1, 2, 17, 64}) {
    on_both(
        n, n,
        [](GraphBuilder& builder, ValueId a) {
          const auto results = ops::eigh(builder, a);
          return Values(results.begin(), results.end());
        },
        [n](auto value, ValueId a_id, const Values& ids, double tolerance) {
          M a = second(value(a_id), n, n);
          for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = i + 1; j < n; ++j) a.values[static_cast<size_t>(i * n + j)] = a.at(j, i);
          }
          const M w = second(value(ids[0]), 1, n), v = second(value(ids[1]), n, n);
          EXPECT_LE(distance(product(a, v), product(v, diagonal(w))), tolerance * norm(a));
          EXPECT_LE(distance(product(transposed(v), v), identity(n)), tolerance * std::sqrt(static_cast<double>(n)));
          EXPECT_TRUE(std::ranges::is_sorted(w.values));
        });
  }
}

TEST(LinearAlgebra, SingularValuesAndReflectionsFactorAnyShape) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {20, 7}, {7, 20}, {17, 17}, {70, 40}}) {
    const int64_t rows = m, columns = n, r = std::min(m, n);
    on_both(
        rows, columns,
        [](GraphBuilder& builder, ValueId a) {
          const auto [u, s, vt] = ops::svd(builder, a);
          const auto [q, right] = ops::qr(builder, a);
          return Values{u, s, vt, q, right};
        },
        [=](auto value, ValueId a_id, const Values& ids, double tolerance) {
          const M a = second(value(a_id), rows, columns);
          const M u = second(value(ids[0]), rows, r), s = second(value(ids[1]), 1, r),
                  vt = second(value(ids[2]), r, columns);
          const double size = tolerance * std::sqrt(static_cast<double>(r));
          EXPECT_LE(distance(product(product(u, diagonal(s)), vt), a), tolerance * norm(a));
          EXPECT_LE(distance(product(transposed(u), u), identity(r)), size);
          EXPECT_LE(distance(product(vt, transposed(vt)), identity(r)), size);
          EXPECT_TRUE(std::ranges::is_sorted(s.values, std::ranges::greater{}));
          EXPECT_GE(s.values.back(), 0);
          const M q = second(value(ids[3]), rows, r), right = second(value(ids[4]), r, columns);
          EXPECT_LE(distance(product(q, right), a), tolerance * norm(a));
          EXPECT_LE(distance(product(transposed(q), q), identity(r)), size);
          for (int64_t i = 0; i < r; ++i) {
            EXPECT_GE(right.at(i, i), 0);
            for (int64_t j = 0; j < i; ++j) EXPECT_EQ(right.at(i, j), 0);
          }
        });
  }
}

/// det [[1, 2], [3, 4]] = -2; a singular matrix has determinant 0, no solution and no inverse; -1 has no root.
TEST(LinearAlgebra, OfSmallMatricesByHand) {
  GraphBuilder builder;
  const double regular[] = {1, 2, 3, 4}, singular[] = {1, 2, 2, 4}, negative[] = {-1, 0, 0, 1}, right[] = {5, 6};
  const auto constant = [&](const char* name, const double* values, Shape shape) {
    return builder.constant(
        name, *Tensor::from_values(shape, {values, static_cast<size_t>(*element_count(shape))}, DType::float64));
  };
  const ValueId a = constant("a", regular, {2, 2}), s = constant("s", singular, {2, 2}),
                b = constant("b", right, {2, 1});
  const Values results{ops::determinant(builder, a), ops::determinant(builder, s),
                       ops::solve(builder, a, b),    ops::solve(builder, s, b),
                       ops::inverse(builder, s),     ops::cholesky(builder, constant("n", negative, {2, 2}))};
  for (const ValueId id : results) builder.mark_output(id);
  const Graph graph = *builder.finish();
  auto backend = cpu::make_backend(1);
  auto plan = Plan::make(std::make_shared<const Graph>(graph), **backend);
  ASSERT_TRUE(plan.ok());
  (*plan)->run_step(0, nullptr);
  test::HostInterpreter host(graph);
  host.run();
  for (const bool on_cpu : {true, false}) {
    const auto value = [&](size_t i, int64_t k) {
      return (on_cpu ? (*plan)->tensor(results[i]) : host.tensor(results[i])).get_flat(k);
    };
    EXPECT_NEAR(value(0, 0), -2, 1e-15);
    EXPECT_EQ(value(1, 0), 0);
    EXPECT_NEAR(value(2, 0), -4, 1e-14);
    EXPECT_NEAR(value(2, 1), 4.5, 1e-14);
    for (const size_t i : {3u, 4u, 5u}) EXPECT_TRUE(std::isnan(value(i, 0))) << i;
  }
}

}  // namespace
}  // namespace engine
