// SPDX-License-Identifier: Apache-2.0
// Lines of the three trace formats, and high addresses brought below the simulator's limit.
#include "profiler/memory/access_trace.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/display_text.h"
#include "engine/base/read_file.h"
#include "profiler/base/words.h"
#include "profiler/memory/cache_simulator.h"

namespace profiler {
namespace {

using engine::AccessKind;
using engine::AccessStream;
using engine::refused_error;
using engine::Result;

constexpr size_t kBuffer = size_t{1} << 18;
constexpr size_t kLongestLine = 4096;
constexpr uint64_t kProgressEvery = uint64_t{1} << 16;  // lines
constexpr uint64_t kUsualBytes = 4;                     // of a din record without a size, as Dinero IV has it
constexpr uint64_t kMostBytes = 4096;                   // of one access; orders to the caches may name any stretch

struct CloseGz {
  void operator()(gzFile file) const { gzclose(file); }
};

/// One line's worth: a load (miscellaneous ones too), a store, both (modify), an instruction fetch, or an order to the
/// caches.
struct Record {
  bool load = false, store = false, instruction = false, miscellaneous = false, copy_back = false, invalidate = false;
  uint64_t address = 0;
  uint64_t bytes = kUsualBytes;

  bool order() const { return copy_back || invalidate; }
};

std::string_view next_word(std::string_view& line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) {
    line = {};
    return {};
  }
  size_t end = line.find_first_of(" \t\r", begin);
  if (end == std::string_view::npos) end = line.size();
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

std::optional<uint64_t> number(std::string_view word, int base) {
  if (word.starts_with("0x") || word.starts_with("0X")) {
    word.remove_prefix(2);
    base = 16;
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc() || end != word.data() + word.size() || word.empty()) return {};
  return value;
}

bool set_bytes(Record& r, std::string_view word, int base) {
  const std::optional<uint64_t> bytes = number(word, base);
  if (!bytes || (*bytes == 0 && !r.order())) return false;
  r.bytes = *bytes;
  return true;
}

/// Numbers and letters as Dinero IV reads them. Letters start lines of other formats, too: only where din was asked
/// for.
std::optional<Record> parse_din(std::string_view line, bool letters) {
  constexpr std::string_view kNumbers = "012345", kLetters = "rwimcv", kCapitals = "RWIMCV";
  Record r;
  const std::string_view kind = next_word(line);
  if (kind.size() != 1) return {};
  size_t which = kNumbers.find(kind[0]);
  if (which == std::string_view::npos && letters) which = kLetters.find(kind[0]);
  if (which == std::string_view::npos && letters) which = kCapitals.find(kind[0]);
  if (which == std::string_view::npos) return {};
  r.load = which == 0 || which == 3;
  r.store = which == 1;
  r.instruction = which == 2;
  r.miscellaneous = which == 3;
  r.copy_back = which == 4;
  r.invalidate = which == 5;
  const std::optional<uint64_t> address = number(next_word(line), 16);
  if (!address) return {};
  r.address = *address;
  const std::string_view bytes = next_word(line);
  if (!bytes.empty() && !set_bytes(r, bytes, 16)) return {};
  return r;
}

std::optional<Record> parse_lackey(std::string_view line) {
  Record r;
  const std::string_view kind = next_word(line);
  if (kind.size() != 1) return {};
  r.load = kind[0] == 'L' || kind[0] == 'M';
  r.store = kind[0] == 'S' || kind[0] == 'M';
  r.instruction = kind[0] == 'I';
  const std::string_view where = next_word(line);
  const size_t comma = where.find(',');
  if (comma == std::string_view::npos || !(r.load || r.store || r.instruction)) return {};
  const std::optional<uint64_t> address = number(where.substr(0, comma), 16);
  if (!address || !set_bytes(r, where.substr(comma + 1), 10)) return {};
  r.address = *address;
  return r;
}

std::optional<Record> parse_address(std::string_view line) {
  Record r;
  r.load = true;
  std::string_view word = next_word(line);
  if (word.size() == 1 && std::string_view("RrLlWwSs").find(word[0]) != std::string_view::npos) {
    r.store = std::string_view("WwSs").find(word[0]) != std::string_view::npos;
    r.load = !r.store;
    word = next_word(line);
  }
  const std::optional<uint64_t> address = number(word, 10);
  if (!address) return {};
  r.address = *address;
  r.bytes = 1;
  const std::string_view bytes = next_word(line);
  if (!bytes.empty() && !set_bytes(r, bytes, 10)) return {};
  if (!next_word(line).empty()) return {};
  return r;
}

std::optional<Record> parse(TraceFormat format, std::string_view line, bool letters = false) {
  switch (format) {
    case TraceFormat::din: return parse_din(line, letters);
    case TraceFormat::lackey: return parse_lackey(line);
    default: return parse_address(line);
  }
}

/// The format in which the line says something; din before addresses, which also look like "0 1234".
TraceFormat guess(std::string_view line) {
  for (const TraceFormat format : {TraceFormat::lackey, TraceFormat::din, TraceFormat::addresses}) {
    if (parse(format, line)) return format;
  }
  return TraceFormat::addresses;
}

bool is_comment(TraceFormat format, std::string_view line) {
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos || line[first] == '#') return true;
  return line.substr(first).starts_with("==") && (format == TraceFormat::lackey || format == TraceFormat::automatic);
}

/// Brings addresses below the limit: low ones stay, windows of higher ones take the places in the upper half in turn.
class AddressMap {
 public:
  explicit AddressMap(const TraceOptions& options)
      : half_(options.address_limit / 2), window_(options.window_bytes), period_(options.window_period) {
    if (window_ > 0) first_ = (half_ + window_ - 1) / window_, end_ = options.address_limit / window_;
  }

