// SPDX-License-Identifier: Apache-2.0
// tensortide kernel: compiles a learner's C++ function, checks, times and simulates it beside ours, and grades it.
#include "app/base/kernel_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <system_error>

#include "app/cli/argument_checks.h"
#include "app/cli/cache_levels.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "engine/base/json_text.h"
#include "engine/base/nearest_name.h"
#include "engine/base/read_file.h"
#include "profiler/base/table.h"
#include "profiler/store/whole_file.h"

namespace app::cli {
namespace {

namespace fs = std::filesystem;
using engine::Result;
using nlohmann::json;
using profiler::Cell;
using profiler::Origin;
using profiler::Quantity;
using profiler::Table;

struct KernelArguments {
  std::string file, like, against, compiler, fresh;
  std::vector<std::string> sizes, simulated, at_least, at_most;
  CacheLevels caches;
  int optimize = 3;
  double seconds = 10;
  bool trusted = false, untimed = false, json = false;
};

/// "m=64,n=64", repeatable.
Result<KernelSizes> sizes_of(const char* option, const std::vector<std::string>& texts) {
  KernelSizes sizes;
  for (const std::string& text : texts) {
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      const std::string word = text.substr(begin, end - begin);
      const size_t equals = word.find('=');
      int64_t value = 0;
      const char* const last = word.data() + word.size();
      if (equals == std::string::npos || equals == 0 ||
          std::from_chars(word.data() + equals + 1, last, value) != std::from_chars_result{last, std::errc()})
        return engine::usage_error(fmt::format("[{}] \"{}\": expected NAME=NUMBER, such as m=64", option, word));
      sizes[word.substr(0, equals)] = value;
      begin = end + 1;
    }
  }
  return sizes;
}

struct Threshold {
  std::string figure;
  bool at_least = true;
  double wanted = 0;
  double value = std::nan("");
  bool passed() const { return at_least ? value >= wanted : value <= wanted; }
  std::string sign() const { return at_least ? ">=" : "<="; }
};

Result<std::vector<Threshold>> thresholds_of(const KernelArguments& o, const profiler::CacheConfig& caches) {
  std::vector<Threshold> thresholds;
  std::vector<std::string> names;
  for (const auto& [name, help] : kernel_figure_names(caches)) names.push_back(name);
  for (const bool at_least : {true, false}) {
    const char* const option = at_least ? "--at-least" : "--at-most";
    for (const std::string& text : at_least ? o.at_least : o.at_most) {
      const size_t equals = text.find('=');
      const std::string name = text.substr(0, equals);
      double value = 0;
      const char* const last = text.data() + text.size();
      if (equals == std::string::npos ||
          std::from_chars(text.data() + equals + 1, last, value) != std::from_chars_result{last, std::errc()})
        return engine::usage_error(fmt::format("[{}] \"{}\": expected FIGURE=NUMBER, such as speedup=3", option, text));
      if (std::ranges::find(names, name) == names.end())
        return engine::usage_error(fmt::format("[{}] there is no figure \"{}\"{} Figures are {}", option, name,
                                               engine::did_you_mean(name, names), fmt::join(names, ", ")));
      thresholds.push_back({name, at_least, value});
    }
  }
  return thresholds;
}

/// Figures as people read them.
std::string figure_text(const std::string& name, double value) {
  const Quantity quantity = name == "time_ns"                              ? Quantity::duration_ns
                            : name == "flop_per_s"                         ? Quantity::flop_per_s
                            : name.ends_with("bytes")                      ? Quantity::bytes
                            : name.ends_with("ratio") || name == "speedup" ? Quantity::ratio
                                                                           : Quantity::count;
  if (quantity == Quantity::count) return fmt::format("{:.15g}", value);
  return profiler::format_quantity(value, quantity);
}

Table times_table(const KernelReport& report) {
  Table table{.name = "times",
              .columns = {{"kernel", "Kernel", Quantity::text, Origin::exact, ""},
                          {"time_ns", "Time", Quantity::duration_ns, Origin::measured, ""},
                          {"flop_per_s", "Rate", Quantity::flop_per_s, Origin::measured, ""},
                          {"speedup", "Its time / yours", Quantity::ratio, Origin::measured, ""},
                          {"code", "Code", Quantity::text, Origin::exact, ""}},
              .rows = {},
              .row_ops = {}};
  for (const KernelTime& time : report.times)
    table.rows.push_back({Cell(time.name), Cell(time.time_ns), Cell(time.flop_per_s),
                          Cell(time.time_ns / report.times.front().time_ns), Cell(time.kernel)});
  return table;
}

profiler::Column simulated_column(std::string key, std::string title, Quantity quantity) {
  return {std::move(key), std::move(title), quantity, Origin::simulated, ""};
}

Cell cell(uint64_t n) { return Cell(static_cast<double>(n)); }

Table simulated_table(const KernelReport& report) {
  Table table{.name = "simulated",
              .columns = {{"kernel", "Kernel", Quantity::text, Origin::exact, ""},
                          simulated_column("accesses", "Accesses", Quantity::count)},
              .rows = {},
              .row_ops = {}};
  for (const profiler::CacheLevelConfig& level : report.caches.levels)
    table.columns.push_back(simulated_column("misses_" + level.name, level.name + " misses", Quantity::count));
  if (report.classified) {
    for (const char* cause : {"compulsory", "capacity", "conflict"})
      table.columns.push_back(simulated_column(cause, cause, Quantity::count));
  }
  table.columns.push_back(simulated_column("memory_read_bytes", "From memory", Quantity::bytes));
  table.columns.push_back(simulated_column("memory_written_bytes", "To memory", Quantity::bytes));
  for (const SimulatedKernel& one : report.simulated) {
    std::vector<Cell> row{Cell(one.name), cell(one.counts.refs)};
    for (size_t l = 0; l < report.caches.levels.size(); ++l) row.push_back(cell(one.counts.total(l).misses()));
    if (report.classified) {
      const profiler::CacheCounts first = one.counts.total(0);
      row.insert(row.end(), {cell(first.compulsory), cell(first.capacity), cell(first.conflict)});
    }
    row.push_back(cell(one.counts.total_memory().read_bytes()));
    row.push_back(cell(one.counts.total_memory().all_written_bytes()));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table tensors_table(const KernelReport& report) {
  Table table{.name = "tensors",
              .columns = {{"kernel", "Kernel", Quantity::text, Origin::exact, ""},
                          {"tensor", "Tensor", Quantity::text, Origin::exact, ""},
                          {"size_bytes", "Size", Quantity::bytes, Origin::exact, ""},
                          simulated_column("accesses", "Accesses", Quantity::count),
                          simulated_column("misses", report.caches.levels.front().name + " misses", Quantity::count),
                          simulated_column("memory_read_bytes", "From memory", Quantity::bytes),
                          simulated_column("memory_written_bytes", "To memory", Quantity::bytes)},
              .rows = {},
              .row_ops = {}};
  for (const SimulatedKernel& one : report.simulated) {
    for (size_t t = 0; t < one.tensors.size(); ++t) {
      const profiler::CacheCounts& counts = one.counts.levels[0][t];
      const profiler::MemoryCounts& memory = one.counts.memory[t];
      if (counts.accesses() == 0 && memory.all_written_bytes() == 0) continue;
      const int64_t size = one.tensors[t].size_bytes;
      table.rows.push_back({Cell(one.name), Cell(one.tensors[t].name),
                            size > 0 ? Cell(static_cast<double>(size)) : Cell(), cell(counts.accesses()),
                            cell(counts.misses()), cell(memory.read_bytes()), cell(memory.all_written_bytes())});
    }
  }
  return table;
}

json fault_json(const KernelReport& report) {
  if (!report.fault) return nullptr;
  const KernelFault& f = *report.fault;
  static constexpr const char* kKinds[] = {"compiler", "notes", "compile_time", "missing", "outside",   "scratch",
                                           "signal",   "time",  "accesses",     "ended",   "unwritten", "wrong"};
  json fault = {{"kind", kKinds[static_cast<size_t>(f.kind)]},
                {"file", f.file},
                {"line", f.line > 0 ? json(f.line) : json(nullptr)},
                {"message", fault_text(f)}};
  if (f.kind == KernelFault::Kind::wrong || f.kind == KernelFault::Kind::unwritten) {
    fault["tensor"] = f.tensor;
    fault["element"] = f.at;
    fault["value"] = json_number(f.kind == KernelFault::Kind::wrong ? f.got : std::nan(""));
    fault["expected"] = json_number(f.wanted);
    fault["differing"] = f.differing;
  }
  return fault;
}

json report_json(const KernelReport& report, const std::vector<Threshold>& thresholds, const std::string& origin) {
  json document = {{"like", report.like},
                   {"file", report.file},
                   {"against", report.against.empty() ? json(nullptr) : json(report.against)},
                   {"right", !report.fault},
                   {"fault", fault_json(report)},
                   {"compiler", report.compiler},
                   {"options", report.options},
                   {"confined",
                    {{"files", report.held.files},
                     {"network", report.held.system_calls},
                     {"system_calls", report.held.system_calls},
                     {"memory", true},
                     {"time", true}}},
                   {"sizes", report.sizes},
                   {"simulated_sizes", report.simulated_sizes},
                   {"largest_difference_ratio", report.fault ? json(nullptr) : json_number(report.largest_difference)},
                   {"hierarchy", {{"text", report.caches.text()}, {"origin", origin}}}};
  for (const auto& [name, value] : kernel_figures(report)) document[name] = json_number(value);
  const auto rows = [](const Table& table) { return engine::parse_json(profiler::to_json(table)); };
  document["times"] = rows(times_table(report));
  document["simulated"] = rows(simulated_table(report));
  document["tensors"] = rows(tensors_table(report));
  document["grades"] = json::array();
  bool all = !report.fault;
  for (const Threshold& t : thresholds) {
    all = all && t.passed();
    document["grades"].push_back({{"figure", t.figure},
                                  {"sign", t.sign()},
                                  {"wanted", t.wanted},
                                  {"value", json_number(t.value)},
                                  {"passed", t.passed()}});
  }
  document["passed"] = all;
  document["passed_count"] = std::ranges::count_if(thresholds, &Threshold::passed);
  return document;
}

std::string report_text(const KernelReport& report, const KernelKind& kind, const std::vector<Threshold>& thresholds,
                        const std::string& origin) {
  std::string text =
      fmt::format("{}: {}, {} {}\n{} {}. Confined: {}.\n", report.file, kind.computes, report.like,
                  sizes_text(kind, report.sizes), report.compiler, report.options, limits_text(report.held));
  if (report.fault) {
    text += "\n" + fault_text(*report.fault) + "\n";
  } else if (report.tolerance == 0) {
    text += "Right: every element of the result is the same as Tensortide's.\n";
  } else {
    text += fmt::format(
        "Right: the largest difference to Tensortide's result is {:.2g} of its largest element ({:g} is allowed).\n",
        report.largest_difference, report.tolerance);
  }
  if (!report.times.empty() && !report.fault)
    text += "\nTimes (measured, median of one call)\n" + profiler::to_text(times_table(report));
  if (!report.simulated.empty() && !report.fault) {
    text += fmt::format("\nAccesses (simulated from empty caches, {})\nCaches ({}): {}\n{}",
                        sizes_text(kind, report.simulated_sizes), origin, report.caches.text(),
                        profiler::to_text(simulated_table(report)));
    if (report.classified)
      text += fmt::format("Causes are those of {}. Local variables count as registers.\n",
                          report.caches.levels.front().name);
    text += "\n" + profiler::to_text(tensors_table(report));
  }
  if (!thresholds.empty()) text += "\n";
  for (const Threshold& t : thresholds)
    text += fmt::format("{} {} {}: {} {}\n", t.figure, t.sign(), figure_text(t.figure, t.wanted),
                        std::isnan(t.value) ? std::string("unknown") : figure_text(t.figure, t.value),
                        t.passed() ? "passed" : "failed");
  return text;
}

/// The plain loops and the header, to begin with.
int write_fresh(const KernelArguments& o, const KernelKind& kind) {
  const Result<fs::path> folder = kernels_folder();
  if (!folder) return report(folder.error());
  if (!o.fresh.ends_with(".cpp"))
    return report(engine::usage_error(fmt::format("[--new] {}: expected a name that ends in .cpp", o.fresh)));
  const fs::path header = fs::path(o.fresh).parent_path() / "tensortide_kernel.h";
  for (const auto& [from, to] : {std::pair{*folder / (std::string(kind.name) + ".cpp"), fs::path(o.fresh)},
                                 std::pair{*folder / "tensortide_kernel.h", header}}) {
    std::error_code code;
    if (fs::exists(fs::symlink_status(to, code))) {
      if (to == header) continue;
      return report(engine::refused_error(fmt::format("{}: is there already; choose another name", to.string())));
    }
    const Result<std::string> text = engine::read_file(from, kMostSourceBytes);
    if (!text) return report(text.error());
    if (const Result<void> written = profiler::write_whole_file(to, *text); !written) return report(written.error());
  }
  show("Kernel: {}\nNext: tensortide kernel {} --like {}\n", o.fresh, o.fresh, kind.name);
  return kDone;
}

int kernel(const KernelArguments& o) {
  const Result<const KernelKind*> kind = find_kernel_kind(o.like);
  if (!kind) return report(kind.error());
  if (!o.fresh.empty()) return write_fresh(o, **kind);
  if (o.file.empty()) return report(engine::usage_error("name a C++ source, or write one with --new FILE.cpp"));
  KernelRequest request{.file = o.file, .kind = *kind, .against = o.against};
  std::string origin;
  Result<profiler::CacheConfig> caches = hierarchy(o.caches, origin);
  if (!caches) return report(caches.error());
  request.caches = *std::move(caches);
  Result<KernelSizes> sizes = sizes_of("--set", o.sizes), simulated = sizes_of("--simulate", o.simulated);
  if (!sizes) return report(sizes.error());
  if (!simulated) return report(simulated.error());
  request.sizes = *std::move(sizes);
  request.simulated = *std::move(simulated);
  Result<std::vector<Threshold>> thresholds = thresholds_of(o, request.caches);
  if (!thresholds) return report(thresholds.error());
  request.compiler = o.compiler;
  request.optimize = o.optimize;
  request.most_s = o.seconds;
  request.trusted = o.trusted;
  request.timed = !o.untimed;
  const Result<KernelReport> checked = check_kernel(request, stop_on_interrupt());
  if (!checked) return report(checked.error());
  const std::map<std::string, double> figures = kernel_figures(*checked);
  bool passed = !checked->fault;
  for (Threshold& threshold : *thresholds) {
    threshold.value = figures.at(threshold.figure);
    passed = passed && threshold.passed();
  }
  if (o.json) print_json(report_json(*checked, *thresholds, origin));
  else show("{}", report_text(*checked, **kind, *thresholds, origin));
  return passed ? kDone : kNo;
}

std::string kinds_text() {
  std::string text = "Kernels of --like:";
  for (const KernelKind& kind : kernel_kinds())
    text += fmt::format("\n  {:<10} {}\n    {}", kind.name, kind.computes, kind.signature);
  return text + "\n";
}

std::string figures_text() {
  std::string text = "Figures of --at-least and --at-most:";
  for (const auto& [name, help] : kernel_figure_names({})) text += fmt::format("\n  {:<14} {}", name, help);
  return text + "\n  misses_L2      your misses of a further level\n";
}

}  // namespace

Handler add_kernel(CLI::App& verb) {
  auto o = std::make_shared<KernelArguments>();
  verb.add_option("file", o->file, "C++ source with one function `kernel`")->option_text("FILE.cpp");
  const auto text = [&](const char* option, std::string& place, const char* help, const char* metavar) {
    return verb.add_option(option, place, help)->option_text(metavar);
  };
  const auto list = [&](const char* option, std::vector<std::string>& place, const char* help, const char* metavar) {
    verb.add_option(option, place, help)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->option_text(metavar);
  };
  std::vector<std::string> names;
  for (const KernelKind& kind : kernel_kinds()) names.emplace_back(kind.name);
  static const std::string like = fmt::format("What it computes [{}]", fmt::join(names, ", "));
  text("--like", o->like, like.c_str(), "NAME")->required();
  text("--new", o->fresh, "Write plain loops and the header to begin with", "FILE.cpp");
  text("--against", o->against, "Compare with this source instead of plain loops", "FILE.cpp");
  list("--set", o->sizes, "Sizes to check and time: m=512,n=512; repeatable", "SIZES");
  list("--simulate", o->simulated, "Sizes to simulate (default: those of --set, if small)", "SIZES");
  list("--at-least", o->at_least, "Pass where a figure is at least this: speedup=3; repeatable", "FIGURE=X");
  list("--at-most", o->at_most, "Pass where a figure is at most this: misses=300; repeatable", "FIGURE=X");
  verb.add_flag("--no-time", o->untimed, "Check and simulate alone");
  text("--compiler", o->compiler, "Compiler [g++, clang++] (default: the first that is there)", "NAME")
      ->check(CLI::IsMember({"g++", "clang++"}));
  verb.add_option("--optimize", o->optimize, "Level of the compiler's optimisation, 0 to 3 (default 3)")
      ->transform(whole_number(0, 3))
      ->option_text("LEVEL");
  verb.add_option("--seconds", o->seconds, "Longest time of one call (default 10)")
      ->check(real_number(0.1, 600))
      ->option_text("SECONDS");
  verb.add_flag("--trusted", o->trusted, "Run the source even where this system cannot confine it");
  add_cache_levels(verb, o->caches, "Caches");
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer(kinds_text() + figures_text() + cache_levels_text() +
              "Example: tensortide kernel --like gemm --new mine.cpp\n"
              "Example: tensortide kernel mine.cpp --like gemm --at-least speedup=3\n"
              "Example: tensortide kernel trans.cpp --like transpose --set m=32,n=32 --level 1KiB/1/32\n"
              "Exit codes: 0 right and passed, 1 wrong or failed, 2 wrong usage, 3 runtime error");
  return [o] { return kernel(*o); };
}

}  // namespace app::cli
