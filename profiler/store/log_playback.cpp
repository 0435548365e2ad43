// SPDX-License-Identifier: Apache-2.0
// The two kinds of logs of SQLite, read by their format as if written by an enemy.
#include "profiler/store/log_playback.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <span>
#include <vector>

#include "profiler/base/table.h"

namespace profiler {

using engine::Error;
using engine::refused_error;
using engine::Result;

namespace {

using Bytes = std::span<const uint8_t>;

uint32_t big_endian(Bytes bytes, size_t at) {
  return uint32_t{bytes[at]} << 24 | uint32_t{bytes[at + 1]} << 16 | uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
}

bool page_size_fits(uint32_t bytes) { return bytes >= 512 && bytes <= 65536 && std::has_single_bit(bytes); }

Error io_error(const char* doing) { return refused_error(fmt::format("cannot {}: {}", doing, std::strerror(errno))); }

int64_t size_of(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 ? static_cast<int64_t>(status.st_size) : -1;
}

/// False: the file ends before, or cannot be read.
bool read_at(int file, int64_t at, std::span<uint8_t> into) {
  for (size_t have = 0; have < into.size();) {
    const ssize_t got = pread(file, into.data() + have, into.size() - have, at + static_cast<int64_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    have += static_cast<size_t>(got);
  }
  return true;
}

Result<void> write_at(int file, int64_t at, Bytes bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t got = pwrite(file, bytes.data() + done, bytes.size() - done, at + static_cast<int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return io_error("write the copy");
    done += static_cast<size_t>(got);
  }
  return {};
}

/// The pages that a file can have had, whatever a log says: those it has and those the log holds, and one that SQLite
/// never writes (the one with the bytes it locks). A count beyond that would make gigabytes of nothing.
int64_t most_pages(int64_t database_bytes, int64_t pages_in_log, int64_t page_bytes) {
  return (database_bytes + page_bytes - 1) / page_bytes + pages_in_log + 1;
}

// ---- write-ahead log

constexpr int64_t kLogHeader = 32, kFrameHeader = 24;

/// The running sum of a log: over pairs of 32-bit words in the byte order that the log's first word names.
struct LogSum {
  bool big = false;
  uint32_t a = 0, b = 0;
  void add(Bytes bytes) {
    for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      a += word(bytes, i) + b;
      b += word(bytes, i + 4) + a;
    }
  }
  uint32_t word(Bytes bytes, size_t at) const {
    const uint32_t value = big_endian(bytes, at);
    return big ? value : __builtin_bswap32(value);
  }
};

struct Log {
  uint32_t page_bytes = 0, salt_1 = 0, salt_2 = 0;
  LogSum sum;
};

/// Nothing: not what a writer puts at the front of its log.
bool read_log_header(int log, Log& into) {
  std::array<uint8_t, kLogHeader> header{};
  if (!read_at(log, 0, header)) return false;
  const uint32_t magic = big_endian(header, 0);
  if ((magic & ~1u) != 0x377f0682 || big_endian(header, 4) != 3007000) return false;
  into = {.page_bytes = big_endian(header, 8),
          .salt_1 = big_endian(header, 16),
          .salt_2 = big_endian(header, 20),
          .sum = {.big = (magic & 1) != 0}};
  into.sum.add(Bytes(header).first(24));
  return page_size_fits(into.page_bytes) && into.sum.a == big_endian(header, 24) &&
         into.sum.b == big_endian(header, 28);
}

/// Reads frame after frame; `frame` holds the one that next() found whole.
class LogFrames {
 public:
  LogFrames(int log, const Log& start)
      : log_(log), start_(start), sum_(start.sum), frame_(static_cast<size_t>(kFrameHeader) + start.page_bytes) {}
  bool next() {
    if (!read_at(log_, at_, frame_)) return false;
    sum_.add(Bytes(frame_).first(8));
    sum_.add(page());
    const bool whole = page_number() != 0 && big_endian(frame_, 8) == start_.salt_1 &&
                       big_endian(frame_, 12) == start_.salt_2 && big_endian(frame_, 16) == sum_.a &&
                       big_endian(frame_, 20) == sum_.b;
    if (whole) at_ += static_cast<int64_t>(frame_.size());
    return whole;
  }
  uint32_t page_number() const { return big_endian(frame_, 0); }
  uint32_t pages_after_commit() const { return big_endian(frame_, 4); }  ///< 0: the transaction goes on
  Bytes page() const { return Bytes(frame_).subspan(kFrameHeader); }
  int64_t at() const { return at_; }  ///< behind the last whole frame

