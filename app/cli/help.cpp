// SPDX-License-Identifier: Apache-2.0
// tensortide help: the pages of the handbook on the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/base/handbook.h"
#include "app/base/lesson_catalog.h"
#include "app/cli/command.h"
#include "app/cli/page_text.h"
#include "app/cli/terminal_table.h"
#include "engine/base/display_text.h"
#include "engine/base/nearest_name.h"

namespace app::cli {
namespace {

int list_topics() {
  show("Topics of the handbook: tensortide help TOPIC\n\n");
  for (const HandbookPage& page : handbook().subspan(1)) {
    show("  {:<16} {}{}\n", page.name(), page.title(),
         page.commands.empty() ? "" : fmt::format(" ({})", page.commands));
  }
  show("\nThe name of a command shows its page, too: tensortide help sweep\n");
  return kDone;
}

/// Sections and lessons that speak of what no page is called; false: none does, or it is a slip for a page's name.
bool list_places(const std::string& topic) {
  constexpr size_t kMost = 8;
  if (!engine::close_name(topic, page_names()).empty()) return false;
  const std::vector<HandbookPlace> places = places_of(topic, kMost);
  const std::vector<std::string> lessons = lessons_about(topic);
  if (places.empty() && lessons.empty()) return false;
  show("No page is called \"{}\". These speak of it:\n\n", engine::display_line(topic));
  for (const HandbookPlace& place : places) show("  tensortide help  {:<20} {}\n", place.page->name(), place.section);
  for (const std::string& lesson : lessons) show("  tensortide learn {:<20} (a lesson)\n", lesson);
  return true;
}

}  // namespace

Handler add_help(CLI::App& verb) {
  auto topic = std::make_shared<std::string>();
  auto markdown = std::make_shared<bool>(false);
  verb.add_option("topic", *topic, "Page, or a word to look for; none: list all pages")->option_text("[TOPIC]");
  verb.add_flag("--markdown", *markdown, "Print the page as Markdown");
  verb.footer("Example: tensortide help sweeps");
  return [topic, markdown] {
    if (topic->empty()) return list_topics();
    const engine::Result<const HandbookPage*> page = page_of(*topic);
    if (!page) return list_places(*topic) ? kDone : report(page.error());
    show("{}", *markdown ? std::string((*page)->text) : page_text((*page)->text, page_columns()));
    return kDone;
  };
}

}  // namespace app::cli
