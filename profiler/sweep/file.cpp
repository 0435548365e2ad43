// SPDX-License-Identifier: Apache-2.0
// Writing a sweep, one commit per sample.
#include "profiler/sweep/file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>

#include "engine/base/read_file.h"
#include "profiler/store/capture_file.h"
#include "profiler/store/capture_schema.h"
#include "profiler/store/capture_target.h"
#include "profiler/store/sqlite.h"
#include "profiler/sweep/tables.h"

namespace profiler {

using engine::Result;
using sqlite::Database;
using sqlite::Statement;

namespace {

/// A statement that is bound, run, and told when it fails.
template <class... Values>
Result<void> insert(const Database& database, const char* table, const Values&... values) {
  std::string marks;
  for (size_t i = 0; i < sizeof...(values); ++i) marks += i == 0 ? "?" : ",?";
  Result<Statement> statement = Statement::prepare(database, fmt::format("INSERT INTO {} VALUES ({})", table, marks));
  if (!statement) return statement.error();
  int column = 0;
  const auto bind = [&](const auto& value) {
    using V = std::decay_t<decltype(value)>;
    ++column;
    if constexpr (std::is_floating_point_v<V>) statement->bind(column, static_cast<double>(value));
    else if constexpr (std::is_integral_v<V>) statement->bind(column, static_cast<int64_t>(value));
    else statement->bind(column, std::string_view(value));
  };
  (bind(values), ...);
  return statement->run(database);
}

Result<void> insert_figures(const Database& database, size_t point, const char* when, const SweepFigures& f) {
  Result<void> done = insert(database, "TIDE_SWEEP_FIGURES", point, when, f.samples, f.flops, f.compulsory_bytes,
                             f.weight_compulsory_bytes, f.memory_bytes, f.step_ns, f.roof_ratio, f.limit);
  if (done && f.in_a_row > 0) done = insert(database, "TIDE_SWEEP_CHAIN", point, when, f.in_a_row, f.in_all);
  if (done && f.ops > 0) done = insert(database, "TIDE_SWEEP_OPS", point, when, f.ops);
  for (size_t link = 0; done && link < f.links.size(); ++link) {
    const SweepLink& l = f.links[link];
    done = insert(database, "TIDE_SWEEP_LINK", point, when, link, l.outer, l.inner, l.compulsory_bytes,
                  l.modelled_bytes, l.weight_bytes);
  }
  return done;
}

Result<void> insert_point(const Database& database, const Sweep& sweep, size_t index) {
  const SweepPoint& point = sweep.points[index];
  Result<void> done = insert(database, "TIDE_SWEEP_POINT", index, sweep.label(index), name(point.outcome),
                             point.message, point.capture);
  if (done) done = insert_figures(database, index, kPredicted, point.predicted);
  if (done) done = insert_figures(database, index, kFound, point.found);
  if (done && !point.simulation.empty()) {
    done = insert(database, "TIDE_SWEEP_SIMULATION", index, point.simulation);
    for (size_t link = 0; done && link < point.found.links.size(); ++link) {
      done = insert(database, "TIDE_SWEEP_SIMULATED", index, link, point.found.links[link].simulated_bytes);
    }
  }
  for (size_t i = 0; done && i < point.samples.size(); ++i) {
    const SweepSample& s = point.samples[i];
    done = insert(database, "TIDE_SWEEP_SAMPLE", index, s.round, s.step_ns, s.steps, s.foreign_load_ratio,
                  s.clock_drift_ratio);
    if (done) done = insert(database, "TIDE_SWEEP_QUEUED", index, s.round, s.queued_ratio);
    if (done)
      done = insert(database, "TIDE_SWEEP_POWER", index, s.round, s.spin_ns, s.throttle_events, s.step_energy_j);
    for (size_t k = 0; done && k < s.losses.size(); ++k)
      done = insert(database, "TIDE_SWEEP_LOSS", index, s.round, s.losses[k].steps, s.losses[k].loss);
  }
  return done;
}

Result<void> insert_request(const Database& database, const Sweep& sweep) {
  const SweepRequest& r = sweep.request;
  Result<void> done;
  const auto put = [&](const char* key, const auto& value) {
    if (done) done = insert(database, "TIDE_SWEEP", key, value);
  };
  put("workload", r.workload);
  put("title", sweep.title);
  put("created_at", sweep.created_at);
  put("product_version", sweep.product_version);
  if (!sweep.huge_pages.empty()) put("huge_pages", sweep.huge_pages);
  put("dtype", sweep.dtype);
  put("least_samples", r.least_samples);
  put("most_samples", r.most_samples);
  put("noise_target", r.noise_target);
  put("complete", sweep.complete ? 1 : 0);
  put("machine", machine_to_json(sweep.machine));
  for (size_t i = 0; done && i < r.fixed.size(); ++i) done = insert(database, "TIDE_SWEEP_FIXED", i, r.fixed[i]);
  for (size_t axis = 0; done && axis < r.axes.size(); ++axis) {
    for (size_t i = 0; done && i < r.axes[axis].values.size(); ++i) {
      done = insert(database, "TIDE_SWEEP_AXIS", axis, r.axes[axis].name, i, r.axes[axis].values[i]);
    }
  }
  return done;
}

}  // namespace

struct SweepWriter::State {
  CaptureTarget target;
  Database database;

