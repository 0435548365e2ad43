// SPDX-License-Identifier: Apache-2.0
// JSON as it should not be: never a crash; what can be kept is kept, and what was not is said.
#include "tests/profiler/import/import_support.h"

namespace {

using namespace profiler;
using namespace tests;

const std::string kGood = R"({"ph":"X","cat":"cpu_op","name":"good","ts":5,"dur":1,"pid":1,"tid":1})";

struct Case {
  const char* name;
  std::string event;
  const char* note;  ///< part of what is said; "": nothing of it
};

class BadEvent : public testing::TestWithParam<Case> {};

TEST_P(BadEvent, DoesNoHarmToItsNeighbours) {
  const auto capture = import_events(kGood + ",\n" + GetParam().event + ",\n" + kGood);
  ASSERT_TRUE(capture) << capture.error().message;
  int good = 0;
  for (size_t i = 0; i < (*capture)->activities().size(); ++i)
    good += (*capture)->name((*capture)->activities().name[i]) == "good";
  EXPECT_EQ(good, 2) << notes(**capture);
  EXPECT_NE(notes(**capture).find(GetParam().note), std::string::npos) << notes(**capture);
}

std::string kernel(const std::string& args) {
  return R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,"args":{)" + args + "}}";
}

INSTANTIATE_TEST_SUITE_P(
    All, BadEvent,
    testing::Values(
        Case{"nested", std::string(100'000, '[') + std::string(100'000, ']'), "nests too deep"},
        Case{"nested_args", R"({"ph":"X","ts":1,"args":)" + std::string(2000, '[') + std::string(2000, ']') + "}",
             "nests too deep"},
        Case{"nan_time", R"({"ph":"X","ts":NaN,"dur":1})", "no usable time"},
        Case{"infinite", R"({"ph":"X","ts":1e999,"dur":1})", "no usable time"},
        Case{"raw_newline", "{\"ph\":\"X\",\"name\":\"a\nb\",\"ts\":1,\"dur\":1}", "replaced"},
        Case{"bad_escape", R"({"ph":"X","name":"\c","ts":1,"dur":1})", "replaced"},
        Case{"lone_surrogate", R"({"ph":"X","name":"\ud800","ts":1,"dur":1})", "replaced"},
        Case{"bad_utf8", "{\"ph\":\"X\",\"name\":\"\xff\xfe\",\"ts\":1,\"dur\":1}", "replaced"},
        Case{"raw_quote", R"({"ph":"X","name":"a"b","ts":1,"dur":1})", "no valid JSON"},
        Case{"two_raw_quotes", R"({"ph":"X","name":"a"b"c","ts":1,"dur":1})", "no valid JSON"},
        Case{"trailing_comma", R"({"ph":"X","ts":1,"dur":1,})", "no valid JSON"}, Case{"empty", "{}", ""},
        Case{"number", "17", "no object"}, Case{"text", "\"x\"", "no object"}, Case{"null", "null", "no object"},
        Case{"duplicate_key", R"({"ph":"X","ts":1,"ts":2,"dur":1})", ""},
        Case{"huge_integer", R"({"ph":"X","ts":18446744073709551616,"dur":1})", "no usable time"},
        Case{"text_time", R"({"ph":"X","ts":"12","dur":"1"})", ""},
        Case{"null_time", R"({"ph":"X","ts":null,"dur":1})", "no usable time"},
        Case{"boolean_time", R"({"ph":"X","ts":true,"dur":1})", "no usable time"},
        Case{"array_time", R"({"ph":"X","ts":[1],"dur":1})", "no usable time"},
        Case{"no_time", R"({"ph":"X","dur":1})", "no usable time"},
        Case{"negative_time", R"({"ph":"X","ts":-5,"dur":1})", ""},
        Case{"far_time", R"({"ph":"X","ts":9007199254740993000,"dur":1})", "no usable time"},
        Case{"negative_duration", R"({"ph":"X","ts":1,"dur":-3})", "negative duration"},
        Case{"no_duration", R"({"ph":"X","ts":1})", "no duration"},
        Case{"nan_duration", R"({"ph":"X","ts":1,"dur":"NaN"})", "counts as unknown"},
        Case{"odd_ids", R"({"ph":"X","ts":1,"dur":1,"pid":"Spans","tid":-1.5})", ""},
        Case{"no_ids", R"({"ph":"X","ts":1,"dur":1,"name":"n"})", ""},
        Case{"args_text", R"({"ph":"X","ts":1,"dur":1,"args":")" + std::string(10'000'000, 'x') + "\"}", ""},
        Case{"args_array", R"({"ph":"X","ts":1,"dur":1,"args":[1,2]})", ""},
        Case{"counter_text", R"({"ph":"C","name":"c","ts":1,"args":{"v":"many"}})", "counts as unknown"},
        Case{"unknown_phase", R"({"ph":"Z","ts":1})", "not shown"},
        Case{"long_phase", R"({"ph":"XX","ts":1})", "not shown"},
        Case{"huge_correlation", kernel(R"("correlation":9223372036854775807,"device":0,"stream":1)"),
             "no launching call"},
        Case{"zero_correlation", kernel(R"("correlation":0)"), "no launching call"},
        Case{"negative_bytes",
             R"({"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","ts":1,"dur":1,"args":{"bytes":-4}})",
             "out of range"},
        Case{
            "huge_bytes",
            R"({"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","ts":1,"dur":1,"args":{"bytes":9223372036854775808}})",
            "out of range"},
        Case{"far_stream", kernel(R"("device":4294967295,"stream":4294967295)"), "out of range"},
        Case{"huge_grid", kernel(R"("grid":[2147483647,2147483647,2147483647],"block":[99999999999,-1,1.5,4])"), ""},
        Case{"long_name", R"({"ph":"X","ts":1,"dur":1,"name":")" + std::string(1'000'000, 'n') + "\"}", "was cut"},
        Case{"empty_name", R"({"ph":"X","ts":1,"dur":1,"name":""})", ""},
        Case{"evil_name", R"({"ph":"X","ts":1,"dur":1,"name":"</script>\"\\\u0000\u202e"})", ""},
        Case{"hour_before", R"({"ph":"X","ts":-3600000000,"dur":1})", ""}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(BadJson, DocumentsThatHoldNothing) {
  struct Refused {
    std::string bytes;
    const char* says;
  };
  for (const Refused& r :
       {Refused{"", "empty"}, Refused{"   \n", "no trace"}, Refused{"hello", "no trace"},
        Refused{"{}", "without \"traceEvents\""}, Refused{R"({"traceEvents":{}})", "without \"traceEvents\""},
        Refused{R"({"traceEvents":[]})", "holds no event"}, Refused{"[]", "holds no event"},
        Refused{"[{},{}]", "holds no event"}, Refused{std::string(1'000'000, '['), "holds no event"},
        Refused{"{\"a\": \"never ends", "breaks off at byte 17"}, Refused{"{{{{", "without \"traceEvents\""}}) {
    const auto capture = import_bytes(r.bytes);
    ASSERT_FALSE(capture) << r.bytes.substr(0, 40);
    EXPECT_NE(capture.error().message.find(r.says), std::string::npos) << capture.error().message;
    EXPECT_NE(capture.error().message.find("trace.json"), std::string::npos) << "names the file";
  }
}

