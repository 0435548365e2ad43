// SPDX-License-Identifier: Apache-2.0
// Pictures become tensors: pixels exact from PNG, near from JPEG, in the layout of the input; damaged ones are refused.
#include "engine/files/picture.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <jpeglib.h>
#include "tests/support/temporary_folder.h"

namespace engine {
namespace {

namespace fs = std::filesystem;

std::string written(const std::string& name, const std::string& bytes) {
  static const tests::TemporaryFolder folder;
  tests::write_bytes(folder / name, bytes);
  return (folder / name).string();
}

std::string png(uint32_t width, uint32_t height, uint32_t format, const std::vector<uint8_t>& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width, image.height = height, image.format = format;
  png_alloc_size_t size = 0;
  EXPECT_NE(png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data(), 0, nullptr), 0);
  std::string bytes(size, '\0');
  EXPECT_NE(png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr), 0);
  bytes.resize(size);
  return bytes;
}

/// One row of RGB samples of 16 or 8 bits; gamma 0: without a word on it.
std::string row_png(int depth, double gamma, const std::vector<uint16_t>& samples) {
  std::string bytes;
  png_structp file = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(file);
  png_set_write_fn(
      file, &bytes,
      [](png_structp of, png_bytep data, size_t count) {
        static_cast<std::string*>(png_get_io_ptr(of))->append(reinterpret_cast<const char*>(data), count);
      },
      nullptr);
  png_set_IHDR(file, info, static_cast<uint32_t>(samples.size() / 3), 1, depth, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (gamma > 0) png_set_gAMA(file, info, gamma);
  png_write_info(file, info);
  std::vector<uint8_t> row;
  for (const uint16_t sample : samples) {
    if (depth == 16) row.push_back(static_cast<uint8_t>(sample >> 8));
    row.push_back(static_cast<uint8_t>(sample & 255));
  }
  png_write_row(file, row.data());
  png_write_end(file, nullptr);
  png_destroy_write_struct(&file, &info);
  return bytes;
}

std::string jpeg(uint32_t width, uint32_t height, std::vector<uint8_t> pixels) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* made = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &made, &size);
  info.image_width = width, info.image_height = height;
  info.input_components = 3, info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < height) {
    JSAMPROW row = pixels.data() + size_t{3} * width * info.next_scanline;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string bytes(reinterpret_cast<char*>(made), size);
  std::free(made);
  return bytes;
}

TEST(Picture, APngIsReadPixelByPixelWithoutItsAlpha) {
  const std::vector<uint8_t> pixels{10, 20, 30, 0, 40, 50, 60, 255, 70, 80, 90, 128,
                                    1,  2,  3,  4, 5,  6,  7,  8,   9,  10, 11, 12};
  const Result<Picture> picture = read_picture(written("a.png", png(3, 2, PNG_FORMAT_RGBA, pixels)), 3);
  ASSERT_TRUE(picture.ok()) << picture.error().message;
  EXPECT_EQ(picture->width, 3);
  EXPECT_EQ(picture->height, 2);
  EXPECT_EQ(picture->pixels, (std::vector<uint8_t>{10, 20, 30, 40, 50, 60, 70, 80, 90, 1, 2, 3, 5, 6, 7, 9, 10, 11}));
}

/// 257 v of 16 bits is v of 8: no sample is taken for linear light.
TEST(Picture, SamplesOf16BitsAreAsBrightAsThoseOf8) {
  const std::vector<uint16_t> deep{0, 257 * 10, 257 * 127, 257 * 191, 257 * 254, 65535};
  for (const double gamma : {0.0, 1.0, 0.45455}) {
    const Result<Picture> picture = read_picture(written("deep.png", row_png(16, gamma, deep)), 3);
    ASSERT_TRUE(picture.ok()) << picture.error().message;
    EXPECT_EQ(picture->pixels, (std::vector<uint8_t>{0, 10, 127, 191, 254, 255}));
  }
}

/// What is on disk is what the network sees, whatever the file says of screens; colours become grey as in a JPEG.
TEST(Picture, ANotedGammaChangesNoSample) {
  for (const double gamma : {1.0, 0.45455, 0.2}) {
    const std::string file = written("gamma.png", row_png(8, gamma, {0, 10, 127, 191, 254, 255, 100, 100, 100}));
    EXPECT_EQ(read_picture(file, 3)->pixels, (std::vector<uint8_t>{0, 10, 127, 191, 254, 255, 100, 100, 100}));
    EXPECT_EQ(read_picture(file, 1)->pixels, (std::vector<uint8_t>{20, 235, 100}));
  }
  const std::string grey = written("grey.png", png(2, 1, PNG_FORMAT_GRAY, {7, 200}));
  EXPECT_EQ(read_picture(grey, 1)->pixels, (std::vector<uint8_t>{7, 200}));
  EXPECT_EQ(read_picture(grey, 3)->pixels, (std::vector<uint8_t>{7, 7, 7, 200, 200, 200}));
}

