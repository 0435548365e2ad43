// SPDX-License-Identifier: Apache-2.0
// Attributes and traffic as rows, and traffic added to a file that was closed.
#include "profiler/store/capture_traffic_tables.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <variant>

#include "profiler/store/capture_file.h"
#include "profiler/store/capture_gpu_tables.h"
#include "profiler/store/capture_target.h"

namespace profiler {

using engine::refused_error;
using engine::Result;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
constexpr size_t kMostNumbers = 4096;  // of one attribute
constexpr int64_t kMostSampled = 64;

/// Calls f(column, ratio) for the ratios of a TopDown, in the order of their columns.
template <class Record, class F>
void visit_ratios(Record& t, F&& f) {
  f("retiringRatio", t.retiring_ratio), f("badSpeculationRatio", t.bad_speculation_ratio),
      f("frontendRatio", t.frontend_ratio);
  f("backendRatio", t.backend_ratio), f("memoryRatio", t.memory_ratio), f("l1Ratio", t.l1_ratio),
      f("l2Ratio", t.l2_ratio);
  f("l3Ratio", t.l3_ratio), f("dramRatio", t.dram_ratio), f("storeRatio", t.store_ratio);
  f("bandwidthRatio", t.bandwidth_ratio), f("latencyRatio", t.latency_ratio);
}

constexpr std::array kTrafficTables{Tide::traffic_sources, Tide::traffic_links,  Tide::traffic_notes, Tide::traffic,
                                    Tide::miss_causes,     Tide::strided_misses, Tide::top_down};

Result<void> make(const Database& database, std::span<const Tide> tables) {
  for (const Tide table : tables) {
    if (Result<void> made = make_table(database, table); !made) return made;
  }
  return {};
}

/// "1,2,3"; nothing when it is no such list.
std::optional<std::vector<int64_t>> parse_numbers(const std::string& text) {
  std::vector<int64_t> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (!values.empty() && *at++ != ',') return std::nullopt;
    const auto [rest, error] = std::from_chars(at, end, values.emplace_back());
    if (error != std::errc() || values.size() > kMostNumbers) return std::nullopt;
    at = rest;
  }
  return values;
}

void bind_attribute(Statement& row, const engine::Attributes::Item& item) {
  if (const auto* whole = std::get_if<int64_t>(&item)) {
    row.bind(3, "int").bind(4, *whole);
  } else if (const auto* real = std::get_if<double>(&item)) {
    row.bind(3, "double").bind(4, fmt::format("{}", *real));  // as text: infinities and NaN survive
  } else if (const auto* text = std::get_if<std::string>(&item)) {
    row.bind(3, "text").bind(4, *text);
  } else {
    row.bind(3, "ints").bind(4, fmt::format("{}", fmt::join(std::get<std::vector<int64_t>>(item), ",")));
  }
}

Result<void> write_source(const Database& database, const TrafficSource& s, int64_t id) {
  auto source = prepare_insert(database, Tide::traffic_sources), link = prepare_insert(database, Tide::traffic_links);
  auto note = prepare_insert(database, Tide::traffic_notes), row = prepare_insert(database, Tide::traffic),
       cause = prepare_insert(database, Tide::miss_causes);
  for (const auto* statement : {&source, &link, &note, &row, &cause}) {
    if (!*statement) return statement->error();
  }
  source->bind(1, id)
      .bind(2, name(s.origin))
      .bind(3, s.policy)
      .bind(4, s.method)
      .bind(5, int64_t{s.sampled})
      .bind(6, s.sampling_error);
  Result<void> done = source->run(database);
  for (size_t i = 0; i < s.links.size() && done; ++i) {
    link->bind(1, id)
        .bind(2, static_cast<int64_t>(i))
        .bind(3, s.links[i].outer)
        .bind(4, s.links[i].inner)
        .bind(5, s.links[i].capacity_bytes);
    done = link->run(database);
  }
  for (size_t op = 0; op < s.op_notes.size() && done; ++op) {
    if (!s.op_notes[op].empty())
      done = note->bind(1, id).bind(2, static_cast<int64_t>(op)).bind(3, s.op_notes[op]).run(database);
  }
  for (const TrafficRecord& r : s.records) {
    if (!done) break;
    row->bind(1, id).bind(2, int64_t{r.op});
    bind_id(*row, 3, r.tensor);
    row->bind(4, int64_t{r.link}).bind(5, r.read_bytes).bind(6, r.written_bytes).bind(7, r.write_allocate_bytes);
    row->bind(8, r.hits).bind(9, r.misses).bind(10, r.error_band).bind(11, int64_t{r.near_capacity});
    done = row->run(database);
  }
  for (const MissCauses& c : s.causes) {
    if (!done) break;
    cause->bind(1, id)
        .bind(2, int64_t{c.op})
        .bind(3, int64_t{c.link})
        .bind(4, c.compulsory_ratio)
        .bind(5, c.capacity_ratio)
        .bind(6, c.conflict_ratio);
    done = cause->run(database);
  }
  auto strided = prepare_insert(database, Tide::strided_misses);
  if (!strided) return strided.error();
  for (const StridedMisses& m : s.strided) {
    if (!done) break;
    done = strided->bind(1, id)
               .bind(2, int64_t{m.op})
               .bind(3, int64_t{m.link})
               .bind(4, m.stride_bytes)
               .bind(5, m.misses)
               .run(database);
  }
  auto counted = prepare_insert(database, Tide::top_down);
  if (!counted) return counted.error();
  for (const TopDown& t : s.top_down) {
    if (!done) break;
    counted->bind(1, id).bind(2, int64_t{t.op});
    visit_ratios(t, [&, column = 3](const char*, double ratio) mutable { counted->bind(column++, ratio); });
    done = counted->run(database);
  }
  return done;
}

