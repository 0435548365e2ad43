// SPDX-License-Identifier: Apache-2.0
// tensortide published: Table 7 of Shi et al. 2016 as tables, with reasons of gaps and of what stays out of rankings.
#include "profiler/sweep/published.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/terminal_table.h"
#include "engine/base/nearest_name.h"
#include "profiler/analysis/analyze.h"
#include "profiler/store/capture_file.h"
#include "profiler/sweep/file.h"

namespace app::cli {
namespace {

using nlohmann::json;
using profiler::OwnTime;

struct PublishedArguments {
  std::string network, table = "grid", format = "text";
  std::vector<std::string> with;
  bool json = false;
};

/// The name as the table has it, whatever its case. Fails (usage) naming the nearest.
engine::Result<std::string> network_of(const std::string& given) {
  std::vector<std::string> names;
  for (const profiler::PublishedNetwork& n : profiler::shi2016_facts().networks) {
    if (CLI::detail::to_lower(n.name) == CLI::detail::to_lower(given)) return n.name;
    names.push_back(n.name);
  }
  return engine::usage_error(fmt::format("[--network] there is no network \"{}\"{} There are: {}", given,
                                         engine::did_you_mean(given, names), fmt::join(names, ", ")));
}

engine::Result<const profiler::PublishedTable*> table_of(const std::string& given) {
  std::vector<std::string> names;
  for (const profiler::PublishedTable& table : profiler::kPublishedTables) {
    if (given == table.name) return &table;
    names.emplace_back(table.name);
  }
  return engine::usage_error(fmt::format("[--table] there is no table \"{}\"{} There are: {}", given,
                                         engine::did_you_mean(given, names), fmt::join(names, ", ")));
}

/// Times of ours in a sweep or a capture. Fails where it has none of the networks.
engine::Result<std::vector<OwnTime>> times_in(const std::string& file) {
  std::vector<OwnTime> own;
  if (profiler::is_sweep(file)) {
    const auto sweep = profiler::open_sweep(file);
    if (!sweep) return sweep.error();
    own = profiler::own_times(*sweep);
  } else {
    auto capture = profiler::open_capture(file);
    if (!capture) return capture.error();
    const auto analyzed = profiler::analyze(*std::move(capture));
    own = profiler::own_times(*analyzed);
  }
  if (own.empty())
    return engine::refused_error(
        fmt::format("[--with] {}: it has no measured time of a network of the table. Run one of them as its preset: "
                    "tensortide published --table networks",
                    file));
  return own;
}

json own_json(const std::vector<OwnTime>& own) {
  json rows = json::array();
  for (const OwnTime& t : own)
    rows.push_back({{"network", t.network},
                    {"device", t.device},
                    {"threads", t.threads > 0 ? json(t.threads) : json()},
                    {"step_ns", json_number(t.step_ns)},
                    {"origin", "measured"}});
  return rows;
}

constexpr const char* kSigns =
    "Seconds per training step (specified). ~ point or digit put back, ? uncertain, x not like for like, ! "
    "impossible,\n"
    "lost: unreadable, –: a dash in the table. --json has the reason of each.\n";

/// "i7: Intel Core i7-3820, ...", with the number of threads behind the code in a heading.
std::string codes() {
  std::string text;
  for (const profiler::PublishedPlatform& p : profiler::shi2016_facts().platforms)
    if (!p.gpu()) text += fmt::format("{} n: {}, n threads. ", p.code, p.title);
  return text + "\n";
}

std::string text_of(const profiler::Table& table, const PublishedArguments& options, const std::string& network,
                    const std::vector<OwnTime>& own) {
  const profiler::PublishedFacts& facts = profiler::shi2016_facts();
  std::string text = fmt::format("Table 7 of {}\nRead from {}.\n\n", facts.paper, facts.read_from);
  text += options.table == "grid"
              ? profiler::to_text(profiler::published_picture_table(network)) + "\n" + kSigns + codes()
              : terminal_text(table);
  text += "\n";
  for (const std::string& sentence : profiler::published_sentences(network)) text += sentence + "\n";
  for (const OwnTime& t : own) text += profiler::own_sentence(t) + "\n";
  if (!own.empty()) text += "The machines are others: compare the shapes of curves, not times.\n";
  return text;
}

int published(const PublishedArguments& options) {
  std::string network;
  if (!options.network.empty()) {
    const auto found = network_of(options.network);
    if (!found) return report(found.error());
    network = *found;
  }
  const auto wanted = table_of(options.table);
  if (!wanted) return report(wanted.error());
  std::vector<OwnTime> own;
  for (const std::string& file : options.with) {
    const auto times = times_in(file);
    if (!times) return report(times.error());
    std::ranges::copy_if(*times, std::back_inserter(own),
                         [&](const OwnTime& t) { return network.empty() || t.network == network; });
  }
  const profiler::Table table = (*wanted)->make(network, own);
  if (options.json || options.format == "json") {
    json document = table_json(table);
    const profiler::PublishedFacts& facts = profiler::shi2016_facts();
    document["paper"] = facts.paper;
    document["read_from"] = facts.read_from;
    document["scripts"] = facts.scripts;
    document["sentences"] = profiler::published_sentences(network);
    document["own"] = own_json(own);
    print_json(document);
  } else {
    show("{}", options.format == "csv" ? profiler::to_csv(table) : text_of(table, options, network, own));
  }
  return kDone;
}

}  // namespace

Handler add_published(CLI::App& verb) {
  auto o = std::make_shared<PublishedArguments>();
  std::vector<std::string> names;
  for (const profiler::PublishedTable& table : profiler::kPublishedTables) names.emplace_back(table.name);
  verb.add_option("--network", o->network, "One network, such as FCN-S (default all)")->option_text("NAME");
  verb.add_option("--table", o->table, fmt::format("[{}] (default grid)", fmt::join(names, ", ")))->option_text("NAME");
  verb.add_option("--with", o->with, "Sweep or capture whose times are added; may be repeated")->option_text("FILE");
  add_formats(verb, o->format, o->json);
  verb.footer("Example: tensortide published --network FCN-S --table ranking");
  return [o] { return published(*o); };
}

}  // namespace app::cli
