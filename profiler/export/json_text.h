// SPDX-License-Identifier: Apache-2.0
// Names of a capture as JSON strings, each made once.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profiler/capture/capture.h"

namespace profiler {

/// Valid UTF-8 in quotes; what is none comes out as U+FFFD.
inline std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class JsonNames {
 public:
  explicit JsonNames(const Capture& capture) : capture_(capture), made_(capture.names().size()) {}
  const std::string& operator[](NameId id) {
    if (made_[id].empty()) made_[id] = json_text(capture_.name(id));
    return made_[id];
  }

 private:
  const Capture& capture_;
  std::vector<std::string> made_;
};

}  // namespace profiler