  template <class F>
  Result<void> commit(F&& write) {
    if (Result<void> begun = database.execute("BEGIN IMMEDIATE"); !begun) return begun;
    Result<void> written = write();
    if (written) written = database.execute("COMMIT");
    if (!written && sqlite3_get_autocommit(database.handle()) == 0) {
      sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);  // the first error is the one to tell
    }
    return written;
  }

  Result<void> write_all(const Sweep& sweep) {
    for (const SweepTable& table : sweep_tables()) {
      Result<void> made = database.execute(
          fmt::format("DROP TABLE IF EXISTS {0}; CREATE TABLE {0} {1}", table.name, table.definition).c_str());
      if (!made) return made;
    }
    Result<void> done = insert_request(database, sweep);
    for (size_t i = 0; done && i < sweep.points.size(); ++i) done = insert_point(database, sweep, i);
    return done;
  }
};

SweepWriter::SweepWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
SweepWriter::~SweepWriter() = default;

namespace {

/// Opens a file that was made here, just now; a journal of it, should its writer be killed, is rolled back by readers.
Result<Database> open_own(const std::filesystem::path& place, const std::filesystem::path& name, const char* journal) {
  Result<Database> database = Database::open(place, SQLITE_OPEN_READWRITE, "", name);
  if (!database) return database;
  const std::string settings = fmt::format("PRAGMA journal_mode = {}; PRAGMA synchronous = NORMAL", journal);
  if (Result<void> set = database->execute(settings.c_str()); !set) return set.error();
  return database;
}

}  // namespace

Result<std::unique_ptr<SweepWriter>> SweepWriter::create(const std::filesystem::path& file, const Sweep& sweep) {
  const bool goes_on = is_sweep(file);
  Result<CaptureTarget> target = CaptureTarget::claim(file);
  if (!target) return target.error();
  if (!goes_on && target->replaces()) {
    return engine::refused_error(fmt::format(
        "{}: holds a recorded run, which a sweep does not take the place of: choose another name, or remove it",
        file.string()));
  }
  // All of it beside the file, then in its place: what was there stays until then, whatever comes, and is never opened
  // for writing.
  const Result<std::filesystem::path> draft = target->draft();
  if (!draft) return draft.error();
  Result<Database> database = open_own(*draft, draft_beside(file), "MEMORY");
  if (!database) return database.error();
  const std::string marks =
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, kSchemaNumber);
  if (Result<void> marked = database->execute(marks.c_str()); !marked) return marked.error();
  std::unique_ptr<State> state(new State{*std::move(target), *std::move(database)});
  if (Result<void> written = state->commit([&] { return state->write_all(sweep); }); !written) return written.error();
  state->database.close();
  if (Result<void> published = state->target.publish(); !published) return published.error();
  Result<Database> own = open_own(state->target.file(), file, "DELETE");
  if (!own) return own.error();
  state->database = *std::move(own);
  return std::unique_ptr<SweepWriter>(new SweepWriter(std::move(state)));
}

