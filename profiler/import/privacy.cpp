// SPDX-License-Identifier: Apache-2.0
// Finds paths in names; numbers what is not to be named.
#include "profiler/import/privacy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "profiler/import/lane_roles.h"

namespace profiler {
namespace {

using std::string_view;

constexpr std::array<string_view, 26> kExtensions{
    ".py",   ".pyx", ".pyc", ".ipynb", ".cpp", ".cc",  ".cxx", ".c",   ".cu",  ".cuh", ".h",   ".hpp",         ".so",
    ".onnx", ".pt",  ".pth", ".json",  ".gz",  ".zip", ".exe", ".dll", ".bin", ".csv", ".npy", ".safetensors", ".tide"};
/// Folders that no network calls a layer of its own.
constexpr std::array<string_view, 24> kRoots{
    "/home/",    "/Users/",    "/root/",    "/tmp/",     "/scratch/",   "/gpfs/",   "/lustre/", "/nfs/",
    "/mnt/",     "/media/",    "/srv/",     "/opt/",     "/var/",       "/usr/",    "/etc/",    "/proc/",
    "/dev/shm/", "/run/user/", "/Volumes/", "/private/", "/workspace/", "/kaggle/", "/dbfs/",   "~/"};

bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool digit(char c) { return c >= '0' && c <= '9'; }

/// "C:\" or "C:/"
bool drive(string_view text) {
  return text.size() > 2 && letter(text[0]) && text[1] == ':' && (text[2] == '\\' || text[2] == '/');
}

bool begins_path(string_view text) {
  return text.starts_with('/') || text.starts_with("~/") || text.starts_with("./") || text.starts_with("../") ||
         drive(text) || text.starts_with("\\\\");
}

/// Where a name can begin: behind one of these.
bool parts(char c) { return string_view(" \t\"'`(=,;[<{|:").find(c) != string_view::npos; }

bool names_file(string_view path) {
  const string_view name = path.substr(std::min(path.find_last_of("/\\") + 1, path.size()));
  return std::ranges::any_of(kExtensions, [&](string_view e) {
    const size_t at = name.rfind(e);
    if (at == string_view::npos || at == 0) return false;
    const string_view rest = name.substr(at + e.size());  // "libtorch.so.2.1"
    return rest.empty() || (e == ".so" && std::ranges::all_of(rest, [](char c) { return c == '.' || digit(c); }));
  });
}

size_t parts_of(string_view path) {
  size_t count = 0;
  for (size_t i = 0; i < path.size(); ++i) count += path[i] != '/' && (i == 0 || path[i - 1] == '/') ? 1 : 0;
  return count;
}

/// Whether the last part is an operator as ONNX writes its name: "Conv", "MatMul_1", "Mul_output_0".
bool ends_in_op(string_view path) {
  const string_view last = path.substr(path.find_last_of('/') + 1);
  return !last.empty() && last[0] >= 'A' && last[0] <= 'Z' &&
         std::ranges::all_of(last, [](char c) { return letter(c) || digit(c) || c == '_'; });
}

bool is_path(string_view path) {
  const bool rooted =
      std::ranges::any_of(kRoots, [&](string_view p) { return path.starts_with(p) && path.size() > p.size(); });
  const bool windows = (drive(path) && path.size() > 3) || (path.starts_with("\\\\") && path.size() > 2);
  const bool relative = (path.starts_with("./") && path.size() > 2) || (path.starts_with("../") && path.size() > 3);
  const bool deep = path.starts_with('/') && !path.starts_with("//") && parts_of(path) >= 3 && !ends_in_op(path);
  return rooted || windows || relative || deep || names_file(path);
}

/// The end of what could be a place: "s3://bucket/key", "a/b.py" of "a/b.py:3".
size_t end_of_word(string_view text) {
  size_t end = 0;
  while (end < text.size() && string_view(" \t\"'`()=,;]<>{}|").find(text[end]) == string_view::npos &&
         (text[end] != ':' || text.substr(end).starts_with("://")))
    ++end;
  return end;
}

/// The end of the path that `text` begins with. A Python function's file may have spaces in its name: "/home/ann/my
/// work/a.py(3): f"; another path ends it.
size_t end_of_path(string_view text) {
  size_t end = drive(text) ? 3 : 1;
  while (end < text.size() && string_view(" \t\"'`()=,;]<>{}|").find(text[end]) == string_view::npos &&
         text[end] != ':')
    ++end;
  if (end == text.size() || text[end] != ' ' || names_file(text.substr(0, end)) || !is_path(text.substr(0, end)))
    return end;
  for (size_t at = end; at < text.size(); ++at) {
    if (parts(text[at]) && text[at] != '(' && begins_path(text.substr(at + 1))) return end;
    if (text.substr(at).starts_with(".py(") && at + 4 < text.size() && digit(text[at + 4])) return at + 3;
  }
  return end;
}

/// "torch/nn/x.py" of an installed package, "train.py" of another file.
string_view reduced(string_view path) {
  for (const string_view packages : {"site-packages/", "dist-packages/", "site-packages\\", "dist-packages\\"}) {
    if (const size_t at = path.rfind(packages); at != string_view::npos) return path.substr(at + packages.size());
  }
  while (path.size() > 1 && (path.ends_with('/') || path.ends_with('\\'))) path.remove_suffix(1);
  // A home folder itself is called as its user.
  const bool unix_home = (path.starts_with("/home/") || path.starts_with("/Users/")) && parts_of(path) == 2;
  const bool windows_home = drive(path) && path.substr(3).starts_with("Users") && path.find_last_of("/\\") == 8;
  if (unix_home || windows_home) return "~";
  return path.substr(path.find_last_of("/\\") + 1);
}

/// Whether digits follow at `at`, and then `behind`.
bool line_number(string_view text, size_t at, string_view behind) {
  size_t end = at;
  while (end < text.size() && digit(text[end])) ++end;
  return end > at && text.substr(end).starts_with(behind);
}

/// As Python's profilers write it: PyTorch "train.py(42): forward", with or without folders, "<built-in method f of
/// x>"; JAX and TensorFlow "$train.py:42 forward", "train.py:42 forward".
bool python_function(string_view text) {
  if (text.starts_with("<built-in ")) return true;
  if (text.starts_with('$') && text.find(':') != string_view::npos) return true;
  for (size_t at = text.find(".py"); at != string_view::npos; at = text.find(".py", at + 1)) {
    const string_view rest = text.substr(at + 3);
    if ((rest.starts_with('(') && line_number(text, at + 4, "): ")) ||
        (rest.starts_with(':') && line_number(text, at + 4, " ")))
      return true;
  }
  return false;
}

/// "s3://bucket/key", "data/a.py": what only the whole of goes where nothing is to be named.
bool names_a_place(string_view path) {
  const size_t slash = path.find('/');
  if (slash == string_view::npos || slash == 0) return false;
  const size_t scheme = path.find("://");
  return (scheme != string_view::npos && scheme > 0 && scheme + 3 < path.size()) || names_file(path);
}

/// "GPU 0", "MTIA 9", "/device:GPU:0": what nobody gave a name to.
bool of_device(string_view group) {
  const bool gpu =
      group == "GPU" || group == "GPU unknown" || (group.starts_with("GPU ") && group.size() > 4 && digit(group[4]));
  return gpu || !device_name_in(group).kind.empty();
}

}  // namespace

std::string without_folders(string_view text, string_view instead) {
  if (text.find_first_of("/\\") == string_view::npos) return std::string(text);
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const string_view rest = text.substr(i);
    if ((i == 0 || parts(text[i - 1])) && begins_path(rest)) {
      const size_t end = end_of_path(rest);
      const string_view path = rest.substr(0, end);
      out += !is_path(path) ? path : instead.empty() ? reduced(path) : instead;
      i += end;
    } else if (const size_t end = end_of_word(rest);
               !instead.empty() && (i == 0 || parts(text[i - 1])) && names_a_place(rest.substr(0, end))) {
      out += instead;
      i += end;
    } else {
      out += text[i++];
    }
  }
  return out;
}

