// SPDX-License-Identifier: Apache-2.0
// JsonPieces: brackets and strings are followed byte by byte; all else is left to the parser of one event.
#include "profiler/import/json_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "profiler/store/sqlite.h"

namespace profiler {

using engine::refused_error;
using engine::Result;

namespace {

constexpr size_t kFirstWindow = size_t{1} << 20, kMostPiece = size_t{64} << 20;
constexpr int kMostDepth = 512;

enum Class : uint8_t { plain, quote, opening, closing, wrong };

/// What a byte outside of strings means. Letters that occur in no literal show that a quote is missing or one too many.
constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (auto& c : classes) c = wrong;
  for (const char c : std::string_view(" \t\r\n,:+-.0123456789eEtrufalsnNIity"))
    classes[static_cast<unsigned char>(c)] = plain;
  classes['"'] = quote;
  classes['{'] = classes['['] = opening;
  classes['}'] = classes[']'] = closing;
  return classes;
}
constexpr auto kClasses = make_classes();

uint8_t class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// Whether an event begins at text[at] == '{': a comma before it, a key of the trace format in it.
bool event_begins(std::string_view text, size_t at) {
  size_t before = at;
  while (before > 0 && is_space(text[before - 1])) --before;
  if (before == 0 || text[before - 1] != ',') return false;
  size_t k = at + 1;
  while (k < text.size() && is_space(text[k])) ++k;
  if (k >= text.size() || text[k] != '"') return false;
  const std::string_view rest = text.substr(k + 1, 6);
  for (const std::string_view key : {"ph\"", "cat\"", "name\"", "pid\"", "tid\"", "ts\"", "dur\"", "args\"", "id\""}) {
    if (rest.starts_with(key)) return true;
  }
  return false;
}

}  // namespace

bool JsonPieces::more() {
  if (at_end_ || !trouble_) return false;
  const size_t kept = have_ - start_;
  if (start_ > 0) {
    std::memmove(window_.data(), window_.data() + start_, kept);
    window_byte_ += static_cast<int64_t>(start_);
    at_ -= start_;
    have_ = kept;
    start_ = 0;
  }
  if (window_.size() < have_ + kFirstWindow / 2 + kPadding)
    window_.resize(std::max(kFirstWindow, 2 * have_) + kPadding);
  Result<size_t> got = stream_.read(window_.data() + have_, window_.size() - kPadding - have_);
  if (!got) {
    trouble_ = got.error();
    return false;
  }
  have_ += *got;
  at_end_ = *got == 0;
  return !at_end_;
}

int JsonPieces::peek() {
  while (true) {
    while (at_ < have_ && is_space(window_[at_])) ++at_;
    if (at_ < have_) return static_cast<unsigned char>(window_[at_]);
    start_ = at_;
    if (!more()) return -1;
  }
}

JsonPieces::Scan JsonPieces::scan_string() {
  size_t from = at_ + 1;
  while (true) {
    const void* found = from < have_ ? std::memchr(window_.data() + from, '"', have_ - from) : nullptr;
    if (found == nullptr) {
      if (have_ - start_ > kMostPiece) return Scan::broken;
      const size_t offset = have_ - at_;
      if (!more()) return Scan::end;
      from = at_ + offset;
      continue;
    }
    const auto end = static_cast<size_t>(static_cast<const char*>(found) - window_.data());
    size_t slashes = end;
    while (slashes > at_ + 1 && window_[slashes - 1] == '\\') --slashes;
    from = end + 1;
    if ((end - slashes) % 2 != 0) continue;
    at_ = from;
    return Scan::whole;
  }
}

/// How deep it goes on from the first level too many, as far as the window shows.
void JsonPieces::note_depth(size_t at) {
  int64_t depth = kMostDepth;
  too_deep_ = depth + 1;
  for (; at < have_ && class_of(window_[at]) != wrong; ++at) {
    const uint8_t c = class_of(window_[at]);
    if (c == quote) break;
    depth += c == opening ? 1 : c == closing ? -1 : 0;
    too_deep_ = std::max(too_deep_, depth);
    if (depth <= kMostDepth) break;
  }
}

