// SPDX-License-Identifier: Apache-2.0
// Decimal numbers as integers of any length and powers of ten.
#include "engine/tensor/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace engine {
namespace {

using boost::multiprecision::cpp_int;

cpp_int power_of(unsigned base, int64_t exponent) {
  return boost::multiprecision::pow(cpp_int(base), static_cast<unsigned>(exponent));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Decimal::Decimal(int64_t value) : Decimal(from(abs(Integer(value)), 0, value < 0)) {}

Decimal Decimal::from(Integer digits, int64_t power, bool negative) {
  Decimal result;
  if (!digits.is_zero()) {
    for (Integer rest, shorter;; digits = shorter, ++power) {
      divide_qr(digits, Integer(10), shorter, rest);
      if (!rest.is_zero()) break;
    }
    result.power_ = power;
  }
  result.digits_ = std::move(digits);
  result.negative_ = negative;
  return result;
}

Result<Decimal> Decimal::parse(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return usage_error(fmt::format(
        "[number] \"{}\" {}", text.size() > 60 ? std::string(text.substr(0, 57)) + "..." : std::string(text), why));
  };
  constexpr std::string_view kNoNumber = "is no decimal number such as 1.4, -0.5 or 6e-8";
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest[0] == '-';
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
  std::string digits;
  int64_t power = 0;
  bool point = false;
  for (; !rest.empty() && (is_digit(rest[0]) || (rest[0] == '.' && !point)); rest.remove_prefix(1)) {
    if (rest[0] == '.') {
      point = true;
      continue;
    }
    digits += rest[0];
    if (point) --power;
  }
  if (digits.empty()) return refuse(kNoNumber);
  if (digits.size() > kMostDigits)
    return refuse(fmt::format("has {} digits, the most are {}", digits.size(), kMostDigits));
  if (!rest.empty() && (rest[0] == 'e' || rest[0] == 'E')) {
    rest.remove_prefix(1);
    if (rest.size() > 1 && rest[0] == '+' && is_digit(rest[1])) rest.remove_prefix(1);
    int64_t exponent = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
    if (error == std::errc::invalid_argument) return refuse(kNoNumber);
    if (error != std::errc() || std::abs(exponent) > kMostExponent) {
      return refuse(fmt::format("has an exponent beyond -{} to {}", kMostExponent, kMostExponent));
    }
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    power += exponent;
  }
  if (!rest.empty()) return refuse(kNoNumber);
  digits.erase(0, digits.find_first_not_of('0'));  // which would make it octal
  return from(digits.empty() ? Integer() : Integer(digits), power, negative);
}

Decimal Decimal::binary(uint64_t mantissa, int exponent, bool negative) {
  const Integer factor = power_of(exponent > 0 ? 2 : 5, std::abs(exponent));  // 2^-e = 5^e / 10^e
  return from(mantissa * factor, std::min(exponent, 0), negative);
}

Decimal Decimal::operator-() const {
  Decimal result = *this;
  result.negative_ = !negative_;
  return result;
}

Decimal::Integer Decimal::aligned(int64_t power) const {
  return is_zero() ? digits_ : Integer(digits_ * power_of(10, power_ - power));
}

int64_t Decimal::common_power(const Decimal& a, const Decimal& b) {
  return std::min(a.is_zero() ? b.power_ : a.power_, b.is_zero() ? a.power_ : b.power_);
}

std::strong_ordering Decimal::compare_magnitude(const Decimal& a, const Decimal& b) {
  const int64_t power = common_power(a, b);
  return a.aligned(power).compare(b.aligned(power)) <=> 0;
}

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
  const bool minus = negative_ && !is_zero(), other_minus = other.negative_ && !other.is_zero();
  if (minus != other_minus) return other_minus <=> minus;
  return minus ? compare_magnitude(other, *this) : compare_magnitude(*this, other);
}

Decimal Decimal::operator-(const Decimal& other) const {
  const int64_t power = common_power(*this, other);
  const Integer left = aligned(power), right = other.aligned(power);
  if (negative_ != other.negative_) return from(left + right, power, negative_);  // magnitudes add up
  const Integer difference = left - right;
  return from(abs(difference), power, !difference.is_zero() && negative_ != (difference < 0));
}

Decimal Decimal::times(int64_t factor) const {
  Decimal result = from(digits_ * abs(Integer(factor)), power_, negative_ != (factor < 0));
  if (result.is_zero()) result.negative_ = false;
  return result;
}

double Decimal::to_double() const {
  return std::strtod(fmt::format("{}{}e{}", negative_ ? "-" : "", digits_.str(), power_).c_str(), nullptr);
}

std::string Decimal::to_string() const {
  const std::string digits = digits_.str(), sign = negative_ ? "-" : "";
  if (is_zero()) return sign + "0";
  const int64_t point = static_cast<int64_t>(digits.size()) + power_;  // digits before the point
  if (point > 21 || point < -6) {
    return fmt::format("{}{}{}{}e{}", sign, digits[0], digits.size() > 1 ? "." : "", digits.substr(1), point - 1);
  }
  if (point <= 0) return sign + "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  if (power_ >= 0) return sign + digits + std::string(static_cast<size_t>(power_), '0');
  return sign + digits.substr(0, static_cast<size_t>(point)) + "." + digits.substr(static_cast<size_t>(point));
}

}  // namespace engine
