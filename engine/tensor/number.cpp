// SPDX-License-Identifier: Apache-2.0
// Rounds an exact decimal to a format, and reads the format's bits back as exact decimals.
#include "engine/tensor/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include "engine/tensor/decimal.h"
#include "engine/tensor/element.h"

namespace engine {
namespace {

/// A binary interchange format: sign, exponent, fraction from the top bit down.
struct Format {
  int exponent_bits, fraction_bits;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int total_bits() const { return 1 + exponent_bits + fraction_bits; }
  uint64_t infinity() const { return ((uint64_t{1} << exponent_bits) - 1) << fraction_bits; }  ///< magnitude bits
  uint64_t sign_bit() const { return uint64_t{1} << (total_bits() - 1); }
};

std::optional<Format> format_of(DType dtype) {
  switch (dtype) {
    case DType::float64: return Format{11, 52};
    case DType::float32: return Format{8, 23};
    case DType::bfloat16: return Format{8, 7};
    case DType::float16: return Format{5, 10};
    default: return std::nullopt;
  }
}

/// The exact value of finite bits.
Decimal decode(const Format& format, uint64_t bits) {
  const uint64_t magnitude = bits & (format.sign_bit() - 1), unit = uint64_t{1} << format.fraction_bits;
  const auto exponent = static_cast<int>(magnitude >> format.fraction_bits);
  const uint64_t fraction = magnitude & (unit - 1);
  const bool negative = (bits & format.sign_bit()) != 0;
  const int lowest = 1 - format.bias() - format.fraction_bits;
  if (exponent == 0) return Decimal::binary(fraction, lowest, negative);
  return Decimal::binary(unit + fraction, lowest + exponent - 1, negative);
}

std::string shown(const Format& format, uint64_t bits) {
  const uint64_t magnitude = bits & (format.sign_bit() - 1);
  if (magnitude > format.infinity()) return "nan";
  if (magnitude == format.infinity()) return (bits & format.sign_bit()) != 0 ? "-inf" : "inf";
  return decode(format, bits).to_string();
}

/// The bits of the neighbour towards +inf (or -inf); `bits` is finite, or infinite on the other side.
uint64_t neighbour(const Format& format, uint64_t bits, bool up) {
  const bool negative = (bits & format.sign_bit()) != 0;
  const uint64_t magnitude = bits & (format.sign_bit() - 1);
  if (magnitude == 0) return up ? 1 : (format.sign_bit() | 1);
  return negative == up ? bits - 1 : bits + 1;
}

/// `exact` as a double whose last bit is odd where it is not exact, so that storing it in a narrower format rounds only
/// once.
double round_to_odd(const Decimal& exact) {
  const double nearest = exact.to_double();
  if (!std::isfinite(nearest)) return nearest;
  auto bits = std::bit_cast<uint64_t>(nearest);
  const Decimal value = decode({11, 52}, bits);
  if (value == exact) return nearest;
  const bool too_large = exact.negative() ? value < exact : value > exact;
  if (too_large) --bits;
  return std::bit_cast<double>(bits | 1u);
}

uint64_t store(DType dtype, double value) {
  std::array<std::byte, 8> bytes{};
  store_element(dtype, bytes.data(), value);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), static_cast<size_t>(size_bytes(dtype)));  // little-endian, as every file we write
  return bits;
}

std::string binary_digits(uint64_t bits, int count) {
  return count == 0 ? std::string()
                    : fmt::format("{:0{}b}", bits & (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1), count);
}

NumberKind kind_of(const Format& format, uint64_t bits) {
  const uint64_t magnitude = bits & (format.sign_bit() - 1);
  if (magnitude == 0) return NumberKind::zero;
  if (magnitude > format.infinity()) return NumberKind::nan;
  if (magnitude == format.infinity()) return NumberKind::infinite;
  return magnitude < (uint64_t{1} << format.fraction_bits) ? NumberKind::subnormal : NumberKind::normal;
}

void set_error(StoredNumber& number, const Decimal& value, const Decimal& typed) {
  const Decimal error = value - typed;
  number.error = error.to_string();
  // Numbers of f64 end where those typed here may go on: 1e-400, and errors of subnormal numbers.
  const auto wide = [](const Decimal& d) { return std::strtold(d.to_string().c_str(), nullptr); };
  number.relative_error = typed.is_zero() ? 0 : static_cast<double>(std::abs(wide(error) / wide(typed)));
}

