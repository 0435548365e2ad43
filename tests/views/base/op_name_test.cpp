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
    for (const char* name : {"layer3.0.conv1/conv2d_grad_weight", "layer3.0.conv2/conv2d_grad_weight", "layer3.0.conv3/conv2d_grad_weight", "layer3.0.conv1/conv2d_grad_input"}) {
      shown.insert(views::shortened_name(font, QString::fromLatin1(name), room));
      EXPECT_LE(views::text_width(font, *shown.begin()), room + 0.5);
    }
    EXPECT_GE(shown.size(), 3u) << room;
  }
}

TEST(OpName, NoRoomIsNoCrash) {
  for (const double room : {0.0, 1.0, 10.0}) EXPECT_LE(views::shortened_name(views::data_font(), QStringLiteral("a.long.path/of_a_kind"), room).size(), 4) << room;
  EXPECT_EQ(views::shortened_name(views::data_font(), QString(), 50), QString());
}

}  // namespace
