// SPDX-License-Identifier: Apache-2.0
// pprof's profile.proto, gzipped: time, calls and copied bytes by op type, op and kernel.
#include <zlib.h>

#include <map>
#include <protozero/pbf_writer.hpp>
#include <unordered_map>

#include "profiler/capture/host_copies.h"
#include "profiler/export/exporter.h"

namespace profiler {
namespace {

using Writer = protozero::pbf_writer;

/// Field numbers of profile.proto.
enum Profile : uint32_t {
  sample_type = 1,
  sample = 2,
  mapping = 3,
  location = 4,
  function = 5,
  string_table = 6,
  time_nanos = 9,
  duration_nanos = 10
};

class Strings {
 public:
  Strings() { id(""); }  // index 0 must be ""
  int64_t id(std::string_view text) {
    const auto [entry, added] = ids_.try_emplace(std::string(text), static_cast<int64_t>(order_.size()));
    if (added) order_.push_back(entry->first);
    return entry->second;
  }
  const std::vector<std::string>& all() const { return order_; }

 private:
  std::unordered_map<std::string, int64_t> ids_;
  std::vector<std::string> order_;
};

struct Sums {
  int64_t ns = 0, count = 0, bytes = 0;
};

std::string zipped(const std::string& bytes) {
  z_stream z{};
  if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return bytes;  // pprof reads both
  std::string out(deflateBound(&z, static_cast<uLong>(bytes.size())), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  const bool done = deflate(&z, Z_FINISH) == Z_STREAM_END;
  out.resize(z.total_out);
  deflateEnd(&z);
  return done ? out : bytes;
}

void write(const Capture& c, const ExportRange& range, ExportSink& sink) {
  // stacks leaf first: what ran, the op it belongs to, the op's type
  std::map<std::vector<std::string>, Sums> stacks;
  const ActivityColumns& all = c.activities();
  for (size_t i = 0; i < all.size() && sink.go_on(i, all.size()); ++i) {
    const Activity a = all.row(i);
    const bool host_copy = is_host_copy(c, static_cast<uint32_t>(i));
    const bool device = a.kind == ActivityKind::kernel || (a.kind == ActivityKind::copy && !host_copy) ||
                        a.kind == ActivityKind::memset;
    if (host_copy && a.op != kNoOp) continue;  // its op has its time already
    if ((!device && a.kind != ActivityKind::op) || !range.touches(a.start_ns, a.duration_ns)) continue;
    std::vector<std::string> stack;
    if (device || a.op == kNoOp) stack.emplace_back(c.name(a.name));
    if (a.op != kNoOp) {
      const OpRecord& op = c.ops()[a.op];
      for (const NameId id : {op.name, op.type}) stack.emplace_back(c.name(id));
    }
    stack.emplace_back(device ? "GPU" : "host");
    Sums& sums = stacks[stack];
    sums.ns += a.duration_ns;
    ++sums.count;
    const CopyRecord* copy = c.copy_of(static_cast<uint32_t>(i));
    if (copy != nullptr && copy->bytes > 0) sums.bytes += copy->bytes;
  }
  Strings strings;
  std::map<std::string, uint64_t> functions;
  std::string bytes;
  Writer profile(bytes);
  for (const auto& [type, unit] :
       {std::pair{"time", "nanoseconds"}, std::pair{"calls", "count"}, std::pair{"copied", "bytes"}}) {
    Writer value(profile, sample_type);
    value.add_int64(1, strings.id(type));
    value.add_int64(2, strings.id(unit));
  }
  for (const auto& [stack, sums] : stacks) {
    std::vector<uint64_t> ids;
    for (const std::string& frame : stack)
      ids.push_back(functions.try_emplace(frame, functions.size() + 1).first->second);
    Writer one(profile, sample);
    one.add_packed_uint64(1, ids.begin(), ids.end());
    const int64_t values[] = {sums.ns, sums.count, sums.bytes};
    one.add_packed_int64(2, std::begin(values), std::end(values));
  }
  for (const auto& [name, id] : functions) {
    {
      Writer place(profile, location);
      place.add_uint64(1, id);
      Writer line(place, 4);
      line.add_uint64(1, id);
    }
    Writer called(profile, function);
    called.add_uint64(1, id);
    called.add_int64(2, strings.id(name));
  }
  profile.add_int64(duration_nanos, c.end_ns() - c.begin_ns());
  for (const std::string& text : strings.all()) profile.add_string(string_table, text);
  sink.write(zipped(bytes));
}

}  // namespace

Exporter pprof_exporter() {
  return {.name = "pprof", .extension = ".pb.gz", .help = "go tool pprof, speedscope", .write = write};
}

}  // namespace profiler