std::string NameKeeper::numbered(string_view what, string_view text) {
  auto& numbers = numbers_[std::string(what)];
  const size_t number = numbers.try_emplace(std::string(text), numbers.size() + 1).first->second;
  return fmt::format("{} {}", what, number);
}

std::string NameKeeper::name(string_view text) {
  if (privacy_.anonymise)
    return python_function(text) ? numbered("Python function", text) : without_folders(text, "(path)");
  return privacy_.keep_paths ? std::string(text) : without_folders(text);
}

std::string NameKeeper::process_group(string_view text) {
  return privacy_.anonymise && !text.empty() ? numbered("group", text) : name(text);
}

std::string NameKeeper::counter_group(string_view group) {
  const bool process = privacy_.anonymise && group.find("process ") != string_view::npos && !of_device(group);
  return process ? numbered("process", group) : name(group);
}

std::string NameKeeper::place(string_view where) {
  constexpr string_view kByte = "byte ";
  if (!privacy_.anonymise) return name(where);
  if (!where.starts_with(kByte)) return {};
  return std::string(where.substr(0, where.find_first_not_of("0123456789", kByte.size())));
}

std::pair<std::string, std::string> NameKeeper::lane(TrackKind kind, string_view name, string_view group) {
  if (!privacy_.anonymise)
    return privacy_.keep_paths ? std::pair(std::string(name), std::string(group))
                               : std::pair(without_folders(name), without_folders(group));
  // Devices keep their names; a lane of a process is told by numbers.
  if (kind != TrackKind::host_thread && of_device(group))
    return {without_folders(name, "(path)"), without_folders(group, "(path)")};
  return {numbered("thread", fmt::format("{}\n{}", group, name)), numbered("process", group)};
}

}  // namespace profiler
