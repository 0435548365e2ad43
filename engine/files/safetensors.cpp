// SPDX-License-Identifier: Apache-2.0
// Headers are checked as a whole before a byte of a tensor is read.
#include "engine/files/safetensors.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "engine/base/display_text.h"
#include "engine/base/json_text.h"
#include "engine/base/read_file.h"

namespace engine {
namespace {

using nlohmann::json;

constexpr uint64_t kLargestHeader = 25'000'000, kLength = 8;
constexpr size_t kMostAxes = 16, kMostFiles = 4096;

std::string in_quotes(std::string_view name) { return fmt::format("\"{}\"", display_line(std::string(name), 120)); }

struct NamedType {
  std::string_view name;
  int64_t bytes;
  std::optional<DType> dtype;
};
constexpr NamedType kTypes[] = {{"F64", 8, DType::float64},
                                {"F32", 4, DType::float32},
                                {"F16", 2, DType::float16},
                                {"BF16", 2, DType::bfloat16},
                                {"I64", 8, DType::int64},
                                {"I32", 4, DType::int32},
                                {"I8", 1, DType::int8},
                                {"U8", 1, DType::uint8},
                                {"BOOL", 1, DType::boolean},
                                {"I16", 2, {}},
                                {"U16", 2, {}},
                                {"U32", 4, {}},
                                {"U64", 8, {}},
                                {"F8_E4M3", 1, {}},
                                {"F8_E5M2", 1, {}}};

/// A whole number from 0 on; nothing where it is none.
std::optional<uint64_t> whole(const json& value) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > INT64_MAX) return std::nullopt;
  return value.get<uint64_t>();
}

Result<StoredTensor> read_entry(const std::string& name, const json& value, uint64_t data, uint64_t total) {
  const auto refuse = [&](const std::string& what) {
    return refused_error(fmt::format("tensor {}: {}", in_quotes(name), what));
  };
  StoredTensor t;
  t.name = name;
  if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") || !value.contains("data_offsets"))
    return refuse("dtype, shape or data_offsets is missing");
  const json &dtype = value["dtype"], &shape = value["shape"], &offsets = value["data_offsets"];
  const std::string type_name = dtype.is_string() ? dtype.get<std::string>() : std::string();
  const auto type = std::ranges::find(kTypes, type_name, &NamedType::name);
  if (type == std::end(kTypes)) return refuse(fmt::format("dtype {} is not known", in_quotes(type_name)));
  t.dtype_name = type_name, t.dtype = type->dtype;
  if (!shape.is_array() || shape.size() > kMostAxes)
    return refuse(fmt::format("shape is no list of at most {} extents", kMostAxes));
  uint64_t bytes = static_cast<uint64_t>(type->bytes);
  for (const json& extent : shape) {
    const std::optional<uint64_t> number = whole(extent);
    if (!number) return refuse("shape holds what is no whole number from 0 on");
    if (__builtin_mul_overflow(bytes, *number, &bytes)) return refuse("its shape passes 64 bits");
    t.shape.push_back(static_cast<int64_t>(*number));
  }
  const bool pair = offsets.is_array() && offsets.size() == 2 && whole(offsets[0]) && whole(offsets[1]);
  const uint64_t begin = pair ? offsets[0].get<uint64_t>() : 0, end = pair ? offsets[1].get<uint64_t>() : 0;
  if (!pair || begin > end) return refuse("data_offsets are no two whole numbers in order");
  if (end > total - data)
    return refuse(fmt::format("its bytes end at {}, the file has {} bytes of tensors", end, total - data));
  if (end - begin != bytes)
    return refuse(fmt::format("{} of {} take {} bytes, data_offsets span {}", t.dtype_name, to_string(t.shape), bytes,
                              end - begin));
  t.begin = data + begin, t.end = data + end;
  return t;
}

/// The object, or why it is none; a key that is there twice at the top is refused.
Result<json> parse_object(std::string_view text) {
  if (json_depth(text) > kMostJsonDepth) return refused_error("the header nests too deep");
  std::set<std::string> keys;
  std::string twice;
  const auto watch = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::key && depth == 1 && !keys.insert(value.get<std::string>()).second &&
        twice.empty())
      twice = value.get<std::string>();
    return true;
  };
  json root = json::parse(text, watch, false);
  if (root.is_discarded() || !root.is_object()) return refused_error("the header is no JSON object");
  if (!twice.empty()) return refused_error(fmt::format("tensor {} is there twice", in_quotes(twice)));
  return root;
}

Result<void> read_at(const RegularFile& file, uint64_t offset, std::byte* to, uint64_t count) {
  while (count > 0) {
    const ssize_t got = pread(file.descriptor(), to, std::min<uint64_t>(count, 1 << 30), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return refused_error(got < 0 ? std::strerror(errno) : "the file has become shorter");
    to += got, offset += static_cast<uint64_t>(got), count -= static_cast<uint64_t>(got);
  }
  return {};
}

}  // namespace

Result<uint64_t> safetensors_header_bytes(std::string_view first_8, uint64_t total_bytes) {
  if (first_8.size() < kLength || total_bytes < kLength)
    return refused_error(
        fmt::format("{} bytes are no safetensors file, which begins with 8 bytes of length", total_bytes));
  uint64_t length = 0;
  for (size_t i = kLength; i-- > 0;) length = length << 8 | static_cast<unsigned char>(first_8[i]);
  if (length > kLargestHeader)
    return refused_error(fmt::format("the header says it has {} bytes, at most {} are read", length, kLargestHeader));
  if (length > total_bytes - kLength)
    return refused_error(
        fmt::format("the header says it has {} bytes, the file has {} behind it", length, total_bytes - kLength));
  return kLength + length;
}

