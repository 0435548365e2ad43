// SPDX-License-Identifier: Apache-2.0
// SQLite files that are nsys exports of other versions, damaged, hostile, or none at all.

#include <fstream>

#include "tests/profiler/import/import_support.h"

namespace {

using namespace profiler;
using namespace tests;

class BadNsys : public testing::Test {
 protected:
  void sql(const std::string& text) { run_sql(file_, text); }
  /// The smallest export: names and one kernel of 10 ns.
  void minimal() {
    sql("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES(1,'gemm');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, \"end\" INTEGER, deviceId INTEGER, streamId INTEGER, "
        "demangledName INTEGER);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(5,15,0,7,1)");
  }
  engine::Result<CapturePtr> import() {
    return import_traces({.files = {file_}, .format = {}, .command = {}, .control = {}});
  }
  std::string refusal() {
    const auto c = import();
    EXPECT_FALSE(c);
    return c ? "" : c.error().message;
  }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "a.sqlite";
};

TEST_F(BadNsys, WarningsOfNsysAreShownOnce) {
  minimal();
  sql("CREATE TABLE DIAGNOSTIC_EVENT(timestamp INTEGER, timestampType INTEGER, source INTEGER, severity INTEGER, text "
      "TEXT, globalPid INTEGER);"
      "INSERT INTO DIAGNOSTIC_EVENT VALUES(1,1,1,2,'CUDA profiling might have not been started correctly.',0),"
      "(2,1,1,2,'CUDA profiling might have not been started correctly.',0),(3,1,1,3,'Buffer lost',0),"
      "(4,1,1,1,'Profiling has started.',0),(5,1,1,2,NULL,0)");
  const auto c = import();
  ASSERT_TRUE(c) << c.error().message;
  const std::string all = notes(**c);
  EXPECT_NE(all.find("nsys reports a warning: CUDA profiling might have not been started correctly. (2 times)."),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("nsys reports an error: Buffer lost."), std::string::npos) << all;
  EXPECT_EQ(all.find("has started"), std::string::npos) << "of no consequence";
}

TEST_F(BadNsys, FewTablesAndColumnsAreEnough) {
  minimal();
  const auto c = import();
  ASSERT_TRUE(c) << c.error().message;
  ASSERT_EQ((*c)->gpu().kernels.size(), 1u);
  EXPECT_EQ((*c)->activities().duration_ns[0], 10);
  EXPECT_EQ((*c)->gpu().kernels[0].registers_per_thread, -1) << "unknown, not 0";
  EXPECT_EQ((*c)->gpu().kernels[0].grid[0], -1);
}

TEST_F(BadNsys, RowsOfWrongTypesAreLeftOutOrUnknown) {
  minimal();
  sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES('abc',15,0,7,1),(NULL,1,0,0,1),(1.5,2,0,0,1),(x'00',1,0,0,1),"
      "(30,20,0,7,1),(40,41,'x',99999999999,77),(-9223372036854775807,9223372036854775807,0,0,1)");
  const auto c = import();
  ASSERT_TRUE(c) << c.error().message;
  const std::string said = notes(**c);
  EXPECT_EQ((*c)->gpu().kernels.size(), 3u) << said;
  EXPECT_NE(said.find("5 rows could not be read"), std::string::npos) << said;
  EXPECT_NE(said.find("1 negative duration was"), std::string::npos) << "end before start";
  EXPECT_NE(said.find("1 name is missing"), std::string::npos) << said;
}

TEST_F(BadNsys, ARenamedTimeColumnIsRefusedByName) {
  minimal();
  sql("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME COLUMN start TO startNs");
  EXPECT_NE(refusal().find("CUPTI_ACTIVITY_KIND_KERNEL has no column start"), std::string::npos);
}

TEST_F(BadNsys, OtherSchemas) {
  minimal();
  sql("CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT); INSERT INTO META_DATA_EXPORT "
      "VALUES('EXPORT_SCHEMA_VERSION_MAJOR','4'),('EXPORT_SCHEMA_VERSION','4.0.0')");
  EXPECT_NE(refusal().find("schema 4 (4.0.0)"), std::string::npos);
  sql("UPDATE META_DATA_EXPORT SET value = '3'; PRAGMA user_version = 99; PRAGMA application_id = 7;"
      "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN somethingNew TEXT DEFAULT 'x'");
  EXPECT_TRUE(import());
}

TEST_F(BadNsys, ViewsAndTriggersAreNotBelieved) {
  minimal();
  sql("CREATE TABLE t(a); CREATE TRIGGER boom AFTER INSERT ON t BEGIN DELETE FROM StringIds; END;"
      "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT "
      "i AS start, i AS \"end\" FROM n");
  const auto c = import();
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_TRUE((*c)->gpu().copies.empty()) << "a view in place of a table would run for ever";
}

