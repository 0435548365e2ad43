// SPDX-License-Identifier: Apache-2.0
// Reading a sweep, as if its file were hostile.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "engine/base/display_text.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/base/say.h"
#include "profiler/store/capture_open.h"
#include "profiler/sweep/file.h"
#include "profiler/sweep/tables.h"

namespace profiler {
namespace {

using engine::refused_error;
using engine::Result;

constexpr double kSecondsToRead = 10;
constexpr size_t kMostPoints = 100000, kMostSamples = 10000;

/// One row at a time; values of another type or out of range come back as nothing.
class Row {
 public:
  explicit Row(sqlite3_stmt* row) : row_(row) {}
  std::optional<int64_t> integer(int column, int64_t low, int64_t high) const {
    if (sqlite3_column_type(row_, column) != SQLITE_INTEGER) return std::nullopt;
    const int64_t value = sqlite3_column_int64(row_, column);
    return value < low || value > high ? std::nullopt : std::optional(value);
  }
  /// NULL is NaN; infinities, and what is so far from any figure that sums, squares and axes of it overflow, are
  /// refused.
  std::optional<double> figure(int column) const {
    if (sqlite3_column_type(row_, column) == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
    if (sqlite3_column_type(row_, column) != SQLITE_FLOAT && sqlite3_column_type(row_, column) != SQLITE_INTEGER)
      return std::nullopt;
    const double value = sqlite3_column_double(row_, column);
    constexpr double kMost = 1e100, kLeast = 1e-100;
    const double size = std::abs(value);
    return size == 0 || (size >= kLeast && size <= kMost) ? std::optional(value) : std::nullopt;
  }
  /// As it is shown.
  std::optional<std::string> text(int column) const {
    const auto value = raw(column);
    return value ? std::optional(engine::display_line(*value)) : std::nullopt;
  }
  /// Byte for byte: what is used as data, not shown.
  std::optional<std::string> raw(int column) const {
    if (sqlite3_column_type(row_, column) != SQLITE_TEXT) return std::nullopt;
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(row_, column));
    return std::string(data, static_cast<size_t>(sqlite3_column_bytes(row_, column)));
  }

 private:
  sqlite3_stmt* row_;
};

class Reader {
 public:
  explicit Reader(const OpenedCapture& opened) : opened_(opened) {}
  Result<Sweep> read();

 private:
  engine::Error damaged(const std::string& why) const {
    return refused_error(fmt::format("{}: is damaged: {}", sqlite::shown(opened_.database().file()), why));
  }
  /// Calls take(row) for every row; false from it means an impossible value.
  template <class F>
  Result<void> each(const char* table, const char* columns, F&& take) {
    int64_t row = 0, impossible = 0;
    const auto look = [&](sqlite3_stmt* statement) {
      ++row;
      if (impossible == 0 && !take(Row(statement))) impossible = row;
    };
    const Result<void> read = sqlite::each_row(
        opened_.database(), fmt::format("SELECT {} FROM {} ORDER BY rowid", columns, table), "read", look);
    if (impossible > 0) return damaged(fmt::format("row {} of table {} holds an impossible value", impossible, table));
    return read;
  }
  Result<void> read_request();
  Result<void> read_axes();
  Result<void> read_points();
  Result<void> read_figures();
  Result<void> read_samples();
  Result<void> read_queued();
  Result<void> read_power();
  Result<void> read_losses();
  Result<void> read_simulation();
  SweepPoint* point(const Row& row) {
    const auto id = row.integer(0, 0, static_cast<int64_t>(sweep_.points.size()) - 1);
    return id ? &sweep_.points[static_cast<size_t>(*id)] : nullptr;
  }
  SweepFigures* figures(const Row& row) {
    SweepPoint* at = point(row);
    const auto when = row.text(1);
    if (at == nullptr || !when) return nullptr;
    return *when == kPredicted ? &at->predicted : *when == kFound ? &at->found : nullptr;
  }