/// Says of what was scanned last that it is too deep; false: it was not.
bool JsonPieces::add_too_deep(int64_t byte) {
  if (too_deep_ == 0) return false;
  findings_.add(Finding::too_deep,
                fmt::format("{} at byte {}: at least {} levels, possible are {}", name_, byte, too_deep_, kMostDepth));
  return true;
}

JsonPieces::Scan JsonPieces::scan_nested() {
  int depth = 0;
  while (true) {
    while (at_ < have_ && class_of(window_[at_]) == plain) ++at_;
    if (at_ >= have_) {
      if (have_ - start_ > kMostPiece) return Scan::broken;
      if (!more()) return Scan::end;
      continue;
    }
    switch (class_of(window_[at_])) {
      case quote:
        if (const Scan s = scan_string(); s != Scan::whole) return s;
        break;
      case opening:
        if (++depth > kMostDepth) {
          note_depth(at_);
          return Scan::broken;
        }
        ++at_;
        break;
      case closing:
        ++at_;
        if (--depth == 0) return Scan::whole;
        break;
      default: return Scan::broken;
    }
  }
}

JsonPieces::Scan JsonPieces::scan_scalar() {
  while (true) {
    while (at_ < have_ && class_of(window_[at_]) == plain && window_[at_] != ',' && !is_space(window_[at_])) ++at_;
    if (at_ < have_) break;
    if (have_ - start_ > kMostPiece) return Scan::broken;
    if (!more()) return Scan::end;
  }
  return at_ > start_ ? Scan::whole : Scan::broken;
}

JsonPieces::Scan JsonPieces::scan_value() {
  start_ = at_;
  too_deep_ = 0;
  switch (class_of(window_[at_])) {
    case quote: return scan_string();
    case opening: return scan_nested();
    case plain: return scan_scalar();
    default: return Scan::broken;
  }
}

/// Goes on at the next place where an event seems to begin; false: there is none up to the end.
bool JsonPieces::find_next_event() {
  constexpr size_t kLook = 256;  // bytes before and behind '{' that tell an event from another object
  while (true) {
    const void* found = at_ < have_ ? std::memchr(window_.data() + at_, '{', have_ - at_) : nullptr;
    if (found == nullptr) {
      start_ = have_ > kLook ? std::max(start_, have_ - kLook) : start_;
      at_ = have_;
      if (!more()) return false;
      continue;
    }
    at_ = static_cast<size_t>(static_cast<const char*>(found) - window_.data());
    if (have_ - at_ < kLook && !at_end_) {
      start_ = std::max(start_, at_ > kLook ? at_ - kLook : 0);
      more();
      if (!trouble_) return false;
    }
    const size_t front = std::max(start_, at_ > kLook ? at_ - kLook : 0);
    if (event_begins({window_.data() + front, have_ - front}, at_ - front)) return true;
    ++at_;
  }
}

void JsonPieces::drop_event() {
  if (!add_too_deep(byte_of(start_))) findings_.add(Finding::broken_event, fmt::format("byte {}", byte_of(start_)));
  at_ = std::max(at_, start_ + 1);
}

/// From behind '[' to behind ']'.
void JsonPieces::read_events(const OnEvent& on_event) {
  saw_events_ = true;
  while (true) {
    const int next = peek();
    if (next < 0) {
      break_off();  // of bare arrays some writers leave the end out, and so does who dies
      return;
    }
    if (next == ',') {
      ++at_;
      continue;
    }
    if (next == ']') {
      ++at_;
      return;
    }
    const Scan scan = scan_value();
    if (scan == Scan::end) {
      break_off();
      return;
    }
    if (scan == Scan::broken) {
      const int64_t byte = byte_of(start_);
      drop_event();
      if (find_next_event()) continue;
      if (trouble_)
        findings_.add(Finding::truncated,
                      fmt::format("{}: no event could be found behind byte {}; {}", name_, byte, events_read()));
      broken_off_at_ = byte;
      return;
    }
    if (next != '{') {
      findings_.add(Finding::not_an_object, fmt::format("byte {}", byte_of(start_)));
    } else if (on_event(piece(), byte_of(start_))) {
      ++events_;
    } else {
      // a quote too many may have swallowed other events: look for one inside
      const size_t end = at_;
      findings_.add(Finding::broken_event, fmt::format("byte {}", byte_of(start_)));
      size_t inside = start_ + 1;
      while (inside < end &&
             !(window_[inside] == '{' && event_begins({window_.data() + start_, end - start_}, inside - start_))) {
        ++inside;
      }
      at_ = inside;
    }
  }
}

