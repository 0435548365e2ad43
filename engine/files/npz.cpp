// SPDX-License-Identifier: Apache-2.0
// The central directory of a ZIP archive names its arrays; each is stored or deflated.
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "engine/base/display_text.h"
#include "engine/base/memory.h"
#include "engine/base/read_file.h"
#include "engine/files/npy.h"

namespace engine {
namespace {

constexpr uint32_t kEndSignature = 0x06054b50, kEntrySignature = 0x02014b50, kLocalSignature = 0x04034b50;
constexpr size_t kEndBytes = 22, kEntryBytes = 46, kLocalBytes = 30;
constexpr uint64_t kMostComment = 0xffff, kLargestDirectory = uint64_t{1} << 24;
constexpr size_t kMostArrays = 10'000;
/// Deflate packs at most 1032 bytes into one (zlib's technical details).
constexpr uint64_t kMostPacked = 1032;

struct Entry {
  std::string name;
  uint16_t method = 0;
  uint64_t packed_bytes = 0, bytes = 0, local_offset = 0;
  uint32_t checksum = 0;
};

/// Little-endian numbers at a place, which the caller has checked.
template <class T>
T number_at(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

class Archive {
 public:
  static Result<Archive> open(const std::filesystem::path&);
  const std::vector<Entry>& entries() const { return entries_; }
  Result<std::string> unpack(const Entry&) const;

 private:
  explicit Archive(RegularFile file) : file_(std::move(file)) {}
  Result<std::string> read_at(uint64_t offset, uint64_t bytes) const;
  Result<void> read_directory();
  Result<Entry> read_entry(std::string_view directory, size_t& at) const;

  RegularFile file_;
  std::vector<Entry> entries_;
};

Result<std::string> Archive::read_at(uint64_t offset, uint64_t bytes) const {
  if (offset > file_.size_bytes() || bytes > file_.size_bytes() - offset)
    return refused_error(fmt::format("it is truncated or damaged: {} bytes at {} lie outside of its {} bytes", bytes,
                                     offset, file_.size_bytes()));
  std::string text;
  try {
    text.resize(bytes);
  } catch (const std::bad_alloc&) {
    return refused_error("reading it needs more memory than there is");
  }
  for (size_t have = 0; have < text.size();) {
    const ssize_t got =
        ::pread(file_.descriptor(), text.data() + have, text.size() - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return refused_error(fmt::format("cannot be read: {}", got < 0 ? std::strerror(errno) : "it ended"));
    have += static_cast<size_t>(got);
  }
  return text;
}

Result<Entry> Archive::read_entry(std::string_view directory, size_t& at) const {
  if (directory.size() - at < kEntryBytes || number_at<uint32_t>(directory, at) != kEntrySignature)
    return refused_error("its directory is damaged");
  Entry entry;
  const auto flags = number_at<uint16_t>(directory, at + 8);
  entry.method = number_at<uint16_t>(directory, at + 10);
  entry.checksum = number_at<uint32_t>(directory, at + 16);
  entry.packed_bytes = number_at<uint32_t>(directory, at + 20);
  entry.bytes = number_at<uint32_t>(directory, at + 24);
  const size_t name_bytes = number_at<uint16_t>(directory, at + 28),
               extra_bytes = number_at<uint16_t>(directory, at + 30);
  const size_t comment_bytes = number_at<uint16_t>(directory, at + 32);
  entry.local_offset = number_at<uint32_t>(directory, at + 42);
  if (directory.size() - at - kEntryBytes < name_bytes + extra_bytes + comment_bytes)
    return refused_error("its directory is damaged");
  entry.name = std::string(directory.substr(at + kEntryBytes, name_bytes));
  // ZIP64: what does not fit 32 bits stands in the extra field 1, in this order.
  std::string_view extra = directory.substr(at + kEntryBytes + name_bytes, extra_bytes);
  constexpr uint64_t kElsewhere = 0xffffffff;
  while (extra.size() >= 4) {
    const auto kind = number_at<uint16_t>(extra, 0);
    const size_t length = number_at<uint16_t>(extra, 2);
    if (length > extra.size() - 4) break;
    std::string_view field = extra.substr(4, length);
    for (uint64_t* value : {&entry.bytes, &entry.packed_bytes, &entry.local_offset}) {
      if (kind != 1 || *value != kElsewhere || field.size() < 8) continue;
      *value = number_at<uint64_t>(field, 0);
      field.remove_prefix(8);
    }
    extra.remove_prefix(4 + length);
  }
  if ((flags & 1) != 0) return refused_error(fmt::format("array \"{}\" is encrypted", display_line(entry.name, 60)));
  at += kEntryBytes + name_bytes + extra_bytes + comment_bytes;
  return entry;
}

Result<void> Archive::read_directory() {
  const uint64_t tail_bytes = std::min(file_.size_bytes(), kEndBytes + kMostComment);
  const Result<std::string> tail = read_at(file_.size_bytes() - tail_bytes, tail_bytes);
  if (!tail) return tail.error();
  size_t end = std::string::npos;
  for (size_t at = tail->size() < kEndBytes ? 0 : tail->size() - kEndBytes + 1; at-- > 0;) {
    if (number_at<uint32_t>(*tail, at) != kEndSignature) continue;
    end = at;
    break;
  }
  if (end == std::string::npos) return refused_error("it is no .npz file: it has no directory of a ZIP archive");
  const uint64_t count = number_at<uint16_t>(*tail, end + 10), bytes = number_at<uint32_t>(*tail, end + 12);
  const uint64_t offset = number_at<uint32_t>(*tail, end + 16);
  if (count > kMostArrays || bytes > kLargestDirectory)
    return refused_error(fmt::format("its directory has {} entries in {} bytes; at most {} in {} are read", count,
                                     bytes, kMostArrays, kLargestDirectory));
  const Result<std::string> directory = read_at(offset, bytes);
  if (!directory) return directory.error();
  for (size_t at = 0; entries_.size() < count;) {
    Result<Entry> entry = read_entry(*directory, at);
    if (!entry) return entry.error();
    constexpr std::string_view kEnding = ".npy";
    if (entry->name.ends_with(kEnding)) entry->name.resize(entry->name.size() - kEnding.size());
    entries_.push_back(*std::move(entry));
  }
  return {};
}

Result<Archive> Archive::open(const std::filesystem::path& path) {
  Result<RegularFile> file = RegularFile::open(path);
  if (!file) return file.error();
  Archive archive(*std::move(file));
  if (Result<void> read = archive.read_directory(); !read)
    return refused_error(fmt::format("{}: {}", display_line(path.native()), read.error().message));
  return archive;
}

/// `bytes` bytes of a raw deflate stream.
Result<std::string> inflated(std::string_view packed, uint64_t bytes) {
  std::string text;
  try {
    text.resize(bytes);
  } catch (const std::bad_alloc&) {
    return refused_error("unpacking it needs more memory than there is");
  }
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return refused_error("zlib could not start");
  constexpr uint64_t kPiece = uint64_t{1} << 30;  // zlib counts in 32 bits
  uint64_t read = 0, made = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    const auto in = static_cast<uInt>(std::min(packed.size() - read, kPiece));
    const auto out = static_cast<uInt>(std::min(bytes - made, kPiece));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + read));  // zlib does not write there
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + made);
    stream.avail_out = out;
    code = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in, made += out - stream.avail_out;
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END || made != bytes)
    return refused_error(fmt::format("its packed bytes are damaged: {} of {} bytes came out", made, bytes));
  return text;
}

