// SPDX-License-Identifier: Apache-2.0
// A Machine as JSON and back: one list of fields per struct serves both directions.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

#include "engine/base/display_text.h"
#include "engine/base/json_text.h"
#include "profiler/machine/fields_from_notes.h"
#include "profiler/machine/machine.h"

namespace profiler {

using engine::refused_error;
using engine::Result;

namespace {

using Json = nlohmann::ordered_json;
constexpr int kSchema = 2, kSchemaOfNotes = 1;

// ---- the fields, in the order they are written. T is the struct or the const struct
// ---------------------------------------

template <class T, class S>
concept Is = std::is_same_v<std::remove_const_t<T>, S>;

template <class V>
void fields(V& v, Is<Measured> auto& m) {
  v("median", m.median), v("low", m.low), v("high", m.high), v("samples", m.samples);
}
template <class V>
void fields(V& v, Is<engine::Device> auto& d) {
  v("kind", d.kind), v("index", d.index);
}
template <class V>
void fields(V& v, Is<engine::CacheLevel> auto& c) {
  v("name", c.name), v("size_bytes", c.size_bytes), v("line_bytes", c.line_bytes), v("ways", c.ways);
  v("shared_by_cores", c.shared_by_cores);
}
template <class V>
void fields(V& v, Is<engine::DeviceInfo> auto& d) {
  v("device", d.device), v("model", d.model), v("cores", d.cores), v("hardware_threads", d.hardware_threads);
  v("vector_bits", d.vector_bits), v("features", d.features), v("caches", d.caches);
  v("memory_bytes", d.memory_bytes), v("memory_available_bytes", d.memory_available_bytes);
  v("libraries", d.libraries);
}
template <class V>
void fields(V& v, Is<ComputeRoof> auto& r) {
  v("dtype", r.dtype), v("threads", r.threads), v("flop_per_s", r.flop_per_s), v("method", r.method);
}
template <class V>
void fields(V& v, Is<BandwidthRoof> auto& r) {
  v("level", r.level), v("mix", r.mix), v("threads", r.threads), v("bytes_per_s", r.bytes_per_s);
  v("working_set_bytes", r.working_set_bytes);
}
template <class V>
void fields(V& v, Is<RoofBeside> auto& r) {
  v("level", r.level), v("mix", r.mix), v("threads", r.threads), v("before", r.before), v("after", r.after);
}
template <class V>
void fields(V& v, Is<LatencyPoint> auto& p) {
  v("working_set_bytes", p.working_set_bytes), v("latency_ns", p.latency_ns);
}
template <class V>
void fields(V& v, Is<MemoryLevel> auto& l) {
  v("name", l.name), v("specified_size_bytes", l.specified_size_bytes);
  v("effective_size_bytes", l.effective_size_bytes), v("line_bytes", l.line_bytes);
  v("shared_by_threads", l.shared_by_threads), v("latency_ns", l.latency_ns), v("note", l.note);
}
template <class V>
void fields(V& v, Is<engine::MatmulTiming> auto& t) {
  v("dtype", t.dtype), v("m", t.m), v("n", t.n), v("k", t.k), v("threads", t.threads);
  v("onednn_ns", t.onednn_ns), v("openblas_ns", t.openblas_ns), v("own_ns", t.own_ns);
}
template <class V>
void fields(V& v, Is<engine::WinogradTiming> auto& t) {
  v("channels", t.channels), v("extent", t.extent), v("direct_ns", t.direct_ns), v("winograd_ns", t.winograd_ns);
}
template <class V>
void fields(V& v, Is<KeptReading> auto& k) {
  v("figure", k.figure), v("probed_at", k.probed_at);
}
template <class V>
void fields(V& v, Is<UnmeasuredBandwidth> auto& u) {
  v("level", u.level), v("threads", u.threads), v("why", u.why);
}
template <class V>
void fields(V& v, Is<Machine> auto& m) {
  v("info", m.info), v("compute", m.compute), v("bandwidth", m.bandwidth), v("latency", m.latency);
  v("levels", m.levels), v.optional("matmul", m.matmul), v.optional("minimal_filtering", m.winograd),
      v("probed_at", m.probed_at), v("probe_seconds", m.probe_seconds);
  v("timer_ns", m.timer_ns), v("fork_join_ns", m.fork_join_ns), v("notes", m.notes), v.optional("beside", m.beside);
  v.optional("multiply_add_ns", m.multiply_add_ns);
  v.optional("foreign_load_ratio", m.foreign_load_ratio), v.optional("unfinished", m.unfinished),
      v.optional("unfinished_choices", m.unfinished_choices), v.optional("unmeasured", m.unmeasured);
  v.optional("unsettled_shapes", m.unsettled_shapes), v.optional("kept", m.kept);
}

// ---- writing
// --------------------------------------------------------------------------------------------------------------

struct Writer {
  Json object = Json::object();

