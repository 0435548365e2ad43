// SPDX-License-Identifier: Apache-2.0
// Perfetto's traces, packet by packet, and our own exports read again.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <functional>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <random>

#include "profiler/export/exporter.h"
#include "tests/profiler/import/import_support.h"
#include "tests/support/sample_gpu_capture.h"

namespace profiler {
namespace {

using Writer = protozero::pbf_writer;
using Fill = std::function<void(Writer&)>;

std::string message(const Fill& fill) {
  std::string bytes;
  Writer w(bytes);
  fill(w);
  return bytes;
}

std::string packet(const Fill& fill) {
  return message([&](Writer& w) { w.add_message(1, message(fill)); });
}

constexpr uint64_t kCleared = 1, kNeeds = 2;

/// A packet of sequence 1 at a time.
std::string at(uint64_t time, uint64_t flags, const Fill& fill) {
  return packet([&](Writer& p) {
    p.add_uint64(8, time), p.add_uint64(10, 1);
    if (flags != 0) p.add_uint64(13, flags);
    fill(p);
  });
}

std::string event(
    uint64_t time, int type, uint64_t track, const Fill& more = [](Writer&) {}, uint64_t flags = 0) {
  return at(time, flags, [&](Writer& p) {
    p.add_message(11, message([&](Writer& e) {
                    e.add_enum(9, type), e.add_uint64(11, track);
                    more(e);
                  }));
  });
}

Fill named(const std::string& name) {
  return [name](Writer& e) { e.add_string(23, name); };
}
Fill interned(uint64_t iid) {
  return [iid](Writer& e) { e.add_uint64(10, iid); };
}

std::string thread_track(uint64_t uuid, int pid, int tid, const std::string& name) {
  return packet([&](Writer& p) {
    p.add_uint64(10, 1);
    p.add_message(60, message([&](Writer& t) {
                    t.add_uint64(1, uuid);
                    t.add_message(4, message([&](Writer& thread) {
                                    thread.add_int32(1, pid), thread.add_int32(2, tid), thread.add_string(5, name);
                                  }));
                  }));
  });
}

std::string names(const std::map<uint64_t, std::string>& all, uint64_t flags) {
  return at(1, flags, [&](Writer& p) {
    p.add_message(12, message([&](Writer& data) {
                    for (const auto& [iid, name] : all)
                      data.add_message(2, message([&, iid = iid, &name = name](Writer& one) {
                                         one.add_uint64(1, iid), one.add_string(2, name);
                                       }));
                  }));
  });
}

/// "name begin+duration" of all spans, in their order.
std::string spans(const Capture& c) {
  std::string all;
  const ActivityColumns& a = c.activities();
  for (size_t i = 0; i < a.size(); ++i)
    all += fmt::format("{}{} {}+{}", all.empty() ? "" : ", ", c.name(a.name[i]), a.start_ns[i], a.duration_ns[i]);
  return all;
}

std::string spans_of(const std::string& bytes) {
  const auto capture = tests::import_bytes(bytes, "t.pftrace");
  return capture ? spans(**capture) : "refused: " + capture.error().message;
}

TEST(Perfetto, SlicesNestOnTheTrackOfTheirThread) {
  const auto capture = tests::import_bytes(thread_track(7, 100, 101, "worker") + event(1000, 1, 7, named("outer")) +
                                               event(1100, 1, 7, named("inner")) + event(1150, 3, 7, named("mark")) +
                                               event(1200, 2, 7) + event(1500, 2, 7),
                                           "t.pftrace");
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ(spans(**capture), "outer 1000+500, inner 1100+100, mark 1150+0");
  ASSERT_EQ((*capture)->tracks().size(), 1u);
  EXPECT_EQ((*capture)->tracks()[0].name, "worker (101)");
  EXPECT_EQ((*capture)->tracks()[0].group, "process 100");
  EXPECT_EQ((*capture)->run().source, "Perfetto trace");
}

TEST(Perfetto, NamesOfProcessesComeFromDescriptorsAndTheProcessTree) {
  const std::string tree = packet([](Writer& p) {
    p.add_uint64(8, 1);
    p.add_message(2, message([](Writer& t) {
                    t.add_message(1, message([](Writer& process) {
                                    process.add_int32(1, 100), process.add_string(3, "/home/anna/bin/server");
                                    process.add_string(3, "--password=x");
                                  }));
                    t.add_message(2, message([](Writer& thread) {
                                    thread.add_int32(1, 101), thread.add_string(2, "pool"), thread.add_int32(3, 100);
                                  }));
                  }));
  });
  const auto capture = tests::import_bytes(
      thread_track(7, 100, 101, "") + tree + event(10, 1, 7, named("a")) + event(20, 2, 7), "t.pftrace");
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ((*capture)->tracks()[0].name, "pool (101)");
  EXPECT_EQ((*capture)->tracks()[0].group, "server (100)") << "neither folder nor arguments";
}

TEST(Perfetto, InternedNamesLastUntilTheStateIsCleared) {
  EXPECT_EQ(spans_of(names({{1, "a"}, {2, "b"}}, kCleared) + event(10, 1, 7, interned(2), kNeeds) + event(20, 2, 7) +
                     names({{1, "c"}}, kCleared) + event(30, 1, 7, interned(1), kNeeds) + event(40, 2, 7) +
                     event(50, 1, 7, interned(2), kNeeds) + event(60, 2, 7)),
            "b 10+10, c 30+10, name_2 50+10");
}

TEST(Perfetto, WhatNeedsALostStateIsLeftOutAndCounted) {
  const std::string lost = at(25, 0, [](Writer& p) { p.add_bool(42, true); });
  const auto capture = tests::import_bytes(names({{1, "a"}}, kCleared) + event(10, 1, 7, interned(1), kNeeds) +
                                               event(20, 2, 7) + lost + event(30, 1, 7, interned(1), kNeeds) +
                                               event(
                                                   40, 2, 7, [](Writer&) {}, kNeeds),
                                           "t.pftrace");
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ(spans(**capture), "a 10+10");
  EXPECT_EQ((*capture)->honesty().dropped_records, 2);
}

TEST(Perfetto, ClocksOfASequenceCountFromTheirSnapshot) {
  const std::string snapshot = at(5'000, 0, [](Writer& p) {
    p.add_message(6, message([](Writer& s) {
                    s.add_message(1, message([](Writer& c) { c.add_uint32(1, 6), c.add_uint64(2, 5'000'000); }));
                    s.add_message(1, message([](Writer& c) {
                                    c.add_uint32(1, 64), c.add_uint64(2, 100), c.add_bool(3, true),
                                        c.add_uint64(4, 1000);
                                  }));
                    s.add_message(1, message([](Writer& c) { c.add_uint32(1, 3), c.add_uint64(2, 1'000'000); }));
                  }));
  });
  const std::string defaults =
      at(1, kCleared, [](Writer& p) { p.add_message(59, message([](Writer& d) { d.add_uint32(58, 64); })); });
  const std::string monotonic = packet([](Writer& p) {
    p.add_uint64(8, 1'000'500), p.add_uint64(10, 1), p.add_uint32(58, 3);
    p.add_message(11, message([](Writer& e) { e.add_enum(9, 3), e.add_uint64(11, 7), e.add_string(23, "monotonic"); }));
  });
  EXPECT_EQ(spans_of(defaults + snapshot + event(3, 1, 7, named("a")) + event(4, 2, 7) + monotonic),
            "monotonic 5000500+0, a 5003000+4000");
}

TEST(Perfetto, CountersAddUpWhereTheyAreIncremental) {
  const auto track = [](uint64_t uuid, const char* name, bool incremental) {
    return packet([&](Writer& p) {
      p.add_uint64(10, 1);
      p.add_message(60, message([&](Writer& t) {
                      t.add_uint64(1, uuid), t.add_string(2, name);
                      t.add_message(8, message([&](Writer& c) {
                                      c.add_enum(3, 3), c.add_int64(4, 2), c.add_bool(5, incremental);
                                    }));
                    }));
    });
  };
  const auto value = [](int64_t v) { return [v](Writer& e) { e.add_int64(30, v); }; };
  const auto capture = tests::import_bytes(
      track(8, "heap", true) + track(9, "level", false) + event(10, 4, 8, value(5)) + event(20, 4, 8, value(-2)) +
          event(10, 4, 9, value(5)) + event(20, 4, 9, [](Writer& e) { e.add_double(44, 2.5); }) + event(30, 4, 9),
      "t.pftrace");
  ASSERT_TRUE(capture) << capture.error().message;
  std::map<std::string, std::vector<double>> values;
  for (const CounterSeries& s : (*capture)->counters()) {
    EXPECT_EQ((*capture)->name(s.unit), "B");
    for (size_t i = 0; i < s.value.size(); ++i) values[std::string((*capture)->name(s.name))].push_back(s.value[i]);
  }
  EXPECT_EQ(values, (std::map<std::string, std::vector<double>>{{"heap", {10, 6}}, {"level", {10, 5}}}));
}

TEST(Perfetto, PacketsOfSeveralWritersAreMixed) {
  EXPECT_EQ(
      spans_of(event(10, 1, 7, named("outer")) + event(40, 2, 7) + event(20, 1, 7, named("inner")) + event(30, 2, 7)),
      "outer 10+30, inner 20+10");
}

TEST(Perfetto, OfSpansThatBeginAndEndTogetherTheOuterOneComesFirst) {
  EXPECT_EQ(
      spans_of(event(10, 1, 7, named("outer")) + event(10, 1, 7, named("inner")) + event(20, 2, 7) + event(20, 2, 7)),
      "outer 10+10, inner 10+10");
}

TEST(Perfetto, AStateLastsUntilTheNextOfItsTrack) {
  EXPECT_EQ(spans_of(event(10, 5, 7, named("idle")) + event(30, 5, 7, named("busy")) + event(60, 5, 7) +
                     event(90, 3, 8, named("mark"))),
            "idle 10+20, busy 30+30, mark 90+0");
}

TEST(Perfetto, AnOlderMarkOfClearedStateCounts) {
  const std::string cleared = packet([](Writer& p) {
    p.add_uint64(8, 1), p.add_uint64(10, 1), p.add_bool(41, true);
    p.add_message(12, message([](Writer& data) {
                    data.add_message(2, message([](Writer& one) { one.add_uint64(1, 1), one.add_string(2, "a"); }));
                  }));
  });
  EXPECT_EQ(spans_of(cleared + event(10, 1, 7, interned(1), kNeeds) + event(20, 2, 7)), "a 10+10");
}

TEST(Perfetto, AsynchronousEventsOfOneIdAreATrack) {
  const auto old = [](uint64_t time, char phase, uint64_t id, const std::string& name) {
    return at(time, 0, [&](Writer& p) {
      p.add_message(11, message([&](Writer& e) {
                      e.add_string(23, name);
                      e.add_message(6, message([&](Writer& l) { l.add_int32(2, phase), l.add_uint64(11, id); }));
                    }));
    });
  };
  EXPECT_EQ(spans_of(old(10, 'b', 1, "a") + old(20, 'b', 2, "b") + old(30, 'e', 1, "") + old(50, 'e', 2, "")),
            "a 10+20, b 20+30");
}

TEST(Perfetto, QueuesAndStagesOfOlderGpuWritersStandInLists) {
  const std::string lists = at(1, 0, [](Writer& p) {
    p.add_message(53, message([](Writer& stage) {
                    stage.add_message(7, message([](Writer& s) {
                                        s.add_message(2, message([](Writer& q) { q.add_string(1, "compute"); }));
                                        s.add_message(3, message([](Writer& q) { q.add_string(1, "other"); }));
                                        s.add_message(3, message([](Writer& q) { q.add_string(1, "kernel"); }));
                                      }));
                    stage.add_uint64(2, 5), stage.add_int32(3, 0), stage.add_int32(4, 1);
                    stage.add_string(17, "gemm");
                  }));
  });
  const auto capture = tests::import_bytes(lists, "t.pftrace");
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ(spans(**capture), "gemm 1+5");
  EXPECT_EQ((*capture)->gpu().kernels.size(), 1u);
  EXPECT_EQ((*capture)->tracks()[0].name, "compute");
}

TEST(Perfetto, EventsOfOlderWritersCountFromTheirThread) {
  const std::string thread = at(1, kCleared, [](Writer& p) {
    p.add_message(44, message([](Writer& t) {
                    t.add_int32(1, 5), t.add_int32(2, 6), t.add_string(5, "main"), t.add_int64(6, 1000);
                  }));
  });
  const auto old = [](int64_t delta, char phase, const std::string& name, int64_t duration) {
    return packet([&](Writer& p) {
      p.add_uint64(10, 1);
      p.add_message(11, message([&](Writer& e) {
                      e.add_int64(1, delta), e.add_string(23, name);
                      e.add_message(6, message([&](Writer& legacy) {
                                      legacy.add_int32(2, phase);
                                      if (duration >= 0) legacy.add_int64(3, duration);
                                    }));
                    }));
    });
  };
  EXPECT_EQ(spans_of(thread + old(5, 'X', "x", 7) + old(5, 'B', "b", -1) + old(10, 'E', "", -1)),
            "x 1005000+7000, b 1010000+10000");
}

std::string zipped(const std::string& text) {
  std::string out(compressBound(text.size()), '\0');
  uLongf size = out.size();
  EXPECT_EQ(
      compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size()),
      Z_OK);
  out.resize(size);
  return out;
}

