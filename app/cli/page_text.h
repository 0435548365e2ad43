// SPDX-License-Identifier: Apache-2.0
// A page of the handbook as text for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace app::cli {

/// The page in lines of at most `columns` characters (code keeps its own): paragraphs and lists filled, tables in
/// columns, links as their text. Understood is what docs/ use of Markdown: headings, paragraphs, lists, tables, fenced
/// code, inline code, emphasis, links and pictures.
std::string page_text(std::string_view markdown, size_t columns);

}  // namespace app::cli