  template <class T>
  void operator()(const char* key, const T& value) {
    object[key] = json_of(value);
  }
  template <class T>
  void optional(const char* key, const T& value) {
    (*this)(key, value);
  }
  template <class T>
  static Json json_of(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;  // NaN comes out as null
    } else if constexpr (std::is_enum_v<T>) {
      return std::string(name(value));
    } else {
      Writer writer;
      fields(writer, value);
      return std::move(writer.object);
    }
  }
  template <class T>
  static Json json_of(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values) array.push_back(json_of(value));
    return array;
  }
};

// ---- reading
// --------------------------------------------------------------------------------------------------------------

/// Keeps the path of the first field that is missing or of a wrong kind.
struct Reader {
  const Json& object;
  std::string where;
  std::string& wrong;

  template <class T>
  void operator()(const char* key, T& value) {
    const std::string path = where.empty() ? key : where + "." + key;
    const auto found = object.find(key);
    if (found == object.end()) {
      fail(path);
    } else {
      read(*found, path, value);
    }
  }

  /// A field that files written before it was thought of lack.
  template <class T>
  void optional(const char* key, T& value) {
    if (object.contains(key)) (*this)(key, value);
  }

  void fail(const std::string& path) {
    if (wrong.empty()) wrong = path;
  }
  void read(const Json& json, const std::string& path, std::string& value) {
    if (!json.is_string()) return fail(path);
    value = engine::display_line(json.get_ref<const std::string&>());
  }
  void read(const Json& json, const std::string& path, double& value) {
    if (!json.is_number() && !json.is_null()) return fail(path);
    value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
  }
  void read(const Json& json, const std::string& path, int64_t& value) {
    if (!json.is_number_integer() || json.get<int64_t>() < 0) return fail(path);
    value = json.get<int64_t>();
  }
  void read(const Json& json, const std::string& path, int& value) {
    const bool fits = json.is_number_integer() && std::abs(json.get<double>()) <= std::numeric_limits<int>::max();
    if (!fits) return fail(path);
    value = json.get<int>();
  }
  void read(const Json& json, const std::string& path, engine::DType& value) {
    const auto dtype = json.is_string() ? engine::parse_dtype(json.get<std::string>()) : std::nullopt;
    if (!dtype) return fail(path);
    value = *dtype;
  }
  void read(const Json& json, const std::string& path, AccessMix& value) {
    for (const AccessMix mix : kAccessMixes) {
      if (json.is_string() && json.get<std::string>() == name(mix)) {
        value = mix;
        return;
      }
    }
    fail(path);
  }
  template <class T>
  void read(const Json& json, const std::string& path, std::vector<T>& values) {
    if (!json.is_array()) return fail(path);
    values.clear();
    for (const Json& item : json) read(item, path + "[]", values.emplace_back());
  }
  template <class T>
  requires std::is_class_v<T>
  void read(const Json& json, const std::string& path, T& value) {
    if (!json.is_object()) return fail(path);
    Reader inner{json, path, wrong};
    fields(inner, value);
  }
};

}  // namespace

std::string machine_to_json(const Machine& machine) {
  Json json = Writer::json_of(machine);
  json["schema"] = kSchema;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string newer_machine_words(const std::string& text) {
  const Json json = engine::parse_json<Json>(text);
  if (!json.is_object()) return {};
  const auto schema = json.find("schema");
  if (schema == json.end() || !schema->is_number_integer() || *schema <= kSchema) return {};
  return fmt::format("was written by a newer version (machine format {}; this one reads up to {})", schema->dump(),
                     kSchema);
}

Result<Machine> machine_from_json(const std::string& text) {
  const Json json = engine::parse_json<Json>(text);
  if (!json.is_object()) return refused_error("[machine] this is no JSON object");
  const auto schema = json.find("schema");
  if (schema == json.end() || (*schema != kSchema && *schema != kSchemaOfNotes)) {
    const std::string newer = newer_machine_words(text);
    return refused_error(newer.empty() ? "[machine] it names no known format; probe again" : "[machine] it " + newer);
  }
  Machine machine;
  std::string wrong;
  Reader reader{json, "", wrong};
  fields(reader, machine);
  if (!wrong.empty()) return refused_error("[machine] \"" + wrong + "\" is missing or of a wrong kind");
  if (*schema == kSchemaOfNotes) set_fields_from_notes(machine);
  return machine;
}

}  // namespace profiler
