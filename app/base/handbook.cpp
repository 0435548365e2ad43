// SPDX-License-Identifier: Apache-2.0
// Looks up pages of the handbook.
#include "app/base/handbook.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "engine/base/nearest_name.h"

namespace app {
namespace {

bool has_word(std::string_view words, std::string_view word) {
  return !word.empty() && word.find(' ') == std::string_view::npos &&
         (" " + std::string(words) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

}  // namespace

std::string HandbookPage::name() const {
  std::string stem = std::filesystem::path(file).stem().string();
  std::ranges::transform(stem, stem.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return stem == "readme" ? "contents" : stem;
}

std::string_view HandbookPage::title() const {
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.substr(std::min(line.size(), line.find_first_not_of("# ")));
}

const HandbookPage* find_page(std::string_view topic) {
  const std::span<const HandbookPage> pages = handbook();
  auto found = std::ranges::find_if(pages, [&](const HandbookPage& page) { return page.name() == topic; });
  if (found == pages.end())
    found = std::ranges::find_if(pages, [&](const HandbookPage& page) { return has_word(page.commands, topic); });
  return found == pages.end() ? nullptr : &*found;
}

engine::Result<const HandbookPage*> page_of(std::string_view topic) {
  if (const HandbookPage* page = find_page(topic); page != nullptr) return page;
  std::vector<std::string> names;
  for (const HandbookPage& page : handbook()) names.push_back(page.name());
  return engine::usage_error(fmt::format("[topic] unknown topic \"{}\"{} `tensortide help` lists them all", topic,
                                         engine::did_you_mean(topic, names)));
}

}  // namespace app
