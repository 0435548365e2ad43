// SPDX-License-Identifier: Apache-2.0
// Looks for tensortide-gui.
#include "app/cli/window_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/base/child_run.h"

namespace app::cli {

using engine::Result;

Result<std::filesystem::path> window_program(const std::string& what_it_does, const std::string& instead) {
  constexpr const char* kName = "tensortide-gui";
  if (const char* named = std::getenv("TENSORTIDE_GUI"); named != nullptr && *named != '\0')
    return std::filesystem::path(named);
  std::vector<std::filesystem::path> places;
  if (Result<std::filesystem::path> own = own_program()) places.push_back(own->parent_path());
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) places.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const std::filesystem::path& place : places) {
    std::error_code code;
    const auto status = std::filesystem::status(place / kName, code);
    if (!code && std::filesystem::is_regular_file(status) &&
        (status.permissions() & std::filesystem::perms::owner_exec) != std::filesystem::perms::none)
      return place / kName;
  }
  return engine::refused_error(
      fmt::format("tensortide-gui {}, and is neither beside this program nor on PATH. Build it: it needs Qt 6 and "
                  "QCustomPlot (packaging/linux/install-packages, then cmake -DTENSORTIDE_GUI=ON). {}",
                  what_it_does, instead));
}

bool has_display() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return set("DISPLAY") || set("WAYLAND_DISPLAY");
}

}  // namespace app::cli
