// SPDX-License-Identifier: Apache-2.0
// open_capture: tables into a CaptureBuilder, every value checked, every table held against its
// checksum.
#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <map>
#include <tuple>

#include "engine/tensor/dtype.h"
#include "profiler/capture/capture_builder.h"
#include "profiler/store/capture_file.h"
#include "profiler/store/capture_fusion_tables.h"
#include "profiler/store/capture_gpu_tables.h"
#include "profiler/store/capture_kernel_tables.h"
#include "profiler/store/capture_observation_tables.h"
#include "profiler/store/capture_pack.h"
#include "profiler/store/capture_rank_tables.h"
#include "profiler/store/capture_target.h"
#include "profiler/store/capture_traffic_tables.h"
#include "profiler/store/table_scan.h"

namespace profiler {

using engine::Error;
using engine::refused_error;
using engine::Result;

namespace {

constexpr double kSecondsToRead = 10;
constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
constexpr size_t kMaxRank = 64;

/// "[16,3,64,64]"; nothing when it is no such list.
std::optional<std::vector<int64_t>> parse_list(const std::string& text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<int64_t> values;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at != end) {
    if (!values.empty() && *at++ != ',') return std::nullopt;
    const auto [rest, error] = std::from_chars(at, end, values.emplace_back());
    if (error != std::errc() || values.size() > kMaxRank) return std::nullopt;
    at = rest;
  }
  return values;
}

/// The enumerator of `count` whose name is `text`.
template <class Enum, class Name>
Enum enumerator(TableScan& scan, int column, const char* what, int count, Name&& name_of) {
  const std::string text = scan.text(column, what);
  for (int i = 0; i < count; ++i) {
    if (text == name_of(static_cast<Enum>(i))) return static_cast<Enum>(i);
  }
  scan.fail("{} \"{:.40}\" is unknown", what, sqlite::shown(text));
  return Enum{};
}

Role role_of(TableScan& scan, int column) {
  return enumerator<Role>(scan, column, "role", engine::kRoleCount, [](Role r) { return engine::name(r); });
}

class Reader {
 public:
  explicit Reader(OpenedCapture& file) : file_(file) {}
  Result<std::shared_ptr<const Capture>> read();

 private:
  /// Steps over all rows of a table with `row(scan)` and keeps its sum.
  template <class F>
  Result<void> each(Tide table, F&& row) {
    TableScan scan(file_, table);
    while (scan.next()) row(scan);
    if (scan.failed()) return scan.error();
    sums_[static_cast<size_t>(table)] = scan.sum();
    return {};
  }
  /// The same for a table that a file may lack; it is then as if empty.
  template <class F>
  Result<void> each_if_there(Tide table, F&& row) {
    return file_.has_table(spec(table).name) ? each(table, row) : Result<void>();
  }
  /// A table of one row per id 0, 1, 2, ...
  template <class F>
  Result<void> each_numbered(Tide table, F&& row) {
    return each(table, [&row](TableScan& scan) {
      if (scan.integer(0, "id", 0, kAny) != scan.row() - 1 && !scan.failed()) scan.fail("ids are not consecutive");
      if (!scan.failed()) row(scan);
    });
  }
  Result<void> read_checksums();
  Result<void> read_run();
  Result<void> read_session();
  Result<void> read_names();
  Result<void> read_machine();
  Result<void> read_tracks();
  Result<void> read_tensors();
  Result<void> read_ops();
  Result<void> read_steps();
  Result<void> read_activities();
  Result<void> read_gpu();
  Result<void> read_observations();
  Result<void> read_traffic();
  Result<void> read_facts();
  Result<bool> read_packed();
  Result<void> read_compatible();
  Result<void> compare_checksums() const;
  void note_what_is_missing();
  size_t names() const { return builder_.so_far().names().size(); }
  Error damaged(const std::string& reason) const {
    return refused_error(fmt::format("{}: is damaged: {}", sqlite::shown(file_.database().file()), reason));
  }

