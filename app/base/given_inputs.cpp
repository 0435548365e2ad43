// SPDX-License-Identifier: Apache-2.0
// Finds which file is for which input, and reads each by its kind.
#include "app/base/given_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "engine/base/nearest_name.h"
#include "engine/files/npy.h"
#include "engine/files/picture.h"
#include "engine/onnx/import.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::Error;
using engine::Result;
using engine::Tensor;
using engine::usage_error;

std::string listed(std::span<const InputSlot> slots) {
  std::vector<std::string> names;
  for (const InputSlot& slot : slots) names.push_back(slot.name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

const InputSlot* find_slot(std::span<const InputSlot> slots, const std::string& name) {
  const auto found = std::ranges::find(slots, name, &InputSlot::name);
  return found == slots.end() ? nullptr : &*found;
}

/// The file is named once: many messages of readers begin with it.
Error about(const std::string& word, const std::string& file, const Error& error) {
  const size_t from = error.message.starts_with(file + ": ") ? file.size() + 2 : 0;
  return {error.kind, fmt::format("[--input] {}: {}", word, error.message.substr(from))};
}

/// A picture in the slot's layout, of its own size where the slot leaves it open.
Result<Tensor> read_picture_for(const InputSlot& slot, const fs::path& file, const GivenInputs& given) {
  if (!slot.dtype) return usage_error(fmt::format("input {} is no tensor that a picture could be", slot.name));
  const Result<engine::PictureAxes> axes = engine::picture_axes(slot.extents);
  if (!axes) return usage_error(fmt::format("input {}: {}", slot.name, axes.error().message));
  const Result<engine::Picture> picture = engine::read_picture(file, axes->channels);
  if (!picture) return picture.error();
  const auto rank = static_cast<int64_t>(slot.extents.size());
  const engine::Shape shape = axes->shape_for(picture->height, picture->width, rank);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const int64_t wanted = slot.extents[axis];
    if (wanted < 0 || wanted == shape[axis]) continue;
    if (axis == 0 && rank == 4)
      return usage_error(
          fmt::format("input {} takes a batch of {}, a picture is one sample; give a .npy file", slot.name, wanted));
    return usage_error(fmt::format(
        "input {} takes {}, the picture has {} x {} pixels (width x height) and becomes {}; resize the picture",
        slot.name, engine::to_string(slot.extents), picture->width, picture->height, engine::to_string(shape)));
  }
  engine::PixelScale pixels = *slot.dtype == engine::DType::uint8 ? engine::PixelScale::none() : engine::PixelScale();
  if (!given.mean.empty()) pixels.mean = given.mean;
  if (!given.scale.empty()) pixels.scale = given.scale;
  return engine::picture_tensor(*picture, *axes, rank, *slot.dtype, pixels);
}

/// The array of that name, else the only one.
Result<Tensor> read_array_of(const InputSlot& slot, const fs::path& file) {
  const Result<std::vector<std::string>> names = engine::npz_names(file);
  if (!names) return names.error();
  if (std::ranges::find(*names, slot.name) != names->end()) return engine::read_npz(file, slot.name);
  if (names->size() == 1) return engine::read_npz(file, names->front());
  return usage_error(fmt::format("{} has no array {}; it has {}", file.string(), slot.name, fmt::join(*names, ", ")));
}

Result<Tensor> read_for(const InputSlot& slot, const fs::path& file, const GivenInputs& given) {
  const std::string ending = file.extension().string();
  if (engine::names_picture(file)) return read_picture_for(slot, file, given);
  if (ending == ".npy") return engine::read_npy(file);
  if (ending == ".npz") return read_array_of(slot, file);
  if (ending == ".pb") return engine::onnx::load_tensor(file);
  return usage_error(fmt::format("{} is no input file; .npy, .npz, .pb, .png and .jpg are", file.string()));
}

/// input_K.pb in the order of the slots, or NAME.npy.
Result<std::vector<InputTensor>> read_folder(const fs::path& folder, std::span<const InputSlot> slots,
                                             const GivenInputs& given) {
  std::vector<InputTensor> found;
  std::error_code code;
  size_t numbered = 0;
  while (fs::exists(folder / fmt::format("input_{}.pb", numbered), code)) ++numbered;
  if (numbered > slots.size()) {
    return usage_error(
        fmt::format("{} has {} inputs, the model has {} ({})", folder.string(), numbered, slots.size(), listed(slots)));
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    fs::path file = i < numbered ? folder / fmt::format("input_{}.pb", i) : folder / (slots[i].name + ".npy");
    const bool plain = slots[i].name.find('/') == std::string::npos;
    if (i >= numbered && (!plain || !fs::exists(file, code))) continue;
    Result<Tensor> tensor = read_for(slots[i], file, given);
    if (!tensor) return tensor.error();
    found.push_back({slots[i].name, *std::move(tensor), file.string()});
  }
  if (!found.empty() || slots.empty()) return found;
  return usage_error(
      fmt::format("{} has neither input_0.pb nor NAME.npy for one of the inputs {}", folder.string(), listed(slots)));
}

/// A file or folder that names no input.
Result<std::vector<InputTensor>> read_unnamed(const fs::path& file, std::span<const InputSlot> slots,
                                              const GivenInputs& given) {
  std::error_code code;
  if (fs::is_directory(file, code)) return read_folder(file, slots, given);
  if (file.extension() == ".npz" && slots.size() != 1) {
    const Result<std::vector<std::string>> names = engine::npz_names(file);
    if (!names) return names.error();
    std::vector<InputTensor> found;
    for (const std::string& name : *names) {
      if (find_slot(slots, name) == nullptr)
        return usage_error(
            fmt::format("{} has an array {}, the model's inputs are {}", file.string(), name, listed(slots)));
      Result<Tensor> tensor = engine::read_npz(file, name);
      if (!tensor) return tensor.error();
      found.push_back({name, *std::move(tensor), file.string()});
    }
    return found;
  }
  if (slots.size() != 1) {
    return usage_error(fmt::format("the model has {} inputs ({}); say which, as in --input {}={}", slots.size(),
                                   listed(slots), slots.empty() ? "NAME" : slots.front().name, file.string()));
  }
  Result<Tensor> tensor = read_for(slots.front(), file, given);
  if (!tensor) return tensor.error();
  return std::vector<InputTensor>{{slots.front().name, *std::move(tensor), file.string()}};
}

}  // namespace

