// SPDX-License-Identifier: Apache-2.0
// A model with its own inputs and outputs, as a user meets it: --input, --save-outputs, --check, inspect, open extents.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <png.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/files/npy.h"
#include "tests/app/cli/process.h"

namespace {

namespace fs = std::filesystem;
using engine::DType;
using engine::Shape;
using engine::Tensor;
using nlohmann::json;
using test::fresh_folder;
using test::parsed;
using test::tensortide;

// ---- model files, written by hand: protobuf's wire format

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string number(int field, uint64_t value) { return varint(static_cast<uint64_t>(field) << 3) + varint(value); }
std::string part(int field, const std::string& bytes) {
  return varint(static_cast<uint64_t>(field) << 3 | 2) + varint(bytes.size()) + bytes;
}

/// An extent: a number, a name, or neither ("").
std::string extent(const std::string& word) {
  if (word.empty()) return part(1, "");
  const bool digits = word.find_first_not_of("0123456789") == std::string::npos;
  return part(1, digits ? number(1, std::stoull(word)) : part(2, word));
}

std::string declared(const std::string& name, const std::vector<std::string>& extents, uint64_t type = 1) {
  std::string shape;
  for (const std::string& word : extents) shape += extent(word);
  return part(1, name) + part(2, part(1, number(1, type) + part(2, shape)));
}

std::string node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
                 const std::string& domain = "") {
  std::string bytes;
  for (const std::string& input : inputs) bytes += part(1, input);
  return bytes + part(2, output) + part(3, "n_" + output) + part(4, op) + (domain.empty() ? "" : part(7, domain));
}

