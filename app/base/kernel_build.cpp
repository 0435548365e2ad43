// SPDX-License-Identifier: Apache-2.0
// Calls the compiler and addr2line, and reads what they print.
#include "app/base/kernel_build.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <sstream>
#include <system_error>

#include "app/base/confined_child.h"
#include "engine/base/display_text.h"
#include "engine/base/read_file.h"
#include "profiler/store/whole_file.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::Result;

constexpr double kCompilerMemory = 3e9, kLargestFile = 256e6;
constexpr size_t kShownLines = 24;

std::optional<fs::path> program_named(const std::string& name) {
  for (const char* folder : {"/usr/local/bin", "/usr/bin", "/bin"}) {
    std::error_code code;
    fs::path path = fs::path(folder) / name;
    if (fs::is_regular_file(path, code)) return path;
  }
  return std::nullopt;
}

Confinement of_tools(const fs::path& folder, double most_s) {
  return {.calls = Confinement::Calls::tools,
          .folder = folder,
          .writes = true,
          .memory_bytes = kCompilerMemory,
          .processor_s = most_s + 1,
          .file_bytes = kLargestFile};
}

std::string first_lines(const std::string& text, size_t most) {
  std::istringstream lines(text);
  std::string kept;
  size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (count++ == most) return kept + "...";
    kept += (kept.empty() ? "" : "\n") + engine::display_line(line, 400);
  }
  return kept;
}

/// "mine.cpp:12:5: error: ..." -> 12; 0: no such line.
int first_error_line(const std::string& printed, const std::string& file) {
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(file + ":") || line.find("error:") == std::string::npos) continue;
    int number = 0;
    const char* const begin = line.data() + file.size() + 1;
    if (std::from_chars(begin, line.data() + line.size(), number).ec == std::errc()) return number;
  }
  return 0;
}

Result<void> write_text(const fs::path& file, const std::string& text) {
  return profiler::write_whole_file(file, text);
}

Result<void> lay_out(const KernelSource& source, const KernelKind& kind, const fs::path& folder) {
  const Result<fs::path> headers = kernels_folder();
  if (!headers) return headers.error();
  std::error_code code;
  fs::create_directories(folder / "tensortide", code);
  if (code) return engine::refused_error(fmt::format("{}: {}", folder.string(), code.message()));
  for (const char* name : {"tensortide_kernel.h", "tensortide_kernel_main.h", "tensortide_kernel_shared.h"}) {
    const Result<std::string> text = engine::read_file(*headers / name, kMostSourceBytes);
    if (!text) return text.error();
    if (Result<void> written = write_text(folder / "tensortide" / name, *text); !written) return written;
  }
  if (Result<void> written = write_text(folder / source.name, source.text); !written) return written;
  return write_text(folder / "tensortide/main.cc",
                    fmt::format("#include \"tensortide_kernel_main.h\"\n{};\nstatic void call_kernel() {{\n  using "
                                "namespace tensortide;\n  {};\n}}\n",
                                kind.signature, kind.call));
}

KernelFault compile_fault(const KernelSource& source, const BuildRequest& request, bool notes,
                          const std::string& printed) {
  KernelFault fault{.kind = notes ? KernelFault::Kind::notes : KernelFault::Kind::compiler, .file = source.name};
  // The linker quotes a function that it misses so; compilers do not.
  if (printed.find("`kernel(") != std::string::npos) {
    fault.kind = KernelFault::Kind::missing;
    fault.detail = request.kind->signature;
    return fault;
  }
  fault.line = first_error_line(printed, source.name);
  fault.source = source.line(fault.line);
  if (fault.line > 0) fault.source.clear();  // the compiler shows it
  fault.detail = first_lines(printed, kShownLines);
  return fault;
}

}  // namespace

Result<Compiler> find_compiler(const std::string& name, bool trusted) {
  for (const char* known : {"g++", "clang++"}) {
    if (!name.empty() && name != known) continue;
    const std::optional<fs::path> path = program_named(known);
    if (!path) continue;
    Result<ConfinedChild> child =
        ConfinedChild::start(*path, {"--version"}, of_tools(fs::temp_directory_path(), 5), trusted);
    if (!child) return child.error();
    const std::atomic<bool> never = false;
    const bool ended = child->wait(5, never);
    child->finish();
    const std::string first = child->printed().substr(0, child->printed().find('\n'));
    return Compiler{*path, ended && !first.empty() ? engine::display_line(first, 100) : std::string(known)};
  }
  return engine::refused_error(
      name.empty() ? "there is no C++ compiler: install g++ or clang++ (sudo apt install g++)"
                   : fmt::format("[--compiler] {} is not in /usr/bin: install it, or choose the other", name));
}

