// SPDX-License-Identifier: Apache-2.0
// GPU tables: definitions, rows in and out.
#include "profiler/store/capture_gpu_tables.h"

#include <fmt/format.h>

#include <limits>
#include <tuple>

#include "profiler/store/capture_gpu_columns.h"

namespace profiler {

using engine::Result;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

template <class Record>
constexpr bool kIsActivity = requires {
  Record::kKind;
};

/// Collects names and types of columns.
struct Lister {
  std::string definition = "(", columns;

  void add(std::string_view column, std::string_view type) {
    if (!columns.empty()) definition += ", ", columns += ", ";
    definition += fmt::format("{} {}", column, type);
    columns += column;
  }
  template <class T>
  void figure(const char* column, const T&) {
    add(column, "INTEGER");
  }
  template <class T>
  void number(const char* column, const T&) {
    add(column, "INTEGER NOT NULL");
  }
  template <class T>
  void integer(const char* column, const T&) {
    add(column, "INTEGER NOT NULL");
  }
  template <class T>
  void kind(const char* column, const T&, int) {
    add(column, "INTEGER NOT NULL");
  }
  void flag(const char* column, bool) { add(column, "INTEGER NOT NULL"); }
  void name(const char* column, NameId) { add(column, "INTEGER NOT NULL"); }
  void tensor(const char* column, TensorId) { add(column, "INTEGER"); }
  void text(const char* column, const std::string&) { add(column, "TEXT"); }
  void process(const char* column) { add(column, "INTEGER"); }
  void thread(const char* column) { add(column, "INTEGER"); }
};

/// Binds values from column `next` on.
struct Binder {
  Statement& row;
  const WriterProcess& process_info;
  TrackId track = 0;
  int next = 1;

  template <class T>
  void figure(const char*, const T& value) {
    if (value == kUnknownFigure) {
      row.bind_null(next++);
    } else {
      row.bind(next++, static_cast<int64_t>(value));
    }
  }
  template <class T>
  void number(const char*, const T& value) {
    row.bind(next++, static_cast<int64_t>(value));
  }
  template <class T>
  void integer(const char*, const T& value) {
    row.bind(next++, static_cast<int64_t>(value));
  }
  template <class T>
  void kind(const char*, const T& value, int) {
    row.bind(next++, static_cast<int64_t>(value));
  }
  void flag(const char*, bool value) { row.bind(next++, int64_t{value}); }
  void name(const char*, NameId id) { row.bind(next++, int64_t{id}); }
  void tensor(const char*, TensorId id) { bind_id(row, next++, id); }
  void text(const char*, const std::string& value) { row.bind(next++, value); }
  void process(const char*) { row.bind(next++, process_info.global_pid); }
  void thread(const char*) { row.bind(next++, process_info.global_tid(track)); }
};

/// Takes values from column `next` on, each held against its range.
struct Taker {
  TableScan& scan;
  const Capture& so_far;
  int next = 0;

