// SPDX-License-Identifier: Apache-2.0
// Sources put together, built and kept.
#include "engine/opencl/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "engine/base/check.h"
#include "engine/opencl/sources.h"

namespace engine::opencl {
namespace {

std::string_view text_of(std::string_view file) {
  const auto all = sources();
  const auto found = std::ranges::find(all, file, &Source::file);
  CHECK(found != all.end());
  return found->text;
}

/// The first lines that name an error; else of all that the compiler wrote.
std::string first_words(const std::string& log) {
  constexpr size_t kMost = 300;
  const size_t error = log.find("error");
  const size_t line = error == std::string::npos ? 0 : log.rfind('\n', error) + 1;  // npos + 1 = 0
  std::string words = log.substr(line, kMost);
  std::ranges::replace(words, '\n', ' ');
  while (!words.empty() && (words.back() == ' ' || words.back() == '\0')) words.pop_back();
  return words.empty() ? "its compiler wrote nothing" : words;
}

}  // namespace

Result<std::shared_ptr<_cl_program>> Programs::program(const ProgramKey& key) {
  const std::lock_guard lock(mutex_);
  if (const auto found = built_.find(key); found != built_.end()) return found->second;
  const std::array<std::string_view, 3> texts{text_of("common.cl"), text_of(key.file),
                                              key.tile ? text_of("gemm_tile.cl") : std::string_view("\n")};
  std::array<const char*, 3> lines{texts[0].data(), texts[1].data(), texts[2].data()};
  const std::array<size_t, 3> lengths{texts[0].size(), texts[1].size(), texts[2].size()};
  cl_int code = CL_SUCCESS;
  cl_program made = api_.create_program_with_source(context_.get(), 3, lines.data(), lengths.data(), &code);
  if (made == nullptr || code != CL_SUCCESS) {
    return refused_error(
        fmt::format("[opencl] {} takes no program of {}: {}", device_.info.model, key.file, error_words(code)));
  }
  std::shared_ptr<_cl_program> program(made, [release = api_.release_program](cl_program p) { release(p); });
  const std::string options =
      fmt::format("-cl-std=CL1.2{}{}{}", key.doubles ? " -D DOUBLES" : " -cl-single-precision-constant",
                  key.options.empty() ? "" : " ", key.options);
  code = api_.build_program(made, 1, &device_.device, options.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS) {
    std::string log;
    size_t bytes = 0;
    constexpr size_t kLongest = 1 << 20;
    if (api_.get_program_build_info(made, device_.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) == CL_SUCCESS &&
        bytes > 0 && bytes <= kLongest) {
      log.resize(bytes);
      if (api_.get_program_build_info(made, device_.device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr) !=
          CL_SUCCESS)
        log.clear();
    }
    return refused_error(fmt::format("[opencl] the compiler of {} rejects {}: {}: {}", device_.info.model, key.file,
                                     error_words(code), first_words(log)));
  }
  built_[key] = program;
  return program;
}

Result<std::shared_ptr<_cl_kernel>> Programs::kernel(const ProgramKey& key, const std::string& name) {
  auto from = program(key);
  if (!from) return from.error();
  cl_int code = CL_SUCCESS;
  cl_kernel made = api_.create_kernel(from->get(), name.c_str(), &code);
  if (made == nullptr || code != CL_SUCCESS) {
    return refused_error(fmt::format("[opencl] {} has no kernel {} after its build on {}: {}", key.file, name,
                                     device_.info.model, error_words(code)));
  }
  return std::shared_ptr<_cl_kernel>(made, [release = api_.release_kernel](cl_kernel k) { release(k); });
}

}  // namespace engine::opencl
