// SPDX-License-Identifier: Apache-2.0
// README, docs/ and --help: the rules of writing that a machine can hold (tests/words_test.cpp
// holds the sources), that what they name exists, and `tensortide help`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/cli/process.h"
#include "tests/support/prose.h"

namespace {

namespace fs = std::filesystem;
using test::first_banned;
using test::sentences;
using test::tensortide;
using test::words_in;

constexpr int kMostReadme = 800, kMostColumns = 100;
using test::kMostWords;

const fs::path kRoot = TENSORTIDE_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

std::vector<fs::path> docs() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> held() {
  std::vector<fs::path> files = docs();
  for (const char* file : {"SECURITY.md", "CONTRIBUTING.md", "README.md"}) files.insert(files.begin(), kRoot / file);
  return files;
}

/// Blocks of prose: paragraphs, items of lists, headings and cells of tables. Code is left out, inline code is one
/// word, links are their text.
std::vector<std::string> prose(const std::string& markdown) {
  static const std::regex code("`[^`]*`"), link(R"(!?\[([^\]]*)\]\([^)]*\))"), item(R"(^(- |\d+\. ).*)");
  std::vector<std::string> blocks(1);
  bool fenced = false;
  for (const std::string& raw : lines_of(markdown)) {
    const std::string line = trimmed(raw);
    if (line.starts_with("```")) fenced = !fenced, blocks.emplace_back();
    else if (fenced) continue;
    else if (line.starts_with("|")) {
      std::istringstream cells(line.substr(1));
      for (std::string cell; std::getline(cells, cell, '|');) blocks.push_back(cell);
      blocks.emplace_back();
    } else if (line.empty() || line.starts_with("#") || std::regex_match(line, item)) {
      blocks.push_back(line.substr(std::min(line.size(), line.find_first_not_of("# "))));
      if (line.starts_with("#")) blocks.emplace_back();
    } else blocks.back() += " " + line;
  }
  for (std::string& block : blocks)
    block = trimmed(std::regex_replace(std::regex_replace(block, code, "code"), link, "$1"));
  std::erase_if(blocks, [](const std::string& block) { return block.find_first_not_of("-: ") == std::string::npos; });
  return blocks;
}

/// Without fenced blocks: a lambda's "](double x)" is no link.
std::string without_code(const std::string& markdown) {
  std::string text;
  bool fenced = false;
  for (const std::string& line : lines_of(markdown)) {
    if (trimmed(line).starts_with("```")) fenced = !fenced;
    else if (!fenced) text += line + "\n";
  }
  return text;
}

/// What CONTRIBUTING's worked examples add, so that it does not exist.
const std::set<std::string> kExamples{"profiler/record/page_faults_collector.cpp", "--denormals", "engine/hip/",
                                      "app/hip_module/entry.cpp"};

/// The help of each verb, asked once.
const std::map<std::string, std::string>& helps() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> texts{{"", tensortide("--help").out}};
    static const std::regex verb(R"(^  ([a-z]+) {2,}\S.*)");
    for (const std::string& line : lines_of(texts.at(""))) {
      std::smatch match;
      if (std::regex_match(line, match, verb)) texts[match[1]] = tensortide(match[1].str() + " --help").out;
    }
    return texts;
  }();
  return all;
}

/// Option names of --help: "--batch".
std::set<std::string> options_of(const std::string& help) {
  static const std::regex option("--[a-z][a-z0-9-]*");
  std::set<std::string> names;
  for (std::sregex_iterator at(help.begin(), help.end(), option), end; at != end; ++at) names.insert(at->str());
  return names;
}