  const OpenedCapture& opened_;
  Sweep sweep_;
};

Result<void> Reader::read_request() {
  std::map<std::string, std::string> texts;
  std::map<std::string, double> numbers;
  Result<void> done = each("TIDE_SWEEP", "key, value", [&](const Row& row) {
    const auto key = row.text(0);
    if (!key) return false;
    const bool used = key == "workload" || key == "machine";  // a name that is looked for, and JSON
    if (const auto value = used ? row.raw(1) : row.text(1)) return texts[*key] = *value, true;
    const auto value = row.figure(1);
    return value && (numbers[*key] = *value, true);
  });
  if (!done) return done;
  SweepRequest& r = sweep_.request;
  r.workload = texts["workload"];
  sweep_.title = texts["title"];
  sweep_.created_at = texts["created_at"];
  sweep_.product_version = texts["product_version"];
  sweep_.huge_pages = texts["huge_pages"];
  sweep_.dtype = texts["dtype"];
  const double least = numbers["least_samples"], most = numbers["most_samples"];
  if (r.workload.empty() || !(least >= 1) || !(most >= least) || !(most <= kMostSamples) ||
      !(numbers["noise_target"] >= 0)) {
    return damaged("its request is incomplete");
  }
  r.least_samples = static_cast<int>(least);
  r.most_samples = static_cast<int>(most);
  r.noise_target = numbers["noise_target"];
  sweep_.complete = numbers["complete"] == 1;
  Result<Machine> machine = machine_from_json(texts["machine"]);
  if (const std::string newer = machine ? "" : newer_machine_words(texts["machine"]); !newer.empty())
    return refused_error(fmt::format("{}: {}: update this program", sqlite::shown(opened_.database().file()), newer));
  if (!machine) return damaged(machine.error().message);
  sweep_.machine = *std::move(machine);
  return each("TIDE_SWEEP_FIXED", "word", [&](const Row& row) {
    auto word = row.raw(0);
    return word && (r.fixed.push_back(*std::move(word)), true);
  });
}

Result<void> Reader::read_axes() {
  std::vector<SweepAxis>& axes = sweep_.request.axes;
  Result<void> done = each("TIDE_SWEEP_AXIS", "axis, name, value", [&](const Row& row) {
    const auto axis = row.integer(0, 0, static_cast<int64_t>(axes.size()));
    auto name = row.text(1), value = row.raw(2);
    if (!axis || !name || !value) return false;
    if (*axis == static_cast<int64_t>(axes.size())) axes.push_back({*std::move(name), {}});
    axes[static_cast<size_t>(*axis)].values.push_back(*std::move(value));
    return true;
  });
  if (!done) return done;
  size_t points = 1;
  for (const SweepAxis& axis : axes) {
    if (axis.values.size() > kMostPoints / points) return damaged(fmt::format("it claims over {} points", kMostPoints));
    points *= axis.values.size();
  }
  if (axes.empty()) return damaged("it has no axis");
  sweep_.points.resize(points);
  return {};
}

Result<void> Reader::read_points() {
  return each("TIDE_SWEEP_POINT", "point, outcome, message, capture", [&](const Row& row) {
    SweepPoint* at = point(row);
    const auto outcome = row.text(1);
    auto message = row.text(2), capture = row.raw(3);
    if (at == nullptr || !outcome || !message || !capture) return false;
    // A capture lies in the folder of points and nowhere else.
    if (capture->find('/') != std::string::npos) return false;
    constexpr std::array kAll{PointOutcome::pending, PointOutcome::measured, PointOutcome::out_of_memory,
                              PointOutcome::failed};
    const auto known = std::ranges::find(kAll, *outcome, [](PointOutcome o) { return name(o); });
    if (known == kAll.end()) return false;
    at->outcome = *known;
    at->message = *std::move(message);
    at->capture = *std::move(capture);
    return true;
  });
}

Result<void> Reader::read_figures() {
  Result<void> done =
      each("TIDE_SWEEP_FIGURES",
           "point, origin, samples, flops, compulsoryBytes, weightCompulsoryBytes, memoryBytes, step_ns, roofRatio, "
           "limitedBy",
           [&](const Row& row) {
             SweepFigures* f = figures(row);
             const auto limit = row.text(9);
             if (f == nullptr || !limit) return false;
             int column = 2;
             for (double* value : {&f->samples, &f->flops, &f->compulsory_bytes, &f->weight_compulsory_bytes,
                                   &f->memory_bytes, &f->step_ns, &f->roof_ratio}) {
               const auto figure = row.figure(column++);
               if (!figure || *figure < 0) return false;
               *value = *figure;
             }
             const InEnglish as_files_have_it;
             if (*limit != cause_words(Bound::unknown, {})) f->limit = *limit;  // as older files say that none is known
             return true;
           });
  if (done && opened_.has_table("TIDE_SWEEP_CHAIN")) {
    done = each("TIDE_SWEEP_CHAIN", "point, origin, inARow, inAll", [&](const Row& row) {
      SweepFigures* f = figures(row);
      const auto in_a_row = row.figure(2), in_all = row.figure(3);
      if (f == nullptr || !in_a_row || !in_all || !(*in_a_row > 0) || !(*in_all > 0)) return false;
      f->in_a_row = *in_a_row, f->in_all = *in_all;
      return true;
    });
  }
  if (done && opened_.has_table("TIDE_SWEEP_OPS")) {
    done = each("TIDE_SWEEP_OPS", "point, origin, ops", [&](const Row& row) {
      SweepFigures* f = figures(row);
      const auto ops = row.figure(2);
      if (f == nullptr || !ops || !(*ops > 0)) return false;
      f->ops = *ops;
      return true;
    });
  }
  if (!done) return done;
  return each("TIDE_SWEEP_LINK", "point, origin, outer, inner, compulsoryBytes, modelledBytes, weightBytes",
              [&](const Row& row) {
                SweepFigures* f = figures(row);
                auto outer = row.text(2), inner = row.text(3);
                const auto compulsory = row.figure(4), modelled = row.figure(5), weights = row.figure(6);
                if (f == nullptr || !outer || !inner || !compulsory || !modelled || !weights || f->links.size() > 16)
                  return false;
                f->links.push_back({*std::move(outer), *std::move(inner), *compulsory, *modelled, *weights});
                return true;
              });
}

Result<void> Reader::read_samples() {
  return each("TIDE_SWEEP_SAMPLE", "point, round, step_ns, steps, foreignLoadRatio, clockDriftRatio",
              [&](const Row& row) {
                SweepPoint* at = point(row);
                const auto round = row.integer(1, 0, kMostSamples), steps = row.integer(3, 1, 1000000000);
                const auto step_ns = row.figure(2), load = row.figure(4), drift = row.figure(5);
                if (at == nullptr || !round || !steps || !step_ns || !(*step_ns > 0) || !load || !drift ||
                    at->samples.size() >= kMostSamples)
                  return false;
                at->samples.push_back({.round = static_cast<int>(*round),
                                       .step_ns = *step_ns,
                                       .steps = static_cast<int>(*steps),
                                       .foreign_load_ratio = *load,
                                       .clock_drift_ratio = *drift});
                return true;
              });
}

/// Older files have none.
Result<void> Reader::read_simulation() {
  if (!opened_.has_table("TIDE_SWEEP_SIMULATION") || !opened_.has_table("TIDE_SWEEP_SIMULATED")) return {};
  Result<void> done = each("TIDE_SWEEP_SIMULATION", "point, method", [&](const Row& row) {
    SweepPoint* at = point(row);
    auto method = row.text(1);
    if (at == nullptr || !method) return false;
    at->simulation = *std::move(method);
    return true;
  });
  if (!done) return done;
  return each("TIDE_SWEEP_SIMULATED", "point, link, simulatedBytes", [&](const Row& row) {
    SweepPoint* at = point(row);
    const auto link =
        at == nullptr ? std::nullopt : row.integer(1, 0, static_cast<int64_t>(at->found.links.size()) - 1);
    const auto bytes = row.figure(2);
    if (!link || !bytes || *bytes < 0) return false;
    at->found.links[static_cast<size_t>(*link)].simulated_bytes = *bytes;
    return true;
  });
}

/// Older files know nothing of it.
Result<void> Reader::read_queued() {
  if (!opened_.has_table("TIDE_SWEEP_QUEUED")) return {};
  return each("TIDE_SWEEP_QUEUED", "point, round, queuedRatio", [&](const Row& row) {
    SweepPoint* at = point(row);
    const auto round = row.integer(1, 0, kMostSamples);
    const auto ratio = row.figure(2);
    if (at == nullptr || !round || !ratio || *ratio < 0 || *ratio > 1) return false;
    const auto sample = std::ranges::find(at->samples, static_cast<int>(*round), &SweepSample::round);
    if (sample == at->samples.end()) return false;
    sample->queued_ratio = *ratio;
    return true;
  });
}

/// Nor of this.
Result<void> Reader::read_power() {
  if (!opened_.has_table("TIDE_SWEEP_POWER")) return {};
  Result<void> done =
      each("TIDE_SWEEP_POWER", "point, round, spin_ns, throttleEvents, stepEnergy_j", [&](const Row& row) {
        SweepPoint* at = point(row);
        const auto round = row.integer(1, 0, kMostSamples);
        const auto spin = row.figure(2), throttles = row.figure(3), joules = row.figure(4);
        if (at == nullptr || !round || !spin || !throttles || !joules || *spin <= 0 || *throttles < 0 || *joules < 0)
          return false;
        const auto sample = std::ranges::find(at->samples, static_cast<int>(*round), &SweepSample::round);
        if (sample == at->samples.end()) return false;
        sample->spin_ns = *spin;
        sample->throttle_events = *throttles;
        sample->step_energy_j = *joules;
        return true;
      });
  compare_clocks(sweep_);
  return done;
}

/// Nor of this.
Result<void> Reader::read_losses() {
  constexpr int64_t kMostSteps = 1'000'000'000, kMostLosses = 100;
  if (!opened_.has_table("TIDE_SWEEP_LOSS")) return {};
  return each("TIDE_SWEEP_LOSS", "point, round, steps, loss", [&](const Row& row) {
    SweepPoint* at = point(row);
    const auto round = row.integer(1, 0, kMostSamples), steps = row.integer(2, 1, kMostSteps);
    const auto loss = row.figure(3);
    if (at == nullptr || !round || !steps || !loss || std::isnan(*loss)) return false;
    const auto sample = std::ranges::find(at->samples, static_cast<int>(*round), &SweepSample::round);
    if (sample == at->samples.end() || static_cast<int64_t>(sample->losses.size()) >= kMostLosses) return false;
    sample->losses.push_back({static_cast<int>(*steps), *loss});
    return true;
  });
}

Result<Sweep> Reader::read() {
  for (const auto part :
       {&Reader::read_request, &Reader::read_axes, &Reader::read_points, &Reader::read_figures, &Reader::read_samples,
        &Reader::read_queued, &Reader::read_power, &Reader::read_losses, &Reader::read_simulation}) {
    if (const Result<void> done = (this->*part)(); !done) return done.error();
  }
  return std::move(sweep_);
}

}  // namespace

bool is_sweep(const std::filesystem::path& file) {
  Result<OpenedCapture> opened = OpenedCapture::open(file, kSecondsToRead);
  return opened && opened->has_table("TIDE_SWEEP");
}

Result<Sweep> open_sweep(const std::filesystem::path& file) {
  Result<OpenedCapture> opened = OpenedCapture::open(file, kSecondsToRead);
  if (!opened) return opened.error();
  if (!opened->has_table("TIDE_SWEEP"))
    return refused_error(fmt::format("{}: is a capture of one run, not a sweep", sqlite::shown(file)));
  if (!opened->log_damage().empty())
    return refused_error(fmt::format("{}: is damaged: {}", sqlite::shown(file), opened->log_damage()));
  return Reader(*opened).read();
}

}  // namespace profiler
