// SPDX-License-Identifier: Apache-2.0
// Fitted links: alpha and beta of copies made by a formula come back; what cannot be told is unknown.
#include "profiler/analysis/gpu/links.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profiler/capture/capture_builder.h"

namespace profiler {
namespace {

class Copies {
 public:
  void add(CopyKind kind, int64_t begin_ns, int64_t duration_ns, int64_t bytes, MemoryKind host = MemoryKind::pinned) {
    Activity a;
    a.start_ns = begin_ns;
    a.duration_ns = duration_ns;
    a.name = b_.intern("copy");
    a.track = b_.track(TrackKind::copy_engine, kind == CopyKind::host_to_device ? "up" : "down", "GPU 0");
    CopyRecord record;
    record.place.device = 0;
    record.kind = kind;
    record.bytes = bytes;
    record.source = kind == CopyKind::host_to_device ? host : MemoryKind::device;
    record.destination = kind == CopyKind::host_to_device ? MemoryKind::device : host;
    b_.add_copy(a, record);
  }
  std::shared_ptr<const Capture> capture() {
    auto done = b_.finish();
    EXPECT_TRUE(done.ok()) << done.error().message;
    return *done;
  }

 private:
  CaptureBuilder b_;
};

TEST(Links, AlphaAndBetaOfEachDirectionComeBack) {
  Copies copies;
  int64_t now = 1000;
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (int64_t bytes = 4096; bytes <= int64_t{1} << 30; bytes *= 4) {
      // 8 us + 1/25 ns per byte up, 10 us + 1/20 down; the second repetition is disturbed
      const int64_t up = 8000 + bytes / 25 + (repeat == 1 ? 50'000 : 0), down = 10'000 + bytes / 20;
      copies.add(CopyKind::host_to_device, now, up, bytes);
      copies.add(CopyKind::device_to_host, now + up, down, bytes);
      now += up + down + 100;
    }
  }
  const auto fits = link_fits(*copies.capture());
  ASSERT_EQ(fits.size(), 2u);
  EXPECT_EQ(fits[0].kind, CopyKind::host_to_device);
  EXPECT_EQ(fits[0].copies, 30);
  EXPECT_EQ(fits[0].sizes, 10);
  EXPECT_NEAR(fits[0].alpha_ns, 8000, 10);
  EXPECT_NEAR(fits[0].rate_bytes_per_s(), 25e9, 25e6);
  EXPECT_NEAR(fits[0].half_rate_bytes(), 200'000, 1000);
  EXPECT_LT(fits[0].deviation_ratio, 0.001);
  EXPECT_NEAR(fits[1].alpha_ns, 10'000, 10);
  EXPECT_NEAR(fits[1].rate_bytes_per_s(), 20e9, 20e6);
  EXPECT_TRUE(std::isnan(fits[1].both_ways_bytes_per_s)) << "never both at once";
}

TEST(Links, BothWaysIsWhatBothMoveMeanwhile) {
  Copies copies;
  copies.add(CopyKind::host_to_device, 1000, 1000, 20'000);  // 20 GB/s
  copies.add(CopyKind::device_to_host, 1500, 1000, 15'000);  // 15 GB/s, half of it beside
  const auto fits = link_fits(*copies.capture());
  ASSERT_EQ(fits.size(), 2u);
  for (const LinkFit& fit : fits) {
    EXPECT_NEAR(fit.both_ways_bytes_per_s, 35e9, 1);
    EXPECT_EQ(fit.copies, 0) << "none ran alone";
    EXPECT_TRUE(std::isnan(fit.alpha_ns));
  }
}

TEST(Links, FewSizesTellNoAlpha) {
  Copies copies;
  for (int64_t i = 0; i < 9; ++i)
    copies.add(CopyKind::host_to_device, 1000 + 100'000 * i, 10'000 + i % 2, i % 2 == 0 ? 4096 : 65536);
  copies.add(CopyKind::host_to_device, 5'000'000, 10'000, 4096, MemoryKind::pageable);
  const auto fits = link_fits(*copies.capture());
  ASSERT_EQ(fits.size(), 2u) << "kinds of memory are apart";
  EXPECT_TRUE(std::isnan(fits[0].alpha_ns));
  EXPECT_TRUE(std::isnan(fits[1].rate_bytes_per_s()));
  EXPECT_NEAR(fits[1].fastest_bytes_per_s, 65536 / 10'001e-9, 1e5)
      << "pageable, then pinned, in the order of their numbers";
}

}  // namespace
}  // namespace profiler
