// SPDX-License-Identifier: Apache-2.0
// A text as one field of a CSV file that a spreadsheet may open.
#pragma once

#include <string>
#include <string_view>

namespace profiler {

/// Displayed as engine::display_line() does, quoted where needed (RFC 4180). An apostrophe precedes what a spreadsheet
/// would run as a formula: "=cmd", "+1+1", "-x", "@SUM". Also in full width, behind spaces and behind a semicolon.
/// Plain numbers stay as they are.
std::string csv_text(std::string_view);

}  // namespace profiler