/// `typed`: nothing for infinities and NaN, whose value is then `special`.
StoredNumber inspect_floating(const std::optional<Decimal>& typed, double special, DType dtype, const Format& format) {
  StoredNumber number;
  number.dtype = dtype;
  const double source = !typed ? special : dtype == DType::float64 ? typed->to_double() : round_to_odd(*typed);
  const uint64_t bits = store(dtype, source);
  const uint64_t magnitude = bits & (format.sign_bit() - 1);
  number.bits = bits;
  number.kind = kind_of(format, bits);
  number.sign = binary_digits(bits >> (format.total_bits() - 1), 1);
  number.exponent = binary_digits(bits >> format.fraction_bits, format.exponent_bits);
  number.fraction = binary_digits(bits, format.fraction_bits);
  number.value = shown(format, bits);
  number.largest = shown(format, format.infinity() - 1);
  number.smallest_normal = shown(format, uint64_t{1} << format.fraction_bits);
  number.smallest_subnormal = shown(format, 1);
  number.overflowed = typed.has_value() && number.kind == NumberKind::infinite;
  number.underflowed = typed.has_value() && !typed->is_zero() && magnitude == 0;
  number.relative_error = std::numeric_limits<double>::quiet_NaN();
  if (number.kind == NumberKind::nan) return number;
  const bool infinite = number.kind == NumberKind::infinite, negative = (bits & format.sign_bit()) != 0;
  if (!infinite || negative) number.above = shown(format, neighbour(format, bits, true));
  if (!infinite || !negative) number.below = shown(format, neighbour(format, bits, false));
  if (infinite) return number;
  // Above the largest number the spacing is that below it.
  const uint64_t low = std::min(magnitude, format.infinity() - 2);
  number.spacing = (decode(format, low + 1) - decode(format, low)).to_string();
  set_error(number, decode(format, bits), *typed);
  return number;
}

/// The integer nearest to typed / scale, ties to even, held in +-2^32.
int64_t nearest_multiple(const Decimal& typed, const Decimal& scale) {
  const double quotient = std::floor(typed.to_double() / scale.to_double());
  int64_t n = static_cast<int64_t>(std::clamp(quotient, -0x1p32, 0x1p32));
  if (std::abs(quotient) >= 0x1p32) return n;
  while (scale.times(n) > typed) --n;  // the division in double may be off by one
  while (scale.times(n + 1) <= typed) ++n;
  const auto beside = typed.times(2) <=> scale.times(2 * n + 1);
  return beside < 0 || (beside == 0 && n % 2 == 0) ? n : n + 1;
}

Result<StoredNumber> inspect_quantized(const std::optional<Decimal>& typed, double special, DType dtype,
                                       const Quantization& by) {
  const int64_t low = dtype == DType::int8 ? -128 : 0, high = low + 255;
  const Result<Decimal> scale = Decimal::parse(by.scale);
  if (!scale) return scale.error();
  if (*scale <= Decimal(0)) return usage_error(fmt::format("[number] scale = {}, expected a number above 0", by.scale));
  if (!(scale->to_double() > 0) || !std::isfinite(scale->to_double())) {
    return usage_error(fmt::format("[number] scale = {} is beyond the range of f64", by.scale));
  }
  if (by.zero_point < low || by.zero_point > high) {
    return usage_error(
        fmt::format("[number] zero point = {}, expected {} to {} for {}", by.zero_point, low, high, name(dtype)));
  }
  if (!typed && std::isnan(special)) return usage_error(fmt::format("[number] {} has no NaN", name(dtype)));
  StoredNumber number;
  number.dtype = dtype;
  number.kind = NumberKind::integer;
  const int64_t unheld = typed ? nearest_multiple(*typed, *scale) + by.zero_point : special < 0 ? low - 1 : high + 1;
  const int64_t held = std::clamp(unheld, low, high);
  const auto value_of = [&](int64_t integer) { return scale->times(integer - by.zero_point); };
  number.bits = static_cast<uint64_t>(held) & 0xffu;
  number.fraction = binary_digits(number.bits, 8);
  number.value = value_of(held).to_string();
  number.spacing = scale->to_string();
  if (held > low) number.below = value_of(held - 1).to_string();
  if (held < high) number.above = value_of(held + 1).to_string();
  number.largest = value_of(high).to_string();
  number.overflowed = held != unheld;
  number.relative_error = std::numeric_limits<double>::quiet_NaN();
  if (!typed) return number;
  number.underflowed = held == by.zero_point && !typed->is_zero();
  set_error(number, value_of(held), *typed);
  return number;
}

}  // namespace

std::string_view name(NumberKind kind) {
  constexpr std::array<std::string_view, 6> kNames{"zero", "subnormal", "normal", "infinite", "nan", "integer"};
  return kNames[static_cast<size_t>(kind)];
}

Result<StoredNumber> inspect_number(std::string_view text, DType dtype, const Quantization& quantization) {
  const auto format = format_of(dtype);
  if (!format && dtype != DType::int8 && dtype != DType::uint8) {
    return usage_error(fmt::format(
        "[number] {} holds whole numbers as they are; expected f64, f32, bf16, f16, i8 or u8", name(dtype)));
  }
  std::optional<Decimal> typed;
  double special = 0;
  std::string_view word = text;
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.remove_prefix(1);
  if (word == "inf" || word == "infinity") {
    special = negative ? -HUGE_VAL : HUGE_VAL;
  } else if (word == "nan") {
    special = std::copysign(std::numeric_limits<double>::quiet_NaN(), negative ? -1 : 1);
  } else {
    Result<Decimal> parsed = Decimal::parse(text);
    if (!parsed) return parsed.error();
    typed = std::move(*parsed);
  }
  if (format) return inspect_floating(typed, special, dtype, *format);
  return inspect_quantized(typed, special, dtype, quantization);
}

}  // namespace engine
