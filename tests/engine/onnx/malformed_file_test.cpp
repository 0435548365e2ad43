// SPDX-License-Identifier: Apache-2.0
// Files that are no ONNX models: each is refused with its name, none is waited for.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

std::string refusal(const std::filesystem::path& file) {
  const Result<Model> model = load_model(file);
  EXPECT_FALSE(model.ok()) << file;
  if (model) return "";
  EXPECT_EQ(model.error().kind, ErrorKind::refused);
  EXPECT_EQ(model.error().message.find(file.string()), 0u) << model.error().message;
  return model.error().message;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(MalformedFile, MissingEmptyAndDirectory) {
  const ScratchFolder folder;
  EXPECT_TRUE(contains(refusal(folder.path() / "none.onnx"), "no such file"));
  EXPECT_TRUE(contains(refusal(folder.write("empty.onnx", "")), "empty"));
  EXPECT_TRUE(contains(refusal(folder.path()), "directory"));
  EXPECT_TRUE(contains(refusal(folder.write("file", "x") / "below.onnx"), "below.onnx"));
}

TEST(MalformedFile, PipesAndDevicesAreNotOpened) {
  const ScratchFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe.onnx";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(contains(refusal(pipe), "no regular file"));
  EXPECT_TRUE(contains(refusal("/dev/zero"), "no regular file"));
  std::filesystem::create_symlink(folder.path() / "loop", folder.path() / "loop");
  refusal(folder.path() / "loop");
}

TEST(MalformedFile, UnreadableFileSaysWhy) {
  if (geteuid() == 0) GTEST_SKIP() << "root reads every file";
  const ScratchFolder folder;
  const std::filesystem::path file = folder.write("secret.onnx", "x");
  ASSERT_EQ(chmod(file.c_str(), 0), 0);
  EXPECT_TRUE(contains(refusal(file), "Permission denied"));
}

TEST(MalformedFile, GraphsFarInsideOneAnotherAreToldFromTruncatedFiles) {
  const ScratchFolder folder;
  const auto nested = [](int depth) {
    ::onnx::ModelProto model;
    ::onnx::GraphProto* graph = model.mutable_graph();
    for (int i = 0; i < depth; ++i) {
      ::onnx::NodeProto* node = graph->add_node();
      node->set_op_type("If");
      ::onnx::AttributeProto* branch = node->add_attribute();
      branch->set_name("then_branch");
      graph = branch->mutable_g();
    }
    return model.SerializeAsString();
  };
  EXPECT_TRUE(contains(refusal(folder.write("deep.onnx", nested(200))), "are nested more than 100 deep"));
  const std::string deep = nested(200);
  EXPECT_TRUE(
      contains(refusal(folder.write("cut.onnx", deep.substr(0, deep.size() / 2))), "no valid protobuf message"));
  EXPECT_FALSE(contains(refusal(folder.write("shallow.onnx", nested(20))), "protobuf"));
}

TEST(MalformedFile, OtherFormats) {
  const ScratchFolder folder;
  EXPECT_TRUE(contains(refusal(folder.write("text.onnx", "This is a text, not a model.\n")), "no ONNX model"));
  EXPECT_TRUE(contains(refusal(folder.write("json.onnx", "{\"traceEvents\": []}")), "no ONNX model"));
  EXPECT_TRUE(contains(refusal(folder.write("zip.onnx", std::string("PK\x03\x04\x14\0\0\0", 8))), "no ONNX model"));
  EXPECT_TRUE(contains(refusal(folder.write("zeros.onnx", std::string(4096, '\0'))), "no ONNX model"));
  refusal(TENSORTIDE_SOURCE_DIR "/resources/models/light_resnet50_output_0.pb");
}

TEST(MalformedFile, RandomBytes) {
  const ScratchFolder folder;
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string bytes(1 + random() % 2000, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    refusal(folder.write("random.onnx", bytes));
  }
}

TEST(MalformedFile, EveryTruncationOfARealFile) {
  std::ifstream stream(TENSORTIDE_SOURCE_DIR "/resources/models/light_resnet50.onnx", std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  ASSERT_EQ(whole.size(), 79'770u);
  const ScratchFolder folder;
  for (size_t length = 1; length < whole.size(); length += 397) {
    refusal(folder.write("cut.onnx", whole.substr(0, length)));
  }
  refusal(folder.write("cut.onnx", whole.substr(0, whole.size() - 1)));
}

// Messages nested deeper than protobuf's limit, and a field that claims more bytes than the file
// has.
TEST(MalformedFile, HostileProtobuf) {
  const ScratchFolder folder;
  std::string nested;
  for (int depth = 0; depth < 10'000; ++depth) {
    std::string header("\x0a\x80\x80\x80\x80\x01", 6);
    nested = header + nested.substr(0, 60'000);
  }
  refusal(folder.write("nested.onnx", nested));
  refusal(folder.write("length.onnx", std::string("\x3a\xff\xff\xff\xff\x07", 6)));
  refusal(folder.write("varint.onnx", std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13)));
  refusal(folder.write("field0.onnx", std::string("\x00\x01", 2)));
}

// 10 MB of empty nodes would take 750 MB as messages.
TEST(MalformedFile, AbsurdlyManyNodesAreRefusedBeforeTheyAreMade) {
  std::string graph;
  for (int i = 0; i < 5'000'000; ++i) graph.append("\x0a\x00", 2);
  const std::string length("\x80\xad\xe2\x04", 4);  // 10'000'000 as a varint
  const ScratchFolder folder;
  EXPECT_TRUE(contains(refusal(folder.write("nodes.onnx", "\x3a" + length + graph)), "more than 4000000 fields"));
}

// The same hidden in an attribute, a function or the training info, and graphs in graphs deeper
// than the parser goes.
TEST(MalformedFile, NodesAreCountedWhereverTheyAre) {
  const auto field = [](std::string whole, const std::string& bytes) {
    size_t length = bytes.size();
    for (; length >= 0x80; length >>= 7) whole += static_cast<char>(0x80 | (length & 0x7f));
    return whole + static_cast<char>(length) + bytes;
  };
  const auto in_attribute = [&](const std::string& graph) {  // graph { node { attribute { g } } }
    return field("\x0a", field("\x2a", field("\x32", graph)));
  };
  const ScratchFolder folder;
  std::string nodes;
  for (int i = 0; i < 5'000'000; ++i) nodes.append("\x0a\x00", 2);
  std::string function_nodes;
  for (int i = 0; i < 5'000'000; ++i) function_nodes.append("\x3a\x00", 2);
  for (const std::string& model : {field("\x3a", in_attribute(nodes)), field("\xa2\x01", field("\x12", nodes)),
                                   field("\xca\x01", function_nodes)}) {
    EXPECT_TRUE(contains(refusal(folder.write("inner.onnx", model)), "more than 4000000 fields"));
  }
  std::string deep;
  for (int depth = 0; depth < 20'000; ++depth) deep = in_attribute(deep);
  refusal(folder.write("deep.onnx", field("\x3a", deep)));
}

TEST(MalformedFile, NamesInMessagesArePrintable) {
  ModelMaker maker;
  maker.input("x", {1, 4}).node("Relu", {std::string("bad\x1b[31m\n\xff name\0z", 17)}, "y").output("y");
  const std::string message = maker.refusal();
  EXPECT_TRUE(contains(message, "bad\\x1b[31m\\x0a\\xff name\\x00z")) << message;
  maker.graph().mutable_node(0)->set_input(0, std::string(1 << 20, 'n'));
  EXPECT_LT(maker.refusal().size(), 1000u);
}

}  // namespace
}  // namespace engine::onnx
