// SPDX-License-Identifier: Apache-2.0
// Perfetto's protobuf trace: host spans as track events, GPU work as render stages, counters, launches as flows.
#include <fmt/format.h>

#include <map>
#include <protozero/pbf_writer.hpp>
#include <unordered_set>

#include "profiler/capture/host_copies.h"
#include "profiler/export/exporter.h"
#include "profiler/export/nesting.h"

namespace profiler {
namespace {

using Writer = protozero::pbf_writer;

constexpr uint32_t kSequence = 1, kStateCleared = 1, kNeedsState = 2;
constexpr int kBegin = 1, kEnd = 2, kCounter = 4;

// Field numbers of Perfetto's messages, each under its message's name.
namespace trace {
enum : uint32_t { packet = 1 };
}
namespace packet {
enum : uint32_t {
  timestamp = 8,
  sequence = 10,
  track_event = 11,
  interned = 12,
  flags = 13,
  render_stage = 53,
  track = 60
};
}
namespace interned {
enum : uint32_t { event_names = 2, contexts = 23, specifications = 24 };
}
namespace track {
enum : uint32_t { uuid = 1, name = 2, parent = 5, counter = 8 };
}
namespace event {
enum : uint32_t { type = 9, name_iid = 10, track_uuid = 11, flow_ids = 47, counter_value = 44 };
}
namespace stage {
enum : uint32_t {
  id = 1,
  duration = 2,
  context = 5,
  extra = 6,
  gpu = 11,
  queue_iid = 13,
  stage_iid = 14,
  name_iid = 20,
  launch = 21
};
}

bool on_device(ActivityKind kind) {
  return kind == ActivityKind::kernel || kind == ActivityKind::copy || kind == ActivityKind::memset;
}

class PerfettoWriter {
 public:
  PerfettoWriter(const Capture& capture, const ExportRange& range, ExportSink& sink)
      : c_(capture), range_(range), sink_(sink) {}
  void write() {
    write_tracks();
    write_names();
    const auto rows = rows_by_track(c_, range_);
    find_launches(rows);
    for (const auto& list : rows) all_rows_ += list.size();
    for (size_t t = 0; t < rows.size() && !given_up_; ++t) write_track(t, rows[t]);
    write_counters();
  }

