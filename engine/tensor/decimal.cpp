// SPDX-License-Identifier: Apache-2.0
// Schoolbook arithmetic on decimal digits.
#include "engine/tensor/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace engine {
namespace {

using Digits = std::vector<uint8_t>;

void multiply(Digits& digits, uint64_t factor) {
  uint64_t carry = 0;  // below 10 * factor, so factors up to 2^59 are safe
  for (uint8_t& digit : digits) {
    carry += digit * factor;
    digit = static_cast<uint8_t>(carry % 10);
    carry /= 10;
  }
  for (; carry > 0; carry /= 10) digits.push_back(static_cast<uint8_t>(carry % 10));
}

Digits digits_of(uint64_t value) {
  Digits digits;
  for (; value > 0; value /= 10) digits.push_back(static_cast<uint8_t>(value % 10));
  return digits;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Decimal::Decimal(int64_t value)
    : Decimal(from(digits_of(value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value)), 0, value < 0)) {}

Decimal Decimal::from(Digits digits, int64_t power, bool negative) {
  Decimal result;
  while (!digits.empty() && digits.back() == 0) digits.pop_back();
  const auto first = std::ranges::find_if(digits, [](uint8_t digit) { return digit != 0; });
  result.power_ = digits.empty() ? 0 : power + (first - digits.begin());
  digits.erase(digits.begin(), first);
  result.digits_ = std::move(digits);
  result.negative_ = negative;
  return result;
}

Result<Decimal> Decimal::parse(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return usage_error(fmt::format("[number] \"{}\" {}", text.size() > 60 ? std::string(text.substr(0, 57)) + "..." : std::string(text), why));
  };
  constexpr std::string_view kNoNumber = "is no decimal number such as 1.4, -0.5 or 6e-8";
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest[0] == '-';
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
  Digits digits;
  int64_t power = 0;
  bool point = false, any = false;
  for (; !rest.empty() && (is_digit(rest[0]) || (rest[0] == '.' && !point)); rest.remove_prefix(1)) {
    if (rest[0] == '.') {
      point = true;
      continue;
    }
    any = true;
    digits.push_back(static_cast<uint8_t>(rest[0] - '0'));
    if (point) --power;
  }
  if (!any) return refuse(kNoNumber);
  if (digits.size() > kMostDigits) return refuse(fmt::format("has {} digits, the most are {}", digits.size(), kMostDigits));
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
  std::ranges::reverse(digits);
  return from(std::move(digits), power, negative);
}

Decimal Decimal::binary(uint64_t mantissa, int exponent, bool negative) {
  Digits digits = digits_of(mantissa);
  for (int i = 0; i < std::abs(exponent); ++i) multiply(digits, exponent > 0 ? 2 : 5);  // 2^-e = 5^e / 10^e
  return from(std::move(digits), std::min(exponent, 0), negative);
}

Decimal Decimal::operator-() const {
  Decimal result = *this;
  result.negative_ = !negative_;
  return result;
}

Decimal::Digits Decimal::aligned(int64_t power) const {
  Digits digits(digits_.empty() ? 0 : static_cast<size_t>(power_ - power), 0);
  digits.insert(digits.end(), digits_.begin(), digits_.end());
  return digits;
}

std::strong_ordering Decimal::compare_magnitude(const Decimal& a, const Decimal& b) {
  if (a.is_zero() || b.is_zero()) return !a.is_zero() <=> !b.is_zero();
  const int64_t a_end = a.power_ + static_cast<int64_t>(a.digits_.size()), b_end = b.power_ + static_cast<int64_t>(b.digits_.size());
  if (a_end != b_end) return a_end <=> b_end;
  const int64_t power = std::min(a.power_, b.power_);
  const Digits left = a.aligned(power), right = b.aligned(power);
  return std::lexicographical_compare_three_way(left.rbegin(), left.rend(), right.rbegin(), right.rend());
}

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
  const bool minus = negative_ && !is_zero(), other_minus = other.negative_ && !other.is_zero();
  if (minus != other_minus) return other_minus <=> minus;
  return minus ? compare_magnitude(other, *this) : compare_magnitude(*this, other);
}

Decimal Decimal::operator-(const Decimal& other) const {
  const int64_t power = std::min(is_zero() ? other.power_ : power_, other.is_zero() ? power_ : other.power_);
  Digits left = aligned(power), right = other.aligned(power);
  const size_t length = std::max(left.size(), right.size()) + 1;
  left.resize(length, 0);
  right.resize(length, 0);
  if (negative_ != other.negative_) {  // magnitudes add up
    for (size_t i = 0, carry = 0; i < length; ++i) {
      const size_t sum = left[i] + right[i] + carry;
      left[i] = static_cast<uint8_t>(sum % 10);
      carry = sum / 10;
    }
    return from(std::move(left), power, negative_);
  }
  const bool swapped = compare_magnitude(*this, other) < 0;
  if (swapped) std::swap(left, right);
  for (size_t i = 0, borrow = 0; i < length; ++i) {
    const size_t taken = right[i] + borrow;
    borrow = left[i] < taken ? 1 : 0;
    left[i] = static_cast<uint8_t>(left[i] + 10 * borrow - taken);
  }
  Decimal result = from(std::move(left), power, negative_ != swapped);
  if (result.is_zero()) result.negative_ = false;
  return result;
}

Decimal Decimal::times(int64_t factor) const {
  Digits digits = digits_;
  multiply(digits, static_cast<uint64_t>(std::abs(factor)));
  Decimal result = from(std::move(digits), power_, negative_ != (factor < 0));
  if (result.is_zero()) result.negative_ = false;
  return result;
}

double Decimal::to_double() const {
  std::string text = negative_ ? "-" : "";
  if (is_zero()) text += "0";
  for (auto digit = digits_.rbegin(); digit != digits_.rend(); ++digit) text += static_cast<char>('0' + *digit);
  return std::strtod(fmt::format("{}e{}", text, power_).c_str(), nullptr);
}

std::string Decimal::to_string() const {
  std::string digits;
  for (auto digit = digits_.rbegin(); digit != digits_.rend(); ++digit) digits += static_cast<char>('0' + *digit);
  const std::string sign = negative_ ? "-" : "";
  if (digits.empty()) return sign + "0";
  const int64_t point = static_cast<int64_t>(digits.size()) + power_;  // digits before the point
  if (point > 21 || point < -6) {
    return fmt::format("{}{}{}{}e{}", sign, digits[0], digits.size() > 1 ? "." : "", digits.substr(1), point - 1);
  }
  if (point <= 0) return sign + "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  if (power_ >= 0) return sign + digits + std::string(static_cast<size_t>(power_), '0');
  return sign + digits.substr(0, static_cast<size_t>(point)) + "." + digits.substr(static_cast<size_t>(point));
}

}  // namespace engine