TEST_F(BadNsys, TwoThousandTables) {
  minimal();
  std::string text = "BEGIN;";
  for (int i = 0; i < 2000; ++i) text += "CREATE TABLE t" + std::to_string(i) + "(a);";
  sql(text + "COMMIT");
  EXPECT_TRUE(import());
}

TEST_F(BadNsys, OtherDatabases) {
  sql("CREATE TABLE t(a)");
  EXPECT_NE(refusal().find("no export of nsys"), std::string::npos);
}

TEST_F(BadNsys, TruncatedOrZeroedOrFlipped) {
  minimal();
  std::string text = "BEGIN;";
  for (int i = 0; i < 3000; ++i)
    text += "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(" + std::to_string(i * 10) + "," +
            std::to_string(i * 10 + 5) + ",0,7,1);";
  sql(text + "COMMIT");
  const std::string whole = read_bytes(file_);
  write_bytes(file_, whole.substr(0, whole.size() / 2));
  EXPECT_NE(refusal().find("truncated"), std::string::npos);
  std::string zeroed = whole;
  std::fill(zeroed.begin() + 8192, zeroed.begin() + 16384, '\0');
  write_bytes(file_, zeroed);
  EXPECT_NE(refusal().find("damaged"), std::string::npos);
  for (size_t i = 0; i < 60; ++i) {  // read or refused, never worse
    std::string flipped = whole;
    flipped[(i * 7919 + 100) % flipped.size()] ^= static_cast<char>(1 << (i % 8));
    write_bytes(file_, flipped);
    const auto c = import();
    EXPECT_TRUE(c.ok() || !c.error().message.empty());
  }
}

TEST_F(BadNsys, AWriterThatHasNotFinished) {
  minimal();
  write_bytes(folder_ / "a.sqlite-wal", "left behind");
  EXPECT_NE(refusal().find("a.sqlite-wal lies beside it"), std::string::npos);
}

TEST_F(BadNsys, OpenRangesAndTextsById) {
  minimal();
  sql("CREATE TABLE NVTX_EVENTS(start INTEGER, \"end\" INTEGER, eventType INTEGER, text TEXT, textId INTEGER, "
      "globalTid INTEGER);"
      "INSERT INTO NVTX_EVENTS "
      "VALUES(1,NULL,59,'open',NULL,1),(1,4,59,NULL,1,1),(2,NULL,34,'mark',NULL,1),(1,9,60,'overlaps',NULL,1),(0,1,75,'"
      "domain',NULL,1),"
      "(3,8,59,'aten::mm, seq = 1, op_id = 2, sizes = [[2, 3], [3, 4]]',NULL,1)");
  const auto c = import();
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_NE(notes(**c).find("1 range begins without an end"), std::string::npos) << notes(**c);
  const auto& a = (*c)->activities();
  for (size_t i = 0; i < a.size(); ++i) {
    if ((*c)->name(a.name[i]) == "open") {
      EXPECT_EQ(a.duration_ns[i], 14) << "up to the end of the last kernel";
    }
  }
  const auto& ops = (*c)->ops();
  const auto mm = std::find_if(ops.begin(), ops.end(),
                               [&](const OpRecord& op) { return (*c)->name(op.name) == "aten::mm [2,3] [3,4]"; });
  ASSERT_NE(mm, ops.end());
  EXPECT_EQ(mm->flops, 48);
}

/// As `nsys profile` records CUDA graphs unless it is asked for their nodes.
TEST_F(BadNsys, GraphsThatWereTracedAsAWholeAreWork) {
  minimal();
  sql("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN correlationId INTEGER; UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "
      "correlationId = 3;"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER, \"end\" INTEGER, deviceId INTEGER, streamId "
      "INTEGER, correlationId INTEGER, graphId INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(20,120,0,7,4,9),(5,15,0,7,3,9)");
  const auto c = import();
  ASSERT_TRUE(c) << c.error().message;
  int64_t sum = 0;
  for (const KernelRecord& k : (*c)->gpu().kernels) sum += (*c)->activities().duration_ns[k.activity];
  EXPECT_EQ(sum, 110) << "the graph of correlation 3 has its kernels in the file";
  EXPECT_NE(notes(**c).find("1 launch of a CUDA graph was traced as a whole"), std::string::npos) << notes(**c);
}

TEST_F(BadNsys, TablesThatAreNotReadAreNamed) {
  minimal();
  sql("CREATE TABLE MPI_P2P_EVENTS(start INTEGER, \"end\" INTEGER); INSERT INTO MPI_P2P_EVENTS VALUES(1,2),(3,4); "
      "CREATE TABLE "
      "CUDNN_EVENTS(start INTEGER, \"end\" INTEGER);"
      "CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS(start INTEGER); INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS VALUES(1);"
      "CREATE VIEW NVTX_EVENTS AS SELECT 1 AS start, 2 AS \"end\", 59 AS eventType; CREATE TABLE TARGET_INFO_X(start "
      "INTEGER); INSERT INTO TARGET_INFO_X VALUES(1)");
  const auto c = import();
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_NE(notes(**c).find("not read: CUDA_UM_CPU_PAGE_FAULT_EVENTS (1 rows), MPI_P2P_EVENTS (2 rows), NVTX_EVENTS "
                            "(a view, which could be anything)."),
            std::string::npos)
      << notes(**c);
  EXPECT_NE(notes(**c).find("3 rows of tables that are not read were left out"), std::string::npos) << notes(**c);
  EXPECT_EQ((*c)->honesty().dropped_records, 3);
}

