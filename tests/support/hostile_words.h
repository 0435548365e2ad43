// SPDX-License-Identifier: Apache-2.0
// Names a stranger might put into a file, files that hold them everywhere, and a look at what was made of them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tests {

/// Escapes of C0, DEL, C1 (one byte and two), overrides and isolates, marks, no width, tags, line separators, a line
/// feed, broken UTF-8, a formula, tags of rich text. Starts with `first`.
std::string hostile_text(std::string_view first = "=cmd|' /C calc'!A0");

/// What a terminal would obey or a reader could not see in `text`, in words with its place; empty: nothing. Line feeds
/// (also after a carriage return) and tabs are no fault.
std::string fault_of_display(std::string_view text);

/// The first field of a CSV text that a spreadsheet would run as a formula; empty: none.
std::string formula_in_csv(std::string_view csv);

/// Runs SQL on a closed capture and makes its checksums right again, as somebody does who means it.
void rewrite_sealed(const std::filesystem::path& capture, const std::string& sql);

/// rewrite_sealed() with hostile_text() in all its names, lanes, notes, arguments and machine words.
void make_hostile(const std::filesystem::path& capture);

}  // namespace tests
