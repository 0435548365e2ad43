// SPDX-License-Identifier: Apache-2.0
// Typed, bounded access to the rows of one table.
#include "profiler/store/table_scan.h"

#include "engine/base/display_text.h"

namespace profiler {

using engine::refused_error;

TableScan::TableScan(const OpenedCapture& capture, Tide table) : capture_(capture), spec_(profiler::spec(table)) {
  const auto there = sqlite::has_table(capture.database(), spec_.name);
  if (!there) {
    error_ = there.error();
    return;
  }
  if (!*there) {
    error_ = refused_error(
        fmt::format("{}: is damaged: there is no table {}", sqlite::shown(capture.database().file()), spec_.name));
    return;
  }
  auto rows = sqlite::Statement::prepare(capture.database(), select_all(spec_));
  if (rows) {
    rows_ = std::move(*rows);
  } else {
    error_ = rows.error();
  }
}

bool TableScan::next() {
  if (error_) return false;
  const int code = sqlite3_step(rows_->handle());
  if (code == SQLITE_DONE) return false;
  if (code != SQLITE_ROW) {
    error_ = capture_.database().error(fmt::format("read table {}", spec_.name));
    return false;
  }
  hasher_.add_row(rows_->handle());
  ++row_;
  // a damaged tree may lead in circles: no honest row takes less than a byte
  if (row_ > capture_.size_bytes()) fail("more rows than the file has bytes");
  return !error_;
}

int64_t TableScan::integer(int column, const char* what, int64_t low, int64_t high) {
  if (!is_integer(column)) {
    fail("{} is no integer", what);
    return low;
  }
  const int64_t value = sqlite3_column_int64(rows_->handle(), column);
  if (value < low || value > high) {
    fail("{} is {}, possible are {} to {}", what, value, low, high);
    return low;
  }
  return value;
}

uint32_t TableScan::id(int column, const char* what, size_t limit) {
  if (limit == 0) {
    fail("{} refers to an empty table", what);
    return 0;
  }
  return static_cast<uint32_t>(integer(column, what, 0, static_cast<int64_t>(limit) - 1));
}

uint32_t TableScan::id_or_none(int column, const char* what, size_t limit) {
  return is_null(column) ? std::numeric_limits<uint32_t>::max() : id(column, what, limit);
}

double TableScan::real(int column, const char* what) {
  if (error_) return 0;
  if (sqlite3_column_type(rows_->handle(), column) != SQLITE_FLOAT) {
    fail("{} is no number", what);
    return 0;
  }
  return sqlite3_column_double(rows_->handle(), column);
}

std::string TableScan::text(int column, const char* what) { return engine::display_line(raw(column, what)); }

std::string TableScan::raw(int column, const char* what) {
  if (!is_text(column)) {
    fail("{} is no text", what);
    return {};
  }
  const auto* data = static_cast<const char*>(sqlite3_column_blob(rows_->handle(), column));
  const int size = sqlite3_column_bytes(rows_->handle(), column);
  return data == nullptr ? std::string() : std::string(data, static_cast<size_t>(size));
}

std::string TableScan::blob(int column, const char* what) {
  if (error_) return {};
  if (sqlite3_column_type(rows_->handle(), column) != SQLITE_BLOB) {
    fail("{} is no block of bytes", what);
    return {};
  }
  const auto* data = static_cast<const char*>(sqlite3_column_blob(rows_->handle(), column));
  const int size = sqlite3_column_bytes(rows_->handle(), column);
  return data == nullptr ? std::string() : std::string(data, static_cast<size_t>(size));
}

bool TableScan::is_null(int column) const {
  return !error_ && sqlite3_column_type(rows_->handle(), column) == SQLITE_NULL;
}
bool TableScan::is_text(int column) const {
  return !error_ && sqlite3_column_type(rows_->handle(), column) == SQLITE_TEXT;
}
bool TableScan::is_integer(int column) const {
  return !error_ && sqlite3_column_type(rows_->handle(), column) == SQLITE_INTEGER;
}

void TableScan::refuse(const std::string& words) {
  if (!error_) error_ = refused_error(fmt::format("{}: {}", sqlite::shown(capture_.database().file()), words));
}

void TableScan::fail_with(const std::string& reason) {
  if (error_) return;
  error_ = refused_error(fmt::format("{}: is damaged: table {}, row {}: {}", sqlite::shown(capture_.database().file()),
                                     spec_.name, row_, reason));
}

}  // namespace profiler
