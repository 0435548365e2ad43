// SPDX-License-Identifier: Apache-2.0
// Finds this process's control groups in /proc/self/cgroup and where they are mounted in /proc/self/mountinfo, and
// walks up.
#include "engine/base/memory_limits.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

namespace engine {
namespace {

namespace fs = std::filesystem;

/// From here on a limit of version 1 means none: it writes the largest multiple of a page below 2^63.
constexpr int64_t kNoLimit = int64_t{1} << 60;

/// The files of one version.
struct Layout {
  const char *limit, *used, *reclaimable;
};
constexpr Layout kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
    kVersion2{"memory.max", "memory.current", "inactive_file"};

/// A mounted tree of control groups that account for memory.
struct Hierarchy {
  fs::path mounted;   ///< where
  std::string root;   ///< which group lies there: "/" but in containers
  std::string group;  ///< of this process, from the whole tree's root
  Layout layout;
};

/// A file with one number; nothing: it is not there, or says "max".
std::optional<int64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  int64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

/// The number behind `key` in a file of lines "key number"; 0: none.
int64_t number_of(const fs::path& path, std::string_view key) {
  std::ifstream file(path);
  std::string name;
  int64_t value = 0;
  while (file >> name >> value) {
    if (name == key) return value;
  }
  return 0;
}

/// /proc writes spaces, tabs, line feeds and backslashes in paths as \ooo.
std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](size_t k) { return i + k < text.size() && text[i + k] >= '0' && text[i + k] <= '7'; };
    if (text[i] == '\\' && digit(1) && digit(2) && digit(3)) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool lists(std::string_view names, std::string_view wanted) {
  for (size_t begin = 0; begin <= names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    if (names.substr(begin, end - begin) == wanted) return true;
    begin = end + 1;
  }
  return false;
}

struct Groups {
  std::optional<std::string> version1, version2;
};

Groups groups_of_this_process(const fs::path& root) {
  Groups groups;
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // "4:memory:/a/b", "0::/a/b"
    const size_t first = line.find(':'), second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    if (line.starts_with("0:") && controllers.empty()) groups.version2 = line.substr(second + 1);
    else if (lists(controllers, "memory")) groups.version1 = line.substr(second + 1);
  }
  return groups;
}

std::vector<Hierarchy> hierarchies(const fs::path& root) {
  const Groups groups = groups_of_this_process(root);
  std::vector<Hierarchy> found;
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(
           file,
           line);) {  // "32 31 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory", perhaps more before " - "
    std::istringstream words(line);
    std::string id, parent, device, top, mounted, word, type, source, options;
    words >> id >> parent >> device >> top >> mounted;
    while (words >> word && word != "-") {
    }
    words >> type >> source >> options;
    const fs::path place = root / fs::path(unescaped(mounted)).relative_path();
    if (type == "cgroup2" && groups.version2) found.push_back({place, unescaped(top), *groups.version2, kVersion2});
    if (type == "cgroup" && groups.version1 && lists(options, "memory"))
      found.push_back({place, unescaped(top), *groups.version1, kVersion1});
  }
  return found;
}

/// The path from the mounted group down to this process's; empty: they are the same, or a container does not show where
/// it lies.
fs::path below_mount(const Hierarchy& h) {
  const std::string root = h.root == "/" ? "" : h.root;
  if (h.group.find("/..") != std::string::npos || !h.group.starts_with(root)) return {};
  const std::string rest = h.group.substr(root.size());
  return rest.empty() || rest.front() == '/' ? fs::path(rest).relative_path() : fs::path();
}

/// Limits of this process's group and of each around it: whichever is exhausted first ends an allocation.
void add_limits(const Hierarchy& h, std::vector<MemoryLimit>& limits) {
  const fs::path below = below_mount(h);
  for (fs::path group = below;; group = group.parent_path()) {
    const fs::path folder = group.empty() ? h.mounted : h.mounted / group;
    const auto limit = number_in(folder / h.layout.limit), used = number_in(folder / h.layout.used);
    if (limit && used && *limit < kNoLimit) {
      const int64_t reclaimable = number_of(folder / "memory.stat", h.layout.reclaimable);
      limits.push_back({fmt::format("control group {}", (fs::path(h.root) / group).string()), *limit,
                        std::max<int64_t>(*limit - *used + reclaimable, 0)});
    }
    if (group.empty()) return;
  }
}

}  // namespace

ResourceLimits ResourceLimits::of_this_process() {
  const auto soft = [](auto resource) -> int64_t {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur > static_cast<rlim_t>(kNoLimit))
      return -1;
    return static_cast<int64_t>(limit.rlim_cur);
  };
  return {soft(RLIMIT_AS), soft(RLIMIT_DATA)};
}

std::vector<MemoryLimit> memory_limits(const fs::path& root, const ResourceLimits& resources) {
  std::vector<MemoryLimit> limits;
  for (const Hierarchy& h : hierarchies(root)) add_limits(h, limits);
  const fs::path status = root / "proc/self/status";
  const auto add = [&](const char* what, int64_t limit, std::string_view key) {
    if (limit < 0) return;
    std::ifstream file(status);
    std::string line;
    int64_t used = 0;
    while (std::getline(file, line)) {
      if (line.starts_with(key)) std::istringstream(line.substr(key.size())) >> used;  // "VmSize:   123 kB"
    }
    limits.push_back({what, limit, std::max<int64_t>(limit - used * 1024, 0)});
  };
  add("ulimit -v", resources.address_space_bytes, "VmSize:");
  add("ulimit -d", resources.data_bytes, "VmData:");
  return limits;
}

bool memory_is_committed(const std::filesystem::path& root) {
  int mode = 0;
  std::ifstream(root / "proc/sys/vm/overcommit_memory") >> mode;
  return mode == 2;
}

}  // namespace engine
