// SPDX-License-Identifier: Apache-2.0
// Files of weights: what is read, and every kind of file that is refused.
#include "engine/files/safetensors.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>

#include "tests/support/temporary_folder.h"

namespace engine {
namespace {

std::string with_length(const std::string& header, const std::string& data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(header.size() >> (8 * i) & 0xff));
  return bytes + header + data;
}

const std::string kTwo = R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]},)"
                         R"("a":{"dtype":"BF16","shape":[1,2],"data_offsets":[0,4]}})";

std::string refusal(const std::string& file) {
  const auto read = parse_safetensors(file, file.size());
  return read ? "" : read.error().message;
}

TEST(Safetensors, TensorsComeInTheOrderOfTheirBytes) {
  const std::string file = with_length(kTwo, std::string(12, '\0'));
  const auto read = parse_safetensors(file, file.size());
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].name, "a");
  EXPECT_EQ((*read)[0].dtype, DType::bfloat16);
  EXPECT_EQ((*read)[1].shape, (Shape{2}));
  EXPECT_EQ((*read)[1].end, file.size());
}

TEST(Safetensors, WrongFilesAreRefusedWithWhatIsWrong) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string header = kTwo;
    header.replace(header.find(from), from.size(), to);
    return with_length(header, std::string(12, '\0'));
  };
  std::string huge = with_length(kTwo, std::string(12, '\0'));
  huge[6] = 1;
  const std::map<std::string, std::string> cases{
      {"", "0 bytes are no safetensors file"},
      {huge, "the header says it has"},
      {with_length(kTwo, "").substr(0, 40), "the header says it has"},
      {with_length("[]", ""), "no JSON object"},
      {with_length(std::string(500, '['), ""), "nests too deep"},
      {changed("[4,12]", "[3,11]"), "tensors \"a\" and \"b\" overlap at byte"},
      {changed("[4,12]", "[5,13]"), "its bytes end at 13"},
      {changed("[2]", "[3]"), "F32 of 3 take 12 bytes, data_offsets span 8"},
      {changed("[2]", "[-2]"), "no whole number from 0 on"},
      {changed("[2]", "[4611686018427387904,4611686018427387904]"), "passes 64 bits"},
      {changed("F32", "F31"), "dtype \"F31\" is not known"},
      {changed("\"dtype\":\"F32\",", ""), "dtype, shape or data_offsets is missing"},
      {changed("\"a\":", "\"b\":"), "tensor \"b\" is there twice"},
      {with_length(kTwo, std::string(20, '\0')), "the file has"},
      {with_length(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "xx"), "belong to none"},
  };
  for (const auto& [file, words] : cases) EXPECT_NE(refusal(file).find(words), std::string::npos) << refusal(file);
}

/// Whatever is changed in a header, the answer is a refusal or tensors that fill the file.
TEST(Safetensors, ChangedFilesAreReadOrRefused) {
  std::mt19937 random(7);
  const std::string whole = with_length(kTwo, std::string(12, '\0'));
  int taken = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string file = whole;
    for (int change = 0; change < 1 + round % 3; ++change)
      file[random() % file.size()] = static_cast<char>(round % 2 == 0 ? random() : "0123456789[]{},:\""[random() % 18]);
    const auto read = parse_safetensors(file, file.size());
    ++(read ? taken : refused);
    if (!read) {
      ASSERT_FALSE(read.error().message.empty());
      continue;
    }
    uint64_t at = read->empty() ? file.size() : read->front().begin;
    for (const StoredTensor& t : *read) {
      ASSERT_EQ(t.begin, at);
      at = t.end;
    }
    ASSERT_EQ(at, file.size());
  }
  EXPECT_GT(taken, 0);
  EXPECT_GT(refused, 1000);
}

TEST(Safetensors, FilesAndIndicesAreOpened) {
  const tests::TemporaryFolder folder;
  const auto path = [&](const char* name) { return folder.path() / name; };
  const auto write = [&](const char* name, const std::string& bytes) {
    std::ofstream(path(name), std::ios::binary) << bytes;
  };
  std::string data(12, '\0');
  data[1] = 0x40;                                     // bf16 2
  data[7] = 0x3f, data[6] = static_cast<char>(0x80);  // f32 1
  write("one.safetensors", with_length(kTwo, data));
  const auto file = WeightFile::open(path("one.safetensors"));
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto a = file->read(*file->find("a")), b = file->read(*file->find("b"));
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->get_flat(0), 2);
  EXPECT_EQ(b->get_flat(0), 1);
  EXPECT_EQ(file->find("c"), nullptr);

  write("i.json", R"({"weight_map": {"a": "one.safetensors", "b": "one.safetensors"}})");
  const auto index = WeightFile::open(path("i.json"));
  ASSERT_TRUE(index.ok()) << index.error().message;
  EXPECT_EQ(index->count(), 2u);
  write("out.json", R"({"weight_map": {"a": "../one.safetensors"}})");
  EXPECT_NE(WeightFile::open(path("out.json")).error().message.find("no file beside it"), std::string::npos);
  write("more.json", R"({"weight_map": {"a": "one.safetensors", "c": "one.safetensors"}})");
  EXPECT_NE(WeightFile::open(path("more.json")).error().message.find("names tensor \"c\" in \"one.safetensors\""),
            std::string::npos);
  EXPECT_FALSE(WeightFile::open(path("absent.safetensors")).ok());
}

}  // namespace
}  // namespace engine
