// SPDX-License-Identifier: Apache-2.0
// Looks up pages of the handbook.
#include "app/base/handbook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "engine/base/nearest_name.h"

namespace app {
namespace {

bool has_word(std::string_view words, std::string_view word) {
  return !word.empty() && word.find(' ') == std::string_view::npos &&
         (" " + std::string(words) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

std::string lower(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return all;
}

/// The page's sections: each from its heading to the next one, headings of code blocks left out.
std::vector<std::string_view> sections_of(std::string_view text) {
  std::vector<std::string_view> sections;
  size_t begin = 0, line = 0;
  bool code = false;
  while (line < text.size()) {
    const size_t end = std::min(text.find('\n', line), text.size() - 1) + 1;
    const std::string_view words = text.substr(line, end - line);
    if (words.starts_with("```")) code = !code;
    if (!code && words.starts_with("#") && line > begin) {
      sections.push_back(text.substr(begin, line - begin));
      begin = line;
    }
    line = end;
  }
  sections.push_back(text.substr(begin));
  return sections;
}

std::string_view heading_of(std::string_view section) {
  const std::string_view line = section.substr(0, section.find('\n'));
  return line.substr(std::min(line.size(), line.find_first_not_of("# ")));
}

}  // namespace

std::string HandbookPage::name() const {
  const std::string stem = lower(std::filesystem::path(file).stem().string());
  return stem == "readme" ? "contents" : stem;
}

std::string_view HandbookPage::title() const { return heading_of(text); }

const HandbookPage* find_page(std::string_view topic) {
  const std::span<const HandbookPage> pages = handbook();
  auto found = std::ranges::find_if(pages, [&](const HandbookPage& page) { return page.name() == topic; });
  if (found == pages.end())
    found = std::ranges::find_if(pages, [&](const HandbookPage& page) { return has_word(page.commands, topic); });
  return found == pages.end() ? nullptr : &*found;
}

std::vector<std::string> page_names() {
  std::vector<std::string> names;
  for (const HandbookPage& page : handbook()) names.push_back(page.name());
  return names;
}

engine::Result<const HandbookPage*> page_of(std::string_view topic) {
  if (const HandbookPage* page = find_page(topic); page != nullptr) return page;
  const std::vector<std::string> names = page_names();
  return engine::usage_error(fmt::format("[topic] unknown topic \"{}\"{} `tensortide help` lists them all", topic,
                                         engine::did_you_mean(topic, names)));
}

size_t times_in(std::string_view text, std::string_view words) {
  const std::string all = lower(text), wanted = lower(words);
  size_t times = 0;
  if (wanted.size() < 3) return 0;
  for (size_t at = all.find(wanted); at != std::string::npos; at = all.find(wanted, at + 1)) {
    if (at == 0 || std::isalnum(static_cast<unsigned char>(all[at - 1])) == 0) ++times;
  }
  return times;
}

std::vector<HandbookPlace> places_of(std::string_view words, size_t most) {
  constexpr size_t kOfHeading = 1'000'000;
  std::vector<std::pair<size_t, HandbookPlace>> found;
  for (const HandbookPage& page : handbook()) {
    for (const std::string_view section : sections_of(page.text)) {
      const std::string_view heading = heading_of(section);
      const size_t times = times_in(section, words) + (times_in(heading, words) > 0 ? kOfHeading : 0);
      if (times > 0) found.push_back({times, {&page, heading}});
    }
  }
  std::ranges::stable_sort(found, std::greater{}, [](const auto& place) { return place.first; });
  std::vector<HandbookPlace> places;
  for (const auto& [times, place] : found) {
    const bool known = std::ranges::find(places, place.page, &HandbookPlace::page) != places.end();
    if (!known && places.size() < most) places.push_back(place);
  }
  return places;
}

}  // namespace app