 private:
  /// One packet of the only sequence.
  template <class F>
  void packet(int64_t time_ns, uint32_t flags, F&& fill) {
    bytes_.clear();
    {
      Writer whole(bytes_);
      Writer one(whole, trace::packet);
      one.add_uint64(packet::timestamp, static_cast<uint64_t>(std::max<int64_t>(0, time_ns - c_.begin_ns())));
      one.add_uint32(packet::sequence, kSequence);
      one.add_uint32(packet::flags, flags);
      fill(one);
    }
    sink_.write(bytes_);
    given_up_ = given_up_ || !sink_.go_on(packets_++ / 2, all_rows_);  // a span is two packets: it opens and closes
  }
  uint64_t uuid_of_group(const std::string& group) {
    return groups_.try_emplace(group, groups_.size() + 1).first->second;
  }
  static uint64_t uuid_of_track(size_t index) { return 1'000'000 + index; }
  static uint64_t uuid_of_lane(size_t index, size_t lane) {
    return 3'000'000'000'000 + uint64_t{index} * 1'000'000 + lane;
  }
  static uint64_t uuid_of_counter(size_t index) { return 2'000'000'000 + index; }

  void describe(uint64_t uuid, std::string_view name, uint64_t parent, bool counter) {
    packet(c_.begin_ns(), 0, [&](Writer& one) {
      Writer t(one, packet::track);
      t.add_uint64(track::uuid, uuid);
      t.add_string(track::name, std::string(name));
      if (parent > 0) t.add_uint64(track::parent, parent);
      if (counter) t.add_message(track::counter, std::string());
    });
  }

  void write_tracks() {
    for (size_t i = 0; i < c_.tracks().size(); ++i) {
      const size_t known = groups_.size();
      const uint64_t group = uuid_of_group(c_.tracks()[i].group);
      if (groups_.size() > known) describe(group, c_.tracks()[i].group, 0, false);
      describe(uuid_of_track(i), c_.tracks()[i].name, group, false);
    }
    for (size_t i = 0; i < c_.counters().size(); ++i) {
      const CounterSeries& s = c_.counters()[i];
      describe(uuid_of_counter(i),
               fmt::format("{} {}{}", c_.name(s.group), c_.name(s.name),
                           s.unit == 0 ? "" : fmt::format(" [{}]", c_.name(s.unit))),
               0, true);
    }
  }

  /// All names, once; iids count from 1. Queues and stages of the GPU have a numbering of their own.
  void write_names() {
    packet(c_.begin_ns(), kStateCleared | kNeedsState, [&](Writer& one) {
      Writer all(one, packet::interned);
      for (NameId id = 0; id < c_.names().size(); ++id) {
        Writer name(all, interned::event_names);
        name.add_uint64(1, id + 1);
        name.add_string(2, c_.names()[id]);
      }
      {
        Writer context(all, interned::contexts);
        context.add_uint64(1, 1);
        context.add_int32(2, 1);
        context.add_enum(3, 4);  // CUDA
      }
      const auto specify = [&](uint64_t iid, std::string_view name) {
        Writer specification(all, interned::specifications);
        specification.add_uint64(1, iid);
        specification.add_string(2, std::string(name));
        specification.add_enum(4, 2);  // compute
      };
      specify(1, "kernel"), specify(2, "copy"), specify(3, "memset");
      for (size_t i = 0; i < c_.tracks().size(); ++i)
        specify(queue_iid(i), c_.tracks()[i].group + " " + c_.tracks()[i].name);
    });
  }
  static uint64_t queue_iid(size_t track_index) { return 16 + track_index; }

  void find_launches(const std::vector<std::vector<uint32_t>>& rows) {
    std::unordered_set<uint64_t> calls;
    const ActivityColumns& all = c_.activities();
    for (const auto& list : rows) {
      for (const uint32_t row : list) {
        if (all.kind[row] == ActivityKind::api && all.correlation[row] != 0) calls.insert(all.correlation[row]);
      }
    }
    launches_ = std::move(calls);
  }

  void write_track(size_t index, const std::vector<uint32_t>& rows) {
    std::vector<uint32_t> spans;
    for (const uint32_t row : rows) {
      if (given_up_) return;
      if (on_device(c_.activities().kind[row]) && !is_host_copy(c_, row)) {
        write_stage(index, row);
      } else {
        spans.push_back(row);
      }
    }
    const auto lanes = nesting_lanes(c_, spans);
    for (size_t lane = 0; lane < lanes.size(); ++lane) write_lane(index, lane, lanes[lane]);
  }

  /// Spans of one track that nest; those that cross others have tracks of their own.
  void write_lane(size_t index, size_t lane, const std::vector<uint32_t>& rows) {
    const uint64_t uuid = lane == 0 ? uuid_of_track(index) : uuid_of_lane(index, lane);
    if (lane > 0)
      describe(uuid, fmt::format("{} ({})", c_.tracks()[index].name, lane + 1), uuid_of_group(c_.tracks()[index].group),
               false);
    for (const NestedEvent& e : nested_events(c_, rows)) {
      if (given_up_) return;
      const Activity a = c_.activities().row(e.row);
      packet(e.time_ns, kNeedsState, [&](Writer& one) {
        Writer written(one, packet::track_event);
        written.add_enum(event::type, e.opens ? kBegin : kEnd);
        written.add_uint64(event::track_uuid, uuid);
        if (!e.opens) return;
        written.add_uint64(event::name_iid, a.name + uint64_t{1});
        if (a.kind == ActivityKind::api && a.correlation != 0) written.add_fixed64(event::flow_ids, a.correlation);
      });
    }
  }

  void write_stage(size_t track_index, uint32_t row) {
    const Activity a = c_.activities().row(row);
    const KernelRecord* k = c_.kernel_of(row);
    const CopyRecord* r = c_.copy_of(row);
    const MemsetRecord* m = c_.memset_of(row);
    const GpuPlace place = k != nullptr ? k->place : r != nullptr ? r->place : m != nullptr ? m->place : GpuPlace{};
    packet(a.start_ns, kNeedsState, [&](Writer& one) {
      Writer s(one, packet::render_stage);
      s.add_uint64(stage::id, uint64_t{row} + 1);
      s.add_uint64(stage::duration, static_cast<uint64_t>(a.duration_ns));
      s.add_uint64(stage::context, 1);
      const auto extra = [&s](const char* key, const std::string& value) {
        Writer pair(s, stage::extra);
        pair.add_string(1, key);
        pair.add_string(2, value);
      };
      if (a.correlation != 0) extra("correlation", fmt::format("{}", a.correlation));
      if (a.op != kNoOp) extra("op", std::string(c_.name(c_.ops()[a.op].name)));
      if (r != nullptr && r->bytes >= 0) extra("bytes", fmt::format("{}", r->bytes));
      if (m != nullptr && m->bytes >= 0) extra("bytes", fmt::format("{}", m->bytes));
      if (place.device >= 0) s.add_int32(stage::gpu, place.device);
      s.add_uint64(stage::queue_iid, queue_iid(track_index));
      s.add_uint64(stage::stage_iid, a.kind == ActivityKind::kernel ? 1 : a.kind == ActivityKind::copy ? 2 : 3);
      s.add_uint64(stage::name_iid, a.name + uint64_t{1});
      if (k == nullptr || k->grid[0] < 0 || k->block[0] < 0) return;
      Writer launch(s, stage::launch);
      for (const auto& [field, extents] : {std::pair{1u, &k->grid}, std::pair{2u, &k->block}}) {
        Writer sizes(launch, field);
        for (uint32_t i = 0; i < 3; ++i) sizes.add_uint32(i + 1, static_cast<uint32_t>(std::max(0, (*extents)[i])));
      }
    });
    if (a.correlation == 0 || !launches_.contains(a.correlation)) return;
    // the arrow from the call ends in a mark on the stream's own track: render stages take no flows
    for (const int type : {kBegin, kEnd}) {
      packet(type == kBegin ? a.start_ns : a.start_ns + a.duration_ns, kNeedsState, [&](Writer& one) {
        Writer mark(one, packet::track_event);
        mark.add_enum(event::type, type);
        mark.add_uint64(event::track_uuid, uuid_of_track(track_index));
        if (type == kEnd) return;
        mark.add_uint64(event::name_iid, a.name + uint64_t{1});
        mark.add_fixed64(event::flow_ids, a.correlation);
      });
    }
  }

  void write_counters() {
    for (size_t i = 0; i < c_.counters().size(); ++i) {
      const CounterSeries& s = c_.counters()[i];
      for (size_t k = 0; k < s.value.size(); ++k) {
        if (!range_.touches(s.time_ns[k], 0)) continue;
        packet(s.time_ns[k], kNeedsState, [&](Writer& one) {
          Writer value(one, packet::track_event);
          value.add_enum(event::type, kCounter);
          value.add_uint64(event::track_uuid, uuid_of_counter(i));
          value.add_double(event::counter_value, s.value[k]);
        });
      }
    }
  }

  const Capture& c_;
  const ExportRange& range_;
  ExportSink& sink_;
  std::string bytes_;
  size_t packets_ = 0, all_rows_ = 0;
  bool given_up_ = false;
  std::map<std::string, uint64_t> groups_;
  std::unordered_set<uint64_t> launches_;
};

}  // namespace

Exporter perfetto_exporter() {
  return {.name = "perfetto",
          .extension = ".pftrace",
          .help = "ui.perfetto.dev and trace_processor",
          .write = [](const Capture& c, const ExportRange& range, ExportSink& sink) {
            PerfettoWriter(c, range, sink).write();
          }};
}

}  // namespace profiler
