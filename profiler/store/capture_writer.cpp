// SPDX-License-Identifier: Apache-2.0
// CaptureWriter: one commit per call into a write-ahead log; close() folds everything into one
// summed file.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <limits>
#include <optional>
#include <utility>

#include "engine/base/clock.h"
#include "engine/tensor/dtype.h"
#include "profiler/store/capture_file.h"
#include "profiler/store/capture_fusion_tables.h"
#include "profiler/store/capture_gpu_tables.h"
#include "profiler/store/capture_kernel_tables.h"
#include "profiler/store/capture_observation_tables.h"
#include "profiler/store/capture_pack.h"
#include "profiler/store/capture_rank_tables.h"
#include "profiler/store/capture_schema.h"
#include "profiler/store/capture_target.h"
#include "profiler/store/capture_traffic_tables.h"

namespace profiler {

using engine::Result;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr const char* kStillRunning =
    "the run was killed before it finished. Its records until then are here, without series over "
    "time such as the "
    "loss, which are written at the end";

std::string list_text(const std::vector<int64_t>& values) { return fmt::format("[{}]", fmt::join(values, ",")); }

/// Nanoseconds since 1970 of an ISO 8601 time ("2026-03-01T12:34:56+01:00"); nothing when it is
/// none.
std::optional<int64_t> epoch_ns(const std::string& iso) {
  std::tm time{};
  const char* rest = strptime(iso.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
  if (rest == nullptr) return std::nullopt;
  int64_t seconds = timegm(&time);
  int hours = 0, minutes = 0;
  char sign = '+';
  if (std::sscanf(rest, "%c%2d:%2d", &sign, &hours, &minutes) == 3 && (sign == '+' || sign == '-')) {
    seconds -= (sign == '+' ? 1 : -1) * (hours * 3600 + minutes * 60);
  } else if (*rest != 'Z') {
    return std::nullopt;  // a local time of an unknown place
  }
  return seconds * 1'000'000'000;
}

/// Asked once: a call of the system for each row is seen in the time of a save.
int64_t process_id() {
  static const int64_t id = getpid();
  return id;
}
int64_t global_pid() { return (process_id() & 0xffffff) << 24; }
/// The main thread's id is the process's; our other tracks are numbered from there.
int64_t global_tid(TrackId track) { return global_pid() | ((process_id() + track) & 0xffffff); }

/// Switches the journal mode; SQLite reports a refusal by naming the old mode instead of failing.
Result<void> set_journal_mode(const Database& database, const std::string& mode) {
  const auto now = sqlite::first_text(database, "PRAGMA journal_mode = " + mode, "set journal mode " + mode);
  if (!now) return now.error();
  return *now == mode ? Result<void>() : database.error("set journal mode " + mode);
}

}  // namespace

struct CaptureWriter::State {
  CaptureTarget target;
  Database database;  // from write_header() on
  std::filesystem::path name_in_messages;
  int64_t session_start_ns = 0;
  /// How much of what only grows is in the file.
  struct Written {
    size_t names = 0, tracks = 0, gpus = 0, contexts = 0, streams = 0, counters = 0, results = 0;
    bool gpu_enums = false;
  };
  Written so_far;
  bool header_written = false;
  bool draft = false;      ///< nobody reads it before close(), and a failure throws it away
  ActivityColumns events;  ///< of a draft: the rows of NVTX_EVENTS, for their packed copy

  /// An error while writing, and what is left: what was committed, and what it was to replace. `steps`: some are
  /// written.
  engine::Error told(engine::Error error, bool steps) const {
    const std::filesystem::path& file = target.file();
    if (steps && !draft)
      error.message += fmt::format("; the steps written before are kept in {}",
                                   target.replaces() ? sqlite::shown(draft_beside(file).filename()) : "it");
    if (target.replaces())
      error.message +=
          fmt::format("{} the older {} is as it was", steps && !draft ? ", and" : ";", sqlite::shown(file.filename()));
    return error;
  }

  /// Runs `write` in one transaction: all of it is in the file, or nothing.
  template <class F>
  Result<void> commit(F&& write) {
    if (Result<void> begun = database.execute("BEGIN IMMEDIATE"); !begun) return begun;
    Result<void> written = write();
    if (written) written = database.execute("COMMIT");
    if (!written && !sqlite3_get_autocommit(database.handle())) {
      sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr,
                   nullptr);  // the first error is the one to tell
    }
    return written;
  }

