// SPDX-License-Identifier: Apache-2.0
// Collectives as tables, and the sentences under them.
#include <cmath>
#include <set>

#include "profiler/analysis/base/time_origin.h"
#include "profiler/analysis/gpu/collectives.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"

namespace profiler {
namespace {

Cell cell(double value) { return std::isfinite(value) ? Cell(value) : Cell(); }
Cell text_cell(std::string_view text) { return text.empty() ? Cell() : Cell(std::string(text)); }
Cell figure_cell(int32_t figure) { return figure >= 0 ? Cell(static_cast<double>(figure)) : Cell(); }

Column measured(const char* key, const char* title, Quantity quantity, const char* help) {
  return {key, title, quantity, Origin::measured, help};
}

void add_rank_column(const Capture& capture, Table& table) {
  if (!capture.ranks().empty())
    table.columns.push_back(
        {"rank", "Rank", Quantity::text, Origin::exact, "Which of the traces that were read together"});
}

void add_rank(const Capture& capture, uint32_t rank, std::vector<Cell>& row) {
  if (!capture.ranks().empty()) row.emplace_back(std::string(capture.name(capture.ranks()[rank].name)));
}

constexpr const char* kCollectiveHelp = marked("As the trace calls it, or as the name of its kernel says");
constexpr const char* kGroupHelp = marked("Process group. Empty: the trace does not say");
constexpr const char* kSizeHelp = marked("Ranks in the group. Empty: the trace does not say");
constexpr const char* kBytesHelp =
    marked("The larger of what the rank sends and receives, as nccl-tests count it. Empty: the trace holds no sizes");
constexpr const char* kAlgorithmHelp = marked("Bytes by time. The time includes waiting for other ranks");
constexpr const char* kBusHelp = marked(
    "Algorithm bandwidth times 2(n-1)/n (all-reduce), (n-1)/n (all-gather, reduce-scatter, all-to-all, gather, "
    "scatter) or 1 (broadcast, reduce, send), among n ranks, as in nccl-tests");
constexpr const char* kExposedHelp =
    marked("Part of the time in which no kernel computes on this GPU. On a host: no op computes on another thread");

}  // namespace

Table communication_table(const Capture& capture, const Collectives& all) {
  Table table;
  table.name = "communication";
  add_rank_column(capture, table);
  const std::vector<Column> columns = {
      {"collective", "Collective", Quantity::text, Origin::exact, kCollectiveHelp},
      {"group", "Group", Quantity::text, Origin::exact, kGroupHelp},
      {"group_size_count", "Ranks", Quantity::count, Origin::exact, kSizeHelp},
      measured("count", "Calls", Quantity::count, marked("In the whole trace")),
      {"bytes", "Bytes", Quantity::bytes, Origin::exact, kBytesHelp},
      {"median_bytes", "Median", Quantity::bytes, Origin::exact, "Bytes of the median call"},
      measured("time_ns", "Time", Quantity::duration_ns, marked("Sum over all calls in the whole trace")),
      measured("exposed_ns", "Exposed", Quantity::duration_ns, kExposedHelp),
      measured("overlapped_ns", "Overlapped", Quantity::duration_ns,
               marked("The rest of the time: a kernel computes beside it")),
      measured("algorithm_bytes_per_s", "Algorithm", Quantity::bytes_per_s, kAlgorithmHelp),
      measured("bus_bytes_per_s", "Bus", Quantity::bytes_per_s, kBusHelp),
      measured(
          "skew_ns", "Skew", Quantity::duration_ns,
          marked(
              "From the first rank's arrival to the last one's, mean. Empty: one rank alone, or clocks that disagree")),
      measured("wait_ns", "Waited", Quantity::duration_ns,
               marked("From this rank's arrival to the last one's, sum over all calls"))};
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  for (const CollectiveRow& r : all.rows) {
    std::vector<Cell> row;
    add_rank(capture, r.rank, row);
    row.push_back(text_cell(r.operation)), row.push_back(text_cell(r.group)), row.push_back(figure_cell(r.group_size));
    row.emplace_back(static_cast<double>(r.count));
    for (const double value : {r.bytes, r.median_bytes, r.time_ns, r.exposed_ns, r.time_ns - r.exposed_ns,
                               r.algorithm_bytes_per_s, r.bus_bytes_per_s, r.skew_ns, r.wait_ns})
      row.push_back(cell(value));
    table.rows.push_back(std::move(row));
  }
  return with_time_origin(std::move(table), capture);
}

Table collectives_table(const Capture& capture, const Collectives& all) {
  Table table;
  table.name = "collectives";
  add_rank_column(capture, table);
  const std::vector<Column> columns = {
      {"collective", "Collective", Quantity::text, Origin::exact, kCollectiveHelp},
      {"step", "Step", Quantity::text, Origin::exact, "In which it was launched; empty: in none"},
      {"layer", "Layer", Quantity::text, Origin::exact, "Of the op that launched it; empty: unknown"},
      {"device", "GPU", Quantity::text, Origin::measured, "Number of the device; empty: unknown"},
      {"group", "Group", Quantity::text, Origin::exact, kGroupHelp},
      {"ranks", "Of ranks", Quantity::text, Origin::exact, "Ranks of the group"},
      {"group_size_count", "Ranks", Quantity::count, Origin::exact, kSizeHelp},
      {"bytes", "Bytes", Quantity::bytes, Origin::exact, kBytesHelp},
      measured("start_ns", "Start", Quantity::duration_ns, marked("Since the first instant of the trace")),
      measured("time_ns", "Time", Quantity::duration_ns, marked("Of its kernel")),
      measured("exposed_ns", "Exposed", Quantity::duration_ns, kExposedHelp),
      measured("algorithm_bytes_per_s", "Algorithm", Quantity::bytes_per_s, kAlgorithmHelp),
      measured("bus_bytes_per_s", "Bus", Quantity::bytes_per_s, kBusHelp),
      measured("skew_ns", "Skew", Quantity::duration_ns, marked("From the first rank's arrival to the last one's")),
      measured("wait_ns", "Waited", Quantity::duration_ns, marked("From this rank's arrival to the last one's"))};
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  const ActivityColumns& a = capture.activities();
  for (const CollectiveCall& c : all.calls) {
    const OpId op = a.op[c.activity];
    const uint32_t step = a.step[c.activity];
    std::vector<Cell> row;
    add_rank(capture, c.rank, row);
    row.push_back(text_cell(c.operation));
    row.push_back(step == kNoStep ? Cell() : Cell(std::to_string(step)));
    row.push_back(text_cell(op < capture.ops().size() ? capture.name(capture.ops()[op].layer) : std::string_view()));
    row.push_back(c.device < 0 ? Cell() : Cell(std::to_string(c.device)));
    row.push_back(text_cell(c.group)), row.push_back(text_cell(c.ranks)), row.push_back(figure_cell(c.group_size));
    for (const double value : {c.bytes, static_cast<double>(a.start_ns[c.activity] - capture.begin_ns()), c.time_ns,
                               c.exposed_ns, c.algorithm_bytes_per_s(), c.bus_bytes_per_s(), c.skew_ns, c.wait_ns})
      row.push_back(cell(value));
    table.rows.push_back(std::move(row));
    table.row_ops.push_back(op < capture.ops().size() ? op : kNoOp);
  }
  return with_time_origin(std::move(table), capture);
}

std::vector<std::string> communication_sentences(const Capture& capture, const Collectives& all) {
  std::vector<std::string> sentences;
  if (all.calls.empty()) return sentences;
  double time = 0, exposed = 0;
  for (const CollectiveRow& r : all.rows) time += r.time_ns, exposed += r.exposed_ns;
  if (time > 0) {
    sentences.push_back(say("{} of {} of communication run while nothing computes beside it ({}).",
                            format_quantity(exposed, Quantity::duration_ns),
                            format_quantity(time, Quantity::duration_ns),
                            format_quantity(exposed / time, Quantity::percent_of)));
  }
  const auto calls = static_cast<uint64_t>(all.calls.size());
  if (all.unsized > 0) {
    sentences.push_back(
        say("The bytes of {} of {} are unknown: the trace holds no sizes for them. PyTorch records them since 2.2.",
            all.unsized, counted(calls, "call")));
  }
  if (capture.ranks().size() < 2) {
    sentences.emplace_back(
        say("Skew and waiting are unknown: the capture holds one rank. Import the traces of all ranks."));
  } else if (all.compared == 0) {
    sentences.emplace_back(all.contradicted > 0
                               ? say("Skew and waiting are unknown: the clocks of the ranks disagree. By them, calls "
                                     "of one collective do not "
                                     "overlap.")
                               : say("Skew and waiting are unknown: no collective was found on several ranks."));
  } else if (all.contradicted > 0) {
    sentences.push_back(
        say("{} of {} were left out of skew and waiting: by the clocks of the ranks they do not overlap.",
            all.contradicted, counted(calls, "call")));
  }
  return sentences;
}

}  // namespace profiler
