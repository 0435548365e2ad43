// SPDX-License-Identifier: Apache-2.0
// The pages of docs/ inside the programs, for `tensortide help` and Help > Handbook.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

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
std::vector<std::string> page_names();
/// By name, or by a command; nullptr: there is none.
const HandbookPage* find_page(std::string_view topic);
/// The same; refused (usage) with the closest topic.
engine::Result<const HandbookPage*> page_of(std::string_view topic);

/// A section of a page, by its heading.
struct HandbookPlace {
  const HandbookPage* page = nullptr;
  std::string_view section;
};
/// Where these words stand, in any case, one section of a page: those with them in the heading, then those that have
/// them most often.
std::vector<HandbookPlace> places_of(std::string_view words, size_t most);
/// How often words of `text` begin so, in any case; 0 for fewer than three characters.
size_t times_in(std::string_view text, std::string_view words);

}  // namespace app
