// SPDX-License-Identifier: GPL-3.0-or-later
// The themes' promises: contrast on every background, roles apart for colour-blind eyes, digits of one width.
#include "views/base/theme.h"

#include <gtest/gtest.h>

#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <cmath>

namespace {

using Vector = std::array<double, 3>;

double linear(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }
Vector linear(const QColor& c) { return {linear(c.redF()), linear(c.greenF()), linear(c.blueF())}; }

/// WCAG 2.1, "contrast ratio".
double contrast(const QColor& a, const QColor& b) {
  const auto luminance = [](const QColor& c) {
    const Vector v = linear(c);
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
  };
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

using Matrix = std::array<Vector, 3>;
// Machado, Oliveira, Fernandes: "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG
// 15(6), 2009, severity 1.0: full vision, protanopia, deuteranopia, tritanopia.
constexpr std::array<Matrix, 4> kEyes = {{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}};

Vector lab(const Matrix& eye, const QColor& colour) {
  const Vector in = linear(colour);
  Vector v{};
  for (size_t i = 0; i < 3; ++i) v[i] = std::clamp(eye[i][0] * in[0] + eye[i][1] * in[1] + eye[i][2] * in[2], 0.0, 1.0);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124 * v[0] + 0.3576 * v[1] + 0.1805 * v[2]) / 0.95047),
               y = f(0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]),
               z = f((0.0193 * v[0] + 0.1192 * v[1] + 0.9505 * v[2]) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(const Matrix& eye, const QColor& a, const QColor& b) {
  const Vector x = lab(eye, a), y = lab(eye, b);
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

class ThemeTest : public testing::TestWithParam<views::ThemeKind> {
 protected:
  const views::Theme& theme() const {
    return GetParam() == views::ThemeKind::dark ? views::Theme::dark() : views::Theme::light();
  }
};

TEST_P(ThemeTest, TextIsReadableOnEveryBackground) {
  const auto& t = theme();
  for (const QColor& ground : {t.background, t.surface, t.surface_alternate, t.selection}) {
    EXPECT_GE(contrast(t.text, ground), 7.0) << ground.name().toStdString();
    EXPECT_GE(contrast(t.text_secondary, ground), 4.5) << ground.name().toStdString();
  }
  EXPECT_GE(contrast(t.accent_text, t.accent), 4.5);
  EXPECT_GE(contrast(t.warning, t.surface), 4.5);
  EXPECT_GE(contrast(t.error, t.surface), 4.5);
}

TEST_P(ThemeTest, MarksStandOutFromTheBackground) {
  const auto& t = theme();
  for (const QColor& ground : {t.background, t.surface, t.surface_alternate}) {
    for (int r = 0; r < engine::kRoleCount; ++r)
      EXPECT_GE(contrast(t.role(static_cast<engine::Role>(r)), ground), 3.0) << "role " << r;
    for (int b = 0; b < profiler::kBoundCount; ++b)
      EXPECT_GE(contrast(t.bound(static_cast<profiler::Bound>(b)), ground), 3.0) << "bound " << b;
    for (int p = 0; p < 3; ++p)
      EXPECT_GE(contrast(t.phase(static_cast<engine::Phase>(p)), ground), 3.0) << "phase " << p;
    for (int l = 0; l < 4; ++l) EXPECT_GE(contrast(t.level(l), ground), 3.0) << "level " << l;
  }
}

TEST_P(ThemeTest, RolesStayApartForColourBlindEyes) {
  for (size_t eye = 0; eye < kEyes.size(); ++eye) {
    for (int a = 0; a < engine::kRoleCount; ++a) {
      for (int b = a + 1; b < engine::kRoleCount; ++b) {
        const auto x = theme().role(static_cast<engine::Role>(a)), y = theme().role(static_cast<engine::Role>(b));
        EXPECT_GE(distance(kEyes[eye], x, y), 12.0)
            << "eye " << eye << " roles " << a << ' ' << b;  // CIE76; 2.3 is just noticeable
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, ThemeTest, testing::Values(views::ThemeKind::light, views::ThemeKind::dark));

TEST(Theme, OriginsLookDifferent) {
  using profiler::Origin;
  const QColor c(Qt::blue);
  EXPECT_EQ(views::origin_brush(Origin::measured, c).color().alpha(), 255);
  EXPECT_LT(views::origin_brush(Origin::modelled, c).color().alpha(), 128);
  EXPECT_NE(views::origin_brush(Origin::simulated, c).style(), Qt::SolidPattern);
  EXPECT_EQ(views::origin_pen(Origin::specified, c).style(), Qt::DashLine);
  EXPECT_EQ(views::origin_pen(Origin::measured, c).style(), Qt::SolidLine);
}

TEST(Theme, DigitsHaveOneWidth) {
  const QFontMetricsF metrics(views::data_font());
  for (char d = '1'; d <= '9'; ++d)
    EXPECT_DOUBLE_EQ(metrics.horizontalAdvance(QLatin1Char(d)), metrics.horizontalAdvance(QLatin1Char('0')));
}

}  // namespace
