// SPDX-License-Identifier: Apache-2.0
// Finds lessons by file and by name.
#include "app/base/lesson_catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <system_error>
#include <tuple>

#include "app/base/child_run.h"
#include "app/base/handbook.h"
#include "engine/base/nearest_name.h"
#include "engine/base/read_file.h"
#include "profiler/lessons/lesson_reader.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::Result;
using profiler::Lesson;

constexpr std::array kChapters{"Where time goes", "Batches",    "Memory", "Numbers", "Tensors",          "Loops",
                               "Other chips",     "Frameworks", "Fusion", "Devices", "A published table"};

}  // namespace

Result<fs::path> lessons_folder() {
  if (const char* named = std::getenv("TENSORTIDE_LESSONS"); named != nullptr && *named != '\0') return fs::path(named);
  const Result<fs::path> program = own_program();
  if (!program) return program.error();
  const fs::path folder = program->parent_path().parent_path() / "share/tensortide/lessons";
  std::error_code code;
  if (!fs::is_directory(folder, code))
    return engine::refused_error(fmt::format(
        "{}: the lessons are not there; install them, or name their folder in $TENSORTIDE_LESSONS", folder.string()));
  return folder;
}

Result<std::vector<Lesson>> lessons_in(const fs::path& folder) {
  const Result<fs::path> place = folder.empty() ? lessons_folder() : Result<fs::path>(folder);
  if (!place) return place.error();
  const auto files = profiler::lesson_files(*place);
  if (!files) return files.error();
  std::vector<Lesson> lessons;
  for (const fs::path& file : *files) {
    Result<Lesson> lesson = profiler::whole_lesson(file);
    if (!lesson) return lesson.error();
    lessons.push_back(*std::move(lesson));
  }
  std::ranges::stable_sort(lessons, {}, [](const Lesson& lesson) { return std::tuple(lesson.chapter, lesson.file); });
  return lessons;
}

Result<Lesson> find_lesson(const std::string& name_or_file) {
  std::error_code code;
  if (name_or_file.ends_with(".md") || fs::is_regular_file(name_or_file, code))
    return profiler::whole_lesson(name_or_file);
  const Result<fs::path> folder = lessons_folder();
  if (!folder) return folder.error();
  const auto files = profiler::lesson_files(*folder);
  if (!files) return files.error();
  std::vector<std::string> names;
  for (const fs::path& file : *files) {
    if (file.stem() == name_or_file) return profiler::whole_lesson(file);
    names.push_back(file.stem().string());
  }
  const std::vector<std::string> about =
      engine::close_name(name_or_file, names).empty() ? lessons_about(name_or_file) : std::vector<std::string>();
  return engine::usage_error(
      fmt::format("there is no lesson \"{}\"{} `tensortide lesson list` lists them", name_or_file,
                  about.empty() ? engine::did_you_mean(name_or_file, names)
                                : fmt::format("; these speak of it: {}.", fmt::join(about, ", "))));
}

std::vector<std::string> lessons_about(std::string_view words) {
  constexpr size_t kMost = 5, kFront = 1 << 20;
  const Result<fs::path> folder = lessons_folder();
  const auto files = folder ? profiler::lesson_files(*folder) : Result<std::vector<fs::path>>(folder.error());
  if (!files) return {};
  std::vector<std::pair<size_t, std::string>> found;
  for (const fs::path& file : *files) {
    const Result<std::string> text = engine::read_front(file.string(), kFront);
    const size_t times = text ? times_in(*text, words) : 0;
    if (times > 0) found.emplace_back(times, file.stem().string());
  }
  std::ranges::stable_sort(found, std::greater{}, [](const auto& lesson) { return lesson.first; });
  found.resize(std::min(found.size(), kMost));
  std::vector<std::string> names;
  for (const auto& [times, name] : found) names.push_back(name);
  return names;
}

std::string_view chapter_title(int chapter) {
  return chapter >= 1 && chapter <= static_cast<int>(kChapters.size()) ? kChapters[static_cast<size_t>(chapter - 1)]
                                                                       : std::string_view();
}

Lesson in_language(const Lesson& lesson, const std::string& language) {
  const fs::path file = fs::path(lesson.file).replace_extension("." + language + ".md");
  std::error_code code;
  if (language.empty() || language == "en" || !fs::is_regular_file(file, code)) return lesson;
  Result<Lesson> other = profiler::whole_lesson(file);
  if (!other) return lesson;
  other->name = lesson.name;
  return *std::move(other);
}

}  // namespace app
