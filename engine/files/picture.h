// SPDX-License-Identifier: Apache-2.0
// Pictures (PNG, JPEG) as inputs of a model: pixels in, a tensor of numbers out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/tensor.h"

namespace engine {

/// 8-bit pixels, row by row, colours side by side.
struct Picture {
  int64_t width = 0, height = 0;
  int64_t channels = 0;  ///< 1: grey; 3: red, green, blue
  std::vector<uint8_t> pixels;
};

/// Whether the name ends as a picture's does: .png, .jpg, .jpeg, in any case.
bool names_picture(const std::filesystem::path&);
/// `channels`: 1 or 3; colours become grey by ITU-R BT.601 (0.299, 0.587, 0.114), grey becomes three equal colours.
/// Samples stay as they are: a gamma that a PNG notes is not applied. An alpha channel is dropped; the turn that a
/// camera noted (EXIF) is not applied. Refused (naming the file): neither PNG nor JPEG, more than 2^26 pixels,
/// truncated or damaged, CMYK.
Result<Picture> read_picture(const std::filesystem::path&, int64_t channels);

/// value = (pixel - mean) * scale, pixel 0 to 255; one number for all channels, or one for each.
struct PixelScale {
  std::vector<double> mean = {0};
  std::vector<double> scale = {1.0 / 255};
  /// The pixels as they are.
  static PixelScale none() { return {{0}, {1}}; }
};

/// Where a picture's axes lie in a tensor of 3 or 4 axes (the batch first).
struct PictureAxes {
  bool channels_first = true;
  int64_t channels = 3;
  Shape shape_for(int64_t height, int64_t width, int64_t rank) const;
};
/// By the extents, open ones -1: channels are the extent of 1 or 3 before height and width, else the last one. Refused:
/// no such extent, a rank other than 3 or 4.
Result<PictureAxes> picture_axes(const Shape& open_shape);

/// A row-major tensor with one picture of the axes' layout. Refused: means or scales that are not one or one for each
/// channel, a dtype that is neither floating nor u8, values that u8 does not hold.
Result<Tensor> picture_tensor(const Picture&, const PictureAxes&, int64_t rank, DType, const PixelScale&);

}  // namespace engine