std::string JsonPieces::events_read() const {
  return fmt::format("{} whole event{} read", events_, events_ == 1 ? " was" : "s were");
}

void JsonPieces::break_off() {
  if (!trouble_) return;  // the stream refused, which is said elsewhere
  broken_off_at_ = byte_of(have_);
  findings_.add(Finding::truncated, fmt::format("{} ends at byte {}{}; {}", name_, broken_off_at_,
                                                stream_.compressed() ? " of the unpacked text" : "", events_read()));
}

/// Behind a broken entry: goes to `"traceEvents"` if that is still to come.
bool JsonPieces::find_events_key() {
  constexpr std::string_view kKey = "\"traceEvents\"";
  while (!saw_events_) {
    const std::string_view text(window_.data() + at_, have_ - at_);
    const size_t found = text.find(kKey);
    if (found != text.npos) {
      at_ += found;
      return true;
    }
    if (text.size() > kKey.size()) at_ += text.size() - kKey.size();
    start_ = at_;
    if (!more()) return false;
  }
  return false;
}

void JsonPieces::read_members(const OnEvent& on_event, const OnMember& on_member) {
  while (true) {
    const int next = peek();
    if (next == ',') {
      ++at_;
      continue;
    }
    if (next == '}') return;
    if (next < 0) break;
    Scan scan = next == '"' ? scan_value() : Scan::broken;
    const std::string key = scan == Scan::whole ? std::string(piece().substr(1, piece().size() - 2)) : std::string();
    if (scan == Scan::whole && peek() == ':') {
      ++at_;
      const int first = peek();
      if (first == '[' && key == "traceEvents") {
        ++at_;
        read_events(on_event);
        if (broken_off_at_ >= 0) return;
        continue;
      }
      if (first >= 0) scan = scan_value();
      if (first >= 0 && scan == Scan::whole) {
        if (!on_member(key, piece())) findings_.add(Finding::broken_member, fmt::format("{:.60}", sqlite::shown(key)));
        continue;
      }
    }
    if (at_end_ && at_ >= have_) break;
    const int64_t byte = byte_of(at_);
    ++at_;
    if (!find_events_key()) {
      if (scan == Scan::end) break_off();
      else if (!add_too_deep(byte)) findings_.add(Finding::broken_member, fmt::format("byte {}", byte));
      return;
    }
    if (!add_too_deep(byte)) findings_.add(Finding::broken_member, fmt::format("byte {}", byte));
  }
  break_off();
}

Result<void> JsonPieces::walk(const std::filesystem::path& file, const OnEvent& on_event, const OnMember& on_member) {
  name_ = sqlite::shown(file.filename());  // in findings, which a capture keeps
  more();
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (std::string_view(window_.data(), have_).starts_with(kMark)) at_ = kMark.size();
  const int first = peek();
  if (!trouble_) return trouble_;
  const std::string name = sqlite::shown(file);
  if (first < 0) return refused_error(name + ": is empty: there is no trace in it");
  if (first != '{' && first != '[') {
    return refused_error(
        fmt::format("{}: is no JSON trace: it begins with \"{}\"", name,
                    sqlite::shown(std::string(window_.data() + at_, std::min<size_t>(have_ - at_, 12)))));
  }
  ++at_;
  if (first == '[') {
    read_events(on_event);
  } else {
    read_members(on_event, on_member);
  }
  // a comma or semicolon behind it is no loss
  if (trouble_ && broken_off_at_ < 0) {
    if (first == '{' && peek() == '}') ++at_;
    while (peek() == ',' || peek() == ';') ++at_;
    if (trouble_ && peek() >= 0)
      findings_.add(Finding::more_text, fmt::format("{} from byte {} on", name_, byte_of(at_)));
  }
  if (trouble_ && !stream_.trouble().empty())
    findings_.add(Finding::compressed_damage, fmt::format("{}: {}", name_, stream_.trouble()));
  return trouble_;
}

}  // namespace profiler
