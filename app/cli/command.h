// SPDX-License-Identifier: Apache-2.0
// Command: one verb of the command line: its name, its options, and what it does.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>

#include "engine/base/display_text.h"
#include "engine/base/result.h"

namespace app::cli {

/// Exit codes of the contract: done; the answer is "no"; wrong usage; the world refused.
inline constexpr int kDone = 0, kNo = 1, kUsage = 2, kRefused = 3;

/// Runs the verb after parsing; returns the exit code.
using Handler = std::function<int()>;

struct Command {
  const char* name;
  const char* help;                ///< one line for the list of verbs
  Handler (*add)(CLI::App& verb);  ///< adds the verb's options and its example
  const char* group;               ///< heading in the list of verbs
};

/// All verbs, one line each in main.cpp.
std::span<const Command> commands();

// One function per verb, each in a file of its own.
Handler add_run(CLI::App&);
Handler add_sweep(CLI::App&);
Handler add_fit(CLI::App&);
Handler add_inspect(CLI::App&);
Handler add_predict(CLI::App&);
Handler add_analyze(CLI::App&);
Handler add_try(CLI::App&);
Handler add_advice(CLI::App&);
Handler add_compare(CLI::App&);
Handler add_import(CLI::App&);
Handler add_export(CLI::App&);
Handler add_report(CLI::App&);
Handler add_rerun(CLI::App&);
Handler add_query(CLI::App&);
Handler add_cache(CLI::App&);
Handler add_devices(CLI::App&);
Handler add_workloads(CLI::App&);
Handler add_probe(CLI::App&);
Handler add_doctor(CLI::App&);
Handler add_learn(CLI::App&);
Handler add_lesson(CLI::App&);
Handler add_kernel(CLI::App&);
Handler add_number(CLI::App&);
Handler add_ops(CLI::App&);
Handler add_save(CLI::App&);
Handler add_systolic(CLI::App&);
Handler add_playground(CLI::App&);
Handler add_published(CLI::App&);
Handler add_help(CLI::App&);

/// The first of these flags that the command line gave; empty: none of them.
std::string first_given(const CLI::App& verb, std::initializer_list<const char*> flags);

/// Adds --format (text, csv or json; the usual one is what `format` holds) and --json, the same as --format json; both,
/// where they differ, are wrong usage.
void add_formats(CLI::App& verb, std::string& format, bool& json);
/// Adds --progress (text or json).
void add_progress_option(CLI::App& verb, std::string& progress);

/// Prints on stdout what engine::display_text() makes of it: every answer goes through here, so that no name can
/// command a terminal. Throws std::system_error where stdout refuses; main.cpp catches it.
template <class... T>
void show(fmt::format_string<T...> format, T&&... values) {
  fmt::print("{}", engine::display_text(fmt::format(format, std::forward<T>(values)...)));
}

/// Prints on stderr, as show() does. A run goes on when nobody can read that (full disk, closed terminal).
template <class... T>
void tell(fmt::format_string<T...> format, T&&... values) {
  std::fputs(engine::display_text(fmt::format(format, std::forward<T>(values)...)).c_str(), stderr);
}

/// Puts one line on stderr in place of the last one of this kind (terminals only); empty: takes that one away.
template <class... T>
void tell_in_place(fmt::format_string<T...> format, T&&... values) {
  std::fputs(("\r" + engine::display_line(fmt::format(format, std::forward<T>(values)...)) + "\033[K").c_str(), stderr);
}

/// Prints "tensortide: message" on stderr and gives the exit code that belongs to the error's kind.
int report(const engine::Error&);

}  // namespace app::cli
