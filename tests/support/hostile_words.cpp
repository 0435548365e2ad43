// SPDX-License-Identifier: Apache-2.0
// Hostile names in, a judgement of what is displayed out. Written apart from engine/base/display_text, which it judges.
#include "tests/support/hostile_words.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "profiler/store/capture_schema.h"

namespace tests {
namespace {

using profiler::sqlite::Database;

/// Ranges of what must not be displayed, besides ASCII controls.
constexpr std::pair<uint32_t, uint32_t> kForbidden[] = {{0x80, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},
                                                        {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
                                                        {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};

/// The code point at text[i] and its length; length 0: no UTF-8.
std::pair<uint32_t, size_t> decoded(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return k < text.size() ? static_cast<uint8_t>(text[k]) : uint8_t{0}; };
  const uint8_t first = byte(i);
  const size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (length == 0) return {0, 0};
  uint32_t c = length == 1 ? first : first & (0x7Fu >> length);
  for (size_t k = 1; k < length; ++k) {
    if (byte(i + k) >> 6 != 2) return {0, 0};
    c = c << 6 | (byte(i + k) & 0x3Fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  return c < kLeast[length] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? std::pair<uint32_t, size_t>{0, 0}
                                                                           : std::pair<uint32_t, size_t>{c, length};
}

/// As an SQL literal: char() takes code points, a blob cast to text any bytes.
std::string sql_text(std::string_view text) {
  std::string hex;
  for (const char c : text) hex += fmt::format("{:02x}", static_cast<uint8_t>(c));
  return fmt::format("CAST(x'{}' AS TEXT)", hex);
}

void execute(sqlite3* handle, const std::string& sql) {
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sql << ": " << sqlite3_errmsg(handle);
}

}  // namespace

std::string hostile_text(std::string_view first) {
  return std::string(first) +
         "\x1b]0;title\x07\x1b[31m\x7f\x08\r\n\tforged: line \xc2\x9b"
         "2J\x9b"
         "1m \xe2\x80\xae"
         "gpj.exe\xe2\x81\xa6\xe2\x81\xa9\xe2\x80\x8b\xe2\x80\x8f\xd8\x9c\xef\xbb\xbf\xe2\x80\xa8"
         "\xf3\xa0\x81\x81\xff\xc0\x80 <b>bold</b><img src=\"/dev/zero\">&amp; ;=1+1";
}

std::string fault_of_display(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto [c, length] = decoded(text, i);
    if (length == 0) return fmt::format("byte {:02x} at {}, which is no UTF-8", static_cast<uint8_t>(text[i]), i);
    const bool line = c == '\n' || c == '\t' || (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
    bool bad = (c < 0x20 && !line) || c == 0x7F;
    for (const auto& [low, high] : kForbidden) bad = bad || (c >= low && c <= high);
    if (bad) return fmt::format("U+{:04X} at {}: ...{}", c, i, text.substr(i > 30 ? i - 30 : 0, 30));
    i += length;
  }
  return {};
}

std::string formula_in_csv(std::string_view csv) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < csv.size(); ++i) {
    if (quoted && csv[i] == '"' && i + 1 < csv.size() && csv[i + 1] == '"') fields.back() += csv[++i];
    else if (csv[i] == '"') quoted = !quoted;
    else if (csv[i] == ';' || (!quoted && (csv[i] == ',' || csv[i] == '\n')))
      fields.emplace_back();  // semicolons part fields for some readers, quoted or not
    else fields.back() += csv[i];
  }
  for (const std::string& field : fields) {
    const size_t begin = field.find_first_not_of(" \r");
    if (begin == std::string::npos || std::string_view("=+-@\t").find(field[begin]) == std::string_view::npos ||
        field.size() == begin + 1)
      continue;
    double number = 0;
    const std::string_view digits = std::string_view(field).substr(begin + (field[begin] == '+' ? 1 : 0),
                                                                   field.find_last_not_of(" \r") + 1 - begin);
    if (const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        error == std::errc() && end == digits.data() + digits.size())
      continue;
    return field;
  }
  return {};
}

void rewrite_sealed(const std::filesystem::path& capture, const std::string& sql) {
  auto database = Database::open(capture, SQLITE_OPEN_READWRITE, "", capture);
  ASSERT_TRUE(database.ok()) << database.error().message;
  execute(database->handle(), sql);
  for (const profiler::TableSpec& table : profiler::all_tables()) {
    const auto sum = profiler::sum_table(*database, table);
    if (!sum) continue;  // a table that this capture does not have
    execute(database->handle(),
            fmt::format("UPDATE TIDE_CHECKSUM SET rowCount = {}, xxh3 = '{}' WHERE tableName = '{}'", sum->rows,
                        sum->xxh3, table.name));
  }
}

void make_hostile(const std::filesystem::path& capture) {
  const std::string bad = sql_text(hostile_text());
  // in a JSON string escapes stand for them
  const std::string machine = sql_text("\"model\":\"=1+1\\u001b[2J\\u009b\\u202e<b>x</b>\",\"");
  rewrite_sealed(capture, "UPDATE StringIds SET value = " + bad +
                              " || value WHERE value <> '';"
                              "UPDATE TIDE_TRACK SET name = " +
                              bad + " || name, groupName = " + bad +
                              " || groupName;"
                              "UPDATE TIDE_RUN SET value = " +
                              bad +
                              " || value WHERE key IN ('title', 'created_at', 'product_version', 'incomplete_reason') "
                              "OR key LIKE 'argument.%';"
                              "UPDATE TIDE_RUN SET value = value || ' ' || " +
                              sql_text("'a\x1b[2J\xe2\x80\xae'") +
                              " WHERE key = 'command';"
                              "UPDATE TIDE_MACHINE SET json = replace(json, '\"model\":\"', " +
                              machine +
                              " || 'was\":\"');"
                              "INSERT INTO TIDE_NOTE VALUES ((SELECT count(*) FROM TIDE_NOTE), " +
                              bad + ");");
}

}  // namespace tests
