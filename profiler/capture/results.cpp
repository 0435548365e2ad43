// SPDX-License-Identifier: Apache-2.0
// Sums results up in one pass over their bytes, by dtype.
#include "profiler/capture/results.h"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "engine/base/check.h"

namespace profiler {
namespace {

using engine::DType;

/// Calls f with a function from the address of an element to its value as double.
template <class F>
void with_reader(DType dtype, F&& f) {
  const auto plain = [&]<class T>(std::type_identity<T>) {
    f([](const std::byte* at) {
      T value;
      std::memcpy(&value, at, sizeof value);
      return static_cast<double>(value);
    });
  };
  const auto halves = [&](float (*widen)(uint16_t)) {
    f([widen](const std::byte* at) {
      uint16_t bits = 0;
      std::memcpy(&bits, at, sizeof bits);
      return static_cast<double>(widen(bits));
    });
  };
  switch (dtype) {
    case DType::float64: return plain(std::type_identity<double>());
    case DType::float32: return plain(std::type_identity<float>());
    case DType::bfloat16: return halves(&engine::bfloat16_to_float);
    case DType::float16: return halves(&engine::half_to_float);
    case DType::int64: return plain(std::type_identity<int64_t>());
    case DType::int32: return plain(std::type_identity<int32_t>());
    case DType::int8: return plain(std::type_identity<int8_t>());
    case DType::uint8:
    case DType::boolean: return plain(std::type_identity<uint8_t>());
  }
}

int64_t place_of(int64_t i, int64_t kept, int64_t elements) {
  return kept >= elements ? i : i * (elements / kept) + i * (elements % kept) / kept;
}

}  // namespace

struct ResultSummary::State {
  XXH3_state_t* xxh3 = XXH3_createState();
  ResultRecord record;
  int64_t kept = 0, taken = 0;  // elements to keep, and kept so far
  int64_t seen = 0;
  double sum = 0, squares = 0;
  ~State() { XXH3_freeState(xxh3); }

  void keep(const std::byte* element, DType dtype, double value) {
    if (dtype == record.dtype) {
      record.kept.append(reinterpret_cast<const char*>(element), static_cast<size_t>(engine::size_bytes(dtype)));
    } else {
      CHECK(record.dtype == DType::float64);
      record.kept.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    ++taken;
  }
};

ResultSummary::ResultSummary(DType kept_as, int64_t elements, bool whole) : state_(std::make_unique<State>()) {
  XXH3_64bits_reset(state_->xxh3);
  state_->record.dtype = kept_as;
  state_->record.elements = elements;
  state_->kept = whole ? elements : std::min(elements, kKeptElements);
  state_->record.kept.reserve(static_cast<size_t>(state_->kept * engine::size_bytes(kept_as)));
}

ResultSummary::~ResultSummary() = default;

engine::Result<void> ResultSummary::add(const engine::Tensor& tensor) {
  const engine::Result<engine::Tensor> row_major = tensor.contiguous();
  if (!row_major) return row_major.error();
  State& s = *state_;
  ResultRecord& r = s.record;
  const DType dtype = tensor.dtype();
  const int64_t elements = tensor.type().elements(), width = engine::size_bytes(dtype);
  if (elements == 0) return {};
  const std::byte* data = row_major->data();
  XXH3_64bits_update(s.xxh3, data, static_cast<size_t>(elements * width));
  with_reader(dtype, [&](auto read) {
    for (int64_t i = 0; i < elements; ++i) {
      const std::byte* at = data + i * width;
      const double value = read(at);
      if (s.taken < s.kept && place_of(s.taken, s.kept, r.elements) == s.seen + i) s.keep(at, dtype, value);
      if (!std::isfinite(value)) {
        ++r.not_finite;
        continue;
      }
      if (!(value >= r.least)) r.least = value;  // the first one, too: NaN compares false
      if (!(value <= r.most)) r.most = value;
      s.sum += value;
      s.squares += static_cast<long double>(value) * value;
    }
  });
  s.seen += elements;
  return {};
}

ResultRecord ResultSummary::finish() && {
  State& s = *state_;
  CHECK(s.seen == s.record.elements && s.taken == s.kept);
  s.record.checksum = XXH3_64bits_digest(s.xxh3);
  const int64_t finite = s.record.elements - s.record.not_finite;
  if (finite > 0) {
    s.record.mean = s.sum / static_cast<double>(finite);
    s.record.norm = static_cast<double>(std::sqrt(s.squares));
  }
  return std::move(s.record);
}

engine::Result<ResultRecord> summarize_result(const engine::Tensor& host) {
  const int64_t elements = host.type().elements(), bytes = elements * engine::size_bytes(host.dtype());
  ResultSummary summary(host.dtype(), elements, bytes <= kWholeResultBytes);
  if (engine::Result<void> added = summary.add(host); !added) return added.error();
  return std::move(summary).finish();
}

namespace {

/// Results of recorded steps come first.
size_t count_of_steps(const Capture& capture) {
  uint32_t last = 0;
  for (const StepRecord& step : capture.steps()) last = std::max(last, step.index);
  if (capture.steps().empty()) return capture.results().size();
  const auto behind = std::ranges::find_if(capture.results(), [last](const ResultRecord& r) { return r.step > last; });
  return static_cast<size_t>(behind - capture.results().begin());
}

}  // namespace

std::span<const ResultRecord> step_results(const Capture& capture) {
  return std::span(capture.results()).first(count_of_steps(capture));
}

std::span<const ResultRecord> tensor_values(const Capture& capture) {
  return std::span(capture.results()).subspan(count_of_steps(capture));
}

int64_t kept_count(const ResultRecord& r) { return static_cast<int64_t>(r.kept.size()) / engine::size_bytes(r.dtype); }

int64_t kept_place(const ResultRecord& r, int64_t i) { return place_of(i, kept_count(r), r.elements); }

double kept_value(const ResultRecord& r, int64_t i) {
  CHECK(i >= 0 && i < kept_count(r));
  double value = 0;
  const auto* at = reinterpret_cast<const std::byte*>(r.kept.data()) + i * engine::size_bytes(r.dtype);
  with_reader(r.dtype, [&](auto read) { value = read(at); });
  return value;
}

bool is_whole(const ResultRecord& r) { return kept_count(r) == r.elements; }

std::string result_name(const Capture& capture, const ResultRecord& r) {
  return r.tensor == kNoTensor ? "all parameters" : std::string(capture.name(capture.tensors()[r.tensor].name));
}

bool steps_repeat(const Capture& capture) {
  return std::ranges::none_of(capture.operands(), [&](const OperandRecord& operand) {
    const TensorRecord& tensor = capture.tensors()[operand.tensor];
    const bool owner_persists = tensor.alias_of != kNoTensor && capture.tensors()[tensor.alias_of].persistent;
    return operand.output && operand.written_bytes > 0 && (tensor.persistent || owner_persists);
  });
}

}  // namespace profiler