TEST(Perfetto, CompressedPacketsAreReadOnce) {
  const std::string inside = event(10, 1, 7, named("a")) + event(20, 2, 7);
  const auto wrapped = [](const std::string& bytes) {
    return packet([&](Writer& p) { p.add_uint64(3, 1), p.add_bytes(50, bytes); });
  };
  EXPECT_EQ(spans_of(wrapped(zipped(inside))), "a 10+10");
  EXPECT_NE(spans_of(wrapped(zipped(wrapped(zipped(inside))))).find("compressed packets inside compressed packets"),
            std::string::npos);
  std::string damaged = zipped(inside);
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  EXPECT_NE(spans_of(wrapped(damaged)).find("damaged"), std::string::npos);
  EXPECT_NE(spans_of(wrapped(zipped(inside).substr(0, 12))).find("damaged"), std::string::npos);
}

TEST(Perfetto, WhatIsOpenAtTheEndLastsUntilThere) {
  const auto capture = tests::import_bytes(
      event(10, 1, 7, named("a")) + event(20, 1, 7, named("b")) + event(90, 3, 8, named("late")) + event(95, 2, 9),
      "t.pftrace");
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ(spans(**capture), "a 10+85, b 20+75, late 90+0");
  EXPECT_NE(tests::notes(**capture).find("without a beginning"), std::string::npos);
}

