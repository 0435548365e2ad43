// SPDX-License-Identifier: Apache-2.0
// Decodes by libpng and libjpeg, whose limits are ours: sizes are looked at before anything is made of them.
#include "engine/files/picture.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs FILE
#include <optional>

#include <jpeglib.h>

#include "engine/base/display_text.h"
#include "engine/base/read_file.h"
#include "engine/tensor/element.h"

namespace engine {
namespace {

constexpr uint64_t kLargestFile = uint64_t{1} << 30;
constexpr int64_t kMostPixels = int64_t{1} << 26;

Result<void> check_size(int64_t width, int64_t height) {
  if (width > 0 && height > 0 && width <= kMostPixels / height) return {};
  return refused_error(fmt::format("it has {} x {} pixels; between 1 and {} are read", width, height, kMostPixels));
}

Result<Picture> read_png(const std::string& bytes, int64_t channels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0)
    return refused_error(fmt::format("it is no PNG that can be read: {}", image.message));
  if (Result<void> fits = check_size(image.width, image.height); !fits) {
    png_image_free(&image);
    return fits.error();
  }
  // Else libpng takes samples of 16 bits for linear light, and makes them brighter.
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  // With the alpha channel, which is dropped afterwards: without it libpng would mix in a background.
  const auto with_alpha = static_cast<size_t>(channels) + 1;
  image.format = channels == 1 ? PNG_FORMAT_GA : PNG_FORMAT_RGBA;
  Picture picture{image.width, image.height, channels, {}};
  std::vector<uint8_t> read(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, read.data(), 0, nullptr) == 0)
    return refused_error(fmt::format("it is truncated or damaged: {}", image.message));
  const auto pixels = static_cast<size_t>(picture.width * picture.height);
  picture.pixels.resize(pixels * static_cast<size_t>(channels));
  for (size_t i = 0; i < pixels; ++i)
    std::copy_n(&read[i * with_alpha], channels, &picture.pixels[i * static_cast<size_t>(channels)]);
  return picture;
}

/// libjpeg reports errors through a function that must not come back.
struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void leave_jpeg(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  errors->manager.format_message(info, errors->message);
  std::longjmp(errors->back, 1);
}

/// Keeps the first warning; libjpeg would print it and go on with grey.
void note_jpeg(j_common_ptr info, int level) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  if (level < 0 && errors->manager.num_warnings++ == 0) errors->manager.format_message(info, errors->message);
}

/// Decodes into `pixels`; all that has a destructor is the caller's, for an error jumps over this function's end.
bool decode_jpeg(jpeg_decompress_struct& info, JpegErrors& errors, const std::string& bytes, Picture& picture,
                 std::optional<Error>& why) {
  if (setjmp(errors.back) != 0) return false;
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  if (Result<void> fits = check_size(info.image_width, info.image_height); !fits) {
    why = fits.error();
    return false;
  }
  info.out_color_space = picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(&info);
  picture.width = info.output_width, picture.height = info.output_height;
  const auto row = static_cast<size_t>(picture.width * picture.channels);
  picture.pixels.resize(row * static_cast<size_t>(picture.height));
  while (info.output_scanline < info.output_height) {
    JSAMPROW line = picture.pixels.data() + row * info.output_scanline;
    jpeg_read_scanlines(&info, &line, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

Result<Picture> read_jpeg(const std::string& bytes, int64_t channels) {
  Picture picture{0, 0, channels, {}};
  jpeg_decompress_struct info{};
  JpegErrors errors{};
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = leave_jpeg;
  errors.manager.emit_message = note_jpeg;
  std::optional<Error> why;
  const bool read = decode_jpeg(info, errors, bytes, picture, why);
  jpeg_destroy_decompress(&info);
  if (why) return *why;
  if (!read) return refused_error(fmt::format("it is no JPEG that can be read: {}", errors.message));
  if (errors.manager.num_warnings > 0)
    return refused_error(fmt::format("it is truncated or damaged: {}", errors.message));
  return picture;
}

}  // namespace

bool names_picture(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

Result<Picture> read_picture(const std::filesystem::path& path, int64_t channels) {
  CHECK(channels == 1 || channels == 3);
  const Result<std::string> bytes = read_file(path, kLargestFile);
  if (!bytes) return bytes.error();
  const bool png = bytes->starts_with("\x89PNG"), jpeg = bytes->starts_with("\xff\xd8");
  Result<Picture> picture = png    ? read_png(*bytes, channels)
                            : jpeg ? read_jpeg(*bytes, channels)
                                   : refused_error("it is neither a PNG nor a JPEG picture");
  if (picture) return picture;
  return refused_error(fmt::format("{}: {}", display_line(path.native()), display_line(picture.error().message, 300)));
}

Shape PictureAxes::shape_for(int64_t height, int64_t width, int64_t rank) const {
  Shape shape = channels_first ? Shape{channels, height, width} : Shape{height, width, channels};
  if (rank == 4) shape.insert(shape.begin(), 1);
  return shape;
}

Result<PictureAxes> picture_axes(const Shape& open_shape) {
  if (open_shape.size() != 3 && open_shape.size() != 4) {
    return refused_error(fmt::format("a picture needs an input of 3 or 4 axes, this one has {}", open_shape.size()));
  }
  const auto is_channels = [](int64_t extent) { return extent == 1 || extent == 3; };
  const int64_t first = open_shape[open_shape.size() - 3], last = open_shape.back();
  if (is_channels(first)) return PictureAxes{true, first};
  if (is_channels(last)) return PictureAxes{false, last};
  return refused_error(fmt::format(
      "a picture has 1 or 3 channels, the input has {} before height and width and {} behind them; give a .npy file",
      first < 0 ? "an open extent" : std::to_string(first), last < 0 ? "an open extent" : std::to_string(last)));
}

Result<Tensor> picture_tensor(const Picture& picture, const PictureAxes& axes, int64_t rank, DType dtype,
                              const PixelScale& pixels) {
  if (!is_floating(dtype) && dtype != DType::uint8)
    return refused_error(fmt::format("a picture needs an input of floats or u8, this one is of {}", name(dtype)));
  for (const auto& [what, numbers] : {std::pair("means", &pixels.mean), std::pair("scales", &pixels.scale)}) {
    if (numbers->size() == 1 || numbers->size() == static_cast<size_t>(picture.channels)) continue;
    return usage_error(fmt::format("{} {} are given for {} channels; give 1 or {}", numbers->size(), what,
                                   picture.channels, picture.channels));
  }
  Result<Tensor> tensor =
      Tensor::empty(TensorType::contiguous(dtype, axes.shape_for(picture.height, picture.width, rank)));
  if (!tensor) return tensor;
  const auto channels = static_cast<size_t>(picture.channels);
  const size_t places = picture.pixels.size() / channels;
  const auto size = static_cast<size_t>(size_bytes(dtype));
  for (size_t place = 0; place < places; ++place) {
    for (size_t c = 0; c < channels; ++c) {
      const double mean = pixels.mean[pixels.mean.size() == 1 ? 0 : c];
      const double scale = pixels.scale[pixels.scale.size() == 1 ? 0 : c];
      const double value = (picture.pixels[place * channels + c] - mean) * scale;
      if (dtype == DType::uint8 && (value < 0 || value > 255 || value != std::floor(value)))
        return usage_error(fmt::format("pixel value {} becomes {}, which u8 does not hold; leave means and scales out",
                                       picture.pixels[place * channels + c], value));
      const size_t at = axes.channels_first ? c * places + place : place * channels + c;
      store_element(dtype, tensor->data() + at * size, value);
    }
  }
  return tensor;
}

}  // namespace engine