  OpenedCapture& file_;
  CaptureBuilder builder_;
  std::map<std::string, TableSum> expected_;  // from TIDE_CHECKSUM; empty: never closed
  std::map<size_t, TableSum> sums_;
  int64_t session_start_ns_ = 0, closed_ = 0;
};

Result<void> Reader::read_checksums() {
  Result<void> done = each(Tide::checksums, [this](TableScan& scan) {
    expected_[scan.text(0, "tableName")] = {.rows = scan.count(1, "rowCount"), .xxh3 = scan.text(2, "xxh3")};
  });
  if (!done || !expected_.empty()) return done;
  // never closed: nothing but SQLite's own structure can be checked
  if (file_.size_bytes() <= kCheckedBytes) return {};
  const Result<std::string> structure = structure_of(file_.database());
  if (!structure) return structure.error();
  return *structure == "ok" ? Result<void>() : damaged(*structure);
}

Result<void> Reader::read_run() {
  struct Target {
    std::function<void(TableScan&)> read;
    bool needed = true, seen = false;
  };
  std::map<std::string, Target> targets;
  const auto want = [&targets](const char* key, auto& member) {
    using T = std::decay_t<decltype(member)>;
    targets[key].read = [key, &member](TableScan& scan) {
      if constexpr (std::is_same_v<T, std::string>) {
        const std::string_view field = key;
        const bool used = field == "command" || field == "workload";  // run again, looked for on disk
        member = used ? scan.raw(1, key) : scan.text(1, key);
      } else if constexpr (std::is_same_v<T, double>) {
        member = scan.is_null(1) ? std::numeric_limits<double>::quiet_NaN() : scan.real(1, key);
      } else if constexpr (std::is_same_v<T, uint64_t>) {
        if (scan.is_text(1)) {
          const std::string text = scan.text(1, key);
          const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), member);
          if (error != std::errc() || rest != text.data() + text.size()) scan.fail("{} is no number", key);
        } else {
          member = static_cast<uint64_t>(scan.count(1, key));
        }
      } else {
        member = static_cast<T>(scan.integer(1, key, 0, std::is_same_v<T, bool> ? 1 : std::numeric_limits<T>::max()));
      }
    };
  };
  visit_run(builder_.run(), builder_.honesty(), want);
  if (file_.schema_number() >= 2) visit_run_since_2(builder_.run(), builder_.honesty(), want);
  want(kClosedKey.data(), closed_);
  visit_run_optional(builder_.run(), builder_.honesty(), [&](const char* key, auto& member) {
    want(key, member);
    targets[key].needed = false;
  });
  Result<void> done = each(Tide::run, [&](TableScan& scan) {
    const std::string key = scan.text(0, "key");
    if (key.starts_with(kArgumentPrefix)) {
      builder_.run().arguments[key.substr(kArgumentPrefix.size())] = scan.text(1, "argument");
    } else if (const auto target = targets.find(key); target != targets.end()) {
      target->second.read(scan);
      target->second.seen = true;
    }
  });
  if (!done) return done;
  for (const auto& [key, target] : targets) {
    if (target.needed && !target.seen) return damaged(fmt::format("table TIDE_RUN has no \"{}\"", key));
  }
  if ((closed_ == 1) != !expected_.empty()) return damaged("it was closed, but checksums are missing");
  return each_numbered(Tide::notes,
                       [this](TableScan& scan) { builder_.honesty().notes.push_back(scan.text(1, "text")); });
}

Result<void> Reader::read_session() {
  int64_t rows = 0;
  Result<void> done = each(Tide::session, [&](TableScan& scan) {
    session_start_ns_ = scan.integer(3, "systemClockNs", -kAny, kAny);
    rows = scan.row();
  });
  if (done && rows != 1) return damaged("no start of the session");
  return done;
}

Result<void> Reader::read_names() {
  return each_numbered(Tide::strings, [this](TableScan& scan) {
    if (builder_.intern(scan.text(1, "value")) != scan.row() - 1) scan.fail("the text is there twice");
  });
}

Result<void> Reader::read_machine() {
  return each_numbered(Tide::machine, [&](TableScan& scan) {
    const std::string text = scan.raw(1, "json");
    Result<Machine> machine = machine_from_json(text);
    if (machine) {
      builder_.machine() = std::move(*machine);
    } else if (const std::string newer = newer_machine_words(text); !newer.empty()) {
      scan.refuse(newer + ": update this program");
    } else if (!scan.failed()) {
      scan.fail("{}", machine.error().message);
    }
  });
}

Result<void> Reader::read_tracks() {
  return each_numbered(Tide::tracks, [this](TableScan& scan) {
    if (scan.row() > std::numeric_limits<TrackId>::max()) return scan.fail("more tracks than a capture can have");
    Track track;
    track.kind = enumerator<TrackKind>(scan, 1, "kind", kTrackKindCount, track_kind_name);
    track.name = scan.text(2, "name");
    track.group = scan.text(3, "groupName");
    builder_.add_track(std::move(track));
  });
}

