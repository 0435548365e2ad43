// SPDX-License-Identifier: Apache-2.0
// How close the vector loops of mathematical functions are: units in the last place against the C library's doubles
// (f32) and long doubles (f64), and special values.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <limits>
#include <set>

#include "engine/base/check.h"
#include "engine/base/vector_bits.h"
#include "engine/cpu/backend.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/elementwise/elementwise_rows.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

struct Function {
  const char* name;
  long double (*exact)(long double);
  long double low, high;
  double ulp_f32, ulp_f64;  ///< allowed
  double ulp_f32_avx512 = ulp_f32;
};

long double sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }

const Function kFunctions[] = {{"sigmoid", sigmoid, -80, 30, 2.5, 3, 7},
                               {"sigmoid", sigmoid, -40, 30, 2.5, 3, 5},
                               {"exp", std::exp, -80, 88, 2, 2},
                               {"log", std::log, 1e-30L, 1e30L, 4, 4},
                               {"sin", std::sin, -3, 3, 4, 4},
                               {"cos", std::cos, -1.5L, 1.5L, 4, 4},
                               {"tan", std::tan, -1.5L, 1.5L, 8, 8},
                               {"asin", std::asin, -1, 1, 3, 3},
                               {"acos", std::acos, -0.99L, 0.99L, 3, 3},
                               {"atan", std::atan, -50, 50, 4, 4},
                               {"sinh", std::sinh, -80, 80, 5, 5},
                               {"cosh", std::cosh, -80, 80, 3, 3},
                               {"tanh", std::tanh, -9, 9, 5, 5},
                               {"asinh", std::asinh, -1e6L, 1e6L, 4, 4},
                               {"acosh", std::acosh, 1, 1e6L, 4, 4},
                               {"atanh", std::atanh, -0.999L, 0.999L, 5, 5},
                               {"erf", std::erf, -5, 5, 3, 4}};

template <class T>
std::vector<T> run_row(const char* name, const std::vector<T>& x) {
  std::vector<T> y(x.size());
  const auto row = cpu::find_elementwise_row(name, sizeof(T) == 4 ? DType::float32 : DType::float64);
  CHECK(row != nullptr);
  const double none[3] = {};
  cpu::RowArguments arguments{.count = static_cast<int64_t>(x.size()), .constants = none};
  arguments.in[0] = reinterpret_cast<const std::byte*>(x.data());
  arguments.out[0] = reinterpret_cast<std::byte*>(y.data());
  row(arguments);
  return y;
}

template <class T>
double worst_ulp(const Function& f) {
  std::vector<T> x;
  for (int i = 0; i <= 40'000; ++i) x.push_back(static_cast<T>(f.low + (f.high - f.low) * i / 40'000));
  for (int i = -60; i <= 60; ++i) {  // and small ones
    const T small = static_cast<T>(std::ldexp(1.3L, i / 4 - 15)) * (i % 2 == 0 ? T{1} : T{-1});
    if (small >= f.low && small <= f.high) x.push_back(small);
  }
  const std::vector<T> y = run_row(f.name, x);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const long double exact = f.exact(x[i]);
    const T rounded = static_cast<T>(std::abs(exact));
    const long double ulp =
        static_cast<long double>(std::nextafter(rounded, std::numeric_limits<T>::infinity())) - rounded;
    worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(y[i]) - exact) / ulp));
  }
  return worst;
}

TEST(CpuFunctions, AreWithinAFewUnitsInTheLastPlace) {
  for (const Function& f : kFunctions) {
    EXPECT_LE(worst_ulp<float>(f), vector_bits() >= 512 ? f.ulp_f32_avx512 : f.ulp_f32) << f.name << " in f32";
    EXPECT_LE(worst_ulp<double>(f), f.ulp_f64) << f.name << " in f64";
  }
}

