// SPDX-License-Identifier: GPL-3.0-or-later
// What the inspector says of an op that launched many kernels.
#include "views/inspector/inspector_content.h"

#include <gtest/gtest.h>

#include "tests/support/sample_document.h"
#include "tests/support/sample_gpu_capture.h"

namespace {

const views::InspectorSection* section(const views::InspectorContent& content, const QString& title) {
  for (const views::InspectorSection& s : content.sections)
    if (s.title == title) return &s;
  return nullptr;
}

TEST(InspectorContent, LaunchesOfAnOpAreFewRows) {
  profiler::CaptureBuilder b = tests::sample_gpu_builder();
  const profiler::TrackId track = b.track(profiler::TrackKind::stream, "stream 7", "GPU 0");
  for (int32_t i = 0; i < 100; ++i) {
    profiler::Activity a{.start_ns = 5'000'000 + 1000 * int64_t{i}, .duration_ns = 500};
    a.name = b.intern("void many(float*)"), a.op = 0, a.step = 1, a.track = track;
    b.add_kernel(a, {.grid = {i + 1, 1, 1}, .block = {32, 1, 1}});
  }
  const auto capture = b.finish();
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  const auto analyzed = profiler::analyze(*capture);
  views::SelectionState state;
  state.op = 0;
  const views::InspectorContent content = views::inspect(*analyzed, state);
  const views::InspectorSection* made = section(content, QStringLiteral("Made by"));
  ASSERT_NE(made, nullptr);
  int launches = 0, more = 0;
  for (const views::InspectorRow& row : made->rows) {
    for (const views::InspectorValue& value : row.values) {
      launches += value.text.contains(QStringLiteral("grid")) ? 1 : 0;
      more += value.text.contains(QStringLiteral("table launches")) ? 1 : 0;
    }
  }
  EXPECT_EQ(launches, 12);
  EXPECT_EQ(more, 1);
}

}  // namespace
