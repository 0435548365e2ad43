// SPDX-License-Identifier: Apache-2.0
// GPU activities in a capture: records follow their activities, files keep them under nsys's names, damage is noticed.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <limits>
#include <random>

#include "profiler/capture/capture_builder.h"
#include "profiler/store/capture_file.h"
#include "tests/support/capture_difference.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;
using tests::difference;
using tests::read_bytes;
using tests::sample_gpu_builder;
using tests::sample_gpu_capture;
using tests::TemporaryFolder;
using tests::write_bytes;

void edit(const fs::path& file, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sql << ": " << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

std::string ask(const fs::path& file, const std::string& sql) {
  const auto result = query_capture(file, sql);
  return result ? result->rows.at(0).at(0) : result.error().message;
}

TEST(CaptureGpu, RecordsFollowTheirActivitiesThroughTheSort) {
  const auto capture = sample_gpu_capture();
  const ActivityColumns& a = capture->activities();
  ASSERT_EQ(capture->gpu().kernels.size(), 4u);
  int kernels = 0, copies = 0, others = 0;
  for (uint32_t i = 0; i < a.size(); ++i) {
    if (const KernelRecord* kernel = capture->kernel_of(i)) {
      ++kernels;
      EXPECT_EQ(a.kind[i], ActivityKind::kernel);
      EXPECT_EQ(capture->name(kernel->short_name), a.op[i] == 0 ? "gemm" : "relu");
    } else if (const CopyRecord* copy = capture->copy_of(i)) {
      ++copies;
      EXPECT_EQ(a.kind[i], ActivityKind::copy);
      EXPECT_EQ(copy->kind == CopyKind::device_to_host, copy->bytes == 4);
    } else {
      others += capture->memset_of(i) || capture->api_call_of(i) || capture->synchronization_of(i);
    }
  }
  EXPECT_EQ(kernels, 4);
  EXPECT_EQ(copies, 6);
  EXPECT_EQ(others, 2 + 12 + 2);
  EXPECT_EQ(capture->kernel_of(0xffffffffu), nullptr);
}

TEST(CaptureGpu, ImpossibleRecordsAreRefused) {
  const auto refused = [](auto&& change) {
    CaptureBuilder b = sample_gpu_builder();
    Activity a;
    a.name = b.intern("odd");
    change(b, a);
    const auto capture = b.finish();
    return capture ? "accepted" : capture.error().message;
  };
  using Text = std::string;
  const auto has = [](const Text& text, const char* part) { return text.find(part) != Text::npos ? Text() : text; };
  EXPECT_EQ(has(refused([](auto& b, auto& a) { b.add_copy(a, {.bytes = -2}); }), "-2 bytes were copied"), "");
  EXPECT_EQ(has(refused([](auto& b, auto& a) { b.add_copy(a, {.tensor = 99}); }), "tensor 99 does not exist"), "");
  EXPECT_EQ(has(refused([](auto& b, auto& a) { b.add_copy(a, {.kind = static_cast<CopyKind>(70)}); }), "is unknown"),
            "");
  EXPECT_EQ(has(refused([](auto& b, auto& a) { b.add_kernel(a, {.grid = {-5, 1, 1}}); }), "negative extent"), "");
  EXPECT_EQ(has(refused([](auto& b, auto& a) { b.add_memset(a, {.bytes = -7}); }), "-7 bytes were set"), "");
  EXPECT_EQ(has(refused([](auto& b, auto& a) {
                  GpuRecords records;
                  records.kernels.push_back({.activity = 0});
                  b.add_activities(std::span(&a, 1), records);  // an op's activity with a kernel's record
                }),
                "is of kind op and has a record of kind kernel"),
            "");
  EXPECT_EQ(has(refused([](auto& b, auto& a) {
                  GpuRecords records;
                  records.kernels.push_back({.activity = 5});
                  b.add_activities(std::span(&a, 1), records);
                }),
                "a record belongs to activity"),
            "");
}

TEST(CaptureGpu, ShortNamesOfKernels) {
  EXPECT_EQ(short_kernel_name("void at::native::vectorized<4, at::Add<int>, char*>(int, at::Add<int>)"), "vectorized");
  EXPECT_EQ(short_kernel_name("sm90_xmma_gemm_bf16_tn"), "sm90_xmma_gemm_bf16_tn");
  EXPECT_EQ(short_kernel_name("(anonymous namespace)::scale(float*, float)"), "scale");
  EXPECT_EQ(short_kernel_name("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)"),
            "ncclKernel_AllReduce_RING_LL_Sum_float");
  EXPECT_EQ(short_kernel_name("void f<int>::g<2>(void (*)(int)) const"), "g");
  const std::string cutlass = "cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4";
  EXPECT_EQ(short_kernel_name("void cutlass::Kernel<" + cutlass + ">(" + cutlass + "::Params)"),
            "Kernel<" + cutlass + ">");
  EXPECT_EQ(short_kernel_name("void cutlass::device_kernel<gemm::Universal<Shape<1, 2>, float>, 3>(int)"),
            "device_kernel<Universal>");
  EXPECT_EQ(short_kernel_name("void cutlass::Kernel<gemm::ReduceSplitK<Shape<1, 2> > >(int)"), "Kernel<ReduceSplitK>");
  EXPECT_EQ(short_kernel_name("kernel(int)"), "kernel");
  EXPECT_EQ(short_kernel_name("Kernel<>"), "Kernel");
  EXPECT_EQ(short_kernel_name(""), "");
  EXPECT_EQ(short_kernel_name(">>>"), ">>>");
}

TEST(CaptureGpu, RoundTripKeepsEverything) {
  const TemporaryFolder folder;
  CaptureBuilder builder = sample_gpu_builder();
  Activity odd;
  odd.start_ns = 1'020'000;
  odd.correlation = std::numeric_limits<uint64_t>::max();
  odd.name = builder.intern("odd");
  odd.track = builder.track(TrackKind::stream, "stream 7", "GPU 0");
  builder.add_copy(odd, {});  // nothing known
  builder.add_kernel(odd, {.graph = std::numeric_limits<uint64_t>::max(), .graph_node = 1});
  const auto capture = *builder.finish();
  ASSERT_TRUE(save_capture(*capture, folder / "r.tide").ok());
  const auto back = open_capture(folder / "r.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(difference(*capture, **back), "");
  EXPECT_EQ((*back)->honesty().gpu_losses.untimed, 3);
}

TEST(CaptureGpu, TablesAreThoseOfNsys) {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.tide";
  ASSERT_TRUE(save_capture(*sample_gpu_capture(), file).ok());
  EXPECT_EQ(
      ask(file,
          "SELECT s.value || ' ' || count(*) || ' ' || sum(k.\"end\" - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
          "StringIds s ON s.id = k.shortName JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId "
          "AND r.globalTid >> 24 = k.globalPid >> 24 GROUP BY k.shortName ORDER BY 1"),
      "gemm 2 60000");
  EXPECT_EQ(
      ask(file,
          "SELECT group_concat(x) FROM (SELECT o.name || ' ' || m.name || ' ' || sum(c.bytes) AS x FROM "
          "CUPTI_ACTIVITY_KIND_MEMCPY c JOIN ENUM_CUDA_MEMCPY_OPER o ON o.id = c.copyKind JOIN ENUM_CUDA_MEM_KIND m "
          "ON m.id = c.srcKind WHERE c.copyKind = 1 GROUP BY c.srcKind)"),
      "host to device pageable 524288,host to device pinned 2097152");
  EXPECT_EQ(ask(file, "SELECT count(*) FROM NVTX_EVENTS"), "0");
  EXPECT_EQ(ask(file, "SELECT smCount FROM TARGET_INFO_GPU"), "132");
  EXPECT_EQ(ask(file, "SELECT l2CacheSize FROM TARGET_INFO_GPU"), "NULL");  // unknown is not 0
  ASSERT_TRUE(save_capture(*tests::sample_capture(), file).ok());
  EXPECT_EQ(ask(file,
                "SELECT count(*) FROM sqlite_master WHERE name LIKE 'CUPTI%' OR name LIKE 'ENUM_CU%' OR name LIKE "
                "'TARGET_INFO_GPU%'"),
            "0")
      << "tables without rows must be absent";
}

TEST(CaptureGpu, WrittenStepByStepWithTracksThatAppearLate) {
  const TemporaryFolder folder;
  const auto capture = sample_gpu_capture();
  const ActivityColumns& a = capture->activities();
  CaptureBuilder empty;
  for (const std::string& text : capture->names()) empty.intern(text);
  for (const TensorRecord& tensor : capture->tensors()) empty.add_tensor(tensor);
  for (const OpRecord& op : capture->ops()) empty.add_op(op, {});
  auto writer = CaptureWriter::create(folder / "r.tide");
  ASSERT_TRUE((*writer)->write_header(empty.so_far()).ok());
  for (const StepRecord& step : capture->steps()) {
    std::vector<Activity> batch;
    GpuRecords records;
    for (uint32_t i = 0; i < a.size(); ++i) {
      if (a.step[i] != step.index) continue;
      const auto take = [&](auto& list, const auto* record) {
        if (record == nullptr) return;
        list.push_back(*record);
        list.back().activity = static_cast<uint32_t>(batch.size());
      };
      take(records.kernels, capture->kernel_of(i));
      take(records.copies, capture->copy_of(i));
      take(records.memsets, capture->memset_of(i));
      take(records.api_calls, capture->api_call_of(i));
      take(records.synchronizations, capture->synchronization_of(i));
      if (a.kind[i] == ActivityKind::overhead)
        records.overheads.push_back({static_cast<uint32_t>(batch.size()), 65536});
      batch.push_back(a.row(i));
    }
    ASSERT_TRUE((*writer)->append(batch, std::span(&step, 1), *capture, records).ok());
  }
  ASSERT_TRUE((*writer)->close(capture->run(), capture->honesty(), capture->machine()).ok());
  const auto back = open_capture(folder / "r.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(difference(*capture, **back), "");
}

TEST(CaptureGpu, FilesOfTheFirstFormatStillOpen) {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.tide";
  const auto capture = tests::sample_capture();
  ASSERT_TRUE(save_capture(*capture, file).ok());
  // what version 0.1 wrote: no losses of GPU traces, one kind of activity fewer
  edit(file,
       "PRAGMA user_version = 1; DELETE FROM TIDE_RUN WHERE key LIKE 'gpu_%'; DELETE FROM TIDE_ACTIVITY_KIND WHERE id "
       "= 8; "
       "DELETE FROM TIDE_CHECKSUM; UPDATE TIDE_RUN SET value = 0 WHERE key = 'closed'");
  const auto back = open_capture(file);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(difference(*capture, **back), "");
  edit(file, "PRAGMA user_version = 2");
  const auto refused = open_capture(file);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("TIDE_RUN has no \"gpu_"), std::string::npos) << refused.error().message;
}

struct Impossible {
  const char* sql;
  const char* named;
};

TEST(CaptureGpu, ImpossibleValuesInFilesAreRefusedByTableAndRow) {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.tide";
  ASSERT_TRUE(save_capture(*sample_gpu_capture(), file).ok());
  const std::string closed = read_bytes(file);
  for (const char* sql :
       {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET registersPerThread = 41 WHERE rowid = 2",
        "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = bytes + 1 WHERE rowid = 1",
        "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE rowid = 3", "DROP TABLE CUPTI_ACTIVITY_KIND_MEMSET",
        "DROP TABLE CUPTI_ACTIVITY_KIND_MEMSET; CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET AS SELECT 1",
        "UPDATE ENUM_CUDA_MEM_KIND SET label = 'x' WHERE id = 1", "UPDATE TARGET_INFO_GPU SET smCount = 1",
        "UPDATE TIDE_RUN SET value = 0 WHERE key = 'gpu_untimed_records'"}) {
    write_bytes(file, closed);
    edit(file, sql);
    const auto back = open_capture(file);
    EXPECT_TRUE(!back && back.error().message.find("damaged") != std::string::npos) << sql;
  }
  write_bytes(file, closed);
  edit(file, "DELETE FROM TIDE_CHECKSUM; UPDATE TIDE_RUN SET value = 0 WHERE key = 'closed'");
  ASSERT_TRUE(open_capture(file).ok());
  const std::string open = read_bytes(file);
  const Impossible cases[] = {
      {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET \"end\" = start - 1 WHERE rowid = 2",
       "CUPTI_ACTIVITY_KIND_KERNEL, row 2: ends at"},
      {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = -1 WHERE rowid = 2", "row 2: gridX is -1"},
      {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 4294967296 WHERE rowid = 2", "gridX is 4294967296"},
      {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName = 5000 WHERE rowid = 2", "shortName is 5000"},
      {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET tideTrack = 99 WHERE rowid = 1", "tideTrack is 99"},
      {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET tideOp = 2 WHERE rowid = 1", "tideOp is 2"},
      {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET tideStep = 9 WHERE rowid = 1", "step 9 does not exist"},
      {"UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = 14 WHERE rowid = 3", "MEMCPY, row 3: copyKind is 14"},
      {"UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET srcKind = 'device' WHERE rowid = 3", "srcKind is no integer"},
      {"UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = -5 WHERE rowid = 3", "bytes is -5"},
      {"UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET tideTensor = 4 WHERE rowid = 3", "tideTensor is 4"},
      {"UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET tideReasonId = -1 WHERE rowid = 3", "tideReasonId is -1"},
      {"UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET eventClass = 3 WHERE rowid = 3", "eventClass is 3"},
      {"UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 1e300 WHERE rowid = 3", "start is no integer"},
      {"UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET syncType = 5", "syncType is 5"},
      {"UPDATE CUPTI_ACTIVITY_KIND_OVERHEAD SET overheadType = -1", "overheadType is -1"},
      {"UPDATE TARGET_INFO_GPU SET name = NULL", "name is no text"},
      {"UPDATE TARGET_INFO_CUDA_STREAM SET streamId = 'x'", "streamId is no integer"},
      {"ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY RENAME COLUMN bytes TO size", "bytes"},
  };
  for (const Impossible& impossible : cases) {
    write_bytes(file, open);
    edit(file, impossible.sql);
    const auto back = open_capture(file);
    const std::string outcome = back ? "opened" : back.error().message;
    EXPECT_NE(outcome.find(impossible.named), std::string::npos) << impossible.sql << "\n  -> " << outcome;
  }
}

TEST(CaptureGpu, FlippedBitsAreNoticed) {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.tide";
  const auto capture = sample_gpu_capture();
  ASSERT_TRUE(save_capture(*capture, file).ok());
  const std::string whole = read_bytes(file);
  std::mt19937 random(4711);
  int noticed = 0;
  for (int round = 0; round < 150; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < (round % 3 == 0 ? 20 : 1); ++i) {
      bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    }
    write_bytes(file, bytes);
    const auto back = open_capture(file);
    if (!back) {
      ++noticed;
    } else {
      ASSERT_EQ(difference(*capture, **back), "") << "round " << round;
    }
  }
  EXPECT_GT(noticed, 40);
}

}  // namespace
}  // namespace profiler