  template <class T>
  void figure(const char* column, T& value) {
    value = scan.is_null(next) ? T{kUnknownFigure}
                               : static_cast<T>(scan.integer(next, column, 0, std::numeric_limits<T>::max()));
    ++next;
  }
  template <class T>
  void number(const char* column, T& value) {
    if constexpr (sizeof(T) == sizeof(int64_t)) {
      value = static_cast<T>(scan.integer(next++, column, std::numeric_limits<int64_t>::min(), kAny));
    } else {
      value = static_cast<T>(scan.integer(next++, column, 0, std::numeric_limits<T>::max()));
    }
  }
  void integer(const char* column, int64_t& value) {
    value = scan.integer(next++, column, std::numeric_limits<int64_t>::min(), kAny);
  }
  template <class T>
  void kind(const char* column, T& value, int count) {
    value = static_cast<T>(scan.integer(next++, column, 0, count - 1));
  }
  void flag(const char* column, bool& value) { value = scan.flag(next++, column); }
  void name(const char* column, NameId& id) { id = scan.id(next++, column, so_far.names().size()); }
  void tensor(const char* column, TensorId& id) { id = scan.id_or_none(next++, column, so_far.tensors().size()); }
  void text(const char* column, std::string& value) { value = scan.text(next++, column); }
  void process(const char*) { ++next; }
  void thread(const char*) { ++next; }
};

void add(CaptureBuilder& b, const Activity& a, const KernelRecord& r) { b.add_kernel(a, r); }
void add(CaptureBuilder& b, const Activity& a, const CopyRecord& r) { b.add_copy(a, r); }
void add(CaptureBuilder& b, const Activity& a, const MemsetRecord& r) { b.add_memset(a, r); }
void add(CaptureBuilder& b, const Activity& a, const ApiCallRecord& r) { b.add_api_call(a, r); }
void add(CaptureBuilder& b, const Activity& a, const SynchronizationRecord& r) { b.add_synchronization(a, r); }
void add(CaptureBuilder& b, const Activity& a, const OverheadRecord& r) { b.add_overhead(a, r); }
void add(CaptureBuilder& b, const GpuDevice& r) { b.add_gpu_device(r); }
void add(CaptureBuilder& b, const GpuContext& r) { b.add_gpu_context(r); }
void add(CaptureBuilder& b, const GpuStream& r) { b.add_gpu_stream(r); }

/// Columns 1 to 8 of the tables with activities.
void bind_activity(Statement& row, const Activity& a, int64_t session_start_ns) {
  const int64_t start = a.start_ns - session_start_ns;
  row.bind(1, start).bind(2, start + a.duration_ns);
  if (a.correlation == 0) {
    row.bind_null(3);
  } else {
    row.bind(3, static_cast<int64_t>(a.correlation));
  }
  row.bind(4, int64_t{a.name}).bind(5, int64_t{a.track});
  bind_id(row, 6, a.op);
  bind_id(row, 7, a.step);
  row.bind(8, int64_t{a.flags});
}

Activity take_activity(TableScan& scan, const Capture& so_far, const char* name_column, int64_t file_start_ns) {
  Activity a;
  std::tie(a.start_ns, a.duration_ns) = read_span(scan, 0, file_start_ns);
  if (!scan.is_null(2)) {
    a.correlation = static_cast<uint64_t>(scan.integer(2, "correlationId", std::numeric_limits<int64_t>::min(), kAny));
  }
  a.name = scan.id(3, name_column, so_far.names().size());
  a.track = static_cast<TrackId>(scan.id(4, "tideTrack", so_far.tracks().size()));
  a.op = scan.id_or_none(5, "tideOp", so_far.ops().size());
  a.step = scan.id_or_none(6, "tideStep", kNoStep);
  a.flags = static_cast<uint8_t>(scan.integer(7, "tideFlags", 0, 255));
  return a;
}
constexpr int kActivityColumns = 8;

template <class Record>
Result<void> write_list(const Database& database, std::span<const Activity> activities, const std::vector<Record>& list,
                        const WriterProcess& process) {
  if (list.empty()) return {};
  constexpr Tide table = GpuTable<Record>::table;
  if (Result<void> made = make_table(database, table); !made) return made;
  auto row = prepare_insert(database, table);
  if (!row) return row.error();
  for (const Record& record : list) {
    const Activity& a = activities[record.activity];
    bind_activity(*row, a, process.session_start_ns);
    Binder binder{.row = *row, .process_info = process, .track = a.track, .next = kActivityColumns + 1};
    visit_columns(record, binder);
    if (Result<void> done = row->run(database); !done) return done;
  }
  return {};
}

template <class Object>
Result<void> write_objects(const Database& database, std::span<const Object> list) {
  if (list.empty()) return {};
  constexpr Tide table = GpuTable<Object>::table;
  if (Result<void> made = make_table(database, table); !made) return made;
  auto row = prepare_insert(database, table);
  if (!row) return row.error();
  const WriterProcess nobody;
  for (const Object& object : list) {
    Binder binder{.row = *row, .process_info = nobody};
    visit_columns(object, binder);
    if (Result<void> done = row->run(database); !done) return done;
  }
  return {};
}

template <class Kind>
Result<void> write_enum(const Database& database, Tide table, int count) {
  if (Result<void> made = make_table(database, table); !made) return made;
  auto row = prepare_insert(database, table);
  if (!row) return row.error();
  for (int i = 0; i < count; ++i) {
    const std::string_view label = name(static_cast<Kind>(i));
    if (Result<void> done = row->bind(1, int64_t{i}).bind(2, label).bind(3, label).run(database); !done) return done;
  }
  return {};
}

}  // namespace

