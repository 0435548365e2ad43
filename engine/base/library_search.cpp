// SPDX-License-Identifier: Apache-2.0
// Places in their order, trust in files, the search itself.
#include "engine/base/library_search.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <grp.h>
#include <link.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "engine/base/read_file.h"

namespace engine {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLoader = "the loader's search path";

std::string variable_of(const LibraryWorld& world, const char* name) {
  if (world.environment) return world.environment(name);
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Empty where it cannot be read.
std::string text_of(const fs::path& settings) {
  constexpr uint64_t kMost = 1 << 16;
  Result<std::string> text = read_file(settings, kMost);
  return text ? *std::move(text) : std::string();
}

/// Folders in `folder` whose names begin so, sorted; none where it cannot be read.
std::vector<fs::path> folders_in(const fs::path& folder, const std::string& beginning) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().string().starts_with(beginning) && entry->is_directory(ignored))
      found.push_back(entry->path());
  }
  std::ranges::sort(found);
  return found;
}

/// [prefix]/lib/python3.12/site-packages/nvidia/*/lib; Debian calls it dist-packages. `version`: "python3.12", or
/// "python3" for any.
void add_packages(std::vector<fs::path>& folders, const fs::path& prefix, const std::string& version) {
  std::vector<fs::path> pythons = folders_in(prefix / "lib", version);
  if (version != "python3")
    std::erase_if(pythons, [&](const fs::path& python) { return python.filename() != version; });
  pythons.push_back(prefix / "lib" / "python3");
  for (const fs::path& python : pythons) {
    for (const char* packages : {"site-packages", "dist-packages"}) {
      for (const fs::path& package : folders_in(python / packages / "nvidia", "")) folders.push_back(package / "lib");
      // Triton, which comes with PyTorch, brings CUPTIs of its own
      for (const fs::path& folder : folders_in(python / packages / "triton/backends/nvidia/lib", "cupti"))
        folders.push_back(folder);
    }
  }
}

/// The value of "include-system-site-packages" in a virtual environment's pyvenv.cfg.
bool sees_system_packages(const fs::path& settings) {
  std::istringstream lines(text_of(settings));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("include-system-site-packages")) return line.find("true") != std::string::npos;
  }
  return false;
}

/// pyenv's shims are scripts: what they start is in the folder of the version that is in force.
fs::path behind_pyenv(const fs::path& program, const LibraryWorld& world) {
  const fs::path root = program.parent_path().parent_path();
  std::string version = variable_of(world, "PYENV_VERSION");
  if (version.empty()) std::istringstream(text_of(root / "version")) >> version;
  return version.empty() ? program : root / "versions" / version / "bin" / program.filename();
}

/// Packages of the first "python3" (or "python") on PATH.
void add_active_python(std::vector<fs::path>& folders, const LibraryWorld& world) {
  const std::string path = variable_of(world, "PATH");
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const fs::path folder = path.substr(begin, end - begin);
    begin = end + 1;
    for (const char* name : {"python3", "python"}) {
      std::error_code error;
      fs::path program = folder / name;
      if (!folder.is_absolute() || !fs::is_regular_file(program, error)) continue;
      if (folder.filename() == "shims") program = behind_pyenv(program, world);
      const fs::path real = fs::canonical(program, error);
      if (error) continue;
      const std::string file = real.filename().string();  // python3.12
      const std::string version = file.starts_with("python3.") ? file : "python3";
      const fs::path prefix = program.parent_path().parent_path(), real_prefix = real.parent_path().parent_path();
      const bool environment = fs::exists(prefix / "pyvenv.cfg", error);
      if (environment) add_packages(folders, prefix, version);
      if (!environment || sees_system_packages(prefix / "pyvenv.cfg")) {
        if (const std::string home = variable_of(world, "HOME"); !home.empty())
          add_packages(folders, fs::path(home) / ".local", version);
        if (real_prefix == "/usr") add_packages(folders, "/usr/local", version);
        add_packages(folders, real_prefix, version);
      }
      return;
    }
  }
}

