// SPDX-License-Identifier: Apache-2.0
// speedscope's JSON: one evented profile for each track, names as frames.
#include <fmt/format.h>

#include "profiler/export/exporter.h"
#include "profiler/export/json_text.h"
#include "profiler/export/nesting.h"

namespace profiler {
namespace {

void write(const Capture& c, const ExportRange& range, ExportSink& sink) {
  JsonNames names(c);
  const auto rows = rows_by_track(c, range);
  sink.write(
      "{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\": "
      "\"tensortide " TENSORTIDE_VERSION "\",\n");
  sink.write(fmt::format("\"name\": {},\n\"shared\": {{\"frames\": [", json_text(c.run().title)));
  for (NameId id = 0; id < c.names().size(); ++id) {
    // a frame needs a name: the empty one stands for spans without any
    sink.write(fmt::format("{}{{\"name\": {}}}", id == 0 ? "\n  " : ",\n  ",
                           c.name(id).empty() ? "\"(no name)\"" : names[id]));
  }
  sink.write("]},\n\"profiles\": [");
  bool first = true;
  size_t written = 0;
  for (size_t track = 0; track < rows.size(); ++track) {
    const auto lanes = nesting_lanes(c, rows[track]);
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
      const std::vector<NestedEvent> events = nested_events(c, lanes[lane]);
      sink.write(
          fmt::format("{}{{\"type\": \"evented\", \"name\": {}, \"unit\": \"nanoseconds\", \"startValue\": {}, "
                      "\"endValue\": {}, \"events\": [",
                      first ? "\n  " : ",\n  ",
                      json_text(c.tracks()[track].group + " / " + c.tracks()[track].name +
                                (lane > 0 ? fmt::format(" ({})", lane + 1) : std::string())),
                      events.front().time_ns - c.begin_ns(), events.back().time_ns - c.begin_ns()));
      first = false;
      bool first_event = true;
      for (const NestedEvent& e : events) {
        if (!sink.go_on(written++ / 2, c.activities().size())) return;
        sink.write(fmt::format("{}{{\"type\": \"{}\", \"frame\": {}, \"at\": {}}}", first_event ? "" : ",",
                               e.opens ? 'O' : 'C', c.activities().name[e.row], e.time_ns - c.begin_ns()));
        first_event = false;
      }
      sink.write("]}");
    }
  }
  sink.write("\n]}\n");
}

}  // namespace

Exporter speedscope_exporter() {
  return {
      .name = "speedscope", .extension = ".speedscope.json", .help = "flame graphs at speedscope.app", .write = write};
}

}  // namespace profiler
