// SPDX-License-Identifier: Apache-2.0
// Cutting a protobuf file into messages.
#include "profiler/import/proto_stream.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "profiler/store/sqlite.h"

namespace profiler {
namespace {

using engine::refused_error;
using engine::Result;

/// The bytes of a stream one by one.
class Bytes {
 public:
  explicit Bytes(ByteStream& stream) : stream_(stream) {}
  int64_t at() const { return begin_ + static_cast<int64_t>(next_); }
  /// -1: the end.
  Result<int> take() {
    if (next_ == have_) {
      begin_ += static_cast<int64_t>(have_);
      const Result<size_t> got = stream_.read(window_.data(), window_.size());
      if (!got) return got.error();
      next_ = 0, have_ = *got;
      if (have_ == 0) return -1;
    }
    return static_cast<unsigned char>(window_[next_++]);
  }
  /// Fewer: the end.
  Result<std::string> take(size_t size) {
    std::string text;
    while (text.size() < size) {
      if (next_ == have_) {
        const Result<int> byte = take();
        if (!byte) return byte.error();
        if (*byte < 0) break;
        --next_;
      }
      const size_t some = std::min(size - text.size(), have_ - next_);
      text.append(window_.data() + next_, some);
      next_ += some;
    }
    return text;
  }

 private:
  ByteStream& stream_;
  std::vector<char> window_ = std::vector<char>(size_t{1} << 16);
  size_t next_ = 0, have_ = 0;
  int64_t begin_ = 0;
};

struct Varint {
  uint64_t value = 0;
  bool whole = false, too_long = false, nothing = true;
};

Result<Varint> take_varint(Bytes& bytes) {
  Varint v;
  for (int shift = 0; shift < 70; shift += 7) {
    const Result<int> byte = bytes.take();
    if (!byte) return byte.error();
    if (*byte < 0) return v;
    v.nothing = false;
    if (shift == 63 && *byte > 1) break;
    v.value |= static_cast<uint64_t>(*byte & 0x7f) << shift;
    if (*byte < 0x80) {
      v.whole = true;
      return v;
    }
  }
  v.too_long = true;
  return v;
}

}  // namespace

Result<int64_t> each_message(ByteStream& stream, const std::filesystem::path& file, const ImportControl& control,
                             const std::function<Result<void>(uint32_t, std::string_view, const ProtoPlace&)>& take) {
  Bytes bytes(stream);
  const auto broken = [&](int64_t byte, const std::string& why) {
    return refused_error(fmt::format("{}: byte {}: {}", sqlite::shown(file), byte, why));
  };
  for (;;) {
    if (control.stopped()) return refused_error(fmt::format("{}: the import was cancelled", sqlite::shown(file)));
    const int64_t begin = bytes.at();
    const Result<Varint> tag = take_varint(bytes);
    if (!tag) return tag.error();
    if (tag->nothing) return int64_t{-1};
    if (tag->too_long) return broken(begin, "a number has more than 10 bytes");
    if (!tag->whole) return begin;
    const auto wire = static_cast<uint32_t>(tag->value & 7);
    const uint64_t field = tag->value >> 3;
    if (field == 0 || field > 0x1fffffff || wire == 3 || wire == 4 || wire > 5)
      return broken(begin, fmt::format("a field has number {} and type {}, which protobuf does not have", field, wire));
    size_t skip = wire == 1 ? 8 : wire == 5 ? 4 : 0;
    if (wire == 0 || wire == 2) {
      const Result<Varint> value = take_varint(bytes);
      if (!value) return value.error();
      if (value->too_long) return broken(begin, "a number has more than 10 bytes");
      if (!value->whole) return begin;
      if (wire == 0) continue;
      if (value->value > kMostMessageBytes)
        return broken(begin,
                      fmt::format("field {} has {} bytes; up to {} are read", field, value->value, kMostMessageBytes));
      skip = static_cast<size_t>(value->value);
    }
    const int64_t content_at = bytes.at();
    const Result<std::string> content = bytes.take(skip);
    if (!content) return content.error();
    if (content->size() < skip) return begin;
    if (wire != 2) continue;
    if (Result<void> taken = take(static_cast<uint32_t>(field), *content, {&file, content_at}); !taken)
      return taken.error();
  }
}

Result<void> read_message(std::string_view content, const ProtoPlace& place,
                          const std::function<Result<void>(protozero::pbf_reader&)>& read) {
  protozero::pbf_reader reader(content.data(), content.size());
  try {
    return read(reader);
  } catch (const protozero::exception& broken) {
    const auto inside = static_cast<int64_t>(content.size() - reader.length());
    return refused_error(fmt::format("{}: byte {}: field {} of the message is broken ({})", sqlite::shown(*place.file),
                                     place.byte + inside, static_cast<uint32_t>(reader.tag()), broken.what()));
  }
}

bool looks_like_message(std::string_view content, bool cut,
                        const std::function<bool(uint32_t, uint32_t, std::string_view)>& each) {
  protozero::pbf_reader reader(content.data(), content.size());
  bool any = false;
  try {
    while (reader.next()) {
      const auto wire = static_cast<uint32_t>(reader.wire_type());
      const auto field = static_cast<uint32_t>(reader.tag());  // gone, with asserts on, once the value is read
      std::string_view value;
      if (wire == 2) {
        const auto view = reader.get_view();
        value = {view.data(), view.size()};
      } else {
        reader.skip();
      }
      any = true;
      if (!each(field, wire, value)) return false;
    }
  } catch (const protozero::end_of_buffer_exception&) {
    return cut && any;
  } catch (const protozero::exception&) {
    return false;
  }
  return any;
}

}  // namespace profiler
