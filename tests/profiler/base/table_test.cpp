// SPDX-License-Identifier: Apache-2.0
// How numbers and tables are printed, held against golden strings.
#include "profiler/base/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "profiler/base/csv_text.h"

namespace profiler {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(FormatQuantity, Durations) {
  const auto text = [](double ns) { return format_quantity(ns, Quantity::duration_ns); };
  EXPECT_EQ(text(0), "0 ns");
  EXPECT_EQ(text(23), "23 ns");
  EXPECT_EQ(text(23.4), "23.4 ns");
  EXPECT_EQ(text(0.25), "0.25 ns");
  EXPECT_EQ(text(999), "999 ns");
  EXPECT_EQ(text(999.6), "1.00 µs");
  EXPECT_EQ(text(1000), "1.00 µs");
  EXPECT_EQ(text(9994), "9.99 µs");
  EXPECT_EQ(text(9996), "10.0 µs");
  EXPECT_EQ(text(99940), "99.9 µs");
  EXPECT_EQ(text(99960), "100 µs");
  EXPECT_EQ(text(999499), "999 µs");
  EXPECT_EQ(text(999500), "1.00 ms");
  EXPECT_EQ(text(1.84e9), "1.84 s");
  EXPECT_EQ(text(167e9), "167 s");
  EXPECT_EQ(text(999.4e9), "999 s");
  EXPECT_EQ(text(1200e9), "20 min");
  EXPECT_EQ(text(90 * 3600e9), "90 h");
  EXPECT_EQ(text(-1500), "-1.50 µs");
}

TEST(FormatQuantity, BytesFlopsAndRates) {
  EXPECT_EQ(format_quantity(512, Quantity::bytes), "512 B");
  EXPECT_EQ(format_quantity(32768, Quantity::capacity_bytes), "32 KiB");
  EXPECT_EQ(format_quantity(1.25 * 1048576, Quantity::capacity_bytes), "1.25 MiB");
  EXPECT_EQ(format_quantity(1000 * 1024, Quantity::capacity_bytes), "1000 KiB");
  EXPECT_EQ(format_quantity(25.2e9, Quantity::capacity_bytes), "23.5 GiB");
  EXPECT_EQ(format_quantity(0, Quantity::capacity_bytes), "0 B");
  EXPECT_EQ(format_quantity(999.6e3, Quantity::bytes), "1.00 MB");
  EXPECT_EQ(format_quantity(14.2e9, Quantity::bytes), "14.2 GB");
  EXPECT_EQ(format_quantity(213e9, Quantity::flop_per_s), "213 GFLOP/s");
  EXPECT_EQ(format_quantity(7.7e9, Quantity::flops), "7.70 GFLOP");
  EXPECT_EQ(format_quantity(28.44e9, Quantity::bytes_per_s), "28.4 GB/s");
  EXPECT_EQ(format_quantity(2.5e21, Quantity::bytes), "2.5e+03 EB");
}

TEST(FormatQuantity, BytesAndRatesInPowersOfTwoWhereThatIsChosen) {
  struct Chosen {
    Chosen() { set_byte_units(ByteUnits::binary); }
    ~Chosen() { set_byte_units(ByteUnits::decimal); }
  };
  const double mib = 1048576, value = 3.5 * mib;
  const std::string decimal = format_quantity(value, Quantity::bytes);
  {
    const Chosen chosen;
    EXPECT_EQ(format_quantity(value, Quantity::bytes), "3.5 MiB");
    EXPECT_EQ(format_quantity(1000, Quantity::bytes), "1000 B");
    EXPECT_EQ(format_quantity(1024 * mib, Quantity::bytes_per_s), "1 GiB/s");
    EXPECT_EQ(format_quantity(value, Quantity::capacity_bytes), "3.5 MiB") << "in either case";
    EXPECT_EQ(format_quantity(2e9, Quantity::flops), "2.00 GFLOP") << "no bytes";
    EXPECT_EQ(format_quantity(std::nan(""), Quantity::bytes), "–");
  }
  EXPECT_EQ(decimal, "3.67 MB");
  EXPECT_EQ(format_quantity(value, Quantity::bytes), decimal);
}

TEST(FormatQuantity, CountsRatiosSharesIntensity) {
  EXPECT_EQ(format_quantity(4, Quantity::count), "4");
  EXPECT_EQ(format_quantity(999, Quantity::count), "999");
  EXPECT_EQ(format_quantity(999.6, Quantity::count), "1.00 k");
  EXPECT_EQ(format_quantity(16128, Quantity::count), "16128") << "an index, an offset or a stride is whole";
  EXPECT_EQ(format_quantity(70812.5, Quantity::count), "70.8 k");
  EXPECT_EQ(format_quantity(25557032, Quantity::count), "25.6 M");
  EXPECT_EQ(format_quantity(2.3, Quantity::ratio), "2.3x");
  EXPECT_EQ(format_quantity(1.004, Quantity::ratio), "1x");
  EXPECT_EQ(format_quantity(12345, Quantity::ratio), "12300x");
  EXPECT_EQ(format_quantity(0.61, Quantity::percent_of), "61 %");
  EXPECT_EQ(format_quantity(0.0999, Quantity::percent_of), "10 %");
  EXPECT_EQ(format_quantity(0.042, Quantity::percent_of), "4.2 %");
  EXPECT_EQ(format_quantity(0.0035, Quantity::percent_of), "0.35 %");
  EXPECT_EQ(format_quantity(0.00001, Quantity::percent_of), "<0.01 %");
  EXPECT_EQ(format_quantity(0, Quantity::percent_of), "0 %");
  EXPECT_EQ(format_quantity(0.0833, Quantity::intensity), "0.0833 FLOP/B");
  EXPECT_EQ(format_quantity(1365.3, Quantity::intensity), "1370 FLOP/B");
}

TEST(FormatQuantity, UnknownIsADashAndNeverZero) {
  for (const Quantity q : {Quantity::count, Quantity::duration_ns, Quantity::bytes, Quantity::percent_of,
                           Quantity::ratio, Quantity::intensity}) {
    EXPECT_EQ(format_quantity(kNan, q), "–");
    EXPECT_EQ(format_cell(std::monostate{}, q), "–");
  }
  EXPECT_EQ(format_quantity(kInfinity, Quantity::bytes_per_s), "∞");
  EXPECT_EQ(format_quantity(-0.0, Quantity::count), "0");
}

TEST(FormatQuantity, SettingsThatAreWholeNumbersKeepTheirDigits) {
  EXPECT_EQ(format_quantity(4096, Quantity::text), "4096");
  EXPECT_EQ(format_quantity(1073741824, Quantity::text), "1073741824");
  EXPECT_EQ(format_quantity(0.05, Quantity::text), "0.05");
  EXPECT_EQ(format_quantity(-3, Quantity::text), "-3");
}

// Every magnitude: a mantissa of at most three digits, and never "1000".
TEST(FormatQuantity, NeverMoreThanThreeDigits) {
  for (double value = 1; value < 1e17; value *= 1.0009765625) {
    for (const Quantity q : {Quantity::bytes, Quantity::duration_ns, Quantity::count, Quantity::flop_per_s}) {
      const std::string text = format_quantity(value, q);
      const std::string mantissa = text.substr(0, text.find(' '));
      const auto digits = std::count_if(mantissa.begin(), mantissa.end(), [](char c) { return c >= '0' && c <= '9'; });
      const bool long_duration = q == Quantity::duration_ns && value > 3e15;
      if (!long_duration) {
        ASSERT_LE(digits, 3) << text << " for " << value;
      }
    }
  }
}

Table sample() {
  Table table;
  table.name = "ops";
  table.columns = {{"name", "Op", Quantity::text, Origin::exact, ""},
                   {"time_ns", "Time", Quantity::duration_ns, Origin::measured, ""},
                   {"calls", "Calls", Quantity::count, Origin::exact, ""},
                   {"dram_bytes", "DRAM", Quantity::bytes, Origin::modelled, ""}};
  table.rows = {{std::string("conv1, \"wide\""), 1.5e6, 3.0, 8388608.0},
                {std::string("größe\nµ"), 0.1 + 0.2, 1.0, std::monostate{}},
                {std::string("loss"), kNan, 12.0, kInfinity}};
  return table;
}

TEST(Table, Text) {
  EXPECT_EQ(to_text(sample()),
            "Op                 Time  Calls      DRAM\n"
            "               measured         modelled\n"
            "-------------  --------  -----  --------\n"
            "conv1, \"wide\"   1.50 ms      3   8.39 MB\n"
            "größe\\x0aµ       0.3 ns      1         –\n"
            "loss                  –     12         ∞\n");
}

TEST(Table, TextSaysWhatItLeavesOut) {
  const std::string text = to_text(sample(), 1);
  EXPECT_NE(text.find("... and 2 more rows\n"), std::string::npos);
  EXPECT_EQ(text.find("loss"), std::string::npos);
}

TEST(Table, CsvIsRfc4180WithFullPrecision) {
  EXPECT_EQ(to_csv(sample()),
            "name,time_ns,calls,dram_bytes\r\n"
            "\"conv1, \"\"wide\"\"\",1500000,3,8388608\r\n"
            "größe\\x0aµ,0.30000000000000004,1,\r\n"
            "loss,,12,\r\n");
}

TEST(Table, CsvHoldsNoFormulas) {
  for (const char* formula :
       {"=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "--x", "@SUM(A1)", " =1", "\uff1d1", "-x", "+ 3 %"}) {
    const std::string field = csv_text(formula);
    EXPECT_TRUE(field.starts_with("'") || field.starts_with("\"'")) << field;
  }
  EXPECT_EQ(csv_text("a;=1+1"), "\"a;'=1+1\"") << "some spreadsheets end fields at semicolons";
  EXPECT_EQ(csv_text("\t=1"), "\\x09=1");
  for (const char* plain : {"", "-1", "+1.5e3", "-1e-300", "a=b", "conv2d", "1 - 2", "-", "a-b"})
    EXPECT_EQ(csv_text(plain), plain);
}

TEST(Table, NamesCannotCommandATerminal) {
  Table table = sample();
  table.rows = {{std::string("a\x1b[2J\xe2\x80\xae\nb"), 1.0, 1.0, 1.0}};
  table.columns[1].title = "T\x9b";
  const std::string text = to_text(table), json = to_json(table);
  EXPECT_NE(text.find("a\\x1b[2J\\u202e\\x0ab"), std::string::npos) << text;
  EXPECT_NE(text.find("T\\x9b"), std::string::npos) << text;
  EXPECT_EQ(json.find("\xe2\x80\xae"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(json)[0]["name"], "a\x1b[2J\xe2\x80\xae\nb") << "JSON keeps names as they are";
}

TEST(Table, JsonKeepsPrecisionAndUnknownIsNull) {
  const auto parsed = nlohmann::json::parse(to_json(sample()));
  ASSERT_EQ(parsed.size(), 3u);
  EXPECT_EQ(parsed[0]["name"], "conv1, \"wide\"");
  EXPECT_EQ(parsed[0]["dram_bytes"].dump(), "8388608");
  EXPECT_EQ(parsed[1]["time_ns"].get<double>(), 0.1 + 0.2);
  EXPECT_TRUE(parsed[1]["dram_bytes"].is_null());
  EXPECT_TRUE(parsed[2]["time_ns"].is_null());
  EXPECT_TRUE(parsed[2]["dram_bytes"].is_null());
  EXPECT_EQ(to_json(Table{}), "[]");
}

TEST(Table, JsonSurvivesInvalidUtf8) {
  Table table = sample();
  table.rows = {{std::string("a\xff"
                             "b"),
                 1.0, 1.0, 1.0}};
  EXPECT_EQ(nlohmann::json::parse(to_json(table))[0]["name"],
            "a\xef\xbf\xbd"
            "b");
}

}  // namespace
}  // namespace profiler