TEST(Perfetto, DataSourcesThatAreNotReadAreListed) {
  const std::string ftrace =
      at(5, 0, [](Writer& p) { p.add_message(1, message([](Writer& f) { f.add_uint32(1, 0); })); });
  const auto capture =
      tests::import_bytes(event(10, 1, 7, named("a")) + event(20, 2, 7) + ftrace + ftrace, "t.pftrace");
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ((*capture)->honesty().dropped_records, 2);
  EXPECT_NE(tests::notes(**capture).find("ftrace (2 packets)"), std::string::npos);
}

TEST(Perfetto, BrokenBytesAreRefusedWithTheirPlaceAndValue) {
  const std::string good = event(10, 1, 7, named("a")) + event(20, 2, 7);
  const auto refusal = [&](const std::string& bytes) { return spans_of(good + bytes); };
  EXPECT_NE(refusal(std::string("\x0b", 1)).find(fmt::format("byte {}: a field has number 1 and type 3", good.size())),
            std::string::npos);
  EXPECT_NE(refusal(std::string(11, '\xff')).find("more than 10 bytes"), std::string::npos);
  EXPECT_NE(refusal(std::string("\x0a\xff\xff\xff\xff\x7f", 6)).find("field 1 has 34359738367 bytes"),
            std::string::npos);
  // a track event whose length goes beyond its packet
  const std::string beyond("\x0a\x06\x08\x01\x5a\x20\x48\x01", 8);
  EXPECT_NE(refusal(beyond).find("is broken"), std::string::npos) << refusal(beyond);
  EXPECT_NE(refusal(beyond).find("byte "), std::string::npos);
  const auto cut = tests::import_bytes((good + good).substr(0, good.size() * 2 - 3), "t.pftrace");
  ASSERT_TRUE(cut) << "what broke off at the end is kept as far as it goes";
  EXPECT_NE(tests::notes(**cut).find("breaks off"), std::string::npos);
}

