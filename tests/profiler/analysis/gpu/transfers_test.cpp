// SPDX-License-Identifier: Apache-2.0
// The ledger of copies, on captures whose figures can be counted by hand.
#include "profiler/analysis/gpu/transfers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"

namespace profiler {
namespace {

const TransferRow& row_of(const Transfers& t, TensorId tensor) {
  for (const TransferRow& row : t.rows) {
    if (row.tensor == tensor) return row;
  }
  ADD_FAILURE() << "no row of tensor " << tensor;
  return t.rows.front();
}

Cell cell(const Table& table, size_t row, const std::string& key) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key == key) return table.rows[row][i];
  }
  ADD_FAILURE() << "no column " << key;
  return {};
}

TEST(Transfers, ATableSaysWhichDeviceCopied) {
  EXPECT_EQ(cell(transfers_table(*tests::sample_gpu_capture(), transfers(*tests::sample_gpu_capture())), 0, "device"),
            Cell(std::string("0")));
}

TEST(Transfers, EachTensorAndReasonIsARow) {
  const Transfers t = transfers(*tests::sample_gpu_capture());
  ASSERT_EQ(t.rows.size(), 3u);
  EXPECT_EQ(t.count, 6);
  EXPECT_EQ(t.bytes, 2 * ((1 << 20) + (1 << 18) + 4));
  EXPECT_DOUBLE_EQ(t.device_ns, 2 * 27'000.0);
  EXPECT_EQ(t.untied, 0);
  const TransferRow& input = row_of(t, 0);
  EXPECT_EQ(&input, &t.rows.front()) << "most time first";
  EXPECT_EQ(input.count, 2);
  EXPECT_DOUBLE_EQ(input.bytes_per_s(), (2 << 20) / 40e-6);
  EXPECT_DOUBLE_EQ(input.host_ns, 4000);
  EXPECT_DOUBLE_EQ(input.exposed_ns, 40'000) << "no kernel runs before the input is there";
}

TEST(Transfers, WhatHasNotChangedSinceIsAvoidable) {
  const Transfers t = transfers(*tests::sample_gpu_capture());
  // the weights come in both steps with one version; the input is written anew
  EXPECT_EQ(row_of(t, 1).judged, 1);
  EXPECT_EQ(row_of(t, 1).avoidable, 1);
  EXPECT_EQ(row_of(t, 1).avoidable_bytes, 1 << 18);
  EXPECT_EQ(row_of(t, 0).judged, 1);
  EXPECT_EQ(row_of(t, 0).avoidable, 0);
  EXPECT_EQ(t.avoidable, 1);
  ASSERT_FALSE(t.findings.empty());
  EXPECT_EQ(t.findings[0].find("1 copy of 6 moved bytes that were there already (262 kB, 5.00 \xc2\xb5s), mostly w"),
            0u)
      << t.findings[0];
}

TEST(Transfers, UnknownStaysUnknown) {
  CaptureBuilder b;
  Activity a;
  a.name = b.intern("Memcpy HtoD (Pageable -> Device)");
  a.track = b.track(TrackKind::copy_engine, "copies to device", "GPU 0");
  for (int i = 0; i < 3; ++i, a.start_ns += 1000) {
    a.duration_ns = 100;
    b.add_copy(a, {.kind = CopyKind::host_to_device,
                   .source = MemoryKind::pageable,
                   .destination = MemoryKind::device,
                   .bytes = i == 2 ? kUnknownFigure : 4096});
  }
  const auto capture = *b.finish();
  const Transfers t = transfers(*capture);
  EXPECT_EQ(t.untied, 3);
  EXPECT_EQ(t.judged, 0);
  const Table table = transfers_table(*capture, transfers(*capture));
  ASSERT_EQ(table.rows.size(), 2u) << "one of 4096 bytes, one of unknown size";
  for (size_t row = 0; row < 2; ++row) {
    for (const char* unknown : {"tensor", "device", "host_ns", "avoidable_count"})
      EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(table, row, unknown))) << unknown;
  }
  EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(table, 1, "copied_bytes")));
  ASSERT_EQ(t.findings.size(), 1u);
  EXPECT_NE(t.findings[0].find("3 copies used pageable"), std::string::npos) << t.findings[0];
}

TEST(Transfers, ManySmallCopiesAreWorthASentence) {
  CaptureBuilder b;
  Activity a;
  a.name = b.intern("copy");
  a.track = b.track(TrackKind::copy_engine, "copies to device", "GPU 0");
  a.duration_ns = 2000;
  for (int i = 0; i < 16; ++i, a.start_ns += 5000) {
    b.add_copy(a, {.kind = CopyKind::host_to_device,
                   .source = MemoryKind::pinned,
                   .destination = MemoryKind::device,
                   .bytes = 4});
  }
  const Transfers t = transfers(**b.finish());
  ASSERT_EQ(t.findings.size(), 1u);
  EXPECT_EQ(t.findings[0].find("16 copies are smaller than"), 0u) << t.findings[0];
}

TEST(Transfers, ARunWithoutCopiesHasAnEmptyLedger) {
  EXPECT_TRUE(transfers(*tests::sample_capture()).rows.empty());
  EXPECT_TRUE(transfers_table(*tests::sample_capture(), transfers(*tests::sample_capture())).rows.empty());
}

}  // namespace
}  // namespace profiler