Result<void> Reader::read_tensors() {
  return each_numbered(Tide::tensors, [this](TableScan& scan) {
    TensorRecord t;
    t.name = scan.id(1, "nameId", names());
    const auto dtype = engine::parse_dtype(scan.text(2, "dtype"));
    const auto shape = parse_list(scan.text(3, "shape")), strides = parse_list(scan.text(4, "strides"));
    if (!dtype) return scan.fail("unknown data type");
    if (!shape || !strides) return scan.fail("shape or strides are no list of integers");
    t.dtype = *dtype;
    t.shape = *shape;
    t.strides = *strides;
    t.role = role_of(scan, 5);
    t.persistent = scan.flag(6, "isPersistent");
    t.alias_of = scan.id_or_none(7, "aliasOf", kNoTensor);
    t.size_bytes = scan.count(8, "sizeBytes");
    t.offset_bytes = scan.count(9, "offsetBytes");
    t.first_op = scan.id_or_none(10, "firstOp", kNoOp);
    t.last_op = scan.id_or_none(11, "lastOp", kNoOp);
    builder_.add_tensor(std::move(t));
  });
}

Result<void> Reader::read_ops() {
  // operands first: an op is added together with its operands
  std::vector<OperandRecord> operands;
  const size_t tensors = builder_.so_far().tensors().size();
  Result<void> done = each_numbered(Tide::operands, [&](TableScan& scan) {
    OperandRecord o;
    o.op = scan.id(1, "opId", kNoOp);
    if (!operands.empty() && o.op < operands.back().op) return scan.fail("operands are not in the order of their ops");
    o.tensor = scan.id(2, "tensorId", tensors);
    o.role = role_of(scan, 3);
    o.output = scan.flag(4, "isOutput");
    o.read_bytes = scan.count(5, "readBytes");
    o.written_bytes = scan.count(6, "writtenBytes");
    operands.push_back(o);
  });
  if (!done) return done;
  size_t next = 0;
  done = each_numbered(Tide::ops, [&](TableScan& scan) {
    OpRecord op;
    op.name = scan.id(1, "nameId", names());
    op.type = scan.id(2, "typeId", names());
    op.layer = scan.id(3, "layerId", names());
    op.kernel = scan.id(4, "kernelId", names());
    op.phase = enumerator<Phase>(scan, 5, "phase", 3, [](Phase p) { return engine::name(p); });
    op.view = scan.flag(6, "isView");
    op.flops = scan.is_null(7) ? std::numeric_limits<double>::quiet_NaN() : scan.real(7, "flops");
    std::vector<OperandRecord> own;
    for (; next < operands.size() && operands[next].op == scan.row() - 1; ++next) own.push_back(operands[next]);
    builder_.add_op(op, std::move(own));
  });
  if (done && next != operands.size())
    return damaged(fmt::format("table TIDE_OPERAND, row {}: op {} does not exist", next + 1, operands[next].op));
  return done;
}

Result<void> Reader::read_steps() {
  return each(Tide::steps, [this](TableScan& scan) {
    StepRecord step;
    step.index = scan.id(0, "step", kNoStep);
    std::tie(step.start_ns, step.duration_ns) = read_span(scan, 1, session_start_ns_);
    step.traced = scan.flag(3, "isTraced");
    step.warmup = scan.flag(4, "isWarmup");
    builder_.add_step(step);
  });
}

/// True when a packed copy took the place of the rows, which are then not looked at.
Result<bool> Reader::read_packed() {
  const auto written = expected_.find(spec(Tide::events).name);
  if (written == expected_.end()) return false;
  auto columns = read_packed_events(file_.database(), written->second.rows);
  if (!columns) return columns.error();
  if (!*columns) return false;
  builder_.adopt_activities(std::move(**columns));
  sums_[static_cast<size_t>(Tide::events)] = written->second;
  return true;
}

