// SPDX-License-Identifier: GPL-3.0-or-later
// Places of pixels among the elements, and values as shades.
#include "views/base/value_picture.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <limits>

#include "profiler/capture/results.h"

namespace views {
namespace {

constexpr int64_t kFoldedWidth = 64, kLargestSide = 16384;
constexpr QRgb kNan = 0xFFD1242F, kInfinite = 0xFFBF3FBF;

bool channels_last(const std::vector<int64_t>& shape) {
  return shape.size() == 3 && (shape[2] == 1 || shape[2] == 3) && shape[0] > 3 && shape[1] > 3;
}

}  // namespace

QString ValuePlanes::label(int64_t plane) const {
  if (count <= 1) return {};
  const QString channel =
      channels > 1 ? QObject::tr("channel %1 of %2").arg(plane % channels + 1).arg(channels) : QString();
  const int64_t images = count / channels;
  if (images <= 1) return channel;
  const QString image = QObject::tr("image %1 of %2").arg(plane / channels + 1).arg(images);
  return channel.isEmpty() ? image : image + QStringLiteral(", ") + channel;
}

ValuePlanes planes_of(const std::vector<int64_t>& shape) {
  ValuePlanes planes;
  planes.elements = 1;
  for (const int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(planes.elements, extent, &planes.elements)) return {};
  if (planes.elements == 0) return {};
  if (shape.size() < 2) {
    planes.count = 1;
    planes.width = std::min(planes.elements, kFoldedWidth);
    planes.height = (planes.elements + planes.width - 1) / planes.width;
    planes.row_step = planes.width;
    planes.folded = true;
  } else if (channels_last(shape)) {
    planes.height = shape[0], planes.width = shape[1];
    planes.channels = planes.count = planes.column_step = shape[2];
    planes.plane_step = 1;
    planes.row_step = shape[1] * shape[2];
  } else {
    planes.height = shape[shape.size() - 2], planes.width = shape.back();
    planes.row_step = planes.width;
    planes.plane_step = planes.height * planes.width;
    planes.count = planes.elements / planes.plane_step;
    if (shape.size() >= 3) planes.channels = shape[shape.size() - 3];
  }
  if (planes.height > kLargestSide || planes.width > kLargestSide) return {};
  return planes;
}

QImage value_picture(const profiler::ResultRecord& r, const ValuePlanes& planes, int64_t plane, bool colours) {
  if (!profiler::is_whole(r) || r.elements != planes.elements || plane < 0 || plane >= planes.count) return {};
  const bool bytes = r.dtype == engine::DType::uint8;
  const double least = bytes ? 0 : r.least, range = (bytes ? 255 : r.most) - least;
  const bool in_colours = colours && planes.colours();
  const int64_t first = in_colours ? plane - plane % 3 : plane;
  QImage image(static_cast<int>(planes.width), static_cast<int>(planes.height), QImage::Format_ARGB32);
  image.fill(Qt::transparent);
  QRgb bad = 0;
  const auto shade = [&](int64_t at) {
    const double value = profiler::kept_value(r, at);
    if (std::isnan(value)) bad = kNan;
    else if (std::isinf(value) && bad == 0) bad = kInfinite;
    if (!std::isfinite(value)) return 0;
    return range > 0 ? static_cast<int>(std::lround(std::clamp((value - least) / range, 0.0, 1.0) * 255)) : 128;
  };
  for (int64_t y = 0; y < planes.height; ++y) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(y)));
    for (int64_t x = 0; x < planes.width; ++x) {
      const int64_t at = first * planes.plane_step + y * planes.row_step + x * planes.column_step;
      if (at >= planes.elements) break;  // the last row of folded values
      bad = 0;
      const int red = shade(at), green = in_colours ? shade(at + planes.plane_step) : red,
                blue = in_colours ? shade(at + 2 * planes.plane_step) : red;
      line[x] = bad != 0 ? bad : qRgb(red, green, blue);
    }
  }
  return image;
}

const profiler::ResultRecord* image_result(const profiler::Capture& capture) {
  for (const profiler::ResultRecord& r : profiler::step_results(capture)) {
    if (r.tensor == profiler::kNoTensor || r.dtype != engine::DType::uint8 || !profiler::is_whole(r)) continue;
    if (channels_last(capture.tensors()[r.tensor].shape)) return &r;
  }
  return nullptr;
}

}  // namespace views
