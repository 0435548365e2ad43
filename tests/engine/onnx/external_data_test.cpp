// SPDX-License-Identifier: Apache-2.0
// Weights beside the model: read from its folder, and from nowhere else.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

namespace fs = std::filesystem;

/// y = x + w, w of two elements in an external file.
class ExternalData : public testing::Test {
 protected:
  ExternalData() {
    const float values[] = {10, 20, 30};
    bytes_.resize(sizeof values);
    std::memcpy(bytes_.data(), values, sizeof values);
    folder_.write("weights.bin", bytes_);
  }

  Result<Model> load(const std::vector<std::pair<std::string, std::string>>& entries, int64_t extent = 2) {
    ModelMaker maker = ModelMaker().input("x", {extent}).node("Add", {"x", "w"}, "y").output("y");
    ::onnx::TensorProto& w = *maker.graph().add_initializer();
    w.set_name("w");
    w.set_data_type(::onnx::TensorProto::FLOAT);
    w.add_dims(extent);
    w.set_data_location(::onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      ::onnx::StringStringEntryProto& entry = *w.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    return load_model(folder_.write("model.onnx", maker.model.SerializeAsString()));
  }

  void expect_refusal(const std::vector<std::pair<std::string, std::string>>& entries, std::string_view part,
                      int64_t extent = 2) {
    const Result<Model> model = load(entries, extent);
    ASSERT_FALSE(model.ok()) << part;
    EXPECT_NE(model.error().message.find(part), std::string::npos) << model.error().message;
    EXPECT_NE(model.error().message.find("\"w\""), std::string::npos) << model.error().message;
  }

  ScratchFolder folder_;
  std::string bytes_;
};

TEST_F(ExternalData, IsReadFromItsOffset) {
  Result<Model> model = load({{"location", "weights.bin"}, {"offset", "4"}, {"length", "8"}, {"checksum", "abc"}});
  ASSERT_TRUE(model.ok()) << model.error().message;
  const Result<std::vector<Tensor>> outputs = run_model(*cpu_backend(), std::move(*model));
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ(elements((*outputs)[0]), (std::vector<double>{20, 30.5}));
  fs::create_directory(folder_.path() / "inner");
  fs::rename(folder_.path() / "weights.bin", folder_.path() / "inner/weights.bin");
  EXPECT_TRUE(load({{"location", "inner/weights.bin"}}).ok());  // the file may have more bytes than are asked for
  EXPECT_TRUE(load({{"location", "./inner/weights.bin"}, {"length", "8"}}).ok());
}

TEST_F(ExternalData, PathsThatLeaveTheFolderAreRefused) {
  expect_refusal({{"location", "../../etc/passwd"}}, "leaves the folder by \"..\"");
  expect_refusal({{"location", "inner/../../weights.bin"}}, "..");
  expect_refusal({{"location", "/etc/passwd"}}, "is absolute");
  expect_refusal({{"location", std::string("weights.bin\0/etc", 16)}}, "zero byte");
  expect_refusal({{"location", ""}}, "names no location");
  expect_refusal({{"location", "inner/weights.bin"}, {"location", "weights.bin"}}, "has \"location\" twice");
  expect_refusal({{"offset", "0"}}, "names no location");
}

TEST_F(ExternalData, SymbolicLinksOutOfTheFolderAreRefused) {
  const ScratchFolder elsewhere;
  elsewhere.write("secret", bytes_);
  fs::create_symlink(elsewhere.path() / "secret", folder_.path() / "link");
  expect_refusal({{"location", "link"}}, "symbolic link");
  fs::create_directory_symlink(elsewhere.path(), folder_.path() / "folder");
  expect_refusal({{"location", "folder/secret"}}, "symbolic link");
  fs::create_symlink("weights.bin", folder_.path() / "inside");  // a link within the folder does no harm
  EXPECT_TRUE(load({{"location", "inside"}, {"length", "8"}}).ok());
}

TEST_F(ExternalData, HardLinksAreRefused) {
  const ScratchFolder elsewhere;
  elsewhere.write("secret", bytes_);
  fs::create_hard_link(elsewhere.path() / "secret", folder_.path() / "second");
  expect_refusal({{"location", "second"}, {"length", "8"}}, "has 2 names (hard links)");
  fs::remove(elsewhere.path() / "secret");
  EXPECT_TRUE(load({{"location", "second"}, {"length", "8"}}).ok());  // its only name is in the folder now
}

TEST_F(ExternalData, WhatIsNoFileOfBytesIsRefused) {
  expect_refusal({{"location", "none.bin"}}, "none.bin");
  expect_refusal({{"location", "."}}, "no regular file");
  ASSERT_EQ(mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
  expect_refusal({{"location", "pipe"}}, "no regular file");
}

TEST_F(ExternalData, BytesThatAreNotThereAreRefused) {
  expect_refusal({{"location", "weights.bin"}, {"offset", "8"}}, "has 12 bytes, but 8 bytes from offset 8");
  expect_refusal({{"location", "weights.bin"}, {"offset", "9223372036854775807"}}, "has 12 bytes");
  expect_refusal({{"location", "weights.bin"}, {"offset", "-4"}}, "offset");
  expect_refusal({{"location", "weights.bin"}, {"offset", "99999999999999999999"}}, "offset");
  expect_refusal({{"location", "weights.bin"}, {"length", "12"}}, "length is 12 bytes");
  expect_refusal({{"location", "weights.bin"}, {"length", "8 "}}, "length");
  expect_refusal({{"location", "weights.bin"}}, "has 12 bytes",
                 int64_t{1} << 40);  // nothing is allocated for the claim
}

}  // namespace
}  // namespace engine::onnx