Result<void> Reader::read_activities() {
  const Result<bool> packed = read_packed();
  if (!packed) return packed.error();
  if (*packed) return {};
  const size_t ops = builder_.so_far().ops().size(), tracks = builder_.so_far().tracks().size();
  const size_t name_count = names();
  return each(Tide::events, [&](TableScan& scan) {
    Activity a;
    std::tie(a.start_ns, a.duration_ns) = read_span(scan, 0, session_start_ns_);
    scan.integer(2, "eventType", kPushPopRange, kPushPopRange);
    a.name = scan.id(4, "textId", name_count);
    a.kind = static_cast<ActivityKind>(scan.integer(6, "tideKind", 0, kActivityKindCount - 1));
    a.track = static_cast<TrackId>(scan.id(7, "tideTrack", tracks));
    a.op = scan.id_or_none(8, "tideOp", ops);
    a.step = scan.id_or_none(9, "tideStep", kNoStep);
    a.flags = static_cast<uint8_t>(scan.integer(10, "tideFlags", 0, 255));
    a.correlation =
        scan.is_null(11)
            ? 0
            : static_cast<uint64_t>(scan.integer(11, "tideCorrelation", std::numeric_limits<int64_t>::min(), kAny));
    builder_.add_activity(a);
  });
}

Result<void> Reader::read_gpu() {
  for (const Tide table : kGpuTables) {
    Result<void> done =
        each_if_there(table, [&](TableScan& scan) { read_gpu_row(table, scan, builder_, session_start_ns_); });
    if (!done) return done;
  }
  return {};
}

Result<void> Reader::read_observations() {
  CounterReader counters;
  Result<void> done = each_if_there(Tide::counters, [&](TableScan& scan) {
    if (scan.integer(0, "id", 0, kAny) != scan.row() - 1) scan.fail("ids are not consecutive");
    counters.series(scan, builder_);
  });
  if (done)
    done = each_if_there(Tide::counter_values, [&](TableScan& scan) { counters.value(scan, session_start_ns_); });
  if (done) done = each_if_there(Tide::collectives, [&](TableScan& scan) { read_collective(scan, builder_); });
  if (done) done = each_if_there(Tide::fused_members, [&](TableScan& scan) { read_fused_member(scan, builder_); });
  if (done) done = each_if_there(Tide::fusion_pairs, [&](TableScan& scan) { read_fusion_pair(scan, builder_); });
  if (done) done = each_if_there(Tide::results, [&](TableScan& scan) { read_result(scan, builder_); });
  counters.hand_over(builder_);
  RankReader ranks;
  if (done) done = each_if_there(Tide::ranks, [&](TableScan& scan) { ranks.rank(scan, builder_); });
  if (done) done = each_if_there(Tide::rank_tracks, [&](TableScan& scan) { ranks.track(scan, builder_); });
  if (done) done = each_if_there(Tide::rank_steps, [&](TableScan& scan) { ranks.step(scan, session_start_ns_); });
  ranks.hand_over(builder_);
  return done;
}

Result<void> Reader::read_traffic() {
  TrafficReader reader(builder_);
  Result<void> done = each_if_there(Tide::op_attributes, [&](TableScan& scan) { reader.attribute(scan); });
  if (done) done = each_if_there(Tide::op_threads, [&](TableScan& scan) { read_threads(scan, builder_); });
  if (done) done = each_if_there(Tide::traffic_sources, [&](TableScan& scan) { reader.source(scan); });
  if (done) done = each_if_there(Tide::traffic_links, [&](TableScan& scan) { reader.link(scan); });
  if (done) done = each_if_there(Tide::traffic_notes, [&](TableScan& scan) { reader.note(scan); });
  if (done) done = each_if_there(Tide::traffic, [&](TableScan& scan) { reader.record(scan); });
  if (!file_.has_table(spec(Tide::strided_misses).name)) reader.without_steps();
  if (done) done = each_if_there(Tide::strided_misses, [&](TableScan& scan) { reader.strided(scan); });
  if (done) done = each_if_there(Tide::miss_causes, [&](TableScan& scan) { reader.cause(scan); });
  if (done) done = each_if_there(Tide::top_down, [&](TableScan& scan) { reader.top_down(scan); });
  if (done) reader.hand_over(builder_);
  return done;
}

Result<void> Reader::read_facts() {
  if (file_.schema_number() < kSchemaWithFacts) {
    set_facts_from_names(builder_);
  } else if (file_.has_table(spec(Tide::kernel_facts).name)) {  // else nobody knew any
    Result<void> done = each(Tide::kernel_facts, [&](TableScan& scan) { read_kernel_facts(scan, builder_); });
    for (OpId op = 0; done && op < builder_.so_far().ops().size(); ++op) {
      if (!builder_.so_far().has_facts(op))
        return refused_error(fmt::format("{}: {} has no row of op {}", sqlite::shown(file_.database().file()),
                                         spec(Tide::kernel_facts).name, op));
    }
    if (!done) return done;
  }
  return each_if_there(Tide::lane_work, [&](TableScan& scan) { read_lane_work(scan, builder_); });
}

