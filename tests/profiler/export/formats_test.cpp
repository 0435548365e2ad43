// SPDX-License-Identifier: Apache-2.0
// Each export held against what its format's specification demands.
#include <zlib.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>
#include <set>
#include <sstream>
#include <tuple>

#include "profiler/capture/capture_builder.h"
#include "tests/profiler/export/export_support.h"
#include "tests/support/rank_lab.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace profiler;
using namespace tests;
using nlohmann::json;

std::string unzipped(const std::string& bytes) {
  z_stream z{};
  EXPECT_EQ(inflateInit2(&z, 15 + 16), Z_OK);
  std::string out(1 << 20, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  inflateEnd(&z);
  return out;
}

TEST(Speedscope, IsWhatItsSchemaDemands) {
  const auto capture = sample_gpu_capture();
  const json document = json::parse(exported(*capture, "speedscope"));
  EXPECT_EQ(document.at("$schema"), "https://www.speedscope.app/file-format-schema.json");
  const json& frames = document.at("shared").at("frames");
  for (const json& frame : frames) EXPECT_TRUE(frame.at("name").is_string());
  ASSERT_FALSE(document.at("profiles").empty());
  for (const json& profile : document.at("profiles")) {
    EXPECT_EQ(profile.at("type"), "evented");
    EXPECT_EQ(profile.at("unit"), "nanoseconds");
    int64_t last = profile.at("startValue");
    std::vector<int> open;
    for (const json& event : profile.at("events")) {
      EXPECT_GE(event.at("at").get<int64_t>(), last);
      last = event.at("at");
      const int frame = event.at("frame");
      ASSERT_LT(static_cast<size_t>(frame), frames.size());
      if (event.at("type") == "O") {
        open.push_back(frame);
      } else {
        ASSERT_FALSE(open.empty());
        EXPECT_EQ(open.back(), frame);
        open.pop_back();
      }
    }
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(last, profile.at("endValue"));
  }
}

TEST(Pprof, TimeAddsUpAndEveryIdExists) {
  const auto capture = sample_gpu_capture();
  const std::string bytes = unzipped(exported(*capture, "pprof"));
  protozero::pbf_reader profile(bytes);
  std::vector<std::string> strings;
  std::set<uint64_t> locations, functions, used;
  int64_t ns = 0, types = 0, copied = 0;
  while (profile.next()) {
    if (profile.tag() == 1) {
      ++types;
      profile.skip();
    } else if (profile.tag() == 2) {
      protozero::pbf_reader sample = profile.get_message();
      while (sample.next()) {
        if (sample.tag() == 1) {
          for (const uint64_t id : sample.get_packed_uint64()) used.insert(id);
        } else {
          const auto values = sample.get_packed_int64();
          ASSERT_EQ(values.size(), 3u);
          auto at = values.begin();
          ns += *at++;
          ++at;
          copied += *at;
        }
      }
    } else if (profile.tag() == 4 || profile.tag() == 5) {
      const bool location = profile.tag() == 4;
      protozero::pbf_reader one = profile.get_message();
      ASSERT_TRUE(one.next(1));
      (location ? locations : functions).insert(one.get_uint64());
    } else if (profile.tag() == 6) {
      strings.push_back(profile.get_string());
    } else {
      profile.skip();
    }
  }
  EXPECT_EQ(types, 3);
  ASSERT_FALSE(strings.empty());
  EXPECT_EQ(strings[0], "") << "index 0 must be empty";
  EXPECT_EQ(locations, functions);
  EXPECT_EQ(used, locations);
  int64_t expected = 0, bytes_copied = 0;
  for (size_t i = 0; i < capture->activities().size(); ++i) {
    const Activity a = capture->activities().row(i);
    const bool device =
        a.kind == ActivityKind::kernel || a.kind == ActivityKind::copy || a.kind == ActivityKind::memset;
    if (device || a.kind == ActivityKind::op) expected += a.duration_ns;
  }
  for (const CopyRecord& r : capture->gpu().copies) bytes_copied += r.bytes;
  EXPECT_EQ(ns, expected);
  EXPECT_EQ(copied, bytes_copied);
}

TEST(Perfetto, PacketsReferToWhatWasDeclared) {
  const auto capture = sample_gpu_capture();
  const std::string bytes = exported(*capture, "perfetto");
  protozero::pbf_reader trace(bytes);
  std::set<uint64_t> tracks, names, specifications;
  std::map<uint64_t, int> open;
  size_t stages = 0;
  int64_t stage_ns = 0;
  bool cleared = false;
  while (trace.next()) {
    ASSERT_EQ(trace.tag(), 1u) << "a file is repeated packets";
    protozero::pbf_reader packet = trace.get_message();
    uint32_t flags = 0;
    while (packet.next()) {
      if (packet.tag() == 13) {
        flags = packet.get_uint32();
        cleared = cleared || (flags & 1) != 0;
      } else if (packet.tag() == 60) {
        protozero::pbf_reader track = packet.get_message();
        ASSERT_TRUE(track.next(1));
        EXPECT_TRUE(tracks.insert(track.get_uint64()).second);
      } else if (packet.tag() == 12) {
        protozero::pbf_reader interned = packet.get_message();
        while (interned.next()) {
          const auto tag = interned.tag();
          protozero::pbf_reader entry = interned.get_message();
          ASSERT_TRUE(entry.next(1));
          const uint64_t iid = entry.get_uint64();
          EXPECT_GT(iid, 0u);
          if (tag == 2) names.insert(iid);
          if (tag == 24) specifications.insert(iid);
        }
      } else if (packet.tag() == 11) {
        EXPECT_TRUE(cleared) << "readers drop what comes before the state is cleared";
        protozero::pbf_reader event = packet.get_message();
        int type = 0;
        uint64_t track = 0;
        while (event.next()) {
          if (event.tag() == 9) {
            type = event.get_enum();
          } else if (event.tag() == 11) {
            track = event.get_uint64();
          } else if (event.tag() == 10) {
            EXPECT_TRUE(names.contains(event.get_uint64()));
          } else {
            event.skip();
          }
        }
        EXPECT_TRUE(tracks.contains(track));
        if (type == 1) ++open[track];
        if (type == 2) {
          EXPECT_GE(--open[track], 0);
        }
      } else if (packet.tag() == 53) {
        ++stages;
        protozero::pbf_reader stage = packet.get_message();
        while (stage.next()) {
          if (stage.tag() == 2) {
            stage_ns += static_cast<int64_t>(stage.get_uint64());
          } else if (stage.tag() == 13 || stage.tag() == 14) {
            EXPECT_TRUE(specifications.contains(stage.get_uint64()));
          } else if (stage.tag() == 20) {
            EXPECT_TRUE(names.contains(stage.get_uint64()));
          } else {
            stage.skip();
          }
        }
      } else {
        packet.skip();
      }
    }
  }
  for (const auto& [track, depth] : open) EXPECT_EQ(depth, 0) << track;
  int64_t expected = 0;
  GpuRecords::visit_lists(capture->gpu(), [&](const auto& list) {
    for (const auto& r : list) {
      const bool device =
          r.kKind == ActivityKind::kernel || r.kKind == ActivityKind::copy || r.kKind == ActivityKind::memset;
      if (device) expected += capture->activities().duration_ns[r.activity];
    }
  });
  EXPECT_EQ(stages, capture->gpu().kernels.size() + capture->gpu().copies.size() + capture->gpu().memsets.size());
  EXPECT_EQ(stage_ns, expected);
}

/// Begin and end (ns since the first) and name of the spans that are not on a device, as they nest on their track.
std::multiset<std::tuple<int64_t, int64_t, std::string>> host_spans(const Capture& c) {
  std::multiset<std::tuple<int64_t, int64_t, std::string>> all;
  for (size_t i = 0; i < c.activities().size(); ++i) {
    const Activity a = c.activities().row(i);
    if (a.kind == ActivityKind::kernel || a.kind == ActivityKind::copy || a.kind == ActivityKind::memset) continue;
    all.insert({a.start_ns - c.begin_ns(), a.start_ns - c.begin_ns() + a.duration_ns, std::string(c.name(a.name))});
  }
  return all;
}

/// Read back by field number: every span with its time and name, every GPU stage, every counter value, every launch
/// arrow.
TEST(Perfetto, ReadBackItHoldsAllSpans) {
  auto builder = sample_gpu_builder();
  builder.add_counter({.name = builder.intern("allocated"),
                       .group = builder.intern("GPU 0"),
                       .unit = builder.intern("B"),
                       .time_ns = {1'000'000, 1'020'000},
                       .value = {5, 7}});
  const auto capture = *builder.finish();
  const std::string bytes = exported(*capture, "perfetto");
  std::map<uint64_t, std::string> names;
  std::map<uint64_t, std::vector<std::pair<int64_t, std::string>>> open;
  std::multiset<std::tuple<int64_t, int64_t, std::string>> spans, stages;
  std::multiset<uint64_t> flows;
  std::vector<double> values;
  protozero::pbf_reader trace(bytes);
  while (trace.next(1)) {
    protozero::pbf_reader packet = trace.get_message();
    int64_t time = 0;
    while (packet.next()) {
      if (packet.tag() == 8) {
        time = static_cast<int64_t>(packet.get_uint64());
      } else if (packet.tag() == 12) {
        protozero::pbf_reader interned = packet.get_message();
        while (interned.next()) {
          if (interned.tag() != 2) {
            interned.skip();
            continue;
          }
          protozero::pbf_reader entry = interned.get_message();
          uint64_t iid = 0;
          while (entry.next())
            entry.tag() == 1 ? void(iid = entry.get_uint64()) : void(names[iid] = entry.get_string());
        }
      } else if (packet.tag() == 11) {
        protozero::pbf_reader event = packet.get_message();
        int type = 0;
        uint64_t track = 0, name = 0;
        while (event.next()) {
          if (event.tag() == 9) type = event.get_enum();
          else if (event.tag() == 11) track = event.get_uint64();
          else if (event.tag() == 10) name = event.get_uint64();
          else if (event.tag() == 47) flows.insert(event.get_fixed64());
          else if (event.tag() == 44) values.push_back(event.get_double());
          else event.skip();
        }
        if (type == 1) open[track].emplace_back(time, names[name]);
        if (type == 2) {
          ASSERT_FALSE(open[track].empty());
          spans.insert({open[track].back().first, time, open[track].back().second});
          open[track].pop_back();
        }
      } else if (packet.tag() == 53) {
        protozero::pbf_reader stage = packet.get_message();
        int64_t duration = 0;
        uint64_t name = 0;
        while (stage.next()) {
          if (stage.tag() == 2) duration = static_cast<int64_t>(stage.get_uint64());
          else if (stage.tag() == 20) name = stage.get_uint64();
          else stage.skip();
        }
        stages.insert({time, time + duration, names[name]});
      } else {
        packet.skip();
      }
    }
  }
  for (const auto& span : host_spans(*capture)) EXPECT_TRUE(spans.contains(span)) << std::get<2>(span);
  std::multiset<std::tuple<int64_t, int64_t, std::string>> device;
  std::multiset<uint64_t> launches;
  for (size_t i = 0; i < capture->activities().size(); ++i) {
    const Activity a = capture->activities().row(i);
    if (a.kind == ActivityKind::api && a.correlation != 0) launches.insert(a.correlation);
    if (a.kind != ActivityKind::kernel && a.kind != ActivityKind::copy && a.kind != ActivityKind::memset) continue;
    device.insert({a.start_ns - capture->begin_ns(), a.start_ns - capture->begin_ns() + a.duration_ns,
                   std::string(capture->name(a.name))});
  }
  EXPECT_EQ(stages, device);
  EXPECT_EQ(values, (std::vector<double>{5, 7}));
  EXPECT_FALSE(launches.empty());
  for (const uint64_t launch : launches) EXPECT_EQ(flows.count(launch), 2u) << "an arrow from the call to its work";
}

TEST(Speedscope, ReadBackItHoldsAllSpans) {
  const auto capture = sample_gpu_capture();
  const json document = json::parse(exported(*capture, "speedscope"));
  std::multiset<std::tuple<int64_t, int64_t, std::string>> spans, expected = host_spans(*capture);
  for (const json& profile : document.at("profiles")) {
    std::vector<int64_t> open;
    for (const json& event : profile.at("events")) {
      if (event.at("type") == "O") {
        open.push_back(event.at("at"));
      } else {
        spans.insert(
            {open.back(), event.at("at").get<int64_t>(),
             document.at("shared").at("frames").at(event.at("frame").get<size_t>()).at("name").get<std::string>()});
        open.pop_back();
      }
    }
  }
  for (const auto& span : expected) EXPECT_TRUE(spans.contains(span)) << std::get<2>(span);
  EXPECT_EQ(spans.size(), capture->activities().size());
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    all.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

TEST(NsysCsv, ReadBackItHoldsTimesGridsAndBytesExactly) {
  const auto capture = sample_gpu_capture();
  const auto trace = lines(exported(*capture, "csv"));
  size_t line = 1;
  for (size_t i = 0; i < capture->activities().size(); ++i) {
    const Activity a = capture->activities().row(i);
    const auto row = static_cast<uint32_t>(i);
    const KernelRecord* k = capture->kernel_of(row);
    const CopyRecord* r = capture->copy_of(row);
    if (k == nullptr && r == nullptr && capture->memset_of(row) == nullptr) continue;
    std::vector<std::string> fields;
    std::istringstream text(trace.at(line++));
    for (std::string one; fields.size() < 20 && std::getline(text, one, ',');) fields.push_back(one);
    EXPECT_EQ(std::stoll(fields.at(0)), a.start_ns - capture->begin_ns());
    EXPECT_EQ(std::stoll(fields.at(1)), a.duration_ns);
    EXPECT_EQ(std::stoull(fields.at(2)), a.correlation);
    if (k != nullptr) {
      EXPECT_EQ(std::stoi(fields.at(3)), k->grid[0]);
      EXPECT_EQ(std::stoi(fields.at(8)), k->block[2]);
    }
    if (r != nullptr) {
      EXPECT_EQ(std::llround(std::stod(fields.at(12)) * 1e6), r->bytes) << "to the byte";
    }
  }
  EXPECT_EQ(line, trace.size());
}

TEST(NsysCsv, HeadersAndColumns) {
  const auto capture = sample_gpu_capture();
  const auto trace = lines(exported(*capture, "csv"));
  EXPECT_EQ(trace.at(0),
            "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes "
            "(MB),Throughput (MB/s),SrcMemKd,"
            "DstMemKd,Device,Ctx,GreenCtx,Strm,Name");
  EXPECT_EQ(trace.size(),
            1 + capture->gpu().kernels.size() + capture->gpu().copies.size() + capture->gpu().memsets.size());
  for (const std::string& line : trace)
    EXPECT_EQ(std::count(line.begin(), std::find(line.begin(), line.end(), '"'), ','), 20) << line;
  const auto kernels = lines(exported(*capture, "csv-kernels"));
  EXPECT_EQ(kernels.at(0), "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name");
  EXPECT_EQ(kernels.at(1).find("60.0,60000,2,30000.0,30000.0,30000,30000,0.0,"), 0u)
      << kernels.at(1) << ": gemm, twice 30 us";
  const auto copies = lines(exported(*capture, "csv-copies"));
  EXPECT_EQ(copies.at(0), "Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation");
  EXPECT_NE(exported(*capture, "csv-copies").find("[CUDA memcpy Host-to-Device]"), std::string::npos);
}

/// Ranges nest on their threads as nsys's push/pop ranges do; sums by name are those of the ranges.
TEST(NsysCsv, RangesOfTheHost) {
  const auto capture = sample_capture();
  const auto table = lines(exported(*capture, "csv-ranges"));
  EXPECT_EQ(table.at(0),
            "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild "
            "(ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,RangeStack,NameTree");
  std::map<int64_t, int64_t> children;  // by id: time of ranges directly inside
  int64_t total = 0, conv = 0;
  struct Row {
    int64_t start, end, duration, in_children, level, id;
    std::string parent, stack;
  };
  std::map<int64_t, Row> rows;
  for (size_t i = 1; i < table.size(); ++i) {
    std::vector<std::string> f;
    std::istringstream text(table[i]);
    for (std::string one; std::getline(text, one, ',');) f.push_back(one);
    ASSERT_EQ(f.size(), 14u) << table[i];
    const Row row{std::stoll(f[0]),
                  std::stoll(f[1]),
                  std::stoll(f[2]),
                  std::stoll(f[3]),
                  std::stoll(f[8]),
                  std::stoll(f[10]),
                  f[11],
                  f[12]};
    EXPECT_EQ(row.end - row.start, row.duration);
    EXPECT_EQ(std::stoll(f[4]), row.duration - row.in_children);
    EXPECT_TRUE(row.stack.ends_with(":" + f[10])) << row.stack;
    if (!row.parent.empty()) {
      const Row& around = rows.at(std::stoll(row.parent));
      EXPECT_LE(around.start, row.start);
      EXPECT_GE(around.end, row.end);
      EXPECT_EQ(around.level + 1, row.level);
      children[around.id] += row.duration;
    }
    total += row.duration;
    conv += f[5] == ":" + std::string(capture->name(capture->ops()[SampleOps::conv].name)) ? row.duration : 0;
    rows[row.id] = row;
  }
  for (const auto& [id, row] : rows) EXPECT_EQ(children[id], row.in_children) << id;
  int64_t expected = 0;
  for (const uint32_t row : capture->activities_of(SampleOps::conv))
    expected += capture->activities().kind[row] == ActivityKind::op ? capture->activities().duration_ns[row] : 0;
  EXPECT_EQ(conv, expected);
  const auto sums = lines(exported(*capture, "csv-range-sum"));
  EXPECT_EQ(sums.at(0),
            "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Style,Range");
  int64_t summed = 0;
  for (size_t i = 1; i < sums.size(); ++i) {
    summed += std::stoll(sums[i].substr(sums[i].find(',') + 1));
    EXPECT_NE(sums[i].find(",PushPop,:"), std::string::npos) << sums[i];
  }
  EXPECT_EQ(summed, total);
}

TEST(NsysCsv, CallsByName) {
  const auto sums = lines(exported(*sample_gpu_capture(), "csv-calls"));
  EXPECT_EQ(sums.at(0), "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name");
  EXPECT_GT(sums.size(), 2u);
}

/// A table with a header alone would pass for a run in which nothing happened.
TEST(NsysCsv, ACaptureWithoutAGpuGetsItsRanges) {
  const auto host = sample_capture(), gpu = sample_gpu_capture();
  EXPECT_STREQ(exporter_for(*gpu, "a.csv", "")->name, "csv");
  EXPECT_STREQ(exporter_for(*host, "a.csv", "")->name, "csv-ranges");
  for (const auto& [file, format] : {std::pair("a.csv", "csv"), std::pair("a.kernels.csv", ""),
                                     std::pair("a.copies.csv", ""), std::pair("a.calls.csv", "")}) {
    const auto refused = exporter_for(*host, file, format);
    ASSERT_FALSE(refused) << file;
    EXPECT_NE(refused.error().message.find("--format csv-ranges, csv-range-sum"), std::string::npos)
        << refused.error().message;
    EXPECT_NE(refused.error().message.find(file), std::string::npos) << refused.error().message;
  }
}

/// The fields that Holistic Trace Analysis and TensorBoard's plugin read; see also tests/external/check_exports.py.
TEST(KinetoJson, HasWhatItsReadersLookFor) {
  const json trace = json::parse(exported(*sample_gpu_capture(), "chrome"));
  EXPECT_EQ(trace.at("distributedInfo").at("rank"), 0) << "without a rank they refuse the file";
  EXPECT_EQ(trace.at("distributedInfo").at("world_size"), 1);
  EXPECT_TRUE(trace.contains("schemaVersion") && trace.contains("deviceProperties"));
  std::map<std::string, int> kinds;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    for (const char* key : {"name", "cat", "ts", "dur", "pid", "tid"}) EXPECT_TRUE(event.contains(key)) << key << event;
    const std::string kind = event.at("cat");
    ++kinds[kind];
    if (kind == "kernel" || kind == "gpu_memcpy" || kind == "gpu_memset") {
      for (const char* key : {"device", "stream", "correlation"})
        EXPECT_TRUE(event.at("args").contains(key)) << key << event;
    }
    if (kind == "cuda_runtime") {
      EXPECT_TRUE(event.at("args").contains("correlation"));
    }
  }
  EXPECT_EQ(kinds["kernel"], 4);
  EXPECT_EQ(kinds["gpu_memcpy"], 6);
  auto ranked = sample_gpu_builder();
  ranked.run().arguments = {{"rank", "1"}, {"world_size", "2"}};
  EXPECT_EQ(json::parse(exported(**ranked.finish(), "chrome")).at("distributedInfo"),
            (json{{"rank", 1}, {"world_size", 2}}));
  auto hostile = sample_gpu_builder();
  hostile.run().arguments = {{"rank", "0}, \"x\": {"}, {"world_size", "-3"}};
  EXPECT_EQ(json::parse(exported(**hostile.finish(), "chrome")).at("distributedInfo"),
            (json{{"rank", 0}, {"world_size", 1}}));
}

TEST(Exporters, AreChosenByNameOrEnding) {
  EXPECT_STREQ(exporter_for("a.speedscope.json", "")->name, "speedscope") << "the longest ending wins";
  EXPECT_STREQ(exporter_for("a.json", "")->name, "chrome");
  EXPECT_STREQ(exporter_for("a.kernels.csv", "")->name, "csv-kernels");
  EXPECT_STREQ(exporter_for("a.json", "pprof")->name, "pprof");
  EXPECT_NE(exporter_for("a.txt", "").error().message.find("--format takes"), std::string::npos);
  EXPECT_NE(exporter_for("a.txt", "pproof").error().message.find("did you mean \"pprof\""), std::string::npos);
}

TEST(Exporters, ARefusedFileLeavesTheOldOne) {
  TemporaryFolder folder;
  const auto capture = sample_gpu_capture();
  ASSERT_TRUE(export_capture(*capture, {}, *exporter_for("a.json", ""), folder / "a.json"));
  EXPECT_EQ(folder.entries(), 1u) << "nothing is left beside it";
  EXPECT_FALSE(export_capture(*capture, {}, *exporter_for("a.json", ""), folder / "none" / "a.json"));
  EXPECT_FALSE(export_capture(*capture, {}, *exporter_for("a.json", ""), folder.path()));
}

uint32_t number_at(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

/// Two rows of three pixels, read back chunk by chunk.
TEST(Png, HoldsTheImageThatAStepPutOut) {
  CaptureBuilder b;
  TensorRecord tensor;
  tensor.name = b.intern("image"), tensor.dtype = engine::DType::uint8, tensor.shape = {2, 3, 3};
  tensor.strides = {9, 3, 1};
  const TensorId id = b.add_tensor(tensor);
  OpRecord op;
  op.name = op.type = b.intern("pixels"), op.layer = op.kernel = b.intern("");
  b.add_op(op, {});
  ResultRecord result;
  result.tensor = id, result.dtype = engine::DType::uint8, result.elements = 18;
  for (char i = 0; i < 18; ++i) result.kept.push_back(static_cast<char>(i * 14));
  const std::string pixels = result.kept;
  b.add_result(result);
  const auto capture = b.finish();
  ASSERT_TRUE(capture) << capture.error().message;
  const auto exporter = exporter_for(**capture, "x.png", "");
  ASSERT_TRUE(exporter) << exporter.error().message;
  const std::string bytes = exported(**capture, "png");
  ASSERT_EQ(bytes.substr(0, 8), std::string("\x89PNG\r\n\x1a\n"));
  EXPECT_EQ(number_at(bytes, 16), 3u);
  EXPECT_EQ(number_at(bytes, 20), 2u);
  std::string kinds, packed;
  for (size_t at = 8; at < bytes.size();) {
    const size_t size = number_at(bytes, at);
    const std::string body = bytes.substr(at + 4, 4 + size);
    EXPECT_EQ(crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())),
              number_at(bytes, at + 8 + size));
    kinds += body.substr(0, 4) + " ";
    if (body.starts_with("IDAT")) packed = body.substr(4);
    at += 12 + size;
  }
  EXPECT_EQ(kinds, "IHDR IDAT IEND ");
  std::string rows(20, '\0');
  uLongf size = rows.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                       static_cast<uLong>(packed.size())),
            Z_OK);
  EXPECT_EQ(rows, std::string(1, '\0') + pixels.substr(0, 9) + std::string(1, '\0') + pixels.substr(9));
  EXPECT_FALSE(exporter_for(*sample_capture(), "x.png", "")) << "a capture without an image";
}

