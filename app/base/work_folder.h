// SPDX-License-Identifier: Apache-2.0
// WorkFolder: a temporary folder that goes when its owner goes.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace app {

/// A folder for the captures of child processes, gone afterwards.
class WorkFolder {
 public:
  /// `purpose` is part of its name.
  static engine::Result<WorkFolder> make(std::string_view purpose) {
    std::error_code code;
    std::filesystem::path place = std::filesystem::temp_directory_path(code);
    if (code) return engine::refused_error(fmt::format("there is no folder for temporary files: {}", code.message()));
    std::string pattern = (place / fmt::format("tensortide-{}-XXXXXX", purpose)).string();
    if (mkdtemp(pattern.data()) == nullptr)
      return engine::refused_error(fmt::format("{}: no folder can be made there", place.string()));
    return WorkFolder(pattern);
  }
  WorkFolder(WorkFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit WorkFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace app
