// SPDX-License-Identifier: Apache-2.0
// Runs the tensortide program as a user would and gives back what it printed and how it ended.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace test {

struct Outcome {
  int exit_code = -1;  ///< 128 + signal when it was killed
  std::string out, err;
};

/// `arguments` are given to a shell after the program's path. `prefix` goes before it ("ulimit -f 8;").
Outcome tensortide(const std::string& arguments, const std::string& prefix = "");
/// Whether this system opens pseudo-terminals: a container without /dev/pts does not.
bool has_terminals();
/// Same with standard output on a terminal of that many columns; `err` is empty. Lines end in \n.
Outcome tensortide_on_terminal(const std::string& arguments, unsigned short columns);
/// Same, but sends `signal` once `file` exists and holds at least one step, at most after 20 s.
Outcome tensortide_interrupted(const std::string& arguments, int signal, const std::filesystem::path& file);

/// Same, of a run whose step takes longer than the test: once `folder`, where it records, holds a file (within 20 s)
/// sends `signal`, and 0.3 s later again until it ends. `alive`: the first one did not end it.
Outcome tensortide_stuck(const std::string& arguments, int signal, const std::filesystem::path& folder, bool& alive);
/// Same, stuck as soon as it says something: standard error is a full pipe that nobody reads. Sends `signal` once there
/// is a handler of it, and again once there is none any longer (20 s at most for either); `out` and `err` are empty.
Outcome tensortide_unheard(const std::string& arguments, int signal, bool& alive);
/// Same, and calls `then` once it has said `sentence` on standard error, or has ended, or after 20 s.
Outcome tensortide_told(const std::string& arguments, const std::string& sentence, const std::function<void()>& then);

/// The text as one JSON document; a failure of the test when it is none.
nlohmann::json parsed(const std::string& text);

/// A folder of its own for one test, emptied first.
std::filesystem::path fresh_folder();

}  // namespace test