TEST(Picture, MeansAndScalesGoByChannelInEitherLayout) {
  const std::vector<uint8_t> pixels{10, 20, 30, 40, 50, 60};
  const Result<Picture> picture = read_picture(written("b.png", png(2, 1, PNG_FORMAT_RGB, pixels)), 3);
  ASSERT_TRUE(picture.ok()) << picture.error().message;
  const PixelScale scale{{10, 20, 30}, {1, 2, 0.5}};
  const Result<PictureAxes> first = picture_axes({-1, 3, -1, -1}), last = picture_axes({-1, -1, 3});
  ASSERT_TRUE(first.ok() && last.ok());
  const Result<Tensor> planes = picture_tensor(*picture, *first, 4, DType::float32, scale);
  ASSERT_TRUE(planes.ok());
  EXPECT_EQ(planes->shape(), (Shape{1, 3, 1, 2}));
  const double wanted[] = {0, 30, 0, 60, 0, 15};
  for (int64_t k = 0; k < 6; ++k) EXPECT_EQ(planes->get_flat(k), wanted[k]);
  const Result<Tensor> rows = picture_tensor(*picture, *last, 3, DType::uint8, PixelScale::none());
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->shape(), (Shape{1, 2, 3}));
  for (int64_t k = 0; k < 6; ++k) EXPECT_EQ(rows->get_flat(k), pixels[static_cast<size_t>(k)]);
  EXPECT_EQ(picture_tensor(*picture, *first, 4, DType::float32, {{1, 2}, {1}}).error().kind, ErrorKind::usage);
  EXPECT_FALSE(picture_tensor(*picture, *first, 4, DType::int64, {}).ok());
  EXPECT_FALSE(picture_axes({1, 4, 8, 8}).ok());
  EXPECT_FALSE(picture_axes({1, 3}).ok());
}

TEST(Picture, AJpegIsNearInColourAndInGrey) {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < 16 * 16; ++i) pixels.insert(pixels.end(), {200, 100, 50});
  const std::string file = written("c.JPG", jpeg(16, 16, pixels));
  EXPECT_TRUE(names_picture(file));
  const Result<Picture> colour = read_picture(file, 3), grey = read_picture(file, 1);
  ASSERT_TRUE(colour.ok()) << colour.error().message;
  ASSERT_TRUE(grey.ok());
  EXPECT_NEAR(colour->pixels[0], 200, 4);
  EXPECT_NEAR(colour->pixels[1], 100, 4);
  EXPECT_NEAR(grey->pixels[0], 0.299 * 200 + 0.587 * 100 + 0.114 * 50, 4);
}

TEST(Picture, DamagedOnesAreRefusedByName) {
  const std::string good_png = png(3, 2, PNG_FORMAT_RGB, std::vector<uint8_t>(18, 7));
  const std::string good_jpeg = jpeg(16, 16, std::vector<uint8_t>(768, 7));
  for (const std::string& good : {good_png, good_jpeg}) {
    for (size_t size = 0; size + 20 < good.size(); size += 3) {
      const Result<Picture> cut = read_picture(written("cut.png", good.substr(0, size)), 3);
      ASSERT_FALSE(cut.ok()) << size;
      EXPECT_NE(cut.error().message.find("cut.png"), std::string::npos);
    }
    for (size_t at = 0; at < good.size(); at += 3) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
      static_cast<void>(read_picture(written("damaged.png", damaged), at % 2 == 0 ? 1 : 3).ok());
    }
  }
  std::string huge = good_jpeg;  // a frame of 65280 x 65280
  const size_t frame = huge.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  for (const size_t at : {5, 7}) huge[frame + at] = '\xff', huge[frame + at + 1] = '\0';
  EXPECT_NE(read_picture(written("huge.jpg", huge), 3).error().message.find("65280 x 65280"), std::string::npos);
  EXPECT_FALSE(read_picture(testing::TempDir(), 3).ok());
}

}  // namespace
}  // namespace engine
