// SPDX-License-Identifier: GPL-3.0-or-later
// Names of ops in little room: what tells them apart stays.
#include "views/base/op_name.h"

#include <gtest/gtest.h>

#include <set>

#include "views/base/paint.h"

namespace {

TEST(OpName, KeepsThePathAndTheEndOfTheKind) {
  const QFont font = views::data_font();
  const QString name = QStringLiteral("layer3.0.conv1/conv2d+batch_norm_inference+relu");
  EXPECT_EQ(views::shortened_name(font, name, 2000), name);
  const double room = views::text_width(font, QStringLiteral("layer3.0.conv1/")) + 70;
  const QString shown = views::shortened_name(font, name, room);
  EXPECT_TRUE(shown.startsWith(QStringLiteral("layer3.0.conv1/…"))) << shown.toStdString();
  EXPECT_TRUE(shown.endsWith(QStringLiteral("relu"))) << shown.toStdString();
  EXPECT_LE(views::text_width(font, shown), room + 0.5);
}

TEST(OpName, SiblingsStayApartInAnyRoomThatHoldsTheirPath) {
  const QFont font = views::data_font();
  for (const double room : {130.0, 150.0, 200.0}) {
    std::set<QString> shown;
    for (const char* name : {"layer3.0.conv1/conv2d_grad_weight", "layer3.0.conv2/conv2d_grad_weight",
                             "layer3.0.conv3/conv2d_grad_weight", "layer3.0.conv1/conv2d_grad_input"}) {
      const QString made = views::shortened_name(font, QString::fromLatin1(name), room);
      EXPECT_LE(views::text_width(font, made), room + 0.5) << name;
      shown.insert(made);
    }
    EXPECT_GE(shown.size(), 3u) << room;
  }
}

TEST(OpName, AShortKindLeavesItsRoomToThePath) {
  const QFont font = views::data_font();
  const QString name = QStringLiteral("encoder.layers.11.self_attention.query/add");
  const double whole = views::text_width(font, name);
  const QString shown = views::shortened_name(font, name, 0.9 * whole);
  EXPECT_TRUE(shown.endsWith(QStringLiteral("query/add"))) << shown.toStdString();
  EXPECT_LE(views::text_width(font, shown), 0.9 * whole + 0.5);
  EXPECT_GT(views::text_width(font, shown), 0.9 * whole - 2 * views::text_width(font, QStringLiteral("m")))
      << "no room is left over: " << shown.toStdString();
  const double path = views::text_width(font, QStringLiteral("encoder.layers.11.self_attention.query/"));
  const QString tight = views::shortened_name(font, name, path + 0.5 * views::text_width(font, QStringLiteral("add")));
  EXPECT_TRUE(tight.endsWith(QStringLiteral("/add"))) << "what is short is not cut: " << tight.toStdString();
}

TEST(OpName, OfAFileTheFoldersGoFirst) {
  const QFont font = views::data_font();
  const QString name = QStringLiteral("/usr/lib/python3/site-packages/torch/nn/modules/linear.py(114): forward");
  const QString tail = QStringLiteral("linear.py(114): forward");
  const QString shown = views::shortened_name(font, name, views::text_width(font, QStringLiteral("…modules/") + tail));
  EXPECT_TRUE(shown.endsWith(tail)) << shown.toStdString();
  EXPECT_TRUE(shown.startsWith(QStringLiteral("…"))) << shown.toStdString();
  const QString gradient = QStringLiteral("layer3.0.conv1/conv2d_of_something_long.grad");
  EXPECT_TRUE(views::shortened_name(font, gradient, 0.7 * views::text_width(font, gradient))
                  .startsWith(QStringLiteral("layer3.0.conv1/…")))
      << "a tensor is no file";
}

TEST(OpName, NoRoomIsNoCrash) {
  for (const double room : {0.0, 1.0, 10.0})
    EXPECT_LE(views::shortened_name(views::data_font(), QStringLiteral("a.long.path/of_a_kind"), room).size(), 4)
        << room;
  EXPECT_EQ(views::shortened_name(views::data_font(), QString(), 50), QString());
}

}  // namespace
