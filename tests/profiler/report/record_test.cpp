// SPDX-License-Identifier: Apache-2.0
// The record of a report survives the page it stands in; damaged and foreign pages are refused in words.
#include "profiler/report/record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "profiler/report/report.h"
#include "tests/support/sample_capture.h"
#include "tests/support/temporary_folder.h"

namespace {

using profiler::read_report_record;
using profiler::record_from_json;
using profiler::ReportRecord;

class RecordTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const auto file = folder.path() / "r.html";
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  tests::TemporaryFolder folder;
};

TEST_F(RecordTest, SurvivesThePage) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.run().command = "tensortide run 'a \"b\" & <c>.onnx' --set m=1";
  const auto capture = builder.finish();
  ASSERT_TRUE(capture);
  const profiler::Report report = profiler::capture_report(*profiler::analyze(*capture), "r.tide");
  const auto read = read_report_record(write(profiler::report_html(report, {})));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->kind, "capture");
  EXPECT_EQ(read->command, (*capture)->run().command);
  EXPECT_EQ(read->device, (*capture)->run().device);
  EXPECT_EQ(read->threads, (*capture)->run().threads);
  EXPECT_EQ(read->machine, (*capture)->machine().info.model);
  const ReportRecord own = profiler::record_of(**capture);
  EXPECT_EQ(read->step_ns, own.step_ns);
  ASSERT_EQ(own.step_ns.size(), 3u) << "steps 1, 2 and 4: timed, traced, warm";
}

TEST_F(RecordTest, ACommandIsKeptByteForByteAndShownEscaped) {
  for (const std::string mark : {"\xe2\x80\x8c", "\xe2\x80\x8d", "\xef\xb8\x8f", "\xc2\xad"}) {
    profiler::CaptureBuilder builder = tests::sample_builder();
    builder.run().title.clear();
    builder.run().workload = "ne" + mark + "t.onnx";
    builder.run().command = "tensortide run ne" + mark + "t.onnx";
    const auto capture = builder.finish();
    ASSERT_TRUE(capture);
    const std::string page =
        profiler::report_html(profiler::capture_report(*profiler::analyze(*capture), "r.tide"), {});
    EXPECT_EQ(page.find(mark), std::string::npos) << "shown";
    const auto read = read_report_record(write(page));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->command, (*capture)->run().command) << "run again";
  }
}

TEST_F(RecordTest, UnknownStaysUnknown) {
  ReportRecord record;
  record.kind = "capture";
  const auto read = record_from_json(to_json(record));
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::isnan(read->foreign_load_ratio));
  EXPECT_TRUE(read->step_ns.empty());
}

TEST_F(RecordTest, RefusesOtherPages) {
  const auto refusal = [&](const std::string& text) {
    const auto read = read_report_record(write(text));
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_NE(refusal("<html><body>hello</body></html>").find("no report of Tensortide"), std::string::npos);
  EXPECT_NE(refusal("").find("no report of Tensortide"), std::string::npos);
  EXPECT_NE(refusal("<meta name=\"tensortide-record\" content=\"{&quot;schema").find("cut off"), std::string::npos);
  EXPECT_NE(refusal("<meta name=\"tensortide-record\" content=\"not json\"/>").find("damaged"), std::string::npos);
  EXPECT_NE(refusal("<meta name=\"tensortide-record\" content=\"{&quot;schema&quot;:99}\"/>").find("schema 99"),
            std::string::npos);
  EXPECT_FALSE(read_report_record(folder.path() / "missing.html"));
  EXPECT_NE(read_report_record(folder.path()).error().message.find("folder"), std::string::npos);
}

TEST_F(RecordTest, RefusesImpossibleFigures) {
  for (const char* text :
       {R"({"schema":1,"kind":"capture","step_ns":[-1]})", R"({"schema":1,"kind":"capture","step_ns":["x"]})",
        R"({"schema":1,"kind":"capture","step_ns":7})", R"({"schema":1,"kind":"capture","step_ns":[1e999]})",
        R"({"schema":1,"kind":"other"})", R"({"kind":"capture"})", "[]"}) {
    EXPECT_FALSE(record_from_json(text)) << text;
  }
}

/// Every truncation and every changed byte of a page is answered, not crashed on.
TEST_F(RecordTest, AnswersDamagedPages) {
  ReportRecord record;
  record.kind = "capture";
  record.step_ns = {1, 2, 3};
  std::string page = to_json(record);
  for (size_t i = 0; i < page.size(); ++i) {
    std::string changed = page;
    changed[i] = static_cast<char>(changed[i] ^ 0x15);
    (void)record_from_json(changed);
    EXPECT_FALSE(record_from_json(page.substr(0, i))) << i;
  }
}

}  // namespace
