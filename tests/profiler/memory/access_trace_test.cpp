// SPDX-License-Identifier: Apache-2.0
// Traces of others: the three formats, gzip, high addresses, and every kind of damage named by its line.
#include "profiler/memory/access_trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <map>
#include <random>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace {

using engine::AccessKind;
using profiler::read_trace;
using profiler::TraceFormat;
using profiler::TraceOptions;

struct Heard : engine::AccessSink {
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    EXPECT_EQ(iterations, 1);
    for (const auto& s : streams) all.push_back(s);
  }
  std::vector<engine::AccessStream> all;
};

class AccessTrace : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const auto path = folder_.path() / "trace";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::string refusal(const std::string& text, const TraceOptions& options = {}) {
    Heard heard;
    const auto read = read_trace(write(text), options, heard);
    return read.ok() ? "accepted" : read.error().message;
  }
  tests::TemporaryFolder folder_;
};

TEST_F(AccessTrace, ANameEndingInDinSaysMoreThanALineThatIsNone) {
  const auto path = folder_.path() / "bad.din";
  std::ofstream(path) << "9 1000\n";
  Heard heard;
  const auto read = read_trace(path, {}, heard);
  ASSERT_FALSE(read.ok()) << "as an address it would be one of 1,000 bytes";
  EXPECT_NE(read.error().message.find("is no record of a din trace"), std::string::npos) << read.error().message;
}

TEST_F(AccessTrace, ReadsDin) {
  Heard heard;
  const auto read = read_trace(write("# mm\n2 400 4\n0 1fffe50 8\n1 0x10\r\n\n0 20"), {}, heard);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->format, TraceFormat::din);
  EXPECT_EQ(read->loads, 2u);
  EXPECT_EQ(read->stores, 1u);
  EXPECT_EQ(read->instructions, 1u);
  ASSERT_EQ(heard.all.size(), 3u);
  EXPECT_EQ(heard.all[0].address, 0x1fffe50u);
  EXPECT_EQ(heard.all[0].bytes, 8);
  EXPECT_EQ(heard.all[1].kind, AccessKind::store);
  EXPECT_EQ(heard.all[1].bytes, 4);
  EXPECT_EQ(heard.all[2].address, 0x20u);
  Heard all;
  EXPECT_TRUE(read_trace(write("2 400 4\n"), {.instructions = true}, all).ok());
  EXPECT_EQ(all.all.size(), 1u);
}

TEST_F(AccessTrace, ReadsTheOtherRecordsOfDinero) {
  std::string orders;
  TraceOptions options;
  options.copy_back = [&](uint64_t address, uint64_t bytes) {
    orders += "c" + std::to_string(address) + "+" + std::to_string(bytes) + " ";
  };
  options.invalidate = [&](uint64_t address, uint64_t bytes) {
    orders += "v" + std::to_string(address) + "+" + std::to_string(bytes) + " ";
  };
  Heard heard;
  const auto read = read_trace(write("3 10 4\n1 20\n4 20\n5 10 8\n5 0 0\n"), options, heard);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->format, TraceFormat::din);
  EXPECT_EQ(read->loads, 1u);
  EXPECT_EQ(read->miscellaneous, 1u);
  EXPECT_EQ(read->copy_backs, 1u);
  EXPECT_EQ(read->invalidations, 2u);
  EXPECT_EQ(orders, "c32+4 v16+8 v0+0 ");
  ASSERT_EQ(heard.all.size(), 2u);
  EXPECT_EQ(heard.all[0].kind, AccessKind::load);
  options.format = TraceFormat::din;
  Heard letters;
  const auto lettered = read_trace(write("m 10 4\nr 10 4\nw 20 4\ni 400 4\nc 20 4\nv 10 8\n"), options, letters);
  ASSERT_TRUE(lettered.ok()) << lettered.error().message;
  EXPECT_EQ(lettered->loads, 2u);
  EXPECT_EQ(lettered->instructions, 1u);
  EXPECT_EQ(lettered->copy_backs + lettered->invalidations, 2u);
  EXPECT_EQ(letters.all.size(), 3u);
  Heard capitals;
  const auto capital = read_trace(write("M 10 4\nR 10 4\nW 20 4\nI 400 4\nC 20 4\nV 10 8\n"), options, capitals);
  ASSERT_TRUE(capital.ok()) << capital.error().message;
  EXPECT_EQ(capital->loads, 2u);
  EXPECT_EQ(capital->stores, 1u);
  EXPECT_EQ(capital->instructions, 1u);
  EXPECT_EQ(capital->miscellaneous, 1u);
  EXPECT_EQ(capital->copy_backs, 1u);
  EXPECT_EQ(capital->invalidations, 1u);
  EXPECT_TRUE(read_trace(write("4 20 4\n0 20 4\n"), {}, heard).ok()) << "counted, though nobody takes the order";
  EXPECT_NE(refusal("4 20 4\n5 10 4\n").find("holds no memory access (2 lines, with accesses or fetches in none"),
            std::string::npos)
      << refusal("4 20 4\n5 10 4\n");
}

