// SPDX-License-Identifier: Apache-2.0
// Counts brackets as JSON's grammar does: those inside strings are text.
#include "engine/base/json_text.h"

#include <algorithm>

namespace engine {

int json_depth(std::string_view json) {
  int open = 0, most = 0;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      else if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      most = std::max(most, ++open);
    } else if (c == ']' || c == '}') {
      --open;
    }
  }
  return most;
}

}  // namespace engine