double figure(TableScan& scan, int column, const char* what) {
  return scan.is_null(column) ? kUnknownBytes : scan.real(column, what);
}

}  // namespace

Result<void> write_attributes(const Database& database, const Capture& c) {
  std::optional<Statement> row;
  for (const OpRecord& op : c.ops()) {
    for (const auto& [key, item] : c.attributes(op.id).items()) {
      if (!row) {
        if (Result<void> made = make_table(database, Tide::op_attributes); !made) return made;
        auto prepared = prepare_insert(database, Tide::op_attributes);
        if (!prepared) return prepared.error();
        row = *std::move(prepared);
      }
      row->bind(1, int64_t{op.id}).bind(2, key);
      bind_attribute(*row, item);
      if (Result<void> done = row->run(database); !done) return done;
    }
  }
  return {};
}

Result<void> write_threads(const Database& database, const Capture& c) {
  if (std::ranges::none_of(c.ops(), [](const OpRecord& op) { return op.threads > 0; })) return {};
  if (Result<void> made = make_table(database, Tide::op_threads); !made) return made;
  auto row = prepare_insert(database, Tide::op_threads);
  if (!row) return row.error();
  for (const OpRecord& op : c.ops()) {
    if (op.threads <= 0) continue;
    row->bind(1, int64_t{op.id}).bind(2, int64_t{op.threads});
    if (Result<void> done = row->run(database); !done) return done;
  }
  return {};
}

void read_threads(TableScan& scan, CaptureBuilder& builder) {
  const OpId op = scan.id(0, "opId", builder.so_far().ops().size());
  const int64_t threads = scan.integer(1, "threads", 1, std::numeric_limits<int>::max());
  if (!scan.failed()) builder.set_threads(op, static_cast<int>(threads));
}

Result<void> write_traffic(const Database& database, std::span<const TrafficSource> sources) {
  if (sources.empty()) return {};
  Result<void> done = make(database, kTrafficTables);
  for (size_t i = 0; i < sources.size() && done; ++i)
    done = write_source(database, sources[i], static_cast<int64_t>(i));
  return done;
}

void TrafficReader::attribute(TableScan& scan) {
  const uint32_t op = scan.id(0, "opId", ops_);
  const std::string key = scan.text(1, "key"), kind = scan.text(2, "kind");
  engine::Attributes::Item item;
  if (kind == "int") {
    item = scan.integer(3, "value", std::numeric_limits<int64_t>::min(), kAny);
  } else if (kind == "double") {
    const std::string text = scan.text(3, "value");
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || rest != text.data() + text.size()) scan.fail("value is no number");
    item = value;
  } else if (kind == "text") {
    item = scan.raw(3, "value");  // it is computed with: layers of a fused op stand on lines of their own
  } else if (kind == "ints") {
    auto numbers = parse_numbers(scan.text(3, "value"));
    if (!numbers) scan.fail("value is no list of integers");
    item = numbers.value_or(std::vector<int64_t>{});
  } else {
    scan.fail("kind \"{:.40}\" is unknown", sqlite::shown(kind));
  }
  if (scan.failed()) return;
  if (attributes_.size() <= op) attributes_.resize(size_t{op} + 1);
  if (attributes_[op].has(key)) return scan.fail("the attribute is there twice");
  attributes_[op].set(key, std::move(item));
}

void TrafficReader::source(TableScan& scan) {
  if (scan.integer(0, "id", 0, kAny) != scan.row() - 1) scan.fail("ids are not consecutive");
  TrafficSource s;
  const std::string origin = scan.text(1, "origin");
  if (origin == name(Origin::measured)) {
    s.origin = Origin::measured;
  } else if (origin == name(Origin::simulated)) {
    s.origin = Origin::simulated;
  } else {
    scan.fail("origin \"{:.40}\" is none of stored traffic", sqlite::shown(origin));
  }
  s.policy = scan.text(2, "policy");
  s.method = scan.text(3, "method");
  s.sampled = static_cast<int>(scan.integer(4, "sampled", 1, kMostSampled));
  s.sampling_error = scan.real(5, "samplingError");
  sources_.push_back(std::move(s));
}

void TrafficReader::link(TableScan& scan) {
  const uint32_t id = scan.id(0, "sourceId", sources_.size());
  if (scan.failed()) return;
  TrafficSource& s = sources_[id];
  scan.integer(1, "link", static_cast<int64_t>(s.links.size()), static_cast<int64_t>(s.links.size()));
  s.links.push_back({scan.text(2, "outerLevel"), scan.text(3, "innerLevel"), figure(scan, 4, "capacityBytes")});
}

