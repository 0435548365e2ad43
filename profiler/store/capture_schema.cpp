// SPDX-License-Identifier: Apache-2.0
// Table definitions of a .tide file and the checksum of a table.
#include "profiler/store/capture_schema.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <vector>

#include "engine/base/check.h"
#include "profiler/store/capture_gpu_tables.h"

namespace profiler {
namespace {

// Times are nanoseconds since the session's start (TARGET_INFO_SESSION_START_TIME.systemClockNs on
// CLOCK_MONOTONIC), as in nsys.
std::vector<TableSpec> make_specs() {
  std::vector<TableSpec> specs{
      {"StringIds", "(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)", "id, value"},
      {"NVTX_EVENTS",
       "(start INTEGER NOT NULL, \"end\" INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, "
       "category INTEGER, "
       "color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId "
       "INTEGER, "
       "tideKind INTEGER, tideTrack INTEGER, tideOp INTEGER, tideStep INTEGER, tideFlags INTEGER, "
       "tideCorrelation INTEGER)",
       "start, \"end\", eventType, globalTid, textId, domainId, tideKind, tideTrack, tideOp, "
       "tideStep, tideFlags, tideCorrelation"},
      {"ThreadNames", "(nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER)", "nameId, globalTid"},
      {"PROCESSES", "(globalPid INTEGER, pid INTEGER, name TEXT)", "globalPid, pid, name"},
      {"META_DATA_EXPORT", "(name TEXT NOT NULL, value TEXT)", "name, value"},
      {"META_DATA_CAPTURE", "(name TEXT NOT NULL, value TEXT)", "name, value"},
      {"TARGET_INFO_SESSION_START_TIME", "(utcEpochNs INTEGER, utcTime TEXT, localTime TEXT, systemClockNs INTEGER)",
       "utcEpochNs, utcTime, localTime, systemClockNs"},
      {"ANALYSIS_DETAILS",
       "(globalVid INTEGER NOT NULL, duration INTEGER NOT NULL, startTime INTEGER NOT NULL, stopTime "
       "INTEGER NOT NULL)",
       "globalVid, duration, startTime, stopTime"},
      {"ENUM_NSYS_EVENT_TYPE", "(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)", "id, name, label"},
      {"TIDE_RUN", "(key TEXT NOT NULL, value)", "key, value"},
      {"TIDE_NOTE", "(id INTEGER NOT NULL PRIMARY KEY, text TEXT NOT NULL)", "id, text"},
      {"TIDE_MACHINE", "(id INTEGER NOT NULL PRIMARY KEY, json TEXT NOT NULL)", "id, json"},
      {"TIDE_TRACK",
       "(id INTEGER NOT NULL PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, groupName TEXT NOT "
       "NULL, globalTid INTEGER NOT NULL)",
       "id, kind, name, groupName, globalTid"},
      {"TIDE_OP",
       "(id INTEGER NOT NULL PRIMARY KEY, nameId INTEGER NOT NULL, typeId INTEGER NOT NULL, layerId "
       "INTEGER NOT NULL, "
       "kernelId INTEGER NOT NULL, phase TEXT NOT NULL, isView INTEGER NOT NULL, flops REAL)",
       "id, nameId, typeId, layerId, kernelId, phase, isView, flops"},
      {"TIDE_OPERAND",
       "(id INTEGER NOT NULL PRIMARY KEY, opId INTEGER NOT NULL, tensorId INTEGER NOT NULL, role "
       "TEXT NOT NULL, "
       "isOutput INTEGER NOT NULL, readBytes INTEGER NOT NULL, writtenBytes INTEGER NOT NULL)",
       "id, opId, tensorId, role, isOutput, readBytes, writtenBytes"},
      {"TIDE_TENSOR",
       "(id INTEGER NOT NULL PRIMARY KEY, nameId INTEGER NOT NULL, dtype TEXT NOT NULL, shape TEXT "
       "NOT NULL, strides TEXT NOT NULL, "
       "role TEXT NOT NULL, isPersistent INTEGER NOT NULL, aliasOf INTEGER, sizeBytes INTEGER NOT "
       "NULL, offsetBytes INTEGER NOT NULL, "
       "firstOp INTEGER, lastOp INTEGER)",
       "id, nameId, dtype, shape, strides, role, isPersistent, aliasOf, sizeBytes, offsetBytes, "
       "firstOp, lastOp"},
      {"TIDE_STEP",
       "(step INTEGER NOT NULL PRIMARY KEY, start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, "
       "isTraced INTEGER NOT NULL, isWarmup INTEGER NOT NULL)",
       "step, start, \"end\", isTraced, isWarmup"},
      {"TIDE_ACTIVITY_KIND", "(id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)", "id, name"},
  };
  const auto gpu = [&specs](Tide table, const char* name, std::string_view more = "") {
    CHECK(specs.size() == static_cast<size_t>(table));
    specs.push_back(gpu_table_spec(table, name, more));
  };
  // columns that nsys has as NOT NULL and we do not know are there with nsys's own "unknown"
  gpu(Tide::kernels, "CUPTI_ACTIVITY_KIND_KERNEL",
      ", localMemoryPerThread INTEGER NOT NULL DEFAULT 0, tensorSizeMinusOneElements TEXT NOT NULL DEFAULT '[]'");
  gpu(Tide::copies, "CUPTI_ACTIVITY_KIND_MEMCPY");
  gpu(Tide::memsets, "CUPTI_ACTIVITY_KIND_MEMSET");
  gpu(Tide::api_calls, "CUPTI_ACTIVITY_KIND_RUNTIME");
  gpu(Tide::synchronizations, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
  gpu(Tide::overheads, "CUPTI_ACTIVITY_KIND_OVERHEAD", ", eventClass INTEGER NOT NULL DEFAULT 0");
  gpu(Tide::gpus, "TARGET_INFO_GPU", ", vmId INTEGER NOT NULL DEFAULT 0");
  constexpr const char* kProcess =
      ", hwId INTEGER NOT NULL DEFAULT 0, vmId INTEGER NOT NULL DEFAULT 0, processId INTEGER NOT NULL DEFAULT 0";
  gpu(Tide::gpu_contexts, "TARGET_INFO_CUDA_CONTEXT_INFO", kProcess);
  gpu(Tide::gpu_streams, "TARGET_INFO_CUDA_STREAM", kProcess);
  for (const char* name : {"ENUM_CUDA_MEMCPY_OPER", "ENUM_CUDA_MEM_KIND", "ENUM_CUPTI_SYNC_TYPE"}) {
    specs.push_back({name, "(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)", "id, name, label", true});
  }
  specs.push_back(
      {"TIDE_COUNTER",
       "(id INTEGER NOT NULL PRIMARY KEY, nameId INTEGER NOT NULL, groupId INTEGER NOT NULL, unitId INTEGER NOT NULL)",
       "id, nameId, groupId, unitId", true});
  specs.push_back({"TIDE_COUNTER_VALUE",
                   "(counterId INTEGER NOT NULL, timestamp INTEGER NOT NULL, value REAL NOT NULL)",
                   "counterId, timestamp, value", true});
  specs.push_back({"TIDE_COLLECTIVE",
                   "(correlationId INTEGER NOT NULL, operationId INTEGER NOT NULL, elementTypeId INTEGER NOT NULL, "
                   "groupId INTEGER NOT "
                   "NULL, ranksId INTEGER NOT NULL, inElements INTEGER NOT NULL, outElements INTEGER NOT NULL, inBytes "
                   "INTEGER NOT NULL, "
                   "outBytes INTEGER NOT NULL, groupSize INTEGER NOT NULL)",
                   "correlationId, operationId, elementTypeId, groupId, ranksId, inElements, outElements, inBytes, "
                   "outBytes, groupSize",
                   true});
  specs.push_back({"TIDE_OP_ATTRIBUTE",
                   "(opId INTEGER NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, value NOT NULL)",
                   "opId, key, kind, value", true});
  specs.push_back({"TIDE_TRAFFIC_SOURCE",
                   "(id INTEGER NOT NULL PRIMARY KEY, origin TEXT NOT NULL, policy TEXT NOT NULL, method TEXT NOT "
                   "NULL, sampled INTEGER NOT "
                   "NULL, samplingError REAL NOT NULL)",
                   "id, origin, policy, method, sampled, samplingError", true});
  specs.push_back({"TIDE_TRAFFIC_LINK",
                   "(sourceId INTEGER NOT NULL, link INTEGER NOT NULL, outerLevel TEXT NOT NULL, innerLevel TEXT NOT "
                   "NULL, capacityBytes REAL)",
                   "sourceId, link, outerLevel, innerLevel, capacityBytes", true});
  specs.push_back({"TIDE_TRAFFIC_NOTE", "(sourceId INTEGER NOT NULL, opId INTEGER NOT NULL, text TEXT NOT NULL)",
                   "sourceId, opId, text", true});
  specs.push_back(
      {"TIDE_TRAFFIC",
       "(sourceId INTEGER NOT NULL, opId INTEGER NOT NULL, tensorId INTEGER, link INTEGER NOT NULL, readBytes REAL, "
       "writtenBytes "
       "REAL, writeAllocateBytes REAL, hits REAL, misses REAL, errorBand REAL, isNearCapacity INTEGER NOT NULL)",
       "sourceId, opId, tensorId, link, readBytes, writtenBytes, writeAllocateBytes, hits, misses, errorBand, "
       "isNearCapacity",
       true});
  specs.push_back({"TIDE_MISS_CAUSE",
                   "(sourceId INTEGER NOT NULL, opId INTEGER NOT NULL, link INTEGER NOT NULL, compulsoryRatio REAL NOT "
                   "NULL, capacityRatio REAL NOT "
                   "NULL, conflictRatio REAL NOT NULL)",
                   "sourceId, opId, link, compulsoryRatio, capacityRatio, conflictRatio", true});
  specs.push_back({"TIDE_STRIDED_MISS",
                   "(sourceId INTEGER NOT NULL, opId INTEGER NOT NULL, link INTEGER NOT NULL, strideBytes REAL NOT "
                   "NULL, misses REAL NOT NULL)",
                   "sourceId, opId, link, strideBytes, misses", true});
  specs.push_back({"TIDE_TOP_DOWN",
                   "(sourceId INTEGER NOT NULL, opId INTEGER NOT NULL, retiringRatio REAL NOT NULL, "
                   "badSpeculationRatio REAL NOT NULL, frontendRatio "
                   "REAL NOT NULL, backendRatio REAL NOT NULL, memoryRatio REAL NOT NULL, l1Ratio REAL NOT NULL, "
                   "l2Ratio REAL NOT NULL, l3Ratio REAL "
                   "NOT NULL, dramRatio REAL NOT NULL, storeRatio REAL NOT NULL, bandwidthRatio REAL NOT NULL, "
                   "latencyRatio REAL NOT NULL)",
                   "sourceId, opId, retiringRatio, badSpeculationRatio, frontendRatio, backendRatio, memoryRatio, "
                   "l1Ratio, l2Ratio, l3Ratio, "
                   "dramRatio, storeRatio, bandwidthRatio, latencyRatio",
                   true});
  specs.push_back({"TIDE_FUSED_MEMBER",
                   "(id INTEGER NOT NULL PRIMARY KEY, opId INTEGER NOT NULL, nameId INTEGER NOT NULL, typeId INTEGER "
                   "NOT NULL, flops REAL NOT NULL)",
                   "id, opId, nameId, typeId, flops", true});
  specs.push_back({"TIDE_FUSION_PAIR",
                   "(id INTEGER NOT NULL PRIMARY KEY, producerOp INTEGER NOT NULL, consumerOp INTEGER NOT NULL, "
                   "producerId INTEGER NOT NULL, "
                   "consumerId INTEGER NOT NULL, tensorId INTEGER NOT NULL, writtenBytes INTEGER NOT NULL, readBytes "
                   "INTEGER NOT NULL, "
                   "outcome TEXT NOT NULL)",
                   "id, producerOp, consumerOp, producerId, consumerId, tensorId, writtenBytes, readBytes, outcome",
                   true});
  specs.push_back(
      {"TIDE_OP_THREADS", "(opId INTEGER NOT NULL PRIMARY KEY, threads INTEGER NOT NULL)", "opId, threads", true});
  specs.push_back({"TIDE_KERNEL_FACTS",
                   "(opId INTEGER NOT NULL PRIMARY KEY, code TEXT NOT NULL, library TEXT NOT NULL, widens INTEGER NOT "
                   "NULL, copyLayout TEXT NOT NULL, winogradTile "
                   "INTEGER NOT NULL, packedWeights TEXT NOT NULL, productFormat TEXT NOT NULL, notFp8 TEXT NOT NULL, "
                   "tileRows INTEGER NOT NULL, tileColumns "
                   "INTEGER NOT NULL, ownGemm INTEGER NOT NULL, ownConvolution INTEGER NOT NULL, plainWeights INTEGER "
                   "NOT NULL, perImage INTEGER NOT NULL, "
                   "singleThread INTEGER NOT NULL, unsplit INTEGER NOT NULL, indivisible INTEGER NOT NULL, "
                   "streamingStores INTEGER NOT NULL, roundTrip INTEGER "
                   "NOT NULL)",
                   "opId, code, library, widens, copyLayout, winogradTile, packedWeights, productFormat, notFp8, "
                   "tileRows, tileColumns, ownGemm, ownConvolution, "
                   "plainWeights, perImage, singleThread, unsplit, indivisible, streamingStores, roundTrip",
                   true});
  specs.push_back(
      {"TIDE_LANE_WORK",
       "(opId INTEGER NOT NULL PRIMARY KEY, lanes INTEGER NOT NULL, done INTEGER NOT NULL, kept INTEGER NOT "
       "NULL)",
       "opId, lanes, done, kept", true});
  specs.push_back({"TIDE_RANK", "(id INTEGER NOT NULL PRIMARY KEY, nameId INTEGER NOT NULL)", "id, nameId", true});
  specs.push_back(
      {"TIDE_RANK_TRACK", "(trackId INTEGER NOT NULL PRIMARY KEY, rankId INTEGER NOT NULL)", "trackId, rankId", true});
  specs.push_back({"TIDE_RANK_STEP",
                   "(rankId INTEGER NOT NULL, step INTEGER NOT NULL, start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, "
                   "isTraced INTEGER NOT NULL, "
                   "isWarmup INTEGER NOT NULL)",
                   "rankId, step, start, \"end\", isTraced, isWarmup", true});
  specs.push_back({"TIDE_RESULT",
                   "(tensorId INTEGER, step INTEGER NOT NULL, elementType TEXT NOT NULL, xxh3 TEXT NOT NULL, elements "
                   "INTEGER NOT NULL, notFinite INTEGER NOT NULL, least REAL, most REAL, mean REAL, norm REAL, kept "
                   "BLOB NOT NULL)",
                   "tensorId, step, elementType, xxh3, elements, notFinite, least, most, mean, norm, kept", true});
  specs.push_back({"TIDE_CHECKSUM", "(tableName TEXT NOT NULL, rowCount INTEGER NOT NULL, xxh3 TEXT NOT NULL)",
                   "tableName, rowCount, xxh3"});
  CHECK(specs.size() == static_cast<size_t>(Tide::checksums) + 1);
  return specs;
}

const std::vector<TableSpec>& specs() {
  static const std::vector<TableSpec> made = make_specs();
  return made;
}

void append_bytes(std::string& row, const void* data, size_t size) { row.append(static_cast<const char*>(data), size); }

}  // namespace

const TableSpec& spec(Tide table) { return specs()[static_cast<size_t>(table)]; }
std::span<const TableSpec> all_tables() { return specs(); }

std::string_view track_kind_name(TrackKind kind) {
  constexpr std::string_view names[] = {"host_thread", "stream", "copy_engine", "overhead"};
  CHECK(static_cast<int>(kind) < kTrackKindCount);
  return names[static_cast<int>(kind)];
}

struct RowHasher::State {
  XXH3_state_t* xxh3 = XXH3_createState();
  ~State() { XXH3_freeState(xxh3); }
};

RowHasher::RowHasher() : state_(std::make_unique<State>()) { XXH3_64bits_reset(state_->xxh3); }
RowHasher::~RowHasher() = default;

void RowHasher::add_row(sqlite3_stmt* row) {
  row_.clear();
  const int columns = sqlite3_column_count(row);
  for (int i = 0; i < columns; ++i) {
    const int type = sqlite3_column_type(row, i);
    row_.push_back(static_cast<char>(type));
    if (type == SQLITE_INTEGER) {
      const int64_t value = sqlite3_column_int64(row, i);
      append_bytes(row_, &value, sizeof value);
    } else if (type == SQLITE_FLOAT) {
      const double value = sqlite3_column_double(row, i);
      append_bytes(row_, &value, sizeof value);
    } else if (type != SQLITE_NULL) {
      const void* data = sqlite3_column_blob(row, i);
      const int64_t size = sqlite3_column_bytes(row, i);
      append_bytes(row_, &size, sizeof size);
      if (size > 0 && data != nullptr) append_bytes(row_, data, static_cast<size_t>(size));
    }
  }
  XXH3_64bits_update(state_->xxh3, row_.data(), row_.size());
  ++rows_;
}

TableSum RowHasher::sum() const {
  return {.rows = rows_, .xxh3 = fmt::format("{:016x}", XXH3_64bits_digest(state_->xxh3))};
}

std::string select_all(const TableSpec& table) {
  return fmt::format("SELECT {} FROM {} ORDER BY rowid", table.columns, table.name);
}

engine::Result<TableSum> sum_table(const sqlite::Database& database, const TableSpec& table) {
  RowHasher hasher;
  const auto read = sqlite::each_row(database, select_all(table), fmt::format("read table {}", table.name),
                                     [&hasher](sqlite3_stmt* row) { hasher.add_row(row); });
  if (!read) return read.error();
  return hasher.sum();
}

}  // namespace profiler
