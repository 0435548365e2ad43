// SPDX-License-Identifier: Apache-2.0
// NumPy's files: what is written is read again, what numpy writes is read, what is damaged is refused by name.
#include "engine/files/npy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace engine {
namespace {

namespace fs = std::filesystem;

std::string written(const std::string& name, const std::string& bytes) {
  static const tests::TemporaryFolder folder;
  tests::write_bytes(folder / name, bytes);
  return (folder / name).string();
}

/// A .npy file with any header.
std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version, bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xff), bytes += static_cast<char>(header.size() >> 8);
  if (version > 1) bytes += std::string(2, '\0');
  return bytes + header + data;
}

std::string floats(std::initializer_list<float> values) {
  std::string bytes;
  for (const float value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

std::string refusal(const std::string& bytes) {
  const Result<Tensor> tensor = parse_npy(bytes);
  return tensor ? "it was read" : tensor.error().message;
}

TEST(Npy, EveryDtypeComesBack) {
  for (const DType dtype : all_dtypes()) {
    const Result<Tensor> tensor = Tensor::from_values({2, 3}, std::vector<double>{0, 1, 0, 1, 1, 0}, dtype);
    ASSERT_TRUE(tensor.ok());
    const Result<std::string> bytes = npy_bytes(*tensor);
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ((bytes->size() - static_cast<size_t>(6 * (dtype == DType::bfloat16 ? 4 : size_bytes(dtype)))) % 64, 0u)
        << "elements are aligned, as numpy writes them";
    const Result<Tensor> back = read_npy(written("x.npy", *bytes));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->dtype(), dtype == DType::bfloat16 ? DType::float32 : dtype);
    EXPECT_EQ(back->shape(), (Shape{2, 3}));
    for (int64_t k = 0; k < 6; ++k) EXPECT_EQ(back->get_flat(k), tensor->get_flat(k)) << name(dtype);
  }
}

TEST(Npy, ScalarsEmptyArraysAndSingleAxes) {
  for (const Shape& shape : {Shape{}, Shape{0, 4}, Shape{5}}) {
    const Result<Tensor> tensor = Tensor::empty(TensorType::contiguous(DType::float32, shape));
    const Result<Tensor> back = parse_npy(*npy_bytes(*tensor));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->shape(), shape);
  }
}

TEST(Npy, FortranOrderAndOtherSpellingsOfTheHeader) {
  const std::string data = floats({1, 2, 3, 4, 5, 6});
  const Result<Tensor> columns =
      parse_npy(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }   \n", data));
  ASSERT_TRUE(columns.ok()) << columns.error().message;
  EXPECT_EQ(columns->get_flat(1), 3);  // row 0, column 1
  EXPECT_EQ(columns->strides(), (Strides{3, 1}));
  for (const char version : {1, 2, 3}) {
    const Result<Tensor> other =
        parse_npy(npy("{ \"shape\" : (2L,3L), \"descr\":\"=f4\",'fortran_order' :False}", data, version));
    ASSERT_TRUE(other.ok()) << other.error().message;
    EXPECT_EQ(other->get_flat(1), 2);
  }
}

TEST(Npy, FalseClaimsAreRefusedWithBothValues) {
  const std::string data = floats({1, 2, 3, 4, 5, 6});
  const auto with = [&](const std::string& descr, const std::string& shape) {
    return refusal(npy(fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}", descr, shape), data));
  };
  EXPECT_NE(with("'<f4'", "(2, 4)").find("2x4 of f32 needs 32 bytes, the file has 24"), std::string::npos)
      << with("'<f4'", "(2, 4)");
  EXPECT_NE(with("'<f4'", "(2,)").find("needs 8 bytes, the file has 24"), std::string::npos);
  EXPECT_NE(with("'<f4'", "(4611686018427387904, 16)").find("2^63"), std::string::npos);
  EXPECT_NE(with("'<f4'", "(-6,)").find("-6 is negative"), std::string::npos);
  EXPECT_NE(with("'<c8'", "(3,)").find("\"<c8\" is not supported"), std::string::npos);
  EXPECT_NE(with("'>f4'", "(6,)").find("big-endian"), std::string::npos);
  EXPECT_NE(with("[('a', '<f4')]", "(6,)").find("structure"), std::string::npos);
  EXPECT_NE(with("'|O'", "(6,)").find("not supported"), std::string::npos) << "pickles are never read";
  EXPECT_NE(with("'<f4'", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,6)").find("more than 16 axes"), std::string::npos);
  EXPECT_NE(refusal("PK").find("no .npy file"), std::string::npos);
  EXPECT_NE(refusal(npy("{'descr': '<f4'}", data)).find("lacks"), std::string::npos);
  EXPECT_NE(refusal(npy("{'x': '<f4'}", data)).find("unknown key \"x\""), std::string::npos);
  EXPECT_NE(refusal(npy("", data, 7)).find("version 7"), std::string::npos);
}

TEST(Npy, EveryTruncationAndEveryChangedByteIsHandled) {
  const std::string whole =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", floats({1, 2, 3, 4, 5, 6}));
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(parse_npy(whole.substr(0, size)).ok()) << size;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x10, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      if (const Result<Tensor> tensor = parse_npy(damaged); tensor) {
        EXPECT_LE(tensor->type().elements(), 24);
      }
    }
  }
}

