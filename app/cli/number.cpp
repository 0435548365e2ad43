// SPDX-License-Identifier: Apache-2.0
// tensortide number: how each element type stores a number.
#include "engine/tensor/number.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/output.h"

namespace app::cli {
namespace {

using engine::DType;
using engine::StoredNumber;
using nlohmann::json;

struct NumberArguments {
  std::string text, dtype = "all";
  engine::Quantization quantization;
  bool json = false;
};

json as_json(const StoredNumber& number) {
  const auto text = [](const std::string& value) { return value.empty() ? json(nullptr) : json(value); };
  return {{"dtype", name(number.dtype)},
          {"kind", name(number.kind)},
          {"bits", fmt::format("0x{:0{}x}", number.bits, 2 * size_bytes(number.dtype))},
          {"sign", text(number.sign)},
          {"exponent", text(number.exponent)},
          {"fraction", number.fraction},
          {"value", number.value},
          {"error", text(number.error)},
          {"relative_error", json_number(number.relative_error)},
          {"spacing", text(number.spacing)},
          {"below", text(number.below)},
          {"above", text(number.above)},
          {"largest", number.largest},
          {"smallest_normal", text(number.smallest_normal)},
          {"smallest_subnormal", text(number.smallest_subnormal)},
          {"overflowed", number.overflowed},
          {"underflowed", number.underflowed}};
}

constexpr size_t kDigits = 17;  // tell any two values of f64 apart

/// An exact decimal rounded to kDigits significant digits, half away from zero. Exact ones may have a thousand, which
/// --json prints.
std::string rounded(const std::string& exact) {
  const size_t first = exact.find_first_of("123456789"), exponent = std::min(exact.find('e'), exact.size());
  if (first == std::string::npos || first > exponent) return exact;
  const size_t point = exact.find('.');
  if (point == std::string::npos) return exact;  // whole numbers have no more than 21 digits
  std::string digits;
  for (const char c : exact.substr(first, exponent - first)) digits += c == '.' ? "" : std::string(1, c);
  if (digits.size() <= kDigits) return exact;
  const bool up = digits[kDigits] >= '5';
  std::string kept = exact.substr(0, first + kDigits + (point > first && point < first + kDigits ? 1 : 0));
  for (size_t i = kept.size(); up && i-- > 0;) {
    if (kept[i] == '.' || kept[i] == '-') continue;
    if (kept[i] != '9') {
      ++kept[i];
      break;
    }
    kept[i] = '0';
    if (kept.find_first_of("123456789") == std::string::npos) return exact;  // 9.99...: the exact text is no worse
  }
  return kept + exact.substr(exponent);
}

/// What a user typed may be as long.
std::string shortened(const std::string& text) {
  constexpr size_t kMost = 60;
  return text.size() <= kMost
             ? text
             : fmt::format("{}... ({} characters; --json has all)", text.substr(0, kMost), text.size());
}

/// Returns whether some value is rounded.
bool print(const NumberArguments& options, const StoredNumber& number) {
  const bool floating = is_floating(number.dtype);
  const auto row = [](std::string_view title, const std::string& value) {
    if (!value.empty()) show("  {:<20} {}\n", title, value);
  };
  show("{} in {}{}{}\n", shortened(options.text), name(number.dtype),
       number.overflowed ? floating ? ": too large, becomes infinite" : ": out of range, held at its end" : "",
       number.underflowed ? ": too small, becomes zero" : "");
  const std::string hex = fmt::format("0x{:0{}x}", number.bits, 2 * size_bytes(number.dtype));
  row("bits", floating
                  ? fmt::format("{} | {} | {}   {}: sign, exponent ({}), fraction ({})", number.sign, number.exponent,
                                number.fraction, hex, number.exponent.size(), number.fraction.size())
                  : fmt::format("{}   {}: {}", number.fraction, hex,
                                number.dtype == DType::uint8 ? "unsigned" : "two's complement"));
  row("kind", std::string(name(number.kind)));
  bool some_rounded = false;
  const auto value = [&](std::string_view title, const std::string& exact, const std::string& behind = {}) {
    const std::string shown = rounded(exact);
    some_rounded = some_rounded || shown != exact;
    if (!shown.empty()) row(title, shown + behind);
  };
  value("value stored", number.value);
  value("error", number.error, fmt::format(" ({:.3g} of the number)", number.relative_error));
  value("spacing", number.spacing);
  value("next below", number.below);
  value("next above", number.above);
  value("largest", number.largest);
  value("smallest normal", number.smallest_normal);
  value("smallest subnormal", number.smallest_subnormal);
  return some_rounded;
}

int number(const NumberArguments& options) {
  std::vector<DType> dtypes{DType::float64, DType::float32, DType::bfloat16, DType::float16};
  if (options.dtype != "all") {
    const std::optional<DType> dtype = engine::parse_dtype(options.dtype);
    if (!dtype) {
      return report(engine::usage_error(fmt::format(
          "there is no dtype \"{}\"; expected f64, f32, bf16, f16, i8, u8, or all for the four floating ones",
          options.dtype)));
    }
    dtypes = {*dtype};
  }
  json all = json::array();
  bool some_rounded = false;
  for (const DType dtype : dtypes) {
    const auto stored = engine::inspect_number(options.text, dtype, options.quantization);
    if (!stored) return report(stored.error());
    if (options.json) {
      all.push_back(as_json(*stored));
    } else {
      show("{}", dtype == dtypes.front() ? "" : "\n");
      some_rounded = print(options, *stored) || some_rounded;
    }
  }
  if (some_rounded) show("\nValues are rounded to {} digits; --json has all.\n", kDigits);
  if (options.json) print_json(json{{"number", options.text}, {"formats", all}});
  return kDone;
}

}  // namespace

Handler add_number(CLI::App& verb) {
  auto o = std::make_shared<NumberArguments>();
  verb.add_option("number", o->text, "Decimal number such as 1.4, 6e-8, inf, nan; -- before a negative one")
      ->required()
      ->option_text("NUMBER");
  verb.add_option("--dtype", o->dtype, "Data type [all, f64, f32, bf16, f16, i8, u8] (default all: floats)")
      ->option_text("TYPE");
  verb.add_option("--scale", o->quantization.scale, "i8, u8: value = (integer - zero point) * scale (default 1)")
      ->option_text("X");
  verb.add_option("--zero-point", o->quantization.zero_point, "i8, u8: integer that means zero (default 0)")
      ->option_text("N");
  verb.add_flag("--json", o->json, "Print one JSON document; exact values are text")->group("Output");
  verb.footer("Example: tensortide number 1.4 --dtype f16");
  return [o] { return number(*o); };
}

}  // namespace app::cli