/// Code that a page shows: lines of fenced blocks and inline code.
std::vector<std::string> code_of(const std::string& markdown) {
  std::vector<std::string> out;
  bool fenced = false;
  for (const std::string& line : lines_of(markdown)) {
    if (line.starts_with("```")) fenced = !fenced;
    else if (fenced) out.push_back(trimmed(line.substr(0, line.find(" # "))));
    else {
      for (size_t begin = line.find('`'); begin != std::string::npos;) {
        const size_t end = line.find('`', begin + 1);
        if (end == std::string::npos) break;
        out.push_back(line.substr(begin + 1, end - begin - 1));
        begin = line.find('`', end + 1);
      }
    }
  }
  return out;
}

TEST(Words, SentencesOfTheHandbookAreShort) {
  int looked_at = 0;
  for (const fs::path& file : held()) {
    for (const std::string& block : prose(text_of(file))) {
      for (const std::string& sentence : sentences(block)) {
        ++looked_at;
        EXPECT_LE(words_in(sentence), kMostWords) << file.filename() << ": " << sentence;
      }
    }
  }
  EXPECT_GT(looked_at, 500);
}

TEST(Words, TheHandbookKeepsToTheGlossary) {
  for (const fs::path& file : held()) {
    for (const std::string& block : prose(text_of(file)))
      EXPECT_EQ(first_banned(block), "") << file.filename() << ": " << block;
  }
  EXPECT_NE(first_banned("It ran on 1 threads."), "");
  EXPECT_NE(first_banned("Foreign traces open"), "");
  EXPECT_EQ(first_banned("They ran on 11 threads; 0.1 steps; a roof"), "");
}

TEST(Words, ReadmeIsReadInAMinute) { EXPECT_LE(words_in(text_of(kRoot / "README.md")), kMostReadme); }

TEST(Words, HelpFitsATerminalAndIsOneLinePerOption) {
  ASSERT_GT(helps().size(), 19U);
  for (const auto& [verb, help] : helps()) {
    EXPECT_EQ(first_banned(help), "") << verb;
    for (const std::string& line : lines_of(help)) {
      EXPECT_LE(line.size(), kMostColumns) << verb << ": " << line;
      EXPECT_FALSE(line.starts_with("  -") && line.size() < 30)
          << verb << ": an option and its text are one line: " << line;
      EXPECT_FALSE(line.starts_with(std::string(12, ' '))) << verb << ": an option and its text are one line: " << line;
    }
  }
}

TEST(Words, HelpNamesThePageWithTheRest) {
  static const std::regex more("More: tensortide help( [a-z-]+)?\n");
  for (const auto& [verb, help] : helps()) {
    std::smatch match;
    ASSERT_TRUE(std::regex_search(help, match, more)) << verb;
    const test::Outcome page = tensortide("help" + match[1].str());
    EXPECT_EQ(page.exit_code, 0) << verb << ": " << page.err;
    if (verb.empty() || verb == "help") continue;
    EXPECT_NE(page.out.find(verb), std::string::npos) << "the page does not name " << verb;
    EXPECT_EQ(tensortide("help " + verb).out, page.out) << verb;
  }
}

TEST(Words, EveryPageIsListedAndReachable) {
  const std::string list = text_of(kRoot / "docs/pages.txt"), contents = text_of(kRoot / "docs/README.md"),
                    topics = tensortide("help").out;
  for (const fs::path& file : docs()) {
    const std::string name = file.filename().string();
    EXPECT_NE(("\n" + list).find("\n" + name), std::string::npos) << name << " is not in docs/pages.txt";
    if (name == "README.md") continue;
    EXPECT_NE(contents.find("(" + name + ")"), std::string::npos) << name << " is not linked from docs/README.md";
    EXPECT_NE(topics.find("  " + file.stem().string() + " "), std::string::npos)
        << name << " is not listed by `tensortide help`";
  }
}

TEST(Words, EveryRelativeLinkAndPictureExists) {
  static const std::regex link(R"(\]\(([^)]*)\))");
  int links = 0;
  for (const fs::path& file : held()) {
    const std::string text = without_code(text_of(file));
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      const std::string target = (*at)[1];
      if (target.starts_with("https://")) continue;
      ++links;
      EXPECT_TRUE(fs::exists(file.parent_path() / target.substr(0, target.find('#'))))
          << file.filename() << " links " << target;
    }
  }
  EXPECT_GT(links, 40);
}