  /// Nothing: no place of its kind is left.
  std::optional<uint64_t> operator()(uint64_t address) {
    if (address < low_end()) return address;
    if (window_ == 0) return {};
    const uint64_t window = address / window_;
    if (window != last_window_) {
      const auto found = places_.find(window);
      const uint64_t place = found != places_.end() ? found->second : free_place(window);
      if (place >= end_) return {};
      if (found == places_.end()) places_.emplace(window, place);
      last_window_ = window;
      last_place_ = place * window_;
    }
    return last_place_ + address % window_;
  }
  uint64_t windows() const { return places_.size(); }
  /// Bytes from an address on that lie together below the limit.
  uint64_t left_in_window(uint64_t address) const {
    return window_ == 0 || address < low_end() ? UINT64_MAX : window_ - address % window_;
  }

  /// Calls f(address, bytes) for the parts of a stretch that accesses can have met so far.
  template <class F>
  void each_part(uint64_t address, uint64_t bytes, const F& f) const {
    const uint64_t end = bytes > UINT64_MAX - address ? UINT64_MAX : address + bytes;
    if (address < half_)
      f(address, std::min(end, half_) - address);  // the last access from below may reach on to there
    const uint64_t high = std::max(address, low_end());
    if (window_ == 0 || end <= high) return;
    for (auto at = places_.lower_bound(high / window_); at != places_.end() && at->first <= (end - 1) / window_; ++at) {
      const uint64_t begin = at->first * window_, from = std::max(high, begin) - begin,
                     to = std::min(end - begin, window_);
      f(at->second * window_ + from, to - from);
    }
  }

 private:
  uint64_t low_end() const { return half_ - kMostBytes; }
  /// The next with the same remainder; end_ or beyond: there is none.
  uint64_t free_place(uint64_t window) {
    const uint64_t rest = window % period_;
    const auto [next, first_of_kind] = next_.try_emplace(rest, 0);
    if (first_of_kind) next->second = first_ + (rest + period_ - first_ % period_) % period_;
    const uint64_t place = next->second;
    if (place < end_) next->second += period_;
    return place;
  }

  uint64_t half_, window_, period_, first_ = 0,
                                    end_ = 0;  // places: numbers of windows, the first and the first that is none
  uint64_t last_window_ = UINT64_MAX, last_place_ = 0;
  std::map<uint64_t, uint64_t> places_, next_;  // by window; by what its number leaves modulo the period
};

class Reader {
 public:
  Reader(const std::filesystem::path& path, const TraceOptions& options, engine::AccessSink& sink)
      : path_(path), options_(options), sink_(sink), addresses_(options) {
    summary_.format = options.format;
  }