Result<void> SweepWriter::update(const Sweep& sweep, size_t point) {
  return state_->commit([&]() -> Result<void> {
    for (const char* table : {"TIDE_SWEEP_FIGURES", "TIDE_SWEEP_LINK", "TIDE_SWEEP_SAMPLE", "TIDE_SWEEP_QUEUED",
                              "TIDE_SWEEP_POWER", "TIDE_SWEEP_LOSS", "TIDE_SWEEP_SIMULATION", "TIDE_SWEEP_SIMULATED",
                              "TIDE_SWEEP_CHAIN", "TIDE_SWEEP_OPS", "TIDE_SWEEP_POINT"}) {
      Result<void> removed =
          state_->database.execute(fmt::format("DELETE FROM {} WHERE point = {}", table, point).c_str());
      if (!removed) return removed;
    }
    return insert_point(state_->database, sweep, point);
  });
}

Result<void> SweepWriter::finish(const Sweep& sweep) {
  return state_->commit([&] {
    return state_->database.execute(
        fmt::format("UPDATE TIDE_SWEEP SET value = {} WHERE key = 'complete'", sweep.complete ? 1 : 0).c_str());
  });
}

namespace {

/// What a run of ours begins a file with; one that got no further left it empty.
bool is_capture_or_empty(const std::filesystem::path& file) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file, code))) return false;
  if (std::filesystem::file_size(file, code) == 0) return !code;
  constexpr uint64_t kHeader = 100;
  const Result<std::string> front = engine::read_front(file, kHeader);
  return front && parse_file_header(*front).ours;
}

/// Captures of points with their logs, and the roofs they were told: by what they are, not by their names alone. The
/// folder goes too when nothing else is in it, such as marks that somebody made. Of a link, the link alone: what it
/// leads to is not ours.
void remove_points(const std::filesystem::path& folder) {
  std::error_code code;
  const std::filesystem::file_status there = std::filesystem::symlink_status(folder, code);
  if (std::filesystem::is_symlink(there)) std::filesystem::remove(folder, code);
  if (!std::filesystem::is_directory(there)) return;  // nor is a file of that name
  std::vector<std::filesystem::path> captures;
  for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    const bool numbered =
        name.size() > 4 && std::all_of(name.begin(), name.begin() + 4, [](char c) { return c >= '0' && c <= '9'; });
    const bool point = numbered && (name.substr(4) == ".tide" || name.substr(4) == ".tide.part");
    if (point && is_capture_or_empty(entry->path())) captures.push_back(entry->path());
  }
  std::error_code ignored;
  for (const std::filesystem::path& capture : captures) {
    for (const char* log : {"", "-wal", "-journal", "-shm"}) std::filesystem::remove(sidecar(capture, log), ignored);
  }
  std::filesystem::remove(folder / "roofs.json", ignored);
  std::filesystem::remove(folder, code);
}

}  // namespace

Result<void> put_draft_in_place(const std::filesystem::path& file) {
  auto target = CaptureTarget::claim(file);
  if (!target) return target.error();
  target->take_draft();
  target->keep();
  const std::filesystem::path now = points_folder(file), coming = points_folder(draft_beside(file));
  std::filesystem::path older = now;
  older += ".older";
  const auto refused = [&](const std::error_code& why) {
    return engine::refused_error(fmt::format("{}: the new sweep is in {} and cannot replace it: {}", file.string(),
                                             draft_beside(file).string(), why.message()));
  };
  std::error_code code;
  const bool had_points = std::filesystem::exists(std::filesystem::symlink_status(now, code));
  if (had_points) {
    remove_points(older);  // of a sweep that was killed just here
    std::filesystem::rename(now, older, code);
    if (code) return refused(code);
  }
  std::filesystem::rename(coming, now, code);
  if (code && code != std::errc::no_such_file_or_directory) {
    std::error_code ignored;
    if (had_points) std::filesystem::rename(older, now, ignored);
    return refused(code);
  }
  if (Result<void> published = target->publish(); !published) {
    if (target->published()) return published;
    std::filesystem::rename(now, coming, code);
    if (had_points) std::filesystem::rename(older, now, code);
    return published;
  }
  remove_points(older);
  return {};
}

}  // namespace profiler
