// SPDX-License-Identifier: Apache-2.0
// The kinds of blocks of a lesson: how each is read, and what must hold between them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "profiler/lessons/lesson.h"
#include "profiler/lessons/query.h"
#include "profiler/lessons/toml_block.h"

namespace profiler {

/// "predict", "run", ...
const std::vector<std::string>& block_kinds();
/// `kind`: one of block_kinds() that is TOML.
decltype(LessonBlock::is) read_block(const std::string& kind, TomlBlock&);

/// "B2", "L".
bool is_row_id(const std::string&);
/// "a <= b" taken apart; sign empty: there is none.
LessonComparison parse_comparison(const std::string&);

/// What the runs of a lesson will give, by id.
QueryKinds query_kinds(const Lesson&);
/// Ids, references between blocks, commands, files and queries.
void check_lesson(const Lesson&, const std::filesystem::path& folder, const TomlBlock::Fault&);

}  // namespace profiler
