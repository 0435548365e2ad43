// SPDX-License-Identifier: Apache-2.0
// Names of files in captures, and the places they are looked for.
#include "app/base/input_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

#include "app/base/trial.h"
#include "profiler/base/content_hash.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::refused_error;
using engine::Result;

/// The path without links and dots where it exists, else made absolute.
fs::path resolved(const fs::path& path) {
  std::error_code code;
  fs::path real = fs::weakly_canonical(path, code);
  if (!code) return real;
  real = fs::absolute(path, code);
  return code ? path : real.lexically_normal();
}

/// Whether the path has this part, as a whole.
bool names(const fs::path& path, const fs::path& part) { return std::ranges::find(path, part) != path.end(); }

/// Whether `path` is `folder` or lies in it.
bool lies_in(const fs::path& path, const fs::path& folder) {
  if (folder.empty() || folder == folder.root_path()) return false;
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

/// The home folder that an absolute path leads into: this user's, or one that is so called; empty: none.
fs::path home_of(const fs::path& path, const Private& secret) {
  if (lies_in(path, secret.home)) return secret.home;
  if (lies_in(path, "/root")) return "/root";
  for (const fs::path& homes : {fs::path("/home"), fs::path("/Users"), fs::path("/var/home")}) {
    if (!lies_in(path, homes)) continue;
    const auto owner = std::next(path.begin(), std::distance(homes.begin(), homes.end()));
    return owner == path.end() ? homes : homes / *owner;
  }
  return {};
}

/// Whether a path from `folder` to `file` names the user, or a home folder on its way down.
bool tells(const fs::path& relative, const fs::path& file, const fs::path& folder, const Private& secret) {
  if (!secret.user.empty() && names(relative, secret.user)) return true;
  const fs::path home = home_of(file, secret);
  return !home.empty() && !lies_in(folder, home);  // from within the home only what is below it is named
}

/// The file that holds where a content was run from; empty: no folder for it, or no content of ours.
fs::path memory_of(const std::string& content) {
  constexpr std::string_view kKind = "xxh3:";
  if (!content.starts_with(kKind) || content.find_first_not_of("0123456789abcdef", kKind.size()) != std::string::npos)
    return {};
  const std::string name = content.substr(kKind.size());
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && fs::path(cache).is_absolute())
    return fs::path(cache) / "tensortide" / "inputs" / name;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache" / "tensortide" / "inputs" / name;
  return {};
}

}  // namespace

void remember_file(const std::string& content, const fs::path& file) {
  const fs::path memory = memory_of(content);
  std::error_code code;
  const fs::path where = fs::absolute(file, code);
  if (memory.empty() || code) return;
  fs::create_directories(memory.parent_path(), code);
  std::ofstream(memory, std::ios::trunc) << where.string();
}

bool is_input_file(const std::string& workload) {
  return workload.find('/') != std::string::npos || workload.ends_with(".onnx") || workload.ends_with(".json");
}

std::string named_file(const fs::path& file) {
  const std::string name = file.filename().string();
  return is_input_file(name) ? name : "./" + name;  // "./gemm" is a file, "gemm" a workload
}

Private private_words() {
  Private secret;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') secret.home = resolved(home);
  if (const passwd* entry = getpwuid(getuid()); entry != nullptr && entry->pw_name != nullptr)
    secret.user = entry->pw_name;
  return secret;
}

std::string stored_path(const std::string& given, const fs::path& folder, const Private& secret) {
  const fs::path file = resolved(given), from = resolved(folder.empty() ? fs::path(".") : folder);
  const bool absolute = fs::path(given).is_absolute();
  const bool at_home = !home_of(given, secret).empty() || !home_of(file, secret).empty();
  if (absolute && !at_home && (secret.user.empty() || !names(given, secret.user))) return given;
  const fs::path relative = file.lexically_relative(from);
  if (relative.empty() || tells(relative, file, from, secret)) return named_file(file);
  return is_input_file(relative.string()) ? relative.string() : named_file(relative);
}

