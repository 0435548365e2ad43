// SPDX-License-Identifier: Apache-2.0
// Tables as wide as the terminal they are read on.
#pragma once

#include <string>

#include "profiler/base/table.h"

namespace app::cli {

/// Columns of the terminal behind standard output; 0: it is none (a file, a pipe), or does not say.
size_t terminal_columns();
/// Columns for pages of text: the terminal's, 40 to 100 (wider lines are hard to read); 80 where there is none.
size_t page_columns();

/// to_text(), no line wider than `columns` where that can be: first the names in the first column are shortened in
/// their middle, then the columns that matter least are left out, which a line below the table says with the way to get
/// them.
std::string fitted_text(const profiler::Table&, size_t columns);

/// fitted_text() on a terminal, else to_text(): who pipes a table wants all of it.
std::string terminal_text(const profiler::Table&);

}  // namespace app::cli