  Result<void> make_tables();
  Result<void> write_names(const std::vector<std::string>& names);
  Result<void> write_run(const RunInfo&, const Honesty&, bool closed);
  Result<void> write_machine(const Machine&);
  Result<void> write_session(const Capture&);
  Result<void> write_tracks(const Capture&);
  Result<void> write_ops(const Capture&);
  Result<void> write_tensors(const Capture&);
  Result<void> write_constants(const Capture&);
  Result<void> write_new_counters(const Capture& c) {
    return write_counters(database, c, std::exchange(so_far.counters, c.counters().size()), session_start_ns);
  }
  Result<void> write_new_results(const Capture& c) {
    return write_results(database, c, std::exchange(so_far.results, c.results().size()));
  }
  Result<void> write_steps(std::span<const StepRecord>);
  Result<void> write_activities(std::span<const Activity>, const GpuRecords&);
  Result<void> write_gpu(std::span<const Activity>, const GpuRecords&, const GpuRecords& so_far);
  Result<bool> has_table(const TableSpec&) const;
  Result<void> write_details();
  Result<void> write_checksums();
};

CaptureWriter::CaptureWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
CaptureWriter::~CaptureWriter() = default;

Result<std::unique_ptr<CaptureWriter>> CaptureWriter::create(const std::filesystem::path& file) {
  auto target = CaptureTarget::claim(file);
  if (!target) return target.error();
  return std::unique_ptr<CaptureWriter>(new CaptureWriter(std::unique_ptr<State>(
      new State{.target = std::move(*target), .database = {}, .name_in_messages = file, .so_far = {}, .events = {}})));
}

Result<std::unique_ptr<CaptureWriter>> CaptureWriter::create_draft(const std::filesystem::path& file) {
  auto writer = create(file);
  if (writer) (*writer)->state_->draft = true;
  return writer;
}

/// Makes the tables: in the claimed file where it is new, else in a draft beside it, which takes its place when all is
/// written.
Result<void> CaptureWriter::State::make_tables() {
  std::filesystem::path place = target.file();
  if (target.replaces()) {
    auto draft = target.draft();
    if (!draft) return draft.error();
    place = *std::move(draft);
    name_in_messages = draft_beside(name_in_messages);
  } else if (const Result<void> removed = target.remove_logs(); !removed) {
    return removed;
  }
  auto made = Database::open(place, SQLITE_OPEN_READWRITE, "", name_in_messages);
  if (!made) return made.error();
  database = std::move(*made);
  std::string schema =
      fmt::format("BEGIN; PRAGMA application_id = {}; PRAGMA user_version = {};", kApplicationId, kSchemaNumber);
  for (const TableSpec& table : all_tables()) {
    if (table.lazy) continue;
    schema += fmt::format("CREATE TABLE {} {};", table.name, table.definition);
  }
  schema += "COMMIT;";
  if (draft) {
    for (const char* sql :
         {"PRAGMA synchronous = OFF", "PRAGMA journal_mode = OFF", "PRAGMA cache_size = -65536", schema.c_str(),
          "PRAGMA locking_mode = EXCLUSIVE",
          "PRAGMA user_version = 0"}) {  // of no format until it is whole: nobody opens what a kill left
      if (Result<void> done = database.execute(sql); !done) return done;
    }
    return {};
  }
  // Exclusive before WAL: the index of the log then lives in memory and no -shm file appears. No
  // automatic checkpoints: the file itself stays still until close(), so that a reader may copy
  // file and log while the run goes on.
  for (const char* sql : {"PRAGMA synchronous = OFF", "PRAGMA journal_mode = MEMORY", schema.c_str(),
                          "PRAGMA locking_mode = EXCLUSIVE"}) {
    if (Result<void> done = database.execute(sql); !done) return done;
  }
  if (Result<void> done = set_journal_mode(database, "wal"); !done) return done;
  // Where close() is not reached (the disk is full, say), the log is not moved into the file: it would stop half way.
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  Result<void> done = database.execute("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0");
  if (done) target.keep();
  return done;
}

Result<void> CaptureWriter::State::write_names(const std::vector<std::string>& names) {
  auto row = prepare_insert(database, Tide::strings);
  if (!row) return row.error();
  for (size_t i = so_far.names; i < names.size(); ++i) {
    if (Result<void> done = row->bind(1, static_cast<int64_t>(i)).bind(2, names[i]).run(database); !done) return done;
  }
  so_far.names = std::max(so_far.names, names.size());
  return {};
}

