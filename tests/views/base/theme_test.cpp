// SPDX-License-Identifier: GPL-3.0-or-later
// The themes' promises: contrast on every background, roles apart for colour-blind eyes, digits of one width.
#include "views/base/theme.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFontMetricsF>
#include <QImage>
#include <QLineEdit>
#include <QPainter>
#include <QSpinBox>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "views/base/paint.h"

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

struct Ink {
  std::string name;
  QColor colour;
  views::Mark mark = views::Mark::square;
};

/// What can stand beside each other in one picture.
struct Family {
  std::string name;
  double least;  ///< distance of two, CIE76; 2.3 is just noticeable
  std::vector<Ink> inks;
};

std::vector<Family> families(const views::Theme& t) {
  std::vector<Family> all{{"roles", 20, {}}, {"verdicts", 11, {}}, {"phases", 25, {}}, {"changes", 25, {}}};
  for (int r = 0; r < engine::kRoleCount; ++r) {
    const auto role = static_cast<engine::Role>(r);
    all[0].inks.push_back({views::role_title(role).toStdString(), t.role(role), views::mark_of(role)});
  }
  for (int b = 0; b < profiler::kBoundCount; ++b) {
    const auto bound = static_cast<profiler::Bound>(b);
    all[1].inks.push_back({views::bound_title(bound).toStdString(), t.bound(bound), views::mark_of(bound)});
  }
  for (const auto phase : {engine::Phase::forward, engine::Phase::backward, engine::Phase::update})
    all[2].inks.push_back({views::phase_title(phase).toStdString(), t.phase(phase), views::mark_of(phase)});
  all[2].inks.push_back({"unknown", t.unknown_phase, views::kUnknownPhaseMark});
  all[3].inks = {{"slower", t.slower, views::Mark::triangle}, {"faster", t.faster, views::Mark::triangle_down}};
  return all;
}

TEST_P(ThemeTest, ColoursOfAFamilyStayApartForColourBlindEyes) {
  for (const Family& family : families(theme())) {
    for (size_t eye = 0; eye < kEyes.size(); ++eye) {
      for (size_t a = 0; a < family.inks.size(); ++a) {
        for (size_t b = a + 1; b < family.inks.size(); ++b) {
          const Ink &x = family.inks[a], &y = family.inks[b];
          EXPECT_GE(distance(kEyes[eye], x.colour, y.colour), family.least)
              << family.name << ", eye " << eye << ": " << x.name << " and " << y.name;
        }
      }
    }
  }
}

TEST_P(ThemeTest, ColoursOfAFamilyDifferByContrastOrShape) {
  for (const Family& family : families(theme())) {
    for (size_t a = 0; a < family.inks.size(); ++a) {
      for (size_t b = a + 1; b < family.inks.size(); ++b) {
        const Ink &x = family.inks[a], &y = family.inks[b];
        EXPECT_TRUE(contrast(x.colour, y.colour) >= 3 || x.mark != y.mark)
            << family.name << ": " << x.name << " and " << y.name;
      }
    }
  }
}

TEST_P(ThemeTest, NoDataHasTheColourOfWhatCanBePressed) {
  const auto& t = theme();
  std::vector<Ink> data{{"measure", t.measure}};
  for (int l = 0; l < 4; ++l) data.push_back({"level", t.level(l)});
  for (const Family& family : families(t)) data.insert(data.end(), family.inks.begin(), family.inks.end());
  for (size_t eye = 0; eye < kEyes.size(); ++eye) {
    for (const Ink& ink : data) EXPECT_GE(distance(kEyes[eye], t.accent, ink.colour), 11) << eye << ' ' << ink.name;
  }
}

TEST_P(ThemeTest, LabelsAreReadableOnEveryFill) {
  const auto& t = theme();
  for (const Family& family : families(t)) {
    for (const Ink& ink : family.inks)
      EXPECT_GE(contrast(views::label_on(ink.colour), ink.colour), 4.5) << family.name << ' ' << ink.name;
  }
  for (int grey = 0; grey < 256; ++grey) {
    const QColor fill(grey, grey, grey);
    EXPECT_GE(contrast(views::label_on(fill), fill), 4.5) << grey;
  }
}

TEST_P(ThemeTest, EdgesOfInputsAndFiguresStandOut) {
  const auto& t = theme();
  for (const QColor& ground : {t.background, t.surface, t.surface_alternate}) {
    for (const QColor& ink : {t.input_border, t.measure, t.slower, t.faster, t.unknown_phase, t.accent})
      EXPECT_GE(contrast(ink, ground), 3.0) << ink.name().toStdString() << " on " << ground.name().toStdString();
  }
}

/// What a person sees: the edge on the screen.
TEST_P(ThemeTest, InputsAreDrawnWithTheirEdge) {
  const auto& t = theme();
  const auto keep = QApplication::palette();
  QApplication::setPalette(t.palette());
  QWidget window;
  QLineEdit field(&window);
  QComboBox box(&window);
  QSpinBox number(&window);
  QCheckBox check(&window);
  window.resize(200, 160);
  int y = 8;
  for (QWidget* input : {static_cast<QWidget*>(&field), static_cast<QWidget*>(&box), static_cast<QWidget*>(&number)}) {
    input->setGeometry(8, y, 150, 26);
    y += 32;
  }
  check.setGeometry(8, y, 150, 26);
  const QImage image = window.grab().toImage();
  for (QWidget* input : {static_cast<QWidget*>(&field), static_cast<QWidget*>(&box), static_cast<QWidget*>(&number)}) {
    const QColor edge = image.pixelColor(input->geometry().left(), input->geometry().center().y());
    EXPECT_GE(contrast(edge, t.background), 3.0) << input->metaObject()->className();
  }
  double best = 0;
  for (int x = check.x(); x < check.x() + 20; ++x)
    best = std::max(best, contrast(image.pixelColor(x, check.geometry().center().y()), t.background));
  EXPECT_GE(best, 3.0);
  QApplication::setPalette(keep);
}

TEST(Marks, NoTwoLookTheSame) {
  std::set<std::string> texts;
  std::vector<QImage> drawn;
  for (int m = 0; m < views::kMarkCount; ++m) {
    QImage image(11, 11, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter p(&image);
    p.setRenderHint(QPainter::Antialiasing);
    views::draw_mark(p, QRectF(0, 0, 11, 11), Qt::black, static_cast<views::Mark>(m));
    p.end();
    for (size_t other = 0; other < drawn.size(); ++other) {
      int differ = 0;
      for (int y = 0; y < 11; ++y)
        for (int x = 0; x < 11; ++x)
          differ += std::abs(qGray(image.pixel(x, y)) - qGray(drawn[other].pixel(x, y))) > 96;
      EXPECT_GE(differ, 10) << m << " and " << other;
    }
    drawn.push_back(image);
    EXPECT_TRUE(texts.insert(views::mark_text(static_cast<views::Mark>(m)).toStdString()).second);
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
