// SPDX-License-Identifier: Apache-2.0
// The lines of a lesson: front matter, Markdown, fences; each block by its own function, the whole checked at the end.
#include "profiler/lessons/lesson_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>

#include "engine/base/display_text.h"
#include "engine/base/nearest_name.h"
#include "engine/base/read_file.h"
#include "profiler/lessons/lesson_blocks.h"
#include "profiler/lessons/toml_block.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;
using engine::Result;

/// What a fence of code may be called: shown, not run.
const std::vector<std::string> kCode{"", "text", "c", "cpp", "c++", "python", "bash", "sh", "console", "json", "toml"};

/// What a machine must have for a lesson.
const std::vector<std::string> kNeeds{"cpu", "gpu", "cores>=2"};

constexpr size_t kMostBlocks = 200;

struct Line {
  std::string_view text;
  int number = 0;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({line, static_cast<int>(lines.size()) + 1});
    begin = end + 1;
  }
  return lines;
}

std::string_view without_blanks(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

class FileReader {
 public:
  FileReader(std::string_view text, const fs::path& file) : lines_(lines_of(text)), file_(file) {
    read_.lesson.file = file.string();
    read_.lesson.name = file.stem().string();
  }

  ReadLesson read() {
    if (front_matter()) body();
    if (read_.lesson.blocks.size() > kMostBlocks)
      fault(1,
            fmt::format("the lesson has {} blocks; at most {} are allowed", read_.lesson.blocks.size(), kMostBlocks));
    check_lesson(read_.lesson, file_.parent_path(),
                 [this](int line, std::string what) { fault(line, std::move(what)); });
    std::ranges::stable_sort(read_.faults, {}, &LessonFault::line);
    return std::move(read_);
  }

 private:
  void fault(int line, std::string what) {
    constexpr size_t kMostFaults = 100;
    if (read_.faults.size() < kMostFaults)
      read_.faults.push_back({engine::display_line(file_.string()), line, engine::display_line(what)});
  }
  TomlBlock::Fault to_fault() {
    return [this](int line, std::string what) { fault(line, std::move(what)); };
  }

  /// The lines from `begin` up to `end`, each with its end.
  std::string joined(size_t begin, size_t end) const {
    std::string text;
    for (size_t i = begin; i < end; ++i) text.append(lines_[i].text).push_back('\n');
    return text;
  }

  bool front_matter() {
    const std::string_view fence = lines_.empty() ? std::string_view() : without_blanks(lines_[0].text);
    size_t end = 1;
    while (end < lines_.size() && without_blanks(lines_[end].text) != fence) ++end;
    if ((fence != "+++" && fence != "---") || end >= lines_.size()) {
      fault(1,
            "the lesson has no front matter: its first line is +++, then TOML with title, chapter and rows, then +++");
      return false;
    }
    TomlBlock block(joined(1, end), 2, "[lesson]", to_fault());
    if (block.parsed()) read_front(block);
    at_ = end + 1;
    return true;
  }

  void read_front(TomlBlock& block) {
    Lesson& lesson = read_.lesson;
    lesson.title = block.text("title", true, 200);
    lesson.chapter = static_cast<int>(block.number("chapter", 0, 1, 99, true));
    lesson.level = block.word("level", {"beginner", "intermediate", "advanced"}, "beginner");
    lesson.minutes = block.number("minutes", 10, 1, 120);
    lesson.rows = block.texts("rows", 0, 40);
    for (const std::string& row : lesson.rows)
      if (!is_row_id(row)) block.fault("rows", fmt::format("\"{}\" is no row of the curriculum, such as B2", row));
    lesson.needs = block.texts("needs", 0, 5);
    for (const std::string& need : lesson.needs)
      if (std::ranges::find(kNeeds, need) == kNeeds.end())
        block.fault("needs", fmt::format("\"{}\" is unknown; there are: cpu, gpu, cores>=2", need));
    block.finish();
  }

  void add_text(size_t begin, size_t end) {
    std::string text = joined(begin, end);
    if (is_blank(text)) return;
    const size_t first = begin;
    read_.lesson.blocks.push_back({lines_[first].number, LessonText{LessonText::Kind::text, std::move(text)}});
  }

  /// The length of a run of backticks (or tildes) that a line begins with; 0: fewer than 3.
  static size_t fence_length(std::string_view line) {
    const char mark = line.empty() ? ' ' : line[0];
    if (mark != '`' && mark != '~') return 0;
    const size_t length = std::min(line.find_first_not_of(mark), line.size());
    return length >= 3 ? length : 0;
  }

  void body() {
    size_t text_begin = at_;
    while (at_ < lines_.size()) {
      const std::string_view line = lines_[at_].text;
      const size_t length = fence_length(line);
      if (length == 0) {
        ++at_;
        continue;
      }
      const std::string kind(without_blanks(line.substr(length)));
      size_t end = at_ + 1;
      while (end < lines_.size() && !(fence_length(lines_[end].text) >= length && lines_[end].text[0] == line[0] &&
                                      without_blanks(lines_[end].text.substr(fence_length(lines_[end].text))).empty()))
        ++end;
      if (end >= lines_.size()) {
        fault(lines_[at_].number,
              fmt::format("the block \"{}\" has no end: a line of {} is missing", kind, std::string(length, line[0])));
        return;
      }
      if (std::ranges::find(kCode, kind) == kCode.end()) {
        add_text(text_begin, at_);
        add_block(kind, at_, end);
        text_begin = end + 1;
      }
      at_ = end + 1;
    }
    add_text(text_begin, lines_.size());
  }

  void add_block(const std::string& kind, size_t begin, size_t end) {
    const int line = lines_[begin].number;
    if (kind == "explain" || kind == "note") {
      const auto of_kind = kind == "explain" ? LessonText::Kind::explain : LessonText::Kind::note;
      read_.lesson.blocks.push_back({line, LessonText{of_kind, joined(begin + 1, end)}});
      return;
    }
    const std::vector<std::string>& kinds = block_kinds();
    if (std::ranges::find(kinds, kind) == kinds.end()) {
      fault(line, fmt::format("unknown block \"{}\"{} There are: {}", engine::display_line(kind, 60),
                              engine::did_you_mean(kind, kinds), fmt::join(kinds, ", ")));
      return;
    }
    TomlBlock block(joined(begin + 1, end), line + 1, "[" + kind + "]", to_fault());
    if (block.parsed()) read_.lesson.blocks.push_back({line, read_block(kind, block)});
  }

  std::vector<Line> lines_;
  fs::path file_;
  ReadLesson read_;
  size_t at_ = 0;
};

}  // namespace