/// Where a file breaks off is said with its name, the byte, and how much of it was read.
TEST(BadJson, AFileThatBreaksOff) {
  const std::string front = "{\"traceEvents\":[" + kGood + "," + kGood + ",{\"ph\":\"X\",\"na";
  const auto cut = import_bytes(front);
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ((*cut)->activities().size(), 2u);
  EXPECT_NE(notes(**cut).find("trace.json ends at byte " + std::to_string(front.size()) + "; 2 whole events were read"),
            std::string::npos)
      << notes(**cut);
  EXPECT_EQ(notes(**cut).find("outside the events"), std::string::npos)
      << "the cut event is no entry beside the events: " << notes(**cut);
  const auto no_end = import_bytes("{\"traceEvents\":[" + kGood);
  ASSERT_TRUE(no_end) << no_end.error().message;
  EXPECT_NE(notes(**no_end).find("1 whole event was read"), std::string::npos) << notes(**no_end);
  const auto nothing = import_bytes("{\"traceEvents\":[{\"ph\":\"X\",");
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().message.find("the file breaks off"), std::string::npos) << nothing.error().message;
}

TEST(BadJson, EntriesBesideTheEventsMayBeBroken) {
  const auto c = import_bytes(R"({"deviceProperties":[{"id":,]}, "name": "x"y", "traceEvents":[)" + kGood +
                              R"(],"distributedInfo":{"rank":})");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ((*c)->activities().size(), 1u);
  EXPECT_NE(notes(**c).find("outside the events"), std::string::npos) << notes(**c);
}