std::vector<fs::path> nvidia_folders(const LibraryWorld& world) {
  std::vector<fs::path> folders;
  const auto add_toolkit = [&](const fs::path& root) {
    for (const char* folder : {"extras/CUPTI/lib64", "lib64", "lib"}) folders.push_back(root / folder);
  };
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const fs::path root = variable_of(world, variable); root.is_absolute()) add_toolkit(root);
  }
  for (const fs::path& root : folders_in(world.toolkits, "cuda")) add_toolkit(root);
  for (const char* variable : {"CONDA_PREFIX", "VIRTUAL_ENV"}) {
    const fs::path root = variable_of(world, variable);
    if (!root.is_absolute()) continue;
    if (variable == std::string_view("CONDA_PREFIX")) folders.push_back(root / "lib");
    add_packages(folders, root, "python3");
  }
  add_active_python(folders, world);
  return folders;
}

/// A group of one user alone, as many systems make for each.
bool is_private_group(gid_t group, uid_t owner) {
  const passwd* user = getpwuid(owner);
  if (user == nullptr || user->pw_gid != group) return false;
  const std::string name = user->pw_name;
  const struct group* entry = getgrgid(group);
  if (entry == nullptr || name != entry->gr_name) return false;
  for (char** member = entry->gr_mem; member != nullptr && *member != nullptr; ++member) {
    if (name != *member) return false;
  }
  return true;
}

/// Why one link of the way can be changed by others.
std::string why_open_to_others(const fs::path& path, bool in_it_lies_ours) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return fmt::format("{} cannot be examined", path.string());
  if (info.st_uid != 0 && info.st_uid != geteuid()) {
    return fmt::format("{} belongs to user {}, who is neither root nor the one who runs this", path.string(),
                       info.st_uid);
  }
  const bool sticky = in_it_lies_ours && (info.st_mode & S_ISVTX) != 0;
  if ((info.st_mode & S_IWOTH) != 0 && !sticky) return fmt::format("every user may write {}", path.string());
  if ((info.st_mode & S_IWGRP) != 0 && !sticky && info.st_gid != 0 && !is_private_group(info.st_gid, info.st_uid)) {
    return fmt::format("group {} may write {}", info.st_gid, path.string());
  }
  return {};
}

/// A link's owner may lead it elsewhere, wherever it lies: in a sticky folder, too.
std::string why_link_of_others(const fs::path& link) {
  struct stat info {};
  if (lstat(link.c_str(), &info) != 0) return fmt::format("{} cannot be examined", link.string());
  if (info.st_uid == 0 || info.st_uid == geteuid()) return {};
  return fmt::format("link {} belongs to user {}, who is neither root nor the one who runs this", link.string(),
                     info.st_uid);
}

/// The file that the loader took for a bare name.
std::string file_of(void* handle, const std::string& asked) {
  const link_map* map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name != nullptr && *map->l_name != '\0'
             ? map->l_name
             : asked;
}

}  // namespace

std::string why_not_trusted(const fs::path& file) {
  constexpr int kMostLinks = 40;  // as Linux follows
  std::error_code error;
  fs::path way = fs::absolute(file, error);
  if (error) return fmt::format("{} cannot be followed: {}", file.string(), error.message());
  for (int links = 0; links <= kMostLinks; ++links) {
    fs::path at, target, behind;
    for (auto part = way.begin(); part != way.end(); ++part) {
      if (!target.empty()) {
        behind /= *part;
        continue;
      }
      if (*part == ".." || *part == "." || part->empty()) {  // no link is in `at`
        if (*part == "..") at = at.parent_path();
        continue;
      }
      at /= *part;
      if (fs::is_symlink(at, error)) {
        if (std::string why = why_link_of_others(at); !why.empty()) return why;
        target = fs::read_symlink(at, error);
        if (error) return fmt::format("{} cannot be followed: {}", at.string(), error.message());
      } else if (std::string why = why_open_to_others(at, std::next(part) != way.end()); !why.empty()) {
        return why;
      }
    }
    if (target.empty()) return {};
    way = behind.empty() ? at.parent_path() / target
                         : at.parent_path() / target / behind;  // an absolute target takes the place of all before it
  }
  return fmt::format("{} leads through more than {} links", file.string(), kMostLinks);
}

