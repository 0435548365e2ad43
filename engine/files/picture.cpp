// SPDX-License-Identifier: Apache-2.0
// Decodes by libpng and libjpeg, whose limits are ours: sizes are looked at before anything is made of them.
#include "engine/files/picture.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs FILE
#include <cstring>
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

/// What libpng reads from, and what it says of errors: through a function that must not come back.
struct PngState {
  const std::string& bytes;
  size_t read = 0;
  std::array<char, 200> message = {};
};

/// Given back whatever happens.
struct PngReader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  PngReader() = default;
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void leave_png(png_structp png, png_const_charp message) {
  auto* state = static_cast<PngState*>(png_get_error_ptr(png));
  std::strncpy(state->message.data(), message, state->message.size() - 1);
  png_longjmp(png, 1);
}

void ignore_png(png_structp, png_const_charp) {}

void feed_png(png_structp png, png_bytep to, size_t count) {
  auto* state = static_cast<PngState*>(png_get_io_ptr(png));
  if (count > state->bytes.size() - state->read) png_error(png, "the file ends too early");
  std::copy_n(state->bytes.begin() + static_cast<ptrdiff_t>(state->read), count, to);
  state->read += count;
}

/// Decodes into `pixels`; all that has a destructor is the caller's, for an error jumps over this function's end. The
/// samples as they are: no gamma is applied (as Pillow and torchvision do), alpha is dropped, 16 bits become 8.
bool decode_png(png_structp png, png_infop info, Picture& picture, std::vector<png_bytep>& rows,
                std::optional<Error>& why) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_read_info(png, info);
  picture.width = png_get_image_width(png, info), picture.height = png_get_image_height(png, info);
  if (Result<void> fits = check_size(picture.width, picture.height); !fits) {
    why = fits.error();
    return false;
  }
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  picture.channels = png_get_channels(png, info);
  const auto row = static_cast<size_t>(picture.width * picture.channels);
  if (png_get_rowbytes(png, info) != row) png_error(png, "its rows have another length than its pixels");
  picture.pixels.resize(row * static_cast<size_t>(picture.height));
  rows.resize(static_cast<size_t>(picture.height));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = picture.pixels.data() + i * row;
  png_read_image(png, rows.data());
  return true;
}

/// Of colours what ITU-R BT.601 takes for their brightness, as JPEG does; of grey three times the same.
void change_channels(Picture& picture, int64_t channels) {
  if (picture.channels == channels) return;
  const std::vector<uint8_t> from = std::move(picture.pixels);
  picture.pixels.clear();
  for (size_t i = 0; i < from.size(); i += static_cast<size_t>(picture.channels)) {
    if (channels == 3) picture.pixels.insert(picture.pixels.end(), 3, from[i]);
    else
      picture.pixels.push_back(
          static_cast<uint8_t>((299 * from[i] + 587 * from[i + 1] + 114 * from[i + 2] + 500) / 1000));
  }
  picture.channels = channels;
}

Result<Picture> read_png(const std::string& bytes, int64_t channels) {
  PngState state{bytes};
  PngReader reader;
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &state, leave_png, ignore_png);
  if (reader.png != nullptr) reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr) return refused_error("reading it needs more memory than there is");
  png_set_read_fn(reader.png, &state, feed_png);
  Picture picture;
  std::vector<png_bytep> rows;
  std::optional<Error> why;
  const bool read = decode_png(reader.png, reader.info, picture, rows, why);
  if (why) return *why;
  if (!read) return refused_error(fmt::format("it is truncated or damaged: {}", state.message.data()));
  change_channels(picture, channels);
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
