// SPDX-License-Identifier: Apache-2.0
// tensortide help: the pages of the handbook on the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/base/handbook.h"
#include "app/cli/command.h"
#include "app/cli/page_text.h"
#include "app/cli/terminal_table.h"

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

}  // namespace

Handler add_help(CLI::App& verb) {
  auto topic = std::make_shared<std::string>();
  auto markdown = std::make_shared<bool>(false);
  verb.add_option("topic", *topic, "Page to show; none: list all pages")->option_text("[TOPIC]");
  verb.add_flag("--markdown", *markdown, "Print the page as Markdown");
  verb.footer("Example: tensortide help sweeps");
  return [topic, markdown] {
    if (topic->empty()) return list_topics();
    const engine::Result<const HandbookPage*> page = page_of(*topic);
    if (!page) return report(page.error());
    show("{}", *markdown ? std::string((*page)->text) : page_text((*page)->text, page_columns()));
    return kDone;
  };
}

}  // namespace app::cli