TEST_F(AccessTrace, OrdersNameStretchesOfAnyLength) {
  std::vector<std::pair<uint64_t, uint64_t>> orders;
  TraceOptions options{.address_limit = 0x10000, .window_bytes = 0x1000};
  options.copy_back = [&](uint64_t address, uint64_t bytes) { orders.emplace_back(address, bytes); };
  using Orders = decltype(orders);
  Heard heard;
  ASSERT_TRUE(read_trace(write("0 1000 4\n4 1000 2000\n"), options, heard).ok());
  EXPECT_EQ(orders, (Orders{{0x1000, 0x2000}}));
  // Two windows far apart have the first two places above half of the limit; those between them were never met.
  orders.clear();
  Heard far;
  ASSERT_TRUE(
      read_trace(write("0 905010 4\n0 102020 4\n4 100800 ffffffffffffffff\n4 102800 803000\n4 40 0\n4 700000 10\n"),
                 options, far)
          .ok());
  ASSERT_EQ(far.all.size(), 2u);
  EXPECT_EQ(far.all[0].address, 0x8010u);
  EXPECT_EQ(far.all[1].address, 0x9020u);
  EXPECT_EQ(orders, (Orders{{0x9000, 0x1000}, {0x8000, 0x1000}, {0x9800, 0x800}, {0x8000, 0x800}, {0, 0}}));
  EXPECT_NE(refusal("0 10 4\n0 10 1001\n").find("line 2: an access of 4097 bytes; at most 4096"), std::string::npos)
      << refusal("0 10 4\n0 10 1001\n");
}

TEST_F(AccessTrace, ReadsLackeyAndAddresses) {
  Heard lackey;
  const auto read = read_trace(write("==12== Lackey\nI  04016a,3\n L 1000,8\n M 2000,4\n"), {}, lackey);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->format, TraceFormat::lackey);
  ASSERT_EQ(lackey.all.size(), 3u);
  EXPECT_EQ(lackey.all[1].kind, AccessKind::load);
  EXPECT_EQ(lackey.all[2].kind, AccessKind::store);
  Heard plain;
  ASSERT_TRUE(read_trace(write("8000\n0x1f40\nW 8000 8\n"), {}, plain).ok());
  ASSERT_EQ(plain.all.size(), 3u);
  EXPECT_EQ(plain.all[0].address, plain.all[1].address);
  EXPECT_EQ(plain.all[2].bytes, 8);
}

TEST_F(AccessTrace, ReadsGzipAndSaysWhereItIsCut) {
  const auto path = folder_.path() / "trace.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  std::string text;
  std::mt19937 random(1);
  for (int i = 0; i < 100000; ++i) text += "0 " + std::to_string(random() % 900000) + " 4\n";
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  Heard heard;
  ASSERT_TRUE(read_trace(path, {}, heard).ok());
  EXPECT_EQ(heard.all.size(), 100000u);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto cut = read_trace(path, {}, heard);
  ASSERT_FALSE(cut.ok());
  EXPECT_NE(cut.error().message.find("line "), std::string::npos) << cut.error().message;
}

