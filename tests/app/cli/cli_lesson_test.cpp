// SPDX-License-Identifier: Apache-2.0
// tensortide lesson: list, check, run, submit, grade, slides and new, as a teacher and a class use them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/app/cli/process.h"
#include "tests/support/sample_lesson.h"

namespace {

namespace fs = std::filesystem;
using test::fresh_folder;
using test::Outcome;
using test::parsed;
using test::tensortide;

std::string read(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

const std::string kLesson = std::string(tests::kLessonQuestions) + tests::kLessonAnswers + R"(```claim
text = "The spacing is 1 / 1024"
expect = "half.formats[dtype=f16].spacing * 1024 == 1"
```
)";

class CliLesson : public testing::Test {
 protected:
  void SetUp() override {
    folder = fresh_folder();
    lesson = folder / "bits.md";
    write(lesson, kLesson);
    write(folder / "answers.json", R"({"stored": 1.4004, "less": 1})");
  }
  Outcome submit(const std::string& name) {
    return tensortide(fmt::format("lesson submit {} --answers {} --student {} -o {}", lesson.string(),
                                  (folder / "answers.json").string(), name, (folder / (name + ".tidework")).string()));
  }
  fs::path folder, lesson;
};

TEST_F(CliLesson, ListsWhatShips) {
  const Outcome outcome = tensortide("lesson list --json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto document = parsed(outcome.out);
  ASSERT_GT(document["lessons"].size(), 20u);
  for (const auto& one : document["lessons"]) {
    for (const char* key : {"name", "title", "chapter", "level", "minutes", "rows", "needs"})
      EXPECT_TRUE(one.contains(key)) << key << one;
  }
  EXPECT_NE(tensortide("lesson list").out.find("2. Batches"), std::string::npos);
}

/// What a learner types is what the program reads: answers, an answer that is none, an empty line.
TEST_F(CliLesson, IsTakenStepByStepInATerminal) {
  const auto learn = [&](const std::string& typed) {
    write(folder / "typed", typed);
    return tensortide(fmt::format("learn {} --terminal", lesson.string()),
                      fmt::format("sh -c 'exec \"$0\" \"$@\" < {}'", (folder / "typed").string()));
  };
  const Outcome right = learn("about one\n1.4004\nb");  // as printf ends it
  ASSERT_EQ(right.exit_code, 0) << right.err;
  EXPECT_NE(right.out.find("That is no answer here"), std::string::npos) << right.out;
  EXPECT_NE(right.out.find("> tensortide number 1.4 --dtype f16"), std::string::npos) << right.out;
  EXPECT_NE(right.out.find("Here: 1.4"), std::string::npos) << right.out;
  EXPECT_NE(right.out.find("Your prediction: 1.4, right"), std::string::npos) << right.out;
  EXPECT_NE(right.out.find("It stores 1.4"), std::string::npos) << right.out;
  EXPECT_NE(right.out.find("2 of 2 points"), std::string::npos) << right.out;
  EXPECT_LT(right.out.find("What does f16 store"), right.out.find("> tensortide number"));  // asked before it runs
  const Outcome skipped = learn("\n");                                                      // then the input ends
  ASSERT_EQ(skipped.exit_code, 0) << skipped.err;
  EXPECT_NE(skipped.out.find("0 of 2 points"), std::string::npos) << skipped.out;
  EXPECT_EQ(skipped.out.find("Your prediction: "), std::string::npos) << skipped.out;

  const Outcome all = tensortide(fmt::format("learn {} --terminal", folder.string()));
  EXPECT_NE(all.out.find("bits"), std::string::npos) << all.out;
  EXPECT_EQ(tensortide("learn no_such_lesson --terminal").exit_code, 2);
  EXPECT_NE(tensortide("learn kneee --terminal").err.find("knee"), std::string::npos);
}

TEST_F(CliLesson, ChecksAFileAFolderAndWhatItRuns) {
  EXPECT_EQ(tensortide(fmt::format("lesson check {}", lesson.string())).exit_code, 0);
  const Outcome ran = tensortide(fmt::format("lesson check {} --run --json", folder.string()));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(parsed(ran.out)["lessons"][0]["failed"].size(), 0u);
  std::string wrong = kLesson;
  wrong.replace(wrong.find("* 1024 == 1"), 11, "* 1024 == 2");
  write(folder / "false.md", wrong);
  const Outcome fails = tensortide(fmt::format("lesson check {} --run", folder.string()));
  EXPECT_EQ(fails.exit_code, 1);
  EXPECT_NE(fails.err.find("does not hold"), std::string::npos) << fails.err;
  write(folder / "false.md", "no lesson");
  const Outcome faulty = tensortide(fmt::format("lesson check {}", folder.string()));
  EXPECT_EQ(faulty.exit_code, 1);
  EXPECT_NE(faulty.err.find("false.md:1: "), std::string::npos) << faulty.err;
  EXPECT_EQ(tensortide("lesson check /nowhere").exit_code, 3);
}

TEST_F(CliLesson, EveryLessonThatShipsChecks) {
  const Outcome outcome = tensortide(fmt::format("lesson check {}/resources/lessons", TENSORTIDE_SOURCE_DIR));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(CliLesson, RunsAndJudges) {
  const Outcome outcome =
      tensortide(fmt::format("lesson run {} --answers {} --json", lesson.string(), (folder / "answers.json").string()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto document = parsed(outcome.out);
  EXPECT_EQ(document["points"], 2);
  EXPECT_EQ(document["questions"][0]["truth"], "1.4");
  EXPECT_EQ(document["claims"][0]["holds"], true);
  EXPECT_NE(tensortide(fmt::format("lesson run {}", lesson.string())).out.find("It stores 1.400390625."),
            std::string::npos);
  const Outcome asked = tensortide(fmt::format("lesson run {} --questions", lesson.string()));
  EXPECT_NE(asked.out.find("id: less (choice"), std::string::npos) << asked.out;
  EXPECT_NE(asked.out.find("\n  0  "), std::string::npos) << "choices as answers name them: " << asked.out;
  EXPECT_EQ(asked.out.find("here:"), std::string::npos) << "nothing is given away: " << asked.out;
  const Outcome help = tensortide("lesson run --help");
  EXPECT_NE(help.out.find("Example: tensortide lesson run"), std::string::npos) << help.out;
  EXPECT_EQ(help.out.find("tensortide run resnet50"), std::string::npos) << "no example of another verb";
  write(folder / "answers.json", R"({"stored": "x"})");
  const Outcome refused =
      tensortide(fmt::format("lesson run {} --answers {}", lesson.string(), (folder / "answers.json").string()));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("stored"), std::string::npos) << refused.err;
  EXPECT_EQ(tensortide("lesson run kne").exit_code, 2);
}

/// 300 works, of which 20 are damaged in different ways: 280 grades, 20 names.
TEST_F(CliLesson, GradesAClassAndNamesDamagedWorks) {
  ASSERT_EQ(submit("first").exit_code, 0);
  const fs::path works = folder / "works";
  fs::create_directory(works);
  const std::string good = read(folder / "first.tidework");
  for (int i = 0; i < 280; ++i) write(works / fmt::format("s{:03}.tidework", i), good);
  for (int i = 0; i < 20; ++i) {
    std::string bad = good;
    if (i % 5 == 0) bad.resize(bad.size() / 2);
    else if (i % 5 == 1) bad.clear();
    else if (i % 5 == 2) bad.replace(bad.find("1.4004"), 6, "1.4003");
    else if (i % 5 == 3) bad = std::string(100000, '[');
    else bad = std::string("\xff\x00\x01", 3) + bad;
    write(works / fmt::format("bad{:02}.tidework", i), bad);
  }
  const fs::path table = folder / "grades.csv";
  const Outcome outcome = tensortide(
      fmt::format("lesson grade {} --lesson {} -o {} --json", works.string(), lesson.string(), table.string()));
  EXPECT_EQ(outcome.exit_code, 1);
  const auto document = parsed(outcome.out);
  EXPECT_EQ(document["graded"].size(), 280u);
  ASSERT_EQ(document["refused"].size(), 20u);
  for (int i = 0; i < 20; ++i) EXPECT_NE(outcome.err.find(fmt::format("bad{:02}.tidework: ", i)), std::string::npos);
  EXPECT_EQ(document["graded"][0]["points"], 2);
  EXPECT_EQ(document["tally"]["less"]["more"], 280);
  const std::string csv = read(table);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 281);
  for (const char* format : {"gradescope", "nbgrader"}) {
    EXPECT_EQ(tensortide(fmt::format("lesson grade {} --lesson {} -o {} --format {}", works.string(), lesson.string(),
                                     table.string(), format))
                  .exit_code,
              1);
    EXPECT_EQ(std::ranges::count(read(table), '\n'), 281);
  }
}

TEST_F(CliLesson, WritesSlidesWithoutObeyingMarkup) {
  std::string hostile = kLesson;
  hostile.replace(hostile.find("## A number"), 11, "## A <script>alert(1)</script> number");
  write(lesson, hostile);
  const fs::path slides = folder / "slides.html";
  const Outcome outcome = tensortide(fmt::format("lesson slides {} --run -o {}", lesson.string(), slides.string()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string html = read(slides);
  EXPECT_EQ(html.find("<script>"), std::string::npos);
  EXPECT_NE(html.find("1.400390625"), std::string::npos);
  EXPECT_EQ(tensortide(fmt::format("lesson slides {} -o x.txt", lesson.string())).exit_code, 2);
}

TEST_F(CliLesson, WritesATemplateThatChecks) {
  const fs::path made = folder / "mine.md";
  ASSERT_EQ(tensortide(fmt::format("lesson new {}", made.string())).exit_code, 0);
  const Outcome checked = tensortide(fmt::format("lesson check {}", made.string()));
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_EQ(tensortide(fmt::format("lesson new {}", made.string())).exit_code, 3);
}

}  // namespace