/// Of functions whose code differs between units; and elements behind the last vector are computed as those before it,
/// bit for bit.
void expect_all_units_as_near(const Function& f) {
  std::set<std::string> units;
  for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    const std::string unit = hwy::TargetName(rest & -rest);
    hwy::DisableTargets(~(rest & -rest));
    if (cpu::vector_unit() == unit) {  // else the compiler left it out
      units.insert(unit);
      EXPECT_LE(worst_ulp<float>(f), unit.starts_with("AVX3") ? f.ulp_f32_avx512 : f.ulp_f32) << f.name << ", " << unit;
      std::vector<float> x;
      for (int i = 0; i < 2048; ++i) x.push_back(static_cast<float>(i - 1024) * 0.0917f);
      x.insert(x.end(), {0.0f, -0.0f, INFINITY, -INFINITY, 88.7f, -88.7f, -89.5f, 1e30f, -1e30f, 1e-40f});
      const std::vector<float> whole = run_row<float>(f.name, x);
      for (size_t i = 0; i < x.size(); ++i)
        EXPECT_EQ(run_row<float>(f.name, {x[i]})[0], whole[i]) << f.name << ", " << unit << ", " << x[i];
    }
    hwy::DisableTargets(0);
  }
  EXPECT_GE(units.size(), 2u);
}
TEST(CpuFunctions, OfAllVectorUnitsAreAsNear) {
  for (const Function& f : kFunctions) {
    if (const std::string_view name = f.name; name == "sigmoid" || name == "erf") expect_all_units_as_near(f);
  }
}

/// The sum 1 + erf(x / sqrt(2)) cancels for negative x.
TEST(CpuFunctions, GeluIsOffByLittleOfItsArgument) {
  std::vector<float> x;
  for (int i = -80'000; i <= 80'000; ++i) x.push_back(static_cast<float>(i) * 1e-4f);
  const std::vector<float> y = run_row("gelu", x);
  for (size_t i = 0; i < x.size(); ++i) {
    const double own = static_cast<double>(x[i]), exact = 0.5 * own * std::erfc(-own / std::numbers::sqrt2);
    ASSERT_NEAR(static_cast<double>(y[i]), exact, 1.5e-7 * std::abs(own) + 1e-7 * std::abs(exact)) << x[i];
  }
}

TEST(CpuFunctions, OfSpecialValuesAreTheLibrarys) {
  for (const Function& f : kFunctions) {
    const std::vector<double> x{0, -0.0, kInf, -kInf, kNan, 1, -1, 2, 710, -746, 1e300, 5e-324, 1e9};
    const std::vector<double> y = run_row(f.name, x);
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = static_cast<double>(f.exact(x[i]));
      if (std::isnan(exact) || std::isinf(exact) || exact == 0) {
        EXPECT_TRUE(std::isnan(exact) ? std::isnan(y[i]) : y[i] == exact) << f.name << "(" << x[i] << ") = " << y[i];
      } else {
        EXPECT_NEAR(y[i], exact, 1e-14 * std::abs(exact) + 5e-324) << f.name << "(" << x[i] << ")";
      }
    }
  }
}

TEST(CpuFunctions, OfSpecialValuesInSinglePrecisionAreTheLibrarys) {
  for (const Function& f : kFunctions) {
    const std::vector<float> x{0,
                               -0.0f,
                               static_cast<float>(kInf),
                               static_cast<float>(-kInf),
                               static_cast<float>(kNan),
                               1,
                               -1,
                               0.7f,
                               88,
                               -88,
                               100,
                               -100,
                               3e38f,
                               -3e38f,
                               1e-45f};
    const std::vector<float> y = run_row(f.name, x);
    for (size_t i = 0; i < x.size(); ++i) {
      const float exact = static_cast<float>(f.exact(x[i]));
      if (std::isnan(exact) || std::isinf(exact)) {
        EXPECT_TRUE(std::isnan(exact) ? std::isnan(y[i]) : y[i] == exact) << f.name << "(" << x[i] << ") = " << y[i];
      } else {  // exponentials up to 1.65e-38 may be 0
        EXPECT_NEAR(y[i], exact, 1e-6 * std::abs(exact) + 2e-38) << f.name << "(" << x[i] << ")";
        if (exact == 0) {
          EXPECT_EQ(std::signbit(y[i]), std::signbit(exact)) << f.name << "(" << x[i] << ")";
        }
      }
    }
  }
}

}  // namespace
