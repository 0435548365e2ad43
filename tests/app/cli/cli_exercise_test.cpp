// SPDX-License-Identifier: Apache-2.0
// Exercises of lessons: work is checked, submitted and graded; handouts keep what was predicted and reached.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/base/confined_child.h"
#include "tests/app/cli/process.h"
#include "tests/support/sample_lesson.h"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Outcome;
using test::parsed;
using test::tensortide;

const std::string kLesson = std::string(tests::kLessonQuestions) + tests::kLessonAnswers + R"(```exercise
id = "near"
task = "Name a number that f16 stores as 1.5, but that is <b>less</b>."
check = "number @value --dtype f16"
expect = ["near.formats[dtype=f16].value == 1.5", "near.formats[dtype=f16].value <= 1.2 * half.formats[dtype=f16].value"]
solution = "1.4999999"
points = 4
```
)";

class CliExercise : public testing::Test {
 protected:
  void SetUp() override {
    folder = test::fresh_folder();
    lesson = folder / "bits.md";
    write(lesson, kLesson);
    write(folder / "answers.json", R"({"stored": 1.4004, "less": 1})");
  }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  static std::string read(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  json run(const std::string& words) {
    const Outcome ran = tensortide(fmt::format("lesson run {} --json {}", lesson.string(), words));
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return parsed(ran.out)["exercises"][0];
  }
  fs::path folder, lesson;
};

TEST_F(CliExercise, AWordIsCheckedAndEarnsItsShare) {
  EXPECT_FALSE(run("")["done"]);
  EXPECT_EQ(run("")["most_points"], 4);
  EXPECT_EQ(run("--work near=1.4999999")["points"], 4);
  const json half = run("--work near=1.25");
  EXPECT_EQ(half["points"], 2);
  EXPECT_EQ(half["passed"].size(), 1u);
  EXPECT_EQ(half["failed"].size(), 1u);
  EXPECT_NE(half["failed"][0].get<std::string>().find("1.25 == 1.5"), std::string::npos) << half;
  const Outcome text = tensortide(fmt::format("lesson run {} --work near=1.25", lesson.string()));
  EXPECT_NE(text.out.find("2 of 4 points"), std::string::npos) << text.out;
  for (const char* words : {"--work near", "--work near=", "--work far=1", "--work near=--json", "--work near=@half"})
    EXPECT_GE(tensortide(fmt::format("lesson run {} {}", lesson.string(), words)).exit_code, 2) << words;
}

TEST_F(CliExercise, TheSolutionIsTriedWithTheClaims) {
  const Outcome good = tensortide(fmt::format("lesson check {} --run", lesson.string()));
  EXPECT_EQ(good.exit_code, 0) << good.err;
  std::string wrong = kLesson;
  wrong.replace(wrong.find("1.4999999"), 9, "1.25");
  write(lesson, wrong);
  const Outcome bad = tensortide(fmt::format("lesson check {} --run", lesson.string()));
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_NE(bad.err.find("the solution of exercise near does not pass"), std::string::npos) << bad.err;
}

TEST_F(CliExercise, WorkIsSubmittedAndGraded) {
  const auto submit = [&](const char* student, const char* work) {
    const Outcome done = tensortide(fmt::format("lesson submit {} --answers {} --student {} {} -o {}", lesson.string(),
                                                (folder / "answers.json").string(), student, work,
                                                (folder / fmt::format("{}.tidework", student)).string()));
    EXPECT_EQ(done.exit_code, 0) << done.err;
  };
  submit("all", "--work near=1.5");
  submit("part", "--work near=1.25");
  submit("none", "");
  const fs::path table = folder / "grades.csv";
  const Outcome graded = tensortide(
      fmt::format("lesson grade {} --lesson {} -o {} --json", folder.string(), lesson.string(), table.string()));
  ASSERT_EQ(graded.exit_code, 0) << graded.err;
  const json grades = parsed(graded.out)["graded"];
  ASSERT_EQ(grades.size(), 3u);
  EXPECT_EQ(grades[0]["points"].get<double>() - grades[1]["points"].get<double>(), 4);  // all, none
  EXPECT_EQ(grades[2]["points"].get<double>() - grades[1]["points"].get<double>(), 2);  // part, none
  EXPECT_EQ(grades[0]["most_points"], 6);
  EXPECT_NE(read(table).find("near_points"), std::string::npos);
  EXPECT_NE(read(table).find(",not done\n"), std::string::npos) << read(table);
}

TEST_F(CliExercise, HandoutsKeepPredictionsFiguresAndExercises) {
  const fs::path page = folder / "handout.html";
  const std::string words = fmt::format("lesson slides {} --handout --answers {} -o {}", lesson.string(),
                                        (folder / "answers.json").string(), page.string());
  const Outcome done = tensortide(words + " --run --work near=1.25");
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const std::string html = read(page);
  for (const char* part : {"Your prediction: <b>1.4</b>", "Right.", "<svg", "1.400390625", "(2 of 4 points)",
                           "Failed: near.formats", "tensortide number 1.4"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  EXPECT_EQ(html.find("<b>less</b>"), std::string::npos) << "markup of a lesson is shown, not obeyed";
  EXPECT_EQ(tensortide(words).exit_code, 2) << "it shows figures of a run";
}

TEST_F(CliExercise, LessonsWithExercisesCheck) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve addresses of their own, and a compiler's process has a limit of them";
#endif
  for (const char* name : {"transpose_lab", "tiled_product", "fused_attention"}) {
    const Outcome listed = tensortide(fmt::format("lesson run {} --only nobody --keep {}", name, folder.string()));
    EXPECT_EQ(listed.exit_code, 2) << name << listed.err;
  }
  const app::HeldLimits held = app::held_limits();
  if (!held.files || !held.system_calls) GTEST_SKIP() << "this system cannot confine a process";
  const Outcome lab = tensortide(
      fmt::format("lesson check {}/resources/lessons/3-memory/transpose_lab.md --run", TENSORTIDE_SOURCE_DIR));
  EXPECT_EQ(lab.exit_code, 0) << lab.err;
  const Outcome wrong = tensortide(fmt::format(
      "lesson run transpose_lab --json --only square --keep {0} --work square={1}/resources/kernels/gemm.cpp",
      (folder / "kept").string(), TENSORTIDE_SOURCE_DIR));
  EXPECT_EQ(wrong.exit_code, 0) << wrong.err;
  EXPECT_EQ(parsed(read(folder / "kept" / "square.json"))["fault"]["kind"], "missing");
}

}  // namespace