TEST_F(AccessTrace, HighAddressesKeepTheirSets) {
  Heard heard;
  ASSERT_TRUE(read_trace(write("0 7fff12345678\n0 1000\n0 7fff12345680\n0 555512345678\n"), {}, heard).ok());
  ASSERT_EQ(heard.all.size(), 4u);
  EXPECT_EQ(heard.all[0].address % (1 << 30), 0x7fff12345678u % (1 << 30));
  EXPECT_EQ(heard.all[2].address, heard.all[0].address + 8);
  EXPECT_EQ(heard.all[1].address, 0x1000u);
  EXPECT_NE(heard.all[3].address, heard.all[0].address);
  for (const auto& a : heard.all) EXPECT_LT(a.address, uint64_t{1} << 37);
  EXPECT_NE(refusal("0 7fff12345678\n", {.window_bytes = 0}).find("line 1"), std::string::npos);
}

/// Addresses as the reader tells them, for these caches.
std::vector<uint64_t> placed(const std::filesystem::path& path, const profiler::CacheConfig& config) {
  Heard heard;
  TraceOptions options{.format = TraceFormat::din};
  set_windows(options, config);
  const auto read = read_trace(path, options, heard);
  EXPECT_TRUE(read.ok()) << read.error().message;
  std::vector<uint64_t> addresses;
  for (const auto& a : heard.all) {
    EXPECT_LE(a.address + a.bytes, options.address_limit);
    addresses.push_back(a.address);
  }
  return addresses;
}

// The lengths of windows and the kinds of places: powers of two, few factors of three and eleven, a period longer than
// a window.
TEST_F(AccessTrace, HighAddressesKeepTheirSetsAtEveryLevelWhateverTheSetCounts) {
  std::mt19937_64 random(3);
  std::vector<uint64_t> addresses;
  for (const uint64_t region : {0x400000u * 1ull, 0x1ffeffe000ull, 0x555512340000ull, 0x7fff12340000ull,
                                0xffffffff81000000ull, 0x7f1200000000ull}) {
    for (int i = 0; i < 40; ++i) addresses.push_back(region + random() % (uint64_t{1} << 27) * 8);
  }
  std::string text;
  for (const uint64_t a : addresses) text += fmt::format("0 {:x} 8\n", a);
  const auto path = write(text);
  const std::vector<std::vector<const char*>> hierarchies{{"32KiB/8/64:lru", "1MiB/16/64:lru"},
                                                          {"33KiB/11/64:lru"},
                                                          {"48KiB/12/64", "2MiB/16/64", "36MiB/12/64"},
                                                          {"704/1/64:lru", "3KiB/3/16:lru"},
                                                          {"65472/1/64", "65600/1/64", "45120/3/64"}};
  for (std::vector<const char*> levels : hierarchies) {
    profiler::CacheConfig config;
    for (const char* level : levels) config.levels.push_back(*profiler::parse_cache_level(level, "L"));
    if (!check(config)) config.levels.pop_back();  // of another line
    const std::vector<uint64_t> found = placed(path, config);
    ASSERT_EQ(found.size(), addresses.size());
    std::map<uint64_t, uint64_t> line_of;  // as it was, by what it became
    for (size_t i = 0; i < found.size(); ++i) {
      const uint64_t line = addresses[i] / 64, now = found[i] / 64;
      EXPECT_EQ(found[i] % 64, addresses[i] % 64);
      for (const auto& level : config.levels)
        EXPECT_EQ(now % static_cast<uint64_t>(level.sets()), line % static_cast<uint64_t>(level.sets()))
            << config.text() << " " << addresses[i];
      EXPECT_EQ(line_of.try_emplace(now, line).first->second, line) << "two lines became one";
    }
  }
}

TEST_F(AccessTrace, AnAccessAcrossTheEndOfAWindowIsTwoWhereTheNextLiesElsewhere) {
  const TraceOptions options{.address_limit = 0x10000, .window_bytes = 0x1000};
  Heard heard;
  ASSERT_TRUE(read_trace(write("0 204000 4\n0 102ffc 8\n0 103ffc 8\n"), options, heard).ok());
  ASSERT_EQ(heard.all.size(), 3u) << "the window behind got the place behind";
  EXPECT_EQ(heard.all[1].address, 0x9ffcu);
  EXPECT_EQ(heard.all[1].bytes, 8);
  Heard apart;
  ASSERT_TRUE(read_trace(write("0 103000 4\n0 102ffc 8\n"), options, apart).ok());
  ASSERT_EQ(apart.all.size(), 3u);
  EXPECT_EQ(apart.all[1].address, 0x9ffcu);
  EXPECT_EQ(apart.all[1].bytes, 4);
  EXPECT_EQ(apart.all[2].address, 0x8000u);
  EXPECT_EQ(apart.all[2].bytes, 4);
}

