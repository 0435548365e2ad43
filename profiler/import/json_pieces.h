// SPDX-License-Identifier: Apache-2.0
// JsonPieces: cuts a trace file into its events without holding the file. A window slides over the stream. Broken text
// is skipped up to the next event.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/import/byte_stream.h"
#include "profiler/import/findings.h"

namespace profiler {

class JsonPieces {
 public:
  /// One event as text; `kPadding` bytes behind it may be read. False: it is no valid JSON.
  using OnEvent = std::function<bool(std::string_view text, int64_t byte)>;
  /// One entry of the outermost object other than traceEvents.
  using OnMember = std::function<bool(std::string_view key, std::string_view value)>;
  static constexpr size_t kPadding = 64;

  JsonPieces(ByteStream& stream, Findings& findings) : stream_(stream), findings_(findings) {}
  /// Refused: no JSON object or array at all, or the stream refuses. `{"traceEvents": [...]}` and bare arrays are both
  /// read to the end of the file; what breaks off is kept as far as it goes.
  engine::Result<void> walk(const std::filesystem::path& file, const OnEvent&, const OnMember&);
  bool saw_events() const { return saw_events_; }
  /// Byte (of the unpacked text) at which the file breaks off; -1: it does not.
  int64_t broken_off_at() const { return broken_off_at_; }

 private:
  enum class Scan { whole, broken, end };
  bool more();  ///< reads on; keeps what stands from start_ on; false: the end, or the stream refused
  int peek();   ///< next byte that is no white space; -1: the end
  Scan scan_value();
  Scan scan_string();
  Scan scan_nested();
  Scan scan_scalar();
  bool find_next_event();
  void read_events(const OnEvent&);
  void read_members(const OnEvent&, const OnMember&);
  void drop_event();
  void note_depth(size_t at);
  bool add_too_deep(int64_t byte);
  bool find_events_key();
  void break_off();
  std::string events_read() const;
  std::string_view piece() const { return {window_.data() + start_, at_ - start_}; }
  int64_t byte_of(size_t at) const { return window_byte_ + static_cast<int64_t>(at); }

  ByteStream& stream_;
  Findings& findings_;
  std::vector<char> window_;
  size_t start_ = 0, at_ = 0, have_ = 0;  // in window_: begin of the current piece, where we stand, what is filled
  int64_t window_byte_ = 0;
  bool at_end_ = false, saw_events_ = false;
  int64_t broken_off_at_ = -1, events_ = 0;
  int64_t too_deep_ = 0;  // levels that the value scanned last has, where these are too many
  std::string name_;      // of the file, as it is shown
  engine::Result<void> trouble_;
};

}  // namespace profiler
