// SPDX-License-Identifier: Apache-2.0
// Reads one protobuf message from a file that may be anything.
#include "engine/onnx/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <optional>

#include "engine/onnx/text.h"

namespace engine::onnx {
namespace {

namespace fs = std::filesystem;

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::FileInputStream;

/// Some hundred times what the largest published models have.
constexpr int64_t kMostFields = 4'000'000;
/// The parser refuses messages nested deeper (its default).
constexpr int kDeepest = 100;
constexpr uintmax_t kLargestMessage = std::numeric_limits<int32_t>::max();

/// Looks before opening: opening a FIFO would wait for a writer.
Result<void> check_regular(const fs::path& file, const std::string& shown) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) {
    return refused_error(fmt::format("{}: no such file", shown));
  }
  if (error) return refused_error(fmt::format("{}: {}", shown, error.message()));
  if (fs::is_directory(status)) return refused_error(fmt::format("{}: is a directory", shown));
  if (!fs::is_regular_file(status)) {
    return refused_error(fmt::format("{}: is no regular file but a pipe, a socket or a device", shown));
  }
  const uintmax_t size = fs::file_size(file, error);
  if (error) return refused_error(fmt::format("{}: {}", shown, error.message()));
  if (size == 0) return refused_error(fmt::format("{}: the file is empty", shown));
  if (size > kLargestMessage) {
    return refused_error(
        fmt::format("{}: has {} bytes; a protobuf message has at most {}", shown, size, kLargestMessage));
  }
  return {};
}

/// Fields that are messages of many fields themselves, on the way from a model to its attributes.
enum class Level { model, training, function, graph, node, attribute };

/// The level below a field; nothing for fields that need no look inside.
std::optional<Level> below(Level level, int field) {
  using ::onnx::AttributeProto, ::onnx::GraphProto, ::onnx::ModelProto, ::onnx::NodeProto;
  using ::onnx::FunctionProto, ::onnx::TrainingInfoProto;
  if (level == Level::model && field == ModelProto::kTrainingInfoFieldNumber) return Level::training;
  if (level == Level::model && field == ModelProto::kFunctionsFieldNumber) return Level::function;
  if (level == Level::training &&
      (field == TrainingInfoProto::kInitializationFieldNumber || field == TrainingInfoProto::kAlgorithmFieldNumber))
    return Level::graph;
  if (level == Level::function && field == FunctionProto::kNodeFieldNumber) return Level::node;
  if (level == Level::function && field == FunctionProto::kAttributeProtoFieldNumber) return Level::attribute;
  if (level == Level::model && field == ModelProto::kGraphFieldNumber) return Level::graph;
  if (level == Level::graph && field == GraphProto::kNodeFieldNumber) return Level::node;
  if (level == Level::node && field == NodeProto::kAttributeFieldNumber) return Level::attribute;
  const bool is_graph = field == AttributeProto::kGFieldNumber || field == AttributeProto::kGraphsFieldNumber;
  if (level == Level::attribute && is_graph) return Level::graph;
  return std::nullopt;
}

/// Counts fields down to attributes into `count`; false when there are more than kMostFields or the
/// bytes are no protobuf message.
bool count_fields(CodedInputStream& stream, Level level, int64_t& count, int depth = 0) {
  if (depth > kDeepest) return false;
  while (const uint32_t tag = stream.ReadTag()) {
    if (++count > kMostFields) return false;
    const std::optional<Level> inner = below(level, WireFormatLite::GetTagFieldNumber(tag));
    if (!inner || WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&stream, tag)) return false;
      continue;
    }
    int size = 0;
    if (!stream.ReadVarintSizeAsInt(&size)) return false;
    const CodedInputStream::Limit limit = stream.PushLimit(size);
    if (!count_fields(stream, *inner, count, depth + 1) || stream.BytesUntilLimit() != 0) return false;
    stream.PopLimit(limit);
  }
  return stream.ConsumedEntireMessage();
}

/// Two bytes of file can become a message of 150 bytes in memory, so that a small file could ask
/// for all memory there is.
Result<void> check_field_count(FileInputStream& file, const std::string& shown) {
  CodedInputStream stream(&file);
  int64_t count = 0;
  if (count_fields(stream, Level::model, count) || count <= kMostFields)
    return {};  // other faults: the parser's to tell
  return refused_error(
      fmt::format("{}: has more than {} fields in its graph, nodes and attributes; more than any "
                  "known model has",
                  shown, kMostFields));
}

/// A file descriptor that closes itself.
struct Descriptor {
  int number;
  ~Descriptor() { ::close(number); }
};

/// Whether a file that could not be read can be where messages may lie deeper in one another.
bool nests_too_deep(int file, google::protobuf::MessageLite& message) {
  constexpr int kDeeper = 2000;
  try {
    FileInputStream stream(file);
    google::protobuf::io::CodedInputStream coded(&stream);
    coded.SetRecursionLimit(kDeeper);
    const bool read = message.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
    message.Clear();
    return read;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Result<void> read_message(const fs::path& file, std::string_view what, bool is_model,
                          google::protobuf::MessageLite& message) {
  const std::string shown = printable(file.string());
  if (Result<void> regular = check_regular(file, shown); !regular) return regular;
  const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) return refused_error(fmt::format("{}: {}", shown, std::strerror(errno)));
  const Descriptor descriptor{opened};
  if (is_model) {
    FileInputStream stream(descriptor.number);
    if (Result<void> plausible = check_field_count(stream, shown); !plausible) return plausible;
    if (::lseek(descriptor.number, 0, SEEK_SET) != 0)
      return refused_error(fmt::format("{}: {}", shown, std::strerror(errno)));
  }
  try {
    FileInputStream stream(descriptor.number);
    if (message.ParseFromZeroCopyStream(&stream)) return {};
    if (stream.GetErrno() != 0) return refused_error(fmt::format("{}: {}", shown, std::strerror(stream.GetErrno())));
  } catch (const std::bad_alloc&) {
    return refused_error(fmt::format("{}: reading it needs more memory than there is", shown));
  }
  if (::lseek(descriptor.number, 0, SEEK_SET) == 0 && nests_too_deep(descriptor.number, message)) {
    return refused_error(
        fmt::format("{}: messages are nested more than {} deep, which is the limit. A graph in a "
                    "branch or body of another adds three",
                    shown, google::protobuf::io::CodedInputStream::GetDefaultRecursionLimit()));
  }
  return refused_error(
      fmt::format("{}: is no {}, or is truncated: its bytes are no valid protobuf message", shown, what));
}

}  // namespace

Result<void> read_model(const fs::path& file, ::onnx::ModelProto& model) {
  return read_message(file, "ONNX model", true, model);
}

Result<void> read_tensor(const fs::path& file, ::onnx::TensorProto& tensor) {
  return read_message(file, "ONNX tensor", false, tensor);
}

}  // namespace engine::onnx