  Result<TraceSummary> read() {
    Result<engine::RegularFile> regular = engine::RegularFile::open(path_);
    if (!regular) return regular.error();
    size_ = regular->size_bytes();
    errno = 0;
    const std::unique_ptr<gzFile_s, CloseGz> file(gzdopen(regular->descriptor(), "rb"));
    if (file) regular->release();
    if (!file)
      return refused_error(
          fmt::format("cannot open {}: {}", path_.string(), errno != 0 ? std::strerror(errno) : "out of memory"));
    std::vector<char> buffer(kBuffer);
    size_t kept = 0;  // bytes of a line whose end has not been read
    for (;;) {
      const int got = gzread(file.get(), buffer.data() + kept, static_cast<unsigned>(buffer.size() - kept));
      if (got < 0) {
        int code = 0;
        return refused_error(fmt::format("cannot read {} after line {}: {}", path_.string(), summary_.lines,
                                         gzerror(file.get(), &code)));
      }
      const std::string_view text(buffer.data(), kept + static_cast<size_t>(got));
      size_t begin = 0;
      for (size_t end; (end = text.find('\n', begin)) != std::string_view::npos; begin = end + 1) {
        if (Result<void> ok = line(text.substr(begin, end - begin), file.get()); !ok) return ok.error();
      }
      std::string_view rest = text.substr(begin);
      if (rest.size() > kLongestLine) return wrong(rest, summary_.lines + 1);
      if (got == 0) {
        int code = Z_OK;
        const char* why = gzerror(file.get(), &code);
        if (code != Z_OK && code != Z_STREAM_END)
          return refused_error(fmt::format("{} ends early, after line {}: {}", path_.string(), summary_.lines, why));
        if (!rest.empty()) {
          if (Result<void> ok = line(rest, file.get()); !ok) return ok.error();
        }
        break;
      }
      kept = rest.size();
      std::memmove(buffer.data(), rest.data(), kept);
    }
    return holds_accesses();
  }

 private:
  /// Zeros would look like a result.
  Result<TraceSummary> holds_accesses() const {
    if (summary_.loads + summary_.stores > 0 || (options_.instructions && summary_.instructions > 0)) return summary_;
    if (summary_.instructions > 0) {
      return refused_error(
          fmt::format("{} holds {} and neither loads nor stores, so there is nothing to simulate; instruction fetches "
                      "count as loads with --instructions",
                      path_.string(), counted(summary_.instructions, "instruction fetch", "instruction fetches")));
    }
    const uint64_t orders = summary_.copy_backs + summary_.invalidations;
    return refused_error(fmt::format("{} holds no memory access ({}{}): there is nothing to simulate", path_.string(),
                                     counted(summary_.lines, "line"),
                                     summary_.lines == 0 ? ""
                                     : orders > 0        ? ", with accesses or fetches in none of them"
                                                         : ", all empty or comments"));
  }

  engine::Error wrong(std::string_view found, uint64_t number) const {
    const std::string shown = engine::display_line(found, 60);
    if (summary_.format == TraceFormat::automatic) {
      return refused_error(
          fmt::format("{} line {}: \"{}\" begins no trace of a known format; choose one with "
                      "--trace-format din, lackey or addresses",
                      path_.string(), number, shown));
    }
    return refused_error(
        fmt::format("{} line {}: \"{}\" is no record of {} {} trace; expected {}", path_.string(), number, shown,
                    summary_.format == TraceFormat::addresses ? "an" : "a", name(summary_.format),
                    summary_.format == TraceFormat::din
                        ? "0 (load), 1 (store), 2 (instruction fetch), 3 (miscellaneous), 4 (copy-back) or 5 "
                          "(invalidation), a hexadecimal address, perhaps bytes: \"0 1fffe50 4\""
                    : summary_.format == TraceFormat::lackey
                        ? "I, L, S or M, then address,bytes: \" L 1ffeffe7c8,8\""
                        : "an address, perhaps with R or W before and bytes behind it: \"W 0x1f40 8\""));
  }

  /// "mm.32.din", perhaps gzipped: what its first line looks like says less.
  bool named_din() const {
    return path_.extension() == ".din" || (path_.extension() == ".gz" && path_.stem().extension() == ".din");
  }

  Result<void> line(std::string_view text, gzFile file) {
    ++summary_.lines;
    if (options_.progress && summary_.lines % kProgressEvery == 0 && size_ > 0)
      options_.progress(static_cast<double>(gzoffset(file)) / static_cast<double>(size_));
    if (is_comment(summary_.format, text)) return {};
    if (summary_.format == TraceFormat::automatic) summary_.format = named_din() ? TraceFormat::din : guess(text);
    const std::optional<Record> r = parse(summary_.format, text, options_.format == TraceFormat::din);
    if (!r) return wrong(text, summary_.lines);
    if (r->instruction) {
      ++summary_.instructions;
      if (!options_.instructions) return {};
    }
    if (r->order()) {
      ++(r->copy_back ? summary_.copy_backs : summary_.invalidations);
      const auto& order = r->copy_back ? options_.copy_back : options_.invalidate;
      if (order && r->bytes == 0) order(0, 0);
      if (order && r->bytes > 0) addresses_.each_part(r->address, r->bytes, order);
      return {};
    }
    if (r->bytes > kMostBytes) {
      return refused_error(fmt::format("{} line {}: an access of {} bytes; at most {} are simulated as one",
                                       path_.string(), summary_.lines, r->bytes, kMostBytes));
    }
    if (r->bytes - 1 > UINT64_MAX - r->address) {
      return refused_error(fmt::format("{} line {}: an access of {} at {:#x} reaches beyond the last address, {:#x}",
                                       path_.string(), summary_.lines, counted(r->bytes, "byte"), r->address,
                                       UINT64_MAX));
    }
    std::array<AccessStream, 2> parts;
    size_t count = 0;
    if (Result<void> ok = place(*r, parts, count); !ok) return ok;
    summary_.loads += r->load ? 1 : 0;
    summary_.miscellaneous += r->miscellaneous ? 1 : 0;
    summary_.stores += r->store ? 1 : 0;
    const std::span<AccessStream> streams(parts.data(), count);
    if (r->load || r->instruction) sink_.group(1, streams);
    for (AccessStream& s : streams) s.kind = AccessKind::store;
    if (r->store) sink_.group(1, streams);
    return {};
  }

