// SPDX-License-Identifier: Apache-2.0
// tensortide: the whole product without a window. Parses, dispatches, and turns errors into exit codes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/base/handbook.h"
#include "app/base/standard_streams.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "engine/base/nearest_name.h"
#include "engine/workloads/workload.h"

namespace app::cli {
namespace {

constexpr const char* kMain = "Commands";
constexpr const char* kMore = "More commands";
constexpr const char* kHere = "This machine, and help";

constexpr std::array kCommands{
    Command{"run", "Run a workload or model and record a capture", add_run, kMain},
    Command{"analyze", "Show a capture: summary, ops, traffic, roofline, verdicts, findings", add_analyze, kMain},
    Command{"sweep", "Run a workload over batch sizes, data types, threads or other axes", add_sweep, kMain},
    Command{"compare", "Compare runs op by op: same, faster, slower or unsure, and why", add_compare, kMain},
    Command{"report", "Write one HTML or PDF file with answers, charts, ops and findings", add_report, kMain},
    Command{"import", "Turn traces of PyTorch, JAX, Chrome or Nsight Systems into a capture", add_import, kMain},
    Command{"export", "Write files for Perfetto, TensorBoard, speedscope, pprof or spreadsheets", add_export, kMain},
    Command{"try", "Measure the gain of a suggested change", add_try, kMain},
    Command{"cache", "Simulate any cache hierarchy on a trace or a workload", add_cache, kMain},
    Command{"predict", "Model the times of ops on GPUs that are not here", add_predict, kMain},
    Command{"inspect", "Show what a model is made of, and whether it can be run", add_inspect, kMore},
    Command{"fit", "Find the largest batch that fits into memory", add_fit, kMore},
    Command{"rerun", "Repeat the recorded command of a report or capture", add_rerun, kMore},
    Command{"advice", "Show how often each rule was right when tried", add_advice, kMore},
    Command{"query", "Run one SQL SELECT on a capture", add_query, kMore},
    Command{"number", "Show how each data type stores a number", add_number, kMore},
    Command{"kernel", "Check, time and grade a C++ kernel of your own beside ours", add_kernel, kMain},
    Command{"learn", "Start a lesson: predict, run, reveal, in the window or here", add_learn, kMain},
    Command{"lesson", "List, check, write and grade lessons", add_lesson, kMain},
    Command{"ops", "List ops with formulas; of a workload with shapes, FLOPs, bytes", add_ops, kMore},
    Command{"save", "Save the graph of a workload or model as ONNX or JSON", add_save, kMore},
    Command{"systolic", "Run a systolic array cycle by cycle", add_systolic, kMore},
    Command{"published", "Show a published table of step times, and what is wrong with it", add_published, kMore},
    Command{"playground", "Try tensors on two simulated devices, line by line", add_playground, kMore},
    Command{"workloads", "List workloads; with a name, its parameters and presets", add_workloads, kHere},
    Command{"devices", "List devices, and why some are missing", add_devices, kHere},
    Command{"probe", "Measure the roofs of this machine: arithmetic, bandwidth, latency", add_probe, kHere},
    Command{"doctor", "Show what can be collected here, and what would help", add_doctor, kHere},
    Command{"help", "Show the handbook", add_help, kHere},
};

constexpr size_t kHelpColumn = 28;  ///< where the texts of --help begin: they have 72 characters

/// "; did you mean --set learning_rate=0.1?" for the first option that is none of the verb's and is the name of a
/// workload's parameter; empty: there is none, or the verb takes no --set.
std::string parameter_option(const CLI::App& verb, int argc, char** argv) {
  if (verb.get_option_no_throw("--set") == nullptr) return {};
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i], name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || verb.get_option_no_throw(std::string(name)) != nullptr) continue;
    std::string parameter(name.substr(2));
    std::ranges::replace(parameter, '-', '_');
    const bool known = std::ranges::any_of(engine::workloads(), [&](const engine::Workload& workload) {
      return std::ranges::find(workload.parameters, parameter, &engine::Parameter::name) != workload.parameters.end();
    });
    if (!known) return {};
    const bool joined = name.size() < word.size(), apart = !joined && i + 1 < argc && argv[i + 1][0] != '-';
    return fmt::format("; did you mean --set {}={}?", parameter,
                       joined  ? word.substr(name.size() + 1)
                       : apart ? std::string_view(argv[i + 1])
                               : std::string_view("VALUE"));
  }
  return {};
}

