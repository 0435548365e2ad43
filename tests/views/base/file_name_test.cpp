// SPDX-License-Identifier: GPL-3.0-or-later
// Names of files stay what they are, whatever bytes they are made of.
#include "views/base/file_name.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include "tests/support/temporary_folder.h"
#include "views/base/save_file.h"

namespace views {
namespace {

TEST(FileName, IsAbsoluteWhereQtDoesNotKnowTheFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  const tests::TemporaryFolder temporary;
  for (const bool utf8 : {true, false}) {
    const std::filesystem::path folder = temporary / (utf8 ? "caf\xc3\xa9" : "caf\xe9");
    std::filesystem::create_directory(folder);
    std::filesystem::current_path(folder);
    EXPECT_EQ(name_bytes(located_name(QStringLiteral("a.tide"))), utf8 ? "a.tide" : (folder / "a.tide").native());
    EXPECT_EQ(located_name(QStringLiteral("/b/a.tide")), QStringLiteral("/b/a.tide"));
    EXPECT_EQ(located_name(QString()), QString());
  }
  std::filesystem::current_path(before);
}

TEST(FileName, AnyBytesComeBack) {
  for (const std::string& name :
       {std::string("a.tide"), std::string("caf\xe9.tide"), std::string("caf\xc3\xa9 \xf0\x9f\x8c\x8a.tide"),
        std::string("\xf0\x9f\x8c\x8a\xe9"), std::string("\xff\xfe\x80"), std::string("\xc3"), std::string("\xe2\x82"),
        std::string("\xed\xa0\x80\xed\xb3\xa9"), std::string("\xef\xbf\xbd"), std::string("\xc0\xaf"), std::string()}) {
    EXPECT_EQ(name_bytes(name_text(name)), name);
  }
  for (int byte = 1; byte < 256; ++byte) {
    const std::string name = std::string("a") + static_cast<char>(byte) + "b";
    EXPECT_EQ(name_bytes(name_text(name)), name) << byte;
  }
  std::mt19937 random(3);
  std::uniform_int_distribution<int> byte(0, 255);
  for (int i = 0; i < 2000; ++i) {
    std::string name;
    for (int j = 0; j < 12; ++j) name += static_cast<char>(byte(random));
    ASSERT_EQ(name_bytes(name_text(name)), name) << i;
  }
}

TEST(FileName, WhatIsTextStaysText) {
  EXPECT_EQ(name_text("caf\xc3\xa9"), QStringLiteral("café"));
  EXPECT_TRUE(qt_knows(name_text("caf\xc3\xa9")));
  EXPECT_FALSE(qt_knows(name_text("caf\xe9")));
}

TEST(FileName, FilesAreWrittenAndSeenUnderSuchNames) {
  const ::tests::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "caf\xe9.csv";
  const QString name = name_text(file.string());
  EXPECT_FALSE(file_exists(name));
  ASSERT_EQ(save_file(name, "a,b\n"), QString());
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(folder.entries(), 1u) << "under no other name";
  EXPECT_TRUE(file_state(name).is_file);
  EXPECT_EQ(file_state(name).size_bytes, 4);
  EXPECT_FALSE(file_exists(QString()));
}

}  // namespace
}  // namespace views
