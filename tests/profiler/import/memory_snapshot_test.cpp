// SPDX-License-Identifier: Apache-2.0
// Memory snapshots of PyTorch: bytes over time out of plain data; nothing else in a pickle is touched.
#include <string>
#include <string_view>

#include "profiler/analysis/allocated.h"
#include "profiler/import/pickle.h"
#include "tests/profiler/import/import_support.h"

namespace {

using namespace profiler;
using namespace tests;
using namespace std::string_view_literals;

/// One segment of 1000 B with 300 B in use; +600 B reserved at 5 us, +500 B allocated at 10 us, -200 B at 20 us.
constexpr std::string_view kSnapshot =
    "\x80\x04\x95j\x01\x00\x00\x00\x00\x00\x00}\x94(\x8c\x08segments\x94]\x94}\x94(\x8c\x06\x64\x65vi"
    "ce\x94K\x00\x8c\x0atotal_size\x94M\xe8\x03\x8c\x06\x62locks\x94]\x94(}\x94(\x8c\x04size\x94M,\x01"
    "\x8c\x05state\x94\x8c\x10\x61\x63tive_allocated\x94u}\x94(h\x09M\xbc\x02h\x0a\x8c\x08inactive\x94"
    "ueua\x8c\x0d\x64\x65vice_traces\x94]\x94]\x94(}\x94(\x8c\x06\x61\x63tion\x94\x8c\x05\x61lloc\x94"
    "\x8c\x04\x61\x64\x64r\x94\x8a\x06\x00\x00\x00\x00\x00\x01h\x09M\xf4\x01\x8c\x07time_us\x94K\x0au"
    "}\x94(h\x12\x8c\x0dsegment_alloc\x94h\x14K\x05h\x09MX\x02h\x15K\x05u}\x94(h\x12\x8c\x0e\x66ree_c"
    "ompleted\x94h\x09K\xc8h\x15K\x14u}\x94(h\x12\x8c\x08snapshot\x94h\x15K\x19u}\x94(h\x12h\x13h\x09"
    "J\xfc\xff\xff\xffh\x15K\x1auea\x8c\x03\x62ig\x94\x8a\x0b\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x01\x8c\x01\x66\x94G?\xf8\x00\x00\x00\x00\x00\x00\x8c\x01t\x94K\x01K\x02K\x03\x87\x94\x8c\x01n\x94"
    "N\x8c\x01\x62\x94\x88u."sv;
/// An OrderedDict, which a pickle builds by calling its class.
constexpr std::string_view kObject =
    "\x80\x04\x95\x30\x00\x00\x00\x00\x00\x00\x00\x8c\x0b\x63ollections\x94\x8c\x0bOrderedDict\x94\x93"
    "\x94)R\x94\x8c\x08segments\x94]\x94s."sv;

const CounterSeries* series(const Capture& c, std::string_view name) {
  for (const CounterSeries& s : c.counters()) {
    if (c.name(s.name) == name) return &s;
  }
  return nullptr;
}

TEST(MemorySnapshot, BytesOverTimeEndWithWhatIsHeld) {
  const auto capture = import_bytes(std::string(kSnapshot), "snapshot.pickle");
  ASSERT_TRUE(capture) << capture.error().message;
  const Capture& c = **capture;
  EXPECT_EQ(c.run().source, "PyTorch memory snapshot");
  const CounterSeries *allocated = series(c, "allocated"), *reserved = series(c, "reserved");
  ASSERT_NE(allocated, nullptr);
  ASSERT_NE(reserved, nullptr);
  EXPECT_EQ(allocated->value, (std::vector<double>{500, 300})) << "it held nothing before";
  EXPECT_EQ(allocated->time_ns, (std::vector<int64_t>{10'000, 20'000}));
  EXPECT_EQ(reserved->value, (std::vector<double>{1000})) << "400 B were there before";
  EXPECT_EQ(c.name(allocated->unit), "B");
  EXPECT_NE(notes(c).find("1 row could not be read"), std::string::npos) << "an allocation of -4 B: " << notes(c);
  EXPECT_FALSE(allocated_series(c).empty());
}

/// PyTorch wrote no times before 2.2: the order counts, and no duration is claimed.
TEST(MemorySnapshot, EventsWithoutTimesKeepTheirOrder) {
  std::string bytes(kSnapshot);
  bytes.replace(bytes.find("time_us"), 7, "tiny_us");
  const auto capture = import_bytes(bytes, "snapshot.pickle");
  ASSERT_TRUE(capture) << capture.error().message;
  const CounterSeries *allocated = series(**capture, "allocated"), *reserved = series(**capture, "reserved");
  ASSERT_TRUE(allocated != nullptr && reserved != nullptr);
  EXPECT_EQ(allocated->value, (std::vector<double>{500, 300}));
  EXPECT_EQ(allocated->time_ns, (std::vector<int64_t>{0, 2000}));
  EXPECT_EQ(reserved->time_ns, (std::vector<int64_t>{1000}));
  EXPECT_NE(notes(**capture).find("No duration is measured"), std::string::npos) << notes(**capture);
  for (const StepRecord& step : (*capture)->steps()) EXPECT_FALSE(step.traced);
}

/// Lists and dictionaries as pickle writes them, with memos.
std::string item(std::string_view key, int value) {
  std::string bytes = "\x8c" + std::string(1, static_cast<char>(key.size())) + std::string(key) + "K";
  return bytes + static_cast<char>(value);
}

TEST(MemorySnapshot, WhatANumberStandsForIsForgotten) {
  // [{"n": 1, "frames": F}, {"n": 2, "frames": F}, F] with one list F: [{"line": 7}]
  const std::string frames =
      "\x8c\x06"
      "frames]q\x01}" +
      item("line", 7) + "sa";
  const std::string bytes = "\x80\x04](}" + item("n", 1) + "s" + frames + "s}" + item("n", 2) +
                            "s\x8c\x06"
                            "framesh\x01s"
                            "h\x01"
                            "e.";
  TemporaryFolder folder;
  write_bytes(folder / "f.pickle", bytes);
  std::vector<int64_t> seen;
  const auto p = Pickle::read(folder / "f.pickle", {}, [&](const Pickle& pickle, const PickleValue& dictionary) {
    const PickleValue n = pickle.at(dictionary, "n");
    if (n.kind == PickleValue::Kind::integer) seen.push_back(n.integer);
    return n.kind == PickleValue::Kind::integer ? std::optional(100 + n.integer) : std::nullopt;
  });
  ASSERT_TRUE(p) << p.error().message;
  EXPECT_EQ(seen, (std::vector<int64_t>{1, 2}));
  const auto& items = p->items(p->root());
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].integer, 101);
  EXPECT_EQ(items[1].integer, 102);
  EXPECT_TRUE(p->items(items[2]).empty()) << "a list that was forgotten holds nothing";
  const auto whole = Pickle::read(folder / "f.pickle", {});
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->items(whole->items(whole->root())[2]).size(), 1u);
}