TEST(Perfetto, ChangedBytesNeverDoMoreThanRefuse) {
  std::string good = names({{1, "a"}, {2, "b"}}, kCleared) + thread_track(7, 100, 101, "worker");
  for (uint64_t i = 0; i < 20; ++i)
    good += event(100 * i + 10, 1, 7, interned(1 + i % 2), kNeeds) + event(100 * i + 50, 2, 7);
  std::mt19937 random(7);
  int read = 0, refused = 0;
  for (int i = 0; i < 600; ++i) {
    std::string bytes = good;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto capture = import_traces([&] {
      static tests::TemporaryFolder folder;
      tests::write_bytes(folder / "t.pftrace", bytes);
      return ImportRequest{.files = {folder / "t.pftrace"}, .format = {}, .command = {}, .control = {}};
    }());
    ++(capture ? read : refused);
    EXPECT_TRUE(capture.ok() || capture.error().message.find("t.pftrace") != std::string::npos);
  }
  EXPECT_GT(read, 50);
  EXPECT_GT(refused, 50);
}

TEST(Perfetto, OurOwnExportsAreReadAgain) {
  const auto original = tests::sample_gpu_capture();
  tests::TemporaryFolder folder;
  const auto written = export_capture(*original, {}, perfetto_exporter(), folder / "t.pftrace");
  ASSERT_TRUE(written) << written.error().message;
  const auto again = import_traces({.files = {folder / "t.pftrace"}, .format = {}, .command = {}, .control = {}});
  ASSERT_TRUE(again) << again.error().message;
  const auto durations = [](const Capture& c, ActivityKind kind) {
    std::multimap<std::string, int64_t> all;
    for (size_t i = 0; i < c.activities().size(); ++i) {
      if (c.activities().kind[i] == kind)
        all.emplace(std::string(c.name(c.activities().name[i])), c.activities().duration_ns[i]);
    }
    return all;
  };
  for (const ActivityKind kind : {ActivityKind::kernel, ActivityKind::copy, ActivityKind::memset})
    EXPECT_EQ(durations(**again, kind), durations(*original, kind));
  ASSERT_FALSE((*again)->gpu().kernels.empty());
  EXPECT_EQ((*again)->gpu().kernels[0].grid, original->gpu().kernels[0].grid);
  EXPECT_EQ((*again)->gpu().copies[0].bytes, original->gpu().copies[0].bytes);
}

}  // namespace
}  // namespace profiler