Result<void> CaptureWriter::State::write_run(const RunInfo& run, const Honesty& honesty, bool closed) {
  if (Result<void> emptied = database.execute("DELETE FROM TIDE_RUN; DELETE FROM TIDE_NOTE"); !emptied) return emptied;
  auto row = prepare_insert(database, Tide::run);
  if (!row) return row.error();
  Result<void> written;
  const auto write = [&](std::string_view key, const auto& value) {
    using T = std::decay_t<decltype(value)>;
    if (!written) return;
    row->bind(1, key);
    if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, double>) {
      row->bind(2, value);
    } else if (std::is_same_v<T, uint64_t> && static_cast<int64_t>(value) < 0) {
      row->bind(2, std::to_string(value));  // beyond SQLite's integers
    } else {
      row->bind(2, static_cast<int64_t>(value));
    }
    written = row->run(database);
  };
  visit_run(run, honesty, write);
  visit_run_since_2(run, honesty, write);
  visit_run_optional(run, honesty, write);
  write(kClosedKey, closed);
  for (const auto& [key, value] : run.arguments) write(std::string(kArgumentPrefix) + key, value);
  auto note = prepare_insert(database, Tide::notes);
  if (!note) return note.error();
  for (size_t i = 0; i < honesty.notes.size() && written; ++i) {
    written = note->bind(1, static_cast<int64_t>(i)).bind(2, honesty.notes[i]).run(database);
  }
  return written;
}

Result<void> CaptureWriter::State::write_session(const Capture& c) {
  const bool has_times = c.activities().size() > 0 || !c.steps().empty();
  session_start_ns = has_times ? c.begin_ns() : engine::now_ns();
  auto row = prepare_insert(database, Tide::session);
  if (!row) return row.error();
  const std::optional<int64_t> epoch = epoch_ns(c.run().created_at);
  if (epoch) {
    row->bind(1, *epoch);
  } else {
    row->bind_null(1);
  }
  row->bind_null(2).bind(3, c.run().created_at).bind(4, session_start_ns);
  return row->run(database);
}

Result<void> CaptureWriter::State::write_tracks(const Capture& c) {
  auto track = prepare_insert(database, Tide::tracks), thread = prepare_insert(database, Tide::thread_names);
  if (!track) return track.error();
  if (!thread) return thread.error();
  for (size_t i = so_far.tracks; i < c.tracks().size(); ++i) {
    const Track& t = c.tracks()[i];
    const int64_t tid = global_tid(static_cast<TrackId>(i));
    track->bind(1, static_cast<int64_t>(i))
        .bind(2, track_kind_name(t.kind))
        .bind(3, t.name)
        .bind(4, t.group)
        .bind(5, tid);
    if (Result<void> done = track->run(database); !done) return done;
    const auto name = std::find(c.names().begin(), c.names().end(), t.name);
    if (name == c.names().end()) continue;
    if (Result<void> done = thread->bind(1, int64_t{name - c.names().begin()}).bind(2, tid).run(database); !done)
      return done;
  }
  so_far.tracks = c.tracks().size();
  return {};
}

Result<void> CaptureWriter::State::write_ops(const Capture& c) {
  auto row = prepare_insert(database, Tide::ops);
  if (!row) return row.error();
  for (const OpRecord& op : c.ops()) {
    row->bind(1, int64_t{op.id}).bind(2, int64_t{op.name}).bind(3, int64_t{op.type}).bind(4, int64_t{op.layer});
    row->bind(5, int64_t{op.kernel}).bind(6, engine::name(op.phase)).bind(7, int64_t{op.view}).bind(8, op.flops);
    if (Result<void> done = row->run(database); !done) return done;
  }
  auto operand = prepare_insert(database, Tide::operands);
  if (!operand) return operand.error();
  for (size_t i = 0; i < c.operands().size(); ++i) {
    const OperandRecord& o = c.operands()[i];
    operand->bind(1, static_cast<int64_t>(i))
        .bind(2, int64_t{o.op})
        .bind(3, int64_t{o.tensor})
        .bind(4, engine::name(o.role));
    operand->bind(5, int64_t{o.output}).bind(6, o.read_bytes).bind(7, o.written_bytes);
    if (Result<void> done = operand->run(database); !done) return done;
  }
  return {};
}