// ---- archives

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct Member {
  std::string name, packed;
  uint16_t method = 0;
  uint32_t bytes = 0, checksum = 0;
};

Member stored(const std::string& name, const std::string& bytes) {
  return {
      name, bytes, 0, static_cast<uint32_t>(bytes.size()),
      static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())))};
}

Member deflated(const std::string& name, const std::string& bytes) {
  Member member = stored(name, bytes);
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(bytes.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  member.packed = packed, member.method = 8;
  return member;
}

std::string archive(const std::vector<Member>& members) {
  std::string bytes, directory;
  for (const Member& m : members) {
    const auto offset = static_cast<uint32_t>(bytes.size());
    const auto packed = static_cast<uint32_t>(m.packed.size());
    put<uint32_t>(bytes, 0x04034b50), put<uint16_t>(bytes, 20), put<uint16_t>(bytes, 0), put(bytes, m.method);
    put<uint32_t>(bytes, 0), put(bytes, m.checksum), put(bytes, packed), put(bytes, m.bytes);
    put(bytes, static_cast<uint16_t>(m.name.size())), put<uint16_t>(bytes, 0);
    bytes += m.name + m.packed;
    put<uint32_t>(directory, 0x02014b50), put<uint16_t>(directory, 20), put<uint16_t>(directory, 20);
    put<uint16_t>(directory, 0), put(directory, m.method), put<uint32_t>(directory, 0), put(directory, m.checksum);
    put(directory, packed), put(directory, m.bytes), put(directory, static_cast<uint16_t>(m.name.size()));
    put<uint16_t>(directory, 0), put<uint16_t>(directory, 0), put<uint16_t>(directory, 0), put<uint16_t>(directory, 0);
    put<uint32_t>(directory, 0), put(directory, offset);
    directory += m.name;
  }
  const auto begin = static_cast<uint32_t>(bytes.size()), size = static_cast<uint32_t>(directory.size());
  bytes += directory;
  put<uint32_t>(bytes, 0x06054b50), put<uint32_t>(bytes, 0), put(bytes, static_cast<uint16_t>(members.size()));
  put(bytes, static_cast<uint16_t>(members.size())), put(bytes, size), put(bytes, begin), put<uint16_t>(bytes, 0);
  return bytes;
}

std::string array(std::initializer_list<float> values) {
  return npy(fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}\n", values.size()),
             floats(values));
}

TEST(Npz, StoredAndDeflatedArraysByName) {
  const std::string file =
      written("two.npz", archive({stored("x.npy", array({1, 2})), deflated("mask.npy", array({7, 8, 9}))}));
  EXPECT_EQ(*npz_names(file), (std::vector<std::string>{"x", "mask"}));
  const Result<Tensor> mask = read_npz(file, "mask");
  ASSERT_TRUE(mask.ok()) << mask.error().message;
  EXPECT_EQ(mask->get_flat(2), 9);
  EXPECT_EQ(read_npz(file, "x")->get_flat(1), 2);
  const Result<Tensor> none = read_npz(file, "y");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("array \"y\": it is not in this file"), std::string::npos);
}

TEST(Npz, ClaimsThatCannotBeAreRefused) {
  Member bomb = deflated("x.npy", array({1, 2, 3}));
  bomb.bytes = 0xfffffff0;
  const std::string file = written("bomb.npz", archive({bomb}));
  const Result<Tensor> read = read_npz(file, "x");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("claims 4294967280 bytes"), std::string::npos) << read.error().message;
  Member wrong = stored("x.npy", array({1}));
  wrong.checksum ^= 1;
  EXPECT_NE(read_npz(written("wrong.npz", archive({wrong})), "x").error().message.find("checksum"), std::string::npos);
  EXPECT_NE(npz_names(written("none.npz", "nothing")).error().message.find("no .npz file"), std::string::npos);
}

TEST(Npz, EveryTruncationAndEveryChangedByteIsHandled) {
  const std::string whole = archive({stored("x.npy", array({1, 2})), deflated("y.npy", array({7, 8, 9}))});
  const auto try_all = [](const std::string& bytes) {
    const std::string file = written("damaged.npz", bytes);
    const auto names = npz_names(file);
    if (!names) return;
    for (const std::string& name : *names) {
      if (const Result<Tensor> tensor = read_npz(file, name); tensor) {
        EXPECT_LE(tensor->type().elements(), 64);
      }
    }
  };
  for (size_t size = 0; size < whole.size(); size += 3) try_all(whole.substr(0, size));
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (at % 2 == 0 ? 0xff : 0x10));
    try_all(damaged);
  }
}

}  // namespace
}  // namespace engine
