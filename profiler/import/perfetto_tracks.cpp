// SPDX-License-Identifier: Apache-2.0
// Descriptors of tracks, processes and threads.
#include "profiler/import/perfetto_tracks.h"

#include <fmt/format.h>

namespace profiler {

using perfetto::integer, perfetto::is, perfetto::kBytes, perfetto::kVarint, perfetto::text;
using protozero::pbf_reader;

namespace {

constexpr size_t kMostTracks = size_t{1} << 20;

}  // namespace

PerfettoTrack& PerfettoTracks::track(uint64_t uuid) {
  if (tracks_.size() >= kMostTracks && !tracks_.contains(uuid)) uuid = 0;
  return tracks_[uuid];
}

uint64_t PerfettoTracks::of_thread(int64_t pid, int64_t tid) {
  const uint64_t uuid = 0x7a00000000000000u ^ (static_cast<uint64_t>(pid) << 32) ^ static_cast<uint64_t>(tid);
  PerfettoTrack& t = track(uuid);
  if (!t.tid) t.pid = pid, t.tid = tid;
  return uuid;
}

void PerfettoTracks::take_pid(pbf_reader& r, PerfettoTrack& t) {
  while (r.next()) {
    if (is(r, 1, kVarint)) t.pid = integer(r);
    else if (is(r, 6, kBytes)) t.process = text(r);
    else r.skip();  // the command line is not kept
  }
  if (t.pid && !t.process.empty()) process_names_[*t.pid] = t.process;
}

void PerfettoTracks::take_tid(pbf_reader& r, PerfettoTrack& t, int64_t* reference_us) {
  while (r.next()) {
    if (is(r, 1, kVarint)) t.pid = integer(r);
    else if (is(r, 2, kVarint)) t.tid = integer(r);
    else if (is(r, 5, kBytes)) t.thread = text(r);
    else if (is(r, 6, kVarint) && reference_us != nullptr) *reference_us = integer(r);
    else r.skip();
  }
}

void PerfettoTracks::take_track(pbf_reader& r) {
  PerfettoTrack t;
  uint64_t uuid = 0;
  while (r.next()) {
    if (is(r, 1, kVarint)) uuid = r.get_uint64();
    else if (is(r, 2, kBytes) || is(r, 10, kBytes) || is(r, 13, kBytes)) t.name = text(r);
    else if (is(r, 5, kVarint)) t.parent = r.get_uint64();
    else if (is(r, 3, kBytes)) {
      pbf_reader process = r.get_message();
      take_pid(process, t);
    } else if (is(r, 4, kBytes)) {
      pbf_reader thread = r.get_message();
      take_tid(thread, t, nullptr);
    } else if (is(r, 8, kBytes)) {
      pbf_reader counter = r.get_message();
      t.counter = true;
      while (counter.next()) {
        if (is(counter, 3, kVarint)) {
          const uint64_t unit = counter.get_uint64();
          if (t.unit.empty()) t.unit = unit == 1 ? "ns" : unit == 3 ? "B" : "";
        } else if (is(counter, 4, kVarint)) {
          t.multiplier = static_cast<double>(integer(counter));
        } else if (is(counter, 5, kVarint)) {
          t.incremental = counter.get_uint64() != 0;
        } else if (is(counter, 6, kBytes)) {
          t.unit = text(counter);
        } else {
          counter.skip();
        }
      }
    } else {
      r.skip();
    }
  }
  PerfettoTrack& known = track(uuid);
  if (t.name.empty()) t.name = known.name;
  if (!t.tid) t.tid = known.tid, t.thread = known.thread;
  if (!t.pid) t.pid = known.pid, t.process = known.process;
  t.counter = t.counter || known.counter;
  known = std::move(t);
}

void PerfettoTracks::take_process(pbf_reader& r) {
  PerfettoTrack t;
  take_pid(r, t);
}

void PerfettoTracks::take_thread(pbf_reader& r, PerfettoSequence& s) {
  PerfettoTrack t;
  take_tid(r, t, &s.thread_us);
  if (!t.tid) return;
  s.thread_track = of_thread(t.pid.value_or(0), *t.tid);
  track(s.thread_track) = std::move(t);
}

void PerfettoTracks::take_process_tree(pbf_reader& r) {
  while (r.next()) {
    const bool process = is(r, 1, kBytes), thread = is(r, 2, kBytes);
    if (!process && !thread) {
      r.skip();
      continue;
    }
    pbf_reader one = r.get_message();
    int64_t id = 0;
    std::string name;
    while (one.next()) {
      if (is(one, 1, kVarint)) id = integer(one);
      else if (is(one, process ? 3 : 2, kBytes) && name.empty()) name = text(one);
      else one.skip();
    }
    if (process) name = name.substr(name.rfind('/') + 1);  // of the program's path
    if (!name.empty() && process_names_.size() + thread_names_.size() < kMostPerfettoNames)
      (process ? process_names_ : thread_names_).try_emplace(id, name);
  }
}

std::string PerfettoTracks::process_of(const PerfettoTrack& from) const {
  const PerfettoTrack* t = &from;
  for (int up = 0; up < 16; ++up) {
    if (t->pid) {
      const auto name = process_names_.find(*t->pid);
      return name == process_names_.end() ? fmt::format("process {}", *t->pid)
                                          : fmt::format("{} ({})", name->second, *t->pid);
    }
    const auto parent = tracks_.find(t->parent);
    if (t->parent == 0 || parent == tracks_.end()) break;
    t = &parent->second;
  }
  return t == &from || t->name.empty() ? std::string("trace") : t->name;
}

std::string PerfettoTracks::name_of(uint64_t uuid, const PerfettoTrack& t) const {
  if (t.tid) {
    const auto known = thread_names_.find(*t.tid);
    const std::string name = !t.thread.empty() ? t.thread : known != thread_names_.end() ? known->second : t.name;
    return name.empty() ? fmt::format("thread {}", *t.tid) : fmt::format("{} ({})", name, *t.tid);
  }
  if (!t.name.empty()) return t.name;
  return t.pid ? "process" : fmt::format("track {:x}", uuid);
}

}  // namespace profiler
