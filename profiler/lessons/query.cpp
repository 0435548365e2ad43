// SPDX-License-Identifier: Apache-2.0
// Parses and evaluates queries of lessons by descent; the same walk checks them before anything ran.
#include "profiler/lessons/query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/display_text.h"
#include "engine/base/nearest_name.h"
#include "profiler/base/statistics.h"

namespace profiler {
namespace {

using engine::Result;
using engine::usage_error;
using Json = QuerySource::Json;

constexpr int kMostDepth = 20;
const std::vector<std::string> kWays{"sum", "mean", "min", "max", "median", "count", "first", "last"};

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

struct Filter {
  std::string key, value;  ///< key empty: of the first column
};
struct PathPart {
  std::string name;
  std::vector<Filter> filters;
};
using Path = std::vector<PathPart>;

/// What a number under this key means.
Quantity quantity_of(std::string_view key) {
  if (key.ends_with("_ns")) return Quantity::duration_ns;
  if (key.ends_with("bytes_per_s")) return Quantity::bytes_per_s;
  if (key == "size_bytes") return Quantity::capacity_bytes;
  if (key.ends_with("_bytes") || key.ends_with("_bytes_per_sample")) return Quantity::bytes;
  if (key == "flops") return Quantity::flops;
  if (key.ends_with("flop_per_s")) return Quantity::flop_per_s;
  if (key.ends_with("flop_per_byte")) return Quantity::intensity;
  constexpr std::array kShares{"share_ratio",  "roof_ratio",        "limit_ratio",      "noise_ratio", "miss_ratio",
                               "serial_ratio", "utilisation_ratio", "efficiency_ratio", "step_ratio"};
  if (std::ranges::find(kShares, key) != kShares.end()) return Quantity::percent_of;
  return key.ends_with("_ratio") ? Quantity::ratio : Quantity::count;
}

/// The quantity of a sum or product; what has none of ours is a plain number.
Quantity joined(char sign, const QueryValue& a, const QueryValue& b) {
  const bool plain = b.quantity == Quantity::count;
  if (sign == '+' || sign == '-') return a.quantity == b.quantity || plain ? a.quantity : b.quantity;
  if (sign == '/' && a.quantity == b.quantity && !b.typed) return Quantity::ratio;
  if (plain) return a.quantity;
  return sign == '*' && a.quantity == Quantity::count ? b.quantity : Quantity::count;
}

bool row_matches(const Json& row, const Filter& filter) {
  if (!row.is_object() || row.empty()) return false;
  const auto cell = filter.key.empty() ? row.begin() : row.find(filter.key);
  if (cell == row.end()) return false;
  if (cell->is_string()) return cell->get<std::string>() == filter.value;
  if (!cell->is_number()) return false;
  double wanted = 0;
  const char* end = filter.value.data() + filter.value.size();
  const auto [rest, code] = std::from_chars(filter.value.data(), end, wanted);
  return code == std::errc() && rest == end && wanted == cell->get<double>();
}

class Reader {
 public:
  Reader(std::string_view text, const QueryResults* results, const QueryKinds* kinds)
      : text_(text), results_(results), kinds_(kinds) {}

  Result<QueryValue> whole() {
    if (text_.size() > kMostQueryBytes)
      return usage_error(fmt::format("the query has {} bytes; at most {} are allowed", text_.size(), kMostQueryBytes));
    Result<QueryValue> value = sum();
    if (!value) return value;
    skip();
    if (at_ < text_.size()) return wrong(fmt::format("unexpected \"{}\"", text_.substr(at_)));
    return value;
  }