/// Tables that only other tools read: nothing is taken from them, but damage in them is damage.
Result<void> Reader::read_compatible() {
  for (const Tide table : {Tide::thread_names, Tide::processes, Tide::export_info, Tide::capture_info, Tide::details,
                           Tide::event_types, Tide::activity_kinds}) {
    if (Result<void> done = each(table, [](TableScan&) {}); !done) return done;
  }
  for (const Tide table : {Tide::copy_kinds, Tide::memory_kinds, Tide::sync_kinds}) {
    if (Result<void> done = each_if_there(table, [](TableScan&) {}); !done) return done;
  }
  return {};
}

Result<void> Reader::compare_checksums() const {
  if (expected_.empty()) return {};
  for (size_t i = 0; i < all_tables().size(); ++i) {
    if (expected_.contains(all_tables()[i].name) && !sums_.contains(i))
      return damaged(fmt::format("there is no table {}", all_tables()[i].name));
  }
  for (const auto& [index, sum] : sums_) {
    const std::string& table = all_tables()[index].name;
    if (index == static_cast<size_t>(Tide::checksums)) continue;
    const auto expected = expected_.find(table);
    if (expected == expected_.end()) return damaged(fmt::format("there is no checksum of table {}", table));
    if (sum != expected->second) {
      return damaged(fmt::format("table {} has {} rows with checksum {}, written were {} with {}", table, sum.rows,
                                 sum.xxh3, expected->second.rows, sqlite::shown(expected->second.xxh3)));
    }
  }
  return {};
}

/// What lies beside the file says more than the file: a log that was damaged, a later run that did not finish.
void Reader::note_what_is_missing() {
  if (const std::string& damage = file_.log_damage(); !damage.empty()) {
    RunInfo& run = builder_.run();
    run.complete = false;
    run.incomplete_reason += (run.incomplete_reason.empty() ? "" : "; ") + damage;
    builder_.honesty().notes.push_back(fmt::format("This is the part of the run's log before the damage: {}.", damage));
  }
  const std::filesystem::path& file = file_.database().file();
  if (has_draft(file)) {
    builder_.honesty().notes.push_back(
        fmt::format("A later recording under this name has not finished: its data is in "
                    "{}.",
                    sqlite::shown(draft_beside(file).filename())));
  }
}

Result<std::shared_ptr<const Capture>> Reader::read() {
  for (const auto part : {&Reader::read_checksums, &Reader::read_run, &Reader::read_session, &Reader::read_names,
                          &Reader::read_machine, &Reader::read_tracks, &Reader::read_tensors, &Reader::read_ops,
                          &Reader::read_steps, &Reader::read_activities, &Reader::read_gpu, &Reader::read_observations,
                          &Reader::read_traffic, &Reader::read_facts, &Reader::read_compatible}) {
    if (const Result<void> done = (this->*part)(); !done) return done.error();
  }
  if (const Result<void> same = compare_checksums(); !same) return same.error();
  note_what_is_missing();
  auto capture = builder_.finish();
  if (!capture) return damaged(capture.error().message);
  return capture;
}

}  // namespace

std::filesystem::path folder_beside(const std::filesystem::path& file, const char* extension) {
  std::filesystem::path folder = file;
  // Only our own extension gives way: w.v1 and w.v2 do not share a folder.
  if (folder.extension() == ".tide") folder.replace_extension();
  folder += extension;
  return folder;
}

std::filesystem::path points_folder(const std::filesystem::path& sweep_file) {
  return folder_beside(sweep_file, ".points");
}

Result<std::shared_ptr<const Capture>> open_capture(const std::filesystem::path& file) {
  auto opened = OpenedCapture::open(file, kSecondsToRead);
  if (!opened) return opened.error();
  if (opened->has_table("TIDE_SWEEP")) {
    return refused_error(
        fmt::format("{}: is a sweep, not the capture of one run: `tensortide analyze` shows it; the "
                    "captures of its points are in {}",
                    sqlite::shown(file), sqlite::shown(points_folder(file))));
  }
  return Reader(*opened).read();
}

}  // namespace profiler
