// SPDX-License-Identifier: Apache-2.0
// Text from files and users, made safe for terminals, tables, documents and windows.
//
// Names, titles, notes, paths and messages may hold anything: a terminal obeys control sequences, and overrides of the
// writing direction let one name look like another. Whatever shows text calls one of these functions; nothing else
// escapes control characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace engine {

/// Length in bytes of the well-formed UTF-8 sequence (Unicode 15, table 3-7) that `text` starts with; 0: there is none.
size_t utf8_length(std::string_view text);

/// One line that shows every character it holds. These are written as escapes: control characters (C0, DEL, C1) and
/// bytes that are no UTF-8 as "\x1b"; line separators, directional marks, embeddings, overrides and isolates, and
/// characters without width (Default_Ignorable_Code_Point and noncharacters, Unicode 15) as "\u202e" or "\U000e0041".
/// All else stays as it is.
std::string display_line(std::string_view text);

/// The same for text of several lines: line feeds (also after a carriage return) and tabs stay.
std::string display_text(std::string_view text);

/// JSON text in which the same characters stand as JSON's own escapes ("\u009b"): the same document, safe on a
/// terminal. Bytes that are no UTF-8, which JSON forbids, become U+FFFD.
std::string display_json(std::string_view json);

/// Where the displayed form of `text` may have at most `most_bytes` bytes: display_line() cut between characters, with
/// "..." behind.
std::string display_line(std::string_view text, size_t most_bytes);

}  // namespace engine