std::string LessonFault::words() const { return fmt::format("{}:{}: {}", file, line, what); }

ReadLesson read_lesson(std::string_view text, const fs::path& file) { return FileReader(text, file).read(); }

Result<ReadLesson> open_lesson(const fs::path& file) {
  const Result<std::string> text = engine::read_file(file, kMostLessonBytes);
  if (!text) return text.error();
  ReadLesson read = read_lesson(*text, file);
  const std::string_view whole = *text;
  for (size_t at = 0; at < whole.size();) {
    const size_t length = engine::utf8_length(whole.substr(at));
    if (length == 0 || whole[at] == '\0') {
      const auto line =
          static_cast<int>(std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
      read.faults.insert(read.faults.begin(),
                         {engine::display_line(file.string()), line, "a byte that is no text in UTF-8"});
      break;
    }
    at += length;
  }
  return read;
}

Result<Lesson> whole_lesson(const fs::path& file) {
  Result<ReadLesson> read = open_lesson(file);
  if (!read) return read.error();
  if (!read->faults.empty()) return engine::refused_error(read->faults.front().words());
  return std::move(read->lesson);
}

Result<std::vector<fs::path>> lesson_files(const fs::path& folder) {
  constexpr size_t kMost = 2000;
  constexpr int kMostDepth = 4;
  std::error_code code;
  fs::recursive_directory_iterator entries(folder, fs::directory_options::skip_permission_denied, code);
  if (code) return engine::refused_error(fmt::format("{}: {}", folder.string(), code.message()));
  std::vector<fs::path> files;
  for (const fs::recursive_directory_iterator end; entries != end; entries.increment(code)) {
    if (code) break;
    if (entries.depth() >= kMostDepth) entries.disable_recursion_pending();
    const fs::path& file = entries->path();
    std::error_code ignored;
    if (file.extension() != ".md" || !fs::is_regular_file(entries->symlink_status(ignored))) continue;
    if (file.filename() == "README.md" || file.stem().extension().string().size() == 3) continue;  // "knee.de"
    files.push_back(file);
    if (files.size() > kMost)
      return engine::refused_error(
          fmt::format("{}: has more than {} files of lessons; name a smaller folder", folder.string(), kMost));
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace profiler