std::string KernelSource::line(int number) const {
  std::istringstream lines(text);
  std::string found;
  for (int i = 0; i < number; ++i) {
    if (!std::getline(lines, found)) return {};
  }
  const size_t begin = found.find_first_not_of(" \t");
  return number < 1 || begin == std::string::npos ? std::string() : engine::display_line(found.substr(begin), 200);
}

Result<KernelSource> read_source(const fs::path& file) {
  Result<std::string> text = engine::read_file(file, kMostSourceBytes);
  if (!text) return text.error();
  KernelSource source{.name = file.filename().string(), .text = *std::move(text)};
  const bool plain = !source.name.empty() && source.name[0] != '-' && source.name[0] != '.' &&
                     std::ranges::all_of(source.name, [](unsigned char c) {
                       return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '+';
                     });
  const bool known = source.name.ends_with(".cpp") || source.name.ends_with(".cc") || source.name.ends_with(".cxx");
  if (!known)
    return engine::usage_error(
        fmt::format("{}: expected a C++ source (.cpp, .cc, .cxx)", engine::display_line(file.string())));
  if (!plain) source.name = "kernel.cpp";
  return source;
}

Result<KernelBuild> build_kernel(const KernelSource& source, const BuildRequest& request, bool notes,
                                 const fs::path& folder, const std::atomic<bool>& stop) {
  if (Result<void> done = lay_out(source, *request.kind, folder); !done) return done.error();
  std::vector<std::string> words{"-std=c++20",   notes ? "-O1" : fmt::format("-O{}", request.optimize),
                                 "-g",           "-pthread",
                                 "-no-pie",      "-fno-pie",
                                 "-Itensortide", "-fdiagnostics-color=never"};
#ifdef __x86_64__
  words.emplace_back("-march=native");
#else
  words.emplace_back("-mcpu=native");
#endif
  words.emplace_back(request.compiler.path.filename() == "g++" ? "-fmax-errors=3" : "-ferror-limit=3");
  words.emplace_back("-Wno-psabi");
  if (notes) words.emplace_back("-DTENSORTIDE_NOTES");
  words.insert(words.end(), {source.name, "tensortide/main.cc", "-o", "kernel"});
  Result<ConfinedChild> child =
      ConfinedChild::start(request.compiler.path, words, of_tools(folder, request.most_s), request.trusted);
  if (!child) return child.error();
  const bool ended = child->wait(request.most_s, stop);
  const int status = child->finish();
  KernelBuild build{.folder = folder, .program = folder / "kernel"};
  if (stop) return engine::refused_error("it was stopped");
  if (!ended || WIFSIGNALED(status)) {
    build.fault = KernelFault{.kind = KernelFault::Kind::compile_time, .file = source.name, .seconds = request.most_s};
  } else if (WEXITSTATUS(status) != 0) {
    build.fault = compile_fault(source, request, notes, child->printed());
  }
  return build;
}

int line_of(const KernelBuild& build, const KernelSource& source, const std::vector<uint64_t>& addresses,
            bool trusted) {
  const std::optional<fs::path> program = program_named("addr2line");
  if (!program || addresses.empty()) return 0;
  std::vector<std::string> words{"-i", "-e", "kernel"};
  for (const uint64_t address : addresses) words.push_back(fmt::format("{:#x}", address));
  Result<ConfinedChild> child = ConfinedChild::start(*program, words, of_tools(build.folder, 5), trusted);
  const std::atomic<bool> never = false;
  if (!child || !child->wait(5, never)) return 0;
  std::istringstream lines(child->printed());
  const std::string name = "/" + source.name + ":";
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find(name);
    if (at == std::string::npos) continue;
    int number = 0;
    const char* const begin = line.data() + at + name.size();
    if (std::from_chars(begin, line.data() + line.size(), number).ec == std::errc() && number > 0) return number;
  }
  return 0;
}

}  // namespace app