  /// Where the bytes of a record are, below the limit: in two parts where they reach into a window that has its place
  /// elsewhere.
  Result<void> place(const Record& r, std::array<AccessStream, 2>& parts, size_t& count) {
    for (uint64_t done = 0; done < r.bytes;) {
      const uint64_t bytes = std::min(r.bytes - done, addresses_.left_in_window(r.address + done));
      const std::optional<uint64_t> address = addresses_(r.address + done);
      if (!address) return no_place(r.address + done);
      if (count > 0 && parts[count - 1].address + parts[count - 1].bytes == *address) {
        parts[count - 1].bytes = static_cast<uint16_t>(parts[count - 1].bytes + bytes);
      } else if (count < parts.size()) {
        parts[count++] = {*address, 0, 0, static_cast<uint16_t>(bytes), AccessKind::load};
      } else {
        return no_place(r.address + done);
      }
      done += bytes;
    }
    return {};
  }

  Result<void> no_place(uint64_t address) const {
    const std::string where = fmt::format("{} line {}: address {:#x} is above {:#x}.", path_.string(), summary_.lines,
                                          address, options_.address_limit / 2);
    if (options_.window_bytes == 0) {
      return refused_error(
          fmt::format("{} No lower address has the same sets in these caches (set counts {}). Their "
                      "least common multiple exceeds a quarter of the {} lines that can be "
                      "distinguished. Choose caches with set counts that share factors",
                      where, options_.sets, options_.address_limit / static_cast<uint64_t>(options_.line_bytes)));
    }
    return refused_error(
        fmt::format("{} Stretches of {} bytes above it are mapped below {:#x} to the same sets ({}). "
                    "{} are mapped already; none is left for this one",
                    where, options_.window_bytes, options_.address_limit, options_.sets, addresses_.windows()));
  }

  const std::filesystem::path path_;
  const TraceOptions& options_;
  engine::AccessSink& sink_;
  AddressMap addresses_;
  TraceSummary summary_;
  uint64_t size_ = 0;
};

}  // namespace

std::string_view name(TraceFormat format) {
  constexpr std::array<std::string_view, 4> names{"automatic", "din", "lackey", "address"};
  return names[static_cast<size_t>(format)];
}

void set_windows(TraceOptions& options, const CacheConfig& config) {
  constexpr uint64_t kMostPlaces = 128;  // below the limit; windows have the upper half
  options.address_limit = CacheSimulator::address_limit(config);
  options.line_bytes = config.line_bytes();
  const auto line = static_cast<uint64_t>(config.line_bytes()), lines = options.address_limit / line,
             longest = std::bit_ceil(lines) / kMostPlaces;
  // Lines that leave the same modulo this share their set at every level.
  uint64_t period = 1;
  options.sets.clear();
  for (const CacheLevelConfig& level : config.levels) {
    const auto count = static_cast<uint64_t>(level.sets());
    options.sets += fmt::format("{}{} {}", options.sets.empty() ? "" : ", ", level.name, count);
    if (period <= lines) period = std::lcm(period, count);
  }
  options.window_bytes = 0, options.window_period = 1;
  if (period > lines / 4) return;  // the upper half might lack places of some kind
  if (period <= longest) {
    options.window_bytes = longest / period * period * line;
    return;
  }
  uint64_t parts = (period + longest - 1) / longest;
  while (period % parts != 0) ++parts;
  options.window_bytes = period / parts * line, options.window_period = parts;
}

Result<TraceSummary> read_trace(const std::filesystem::path& path, const TraceOptions& options,
                                engine::AccessSink& sink) {
  return Reader(path, options, sink).read();
}

}  // namespace profiler