Result<FoundFile> find_file(const std::string& stored, const std::string& content, const fs::path& capture,
                            const std::function<bool(double)>& go_on) {
  std::error_code code;
  const fs::path path(stored), beside = resolved(capture).parent_path(), here = fs::current_path(code);
  std::vector<fs::path> places;
  const auto look = [&](const fs::path& at) {
    const fs::path place = at.lexically_normal();
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
  };
  if (path.is_absolute()) {
    look(path);
  } else {
    look(beside / path), look(here / path);
  }
  look(beside / path.filename()), look(here / path.filename());
  constexpr std::streamsize kLongestPath = 4096;
  std::string remembered(kLongestPath, '\0');
  if (std::ifstream memory(memory_of(content), std::ios::binary); memory) {
    memory.read(remembered.data(), kLongestPath);
    remembered.resize(static_cast<size_t>(memory.gcount()));
    if (fs::path(remembered).is_absolute()) look(remembered);
  }
  std::optional<fs::path> other;
  std::string other_content;
  for (const fs::path& place : places) {
    if (!fs::exists(place, code)) continue;
    if (content.empty()) return FoundFile{place, {}};
    bool cancelled = false;
    Result<std::string> now = profiler::content_hash(place, [&](uint64_t have, uint64_t all) {
      cancelled = go_on && !go_on(all > 0 ? static_cast<double>(have) / static_cast<double>(all) : 1);
      return !cancelled;
    });
    if (cancelled) return refused_error(fmt::format("{}: the search was cancelled", stored));
    if (!now) continue;
    if (*now == content) return FoundFile{place, {}};
    if (!other) other = place, other_content = *now;
  }
  if (other)
    return FoundFile{*other, fmt::format("{} is not the file that was recorded: its content is {}, it was {}.",
                                         other->string(), other_content, content)};
  std::vector<std::string> tried;
  for (const fs::path& place : places) tried.push_back(place.string());
  return refused_error(
      fmt::format("the recorded command runs {}, which is not there; looked for {}: put it beside the capture or into "
                  "the current folder",
                  stored, fmt::join(tried, ", ")));
}

std::string recorded_content(const profiler::RunInfo& run) {
  const auto at = run.arguments.find(kContent);
  return at == run.arguments.end() || !is_input_file(run.workload) ? std::string() : at->second;
}

Result<FoundRun> found_run(const std::string& command, const std::string& content, const fs::path& capture,
                           const fs::path& known) {
  Result<std::vector<std::string>> words = words_of_command(command);
  if (!words) return words.error();
  FoundRun run{*std::move(words), {}};
  if (is_input_file(run.words[1])) {
    Result<FoundFile> model = known.empty() ? find_file(run.words[1], content, capture) : FoundFile{known, {}};
    if (!model) return model.error();
    run.words[1] = model->path.string();
    if (!model->note.empty()) run.notes.push_back(model->note);
  }
  for (size_t i = 2; i + 1 < run.words.size(); ++i) {
    if (run.words[i] != "--input" && run.words[i] != "--weights") continue;
    const size_t equals = run.words[i] == "--weights" ? std::string::npos : run.words[i + 1].find('=');
    const size_t begin = equals == std::string::npos ? 0 : equals + 1;
    Result<FoundFile> input = find_file(run.words[i + 1].substr(begin), {}, capture);
    if (!input) return input.error();
    run.words[i + 1].replace(begin, std::string::npos, input->path.string());
  }
  // Roofs take no part in how long a step takes: without them there is less to say of a repeat, and nothing else.
  for (size_t i = 2; i + 1 < run.words.size(); ++i) {
    if (run.words[i] != "--roofs") continue;
    if (Result<FoundFile> roofs = find_file(run.words[i + 1], {}, capture); roofs) {
      run.words[i + 1] = roofs->path.string();
      continue;
    }
    run.notes.push_back(
        fmt::format("The roofs file {} is neither beside the capture nor in the current folder: repeated without it, "
                    "which changes no time.",
                    run.words[i + 1]));
    run.words.erase(run.words.begin() + static_cast<std::ptrdiff_t>(i),
                    run.words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    break;
  }
  return run;
}

}  // namespace app