InputWord split_input(const std::string& word) {
  const size_t equals = word.find('=');
  std::error_code code;
  if (equals == std::string::npos || equals == 0 || fs::exists(word, code)) return {{}, word};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

std::string join_input(const InputWord& word) { return word.name.empty() ? word.file : word.name + "=" + word.file; }

Result<std::vector<InputTensor>> read_inputs(const GivenInputs& given, std::span<const InputSlot> slots) {
  std::vector<InputTensor> all;
  for (const std::string& word : given.files) {
    const InputWord split = split_input(word);
    Result<std::vector<InputTensor>> read = std::vector<InputTensor>{};
    if (split.name.empty()) {
      read = read_unnamed(split.file, slots, given);
    } else if (const InputSlot* slot = find_slot(slots, split.name); slot != nullptr) {
      Result<Tensor> tensor = read_for(*slot, split.file, given);
      if (!tensor) return about(word, split.file, tensor.error());
      read->push_back({slot->name, *std::move(tensor), split.file});
    } else {
      std::vector<std::string> names;
      for (const InputSlot& each : slots) names.push_back(each.name);
      return usage_error(fmt::format("[--input] {}: there is no input {}{} The inputs are {}", word, split.name,
                                     names.empty() ? "." : engine::did_you_mean(split.name, names), listed(slots)));
    }
    if (!read) return about(word, split.file, read.error());
    for (InputTensor& input : *read) {
      const auto before = std::ranges::find(all, input.name, &InputTensor::name);
      if (before != all.end())
        return usage_error(fmt::format("[--input] {} is given twice, by {} and {}: leave one of them out", input.name,
                                       before->file, input.file));
      all.push_back(std::move(input));
    }
  }
  return all;
}

Result<std::vector<double>> parse_reals(const std::string& flag, const std::string& text) {
  std::vector<double> numbers;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    double number = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, number);
    if (error != std::errc() || stop != text.data() + end || !std::isfinite(number)) {
      return usage_error(fmt::format("[{}] \"{}\" is no number and no list such as 0.485,0.456,0.406", flag, text));
    }
    numbers.push_back(number);
    begin = end + 1;
  }
  return numbers;
}

}  // namespace app