/// Name, begin and duration of the spans of a group of tracks.
std::string spans_of(const Capture& c, const std::string& group) {
  std::string all;
  const ActivityColumns& a = c.activities();
  for (size_t i = 0; i < a.size(); ++i) {
    const Track& track = c.tracks()[a.track[i]];
    if (track.group != group) continue;
    all += (all.empty() ? "" : ", ") + track.name + ": " + std::string(c.name(a.name[i])) + " " +
           std::to_string(a.start_ns[i]) + "+" + std::to_string(a.duration_ns[i]);
  }
  return all;
}

TEST_F(BadNsys, CallsOfTheSystemSwitchesAndSamplesAreRead) {
  minimal();
  sql("INSERT INTO StringIds VALUES(2,'pthread_cond_wait'),(3,'python'),(4,'main_loop'),(5,'start');"
      "CREATE TABLE ThreadNames(nameId INTEGER, priority INTEGER, globalTid INTEGER);"
      "INSERT INTO ThreadNames VALUES(3,0,16777217);"
      "CREATE TABLE OSRT_API(start INTEGER, \"end\" INTEGER, globalTid INTEGER, nameId INTEGER);"
      "INSERT INTO OSRT_API VALUES(10,40,16777217,2),('x',1,16777217,2);"
      "CREATE TABLE SCHED_EVENTS(start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER);"
      // out of order; a switch in without the one out before; one that is still in at the end
      "INSERT INTO SCHED_EVENTS VALUES(30,0,0,16777217),(20,0,1,16777217),(40,0,1,16777218),(55,0,1,16777217),"
      "(10,3,0,16777217),(NULL,3,0,1),(5,-1,1,1);"
      "CREATE TABLE COMPOSITE_EVENTS(id INTEGER, start INTEGER, cpu INTEGER, globalTid INTEGER);"
      "INSERT INTO COMPOSITE_EVENTS VALUES(1,12,0,16777217),(2,22,0,16777217),(3,'x',0,16777217);"
      "CREATE TABLE SAMPLING_CALLCHAINS(id INTEGER, symbol INTEGER, stackDepth INTEGER);"
      "INSERT INTO SAMPLING_CALLCHAINS VALUES(1,5,1),(1,4,0)");
  const auto c = import();
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(spans_of(**c, "process 1"), "python (1): pthread_cond_wait 10+30");
  EXPECT_EQ(spans_of(**c, "Processors"), "processor 0: python (1) 20+10, processor 0: thread 2 40+15");
  EXPECT_EQ(spans_of(**c, "Samples of processors"),
            "python (1): main_loop 12+0, python (1): sample without a stack 22+0");
  EXPECT_NE(notes(**c).find("4 rows could not be read"), std::string::npos) << notes(**c);
  EXPECT_EQ(notes(**c).find("tables with events that are not read"), std::string::npos) << notes(**c);
}

TEST_F(BadNsys, TimesBeyondAllClocksAreLeftOut) {
  minimal();
  sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
      "VALUES(9223372036854775000,9223372036854775807,0,7,1),(-9223372036854775807,-9223372036854775000,0,7,1),(5,"
      "9223372036854775807,0,7,1);"
      "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER); INSERT INTO TARGET_INFO_SESSION_START_TIME "
      "VALUES(4611686018427387000);"
      "CREATE TABLE TARGET_INFO_GPU(id INTEGER, cuDevice INTEGER, name TEXT); INSERT INTO TARGET_INFO_GPU "
      "VALUES(0,0,'G');"
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER); INSERT INTO TARGET_INFO_CUDA_DEVICE "
      "VALUES(0,4294967296)");
  const auto c = import();
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ((*c)->gpu().kernels.size(), 1u);
  const std::string said = notes(**c);
  EXPECT_NE(
      said.find(
          "3 rows could not be read and were left out (first: in CUPTI_ACTIVITY_KIND_KERNEL: from 9223372036854775000"),
      std::string::npos)
      << said;
  EXPECT_NE(said.find("it is 4611686018427387000 ns; possible are 0 to"), std::string::npos) << said;
  ASSERT_EQ((*c)->gpu().devices.size(), 1u);
  EXPECT_EQ((*c)->gpu().devices[0].device, -1) << "4294967296 is not device 0";
}

}  // namespace