 private:
  engine::Error wrong(const std::string& what) const {
    return usage_error(
        fmt::format("query \"{}\": {}", engine::display_line(text_, 120), engine::display_line(what, 400)));
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char wanted) {
    skip();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  Result<QueryValue> combined(char sign, const QueryValue& a, const QueryValue& b) const {
    if (a.value.index() == 2 || b.value.index() == 2) return wrong("text cannot be computed with");
    QueryValue value{{}, joined(sign, a, b), {}, a.typed && b.typed};
    if (!a.known() || !b.known()) return value;
    const double x = a.number(), y = b.number();
    const double result = sign == '+' ? x + y : sign == '-' ? x - y : sign == '*' ? x * y : x / y;
    if (std::isfinite(result)) value.value = result;
    return value;
  }

  Result<QueryValue> chain(std::string_view signs, Result<QueryValue> (Reader::*next)()) {
    Result<QueryValue> value = (this->*next)();
    while (value) {
      skip();
      if (at_ >= text_.size() || signs.find(text_[at_]) == std::string_view::npos) break;
      const char sign = text_[at_++];
      const Result<QueryValue> other = (this->*next)();
      if (!other) return other;
      value = combined(sign, *value, *other);
    }
    return value;
  }
  Result<QueryValue> sum() { return chain("+-", &Reader::product); }
  Result<QueryValue> product() { return chain("*/", &Reader::factor); }

  Result<QueryValue> factor() {
    if (++depth_ > kMostDepth) return wrong("too many parentheses");
    Result<QueryValue> value = inner();
    --depth_;
    return value;
  }

  Result<QueryValue> inner() {
    skip();
    if (take('(')) {
      Result<QueryValue> value = sum();
      if (value && !take(')')) return wrong("a closing parenthesis is missing");
      return value;
    }
    if (at_ < text_.size() && begins_name(text_[at_])) return named();
    double number = 0;
    const auto [rest, code] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (code != std::errc() || !std::isfinite(number)) return wrong("a number or a name is missing");
    at_ = static_cast<size_t>(rest - text_.data());
    return QueryValue{number, Quantity::count, {}, true};
  }

  std::string name() {
    const size_t begin = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Result<QueryValue> named() {
    Path path{{name(), {}}};
    if (take('(')) return function(path.front().name);
    for (;;) {
      if (take('[')) {
        Result<std::vector<Filter>> filters = filter();
        if (!filters) return filters.error();
        path.back().filters.insert(path.back().filters.end(), filters->begin(), filters->end());
      } else if (at_ < text_.size() && text_[at_] == '.') {
        ++at_;
        path.push_back({name(), {}});
        if (path.back().name.empty()) return wrong("a name is missing behind the dot");
      } else {
        break;
      }
    }
    return kinds_ != nullptr ? checked(path) : found(path);
  }

  Result<std::vector<Filter>> filter() {
    const size_t end = text_.find(']', at_);
    if (end == std::string_view::npos) return wrong("a closing bracket is missing");
    std::vector<Filter> filters;
    std::string_view rest = text_.substr(at_, end - at_);
    at_ = end + 1;
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view one = rest.substr(0, comma);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      const size_t equals = one.find('=');
      const auto trimmed = [](std::string_view word) {
        const size_t begin = std::min(word.find_first_not_of(' '), word.size());
        word.remove_prefix(begin);
        return std::string(word.substr(0, word.find_last_not_of(' ') + 1));
      };
      if (equals == std::string_view::npos) filters.push_back({"", trimmed(one)});
      else filters.push_back({trimmed(one.substr(0, equals)), trimmed(one.substr(equals + 1))});
    }
    if (filters.empty()) return wrong("the brackets are empty; name a row, as in ops[type=conv2d]");
    return filters;
  }

  Result<QueryValue> function(const std::string& name) {
    const std::vector<std::string> functions{"min", "max", "abs"};
    if (std::ranges::find(functions, name) == functions.end())
      return wrong(fmt::format("there is no function \"{}\"{} There are: {}", name,
                               engine::did_you_mean(name, functions), fmt::join(functions, ", ")));
    std::vector<QueryValue> values;
    do {
      Result<QueryValue> value = sum();
      if (!value) return value;
      if (value->value.index() == 2) return wrong("text cannot be computed with");
      values.push_back(*std::move(value));
    } while (take(','));
    if (!take(')')) return wrong("a closing parenthesis is missing");
    if ((name == "abs") != (values.size() == 1) || values.size() > 8)
      return wrong(fmt::format("{} takes {}", name, name == "abs" ? "one value" : "2 to 8 values"));
    QueryValue result = values.front();
    for (const QueryValue& value : values) {
      if (!value.known()) return QueryValue{{}, result.quantity};
      if (!result.known()) continue;
      const double a = result.number(), b = value.number();
      result.value = name == "abs" ? std::abs(a) : name == "min" ? std::min(a, b) : std::max(a, b);
    }
    return result;
  }

  /// The names of a path against the catalog; the value is unknown.
  Result<QueryValue> checked(Path path) const {
    const auto source = kinds_->find(path.front().name);
    if (source == kinds_->end()) {
      std::vector<std::string> ids;
      for (const auto& [id, kind] : *kinds_) ids.push_back(id);
      return wrong(fmt::format("no run has the id \"{}\"{} There are: {}", path.front().name,
                               engine::did_you_mean(path.front().name, ids), fmt::join(ids, ", ")));
    }
    if (path.size() < 2)
      return wrong(fmt::format("name a figure of {}, as in {}.step_ns", source->first, source->first));
    const QueryValue unknown{{}, quantity_of(path.back().name)};
    if (source->second == SourceKind::document) return unknown;
    const QueryName* const known = find_query_name(source->second, path[1].name);
    if (known == nullptr) {
      std::vector<std::string> names;
      for (const QueryName& one : query_names())
        if (one.kind == source->second) names.emplace_back(one.name);
      return wrong(fmt::format("{} has no \"{}\"{} There are: {}", source->first, path[1].name,
                               engine::did_you_mean(path[1].name, names), fmt::join(names, ", ")));
    }
    if (*known->columns == '\0')
      return path.size() == 2 ? Result<QueryValue>(unknown)
                              : wrong(fmt::format("{} is a single figure, without columns", known->name));
    if (path.size() < 3) return wrong(fmt::format("name a column of {}: {}", known->name, known->columns));
    const bool counts = path[2].name == "count" && path.size() == 3;
    if (!counts && !may_have_column(*known, path[2].name))
      return wrong(fmt::format("{} has no column \"{}\"; there are: {}", known->name, path[2].name, known->columns));
    if (path.size() > 4 || (path.size() == 4 && std::ranges::find(kWays, path[3].name) == kWays.end()))
      return wrong(
          fmt::format("there is no way \"{}\" to join rows; there are: {}", path[3].name, fmt::join(kWays, ", ")));
    return unknown;
  }

  Result<QueryValue> found(const Path& path) const {
    const auto source = results_->find(path.front().name);
    if (source == results_->end()) return wrong(fmt::format("there is no result of \"{}\"", path.front().name));
    if (path.size() < 2) return wrong("a figure is missing behind the id");
    const Json* start = source->second->find(path[1].name);
    if (start == nullptr) return wrong(fmt::format("{} has no \"{}\"", path[0].name, path[1].name));
    std::vector<const Json*> now{start};
    std::string key = path[1].name;
    std::optional<QueryValue> joined_rows;
    for (size_t i = 1; i < path.size(); ++i) {
      if (i > 1) {
        const std::string& name = path[i].name;
        const bool has = std::ranges::any_of(now, [&](const Json* j) { return j->is_object() && j->contains(name); });
        if (!has && i + 1 == path.size() && std::ranges::find(kWays, name) != kWays.end()) {
          Result<QueryValue> value = over_rows(name, now, key);
          if (!value) return value;
          joined_rows = *std::move(value);
          break;
        }
        std::vector<const Json*> next;
        for (const Json* j : now)
          if (j->is_object() && j->contains(name)) next.push_back(&(*j)[name]);
        if (next.empty())
          return wrong(now.empty() ? fmt::format("no row matches before \"{}\"", name)
                                   : fmt::format("\"{}\" has no \"{}\"", key, name));
        now = std::move(next);
        key = name;
      }
      now = spread(std::move(now), path[i].filters, i + 1 < path.size());
    }
    if (joined_rows) return *joined_rows;
    if (now.empty()) return wrong("no row matches");
    if (now.size() > 1) return wrong(fmt::format("{} rows match; add one of {}", now.size(), fmt::join(kWays, ", ")));
    return value_of(*now.front(), key);
  }

  /// Arrays become their elements, of which those stay that match.
  static std::vector<const Json*> spread(std::vector<const Json*> now, const std::vector<Filter>& filters, bool more) {
    std::vector<const Json*> rows;
    for (const Json* j : now) {
      if (!j->is_array() || (filters.empty() && !more)) {
        rows.push_back(j);
        continue;
      }
      for (const Json& row : *j)
        if (std::ranges::all_of(filters, [&](const Filter& f) { return row_matches(row, f); })) rows.push_back(&row);
    }
    return rows;
  }

  Result<QueryValue> value_of(const Json& j, const std::string& key) const {
    if (j.is_number()) return QueryValue{j.get<double>(), quantity_of(key)};
    if (j.is_string()) {
      // Exact decimal numbers and the values on the axes of a sweep come as text.
      const auto text = j.get<std::string>();
      double number = 0;
      const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (!text.empty() && code == std::errc() && rest == text.data() + text.size() && std::isfinite(number))
        return QueryValue{number, quantity_of(key), text};
      return QueryValue{text, Quantity::text};
    }
    if (j.is_boolean()) return QueryValue{j.get<bool>() ? 1.0 : 0.0, Quantity::count};
    if (j.is_null()) return QueryValue{{}, quantity_of(key)};
    if (j.is_object() && j.contains("value")) return value_of(j["value"], key);
    return wrong(fmt::format("\"{}\" is a list or a group: name one of its values", key));
  }

  Result<QueryValue> over_rows(const std::string& way, const std::vector<const Json*>& rows,
                               const std::string& key) const {
    if (way == "count") return QueryValue{static_cast<double>(rows.size()), Quantity::count};
    if (rows.empty()) return wrong("no row matches");
    if (way == "first" || way == "last") return value_of(way == "first" ? *rows.front() : *rows.back(), key);
    std::vector<double> numbers;
    for (const Json* row : rows) {
      const Result<QueryValue> value = value_of(*row, key);
      if (!value) return value;
      if (value->value.index() == 2) return wrong(fmt::format("\"{}\" is text: {} needs numbers", key, way));
      if (!value->known()) {
        if (way == "sum") return QueryValue{{}, quantity_of(key)};  // one is unknown: so is the sum
        continue;
      }
      numbers.push_back(value->number());
    }
    if (numbers.empty()) return QueryValue{{}, quantity_of(key)};
    double total = 0;
    for (const double number : numbers) total += number;
    const double result = way == "sum"    ? total
                          : way == "mean" ? total / static_cast<double>(numbers.size())
                          : way == "min"  ? *std::ranges::min_element(numbers)
                          : way == "max"  ? *std::ranges::max_element(numbers)
                                          : median(numbers);
    return QueryValue{result, quantity_of(key)};
  }

  std::string_view text_;
  const QueryResults* results_;
  const QueryKinds* kinds_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double QueryValue::number() const {
  const double* value_of_it = std::get_if<double>(&value);
  return value_of_it != nullptr ? *value_of_it : std::nan("");
}

std::string QueryValue::text() const {
  const auto* text_of_it = std::get_if<std::string>(&value);
  return text_of_it != nullptr ? *text_of_it : shown();
}

std::string QueryValue::shown() const {
  if (const auto* words = std::get_if<std::string>(&value)) return engine::display_line(*words);
  const double x = number();
  if (!exact.empty() && quantity == Quantity::count) return exact;
  if (quantity != Quantity::count || std::isnan(x)) return format_quantity(x, quantity);
  if (typed && std::abs(x) < 1e7) return fmt::format("{:.7g}", x);  // arithmetic of the text is shown as it is
  return std::abs(x) < 1000 && x != std::floor(x) ? fmt::format("{:.3g}", x) : format_quantity(x, quantity);
}

std::string query_fault(std::string_view query, const QueryKinds& kinds) {
  const Result<QueryValue> value = Reader(query, nullptr, &kinds).whole();
  return value ? std::string() : value.error().message;
}

Result<QueryValue> evaluate(std::string_view query, const QueryResults& results) {
  return Reader(query, &results, nullptr).whole();
}

std::vector<QueryPlace> queries_in(std::string_view markdown) {
  std::vector<QueryPlace> places;
  for (size_t at = 0; at < markdown.size(); ++at) {
    if (markdown[at] == '\\') {
      ++at;
      continue;
    }
    if (markdown[at] != '{') continue;
    const size_t end = markdown.find('}', at);
    if (end == std::string_view::npos) break;
    places.push_back({at, end - at + 1, std::string(markdown.substr(at + 1, end - at - 1))});
    at = end;
  }
  return places;
}

std::string with_values(std::string_view markdown, const QueryResults& results) {
  std::string text;
  size_t done = 0;
  const auto copy = [&](std::string_view part) {
    for (size_t i = 0; i < part.size(); ++i)
      if (part[i] != '\\' || i + 1 >= part.size() || (part[i + 1] != '{' && part[i + 1] != '}')) text += part[i];
  };
  for (const QueryPlace& place : queries_in(markdown)) {
    copy(markdown.substr(done, place.begin - done));
    const Result<QueryValue> value = evaluate(place.query, results);
    text += value ? value->shown() : std::string("–");
    done = place.begin + place.length;
  }
  copy(markdown.substr(done));
  return text;
}

}  // namespace profiler
