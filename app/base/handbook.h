// SPDX-License-Identifier: Apache-2.0
// The pages of docs/ inside the programs, for `tensortide help` and Help > Handbook.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace app {

/// One page of docs/pages.txt.
struct HandbookPage {
  std::string_view file;      ///< as links name it, from the folder docs: "roofs.md", "../SECURITY.md"
  std::string_view commands;  ///< separated by blanks: those whose --help names this page
  std::string_view text;      ///< Markdown

  std::string name() const;  ///< what `tensortide help` takes: "roofs", "security"; the list of all pages is "contents"
  std::string_view title() const;  ///< of its first heading
};

/// In reading order; the first is the list of all.
std::span<const HandbookPage> handbook();
/// By name, or by a command; nullptr: there is none.
const HandbookPage* find_page(std::string_view topic);
/// The same; refused (usage) with the closest topic.
engine::Result<const HandbookPage*> page_of(std::string_view topic);

}  // namespace app
