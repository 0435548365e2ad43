// SPDX-License-Identifier: Apache-2.0
// FLOPs by shape for the ops whose inputs say all that is needed.
#include "profiler/import/shape_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace profiler {
namespace {

constexpr size_t kMostExtents = 4096;
using Shape = std::vector<int64_t>;

/// 2 m k n for a [.., m, k] and b [.., k, n] (b transposed: [n, k]); negative: the shapes do not fit.
double product(const Shape& a, const Shape& b, bool b_transposed) {
  if (a.size() < 2 || b.size() < 2) return -1;
  const int64_t k = a.back(), n = b_transposed ? b[b.size() - 2] : b.back();
  const int64_t inner = b_transposed ? b.back() : b[b.size() - 2];
  if (k != inner) return -1;
  double rows = 1;
  for (size_t i = 0; i + 1 < a.size(); ++i) rows *= static_cast<double>(a[i]);
  // a batch only on the right is repeated for each matrix on the left
  for (size_t i = 0; i + 2 < b.size() && a.size() == 2; ++i) rows *= static_cast<double>(b[i]);
  return 2 * rows * static_cast<double>(k) * static_cast<double>(n);
}

/// Calls that touch no element: views, allocations, questions.
bool computes_nothing(std::string_view name) {
  constexpr std::array kNothing{
      std::string_view("aten::view"), std::string_view("aten::_unsafe_view"), std::string_view("aten::t"), std::string_view("aten::transpose"),
      std::string_view("aten::permute"), std::string_view("aten::as_strided"), std::string_view("aten::expand"), std::string_view("aten::slice"),
      std::string_view("aten::select"), std::string_view("aten::unsqueeze"), std::string_view("aten::squeeze"), std::string_view("aten::empty"),
      std::string_view("aten::empty_strided"), std::string_view("aten::empty_like"), std::string_view("aten::resize_"), std::string_view("aten::detach"),
      std::string_view("detach"), std::string_view("detach_"), std::string_view("aten::detach_"), std::string_view("aten::reshape"),
      std::string_view("aten::_reshape_alias"), std::string_view("aten::alias"), std::string_view("aten::narrow"), std::string_view("aten::split"),
      std::string_view("aten::chunk"), std::string_view("aten::unbind"), std::string_view("aten::flatten"), std::string_view("aten::is_nonzero"),
      std::string_view("aten::size"), std::string_view("aten::result_type"), std::string_view("aten::lift_fresh")};
  return std::find(kNothing.begin(), kNothing.end(), name) != kNothing.end();
}

/// The texts of a JSON list of strings, or of what stands between commas.
std::vector<std::string_view> texts_of(std::string_view json) {
  std::vector<std::string_view> texts;
  for (size_t at = json.find('"'); at != json.npos && texts.size() < kMostExtents;) {
    const size_t end = json.find('"', at + 1);
    if (end == json.npos) break;
    texts.push_back(json.substr(at + 1, end - at - 1));
    at = json.find('"', end + 1);
  }
  return texts;
}

}  // namespace

std::vector<Shape> parse_dimensions(std::string_view json) {
  std::vector<Shape> shapes;
  Shape current;
  int depth = 0;
  size_t extents = 0;
  bool leaf = false;  // the list that is open holds numbers or nothing
  for (size_t i = 0; i < json.size() && extents < kMostExtents && shapes.size() < kMostExtents; ++i) {
    const char c = json[i];
    if (c == '[') {
      ++depth;
      current.clear();
      leaf = true;
    } else if (c == ']') {
      if (--depth < 0) return {};
      if (leaf && depth > 0) shapes.push_back(current);
      leaf = false;
    } else if ((c >= '0' && c <= '9') || c == '-') {
      int64_t extent = 0;
      const auto [end, error] = std::from_chars(json.data() + i, json.data() + json.size(), extent);
      if (error != std::errc() || extent < 0) return {};
      current.push_back(extent);
      ++extents;
      i = static_cast<size_t>(end - json.data()) - 1;
    } else if (c != ',' && c != ' ' && c != '\n' && c != '\r' && c != '\t') {
      return {};
    }
  }
  return shapes;
}

ShapeCost cost_of_call(std::string_view name, std::string_view dimensions, std::string_view) {
  if (computes_nothing(name)) return {true, 0};
  const bool plain = name == "aten::mm" || name == "aten::bmm" || name == "aten::matmul";
  const bool adds = name == "aten::addmm" || name == "aten::baddbmm", linear = name == "aten::linear";
  if (!plain && !adds && !linear) return {};
  const std::vector<Shape> shapes = parse_dimensions(dimensions);
  const size_t first = adds ? 1 : 0;
  if (shapes.size() < first + 2) return {};
  const double flops = product(shapes[first], shapes[first + 1], linear);
  return flops < 0 ? ShapeCost{} : ShapeCost{true, flops};
}

std::string shapes_in_words(std::string_view dimensions, std::string_view types) {
  constexpr size_t kMostWords = 6;
  std::vector<std::string> words;
  size_t left_out = 0;
  for (const Shape& shape : parse_dimensions(dimensions)) {
    if (shape.empty()) continue;
    if (words.size() == kMostWords) {
      ++left_out;
    } else {
      words.push_back(fmt::format("[{}]", fmt::join(shape, ",")));
    }
  }
  if (words.empty()) return {};
  if (left_out > 0) words.push_back(fmt::format("and {} more", left_out));
  for (const std::string_view type : texts_of(types)) {  // the first tensor type names them
    if (type.empty() || type == "Scalar" || type == "ScalarList" || type == "Int" || type == "long int" || type == "GenericList") continue;
    words.emplace_back(type);
    break;
  }
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace profiler