 private:
  int log_;
  Log start_;
  LogSum sum_;
  std::vector<uint8_t> frame_;
  int64_t at_ = kLogHeader;
};

/// Whether something was written from `at` on that a kill does not explain: a commit, or what is no frame of this log.
/// Within the transaction that was going on, SQLite may write a frame over, and from then on leaves salt and sum of all
/// until it commits: those alone are lost with any kill.
bool lost_a_commit(int log, const Log& start, int64_t at, int64_t size) {
  std::array<uint8_t, kFrameHeader> header{};
  for (const int64_t frame = kFrameHeader + int64_t{start.page_bytes}; size - at >= frame; at += frame) {
    if (!read_at(log, at, header)) return true;
    const bool left_open = std::all_of(header.begin() + 8, header.end(), [](uint8_t byte) { return byte == 0; });
    const bool salted = big_endian(header, 8) == start.salt_1 && big_endian(header, 12) == start.salt_2;
    if (big_endian(header, 0) == 0 || big_endian(header, 4) != 0 || !(salted || left_open)) return true;
  }
  return false;
}

std::string damage_at(int64_t at, int64_t size, int64_t lost) {
  return fmt::format("is damaged at byte {} of {}: {} behind its last whole commit are lost", at, size,
                     format_quantity(static_cast<double>(lost), Quantity::bytes));
}

}  // namespace

Result<LogPlayback> play_write_ahead_log(int log, int database) {
  LogPlayback played;
  const int64_t size = size_of(log);
  Log start;
  if (size < 0) return io_error("read the log");
  if (size < kLogHeader) return played;  // killed before it had a front
  if (!read_log_header(log, start)) {
    played.damage = damage_at(0, size, size);
    return played;
  }
  // First how far it goes, then what stands there: a transaction counts only when its last frame is whole.
  LogFrames seen(log, start);
  int64_t committed = kLogHeader, at = kLogHeader, frames_seen = 0;
  uint32_t pages = 0;
  bool impossible = false;
  const int64_t database_bytes = size_of(database);
  if (database_bytes < 0) return io_error("read the copy");
  for (; seen.next(); at = seen.at()) {
    ++frames_seen;
    if (seen.pages_after_commit() == 0) continue;
    impossible = seen.pages_after_commit() > most_pages(database_bytes, frames_seen, start.page_bytes);
    if (impossible) break;
    committed = seen.at();
    pages = seen.pages_after_commit();
    ++played.commits;
  }
  if (impossible || lost_a_commit(log, start, at, size)) played.damage = damage_at(at, size, size - committed);
  const int64_t page_bytes = start.page_bytes;
  LogFrames frames(log, start);
  while (frames.at() < committed) {
    if (!frames.next()) return refused_error("the log changed while it was read");
    if (frames.page_number() > pages) continue;  // beyond the end that the last commit left
    if (Result<void> done = write_at(database, (int64_t{frames.page_number()} - 1) * page_bytes, frames.page()); !done)
      return done.error();
  }
  if (played.commits > 0 && ftruncate(database, int64_t{pages} * page_bytes) != 0) return io_error("cut the copy");
  return played;
}

// ---- rollback journal

namespace {

constexpr std::array<uint8_t, 8> kJournalMagic{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

struct JournalPart {
  uint32_t records = 0, nonce = 0, pages = 0, sector_bytes = 0, page_bytes = 0;
};

/// False: no header there, or none that a writer makes.
bool read_part(int journal, int64_t at, JournalPart& part) {
  std::array<uint8_t, 28> header{};
  if (!read_at(journal, at, header) || std::memcmp(header.data(), kJournalMagic.data(), kJournalMagic.size()) != 0)
    return false;
  part = {big_endian(header, 8), big_endian(header, 12), big_endian(header, 16), big_endian(header, 20),
          big_endian(header, 24)};
  return page_size_fits(part.page_bytes) && part.sector_bytes >= 32 && part.sector_bytes <= 65536 &&
         std::has_single_bit(part.sector_bytes);
}

/// SQLite adds every 200th byte, from the end.
uint32_t record_sum(uint32_t nonce, Bytes page) {
  uint32_t sum = nonce;
  for (auto i = static_cast<int64_t>(page.size()) - 200; i > 0; i -= 200) sum += page[static_cast<size_t>(i)];
  return sum;
}

bool names_super_journal(int journal, int64_t size) {
  std::array<uint8_t, 8> end{};
  return size >= 16 && read_at(journal, size - 8, end) && end == kJournalMagic;
}

}  // namespace

Result<void> play_rollback_journal(int journal, int database) {
  const int64_t size = size_of(journal);
  if (size < 0) return io_error("read the journal");
  if (names_super_journal(journal, size)) {
    return refused_error(
        "its journal names another file, which this program never writes; it was not touched. Move the -journal away "
        "if you trust the file");
  }
  int64_t at = 0;
  std::vector<uint8_t> record;
  for (JournalPart part, first; read_part(journal, at, part);
       at = (at + part.sector_bytes - 1) / part.sector_bytes * part.sector_bytes) {
    if (at == 0) first = part;
    if (part.page_bytes != first.page_bytes || part.sector_bytes != first.sector_bytes) break;
    const int64_t page_bytes = part.page_bytes, record_bytes = page_bytes + 8;
    const int64_t database_bytes = size_of(database);
    if (database_bytes < 0) return io_error("read the copy");
    const int64_t most = most_pages(database_bytes, size / record_bytes, page_bytes);
    if (at == 0 && first.pages > most) {
      return refused_error(
          fmt::format("its journal is damaged: it claims {} pages of {} bytes, but file and journal "
                      "hold at most {}. Move the -journal away if you trust the file",
                      first.pages, page_bytes, most));
    }
    if (at == 0 && database_bytes > int64_t{first.pages} * page_bytes &&
        ftruncate(database, int64_t{first.pages} * page_bytes) != 0)
      return io_error("cut the copy");
    at += part.sector_bytes;
    const int64_t fit = (size - at) / record_bytes;
    const int64_t records = part.records == 0xffffffff ? fit : int64_t{part.records};
    record.resize(static_cast<size_t>(record_bytes));
    for (int64_t i = 0; i < records; ++i, at += record_bytes) {
      if (!read_at(journal, at, record)) return {};
      const Bytes page = Bytes(record).subspan(4, part.page_bytes);
      const uint32_t number = big_endian(record, 0);
      if (number == 0 || big_endian(record, 4 + part.page_bytes) != record_sum(part.nonce, page))
        return {};  // written when its writer was killed
      if (number > first.pages) continue;
      if (Result<void> done = write_at(database, (int64_t{number} - 1) * page_bytes, page); !done) return done;
    }
  }
  return {};
}

}  // namespace profiler