Result<void> CaptureWriter::State::write_tensors(const Capture& c) {
  auto row = prepare_insert(database, Tide::tensors);
  if (!row) return row.error();
  for (const TensorRecord& t : c.tensors()) {
    row->bind(1, int64_t{t.id}).bind(2, int64_t{t.name}).bind(3, engine::name(t.dtype));
    row->bind(4, list_text(t.shape))
        .bind(5, list_text(t.strides))
        .bind(6, engine::name(t.role))
        .bind(7, int64_t{t.persistent});
    bind_id(*row, 8, t.alias_of);
    row->bind(9, t.size_bytes).bind(10, t.offset_bytes);
    bind_id(*row, 11, t.first_op);
    bind_id(*row, 12, t.last_op);
    if (Result<void> done = row->run(database); !done) return done;
  }
  return {};
}

/// Rows that are the same in every capture, or said by the run as a whole.
Result<void> CaptureWriter::State::write_constants(const Capture& c) {
  auto exported = prepare_insert(database, Tide::export_info), captured = prepare_insert(database, Tide::capture_info);
  auto kind = prepare_insert(database, Tide::activity_kinds), type = prepare_insert(database, Tide::event_types);
  auto process = prepare_insert(database, Tide::processes);
  for (const auto* statement : {&exported, &captured, &kind, &type, &process}) {
    if (!*statement) return statement->error();
  }
  Result<void> done;
  const auto run = [&](Statement& statement) {
    if (done) done = statement.run(database);
  };
  const std::string version = c.run().product_version.empty() ? TENSORTIDE_VERSION : c.run().product_version;
  for (const auto& [name, value] : {std::pair<const char*, std::string>{"EXPORT_PRODUCT_NAME", "tensortide"},
                                    {"EXPORT_PRODUCT_VERSION", version},
                                    {"EXPORT_SCHEMA_VERSION", "3.25.0"},
                                    {"EXPORT_SCHEMA_VERSION_MAJOR", "3"},
                                    {"EXPORT_SCHEMA_VERSION_MINOR", "25"},
                                    {"EXPORT_SCHEMA_VERSION_MICRO", "0"}}) {
    run(exported->bind(1, name).bind(2, value));
  }
  for (const auto& [name, value] : {std::pair<const char*, std::string>{"CAPTURE_WORKLOAD", c.run().workload},
                                    {"CAPTURE_DEVICE", c.run().device},
                                    {"CAPTURE_COMMAND", c.run().command}}) {
    run(captured->bind(1, name).bind(2, value));
  }
  for (int i = 0; i < kActivityKindCount; ++i) {
    run(kind->bind(1, int64_t{i}).bind(2, name(static_cast<ActivityKind>(i))));
  }
  run(type->bind(1, int64_t{kPushPopRange}).bind(2, "NvtxPushPopRange").bind(3, "NVTX Push/Pop Range"));
  run(process->bind(1, global_pid()).bind(2, process_id()).bind(3, "tensortide"));
  return done ? write_machine(c.machine()) : done;
}

Result<void> CaptureWriter::State::write_machine(const Machine& machine) {
  if (Result<void> emptied = database.execute("DELETE FROM TIDE_MACHINE"); !emptied) return emptied;
  auto row = prepare_insert(database, Tide::machine);
  if (!row) return row.error();
  return row->bind(1, int64_t{0}).bind(2, machine_to_json(machine)).run(database);
}

Result<void> CaptureWriter::State::write_steps(std::span<const StepRecord> steps) {
  auto row = prepare_insert(database, Tide::steps);
  if (!row) return row.error();
  for (const StepRecord& s : steps) {
    const int64_t start = s.start_ns - session_start_ns;
    row->bind(1, int64_t{s.index})
        .bind(2, start)
        .bind(3, start + s.duration_ns)
        .bind(4, int64_t{s.traced})
        .bind(5, int64_t{s.warmup});
    if (Result<void> done = row->run(database); !done) return done;
  }
  return {};
}