TEST(BadJson, DevicesWithoutNamesOrIds) {
  const auto c = import_bytes(
      R"({"deviceProperties":[{}, 3, {"id":0,"name":""},{"id":-1},{"id":99999999999},{"id":1,"name":7,"numSms":-3}],"traceEvents":[)" +
      kernel(R"("device":5,"stream":7)") + "]}");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ((*c)->gpu().kernels.size(), 1u);
  EXPECT_EQ((*c)->run().device, "GPU");
}

TEST(BadJson, TenThousandProcesses) {
  std::string text = "[";
  for (int i = 0; i < 70'000; ++i) text += R"({"ph":"X","name":"a","ts":1,"dur":1,"pid":)" + std::to_string(i) + "},";
  const auto c = import_bytes(text + "{}]");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ((*c)->activities().size(), 70'000u);
  EXPECT_NE(notes(**c).find("share one track"), std::string::npos) << notes(**c);
}

TEST(BadJson, OneEventAndNoDuration) {
  const auto c = import_bytes(R"([{"ph":"X","name":"a","ts":0,"dur":0}])");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ((*c)->activities().size(), 1u);
}

/// Every prefix of a small trace, and every trace with one byte changed, is read or refused.
TEST(BadJson, PrefixesAndFlippedBytes) {
  const std::string text = R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"G"}],"traceEvents":[)" + kGood +
                           "," + kernel(R"("correlation":3,"grid":[1,2,3],"device":0,"stream":7)") +
                           R"(,{"ph":"C","name":"c","ts":1,"args":{"v":1}}],"baseTimeNanoseconds":5})";
  TemporaryFolder folder;
  const auto feed = [&](const std::string& bytes) {
    write_bytes(folder / "t.json", bytes);
    const auto c = import_traces({.files = {folder / "t.json"}, .format = "kineto", .command = {}, .control = {}});
    EXPECT_TRUE(c.ok() || !c.error().message.empty());
  };
  for (size_t n = 0; n < text.size(); n += 3) feed(text.substr(0, n));
  for (size_t i = 0; i < text.size(); i += 2) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 7)));
    feed(changed);
  }
}

TEST(BadJson, NestingTooDeepIsNamedWithItsLimit) {
  const std::string deep = R"({"ph":"X","name":"a","ts":1,"dur":2,"args":)" + std::string(20'000, '['),
                    whole = R"({"ph":"X","name":"b","ts":1,"dur":2})";
  const auto none = import_bytes(R"({"traceEvents":[)" + deep);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("at least 20001 levels, possible are 512"), std::string::npos)
      << none.error().message;
  const auto one = import_bytes(R"({"traceEvents":[)" + deep + std::string(20'000, ']') + "}," + whole + "]}");
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_NE(notes(**one).find("1 event or entry nests too deep and was left out"), std::string::npos) << notes(**one);
  EXPECT_EQ((*one)->honesty().dropped_records, 1);
  const auto fine = import_bytes(R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2,"args":)" +
                                 std::string(400, '[') + std::string(400, ']') + "}," + whole + "]}");
  ASSERT_TRUE(fine) << fine.error().message;
  EXPECT_EQ((*fine)->honesty().dropped_records, 0);
}

}  // namespace