Result<void> make_table(const Database& database, Tide table) {
  return database.execute(
      fmt::format("CREATE TABLE IF NOT EXISTS {} {}", spec(table).name, spec(table).definition).c_str());
}

void bind_id(Statement& row, int column, uint32_t id) {
  if (id == std::numeric_limits<uint32_t>::max()) {
    row.bind_null(column);
  } else {
    row.bind(column, int64_t{id});
  }
}

Result<Statement> prepare_insert(const Database& database, Tide table) {
  const std::string_view columns = spec(table).columns;
  std::string marks = "?";
  for (const char c : columns) {
    if (c == ',') marks += ", ?";
  }
  return Statement::prepare(database, fmt::format("INSERT INTO {} ({}) VALUES ({})", spec(table).name, columns, marks));
}

std::pair<int64_t, int64_t> read_span(TableScan& scan, int start_column, int64_t file_start_ns) {
  const int64_t start = scan.integer(start_column, "start", -kAny, kAny);
  const int64_t end = scan.integer(start_column + 1, "end", -kAny, kAny);
  int64_t absolute = 0, absolute_end = 0, duration = 0;
  if (end < start) {
    scan.fail("ends at {} ns, before it starts at {} ns", end, start);
  } else if (__builtin_add_overflow(file_start_ns, start, &absolute) ||
             __builtin_add_overflow(file_start_ns, end, &absolute_end) ||
             __builtin_sub_overflow(end, start, &duration)) {
    scan.fail("start {} ns and end {} ns are out of range", start, end);
  }
  return {absolute, duration};
}

TableSpec gpu_table_spec(Tide table, const char* table_name, std::string_view more) {
  Lister lister;
  with_record_of(table, [&lister]<class Record>(const Record& record) {
    if constexpr (kIsActivity<Record>) {
      lister.add("start", "INTEGER NOT NULL");
      lister.add("\"end\"", "INTEGER NOT NULL");
      lister.add("correlationId", "INTEGER");
      lister.add(GpuTable<Record>::name_column, "INTEGER NOT NULL");
      lister.add("tideTrack", "INTEGER NOT NULL");
      lister.add("tideOp", "INTEGER");
      lister.add("tideStep", "INTEGER");
      lister.add("tideFlags", "INTEGER NOT NULL");
    }
    visit_columns(record, lister);
  });
  return {.name = table_name,
          .definition = fmt::format("{}{})", lister.definition, more),
          .columns = lister.columns,
          .lazy = true};
}

void read_gpu_row(Tide table, TableScan& scan, CaptureBuilder& builder, int64_t file_start_ns) {
  with_record_of(table, [&]<class Record>(Record record) {
    Taker taker{.scan = scan, .so_far = builder.so_far()};
    if constexpr (kIsActivity<Record>) {
      const Activity a = take_activity(scan, builder.so_far(), GpuTable<Record>::name_column, file_start_ns);
      taker.next = kActivityColumns;
      visit_columns(record, taker);
      if (!scan.failed()) add(builder, a, record);
    } else {
      visit_columns(record, taker);
      if (!scan.failed()) add(builder, record);
    }
  });
}

Result<void> write_gpu_records(const Database& database, std::span<const Activity> activities,
                               const GpuRecords& records, const WriterProcess& process) {
  Result<void> written;
  GpuRecords::visit_lists(records, [&](const auto& list) {
    if (written) written = write_list(database, activities, list, process);
  });
  return written;
}

Result<void> write_gpu_objects(const Database& database, const GpuRecords& records, size_t devices, size_t contexts,
                               size_t streams) {
  Result<void> written = write_objects(database, std::span(records.devices).subspan(devices));
  if (written) written = write_objects(database, std::span(records.contexts).subspan(contexts));
  if (written) written = write_objects(database, std::span(records.streams).subspan(streams));
  return written;
}

Result<void> write_gpu_enums(const Database& database) {
  Result<void> written = write_enum<CopyKind>(database, Tide::copy_kinds, kCopyKindCount);
  if (written) written = write_enum<MemoryKind>(database, Tide::memory_kinds, kMemoryKindCount);
  if (written) written = write_enum<SyncKind>(database, Tide::sync_kinds, kSyncKindCount);
  return written;
}

}  // namespace profiler
