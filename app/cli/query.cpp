// SPDX-License-Identifier: Apache-2.0
// tensortide query: one read-only SQL statement on a capture or a sweep.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "profiler/store/capture_file.h"
#include "profiler/store/capture_rows.h"
#include "profiler/sweep/file.h"

namespace app::cli {
namespace {

using nlohmann::json;

struct QueryArguments {
  std::string file, sql, format = "text";
  bool json = false;
};

profiler::Table as_table(const profiler::QueryResult& result) {
  profiler::Table table{.name = "query", .columns = {}, .rows = {}, .row_ops = {}};
  for (const std::string& column : result.columns) {
    table.columns.push_back({.key = column,
                             .title = column,
                             .quantity = profiler::Quantity::text,
                             .origin = profiler::Origin::exact,
                             .help = ""});
  }
  for (const auto& row : result.rows) table.rows.emplace_back(row.begin(), row.end());
  return table;
}

json as_json(const profiler::QueryResult& result) {
  json rows = json::array();
  for (size_t r = 0; r < result.rows.size(); ++r) {
    json row = json::array();
    for (size_t c = 0; c < result.columns.size(); ++c) {
      const std::string& text = result.rows[r][c];
      // Numbers keep their own notation: 64-bit integers would lose digits as doubles.
      if (result.numeric[r][c]) {
        row.push_back(json::parse(text, nullptr, false));
      } else {
        row.push_back(text == "NULL" ? json(nullptr) : json(text));
      }
    }
    rows.push_back(std::move(row));
  }
  return {{"columns", result.columns}, {"rows", rows}, {"truncated", result.truncated}};
}

int query(const QueryArguments& options) {
  auto result = profiler::query_capture(options.file, options.sql);
  if (!result) return report(result.error());
  if (options.json || options.format == "json") {
    print_json(as_json(*result));
  } else if (options.format == "csv") {
    show("{}", profiler::to_csv(as_table(*result)));
  } else {
    show("{}", profiler::to_text(as_table(*result)));
  }
  if (result->truncated)
    tell("tensortide: only the first {} rows are shown; narrow the query or add LIMIT\n", result->rows.size());
  // Rows of a damaged file may be wrong: said after them, because a damaged file is sometimes all there is.
  const auto warn = [](const engine::Error& error) {
    tell("tensortide: these rows may be wrong: {}\n", error.message);
    return kRefused;
  };
  if (profiler::is_sweep(options.file)) {
    const auto sweep = profiler::open_sweep(options.file);
    if (!sweep) return warn(sweep.error());
  } else if (const auto capture = profiler::open_capture(options.file); !capture) {
    return warn(capture.error());
  }
  const auto rows = profiler::check_rows(options.file);
  return rows ? kDone : warn(rows.error());
}

}  // namespace

Handler add_query(CLI::App& verb) {
  auto o = std::make_shared<QueryArguments>();
  verb.add_option("file", o->file, "Capture or sweep")->required()->option_text("FILE");
  verb.add_option("sql", o->sql, "One SELECT")->required()->option_text("SQL");
  add_formats(verb, o->format, o->json);
  verb.footer(
      "Example: tensortide query r.tide \"SELECT name FROM sqlite_master WHERE type = 'table'\"\n"
      "Example: tensortide query s.tide \"SELECT label, outcome, capture FROM TIDE_SWEEP_POINT\"");
  return [o] { return query(*o); };
}

}  // namespace app::cli