Result<std::string> Archive::unpack(const Entry& entry) const {
  constexpr uint16_t kStored = 0, kDeflated = 8;
  if (entry.method != kStored && entry.method != kDeflated)
    return refused_error(
        fmt::format("it is packed by method {}; save it by np.savez or np.savez_compressed", entry.method));
  const bool plausible =
      entry.method == kStored ? entry.bytes == entry.packed_bytes : entry.bytes / kMostPacked <= entry.packed_bytes;
  if (!plausible)
    return refused_error(
        fmt::format("it claims {} bytes, packed into {}: it is damaged", entry.bytes, entry.packed_bytes));
  if (const int64_t available = host_memory().available_bytes;
      available > 0 && entry.bytes > static_cast<uint64_t>(available) / 2) {
    return refused_error(fmt::format("it needs {} of memory twice, {} are available",
                                     format_bytes(static_cast<double>(entry.bytes)),
                                     format_bytes(static_cast<double>(available))));
  }
  const Result<std::string> local = read_at(entry.local_offset, kLocalBytes);
  if (!local) return local;
  if (number_at<uint32_t>(*local, 0) != kLocalSignature) return refused_error("its directory is damaged");
  const uint64_t begin =
      entry.local_offset + kLocalBytes + number_at<uint16_t>(*local, 26) + number_at<uint16_t>(*local, 28);
  Result<std::string> packed = read_at(begin, entry.packed_bytes);
  if (!packed) return packed;
  Result<std::string> bytes = entry.method == kStored ? std::move(packed) : inflated(*packed, entry.bytes);
  if (!bytes) return bytes;
  const auto checksum = crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes->data()), bytes->size());
  if (checksum != entry.checksum)
    return refused_error(
        fmt::format("its checksum is {:08x} instead of {:08x}: it is damaged", checksum, entry.checksum));
  return bytes;
}

}  // namespace

Result<std::vector<std::string>> npz_names(const std::filesystem::path& path) {
  const Result<Archive> archive = Archive::open(path);
  if (!archive) return archive.error();
  std::vector<std::string> names;
  for (const Entry& entry : archive->entries()) names.push_back(entry.name);
  return names;
}

Result<Tensor> read_npz(const std::filesystem::path& path, const std::string& name) {
  const Result<Archive> archive = Archive::open(path);
  if (!archive) return archive.error();
  const auto in_array = [&](const Error& error) {
    return Error{error.kind, fmt::format("{}: array \"{}\": {}", display_line(path.native()), display_line(name, 60),
                                         error.message)};
  };
  const auto entry = std::ranges::find(archive->entries(), name, &Entry::name);
  if (entry == archive->entries().end()) return in_array(refused_error("it is not in this file"));
  const Result<std::string> bytes = archive->unpack(*entry);
  if (!bytes) return in_array(bytes.error());
  Result<Tensor> tensor = parse_npy(*bytes);
  return tensor ? tensor : in_array(tensor.error());
}

}  // namespace engine
