// SPDX-License-Identifier: Apache-2.0
// Lessons: what is read, and that every fault has its line.
#include "profiler/lessons/lesson_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace profiler {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFront = "+++\ntitle = \"T\"\nchapter = 2\nrows = [\"B2\"]\n+++\n";
constexpr const char* kRun = "```run\nid = \"small\"\ncommand = \"run mlp --batch 1\"\n```\n";
constexpr const char* kAsk =
    "```predict\nid = \"q\"\nkind = \"choice\"\nquestion = \"Which?\"\nchoices = [\"a\", \"b\"]\n```\n";
constexpr const char* kAnswer = "```answer\npredict = \"q\"\nquery = \"small.step_ns\"\nbins = [1]\n```\n";

std::string whole() {
  return std::string(kFront) + "# Head\n\n" + kAsk + kRun + kAnswer + "```explain\n{small.step_ns}\n```\n";
}

std::string faults_of(const std::string& text) {
  std::string all;
  for (const LessonFault& fault : read_lesson(text, "dir/x.md").faults) all += fault.words() + "\n";
  return all;
}

TEST(LessonReader, ReadsALesson) {
  const ReadLesson read = read_lesson(whole(), "dir/x.md");
  EXPECT_EQ(faults_of(whole()), "");
  EXPECT_EQ(read.lesson.name, "x");
  EXPECT_EQ(read.lesson.title, "T");
  EXPECT_EQ(read.lesson.rows, std::vector<std::string>{"B2"});
  ASSERT_NE(read.lesson.run("small"), nullptr);
  EXPECT_EQ(read.lesson.run("small")->words, (std::vector<std::string>{"run", "mlp", "--batch", "1"}));
  const auto pages = lesson_pages(read.lesson);
  ASSERT_EQ(pages.size(), 3u);  // question, run, explanation
  EXPECT_EQ(pages[0].title, "Head");
  EXPECT_EQ(pages[0].blocks.size(), 2u);
}

