// SPDX-License-Identifier: Apache-2.0
// Profiles without PyTorch's or CUDA's own timeline: XLA, ROCm, Nsight Compute, Proton, Chakra.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <protozero/pbf_writer.hpp>

#include "tests/profiler/import/import_support.h"

namespace profiler {
namespace {

using Writer = protozero::pbf_writer;

std::string written(const std::function<void(Writer&)>& fill) {
  std::string bytes;
  Writer w(bytes);
  fill(w);
  return bytes;
}

std::string refusal(const std::string& bytes, const std::string& name) {
  const auto c = tests::import_bytes(bytes, name);
  return c ? "imported" : c.error().message;
}

/// Durations of the activities of a kind, by name.
std::multimap<std::string, int64_t> durations(const Capture& c, ActivityKind kind) {
  std::multimap<std::string, int64_t> all;
  for (size_t i = 0; i < c.activities().size(); ++i) {
    if (c.activities().kind[i] == kind)
      all.emplace(std::string(c.name(c.activities().name[i])), c.activities().duration_ns[i]);
  }
  return all;
}
using Durations = std::multimap<std::string, int64_t>;

// ---- XLA

struct XplaneEvent {
  int64_t name, offset_ns, duration_ns;
  int64_t correlation = 0;
};

std::string xplane(const std::string& name, const std::map<int64_t, std::string>& names,
                   const std::vector<std::pair<std::string, std::vector<XplaneEvent>>>& lines) {
  return written([&](Writer& space) {
    space.add_message(
        1, written([&](Writer& plane) {
          plane.add_int64(1, 3), plane.add_string(2, name);
          for (const auto& [line_name, events] : lines) {
            plane.add_message(3, written([&, &line_name = line_name, &events = events](Writer& line) {
                                line.add_int64(1, 7), line.add_string(2, line_name), line.add_int64(3, 1000);
                                for (const XplaneEvent& e : events) {
                                  line.add_message(4, written([&](Writer& event) {
                                                     event.add_int64(1, e.name);
                                                     event.add_int64(2, e.offset_ns * 1000);
                                                     event.add_int64(3, e.duration_ns * 1000);
                                                     if (e.correlation > 0) {
                                                       event.add_message(4, written([&](Writer& stat) {
                                                                           stat.add_int64(1, 1);
                                                                           stat.add_uint64(
                                                                               3, static_cast<uint64_t>(e.correlation));
                                                                         }));
                                                     }
                                                   }));
                                }
                              }));
          }
          for (const auto& [id, text] : names) {
            plane.add_message(4, written([&, id = id, &text = text](Writer& entry) {
                                entry.add_int64(1, id);
                                entry.add_message(2, written([&](Writer& value) {
                                                    value.add_int64(1, id), value.add_string(2, text);
                                                  }));
                              }));
          }
          plane.add_message(5, written([](Writer& entry) {
                              entry.add_int64(1, 1);
                              entry.add_message(2, written([](Writer& value) {
                                                  value.add_int64(1, 1), value.add_string(2, "correlation_id");
                                                }));
                            }));
        }));
  });
}

TEST(Xplane, StreamsOfADeviceAreWorkAndItsStepsMarkSteps) {
  const std::string bytes =
      xplane("/host:CPU", {{1, "cuLaunchKernel"}}, {{"python", {{1, 5, 10, 77}}}}) +
      xplane("/device:GPU:0 (NVIDIA A100)", {{1, "gemm"}, {2, "0"}, {3, "1"}, {4, "fusion"}},
             {{"Stream #13(Compute)", {{1, 20, 30, 77}, {4, 70, 20}}}, {"Steps", {{2, 10, 50}, {3, 60, 50}}}});
  const auto c = tests::import_bytes(bytes, "host.xplane.pb");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ((*c)->run().source, "XLA profile");
  EXPECT_EQ(durations(**c, ActivityKind::kernel), (Durations{{"gemm", 30}, {"fusion", 20}}));
  EXPECT_EQ((*c)->steps().size(), 2u);
  EXPECT_NE(tests::notes(**c).find("Shapes, FLOPs, bytes and grids of its kernels are unknown"), std::string::npos);
}

TEST(Xplane, BrokenAndOddPlanes) {
  const std::string good = xplane("/host:CPU", {{1, "a"}}, {{"main", {{1, 5, 10}}}});
  EXPECT_EQ(refusal(good, "a.xplane.pb"), "imported");
  const auto cut = tests::import_bytes(good + good.substr(0, good.size() - 5), "a.xplane.pb");
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_NE(tests::notes(**cut).find("breaks off"), std::string::npos);
  std::string odd = xplane("/host:CPU", {}, {{"main", {{9, 5, 10}, {9, -5, 10}}}});
  const auto unnamed = tests::import_bytes(odd, "a.xplane.pb");
  ASSERT_TRUE(unnamed) << unnamed.error().message;
  EXPECT_NE(tests::notes(**unnamed).find("missing"), std::string::npos) << tests::notes(**unnamed);
  EXPECT_NE(refusal("\x0a\x03 no", "a.xplane.pb").find("is no profile of XLA"), std::string::npos);
  for (size_t at = 0; at < good.size(); ++at) {
    std::string changed = good;
    changed[at] = static_cast<char>(changed[at] ^ 0xff);
    (void)tests::import_bytes(changed, "a.xplane.pb");  // neither crashes nor hangs
  }
}

// ---- ROCm

class Rocpd : public testing::Test {
 protected:
  void sql(const std::string& text) { tests::run_sql(file_, text); }
  engine::Result<tests::CapturePtr> import() {
    return import_traces({.files = {file_}, .format = {}, .command = {}, .control = {}});
  }
  tests::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "a.db";
};

TEST_F(Rocpd, TablesOfARunHaveItsIdBehindTheirNames) {
  const std::string id = "_0000a1b2_c3d4_e5f6_0718_293a4b5c6d7e";
  const auto table = [&](const std::string& name, const std::string& columns, const std::string& rows) {
    sql("CREATE TABLE " + name + id + "(" + columns + "); INSERT INTO " + name + id + " VALUES" + rows);
  };
  table("rocpd_string", "id INTEGER, string TEXT", "(1,'hipLaunchKernel'),(2,'CopyHostToDevice'),(3,'my range')");
  table("rocpd_info_kernel_symbol", "id INTEGER, kernel_name TEXT, display_name TEXT", "(9,'gemm.kd','gemm')");
  table("rocpd_info_agent", "id INTEGER, type TEXT, logical_index INTEGER, type_index INTEGER, product_name TEXT",
        "(1,'CPU',0,0,'EPYC'),(2,'GPU',1,0,'MI300X')");
  table("rocpd_event", "id INTEGER, stack_id INTEGER", "(1,50),(2,50),(3,51)");
  table("rocpd_region",
        "id INTEGER, pid INTEGER, tid INTEGER, start INTEGER, \"end\" INTEGER, name_id INTEGER, event_id INTEGER",
        "(1,7,8,100,110,1,1),(2,7,8,90,200,3,NULL)");
  table("rocpd_kernel_dispatch",
        "id INTEGER, agent_id INTEGER, kernel_id INTEGER, queue_id INTEGER, stream_id INTEGER, start INTEGER, \"end\" "
        "INTEGER, "
        "workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, "
        "grid_size_y INTEGER, "
        "grid_size_z INTEGER, event_id INTEGER",
        "(1,2,9,1,4,120,150,256,1,1,1000,2,1,2),(2,2,99,1,4,'x',150,256,1,1,1,1,1,2)");
  table("rocpd_memory_copy",
        "id INTEGER, start INTEGER, \"end\" INTEGER, name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size "
        "INTEGER, "
        "stream_id INTEGER, event_id INTEGER",
        "(1,160,170,2,2,1,4096,5,3)");
  const auto c = import();
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ((*c)->run().source, "ROCm profile");
  ASSERT_EQ((*c)->gpu().kernels.size(), 1u);
  const KernelRecord& k = (*c)->gpu().kernels[0];
  EXPECT_EQ(k.grid, (std::array<int32_t, 3>{4, 2, 1})) << "their grid counts threads";
  EXPECT_EQ(k.block, (std::array<int32_t, 3>{256, 1, 1}));
  EXPECT_EQ(k.place.device, 0);
  ASSERT_EQ((*c)->gpu().copies.size(), 1u);
  EXPECT_EQ((*c)->gpu().copies[0].kind, CopyKind::host_to_device);
  EXPECT_EQ((*c)->gpu().copies[0].bytes, 4096);
  ASSERT_EQ((*c)->gpu().api_calls.size(), 1u);
  EXPECT_EQ((*c)->activities().correlation[(*c)->gpu().api_calls[0].activity],
            (*c)->activities().correlation[k.activity]);
  EXPECT_EQ(durations(**c, ActivityKind::range), (Durations{{"my range", 110}}));
  EXPECT_NE(tests::notes(**c).find("1 row could not be read"), std::string::npos) << tests::notes(**c);
}

TEST_F(Rocpd, RocmProfileDataIsReadToo) {
  sql("CREATE TABLE rocpd_string(id INTEGER, string TEXT); INSERT INTO rocpd_string VALUES(1,'hipMemcpy'),(2,'gemm'),"
      "(3,'KernelExecution'),(4,'CopyDeviceToHost'),(5,'');"
      "CREATE TABLE rocpd_api(id INTEGER, pid INTEGER, tid INTEGER, start INTEGER, \"end\" INTEGER, apiName_id "
      "INTEGER, "
      "args_id INTEGER); INSERT INTO rocpd_api VALUES(10,1,2,100,110,1,5);"
      "CREATE TABLE rocpd_op(id INTEGER, gpuId INTEGER, queueId INTEGER, start INTEGER, \"end\" INTEGER, "
      "description_id "
      "INTEGER, opType_id INTEGER); INSERT INTO rocpd_op VALUES(1,0,3,120,130,2,3),(2,0,3,140,145,5,4);"
      "CREATE TABLE rocpd_api_ops(api_id INTEGER, op_id INTEGER); INSERT INTO rocpd_api_ops VALUES(10,2)");
  const auto c = import();
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(durations(**c, ActivityKind::kernel), (Durations{{"gemm", 10}}));
  EXPECT_EQ(durations(**c, ActivityKind::copy), (Durations{{"CopyDeviceToHost", 5}}));
  EXPECT_EQ((*c)->gpu().copies[0].kind, CopyKind::device_to_host);
  EXPECT_NE((*c)->activities().correlation[(*c)->gpu().copies[0].activity], 0u);
}

TEST_F(Rocpd, WithoutRowsItIsRefused) {
  sql("CREATE TABLE rocpd_string(id INTEGER, string TEXT)");
  const auto c = import();
  ASSERT_FALSE(c);
  EXPECT_NE(c.error().message.find("no rows of kernels, copies or regions"), std::string::npos) << c.error().message;
}

TEST_F(Rocpd, MergedRunsAreAllRead) {
  for (const std::string id : {"_0000a1b2_c3d4_e5f6_0718_293a4b5c6d7e", "_0000ffff_c3d4_e5f6_0718_293a4b5c6d7e"}) {
    sql("CREATE TABLE rocpd_string" + id + "(id INTEGER, string TEXT); INSERT INTO rocpd_string" + id +
        " VALUES(1,'range" + id.substr(5, 4) + "'); CREATE TABLE rocpd_region" + id +
        "(id INTEGER, pid INTEGER, tid INTEGER, start INTEGER, \"end\" INTEGER, name_id INTEGER, event_id INTEGER); "
        "INSERT INTO rocpd_region" +
        id + " VALUES(1,7,8,100,110,1,NULL)");
  }
  const auto c = import();
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(durations(**c, ActivityKind::range), (Durations{{"rangea1b2", 10}, {"rangeffff", 10}}));
}

TEST_F(Rocpd, CallsOfRocmProfileDataHaveBytesAndBlocks) {
  sql("CREATE TABLE rocpd_string(id INTEGER, string TEXT); INSERT INTO rocpd_string VALUES(1,'hipMemcpy'),(2,'gemm'),"
      "(3,'KernelExecution'),(4,'CopyDeviceToHost'),(5,'');"
      "CREATE TABLE rocpd_api(id INTEGER, pid INTEGER, tid INTEGER, start INTEGER, \"end\" INTEGER, apiName_id "
      "INTEGER); INSERT INTO rocpd_api VALUES(10,1,2,100,110,1),(11,1,2,110,120,1),(12,1,2,120,125,1);"
      "CREATE TABLE rocpd_op(id INTEGER, gpuId INTEGER, queueId INTEGER, start INTEGER, \"end\" INTEGER, "
      "description_id INTEGER, opType_id INTEGER); INSERT INTO rocpd_op VALUES(1,0,3,120,130,5,3),(2,0,3,140,145,5,4),"
      "(3,0,3,150,155,5,4),(4,0,3,160,165,5,4);"
      "CREATE TABLE rocpd_api_ops(api_id INTEGER, op_id INTEGER); INSERT INTO rocpd_api_ops "
      "VALUES(10,2),(11,1),(12,3),(12,4);"
      "CREATE TABLE rocpd_copyapi(api_ptr_id INTEGER, size INTEGER); INSERT INTO rocpd_copyapi VALUES(10,4096),"
      "(12,8192);"
      "CREATE TABLE rocpd_kernelapi(api_ptr_id INTEGER, workgroupX INTEGER, workgroupY INTEGER, workgroupZ INTEGER, "
      "groupSegmentSize INTEGER, kernelName_id INTEGER); INSERT INTO rocpd_kernelapi VALUES(11,256,2,1,512,2)");
  const auto c = import();
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(durations(**c, ActivityKind::kernel), (Durations{{"gemm", 10}})) << "its launch has the name";
  EXPECT_EQ((*c)->gpu().kernels[0].block, (std::array<int32_t, 3>{256, 2, 1}));
  EXPECT_EQ((*c)->gpu().kernels[0].static_shared_bytes, 512);
  ASSERT_EQ((*c)->gpu().copies.size(), 3u);
  EXPECT_EQ((*c)->gpu().copies[0].bytes, 4096);
  EXPECT_EQ((*c)->gpu().copies[1].bytes, kUnknownFigure) << "one of two pieces of a call";
}

// ---- Nsight Compute

const char* const kNcuRaw =
    "==PROF== Connected to process 1\n"
    "\"ID\",\"Process ID\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid "
    "Size\",\"Device\","
    "\"gpu__time_duration.sum\",\"launch__registers_per_thread\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"usecond\",\"register/thread\"\n"
    "\"0\",\"1\",\"secret\",\"gemm<float, 4>(int, \"\"x\"\")\",\"1\",\"7\",\"(128, 1, 1)\",\"(64, 2, "
    "1)\",\"0\",\"1,234.5\",\"40\"\n"
    "\"1\",\"1\",\"secret\",\"relu\",\"1\",\"7\",\"(256, 1, 1)\",\"(8, 1, 1)\",\"0\",\"2\",\"16\"\n"
    "\"2\",\"1\",\"secret\",\"lost\",\"1\",\"7\",\"(256, 1, 1)\",\"(8, 1, 1)\",\"0\",\"n/a\",\"16\"\n";

TEST(NcuCsv, KernelsAreOneBehindTheOther) {
  const auto c = tests::import_bytes(kNcuRaw, "k.csv");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(durations(**c, ActivityKind::kernel),
            (Durations{{"gemm<float, 4>(int, \"x\")", 1'234'500}, {"relu", 2'000}}));
  EXPECT_EQ((*c)->gpu().kernels[0].grid, (std::array<int32_t, 3>{64, 2, 1}));
  EXPECT_EQ((*c)->gpu().kernels[0].registers_per_thread, 40);
  EXPECT_EQ((*c)->activities().start_ns[(*c)->gpu().kernels[1].activity], 1'234'500);
  const std::string said = tests::notes(**c);
  EXPECT_NE(said.find("Times between them, calls and copies are unknown"), std::string::npos) << said;
  for (const std::string& name : (*c)->names()) EXPECT_EQ(name.find("secret"), std::string::npos);
}

TEST(NcuCsv, PagesOfDetailsHaveARowPerMetric) {
  const std::string bytes =
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\",\"Context\",\"Stream\","
      "\"Block Size\",\"Grid Size\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"1\",\"a\",\"h\",\"gemm\",\"t\",\"1\",\"7\",\"(128, 1, 1)\",\"(64, 2, 1)\",\"Speed\",\"DRAM "
      "Frequency\",\"Ghz\",\"1.2\"\n"
      "\"0\",\"1\",\"a\",\"h\",\"gemm\",\"t\",\"1\",\"7\",\"(128, 1, 1)\",\"(64, 2, "
      "1)\",\"Speed\",\"Duration\",\"msecond\",\"1.5\"\n"
      "\"1\",\"1\",\"a\",\"h\",\"relu\",\"t\",\"1\",\"7\",\"(1, 1, 1)\",\"(1, 1, "
      "1)\",\"Speed\",\"Duration\",\"ns\",\"800\"\n";
  const auto c = tests::import_bytes(bytes, "k.csv");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(durations(**c, ActivityKind::kernel), (Durations{{"gemm", 1'500'000}, {"relu", 800}}));
}

TEST(NcuCsv, SomeLanguagesWriteACommaBeforeDecimals) {
  const auto in = [](const char* first, const char* second) {
    const auto c =
        tests::import_bytes(fmt::format("\"ID\",\"Process ID\",\"Kernel Name\",\"CC\",\"gpu__time_duration.sum\"\n"
                                        "\"\",\"\",\"\",\"\",\"usecond\"\n\"0\",\"1\",\"a\",\"8.9\",\"{}\"\n"
                                        "\"1\",\"1\",\"b\",\"8.9\",\"{}\"\n",
                                        first, second),
                            "k.csv");
    return c ? durations(**c, ActivityKind::kernel) : Durations{};
  };
  EXPECT_EQ(in("1.234,5", "2,5"), (Durations{{"a", 1'234'500}, {"b", 2'500}}));
  EXPECT_EQ(in("1,234.5", "2.5"), (Durations{{"a", 1'234'500}, {"b", 2'500}}));
  EXPECT_EQ(in("1.234", "2,25"), (Durations{{"a", 1'234'000}, {"b", 2'250}})) << "the second says what the first is";
  EXPECT_EQ(in("1,234", "7"), (Durations{{"a", 1'234'000}, {"b", 7'000}}));
  EXPECT_EQ(in("1.234.567", "7"), (Durations{{"a", 1'234'567'000}, {"b", 7'000}}));
}

TEST(NcuCsv, OddRowsAreCounted) {
  const auto c = tests::import_bytes(std::string(kNcuRaw) + "\"3\",\"1\"\n\"unfinished", "k.csv");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ((*c)->gpu().kernels.size(), 2u);
  EXPECT_NE(tests::notes(**c).find("could not be read"), std::string::npos) << tests::notes(**c);
}

// ---- Proton

TEST(Proton, SumsOfATreeAreSpansWithoutAnOrder) {
  const char* const bytes =
      R"x([{"frame":{"name":"ROOT","type":"function"},"metrics":{"time (ns)":0},"children":[)x"
      R"x({"frame":{"name":"layer","type":"function"},"metrics":{},"children":[)x"
      R"x({"frame":{"name":"gemm"},"metrics":{"time (ns)":300,"count":3,"device_id":"0"},"children":[]},)x"
      R"x({"frame":{"name":"relu"},"metrics":{"time (ns)":50.0,"device_id":"0"},"children":[]}]},)x"
      R"x({"frame":{"name":"bad"},"metrics":{"time (ns)":-5},"children":[]}]},)x"
      R"x({"CUDA":{"0":{"arch":"90"}}}])x";
  const auto c = tests::import_bytes(bytes, "p.hatchet");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(durations(**c, ActivityKind::kernel), (Durations{{"gemm", 300}, {"relu", 50}}));
  EXPECT_EQ(durations(**c, ActivityKind::range), (Durations{{"layer", 350}}));
  EXPECT_NE(tests::notes(**c).find("Proton keeps sums, without times"), std::string::npos);
  EXPECT_NE(refusal(R"x({"frame": 1, "metrics": {"time (ns)": 1}})x", "p.hatchet").find("no valid JSON list"),
            std::string::npos);
}

// ---- Chakra

TEST(Chakra, OpsOfALinkedTraceHaveShapesAndTimes) {
  const char* const bytes =
      R"x({"schema":"1.1.1-chakra.0.0.4","nodes":[)x"
      R"x({"id":1,"name":"forward","ctrl_deps":0,"ts":10,"dur":100,"tid":5},)x"
      R"x({"id":2,"name":"aten::mm","ctrl_deps":1,"ts":20,"dur":30.5,"tid":5,)x"
      R"x("inputs":{"values":[[1],[2]],"shapes":[[8,16],[16,4]],"types":["Tensor(float)","Tensor(float)"]}},)x"
      R"x({"id":3,"name":"aten::relu","ctrl_deps":1,"input_shapes":[[8,4]],"input_types":["Tensor(float)"],)x"
      R"x("start_time_micros":60,"duration_micros":5},)x"
      R"x({"id":4,"name":"aten::add","ctrl_deps":1}]})x";
  const auto c = tests::import_bytes(bytes, "et.json");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ((*c)->run().source, "Chakra execution trace");
  std::map<std::string, double> flops;
  for (const OpRecord& op : (*c)->ops()) flops[std::string((*c)->name(op.type))] = op.flops;
  EXPECT_EQ(flops, (std::map<std::string, double>{{"aten::mm", 2 * 8 * 16 * 4}, {"aten::relu", 32}}));
  EXPECT_NE(tests::notes(**c).find("1 of 4 nodes have no times"), std::string::npos) << tests::notes(**c);
}

TEST(Chakra, WithoutTimesItSaysWhatToImport) {
  const char* const bytes =
      R"x({"schema":"1.1.0","pid":1,"nodes":[{"id":1,"name":"[pytorch|profiler|execution_trace|thread]",)x"
      R"x("ctrl_deps":1,"inputs":{"values":[],"shapes":[],"types":[]},)x"
      R"x("attrs":[{"name":"rf_id","type":"uint64","value":0}]}]})x";
  EXPECT_NE(refusal(bytes, "et.json").find("link both with chakra_trace_link"), std::string::npos)
      << refusal(bytes, "et.json");
}

}  // namespace
}  // namespace profiler
