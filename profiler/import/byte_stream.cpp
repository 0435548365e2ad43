// SPDX-License-Identifier: Apache-2.0
// ByteStream: read(2), zlib's inflate, and the limits that keep a compressed bomb from going off.
#include "profiler/import/byte_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "profiler/store/sqlite.h"

namespace profiler {

using engine::refused_error;
using engine::Result;

namespace {

constexpr size_t kPiece = size_t{1} << 18;
/// Real traces shrink 10 to 60 times; deflate cannot do more than 1032.
constexpr int64_t kMostRatio = 250, kAlwaysAllowed = int64_t{256} << 20;

}  // namespace

struct ByteStream::Inflate {
  z_stream z{};
  std::vector<unsigned char> input = std::vector<unsigned char>(kPiece);
  bool ended = false, any_member = false;
  ~Inflate() { inflateEnd(&z); }
};

ByteStream::ByteStream(int descriptor, int64_t size, const std::filesystem::path& file, const ImportControl& control)
    : file_(file), control_(control), descriptor_(descriptor), size_(size) {}

ByteStream::~ByteStream() { close(descriptor_); }

Result<std::unique_ptr<ByteStream>> ByteStream::open(const std::filesystem::path& file, const ImportControl& control) {
  const std::string name = sqlite::shown(file);
  // without O_NONBLOCK a FIFO would wait for its writer
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return refused_error(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    return refused_error(fmt::format("{}: is not a regular file; a trace has to be one", name));
  }
  std::unique_ptr<ByteStream> stream(new ByteStream(descriptor, status.st_size, file, control));
  unsigned char magic[4] = {};
  const ssize_t got = pread(descriptor, magic, sizeof magic, 0);
  if (got < 0) return refused_error(fmt::format("{}: cannot be read: {}", name, std::strerror(errno)));
  if (got >= 2 && magic[0] == 0x1f && magic[1] == 0x8b) {
    stream->compressed_ = true;
    stream->inflate_ = std::make_unique<Inflate>();
    if (inflateInit2(&stream->inflate_->z, 15 + 16) != Z_OK) return refused_error(name + ": no memory to unpack it");
  } else if (got >= 4 && magic[0] == 'P' && magic[1] == 'K') {
    return refused_error(name + ": is a zip archive; unpack it and import the trace inside");
  } else if (got >= 4 && magic[0] == 0x28 && magic[1] == 0xb5 && magic[2] == 0x2f && magic[3] == 0xfd) {
    return refused_error(name + ": is compressed with zstd; unpack it with `unzstd` first");
  }
  return stream;
}

Result<size_t> ByteStream::read_raw(char* to, size_t size) {
  while (true) {
    const ssize_t got = ::read(descriptor_, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return refused_error(fmt::format("{}: cannot be read: {}", sqlite::shown(file_), std::strerror(errno)));
    in_ += got;
    return static_cast<size_t>(got);
  }
}

Result<size_t> ByteStream::read_inflated(char* to, size_t size) {
  Inflate& state = *inflate_;
  z_stream& z = state.z;
  z.next_out = reinterpret_cast<Bytef*>(to);
  z.avail_out = static_cast<uInt>(std::min(size, kPiece));
  while (z.avail_out > 0 && !state.ended) {
    if (z.avail_in == 0) {
      Result<size_t> got = read_raw(reinterpret_cast<char*>(state.input.data()), state.input.size());
      if (!got) return got.error();
      z.next_in = state.input.data();
      z.avail_in = static_cast<uInt>(*got);
      if (*got == 0) {
        state.ended = true;
        if (!state.any_member) trouble_ = "the gzip data break off";
        break;
      }
    }
    const int code = inflate(&z, Z_NO_FLUSH);
    state.any_member = false;
    if (code == Z_STREAM_END) {  // another member may follow; what is no gzip behind a whole member is left alone
      state.any_member = true;
      if (z.avail_in > 0 && z.next_in[0] != 0x1f) {
        trouble_ = fmt::format("something that is no gzip data follows at byte {}", in_ - z.avail_in);
        state.ended = true;
      } else {
        inflateReset(&z);
      }
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      trouble_ = fmt::format("the gzip data are damaged near byte {}", in_ - z.avail_in);
      state.ended = true;
    }
  }
  return std::min(size, kPiece) - z.avail_out;
}

Result<size_t> ByteStream::read(char* to, size_t size) {
  if (control_.stopped()) return refused_error(fmt::format("{}: the import was cancelled", sqlite::shown(file_)));
  Result<size_t> got = compressed_ ? read_inflated(to, size) : read_raw(to, size);
  if (!got) return got;
  out_ += static_cast<int64_t>(*got);
  if (compressed_ && out_ > kAlwaysAllowed && out_ / kMostRatio > in_) {
    return refused_error(
        fmt::format("{}: {} bytes unpack to more than {}: this is no trace", sqlite::shown(file_), in_, out_));
  }
  if (control_.progress && in_ - told_ > size_ / 200) {
    told_ = in_;
    control_.progress(size_ > 0 ? static_cast<double>(in_) / static_cast<double>(size_) : 1);
  }
  return got;
}

Result<std::string> first_bytes(const std::filesystem::path& file, size_t size) {
  auto stream = ByteStream::open(file, {});
  if (!stream) return stream.error();
  std::string bytes(size, '\0');
  size_t have = 0;
  while (have < size) {
    Result<size_t> got = (*stream)->read(bytes.data() + have, size - have);
    if (!got) return got.error();
    if (*got == 0) break;
    have += *got;
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace profiler