/// A change of the whole lesson, and what the message must hold.
TEST(LessonReader, NamesTheLineOfEachFault) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = whole();
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const auto says = [](const std::string& text, const std::string& wanted) {
    const std::string faults = faults_of(text);
    EXPECT_NE(faults.find(wanted), std::string::npos) << "wanted: " << wanted << "\ngot: " << faults;
  };
  says("text alone\n", "dir/x.md:1: the lesson has no front matter");
  says(changed("chapter = 2", "chapter = 0"), "dir/x.md:3: [lesson] chapter: 0 is out of range");
  says(changed("\"B2\"", "\"Z9\""), "dir/x.md:4: [lesson] rows: \"Z9\"");
  says(changed("title = \"T\"", "titel = \"T\""), "dir/x.md:2: [lesson] has no key \"titel\"; did you mean \"title\"?");
  says(changed("title = \"T\"", "title = T"), "dir/x.md:2: [lesson] is no TOML");
  says(changed("```predict", "```quiz"), "dir/x.md:8: unknown block \"quiz\"");
  says(changed("kind = \"choice\"", "kind = \"guess\""), "dir/x.md:10: [predict] kind: \"guess\"");
  says(changed("run mlp --batch 1", "rm -rf /"), "a lesson cannot run \"rm\"");
  says(changed("run mlp --batch 1", "run /etc/passwd"), "\"/etc/passwd\" leaves the folder");
  says(changed("run mlp --batch 1", "run ../other.onnx"), "\"../other.onnx\" leaves the folder");
  says(changed("run mlp --batch 1", "cache --trace=a/../../t.din"), "leaves the folder");
  says(changed("run mlp --batch 1", "run net.onnx"), "is no file in the folder");
  says(changed("run mlp --batch 1", "run mlp -o /tmp/x"), "-o is not for lessons");
  says(changed("run mlp --batch 1", "run mlp --output=x"), "--output is not for lessons");
  says(changed("run mlp --batch 1", "compare @later @small"), "\"@later\" names no earlier run");
  says(changed("query = \"small.step_ns\"", "query = \"small.stepns\""), "small has no \"stepns\"");
  says(changed("bins = [1]", "bins = [1, 2]"), "[answer] bins: has 2");
  says(changed("bins = [1]", "bins = [2, 1]"), "expected");
  says(changed("predict = \"q\"", "predict = \"z\""), "there is no question \"z\"");
  says(changed("predict = \"q\"", "predict = \"z\""), "[predict] q has no answer");
  says(changed("{small.step_ns}", "{large.step_ns}"), "dir/x.md:24: query \"large.step_ns\"");
  says(whole() + "```claim\ntext = \"c\"\nexpect = \"small.flops\"\n```\n", "expected a comparison");
  const std::string exercise =
      "```exercise\nid = \"e\"\ntask = \"Do it\"\ncheck = \"kernel @work --like gemm\"\nexpect = [\"e.misses <= "
      "3\"]\n```\n";
  const auto other = [&](const std::string& from, const std::string& to) {
    std::string text = exercise;
    return whole() + text.replace(text.find(from), from.size(), to);
  };
  EXPECT_TRUE(read_lesson(whole() + exercise, "dir/x.md").faults.empty());
  says(other("@work", "mine.cpp"), "give either @work");
  says(other("@work", "@work --new x.cpp"), "--new is not for lessons");
  says(other("@work", "@work --trusted"), "--trusted is not for lessons");
  says(other("@work", "@work --against ../x.cpp"), "leaves the folder");
  says(other("kernel", "rm"), "a lesson cannot run \"rm\"");
  says(other("e.misses <= 3", "e.misses"), "expected comparisons");
  says(other("e.misses <= 3", "f.misses <= 3"), "\"f.misses");
  says(other("id = \"e\"", "id = \"small\""), "is used twice");
  says(other("task", "starter = \"none.cpp\"\ntask"), "\"none.cpp\" is no file in the folder");
  const auto drawn = [&](const std::string& keys, const std::string& answer) {
    return whole() + "```predict\nid = \"d\"\nquestion = \"Where?\"\n" + keys + "\n```\n```answer\npredict = \"d\"\n" +
           answer + "\n```\n";
  };
  const std::string curve = "kind = \"curve\"\nat = [1, 2, 4]\nlow = 1\nhigh = 9\nlog = true",
                    three = "queries = [\"1\", \"2\", \"3\"]", two = "queries = [\"1\", \"2\"]";
  EXPECT_EQ(faults_of(drawn(curve, three)), "");
  EXPECT_EQ(faults_of(drawn("kind = \"point\"", two)), "");
  EXPECT_EQ(faults_of(drawn("kind = \"role\"\ntensors = [\"w\"]", "queries = [\"1\"]")), "");
  says(drawn(curve, two), "[answer] queries: has 2, and \"d\" needs 3");
  says(drawn("kind = \"curve\"\nat = [4, 2, 1]\nlow = 1\nhigh = 9", three), "[predict] at: expected 3 to 12 places");
  says(drawn("kind = \"curve\"\nat = [0, 2, 4]\nlow = 1\nhigh = 9\nlog = true", three), "begins above 0");
  says(drawn("kind = \"curve\"\nlow = 1\nhigh = 9", three), "[predict] at");
  says(drawn("kind = \"point\"\nintensity = [9, 1]", two), "[predict] intensity: expected the two ends");
  says(drawn("kind = \"point\"", two + "\nwithin = \"10 %\""), "right up to a factor on both axes");
  says(drawn("kind = \"role\"", "queries = [\"1\"]"), "[predict] tensors");
  says(whole() + kRun, "is used twice");
  says(whole() + "```reveal\nrun = \"nobody\"\nview = \"traffic\"\n```\n", "no run has the id \"nobody\"");
  says(whole() + "```reveal\nrun = \"small\"\nview = \"sweep\"\n```\n", "is no sweep");
  says(whole() + "```run\nid = \"x\"\n", "has no end");
  says(changed("question = \"Which?\"", "question = \"" + std::string(5000, 'x') + "\""), "at most 1000");
}

TEST(LessonReader, RefusesFilesThatAreTooLargeOrNoText) {
  const fs::path folder = fs::path(testing::TempDir()) / "lesson_reader";
  fs::remove_all(folder);
  fs::create_directories(folder / "inner");
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("huge.md", std::string(kMostLessonBytes + 1, 'x'));
  EXPECT_FALSE(open_lesson(folder / "huge.md"));
  EXPECT_FALSE(open_lesson(folder));
  EXPECT_FALSE(open_lesson(folder / "missing.md"));
  write("binary.md", whole() + "\xff\xfe");
  ASSERT_TRUE(open_lesson(folder / "binary.md"));
  EXPECT_FALSE(open_lesson(folder / "binary.md")->faults.empty());
  write("good.md", whole());
  write("good.de.md", whole());
  write("README.md", "no lesson");
  fs::create_symlink("/etc/passwd", folder / "link.md");
  const auto files = lesson_files(folder);
  ASSERT_TRUE(files);
  EXPECT_EQ(files->size(), 3u);  // huge, binary, good: no translation, no README, no link
}

TEST(LessonReader, DoesNotFollowLinksOutOfItsFolder) {
  const fs::path folder = fs::path(testing::TempDir()) / "lesson_links";
  fs::remove_all(folder);
  fs::create_directories(folder / "lessons");
  std::ofstream(folder / "secret.onnx") << "x";
  fs::create_symlink("../secret.onnx", folder / "lessons" / "net.onnx");
  std::string text = whole();
  text.replace(text.find("run mlp"), 7, "run net.onnx");
  std::string faults;
  for (const LessonFault& fault : read_lesson(text, folder / "lessons" / "x.md").faults) faults += fault.what;
  EXPECT_NE(faults.find("leads out of the folder"), std::string::npos) << faults;
}

