// SPDX-License-Identifier: Apache-2.0
// The lessons that ship, run: every command works, and answers are those of the machine they ran on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "app/base/lesson_handout.h"
#include "app/base/lesson_work.h"
#include "profiler/lessons/lesson_reader.h"
#include "tests/app/cli/made_roofs.h"
#include "tests/app/cli/process.h"
#include "tests/support/sample_lesson.h"

namespace {

namespace fs = std::filesystem;
using test::fresh_folder;
using test::Outcome;
using test::parsed;
using test::tensortide;

const fs::path kLessons = fs::path(TENSORTIDE_SOURCE_DIR) / "resources/lessons";

TEST(LessonsRun, EveryLessonThatShipsRunsInAFewSteps) {
  const Outcome outcome = tensortide(
      fmt::format("lesson check {} --run --quick --roofs {}", kLessons.string(), test::roofs_file(fresh_folder())));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

std::map<std::string, std::string> truths(const std::string& lesson, const std::string& roofs) {
  const Outcome outcome = tensortide(fmt::format("lesson run {} --json --roofs {}", lesson, roofs));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::map<std::string, std::string> all;
  const nlohmann::json document = parsed(outcome.out);
  for (const auto& one : document["questions"]) all[one["question"]] = one["truth"].dump();
  return all;
}

/// Answers are queries on what this machine is: with other roofs and caches they are others, and what is counted from
/// shapes stays.
TEST(LessonsRun, AnswersMoveWithRoofsAndCaches) {
  const fs::path folder = fresh_folder();
  const std::string lesson = (folder / "two.md").string();
  std::ofstream(lesson) << R"(+++
title = "Two machines"
chapter = 2
rows = []
+++

```predict
id = "knee"
kind = "mark"
question = "The knee?"
low = 1
high = 1000
log = true
```

```predict
id = "flops"
kind = "number"
question = "FLOP?"
```

```predict
id = "l2"
kind = "number"
question = "How large is L2?"
```

```predict
id = "dram"
kind = "number"
question = "Bytes through DRAM?"
```

```run
id = "small"
command = "run mlp --mode inference --set input=512 --set hidden=512 --batch 8 --steps 3"
```

```answer
predict = "knee"
query = "2 * machine.ridge_flop_per_byte"
```

```answer
predict = "flops"
query = "small.flops"
```

```answer
predict = "l2"
query = "machine.levels[L2].size_bytes"
```

```answer
predict = "dram"
query = "small.dram_bytes"
```
)";
  profiler::Machine other = test::made_up();
  for (profiler::ComputeRoof& roof : other.compute) roof.flop_per_s = test::known(400e9);
  for (profiler::BandwidthRoof& roof : other.bandwidth)
    if (roof.level == "DRAM") roof.bytes_per_s = test::known(20e9);
  for (profiler::MemoryLevel& level : other.levels)
    if (level.name != "DRAM") level.specified_size_bytes = level.effective_size_bytes = level.effective_size_bytes / 32;
  const std::string second = (folder / "other.json").string();
  std::ofstream(second) << profiler::machine_to_json(other);
  const auto one = truths(lesson, test::roofs_file(folder)), two = truths(lesson, second);
  EXPECT_NE(one.at("knee"), two.at("knee"));
  EXPECT_NE(one.at("l2"), two.at("l2"));
  EXPECT_NE(one.at("dram"), two.at("dram")) << "what fits into the caches does not cross";
  EXPECT_EQ(one.at("flops"), two.at("flops"));
}

/// 40 works with answers of their own, of which six are damaged or tampered with.
TEST(LessonsRun, AClassOfFortyIsGradedOneByOne) {
  const fs::path folder = fresh_folder(), works = folder / "works";
  fs::create_directory(works);
  const std::string text = std::string(tests::kLessonQuestions) + tests::kLessonAnswers;
  const std::string file = (folder / "bits.md").string();
  std::ofstream(file) << text;
  const auto lesson = profiler::whole_lesson(file);
  ASSERT_TRUE(lesson) << lesson.error().message;
  const profiler::QuerySource::Json printed{{"formats", {{{"dtype", "f16"}, {"value", 1.400390625}}}}};
  for (int i = 0; i < 40; ++i) {
    app::LessonResults results;
    results.values["half"] = profiler::document_source(printed);
    results.digests["half"] = fmt::format("xxh3:{:016x}", i);
    results.machine = fmt::format("machine {}", i % 3);
    profiler::GivenAnswers answers;
    if (i % 4 != 0) answers["stored"] = {{}, i % 2 == 0 ? 1.4004 : 1.5};
    answers["less"] = {{i % 2}, 0};
    const auto work = app::make_work(*lesson, answers, results, fmt::format("s{:02}", i));
    ASSERT_TRUE(work);
    std::string content = app::work_text(*lesson, *work);
    if (i == 3) content.resize(content.size() / 2);
    if (i == 9) content.replace(content.find("1.5"), 3, "1.4");
    if (i == 15) content.clear();
    if (i == 21) content.insert(0, "\xff");
    if (i == 27) content = "[" + content;
    if (i == 33) content.replace(content.find("\"bits\""), 6, "\"bats\"");
    std::ofstream(works / fmt::format("s{:02}.tidework", i)) << content;
  }
  const auto grades = app::grade_folder(*lesson, works);
  ASSERT_TRUE(grades) << grades.error().message;
  EXPECT_EQ(grades->grades.size(), 34u);
  EXPECT_EQ(grades->refused.size(), 6u);
  for (const app::Grade& grade : grades->grades) {
    const int i = std::stoi(grade.student.substr(1));
    const double wanted = (i % 4 != 0 && i % 2 == 0 ? 1 : 0) + (i % 2 == 1 ? 1 : 0);
    EXPECT_EQ(grade.points, wanted) << grade.student;
    EXPECT_TRUE(grade.copies.empty()) << "figures of arithmetic are equal for all";
  }
  EXPECT_EQ(grades->tally.at("stored").at(""), 10) << "skipped";
}

TEST(LessonsRun, HandoutsDrawPredictionAndAnswer) {
  profiler::LessonQuestion p{"line", "How <long>?", "times", profiler::LessonQuestion::Kind::curve, {}, 1, 100, true};
  p.at = {1, 4, 16};
  p.at_unit = "samples";
  const std::string svg = app::prediction_plot_svg(p, {1, 1, 4}, {1, 4, 16});
  EXPECT_NE(svg.find(">here<"), std::string::npos);
  EXPECT_NE(svg.find(">you<"), std::string::npos);
  EXPECT_EQ(svg.find("How <long>"), std::string::npos) << "markup is escaped";
  EXPECT_EQ(app::prediction_plot_svg(p, {}, {}).find(">you<"), std::string::npos);
}

}  // namespace
