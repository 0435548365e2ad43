// SPDX-License-Identifier: Apache-2.0
// Digits as a few straight strokes each, bent by one random affine map per digit.
#include "engine/workloads/digits.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "engine/base/check.h"

namespace engine {
namespace {

struct Point {
  double x, y;
};
struct Stroke {
  Point from, to;
};

/// SplitMix64: one stream per digit of a sequence.
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class Stream {
 public:
  Stream(uint64_t seed, int64_t number) : state_(mix(seed + kStep) + static_cast<uint64_t>(number) * kStep) {}
  double uniform(double low, double high) {
    state_ += kStep;
    return low + (high - low) * static_cast<double>(mix(state_) >> 11) * 0x1p-53;
  }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15u;
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

void add_line(std::vector<Stroke>& strokes, std::initializer_list<Point> points) {
  for (const Point* p = points.begin(); p + 1 < points.end(); ++p) strokes.push_back({p[0], p[1]});
}

/// Part of an ellipse in eight straight pieces; angles in quarter turns, from the right downwards.
void add_arc(std::vector<Stroke>& strokes, Point center, Point radius, double begin, double end) {
  const auto at = [&](double quarter) {
    const double angle = quarter * std::numbers::pi / 2;
    return Point{center.x + radius.x * std::cos(angle), center.y + radius.y * std::sin(angle)};
  };
  constexpr int kPieces = 8;
  for (int i = 0; i < kPieces; ++i) {
    strokes.push_back({at(begin + (end - begin) * i / kPieces), at(begin + (end - begin) * (i + 1) / kPieces)});
  }
}

/// The digit in a box from (-1, -1), top left, to (1, 1).
std::vector<Stroke> shape_of(int64_t digit) {
  std::vector<Stroke> s;
  switch (digit) {
    case 0: add_arc(s, {0, 0}, {0.6, 1}, 0, 4); break;
    case 1: add_line(s, {{-0.3, -0.6}, {0.1, -1}, {0.1, 1}}); break;
    case 2:
      add_arc(s, {0, -0.45}, {0.6, 0.55}, -2, 0.6);
      add_line(s, {{0.35, 0}, {-0.6, 1}, {0.65, 1}});
      break;
    case 3:
      add_arc(s, {0, -0.5}, {0.55, 0.5}, -1.8, 1);
      add_arc(s, {0, 0.5}, {0.6, 0.5}, -1, 1.8);
      break;
    case 4: add_line(s, {{0.3, 1}, {0.3, -1}, {-0.65, 0.35}, {0.65, 0.35}}); break;
    case 5:
      add_line(s, {{0.55, -1}, {-0.45, -1}, {-0.5, -0.1}});
      add_arc(s, {0, 0.4}, {0.6, 0.6}, -1.6, 1.7);
      break;
    case 6:
      add_line(s, {{0.35, -1}, {-0.5, 0.2}});
      add_arc(s, {0, 0.45}, {0.55, 0.55}, 0, 4);
      break;
    case 7: add_line(s, {{-0.6, -1}, {0.6, -1}, {-0.15, 1}}); break;
    case 8:
      add_arc(s, {0, -0.5}, {0.45, 0.5}, 0, 4);
      add_arc(s, {0, 0.5}, {0.6, 0.5}, 0, 4);
      break;
    default: add_arc(s, {0, -0.45}, {0.55, 0.55}, 0, 4); add_line(s, {{0.5, -0.2}, {0.2, 1}});
  }
  return s;
}

double squared_distance(Point p, const Stroke& stroke) {
  const double dx = stroke.to.x - stroke.from.x, dy = stroke.to.y - stroke.from.y;
  const double length = dx * dx + dy * dy;
  const double t =
      std::clamp(((p.x - stroke.from.x) * dx + (p.y - stroke.from.y) * dy) / std::max(length, 1e-12), 0.0, 1.0);
  const double x = p.x - stroke.from.x - t * dx, y = p.y - stroke.from.y - t * dy;
  return x * x + y * y;
}

/// Strokes in pixels, after a random turn, shear, stretch and shift.
std::vector<Stroke> placed(int64_t digit, Stream& random) {
  std::vector<Stroke> strokes = shape_of(digit);
  const double angle = random.uniform(-0.25, 0.25), shear = random.uniform(-0.3, 0.3);
  const double width = random.uniform(6, 9), height = random.uniform(7.5, 10);
  const Point shift{13.5 + random.uniform(-2.5, 2.5), 13.5 + random.uniform(-2.5, 2.5)};
  const auto move = [&](Point p) {
    const double x = width * (p.x - shear * p.y), y = height * p.y;
    return Point{shift.x + x * std::cos(angle) - y * std::sin(angle),
                 shift.y + x * std::sin(angle) + y * std::cos(angle)};
  };
  for (Stroke& stroke : strokes) stroke = {move(stroke.from), move(stroke.to)};
  return strokes;
}

/// From each pixel to the nearest stroke; looked for within `reach` of each stroke alone, far away elsewhere.
std::vector<double> squared_distances(const std::vector<Stroke>& strokes, double reach) {
  std::vector<double> nearest(static_cast<size_t>(kDigitPixels), 1e9);
  const auto pixel = [](double position) {
    return std::clamp<int64_t>(static_cast<int64_t>(position), 0, kDigitSide - 1);
  };
  for (const Stroke& s : strokes) {
    const int64_t left = pixel(std::min(s.from.x, s.to.x) - reach),
                  right = pixel(std::max(s.from.x, s.to.x) + reach + 1);
    const int64_t top = pixel(std::min(s.from.y, s.to.y) - reach),
                  bottom = pixel(std::max(s.from.y, s.to.y) + reach + 1);
    for (int64_t y = top; y <= bottom; ++y) {
      for (int64_t x = left; x <= right; ++x) {
        double& best = nearest[static_cast<size_t>(y * kDigitSide + x)];
        best = std::min(best, squared_distance({static_cast<double>(x), static_cast<double>(y)}, s));
      }
    }
  }
  return nearest;
}

void draw(uint64_t seed, int64_t number, float* pixels, int64_t* label) {
  Stream random(seed, number);
  *label = std::min<int64_t>(static_cast<int64_t>(random.uniform(0, kDigitClasses)), kDigitClasses - 1);
  const std::vector<Stroke> strokes = placed(*label, random);
  const double pen = random.uniform(0.9, 1.7), noise = random.uniform(0.02, 0.15);
  const std::vector<double> nearest = squared_distances(strokes, pen + 0.5);
  for (int64_t i = 0; i < kDigitPixels; ++i) {
    const double ink =
        std::clamp(0.5 + pen - std::sqrt(nearest[static_cast<size_t>(i)]), 0.0, 1.0);  // a soft edge one pixel wide
    pixels[i] = static_cast<float>(std::clamp(ink + random.uniform(-noise, noise), 0.0, 1.0));
  }
}

}  // namespace

void draw_digits(uint64_t seed, int64_t first, std::span<float> pixels, std::span<int64_t> labels) {
  CHECK(pixels.size() == labels.size() * static_cast<size_t>(kDigitPixels));
  for (size_t i = 0; i < labels.size(); ++i) {
    draw(seed, first + static_cast<int64_t>(i), pixels.data() + i * static_cast<size_t>(kDigitPixels), &labels[i]);
  }
}

}  // namespace engine
