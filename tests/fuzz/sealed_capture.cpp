// SPDX-License-Identifier: Apache-2.0
// A capture whose rows somebody changed on purpose, with checksums that are right: the bytes say which values of which
// tables become what.
#include <sqlite3.h>

#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <vector>

#include "profiler/store/capture_file.h"
#include "profiler/store/capture_schema.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"

namespace fuzz {
namespace {

std::string bytes_of(const profiler::Capture& capture) {
  const std::string file = "/dev/shm/tensortide-fuzz-seed-" + std::to_string(getpid()) + ".tide";
  if (!profiler::save_capture(capture, file)) finding("a sample cannot be saved");
  std::ifstream stream(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  unlink(file.c_str());
  return bytes;
}

/// Takes bytes off the front of the input; 0 behind its end.
class Script {
 public:
  Script(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool more() const { return at_ < size_; }
  uint8_t byte() { return at_ < size_ ? data_[at_++] : uint8_t{0}; }
  size_t below(size_t limit) {
    const size_t high = byte();
    return limit == 0 ? 0 : (high << 8 | byte()) % limit;
  }

 private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

void bind_value(sqlite3_stmt* row, Script& script) {
  constexpr std::array<int64_t, 14> kIntegers{0,
                                              1,
                                              -1,
                                              2,
                                              3,
                                              255,
                                              65535,
                                              65536,
                                              1 << 20,
                                              std::numeric_limits<int32_t>::max(),
                                              std::numeric_limits<uint32_t>::max(),
                                              int64_t{1} << 53,
                                              std::numeric_limits<int64_t>::max(),
                                              std::numeric_limits<int64_t>::min()};
  constexpr std::array<double, 10> kReals{0.0,
                                          -0.0,
                                          1.0,
                                          -1.0,
                                          0.5,
                                          1e300,
                                          1.7e308,
                                          4.9e-324,
                                          std::numeric_limits<double>::infinity(),
                                          -std::numeric_limits<double>::infinity()};
  static const std::array<std::string, 12> texts{"",
                                                 "0",
                                                 "-1",
                                                 "f32",
                                                 "i8",
                                                 "1,2,3",
                                                 "0,0",
                                                 "9223372036854775807,2",
                                                 "conv2d",
                                                 "{}",
                                                 "\x1b[2J\xe2\x80\xae\xff\n=1+1",
                                                 std::string(5000, 'x')};
  switch (script.byte() % 5) {
    case 0: sqlite3_bind_int64(row, 1, kIntegers[script.byte() % kIntegers.size()]); break;
    case 1: sqlite3_bind_double(row, 1, kReals[script.byte() % kReals.size()]); break;
    case 2: {
      const std::string& text = texts[script.byte() % texts.size()];
      sqlite3_bind_text(row, 1, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
      break;
    }
    case 3: sqlite3_bind_int64(row, 1, static_cast<int64_t>(script.below(4096))); break;
    default: sqlite3_bind_null(row, 1);
  }
}

/// Columns of a table as SQL names them.
std::vector<std::string> columns_of(const profiler::TableSpec& table) {
  std::vector<std::string> columns(1);
  for (const char c : std::string(table.columns)) {
    if (c == ',') columns.emplace_back();
    else if (c != ' ') columns.back() += c;
  }
  return columns;
}

void edit(sqlite3* handle, Script& script) {
  const auto tables = profiler::all_tables();
  const profiler::TableSpec& table = tables[script.below(tables.size() - 1)];
  const std::string name = table.name, place = " WHERE rowid IN (SELECT rowid FROM " + name + " LIMIT 1 OFFSET " +
                                               std::to_string(script.below(64)) + ")";
  const uint8_t what = script.byte();
  if (what % 16 == 0) {
    sqlite3_exec(handle, ("DELETE FROM " + name + place).c_str(), nullptr, nullptr, nullptr);
    return;
  }
  const std::vector<std::string> columns = columns_of(table);
  sqlite3_stmt* row = nullptr;
  const std::string sql = "UPDATE " + name + " SET " + columns[what % columns.size()] + " = ?1" +
                          (script.byte() % 8 == 0 ? std::string() : place);
  if (sqlite3_prepare_v2(handle, sql.c_str(), -1, &row, nullptr) != SQLITE_OK)
    return;  // a table that this capture does not have
  bind_value(row, script);
  sqlite3_step(row);  // what the schema forbids stays as it was
  sqlite3_finalize(row);
}

void seal(const profiler::sqlite::Database& database) {
  for (const profiler::TableSpec& table : profiler::all_tables()) {
    const auto sum = profiler::sum_table(database, table);
    if (!sum) continue;
    const std::string sql = "UPDATE TIDE_CHECKSUM SET rowCount = " + std::to_string(sum->rows) + ", xxh3 = '" +
                            sum->xxh3 + "' WHERE tableName = '" + table.name + "'";
    sqlite3_exec(database.handle(), sql.c_str(), nullptr, nullptr, nullptr);
  }
}

}  // namespace

std::string sealed_capture(const uint8_t* data, size_t size) {
  static const std::array<std::string, 2> samples{bytes_of(*tests::sample_capture()),
                                                  bytes_of(*tests::sample_gpu_capture())};
  Script script(data, size);
  const std::string& sample = samples[script.byte() % samples.size()];
  const std::string file = file_of(reinterpret_cast<const uint8_t*>(sample.data()), sample.size());
  auto database = profiler::sqlite::Database::open(file, SQLITE_OPEN_READWRITE, "", file);
  if (!database) finding("a sample cannot be opened");
  sqlite3_exec(database->handle(), "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
  for (int edits = 0; script.more() && edits < 40; ++edits) edit(database->handle(), script);
  seal(*database);
  return file;
}

}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto capture = profiler::open_capture(fuzz::sealed_capture(data, size));
  fuzz::count(capture.ok());
  if (capture) fuzz::look_at(**capture);
  else if (capture.error().message.empty()) fuzz::finding("refused without a word");
  return 0;
}
