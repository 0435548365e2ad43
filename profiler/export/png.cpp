// SPDX-License-Identifier: Apache-2.0
// The image that a step put out, as a PNG file. Format: ISO/IEC 15948, deflated by zlib.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "profiler/capture/results.h"
#include "profiler/export/exporter.h"

namespace profiler {
namespace {

struct Image {
  uint32_t width = 0, height = 0;
  uint8_t channels = 0;  ///< 1: grey, 3: RGB
  std::string_view pixels;
};

/// The first result that is [height, width] or [height, width, 1 or 3] of u8 and kept whole; no width: there is none.
Image image_of(const Capture& capture) {
  for (const ResultRecord& r : step_results(capture)) {
    if (r.tensor == kNoTensor || r.dtype != engine::DType::uint8 || !is_whole(r)) continue;
    const std::vector<int64_t>& shape = capture.tensors()[r.tensor].shape;
    const int64_t channels = shape.size() == 3 ? shape[2] : 1;
    if (shape.size() < 2 || shape.size() > 3 || (channels != 1 && channels != 3) || shape[0] < 1 || shape[1] < 1)
      continue;
    return {static_cast<uint32_t>(shape[1]), static_cast<uint32_t>(shape[0]), static_cast<uint8_t>(channels), r.kept};
  }
  return {};
}

void append_number(std::string& bytes, uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(value >> shift & 0xff));
}

void write_chunk(ExportSink& sink, const char* kind, const std::string& data) {
  std::string chunk;
  append_number(chunk, static_cast<uint32_t>(data.size()));
  const std::string body = kind + data;
  chunk += body;
  append_number(chunk, static_cast<uint32_t>(
                           crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
  sink.write(chunk);
}

void write_png(const Capture& capture, const ExportRange&, ExportSink& sink) {
  const Image image = image_of(capture);
  const size_t row = static_cast<size_t>(image.width) * image.channels;
  std::string rows;
  for (size_t y = 0; y < image.height; ++y) {
    rows.push_back(0);  // no filter
    rows.append(image.pixels.substr(y * row, row));
  }
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
            static_cast<uLong>(rows.size()), Z_BEST_COMPRESSION);  // cannot fail: the buffer is as large as it asks for
  packed.resize(size);
  sink.write(std::string_view("\x89PNG\r\n\x1a\n", 8));
  std::string header;
  append_number(header, image.width);
  append_number(header, image.height);
  const std::array<char, 5> kinds{8, static_cast<char>(image.channels == 3 ? 2 : 0), 0, 0, 0};
  header.append(kinds.data(), kinds.size());
  write_chunk(sink, "IHDR", header);
  write_chunk(sink, "IDAT", packed);
  write_chunk(sink, "IEND", {});
}

bool has_image(const Capture& capture) { return image_of(capture).width > 0; }

}  // namespace

Exporter png_exporter() {
  return {.name = "png",
          .extension = ".png",
          .help = "image viewers: the image that a step put out",
          .write = write_png,
          .has_content = has_image,
          .content = "an image among its results (u8 [height, width, 3], up to 256 KiB)"};
}

}  // namespace profiler
