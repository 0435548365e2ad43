// SPDX-License-Identifier: Apache-2.0
// Queries of lessons: names of figures in the results of a lesson's runs, with + - * / between them.
//
//   small.ops[type=conv2d].time_ns.sum / small.step_ns
//
// A name is the id of a run, a table or figure (query_names.h), a filter of rows, a column; where several rows match,
// how they become one: sum, mean, min, max, median, count, first, last. Functions: min(a, b), max(a, b), abs(a).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "profiler/base/table.h"
#include "profiler/lessons/query_source.h"

namespace profiler {

/// A text, or a number in base units with its meaning; neither: unknown.
struct QueryValue {
  std::variant<std::monostate, double, std::string> value;
  Quantity quantity = Quantity::count;
  std::string exact = {};  ///< digits of a number that a document gave as text; empty: it did not
  bool typed = false;      ///< made of numbers that the query itself has

  bool known() const { return value.index() != 0; }
  double number() const;  ///< NaN: unknown, or a text
  std::string text() const;
  std::string shown() const;  ///< "12.3 ms", "7.46x"; an en dash where it is unknown
};

/// What the runs of a lesson gave, by id; "machine" is where they ran.
using QueryResults = std::map<std::string, std::shared_ptr<const QuerySource>>;
/// What kind of result each id will have.
using QueryKinds = std::map<std::string, SourceKind>;

inline constexpr size_t kMostQueryBytes = 500;

/// What is wrong with a query before anything ran: its form, an id, table, figure, column or function that is not
/// there. Empty: nothing.
std::string query_fault(std::string_view query, const QueryKinds&);

/// Fails (usage) as query_fault() does, and where rows are missing or too many, or text is computed with.
engine::Result<QueryValue> evaluate(std::string_view query, const QueryResults&);

/// Where in a text "{query}" stands: its begin and its length with the braces. "\{" is a brace.
struct QueryPlace {
  size_t begin = 0, length = 0;
  std::string query;
};
std::vector<QueryPlace> queries_in(std::string_view markdown);

/// The text with the values in place of its queries; an en dash for what is unknown or cannot be evaluated.
std::string with_values(std::string_view markdown, const QueryResults&);

}  // namespace profiler