TEST(Words, EveryPathThatTheHandbookNamesExists) {
  static const std::regex path(
      R"((?:^|[ `])((?:app|docs|engine|packaging|profiler|resources|tests|views|cmake)/[A-Za-z0-9_./-]+))");
  for (const fs::path& file : held()) {
    for (const std::string& code : code_of(text_of(file))) {
      for (std::sregex_iterator at(code.begin(), code.end(), path), end; at != end; ++at) {
        const std::string named = (*at)[1];
        if (named == "docs/NAME.md" || kExamples.contains(named)) continue;
        EXPECT_TRUE(fs::exists(kRoot / named)) << file.filename() << " names " << named;
      }
    }
  }
}

TEST(Words, EveryCommandAndOptionOfTheHandbookExists) {
  std::set<std::string> any = options_of(text_of(kRoot / "app/gui/command_line.cpp"));
  for (const auto& [verb, help] : helps()) any.merge(options_of(help));
  any.merge(options_of(text_of(kRoot / "packaging/python/tensortide/__main__.py")));
  any.insert(kExamples.begin(), kExamples.end());
  any.insert({"--fix", "--preset", "--build", "--type", "--program", "--output", "--reasons", "--write", "--gtest",
              "--csv", "--page", "--quick"});  // of cmake, ctest, nsys, ncu and programs of tests/
  // Whether the help of a command has that word: the names of its tables.
  const auto has_word = [](const std::string& verb, const std::string& word) {
    return std::regex_search(helps().at(verb), std::regex("(^|[^a-z_])" + word + "($|[^a-z_])"));
  };
  int commands = 0;
  for (const fs::path& file : held()) {
    for (const std::string& code : code_of(text_of(file))) {
      std::istringstream in(code);
      std::string program, verb;
      in >> program >> verb;
      const bool ours = (program == "tensortide" || program == "./run") && !verb.empty() &&
                        verb.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
      if (ours) {
        ++commands;
        ASSERT_TRUE(helps().contains(verb)) << file.filename() << ": " << code;
      }
      const std::set<std::string>& known = ours ? options_of(helps().at(verb)) : any;
      for (const std::string& option : options_of(code))
        EXPECT_TRUE(known.contains(option) || option == "--help")
            << file.filename() << ": " << option << " in " << code;
      if (const size_t table = code.find("--table "); table != std::string::npos) {
        const std::string name = code.substr(table + 8, code.find_first_of(" ,", table + 8) - table - 8);
        EXPECT_TRUE(has_word(ours ? verb : "analyze", name)) << file.filename() << ": there is no table " << name;
      }
    }
  }
  EXPECT_GT(commands, 60);
}

TEST(HelpCommand, ShowsAPageByItsNameAndRefusesAnother) {
  const test::Outcome page = tensortide("help cache"), markdown = tensortide("help cache --markdown"),
                      none = tensortide("help chache");
  EXPECT_EQ(page.exit_code, 0);
  EXPECT_TRUE(page.out.starts_with("Cache simulator\n===")) << page.out;
  EXPECT_EQ(page.out.find("]("), std::string::npos) << "a link is left";
  EXPECT_EQ(page.out.find("**"), std::string::npos) << "emphasis is left";
  EXPECT_EQ(markdown.out, text_of(kRoot / "docs/cache.md")) << "the program holds the page as it is";
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("did you mean \"cache\"?"), std::string::npos) << none.err;
}

TEST(HelpCommand, ACallWithoutACommandNamesTheFirstSteps) {
  const test::Outcome outcome = tensortide("");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("`tensortide help quick-start`"), std::string::npos) << outcome.err;
}