/// "; did you mean --batch?" for the first word that looks like an option and is none of the verb's; empty: there is no
/// such word, or it is like none.
std::string nearest_option(const CLI::App& verb, int argc, char** argv) {
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (int i = 2; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string_view(argv[i]).find('='));
    if (!word.starts_with("--") || word.size() < 3 || std::ranges::find(known, word) != known.end()) continue;
    const std::string close = engine::close_name(word, known);
    return close.empty() ? std::string() : fmt::format("; did you mean {}?", close);
  }
  return {};
}

/// A sentence on an option that was given more often than it may be; empty: none was.
std::string given_too_often(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_multi_option_policy() != CLI::MultiOptionPolicy::Throw || option->get_items_expected_max() != 1 ||
        option->count() < 2)
      continue;
    return fmt::format("[{}] it is given {} times ({}): once is enough", option->get_name(), option->count(),
                       fmt::join(option->results(), ", "));
  }
  return {};
}

/// What CLI11 says about an option, which stands in brackets as in our own messages, and what to do.
std::string usage_words(const CLI::ParseError& error) {
  const std::string text = error.what(), option = text.substr(0, text.find_first_of(": "));
  if (!option.starts_with("--")) return text;
  const std::string rest = text.substr(std::min(text.find_first_not_of(": ", option.size()), text.size()));
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return fmt::format("[{}] {}", option, rest);
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr)
    return fmt::format("[{}] {}: leave one of them out", option, rest);
  if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr)
    return fmt::format("[{0}] {1}: add it, or leave {0} out", option, rest);
  return text;
}

/// Whether the command line asks for progress as JSON: what it could not parse is then told in that form, too.
bool asks_for_json_progress(int argc, char** argv) {
  const std::span words(argv, static_cast<size_t>(argc));
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--progress=json") return true;
    if (word == "--progress" && i + 1 < words.size() && std::string_view(words[i + 1]) == "json") return true;
  }
  return false;
}

/// What CLI11 says about wrong usage, plus the nearest verb or option when it is unknown.
int report_usage(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::string message = usage_words(error);
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
    std::vector<std::string> names;
    for (const Command& command : commands()) names.emplace_back(command.name);
    message = fmt::format("unknown command \"{}\"{} `tensortide --help` lists them all", argv[1],
                          engine::did_you_mean(argv[1], names));
  } else if (argc > 1) {
    if (app.get_subcommands().empty()) {
      message = fmt::format("unknown option {}: write options behind a command, as in `tensortide run mlp --batch 8`",
                            argv[1]);
    } else {
      const CLI::App& verb = *app.get_subcommands().front();
      const std::string often =
          dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr ? given_too_often(verb) : std::string();
      if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {  // CLI11 names them last to first
        const std::vector<std::string> extras = verb.remaining(true);
        message = fmt::format("not expected: {}", fmt::join(extras, " "));
      }
      std::string meant = parameter_option(verb, argc, argv);
      if (meant.empty()) meant = nearest_option(verb, argc, argv);
      message = often.empty() ? message + meant : often;
    }
    if (asks_for_json_progress(argc, argv)) {
      tell_line({{"error", {{"message", message}, {"kind", "usage"}}}});
      return kUsage;
    }
    message +=
        fmt::format(" (see `tensortide {}--help`)", app.get_subcommands().empty() ? "" : std::string(argv[1]) + " ");
  } else {
    message =
        "a command is missing: `tensortide --help` lists them all, `tensortide help quick-start` shows the first steps";
  }
  return report(engine::usage_error(message));
}

int unprinted(int code) {
  return report(engine::refused_error(fmt::format("cannot print to standard output: {}", std::strerror(code))));
}

/// --help, --version.
int print_about(const CLI::App& app, const CLI::ParseError& asked) {
  errno = 0;
  const int code = app.exit(asked);
  return std::cout.flush() ? code : unprinted(errno != 0 ? errno : EIO);
}

