// SPDX-License-Identifier: Apache-2.0
// Decimal: exact decimal numbers of any length, as far as looking at single numbers needs them.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace engine {

class Decimal {
 public:
  static constexpr size_t kMostDigits = 1100;
  static constexpr int64_t kMostExponent = 4000;

  Decimal() = default;
  explicit Decimal(int64_t);
  /// "-12.5e3"; fails (usage) on anything else and beyond kMostDigits and kMostExponent.
  static Result<Decimal> parse(std::string_view text);
  /// mantissa * 2^exponent, which always has a finite decimal expansion.
  static Decimal binary(uint64_t mantissa, int exponent, bool negative);

  bool is_zero() const { return digits_.is_zero(); }
  bool negative() const { return negative_; }
  Decimal operator-() const;
  Decimal operator-(const Decimal& other) const;
  Decimal times(int64_t factor) const;
  /// By value: -0 equals 0.
  std::strong_ordering operator<=>(const Decimal& other) const;
  bool operator==(const Decimal& other) const { return (*this <=> other) == 0; }

  /// The nearest double, infinite beyond its range.
  double to_double() const;
  /// All digits: plain from 1e-7 to 1e21, else scientific. "-0" keeps its sign.
  std::string to_string() const;

 private:
  using Integer = boost::multiprecision::cpp_int;
  static Decimal from(Integer digits, int64_t power, bool negative);
  static std::strong_ordering compare_magnitude(const Decimal& a, const Decimal& b);
  /// The digits in units of 10^power, with power <= power_.
  Integer aligned(int64_t power) const;
  /// The power that both can be aligned to.
  static int64_t common_power(const Decimal& a, const Decimal& b);

  Integer digits_;     ///< not negative, without zeros at the end
  int64_t power_ = 0;  ///< value = digits * 10^power_
  bool negative_ = false;
};

}  // namespace engine
