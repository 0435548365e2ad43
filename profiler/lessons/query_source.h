// SPDX-License-Identifier: Apache-2.0
// QuerySource: the result of one run as named figures and tables of rows, made when they are asked for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/machine/machine.h"
#include "profiler/sweep/sweep.h"

namespace profiler {

enum class SourceKind { capture, sweep, document, machine };

class QuerySource {
 public:
  using Json = nlohmann::ordered_json;
  using Makers = std::map<std::string, std::function<Json()>>;
  explicit QuerySource(Makers makers) : makers_(std::move(makers)) {}
  /// Rows are an array of objects, figures numbers or texts; null: there is nothing of this name.
  const Json* find(const std::string& name) const;

 private:
  Makers makers_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Json> made_;
};

std::shared_ptr<const QuerySource> capture_source(std::shared_ptr<const Analyzed>);
std::shared_ptr<const QuerySource> sweep_source(std::shared_ptr<const Sweep>);
std::shared_ptr<const QuerySource> machine_source(const Machine&);
/// What a command printed with --json: its keys are the names.
std::shared_ptr<const QuerySource> document_source(const QuerySource::Json&);

/// A figure or table of a kind of source, as the handbook lists it.
struct QueryName {
  SourceKind kind;
  const char* name;
  const char* help;
  const char* columns = "";  ///< separated by blanks, the first names the row; empty: a figure
};
std::span<const QueryName> query_names();
/// Null: that kind has no such name.
const QueryName* find_query_name(SourceKind, std::string_view name);
/// Whether a table has a column, or may have it: the axes of a sweep and the links of its machine are columns, too.
bool may_have_column(const QueryName&, std::string_view column);

}  // namespace profiler