TEST(MemorySnapshot, MillionsOfEventsTakeLittleMemory) {
  constexpr int kEvents = 200'000;
  std::string bytes =
      "\x80\x04}\x8c\x08segments]s\x8c\x0d"
      "device_traces](](";
  for (int i = 0; i < kEvents; ++i) {
    bytes +=
        "}(\x8c\x06"
        "action\x8c\x05"
        "alloc" +
        item("time_us", i % 100) + item("size", 2) +
        "\x8c\x06"
        "frames](";
    for (int k = 0; k < 20; ++k) bytes += "}" + item("line", k) + "s";
    bytes += "eu";
    if (i % 1000 == 999) bytes += "e(";
  }
  bytes += "ees.";
  TemporaryFolder folder;
  write_bytes(folder / "big.pickle", bytes);
  int64_t events = 0;
  const auto p = Pickle::read(folder / "big.pickle", {}, [&](const Pickle& pickle, const PickleValue& dictionary) {
    return pickle.text(pickle.at(dictionary, "action")).empty() ? std::nullopt : std::optional(events++);
  });
  ASSERT_TRUE(p) << p.error().message;
  EXPECT_EQ(events, kEvents);
  EXPECT_LT(p->containers(), 100'000u) << "of 4.4 million in the file";
}

TEST(MemorySnapshot, NumberedValuesAndListsAreBounded) {
  TemporaryFolder folder;
  const auto read = [&](const std::string& bytes) {
    write_bytes(folder / "m.pickle", "\x80\x04" + bytes + ".");
    const auto pickle = Pickle::read(folder / "m.pickle", {}, {}, 10'000);
    return pickle ? std::string() : pickle.error().message;
  };
  EXPECT_EQ(read("N" + std::string(9'000, '\x94')), "");
  EXPECT_NE(read("N" + std::string(11'000, '\x94')).find("numbers more than 10000 values"), std::string::npos);
  std::string far = "N", jumps = "N";
  for (uint32_t i = 1; i <= 2'600; ++i) {
    const auto put = [](uint32_t key) {
      std::string text = "r";
      for (int byte = 0; byte < 4; ++byte) text += static_cast<char>(key >> (8 * byte) & 0xff);
      return text;
    };
    far += put(1'000'000 * i), jumps += put(65'000 * i);
  }
  EXPECT_NE(read(far).find("numbers more than"), std::string::npos);
  EXPECT_NE(read(jumps).find("numbers more than"), std::string::npos);
  EXPECT_NE(read(std::string(3'000, ']')).find("holds more than 10000 values"), std::string::npos);
}

TEST(MemorySnapshot, ObjectsAreNeverBuilt) {
  TemporaryFolder folder;
  write_bytes(folder / "o.pickle", std::string(kObject));
  const auto pickle = Pickle::read(folder / "o.pickle", {});
  ASSERT_FALSE(pickle);
  EXPECT_NE(pickle.error().message.find("more than plain data"), std::string::npos) << pickle.error().message;
}

TEST(MemorySnapshot, EveryPrefixAndEveryFlippedByteIsSurvived) {
  for (size_t size = 0; size < kSnapshot.size(); ++size)
    EXPECT_FALSE(import_bytes(std::string(kSnapshot.substr(0, size)), "cut.pickle")) << size;
  TemporaryFolder folder;
  for (size_t i = 0; i < kSnapshot.size(); ++i) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string bytes(kSnapshot);
      bytes[i] = static_cast<char>(bytes[i] ^ flip);
      write_bytes(folder / "flipped.pickle", bytes);
      const auto pickle = Pickle::read(folder / "flipped.pickle", {});
      EXPECT_TRUE(pickle || !pickle.error().message.empty());
    }
  }
}

TEST(MemorySnapshot, ValuesOfEveryKind) {
  TemporaryFolder folder;
  write_bytes(folder / "s.pickle", std::string(kSnapshot));
  const auto p = Pickle::read(folder / "s.pickle", {});
  ASSERT_TRUE(p) << p.error().message;
  EXPECT_EQ(p->at(p->root(), "f").real, 1.5);
  EXPECT_EQ(p->items(p->at(p->root(), "t")).size(), 3u);
  EXPECT_EQ(p->at(p->root(), "big").kind, PickleValue::Kind::none) << "beyond 64 bits";
  EXPECT_EQ(p->at(p->root(), "b").integer, 1);
  EXPECT_EQ(p->at(p->root(), "missing").kind, PickleValue::Kind::none);
}

}  // namespace
