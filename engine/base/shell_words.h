// SPDX-License-Identifier: Apache-2.0
// Command lines as text: words quoted for a POSIX shell, and such a line taken apart again without a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace engine {

/// Words as one line for a POSIX shell; what is not plain stands in single quotes.
std::string shell_line(const std::vector<std::string>& words);

/// The words of a line of plain words, 'single quotes', "double quotes" and backslashes. Refused where a shell would do
/// more than pass words on (variables, pipes, redirections, several commands), and where a quote is not closed.
Result<std::vector<std::string>> shell_words(std::string_view line);

}  // namespace engine