TEST_F(AccessTrace, WhatFindsNoPlaceNamesTheSetCounts) {
  profiler::CacheConfig config;
  for (const char* level : {"64000192/1/64", "64002112/1/64"})
    config.levels.push_back(*profiler::parse_cache_level(level, fmt::format("L{}", config.levels.size() + 1)));
  TraceOptions options;
  set_windows(options, config);
  EXPECT_EQ(refusal("0 1fffe50 4\n", options), "accepted") << "low addresses need no place";
  const std::string said = refusal("0 1fffe50 4\n0 7fff12345678 4\n", options);
  for (const char* part : {"line 2: address 0x7fff12345678", "L1 1000003, L2 1000033", "least common multiple"})
    EXPECT_NE(said.find(part), std::string::npos) << said;
  config.levels.pop_back();
  set_windows(options, config);
  std::string many;
  for (int i = 0; i < 200; ++i)
    many += fmt::format("0 {:x} 4\n", (uint64_t{1} << 40) + static_cast<uint64_t>(i) * (uint64_t{1} << 32));
  const std::string full = refusal(many, options);
  EXPECT_NE(full.find("none is left for this one"), std::string::npos) << full;
  EXPECT_NE(full.find("L1 1000003"), std::string::npos) << full;
}

TEST_F(AccessTrace, WhatHoldsNoAccessIsRefused) {
  EXPECT_NE(refusal("").find("holds no memory access (0 lines)"), std::string::npos) << refusal("");
  EXPECT_NE(refusal("# nothing\n\n").find("holds no memory access (2 lines, all empty or comments)"), std::string::npos)
      << refusal("# nothing\n\n");
  EXPECT_NE(refusal("2 400 4\n").find("holds 1 instruction fetch and neither loads nor stores"), std::string::npos)
      << refusal("2 400 4\n");
  EXPECT_EQ(refusal("2 400 4\n", {.instructions = true}), "accepted");
  EXPECT_NE(refusal("1 2 3 4 5\n", {.format = TraceFormat::addresses}).find("is no record of an address trace"),
            std::string::npos);
}

TEST_F(AccessTrace, AnAccessBeyondTheLastAddressIsNamedByItsLine) {
  const TraceOptions options{
      .format = TraceFormat::din, .address_limit = uint64_t{1} << 38, .window_bytes = uint64_t{1} << 30};
  const std::string said = refusal("0 10 4\n0 fffffffffffffffd 4\n", options);
  EXPECT_NE(said.find("line 2: an access of 4 bytes at 0xfffffffffffffffd"), std::string::npos) << said;
  EXPECT_EQ(refusal("0 10 4\n0 fffffffffffffffc 4\n", options), "accepted") << "its last byte is the last there is";
  const std::string plain = refusal(
      "16\n18446744073709551615 2\n",
      {.format = TraceFormat::addresses, .address_limit = options.address_limit, .window_bytes = options.window_bytes});
  EXPECT_NE(plain.find("line 2"), std::string::npos) << plain;
}

TEST_F(AccessTrace, NamesTheLineOfWhatItCannotRead) {
  EXPECT_NE(refusal("0 10 4\n0 xyz 4\n").find("line 2: \"0 xyz 4\""), std::string::npos);
  EXPECT_NE(refusal("0 10 4\n7 10 4\n").find("line 2"), std::string::npos);
  EXPECT_NE(refusal("0 10 0\n", {.format = TraceFormat::din}).find("line 1"), std::string::npos);
  EXPECT_NE(refusal("0 10 ffffffff\n", {.format = TraceFormat::din}).find("line 1"), std::string::npos);
  EXPECT_NE(refusal("hello\n").find("address"), std::string::npos);
  EXPECT_NE(refusal(std::string(1000000, 'a')).find("line 1"), std::string::npos);
  EXPECT_NE(refusal(std::string("0 10\n\0\1\2 4\n", 12)).find("line 2"), std::string::npos);
  Heard heard;
  EXPECT_NE(read_trace(folder_.path() / "absent", {}, heard).error().message.find("absent"), std::string::npos);
  EXPECT_NE(read_trace(folder_.path(), {}, heard).error().message.find("folder"), std::string::npos);
}

}  // namespace
