// SPDX-License-Identifier: Apache-2.0
// Counters, collectives and results as rows.
#include "profiler/store/capture_observation_tables.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>
#include <span>

#include "profiler/store/capture_gpu_tables.h"

namespace profiler {

using engine::Result;
using sqlite::Database;

namespace {

constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

/// A checksum of 16 hexadecimal digits.
uint64_t checksum_of(TableScan& scan, int column) {
  const std::string text = scan.raw(column, "xxh3");
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size() || text.size() != 16)
    scan.fail("xxh3 is no checksum of 16 digits");
  return value;
}

}  // namespace

Result<void> write_counters(const Database& database, const Capture& c, size_t first, int64_t session_start_ns) {
  if (c.counters().size() <= first) return {};
  for (const Tide table : {Tide::counters, Tide::counter_values}) {
    if (Result<void> made = make_table(database, table); !made) return made;
  }
  auto row = prepare_insert(database, Tide::counters), value = prepare_insert(database, Tide::counter_values);
  if (!row) return row.error();
  if (!value) return value.error();
  for (size_t i = first; i < c.counters().size(); ++i) {
    const CounterSeries& s = c.counters()[i];
    const auto id = static_cast<int64_t>(i);
    row->bind(1, id).bind(2, int64_t{s.name}).bind(3, int64_t{s.group}).bind(4, int64_t{s.unit});
    if (Result<void> done = row->run(database); !done) return done;
    for (size_t k = 0; k < s.value.size(); ++k) {
      Result<void> done = value->bind(1, id).bind(2, s.time_ns[k] - session_start_ns).bind(3, s.value[k]).run(database);
      if (!done) return done;
    }
  }
  return {};
}

Result<void> write_collectives(const Database& database, const Capture& c) {
  if (c.collectives().empty()) return {};
  if (Result<void> made = make_table(database, Tide::collectives); !made) return made;
  auto row = prepare_insert(database, Tide::collectives);
  if (!row) return row.error();
  for (const CollectiveRecord& r : c.collectives()) {
    row->bind(1, static_cast<int64_t>(r.correlation)).bind(2, int64_t{r.operation}).bind(3, int64_t{r.element_type});
    row->bind(4, int64_t{r.group}).bind(5, int64_t{r.ranks}).bind(6, r.in_elements).bind(7, r.out_elements);
    row->bind(8, r.in_bytes).bind(9, r.out_bytes).bind(10, int64_t{r.group_size});
    if (Result<void> done = row->run(database); !done) return done;
  }
  return {};
}

Result<void> write_results(const Database& database, const Capture& c, size_t first) {
  if (c.results().size() <= first) return {};
  if (Result<void> made = make_table(database, Tide::results); !made) return made;
  auto row = prepare_insert(database, Tide::results);
  if (!row) return row.error();
  for (size_t i = first; i < c.results().size(); ++i) {
    const ResultRecord& r = c.results()[i];
    bind_id(*row, 1, r.tensor);
    row->bind(2, int64_t{r.step}).bind(3, engine::name(r.dtype)).bind(4, fmt::format("{:016x}", r.checksum));
    row->bind(5, r.elements).bind(6, r.not_finite);
    row->bind(7, r.least).bind(8, r.most).bind(9, r.mean).bind(10, r.norm);
    row->bind_blob(11, std::span(reinterpret_cast<const uint8_t*>(r.kept.data()), r.kept.size()));
    if (Result<void> done = row->run(database); !done) return done;
  }
  return {};
}

void CounterReader::series(TableScan& scan, const CaptureBuilder& builder) {
  const size_t names = builder.so_far().names().size();
  CounterSeries s;
  s.name = scan.id(1, "nameId", names);
  s.group = scan.id(2, "groupId", names);
  s.unit = scan.id(3, "unitId", names);
  all_.push_back(std::move(s));
}

void CounterReader::value(TableScan& scan, int64_t session_start_ns) {
  const uint32_t id = scan.id(0, "counterId", all_.size());
  const int64_t time = scan.integer(1, "timestamp", -kAny, kAny);
  const double value = scan.real(2, "value");
  int64_t absolute = 0;
  if (__builtin_add_overflow(time, session_start_ns, &absolute)) scan.fail("timestamp {} ns is out of range", time);
  if (scan.failed()) return;
  all_[id].time_ns.push_back(absolute);
  all_[id].value.push_back(value);
}

void CounterReader::hand_over(CaptureBuilder& builder) {
  for (CounterSeries& s : all_) builder.add_counter(std::move(s));
  all_.clear();
}

void read_collective(TableScan& scan, CaptureBuilder& builder) {
  const size_t names = builder.so_far().names().size();
  CollectiveRecord r;
  r.correlation = static_cast<uint64_t>(scan.integer(0, "correlationId", std::numeric_limits<int64_t>::min(), kAny));
  r.operation = scan.id(1, "operationId", names);
  r.element_type = scan.id(2, "elementTypeId", names);
  r.group = scan.id(3, "groupId", names);
  r.ranks = scan.id(4, "ranksId", names);
  r.in_elements = scan.integer(5, "inElements", -1, kAny);
  r.out_elements = scan.integer(6, "outElements", -1, kAny);
  r.in_bytes = scan.integer(7, "inBytes", -1, kAny);
  r.out_bytes = scan.integer(8, "outBytes", -1, kAny);
  r.group_size = static_cast<int32_t>(scan.integer(9, "groupSize", -1, std::numeric_limits<int32_t>::max()));
  if (!scan.failed()) builder.add_collective(r);
}

void read_result(TableScan& scan, CaptureBuilder& builder) {
  const auto real = [&](int column, const char* what) {
    return scan.is_null(column) ? std::numeric_limits<double>::quiet_NaN() : scan.real(column, what);
  };
  ResultRecord r;
  r.tensor = scan.id_or_none(0, "tensorId", builder.so_far().tensors().size());
  r.step = static_cast<uint32_t>(scan.integer(1, "step", 0, std::numeric_limits<uint32_t>::max() - 1));
  const std::string dtype = scan.raw(2, "elementType");
  const std::optional<engine::DType> known = engine::parse_dtype(dtype);
  if (!known) scan.fail("elementType is no data type");
  r.dtype = known.value_or(engine::DType::float32);
  r.checksum = checksum_of(scan, 3);
  r.elements = scan.count(4, "elements");
  r.not_finite = scan.count(5, "notFinite");
  r.least = real(6, "least");
  r.most = real(7, "most");
  r.mean = real(8, "mean");
  r.norm = real(9, "norm");
  r.kept = scan.blob(10, "kept");
  if (!scan.failed()) builder.add_result(std::move(r));
}

}  // namespace profiler