/// Activities without a record of their own.
Result<void> CaptureWriter::State::write_activities(std::span<const Activity> activities, const GpuRecords& records) {
  std::vector<bool> elsewhere(activities.size());
  GpuRecords::visit_lists(records, [&elsewhere](const auto& list) {
    for (const auto& record : list) {
      CHECK(record.activity < elsewhere.size());
      elsewhere[record.activity] = true;
    }
  });
  auto row = prepare_insert(database, Tide::events);
  if (!row) return row.error();
  row->bind(3, int64_t{kPushPopRange}).bind(6, int64_t{0});
  for (size_t i = 0; i < activities.size(); ++i) {
    if (elsewhere[i]) continue;
    const Activity& a = activities[i];
    if (draft) events.push_back(a);
    const int64_t start = a.start_ns - session_start_ns;
    row->bind(1, start).bind(2, start + a.duration_ns).bind(4, global_tid(a.track)).bind(5, int64_t{a.name});
    row->bind(7, static_cast<int64_t>(a.kind)).bind(8, int64_t{a.track});
    bind_id(*row, 9, a.op);
    bind_id(*row, 10, a.step);
    row->bind(11, int64_t{a.flags});
    if (a.correlation == 0) {
      row->bind_null(12);
    } else {
      row->bind(12, static_cast<int64_t>(a.correlation));
    }
    if (Result<void> done = row->run(database); !done) return done;
  }
  return {};
}

/// Kernels, copies and the like, and the devices they are on.
Result<void> CaptureWriter::State::write_gpu(std::span<const Activity> activities, const GpuRecords& records,
                                             const GpuRecords& all) {
  Result<void> written = write_gpu_objects(database, all, so_far.gpus, so_far.contexts, so_far.streams);
  if (!written) return written;
  so_far.gpus = all.devices.size();
  so_far.contexts = all.contexts.size();
  so_far.streams = all.streams.size();
  bool any = false;
  GpuRecords::visit_lists(records, [&any](const auto& list) { any = any || !list.empty(); });
  if (!any) return {};
  written = write_gpu_records(database, activities, records, {session_start_ns, global_pid(), global_tid});
  if (written && !so_far.gpu_enums) {
    written = write_gpu_enums(database);
    so_far.gpu_enums = true;
  }
  return written;
}

Result<bool> CaptureWriter::State::has_table(const TableSpec& table) const {
  if (!table.lazy) return true;
  return sqlite::has_table(database, table.name);
}

/// nsys's one row on the extent of the session.
Result<void> CaptureWriter::State::write_details() {
  std::string spans;
  for (const Tide table : kGpuTables) {
    const Result<bool> there = has_table(spec(table));
    if (!there) return there.error();
    if (!*there || !holds_gpu_activities(table)) continue;
    spans += fmt::format("UNION ALL SELECT start, \"end\" FROM {} ", spec(table).name);
  }
  return database.execute(
      fmt::format("INSERT INTO ANALYSIS_DETAILS SELECT 0, max(e) - min(s), min(s), max(e) FROM (SELECT "
                  "start AS s, \"end\" AS e FROM NVTX_EVENTS UNION ALL SELECT start, \"end\" FROM TIDE_STEP "
                  "{}UNION ALL SELECT 0, 0)",
                  spans)
          .c_str());
}

Result<void> CaptureWriter::State::write_checksums() {
  auto row = prepare_insert(database, Tide::checksums);
  if (!row) return row.error();
  for (const TableSpec& table : all_tables().first(all_tables().size() - 1)) {
    const Result<bool> there = has_table(table);
    if (!there) return there.error();
    if (!*there) continue;
    const Result<TableSum> sum = sum_table(database, table);
    if (!sum) return sum.error();
    if (Result<void> done = row->bind(1, table.name).bind(2, sum->rows).bind(3, sum->xxh3).run(database); !done)
      return done;
  }
  return {};
}