std::string model(const std::vector<std::string>& nodes, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs) {
  std::string graph;
  for (const std::string& each : nodes) graph += part(1, each);
  graph += part(2, "g");
  for (const std::string& each : inputs) graph += part(11, each);
  for (const std::string& each : outputs) graph += part(12, each);
  return number(1, 8) + part(2, "a test") + part(7, graph) + part(8, part(1, "") + number(2, 17));
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void write_array(const fs::path& file, const Shape& shape, const std::vector<double>& values,
                 DType dtype = DType::float32) {
  write(file, *engine::npy_bytes(*Tensor::from_values(shape, values, dtype)));
}

/// y = a - b, and "../up" = relu(y), in a folder.
fs::path difference_model() {
  const fs::path folder = fresh_folder();
  write(folder / "m.onnx", model({node("Sub", {"a", "b"}, "y"), node("Relu", {"y"}, "../up")},
                                 {declared("a", {"batch", "", "3"}), declared("b", {"batch", "", "3"})},
                                 {declared("y", {"batch", "", "3"}), declared("../up", {"batch", "", "3"})}));
  write_array(folder / "a.npy", {2, 1, 3}, {1, 2, 3, 4, 5, 6});
  write_array(folder / "b.npy", {2, 1, 3}, {6, 5, 4, 3, 2, 1});
  return folder;
}

std::string run_in(const fs::path& folder, const std::string& more) {
  return fmt::format("run {0}/m.onnx --threads 1 --steps 2 --warmup 1 --no-probe -o {0}/r.tide {1}", folder.string(),
                     more);
}

std::vector<double> values_of(const fs::path& file) {
  const auto tensor = engine::read_npy(file);
  EXPECT_TRUE(tensor.ok()) << (tensor ? "" : tensor.error().message);
  std::vector<double> values;
  for (int64_t k = 0; tensor && k < tensor->type().elements(); ++k) values.push_back(tensor->get_flat(k));
  return values;
}

TEST(ModelFiles, InputsComeFromFilesAndOutputsGoToFiles) {
  const fs::path folder = difference_model();
  const std::string dir = folder.string();
  const auto run =
      tensortide(run_in(folder, fmt::format("--input a={0}/a.npy --input b={0}/b.npy --save-outputs {0}/out", dir)));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(values_of(folder / "out/y.npy"), (std::vector<double>{-5, -3, -1, 1, 3, 5}));
  EXPECT_EQ(values_of(folder / "out/%2E.%2Fup.npy"), (std::vector<double>{0, 0, 0, 1, 3, 5}))
      << "no name leads out of the folder";
  EXPECT_FALSE(fs::exists(folder / "up.npy"));
  // the same again from the capture: its command names the files
  const json document = parsed(tensortide(fmt::format("analyze {}/r.tide --json", dir)).out);
  EXPECT_NE(document.dump().find("--input a="), std::string::npos);
  const auto again = tensortide(fmt::format("rerun {}/r.tide", dir));
  EXPECT_LE(again.exit_code, 1) << again.err;  // 1: it was slower
  // eagerly and fused
  for (const char* how : {"--graph eager", "--fuse on"}) {
    fs::remove_all(folder / "out");
    const auto other = tensortide(
        run_in(folder, fmt::format("--input a={0}/a.npy --input b={0}/b.npy --save-outputs {0}/out {1}", dir, how)));
    ASSERT_EQ(other.exit_code, 0) << other.err;
    EXPECT_EQ(values_of(folder / "out/y.npy"), (std::vector<double>{-5, -3, -1, 1, 3, 5})) << how;
  }
}

/// Nothing of it is left to run: the shape is known when the model is read.
TEST(ModelFiles, AModelWithoutOpsIsRunAndItsCaptureIsRead) {
  const fs::path folder = fresh_folder();
  write(folder / "m.onnx", model({node("Shape", {"a"}, "y")}, {declared("a", {"2", "3"})}, {declared("y", {"2"}, 7)}));
  const auto run = tensortide(run_in(folder, fmt::format("--save-outputs {}/out", folder.string())));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(values_of(folder / "out/y.npy"), (std::vector<double>{2, 3}));
  for (const char* table : {"summary", "ops", "tensors", "memory", "findings"}) {
    const auto read = tensortide(fmt::format("analyze {}/r.tide --table {}", folder.string(), table));
    EXPECT_EQ(read.exit_code, 0) << table << ": " << read.err;
  }
}

TEST(ModelFiles, CheckSaysWhereAndByHowMuch) {
  const fs::path folder = difference_model();
  const std::string dir = folder.string();
  const std::string inputs = fmt::format("--input a={0}/a.npy --input b={0}/b.npy ", dir);
  ASSERT_EQ(tensortide(run_in(folder, inputs + fmt::format("--save-outputs {}/out", dir))).exit_code, 0);
  const auto same = tensortide(run_in(folder, inputs + fmt::format("--check {}/out", dir)));
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  EXPECT_NE(same.out.find("y: equal"), std::string::npos) << same.out;
  write_array(folder / "out/y.npy", {2, 1, 3}, {-5, -3, -1, 1, 3.5, 5});
  const auto apart = tensortide(run_in(folder, inputs + fmt::format("--check {}/out", dir)));
  EXPECT_EQ(apart.exit_code, 1);
  EXPECT_NE(apart.out.find("y: 1 of 6 elements are beyond the tolerance of 0.001; largest difference 0.5 at (1, 0, 1): "
                           "3 instead of 3.5"),
            std::string::npos)
      << apart.out;
  const json document =
      parsed(tensortide(run_in(folder, inputs + fmt::format("--json --tolerance 0.2 --check {}/out", dir))).out);
  EXPECT_EQ(document["outputs"]["ok"], true);
  EXPECT_EQ(document["outputs"]["checks"][0]["at"], json({1, 0, 1}));
  write_array(folder / "out/y.npy", {2, 3}, {-5, -3, -1, 1, 3, 5});
  const auto shape = tensortide(run_in(folder, inputs + fmt::format("--check {}/out", dir)));
  EXPECT_EQ(shape.exit_code, 1);
  EXPECT_NE(shape.out.find("it is f32 2x1x3, f32 2x3 was expected"), std::string::npos) << shape.out;
  fs::remove_all(folder / "out");
  fs::create_directories(folder / "out");
  const auto none = tensortide(run_in(folder, inputs + fmt::format("--check {}/out", dir)));
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_NE(none.err.find("has none of y.npy, output_0.pb"), std::string::npos) << none.err;
}

TEST(ModelFiles, AFolderOfTestDataIsReadByNumber) {
  const fs::path folder = difference_model();
  const fs::path set = folder / "test_data_set_0";
  fs::create_directories(set);
  const auto tensor = [](const std::string& name, const std::vector<float>& values) {
    const std::string raw(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    return number(1, 1) + number(1, 1) + number(1, 3) + number(2, 1) + part(8, name) + part(9, raw);
  };
  write(set / "input_0.pb", tensor("a", {1, 2, 3}));
  write(set / "input_1.pb", tensor("b", {1, 1, 1}));
  write(set / "output_0.pb", tensor("y", {0, 1, 2}));
  write(set / "output_1.pb", tensor("up", {0, 1, 2}));
  const auto run = tensortide(run_in(folder, fmt::format("--input {0} --check {0}", set.string())));
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("../up: equal"), std::string::npos) << run.out;
}

TEST(ModelFiles, WhatDoesNotFitIsRefusedWithBothValues) {
  const fs::path folder = difference_model();
  const std::string dir = folder.string();
  write_array(folder / "double.npy", {2, 1, 3}, {1, 2, 3, 4, 5, 6}, DType::float64);
  write_array(folder / "wide.npy", {2, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  write_array(folder / "flat.npy", {6}, {1, 2, 3, 4, 5, 6});
  write_array(folder / "three.npy", {3, 1, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  write(folder / "damaged.npy", "\x93NUMPY");
  const std::string b = fmt::format(" --input b={}/b.npy", dir);
  struct Case {
    std::string words;
    int exit_code;
    std::vector<std::string> parts;
  };
  for (const Case& c : {Case{"--input c=" + dir + "/a.npy", 2, {"no input c", "a, b"}},
                        Case{"--input a=" + dir + "/double.npy" + b, 2, {"\"a\"", "f32", "f64"}},
                        Case{"--input a=" + dir + "/wide.npy" + b, 2, {"\"a\"", "is 3 in the model and 4"}},
                        Case{"--input a=" + dir + "/flat.npy" + b, 2, {"\"a\"", "3 axes", "1 (6)"}},
                        Case{"--input a=" + dir + "/three.npy" + b, 2, {"\"batch\"", "2", "3"}},
                        Case{"--input a=" + dir + "/a.npy --input a=" + dir + "/b.npy", 2, {"given twice"}},
                        Case{"--input a=" + dir + "/none.npy" + b, 3, {"none.npy"}},
                        Case{"--input a=" + dir + "/damaged.npy" + b, 3, {"a=" + dir + "/damaged.npy: it "}},
                        Case{"--input " + dir + "/a.npy", 2, {"2 inputs (a, b)", "--input a="}},
                        Case{"--input a=" + dir + "/m.onnx" + b, 2, {"no input file"}},
                        Case{"--mean 1 --input a=" + dir + "/a.npy" + b, 2, {"[--mean]", "pictures"}},
                        Case{"--input a=" + dir + "/a.npy", 3, {"dimension 1", "--set b.dims="}},
                        Case{"--check " + dir + "/nowhere", 3, {"dimension 1"}}}) {
    const auto run = tensortide(run_in(folder, c.words));
    EXPECT_EQ(run.exit_code, c.exit_code) << c.words << ": " << run.err;
    for (const std::string& word : c.parts)
      EXPECT_NE(run.err.find(word), std::string::npos) << c.words << ": " << run.err;
  }
}

TEST(ModelFiles, APictureDecidesAboutTheSizeOfTheImageExample) {
  const fs::path folder = fresh_folder();
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = 4, image.height = 2, image.format = PNG_FORMAT_RGB;
  const std::vector<uint8_t> pixels(24, 51);
  ASSERT_NE(png_image_write_to_file(&image, (folder / "p.png").c_str(), 0, pixels.data(), 0, nullptr), 0);
  const std::string run = fmt::format(
      "run tensors --set example=image --input {0}/p.png --collect values --no-probe --steps 1 --warmup 0 -o "
      "{0}/r.tide",
      folder.string());
  const auto made = tensortide(run);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto values = tensortide(fmt::format("analyze {0}/r.tide --table values --json", folder.string()));
  EXPECT_NE(values.out.find("3x2x4"), std::string::npos) << values.out;
  EXPECT_NE(values.out.find("\"mean\": \"0.2"), std::string::npos) << "51 / 255: " << values.out;
  const auto refused = tensortide(run + " --set height=3");
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_NE(refused.err.find("3x3x32"), std::string::npos) << "what it takes: " << refused.err;
}

TEST(ModelFiles, APictureIsAnInput) {
  const fs::path folder = fresh_folder();
  write(folder / "m.onnx", model({node("Relu", {"image"}, "y")}, {declared("image", {"1", "3", "h", "w"})},
                                 {declared("y", {"1", "3", "h", "w"})}));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = 2, image.height = 1, image.format = PNG_FORMAT_RGB;
  const uint8_t pixels[] = {0, 51, 102, 153, 204, 255};
  ASSERT_NE(png_image_write_to_file(&image, (folder / "p.png").c_str(), 0, pixels, 0, nullptr), 0);
  const auto run = tensortide(run_in(
      folder,
      fmt::format("--input {0}/p.png --scale 0.00392156862745098 --mean 0,51,0 --save-outputs {0}", folder.string())));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<double> y = values_of(folder / "y.npy");
  ASSERT_EQ(y.size(), 6u);
  const double wanted[] = {0, 0.6, 0, 0.6, 0.4, 1};
  for (size_t k = 0; k < 6; ++k) EXPECT_NEAR(y[k], wanted[k], 1e-6) << k;
}

TEST(ModelFiles, AWorkloadTakesInputsAsWell) {
  const fs::path folder = fresh_folder();
  const json inspected =
      parsed(tensortide("inspect mlp --set input=4 --set hidden=4 --batch 2 --mode inference --json").out);
  ASSERT_FALSE(inspected["inputs"].empty()) << inspected;
  const std::string name = inspected["inputs"][0]["name"];
  EXPECT_EQ(inspected["inputs"][0]["shape"], json({2, 4}));
  write_array(folder / "x.npy", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto run = tensortide(fmt::format(
      "run mlp --set input=4 --set hidden=4 --batch 2 --mode inference --threads 1 --steps 1 --warmup 1 --no-probe -o "
      "{0}/r.tide --input {1}={0}/x.npy --save-outputs {0}/out",
      folder.string(), name));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_FALSE(fs::is_empty(folder / "out"));
}

TEST(Inspect, SaysWhatAModelIsMadeOfAndWhatIsOpen) {
  const fs::path folder = difference_model();
  const auto open = tensortide(fmt::format("inspect {}/m.onnx --json", folder.string()));
  EXPECT_EQ(open.exit_code, 1) << open.err;
  const json closed_not = parsed(open.out);
  EXPECT_EQ(closed_not["runs"], false);
  EXPECT_EQ(closed_not["open_extents"].size(), 3u) << closed_not["open_extents"];
  EXPECT_EQ(closed_not["open_extents"][0]["name"], "batch");
  EXPECT_EQ(closed_not["open_extents"][1]["option"], "--set a.dims=1,224,3");
  const auto done =
      tensortide(fmt::format("inspect {}/m.onnx --set a.dims=4,5,3 --set b.dims=-1,5,3 --json", folder.string()));
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  const json document = parsed(done.out);
  EXPECT_EQ(document["inputs"][1]["shape"], json({4, 5, 3})) << "the batch is one for all inputs";
  EXPECT_EQ(document["outputs"][1]["name"], "../up");
  EXPECT_EQ(document["flops"], 120);
  EXPECT_EQ(document["operand_bytes"], 5 * 60 * 4);
  EXPECT_EQ(document["operators"].size(), 2u);
  const json crossed = parsed(
      tensortide(fmt::format("inspect {}/m.onnx --set a.dims=4x5x3 --set b.dims=-1x5x3 --json", folder.string())).out);
  EXPECT_EQ(crossed["inputs"], document["inputs"]) << "written as shapes are";
  const json by_files = parsed(tensortide(fmt::format("inspect {0}/m.onnx --input {0} --json", folder.string())).out);
  EXPECT_EQ(by_files["inputs"][0]["shape"], json({2, 1, 3})) << "files close extents";
  const auto clash =
      tensortide(fmt::format("inspect {}/m.onnx --set a.dims=4,5,3 --set b.dims=2,5,3", folder.string()));
  EXPECT_NE((clash.out + clash.err).find("\"batch\""), std::string::npos) << clash.out << clash.err;
}

TEST(Inspect, NamesOperatorsThatAreMissingAndWhatWouldHelp) {
  const fs::path folder = fresh_folder();
  write(folder / "m.onnx", model({node("Relu", {"x"}, "h"), node("MatMulBnb4", {"h", "h"}, "i", "com.microsoft"),
                                  node("StringConcat", {"i", "i"}, "y")},
                                 {declared("x", {"2", "2"})}, {declared("y", {"2", "2"})}));
  const auto text = tensortide(fmt::format("inspect {}/m.onnx", folder.string()));
  EXPECT_EQ(text.exit_code, 1) << text.err;
  for (const char* part :
       {"com.microsoft.MatMulBnb4 (1x)", "onnxruntime's optimizer", "StringConcat (1x)", "x: f32 2 x 2"})
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
  write(folder / "none.onnx", "nothing");
  EXPECT_EQ(tensortide(fmt::format("inspect {}/none.onnx", folder.string())).exit_code, 3);
  EXPECT_EQ(tensortide("inspect nonesuch").exit_code, 2);
}

}  // namespace
