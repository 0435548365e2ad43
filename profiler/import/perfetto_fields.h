// SPDX-License-Identifier: Apache-2.0
// Reading fields of Perfetto's messages: what is not of the schema's type is another message's.
#pragma once

#include <algorithm>
#include <protozero/pbf_reader.hpp>
#include <string>

namespace profiler::perfetto {

using protozero::pbf_reader;

inline constexpr auto kVarint = protozero::pbf_wire_type::varint;
inline constexpr auto kBytes = protozero::pbf_wire_type::length_delimited;
inline constexpr auto kFixed64 = protozero::pbf_wire_type::fixed64;

inline std::string text(pbf_reader& r) {
  const auto view = r.get_view();
  return {view.data(), std::min<size_t>(view.size(), 4000)};
}

/// An int64 in protobuf's plain encoding, whatever a file claims.
inline int64_t integer(pbf_reader& r) { return static_cast<int64_t>(r.get_uint64()); }

inline bool is(const pbf_reader& r, uint32_t field, protozero::pbf_wire_type type) {
  return static_cast<uint32_t>(r.tag()) == field && r.wire_type() == type;
}

}  // namespace profiler::perfetto
