// SPDX-License-Identifier: Apache-2.0
// External data: tensors whose bytes lie in a file beside the model. The file is the model's choice, so it is confined.
#include "engine/onnx/external_data.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "engine/onnx/text.h"

namespace engine::onnx {
namespace {

namespace fs = std::filesystem;
using ::onnx::TensorProto;

/// One read() moves at most about 2 GiB.
constexpr int64_t kOneRead = int64_t{1} << 30;

struct Place {
  std::string location;
  int64_t offset = 0;
  std::optional<int64_t> length;
};

Result<int64_t> parse_count(const std::string& key, const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  return refused_error(fmt::format("field external_data: {} {} is no count of bytes", key, in_quotes(text)));
}

Result<Place> read_place(const TensorProto& proto) {
  Place place;
  std::set<std::string_view> given;
  for (const ::onnx::StringStringEntryProto& entry : proto.external_data()) {
    if (!given.insert(entry.key()).second)
      return refused_error(fmt::format("field external_data: has {} twice", in_quotes(entry.key())));
    if (entry.key() == "location") {
      place.location = entry.value();
    } else if (entry.key() == "offset" || entry.key() == "length") {
      const Result<int64_t> count = parse_count(entry.key(), entry.value());
      if (!count) return count.error();
      if (entry.key() == "offset") place.offset = *count;
      else place.length = *count;
    }  // a checksum may be there; nothing says how it is made
  }
  if (place.location.empty()) return refused_error("field external_data: names no location");
  return place;
}

/// The file's path when it lies in `folder` or below it. The parts are judged as written, the links as they are on
/// disk.
Result<fs::path> confine(const std::string& location, const fs::path& folder) {
  const auto refuse = [&](std::string_view why) {
    return refused_error(fmt::format("field external_data: location {} {}; only files in the model's folder are read",
                                     in_quotes(location), why));
  };
  if (location.find('\0') != std::string::npos) return refuse("has a zero byte");
  const fs::path relative(location);
  if (relative.is_absolute()) return refuse("is absolute");
  if (std::ranges::find(relative, fs::path("..")) != relative.end()) return refuse("leaves the folder by \"..\"");
  std::error_code error;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  if (error) return refuse("cannot be looked up: " + error.message());
  const fs::path file = fs::canonical(root / relative, error);
  if (error) return refuse("cannot be looked up: " + error.message());
  const auto [inside, rest] = std::ranges::mismatch(root, file);
  if (inside != root.end()) return refuse("leaves the folder by a symbolic link");
  return file;
}

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

Result<void> read_bytes(int descriptor, int64_t offset, std::byte* to, int64_t bytes) {
  while (bytes > 0) {
    const ssize_t count = ::pread(descriptor, to, static_cast<size_t>(std::min(bytes, kOneRead)), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refused_error(std::strerror(errno));
    if (count == 0) return refused_error("the file became shorter while it was read");
    to += count;
    offset += count;
    bytes -= count;
  }
  return {};
}

}  // namespace

bool is_external(const TensorProto& proto) {
  return proto.data_location() == TensorProto::EXTERNAL || proto.external_data_size() > 0;
}

Result<Tensor> read_external(const TensorProto& proto, TensorType type, const fs::path& folder) {
  const Result<Place> place = read_place(proto);
  if (!place) return place.error();
  const Result<fs::path> file = confine(place->location, folder);
  if (!file) return file.error();
  const int64_t bytes = type.span_bytes();
  const std::string where = fmt::format("field external_data: file {}", in_quotes(place->location));
  if (place->length && *place->length != bytes) {
    return refused_error(
        fmt::format("{}: length is {} bytes, but {} needs {}", where, *place->length, to_string(type), bytes));
  }
  // Whoever could put a link there after the look-up owns the folder anyway.
  const Descriptor opened{::open(file->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)};
  struct stat status {};
  if (opened.number < 0 || ::fstat(opened.number, &status) != 0)
    return refused_error(fmt::format("{}: {}", where, std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) return refused_error(where + ": is no regular file");
  if (status.st_nlink > 1) {  // an archive can bring a second name of any file of the same disk along
    return refused_error(
        fmt::format("{}: has {} names (hard links), and others may be outside of the model's folder; "
                    "replace it by a copy",
                    where, static_cast<uint64_t>(status.st_nlink)));
  }
  if (place->offset > status.st_size || bytes > status.st_size - place->offset) {
    return refused_error(fmt::format("{}: has {} bytes, but {} bytes from offset {} are asked for", where,
                                     static_cast<int64_t>(status.st_size), bytes, place->offset));
  }
  Result<Tensor> tensor = Tensor::empty(std::move(type));
  if (!tensor) return tensor;
  if (Result<void> read = read_bytes(opened.number, place->offset, tensor->data(), bytes); !read)
    return refused_error(fmt::format("{}: {}", where, read.error().message));
  return tensor;
}

}  // namespace engine::onnx