Result<std::vector<StoredTensor>> parse_safetensors(std::string_view front, uint64_t total_bytes) {
  const Result<uint64_t> data = safetensors_header_bytes(front.substr(0, kLength), total_bytes);
  if (!data) return data.error();
  if (front.size() < *data) return refused_error("the header is cut off");
  const Result<json> root = parse_object(front.substr(kLength, *data - kLength));
  if (!root) return root.error();
  std::vector<StoredTensor> all;
  for (const auto& [name, value] : root->items()) {
    if (name == "__metadata__") continue;
    Result<StoredTensor> entry = read_entry(name, value, *data, total_bytes);
    if (!entry) return entry.error();
    all.push_back(*std::move(entry));
  }
  std::ranges::sort(all, [](const StoredTensor& a, const StoredTensor& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  uint64_t at = *data;
  const StoredTensor* before = nullptr;
  for (const StoredTensor& t : all) {
    if (t.begin < at)
      return refused_error(
          fmt::format("tensors {} and {} overlap at byte {}", in_quotes(before->name), in_quotes(t.name), t.begin));
    if (t.begin > at)
      return refused_error(
          fmt::format("bytes {} to {} before tensor {} belong to none", at, t.begin, in_quotes(t.name)));
    at = t.end, before = &t;
  }
  if (at != total_bytes)
    return refused_error(fmt::format("the tensors end at byte {}, the file has {} bytes", at, total_bytes));
  return all;
}

Result<void> WeightFile::add(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& what) {
    return refused_error(fmt::format("{}: {}", display_line(path.string()), what));
  };
  const Result<RegularFile> file = RegularFile::open(path);
  if (!file) return file.error();
  Result<std::string> front = read_front(path, kLength);
  if (!front) return front.error();
  const Result<uint64_t> header = safetensors_header_bytes(*front, file->size_bytes());
  if (!header) return refuse(header.error().message);
  front = read_front(path, *header);
  if (!front) return front.error();
  Result<std::vector<StoredTensor>> tensors = parse_safetensors(*front, file->size_bytes());
  if (!tensors) return refuse(tensors.error().message);
  for (StoredTensor& t : *tensors) entries_.push_back({std::move(t), path});
  return {};
}

Result<WeightFile> WeightFile::open(const std::filesystem::path& path) {
  WeightFile weights;
  std::vector<std::string> parts;
  std::vector<std::pair<std::string, std::string>> named;  // by an index: tensors and their files
  if (path.extension() == ".json") {
    const Result<std::string> text = read_file(path, kLargestHeader);
    if (!text) return text.error();
    const json root = parse_json(*text);
    const auto refuse = [&](const std::string& what) {
      return refused_error(fmt::format("{}: {}", display_line(path.string()), what));
    };
    if (!root.is_object() || !root.contains("weight_map") || !root["weight_map"].is_object())
      return refuse("is no index of weights: it has no object weight_map");
    for (const auto& [name, file] : root["weight_map"].items()) {
      const std::string part = file.is_string() ? file.get<std::string>() : std::string();
      if (part.empty() || std::filesystem::path(part).filename() != part)
        return refuse(fmt::format("tensor {} is in {}, which is no file beside it", in_quotes(name), in_quotes(part)));
      named.emplace_back(name, part);
      if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
      if (parts.size() > kMostFiles) return refuse(fmt::format("names more than {} files", kMostFiles));
    }
    for (const std::string& part : parts) {
      if (Result<void> added = weights.add(path.parent_path() / part); !added) return added.error();
    }
  } else if (Result<void> added = weights.add(path); !added) {
    return added.error();
  }
  const auto name = [](const Entry& e) -> const std::string& { return e.tensor.name; };
  std::ranges::sort(weights.entries_, {}, name);
  const auto twice = std::ranges::adjacent_find(weights.entries_, {}, name);
  if (twice != weights.entries_.end())
    return refused_error(fmt::format("{}: tensor {} is in two of its files", display_line(path.string()),
                                     in_quotes(twice->tensor.name)));
  for (const auto& [tensor, part] : named) {
    const auto at = std::ranges::lower_bound(weights.entries_, tensor, {}, name);
    if (at == weights.entries_.end() || at->tensor.name != tensor || at->file.filename() != part)
      return refused_error(fmt::format("{}: names tensor {} in {}, which does not have it", display_line(path.string()),
                                       in_quotes(tensor), in_quotes(part)));
  }
  return weights;
}

const StoredTensor* WeightFile::find(std::string_view name) const {
  const auto at =
      std::ranges::lower_bound(entries_, name, {}, [](const Entry& e) -> std::string_view { return e.tensor.name; });
  return at != entries_.end() && at->tensor.name == name ? &at->tensor : nullptr;
}

Result<Tensor> WeightFile::read(const StoredTensor& stored) const {
  const auto at = std::ranges::find_if(entries_, [&](const Entry& e) { return &e.tensor == &stored; });
  CHECK(at != entries_.end());
  const auto refuse = [&](const std::string& what) {
    return refused_error(
        fmt::format("{}: tensor {}: {}", display_line(at->file.string()), in_quotes(stored.name), what));
  };
  if (!stored.dtype) return refuse(fmt::format("{} is a type that the engine lacks", stored.dtype_name));
  Result<Tensor> tensor = Tensor::empty(TensorType::contiguous(*stored.dtype, stored.shape));
  if (!tensor) return refuse(tensor.error().message);
  const Result<RegularFile> file = RegularFile::open(at->file);
  if (!file) return file.error();
  if (Result<void> got = read_at(*file, stored.begin, tensor->data(), stored.end - stored.begin); !got)
    return refuse(got.error().message);
  return tensor;
}

}  // namespace engine