/// CLI11 puts two empty lines between groups of options, and behind a flag what it needs and excludes, which its line
/// has no room for.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    return CLI::detail::find_and_replace(CLI::Formatter::make_help(app, std::move(name), mode), "\n\n\n", "\n\n");
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_items_expected_max() == 0 ? std::string() : CLI::Formatter::make_option_opts(option);
  }
};

/// What every --help ends with: the option itself, and the page of the handbook.
void finish_help(CLI::App& verb, const Command& command) {
  verb.set_help_flag("-h,--help", "Print this help")->group("Output");
  if (const HandbookPage* page = find_page(command.name); page != nullptr)
    verb.footer(fmt::format("{}\nMore: tensortide help {}", verb.get_footer(), page->name()));
}

/// An answer that could not be printed is no success: fmt throws when stdout refuses, and what is buffered fails at the
/// end.
int run_verb(const Handler& handler) {
  try {
    const int code = handler();
    errno = 0;
    if (std::fflush(stdout) != 0) return unprinted(errno);
    return std::ferror(stdout) != 0 ? unprinted(EIO) : code;
  } catch (const std::system_error& error) {
    return unprinted(error.code().value());
  } catch (const std::bad_alloc&) {
    return report(engine::refused_error("there is not enough memory for this"));
  }
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

std::string first_given(const CLI::App& verb, std::initializer_list<const char*> flags) {
  const auto* found = std::ranges::find_if(flags, [&](const char* flag) { return verb.count(flag) > 0; });
  return found == flags.end() ? std::string() : *found;
}

void add_progress_option(CLI::App& verb, std::string& progress) {
  verb.add_option("--progress", progress, "Progress on standard error [text, json]")
      ->check(CLI::IsMember({"json", "text"}))
      ->option_text("FORMAT")
      ->group("Output");
}

void add_formats(CLI::App& verb, std::string& format, bool& json) {
  verb.add_option("--format", format, "Format [text, csv, json] (default text)")
      ->check(CLI::IsMember({"text", "csv", "json"}))
      ->capture_default_str()
      ->option_text("FORMAT")
      ->group("Output");
  verb.add_flag("--json", json, "Print one JSON document")->group("Output");
  verb.parse_complete_callback([&verb, &format] {
    if (verb.count("--json") > 0 && verb.count("--format") > 0 && format != "json")
      throw CLI::ValidationError("[--json] and --format " + format + " ask for two formats: leave one of them out");
  });
}

int report(const engine::Error& error) {
  tell("tensortide: {}\n", engine::display_line(error.message));  // one line, whatever a path in it holds
  return error.kind == engine::ErrorKind::usage ? kUsage : kRefused;
}

}  // namespace app::cli

namespace {

int command_line(int argc, char** argv) {
  using namespace app::cli;
  // A full disk or a size limit must come back as an error we can word, not as a signal.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_DFL);

  CLI::App app{"Tensortide " TENSORTIDE_VERSION ": runs tensor workloads and shows where their time and bytes go.",
               "tensortide"};
  app.set_version_flag("--version", "tensortide " TENSORTIDE_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormat>());
  app.get_formatter()->column_width(kHelpColumn);
  app.footer(
      "Example: tensortide run resnet50 -o r.tide && tensortide analyze r.tide --table ops\n"
      "Exit codes: 0 done, 1 check failed, 2 wrong usage, 3 runtime error (file, driver, memory)\n"
      "More: tensortide help");
  std::vector<std::pair<CLI::App*, Handler>> verbs;
  for (const Command& command : commands()) {
    CLI::App* verb = app.add_subcommand(command.name, command.help)->group(command.group);
    verbs.emplace_back(verb, command.add(*verb));
    finish_help(*verb, command);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return print_about(app, help);
  } catch (const CLI::CallForVersion& version) {
    return print_about(app, version);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, argc, argv);
  }
  for (const auto& [verb, handler] : verbs) {
    if (verb->parsed()) return run_verb(handler);
  }
  return kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  app::guard_standard_streams();
  return app::leave(command_line(argc, argv));
}