TEST(HelpCommand, PagesFitTheTerminal) {
  if (!test::has_terminals()) GTEST_SKIP() << "this system opens no pseudo-terminal";
  for (const unsigned short columns : {60, 80, 100}) {
    for (const char* topic : {"cache", "command-line", "glossary", "tutorial"}) {
      for (const std::string& line :
           lines_of(test::tensortide_on_terminal(fmt::format("help {}", topic), columns).out)) {
        if (line.starts_with("    ")) continue;  // code keeps its lines
        const auto characters =
            std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
        EXPECT_LE(characters, columns) << topic << ": " << line;
      }
    }
  }
}

/// One op, one thread, one step, one point, one access: wherever a count is 1, its noun is singular.
TEST(Words, NumbersAgreeWithTheirNouns) {
  const fs::path folder = test::fresh_folder();
  const std::string run = (folder / "one.tide").string(), points = (folder / "points.tide").string(),
                    trace = (folder / "one.din").string();
  std::ofstream(trace) << "0 100 4\n";
  std::vector<std::string> commands{
      fmt::format("run gemm --set m=1 --set n=1 --set k=1 --threads 1 --steps 1 --warmup 1 --no-probe -o {}", run),
      fmt::format("sweep gemm --set m=8 --set n=8 --set k=8 --steps 1 --axis threads=1 --samples 1..1 --no-probe -o {}",
                  points),
      fmt::format("cache --trace {} --level 32KiB/8/64 --causes --curve", trace),
      "cache gemm --set m=1 --set n=1 --set k=1 --level 32KiB/8/64",
      "fit gemm --memory 16GB",
      "predict gemm --set m=1 --set n=1 --set k=1 --on v100",
      "help cache"};
  for (const char* table : {"summary", "ops", "traffic", "cache", "roofline", "memory", "verdicts", "findings",
                            "transfers", "links", "overlap", "pipeline", "fusion", "fused_ops"}) {
    commands.push_back(fmt::format("analyze {} --table {}", run, table));
  }
  commands.push_back(fmt::format("analyze {}", points));
  static const std::regex plural(
      "(^|[^0-9A-Za-z.,])1 "
      "(threads|ops|samples|cores|steps|runs|points|copies|bytes|levels|captures|kernels|pairs|processes|accesses|"
      "loads|misses|calls|layers|tensors)\\b");
  for (const std::string& command : commands) {
    const test::Outcome outcome = tensortide(command);
    EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 2) << command << outcome.err;
    for (const std::string& line : lines_of(outcome.out + outcome.err))
      EXPECT_FALSE(std::regex_search(line, plural)) << command << ": " << line;
  }
}

/// What no page is called is looked for in all of them, and in the lessons; a slip of the pen is still refused.
TEST(Handbook, WordsWithoutAPageLeadToSectionsAndLessons) {
  for (const std::string word : {"winograd", "Winograd", "WINOGRAD"}) {
    const test::Outcome found = tensortide("help " + word);
    EXPECT_EQ(found.exit_code, 0) << found.err;
    EXPECT_NE(found.out.find("tensortide help  fusion               Winograd"), std::string::npos) << found.out;
    EXPECT_NE(found.out.find("tensortide learn fewer_products"), std::string::npos) << found.out;
  }
  EXPECT_NE(tensortide("help write-allocate").out.find("help  glossary"), std::string::npos);
  for (const std::string slip : {"swee", "swepps", "Sweps"}) {
    const test::Outcome refused = tensortide("help " + slip);
    EXPECT_EQ(refused.exit_code, 2) << slip;
    EXPECT_NE(refused.err.find("did you mean \"sweeps\"?"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(tensortide("help e").exit_code, 2) << "a letter is no word";
  const test::Outcome lesson = tensortide("learn winograd");
  EXPECT_EQ(lesson.exit_code, 2);
  EXPECT_NE(lesson.err.find("these speak of it: fewer_products"), std::string::npos) << lesson.err;
}

}  // namespace