/// Every prefix, and every lesson with one byte changed, is read or refused without harm.
TEST(LessonReader, HeadsOfTablesAndValuesThatBeginAsNoneAreFaults) {
  for (const char* block : {"[?", "[ =", "[\xff]", "[[,]]", "a = [?", "? = 1", "= 1", "a.? = 1", "a = {? = 1}",
                            "a = \"\\q\"", "[a.]", "[.a]", "a = 1\n[,"}) {
    const auto read = read_lesson(fmt::format("+++\n{}\n+++\n\n## A\n\ntext\n", block), "x.md");
    EXPECT_FALSE(read.faults.empty()) << block;
  }
}

TEST(LessonReader, SurvivesDamage) {
  const std::string text = whole();
  for (size_t length = 0; length < text.size(); ++length) read_lesson(text.substr(0, length), "x.md");
  for (size_t at = 0; at < text.size(); ++at)
    for (const char c : {'\0', '`', '"', '[', '\n', '\xff'}) {
      std::string damaged = text;
      damaged[at] = c;
      for (const LessonFault& fault : read_lesson(damaged, "x.md").faults) EXPECT_GE(fault.line, 1);
    }
}

/// The lessons that ship check without faults; each row that one claims is one of the curriculum, and rows without a
/// lesson are listed with the reason.
TEST(Lessons, CoverTheCurriculumOrSayWhyNot) {
  const fs::path folder = fs::path(TENSORTIDE_SOURCE_DIR) / "resources/lessons";
  const auto files = lesson_files(folder);
  ASSERT_TRUE(files);
  std::set<std::string> taught, names, all;
  for (const fs::path& file : *files) {
    const auto read = open_lesson(file);
    ASSERT_TRUE(read);
    for (const LessonFault& fault : read->faults) ADD_FAILURE() << fault.words();
    EXPECT_TRUE(names.insert(read->lesson.name).second) << "two lessons are called " << read->lesson.name;
    EXPECT_LE(read->lesson.minutes, read->lesson.exercises().empty() ? 10 : 60) << file;  // an exercise is homework
    EXPECT_FALSE(read->lesson.predictions().empty()) << file << " asks nothing";
    taught.insert(read->lesson.rows.begin(), read->lesson.rows.end());
  }
  for (const auto& [letter, count] : {std::pair{'A', 19},
                                      {'B', 5},
                                      {'C', 11},
                                      {'D', 3},
                                      {'E', 9},
                                      {'F', 6},
                                      {'G', 8},
                                      {'H', 12},
                                      {'I', 4},
                                      {'J', 12},
                                      {'K', 7}})
    for (int i = 1; i <= count; ++i) all.insert(fmt::format("{}{}", letter, i));
  all.insert("L");
  for (const std::string& row : taught) EXPECT_TRUE(all.contains(row)) << row << " is no row of the curriculum";
  std::set<std::string> excused;
  std::ifstream reasons(folder / "not_covered.txt");
  for (std::string line; std::getline(reasons, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::string row = line.substr(0, line.find(' '));
    EXPECT_TRUE(all.contains(row)) << row;
    EXPECT_FALSE(taught.contains(row)) << row << " has a lesson: take its line out of not_covered.txt";
    EXPECT_GT(line.size(), row.size() + 15) << row << " needs a reason";
    excused.insert(row);
  }
  for (const std::string& row : all)
    EXPECT_TRUE(taught.contains(row) || excused.contains(row)) << row << " has neither a lesson nor a reason";
}

/// Translations have the questions, runs and answers of their lesson; only words differ.
TEST(Lessons, TranslationsAskTheSame) {
  const fs::path folder = fs::path(TENSORTIDE_SOURCE_DIR) / "resources/lessons";
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".de.md")) continue;
    const auto german = open_lesson(entry.path());
    const auto english = open_lesson(entry.path().parent_path() / (name.substr(0, name.size() - 6) + ".md"));
    ASSERT_TRUE(german && english) << name;
    for (const LessonFault& fault : german->faults) ADD_FAILURE() << fault.words();
    ASSERT_EQ(german->lesson.blocks.size(), english->lesson.blocks.size()) << name;
    for (size_t i = 0; i < german->lesson.blocks.size(); ++i) {
      const auto &a = german->lesson.blocks[i].is, &b = english->lesson.blocks[i].is;
      ASSERT_EQ(a.index(), b.index()) << name << ": block " << i;
      if (const auto* run = std::get_if<LessonRun>(&a); run != nullptr) {
        EXPECT_EQ(run->words, std::get<LessonRun>(b).words) << name;
      }
      if (const auto* p = std::get_if<LessonQuestion>(&a)) {
        EXPECT_EQ(p->id, std::get<LessonQuestion>(b).id) << name;
        EXPECT_EQ(p->items.size(), std::get<LessonQuestion>(b).items.size()) << name;
      }
    }
  }
}

}  // namespace
}  // namespace profiler