LibraryPlaces nvidia_library_places(const char* variable, std::initializer_list<const char*> names,
                                    const LibraryWorld& world) {
  LibraryPlaces places;
  if (const std::string named = variable_of(world, variable); !named.empty()) {
    places.chosen = true;
    if (named == "none") {
      places.none = fmt::format("{}=none", variable);
    } else {
      places.files = {named};
    }
    return places;
  }
  const std::vector<fs::path> folders = nvidia_folders(world);
  const auto add = [&places](std::string file) {
    if (std::ranges::find(places.files, file) == places.files.end()) places.files.push_back(std::move(file));
  };
  for (const char* name : names) {
    add(name);
    for (const fs::path& folder : folders) add((folder / name).string());
  }
  return places;
}

LibrarySearch search_library(const LibraryPlaces& places, const LibraryCheck& check) {
  using State = LibraryAttempt::State;
  LibrarySearch search;
  search.none = places.none;
  for (const std::string& file : places.files) {
    LibraryAttempt attempt{file, State::absent, {}};
    const bool bare = file.find('/') == std::string::npos;
    std::error_code error;
    if (bare || fs::exists(file, error) || places.chosen) {
      attempt.words = bare || places.chosen ? "" : why_not_trusted(file);
      void* const opened = attempt.words.empty() ? dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
      if (opened != nullptr) {
        attempt.file = file_of(opened, file);
        Result<std::string> version = check(opened);
        attempt.state = version ? State::taken : State::refused;
        attempt.words = version ? *std::move(version) : version.error().message;
        if (version) search.handle = opened;
      } else if (!attempt.words.empty()) {
        attempt.state = State::refused;
      } else {
        attempt.words = dlerror();
        if (attempt.words.starts_with(file + ": ")) attempt.words.erase(0, file.size() + 2);
        const bool absent = bare && attempt.words.starts_with("cannot open shared object file: No such file");
        if (absent) attempt.words.clear();
        attempt.state = absent ? State::absent : State::refused;
      }
    }
    search.attempts.push_back(std::move(attempt));
    if (search.handle != nullptr) break;
  }
  return search;
}

const LibraryAttempt* LibrarySearch::taken() const {
  const auto found = std::ranges::find(attempts, LibraryAttempt::State::taken, &LibraryAttempt::state);
  return found == attempts.end() ? nullptr : &*found;
}

std::vector<std::string> LibrarySearch::folders() const {
  std::vector<std::string> folders;
  for (const LibraryAttempt& attempt : attempts) {
    const bool bare = attempt.file.find('/') == std::string::npos;
    std::string folder = bare ? kLoader : fs::path(attempt.file).parent_path().string();
    if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(std::move(folder));
  }
  return folders;
}

std::string LibrarySearch::why() const {
  if (taken() != nullptr) return {};
  if (!none.empty()) return none;
  std::string name;
  for (const LibraryAttempt& attempt : attempts) {
    if (attempt.state == LibraryAttempt::State::refused) return fmt::format("{}: {}", attempt.file, attempt.words);
    if (name.empty()) name = fs::path(attempt.file).filename().string();
  }
  if (attempts.empty()) return "there is no place to look";
  const size_t count = folders().size();
  return fmt::format("{} is in none of {} {} (tensortide doctor lists them)", name, count,
                     count == 1 ? "place" : "places");
}

}  // namespace engine
