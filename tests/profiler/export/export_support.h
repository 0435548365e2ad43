// SPDX-License-Identifier: Apache-2.0
// Exports into memory.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "profiler/export/exporter.h"

namespace tests {

class TextSink : public profiler::ExportSink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  std::string text;
};

inline std::string exported(const profiler::Capture& capture, const char* format,
                            const profiler::ExportRange& range = {}) {
  const auto exporter = profiler::exporter_for("", format);
  EXPECT_TRUE(exporter);
  TextSink sink;
  if (exporter) exporter->write(capture, range, sink);
  return sink.text;
}

}  // namespace tests