Result<void> CaptureWriter::write_header(const Capture& c) {
  CHECK(!state_->header_written);
  state_->header_written = true;
  if (Result<void> made = state_->make_tables(); !made) return state_->told(made.error(), false);
  RunInfo run = c.run();  // until close() has the last word
  run.complete = false;
  run.incomplete_reason = kStillRunning;
  Result<void> written = state_->commit([&]() -> Result<void> {
    State& s = *state_;
    if (Result<void> done = s.write_session(c); !done) return done;
    if (Result<void> done = s.write_names(c.names()); !done) return done;
    if (Result<void> done = s.write_run(run, c.honesty(), false); !done) return done;
    if (Result<void> done = s.write_constants(c); !done) return done;
    if (Result<void> done = s.write_tracks(c); !done) return done;
    if (Result<void> done = s.write_tensors(c); !done) return done;
    if (Result<void> done = s.write_gpu({}, {}, c.gpu()); !done) return done;
    if (Result<void> done = s.write_new_counters(c); !done) return done;
    if (Result<void> done = s.write_new_results(c); !done) return done;
    if (Result<void> done = write_collectives(s.database, c); !done) return done;
    if (Result<void> done = write_ranks(s.database, c, s.session_start_ns); !done) return done;
    if (Result<void> done = write_fusion(s.database, c); !done) return done;
    if (Result<void> done = s.write_ops(c); !done) return done;
    if (Result<void> done = write_attributes(s.database, c); !done) return done;
    if (Result<void> done = write_threads(s.database, c); !done) return done;
    if (Result<void> done = write_facts(s.database, c); !done) return done;
    if (Result<void> done = write_lane_work(s.database, c); !done) return done;
    return write_traffic(s.database, c.traffic());
  });
  if (written && !state_->draft) written = state_->database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  if (!written) return state_->told(written.error(), false);
  return {};
}

Result<void> CaptureWriter::append(std::span<const Activity> activities, std::span<const StepRecord> steps,
                                   const Capture& so_far, const GpuRecords& records) {
  CHECK(state_->header_written);
  const State::Written before = state_->so_far;
  Result<void> written = state_->commit([&]() -> Result<void> {
    if (Result<void> done = state_->write_names(so_far.names()); !done) return done;
    if (Result<void> done = state_->write_tracks(so_far); !done) return done;
    if (Result<void> done = state_->write_new_counters(so_far); !done) return done;
    if (Result<void> done = state_->write_new_results(so_far); !done) return done;
    if (Result<void> done = state_->write_steps(steps); !done) return done;
    if (Result<void> done = state_->write_gpu(activities, records, so_far.gpu()); !done) return done;
    return state_->write_activities(activities, records);
  });
  if (written) return {};
  state_->so_far = before;
  return state_->told(written.error(), true);
}

Result<void> CaptureWriter::close(const RunInfo& run, const Honesty& honesty, const Machine& machine) {
  CHECK(state_->header_written);
  State& s = *state_;
  Result<void> written = s.commit([&]() -> Result<void> {
    if (Result<void> done = s.write_run(run, honesty, true); !done) return done;
    if (Result<void> done = s.write_machine(machine); !done) return done;
    if (Result<void> done = s.write_details(); !done) return done;
    if (Result<void> done = s.write_checksums(); !done) return done;
    for (const Tide table : kGpuTables) {
      const Result<bool> there = s.has_table(spec(table));
      if (!there) return there.error();
      if (!*there || !holds_gpu_activities(table)) continue;
      const std::string index = fmt::format("CREATE INDEX TIDE_{0}_BY_START ON {0}(start)", spec(table).name);
      if (Result<void> done = s.database.execute(index.c_str()); !done) return done;
    }
    const Result<void> packed = s.draft ? write_packed_events(s.database, std::move(s.events))
                                        : write_packed_events(s.database, s.session_start_ns);
    if (!packed) return packed;
    return s.database.execute(
        "CREATE INDEX TIDE_EVENTS_BY_START ON NVTX_EVENTS(start); CREATE INDEX TIDE_EVENTS_BY_OP "
        "ON NVTX_EVENTS(tideOp, start); "
        "CREATE INDEX TIDE_OPERAND_BY_OP ON TIDE_OPERAND(opId); CREATE INDEX "
        "TIDE_OPERAND_BY_TENSOR ON TIDE_OPERAND(tensorId); ANALYZE");
  });
  if (s.draft) {
    // One more page, and with it all of the file is on the disk.
    if (written)
      written =
          s.database.execute(fmt::format("PRAGMA synchronous = FULL; PRAGMA user_version = {}", kSchemaNumber).c_str());
  } else {
    if (written) written = s.database.execute("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)");
    // The mark that says so is one page: nothing is to be taken back, and no journal comes to lie beside the file.
    if (written) written = set_journal_mode(s.database, "memory");
  }
  if (!written) return s.told(written.error(), true);
  s.database.close();
  if (!s.target.replaces()) return {};
  if (Result<void> published = s.target.publish(); !published) return s.told(published.error(), true);
  return {};
}

Result<void> check_capture_target(const std::filesystem::path& file) {
  const auto target = CaptureTarget::claim(file);
  if (!target) return target.error();
  return {};
}

}  // namespace profiler