void TrafficReader::note(TableScan& scan) {
  const uint32_t id = scan.id(0, "sourceId", sources_.size()), op = scan.id(1, "opId", ops_);
  const std::string text = scan.text(2, "text");
  if (scan.failed()) return;
  std::vector<std::string>& notes = sources_[id].op_notes;
  notes.resize(ops_);
  notes[op] = text;
}

void TrafficReader::record(TableScan& scan) {
  const uint32_t id = scan.id(0, "sourceId", sources_.size());
  TrafficRecord r;
  r.op = scan.id(1, "opId", ops_);
  r.tensor = scan.id_or_none(2, "tensorId", tensors_);
  if (scan.failed()) return;
  r.link = scan.id(3, "link", sources_[id].links.size());
  r.read_bytes = figure(scan, 4, "readBytes"), r.written_bytes = figure(scan, 5, "writtenBytes");
  r.write_allocate_bytes = figure(scan, 6, "writeAllocateBytes");
  r.hits = figure(scan, 7, "hits"), r.misses = figure(scan, 8, "misses");
  r.error_band = figure(scan, 9, "errorBand");
  r.near_capacity = scan.flag(10, "isNearCapacity");
  if (!scan.failed()) sources_[id].records.push_back(r);
}

void TrafficReader::cause(TableScan& scan) {
  const uint32_t id = scan.id(0, "sourceId", sources_.size());
  MissCauses c;
  c.op = scan.id(1, "opId", ops_);
  if (scan.failed()) return;
  c.link = scan.id(2, "link", sources_[id].links.size());
  c.compulsory_ratio = scan.real(3, "compulsoryRatio"), c.capacity_ratio = scan.real(4, "capacityRatio"),
  c.conflict_ratio = scan.real(5, "conflictRatio");
  if (!scan.failed()) sources_[id].causes.push_back(c);
}

void TrafficReader::strided(TableScan& scan) {
  const uint32_t id = scan.id(0, "sourceId", sources_.size());
  StridedMisses m;
  m.op = scan.id(1, "opId", ops_);
  if (scan.failed()) return;
  m.link = scan.id(2, "link", sources_[id].links.size());
  m.stride_bytes = scan.real(3, "strideBytes"), m.misses = scan.real(4, "misses");
  if (!scan.failed()) sources_[id].strided.push_back(m);
}

void TrafficReader::without_steps() {
  for (TrafficSource& s : sources_) s.strided_known = false;
}

void TrafficReader::top_down(TableScan& scan) {
  const uint32_t id = scan.id(0, "sourceId", sources_.size());
  TopDown t;
  t.op = scan.id(1, "opId", ops_);
  visit_ratios(t, [&, column = 2](const char* name, double& ratio) mutable { ratio = scan.real(column++, name); });
  if (!scan.failed()) sources_[id].top_down.push_back(t);
}

void TrafficReader::hand_over(CaptureBuilder& builder) {
  for (size_t op = 0; op < attributes_.size(); ++op)
    builder.set_attributes(static_cast<OpId>(op), std::move(attributes_[op]));
  for (TrafficSource& s : sources_) builder.add_traffic(std::move(s));
  attributes_.clear(), sources_.clear();
}

Result<std::shared_ptr<const Capture>> add_traffic(const Capture& capture, TrafficSource source,
                                                   const std::filesystem::path& file) {
  auto more = CaptureBuilder::with_traffic(capture, std::move(source));
  if (!more) return more.error();
  // Nobody else may write it meanwhile, as while a run goes on.
  auto target = CaptureTarget::claim(file);
  if (!target) return target.error();
  target->keep();
  if (Result<void> removed = target->remove_log_of_older(); !removed) return removed.error();
  auto database = Database::open(target->file(), SQLITE_OPEN_READWRITE, "", file);
  if (!database) return database.error();
  const auto write = [&]() -> Result<void> {
    for (const Tide table : kTrafficTables) {
      const std::string forget = fmt::format("DROP TABLE IF EXISTS {0}; DELETE FROM {1} WHERE tableName = '{0}'",
                                             spec(table).name, spec(Tide::checksums).name);
      if (Result<void> done = database->execute(forget.c_str()); !done) return done;
    }
    if (Result<void> done = write_traffic(*database, (*more)->traffic()); !done) return done;
    auto row = prepare_insert(*database, Tide::checksums);
    if (!row) return row.error();
    for (const Tide table : kTrafficTables) {
      const Result<TableSum> sum = sum_table(*database, spec(table));
      if (!sum) return sum.error();
      if (Result<void> done = row->bind(1, spec(table).name).bind(2, sum->rows).bind(3, sum->xxh3).run(*database);
          !done)
        return done;
    }
    return {};
  };
  if (Result<void> begun = database->execute("BEGIN IMMEDIATE"); !begun) return begun.error();
  Result<void> written = write();
  if (written) written = database->execute("COMMIT");
  if (!written) return written.error();  // closing the database takes back what was not committed
  return more;
}

}  // namespace profiler
