// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file is a Python dictionary of three known keys; the elements follow it as they lie in memory.
#include "engine/files/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include "engine/base/display_text.h"
#include "engine/base/memory.h"
#include "engine/base/read_file.h"
#include "engine/tensor/element.h"

namespace engine {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are little endian");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kFront = size_t{1} << 16;
constexpr size_t kMostAxes = 16;
constexpr size_t kLongestShown = 60;

struct NumpyType {
  std::string_view name;
  DType dtype;
};
constexpr NumpyType kTypes[] = {{"f8", DType::float64}, {"f4", DType::float32}, {"f2", DType::float16},
                                {"i8", DType::int64},   {"i4", DType::int32},   {"i1", DType::int8},
                                {"u1", DType::uint8},   {"b1", DType::boolean}};

std::string shown(std::string_view text) { return '"' + display_line(text, kLongestShown) + '"'; }

Result<DType> dtype_of(std::string_view descr) {
  const bool ordered = !descr.empty() && std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
  const std::string_view name = ordered ? descr.substr(1) : descr;
  const auto* const found = std::ranges::find(kTypes, name, &NumpyType::name);
  if (found == std::end(kTypes)) {
    return refused_error(
        fmt::format("dtype {} is not supported; save it as float32, float16, float64, int64, int32, int8, uint8 or "
                    "bool, as in np.save(file, x.astype(np.float32))",
                    shown(descr)));
  }
  if (ordered && descr.front() == '>' && size_bytes(found->dtype) > 1)
    return refused_error(fmt::format("dtype {} is big-endian; save it as little-endian", shown(descr)));
  return found->dtype;
}

/// Reads the text of the header from left to right.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) : rest_(text) {}
  void skip_spaces() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0) rest_.remove_prefix(1);
  }
  bool take(std::string_view word) {
    skip_spaces();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string_view> quoted() {
    skip_spaces();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return {};
    const size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return {};
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::optional<int64_t> number() {
    skip_spaces();
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return {};
    rest_.remove_prefix(static_cast<size_t>(stop - rest_.data()));
    take("L");  // Python 2
    return value;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

Result<Shape> read_shape(HeaderText& text) {
  if (!text.take("(")) return refused_error("the header's shape is no tuple");
  Shape shape;
  while (!text.take(")")) {
    const std::optional<int64_t> extent = text.number();
    if (!extent) return refused_error("the header's shape holds no number at " + shown(text.rest()));
    if (*extent < 0) return refused_error(fmt::format("extent {} is negative", *extent));
    if (shape.size() == kMostAxes) return refused_error(fmt::format("it has more than {} axes", kMostAxes));
    shape.push_back(*extent);
    if (text.take(",")) continue;
    if (!text.take(")")) return refused_error("the header's shape does not end at " + shown(text.rest()));
    break;
  }
  return shape;
}

struct Dictionary {
  std::optional<std::string> descr;
  std::optional<bool> fortran;
  std::optional<Shape> shape;
};

Result<Dictionary> read_dictionary(std::string_view header) {
  HeaderText text(header);
  Dictionary found;
  if (!text.take("{")) return refused_error("its header is no dictionary: " + shown(header));
  while (!text.take("}")) {
    const std::optional<std::string_view> key = text.quoted();
    if (!key || !text.take(":")) return refused_error("its header has no key at " + shown(text.rest()));
    if (*key == "descr") {
      const std::optional<std::string_view> descr = text.quoted();
      if (!descr) return refused_error("its dtype is a structure; save one array of numbers");
      found.descr = std::string(*descr);
    } else if (*key == "fortran_order") {
      const bool is_true = text.take("True");
      if (!is_true && !text.take("False")) return refused_error("its fortran_order is neither True nor False");
      found.fortran = is_true;
    } else if (*key == "shape") {
      Result<Shape> shape = read_shape(text);
      if (!shape) return shape.error();
      found.shape = *std::move(shape);
    } else {
      return refused_error("its header has an unknown key " + shown(*key));
    }
    text.take(",");
  }
  if (!found.descr || !found.fortran || !found.shape)
    return refused_error("its header lacks descr, fortran_order or shape");
  return found;
}

Strides fortran_strides(const Shape& shape) {
  Strides strides(shape.size());
  int64_t step = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = step;
    step *= std::max<int64_t>(shape[axis], 1);
  }
  return strides;
}

/// The bytes of the elements, or why there cannot be so many.
Result<uint64_t> element_bytes(const Shape& shape, DType dtype) {
  const std::optional<int64_t> elements = element_count(shape);
  int64_t bytes = 0;
  if (!elements || __builtin_mul_overflow(*elements, size_bytes(dtype), &bytes))
    return refused_error(fmt::format("its shape {} has more bytes than 2^63 - 1", to_string(shape)));
  return static_cast<uint64_t>(bytes);
}

/// Any byte may stand in a file, but a bool is 0 or 1.
void settle_flags(const Tensor& tensor) {
  if (tensor.dtype() != DType::boolean) return;
  auto* flags = tensor.data_as<uint8_t>();
  std::transform(flags, flags + tensor.type().elements(), flags, [](uint8_t flag) { return flag != 0 ? 1 : 0; });
}

Result<Tensor> row_major(Tensor tensor) {
  settle_flags(tensor);
  return tensor.contiguous();
}

Error in_file(const std::filesystem::path& file, const Error& error) {
  return {error.kind, fmt::format("{}: {}", display_line(file.native()), error.message)};
}

/// Reads into the tensor from where the data begin.
Result<void> read_elements(const RegularFile& file, uint64_t offset, const Tensor& tensor) {
  auto* at = reinterpret_cast<char*>(tensor.data());
  auto left = static_cast<uint64_t>(tensor.type().elements() * size_bytes(tensor.dtype()));
  while (left > 0) {
    const ssize_t got =
        ::pread(file.descriptor(), at, std::min<uint64_t>(left, uint64_t{1} << 30), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused_error(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (got == 0) return refused_error("it became shorter while it was read");
    at += got, offset += static_cast<uint64_t>(got), left -= static_cast<uint64_t>(got);
  }
  return {};
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view front, uint64_t total_bytes) {
  constexpr size_t kVersionEnd = kMagic.size() + 2;
  if (!front.starts_with(kMagic) || front.size() < kVersionEnd + 4)
    return refused_error("it is no .npy file: it does not begin as one");
  const auto byte = [&](size_t i) { return static_cast<uint64_t>(static_cast<unsigned char>(front[i])); };
  const uint64_t version = byte(kMagic.size());
  if (version < 1 || version > 3) return refused_error(fmt::format("its format version {} is not 1, 2 or 3", version));
  const size_t begin = kVersionEnd + (version == 1 ? 2 : 4);
  uint64_t length = byte(kVersionEnd) | byte(kVersionEnd + 1) << 8;
  if (version > 1) length |= byte(kVersionEnd + 2) << 16 | byte(kVersionEnd + 3) << 24;
  if (length > front.size() - begin)
    return refused_error(
        fmt::format("its header claims {} bytes, of which {} are there", length, front.size() - begin));
  const Result<Dictionary> found = read_dictionary(front.substr(begin, length));
  if (!found) return found.error();
  const Result<DType> dtype = dtype_of(*found->descr);
  if (!dtype) return dtype.error();
  const Result<uint64_t> bytes = element_bytes(*found->shape, *dtype);
  if (!bytes) return bytes.error();
  const uint64_t offset = begin + length;
  if (total_bytes < offset || total_bytes - offset != *bytes) {
    return refused_error(fmt::format("its shape {} of {} needs {} bytes, the file has {}", to_string(*found->shape),
                                     name(*dtype), *bytes, total_bytes - std::min(total_bytes, offset)));
  }
  NpyHeader header{TensorType::contiguous(*dtype, *found->shape), offset};
  if (*found->fortran) header.type.strides = fortran_strides(*found->shape);
  return header;
}

Result<Tensor> parse_npy(std::string_view bytes) {
  const Result<NpyHeader> header = parse_npy_header(bytes, bytes.size());
  if (!header) return header.error();
  Result<Tensor> tensor = Tensor::empty(header->type);
  if (!tensor) return tensor;
  if (bytes.size() > header->data_offset)
    std::memcpy(tensor->data(), bytes.data() + header->data_offset, bytes.size() - header->data_offset);
  return row_major(*std::move(tensor));
}

Result<Tensor> read_npy(const std::filesystem::path& path) {
  Result<std::string> front = read_front(path, kFront);
  if (!front) return front.error();
  const Result<RegularFile> file = RegularFile::open(path);
  if (!file) return file.error();
  const Result<NpyHeader> header = parse_npy_header(*front, file->size_bytes());
  if (!header) return in_file(path, header.error());
  const int64_t available = host_memory().available_bytes;
  if (available > 0 && header->type.span_bytes() > available) {
    return in_file(path, refused_error(fmt::format("it needs {} of memory, {} are available",
                                                   format_bytes(static_cast<double>(header->type.span_bytes())),
                                                   format_bytes(static_cast<double>(available)))));
  }
  Result<Tensor> tensor = Tensor::empty(header->type);
  if (!tensor) return in_file(path, tensor.error());
  if (Result<void> read = read_elements(*file, header->data_offset, *tensor); !read) return in_file(path, read.error());
  tensor = row_major(*std::move(tensor));
  return tensor ? tensor : in_file(path, tensor.error());
}

Result<std::string> npy_bytes(const Tensor& given) {
  Result<Tensor> tensor = given.contiguous();
  if (!tensor) return tensor.error();
  const DType dtype = tensor->dtype();
  const bool widened = dtype == DType::bfloat16;
  const auto* const type = std::ranges::find(kTypes, widened ? DType::float32 : dtype, &NumpyType::dtype);
  CHECK(type != std::end(kTypes));
  const int64_t elements = tensor->type().elements();
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   size_bytes(type->dtype) == 1 ? '|' : '<', type->name,
                                   fmt::join(tensor->shape(), ", "), tensor->shape().size() == 1 ? "," : "");
  constexpr size_t kBeforeHeader = kMagic.size() + 4, kAlignment = 64;
  header.append(kAlignment - 1 - (kBeforeHeader + header.size()) % kAlignment, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += '\1', bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xff), bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  const size_t begin = bytes.size();
  const auto size = static_cast<size_t>(size_bytes(type->dtype));
  bytes.resize(begin + static_cast<size_t>(elements) * size);
  auto* to = reinterpret_cast<std::byte*>(bytes.data() + begin);
  if (!widened && elements > 0) std::memcpy(to, tensor->data(), static_cast<size_t>(elements) * size);
  for (int64_t i = 0; widened && i < elements; ++i)
    convert_element(dtype, tensor->data() + i * size_bytes(dtype), type->dtype, to + static_cast<size_t>(i) * size);
  return bytes;
}

}  // namespace engine
