// SPDX-License-Identifier: Apache-2.0
// Studies: each is a sweep that can be asked for.
#include "app/base/studies.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/base/sweep.h"
#include "engine/workloads/workload.h"

namespace app {
namespace {

TEST(Studies, EveryPointOfEachIsAGraph) {
  for (const Study& study : studies()) {
    const std::string workload = study.workload.empty() ? "mlp" : study.workload;
    const auto axes = study_axes(study, workload);
    ASSERT_TRUE(axes.ok()) << study.name << ": " << axes.error().message;
    for (const std::string& text : *axes) {
      const auto axis = profiler::parse_axis(text);
      ASSERT_TRUE(axis.ok()) << study.name << ": " << axis.error().message;
      for (const std::string& value : axis->values) {
        RunRequest request;
        request.workload = workload;
        for (const std::string& setting : study.fixed)
          request.settings[setting.substr(0, setting.find('='))] = setting.substr(setting.find('=') + 1);
        const auto with = with_setting(request, axis->name, value);
        ASSERT_TRUE(with.ok()) << study.name << " " << value;
        const auto found = engine::find_workload(with->workload);
        ASSERT_TRUE(found.ok()) << study.name << " " << value;
        const auto resolved = engine::resolve(**found, with->settings);
        EXPECT_TRUE(resolved.ok()) << study.name << " " << text << ": " << resolved.error().message;
        const auto& presets = (*found)->presets;
        EXPECT_TRUE(with->preset.empty() ||
                    std::ranges::find(presets, with->preset, &engine::Preset::name) != presets.end())
            << with->preset;
      }
    }
  }
}

TEST(Studies, OpenAxesAreFilledFromTheWorkload) {
  const Study& dtype = **find_study("dtype");
  EXPECT_EQ((*study_axes(dtype, "mlp"))[0], "dtype=f32,f64,bf16,f16");
  const std::vector<std::string> given{"dtype=f32,bf16"};
  const auto own = study_axes(dtype, "net.onnx", given);  // what a model file may take is not known, and need not be
  ASSERT_TRUE(own.ok()) << own.error().message;
  EXPECT_TRUE(own->empty());
  EXPECT_FALSE(study_axes(dtype, "net.onnx").ok());
  const auto none = study_axes(dtype, "latency_ladder");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("latency_ladder has no parameter dtype"), std::string::npos)
      << none.error().message;
}

TEST(Studies, UnknownNamesNameTheNearest) {
  const auto found = find_study("bacth");
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().message.find("did you mean \"batch\""), std::string::npos) << found.error().message;
}

TEST(Studies, AWorkloadAxisNamesAPresetToo) {
  const auto with = with_setting({}, "workload", "mlp:fcn-s");
  ASSERT_TRUE(with.ok());
  EXPECT_EQ(with->workload, "mlp");
  EXPECT_EQ(with->preset, "fcn-s");
  EXPECT_EQ(with_setting({}, "workload", "./a:b.onnx")->workload, "./a:b.onnx");
}

}  // namespace
}  // namespace app