/// Every format takes an empty capture and one with names that try to break out.
TEST(Exporters, EmptyAndHostileCaptures) {
  CaptureBuilder empty;
  CaptureBuilder hostile;
  const TrackId track = hostile.track(TrackKind::host_thread, "a\"b\\\x01\xff", "</script>");
  hostile.add_activity({.start_ns = 5,
                        .duration_ns = 0,
                        .name = hostile.intern("x\"\n,\xc3"),
                        .track = track,
                        .kind = ActivityKind::range});
  for (CaptureBuilder* builder : {&empty, &hostile}) {
    const auto capture = builder->finish();
    ASSERT_TRUE(capture);
    for (const Exporter& exporter : exporters()) {
      TextSink sink;
      exporter.write(**capture, {}, sink);
      EXPECT_FALSE(sink.text.empty()) << exporter.name;
      if (std::string(exporter.extension).ends_with(".json")) {
        EXPECT_TRUE(json::accept(sink.text)) << exporter.name << sink.text;
      }
    }
  }
}

/// nsys has no ranks: theirs is the last column, and only where there are several.
TEST(Csv, RanksAreAColumnBehindThoseOfNsys) {
  RankLab lab(2, 1, 1000);
  const OpId op = lab.op("aten::mm");
  for (const uint32_t rank : {0u, 1u}) {
    lab.kernel("gemm", {.rank = rank, .step = 0, .at_us = 100, .us = 10});
    lab.copy(MemoryKind::pinned, {.rank = rank, .step = 0, .at_us = 300, .us = 10});
    lab.host(op, {.rank = rank, .step = 0, .at_us = 500, .us = 10});
  }
  const auto capture = lab.finish();
  for (const char* format : {"csv", "csv-ranges"}) {
    std::istringstream lines(exported(*capture, format));
    std::map<std::string, int> rows;
    size_t columns = 0;
    for (std::string line; std::getline(lines, line);) {
      const auto commas = static_cast<size_t>(std::ranges::count(line, ','));
      if (columns == 0) columns = commas;
      EXPECT_EQ(commas, columns) << line;
      ++rows[line.substr(line.rfind(',') + 1)];
    }
    EXPECT_EQ(rows["Rank"], 1) << format;
    EXPECT_EQ(rows["rank 0"], rows["rank 1"]) << format;
    EXPECT_GT(rows["rank 1"], 0) << format;
  }
  EXPECT_EQ(exported(*sample_gpu_capture(), "csv").find("Rank"), std::string::npos);
}

}  // namespace
