// SPDX-License-Identifier: Apache-2.0
// libtensortide through its C functions alone: a product by hand, refusals in words, a capture read back.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/c_api/tensortide.h"

namespace {

struct Product {
  tensortide_graph* graph = tensortide_graph_create();
  int64_t a = -1, b = -1, c = -1;
  Product() {
    const int64_t a_shape[] = {2, 3}, b_shape[] = {3, 2};
    a = tensortide_graph_input(graph, "a", "f64", a_shape, 2);
    b = tensortide_graph_input(graph, "b", "f64", b_shape, 2);
    const int64_t operands[] = {a, b};
    EXPECT_EQ(tensortide_graph_op(graph, "matmul", operands, 2, nullptr, &c, 1), 1);
    EXPECT_EQ(tensortide_graph_mark_output(graph, c), 0);
  }
  ~Product() { tensortide_graph_free(graph); }
};

bool said(const char* words) { return std::string(tensortide_error()).find(words) != std::string::npos; }

TEST(CApi, ComputesAProduct) {
  const Product p;
  tensortide_session* session = tensortide_session_create(p.graph, 1);
  ASSERT_NE(session, nullptr) << tensortide_error();
  const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {7, 8, 9, 10, 11, 12};
  EXPECT_EQ(tensortide_session_write(session, p.a, a, 6), 0);
  EXPECT_EQ(tensortide_session_write(session, p.b, b, 6), 0);
  EXPECT_EQ(tensortide_session_run(session), 0);
  double c[4];
  ASSERT_EQ(tensortide_session_read(session, p.c, c, 4), 0) << tensortide_error();
  EXPECT_EQ(std::vector<double>(c, c + 4), (std::vector<double>{58, 64, 139, 154}));
  EXPECT_EQ(tensortide_session_read(session, p.c, c, 3), -1);
  EXPECT_TRUE(said("has 4 elements, 3 were given")) << tensortide_error();
  EXPECT_EQ(tensortide_session_write(session, p.c, c, 4), -1);
  tensortide_session_free(session);
}

/// Kernels keep no copy of what was written before.
TEST(CApi, WeightsMayChangeBetweenSteps) {
  tensortide_graph* graph = tensortide_graph_create();
  const int64_t x_shape[] = {1, 2}, w_shape[] = {1, 2};
  const int64_t x = tensortide_graph_input(graph, "x", "f32", x_shape, 2);
  const int64_t w = tensortide_graph_parameter(graph, "w", "f32", w_shape, 2);
  const int64_t operands[] = {x, w};
  int64_t y = -1;
  ASSERT_EQ(tensortide_graph_op(graph, "linear", operands, 2, nullptr, &y, 1), 1) << tensortide_error();
  tensortide_graph_mark_output(graph, y);
  tensortide_session* session = tensortide_session_create(graph, 1);
  tensortide_graph_free(graph);
  ASSERT_NE(session, nullptr) << tensortide_error();
  const double ones[] = {1, 1};
  ASSERT_EQ(tensortide_session_write(session, x, ones, 2), 0) << tensortide_error();
  for (const double weight : {3.0, 5.0}) {
    const double both[] = {weight, weight};
    ASSERT_EQ(tensortide_session_write(session, w, both, 2), 0) << tensortide_error();
    tensortide_session_run(session);
    double out = 0;
    ASSERT_EQ(tensortide_session_read(session, y, &out, 1), 0) << tensortide_error();
    EXPECT_EQ(out, 2 * weight);
  }
  tensortide_session_free(session);
}

TEST(CApi, RefusesInWordsAndStaysUsable) {
  const Product p;
  int64_t out = -1;
  const int64_t wrong[] = {p.a, p.a}, none[] = {99};
  EXPECT_EQ(tensortide_graph_op(p.graph, "matmul", wrong, 2, nullptr, &out, 1), -1);
  EXPECT_TRUE(said("inner dimensions differ")) << tensortide_error();
  EXPECT_EQ(tensortide_graph_op(p.graph, "conv", wrong, 2, nullptr, &out, 1), -1);
  EXPECT_TRUE(said("is no op")) << tensortide_error();
  EXPECT_EQ(tensortide_graph_op(p.graph, "relu", none, 1, nullptr, &out, 1), -1);
  EXPECT_TRUE(said("value 99")) << tensortide_error();
  const int64_t right[] = {p.c};
  EXPECT_EQ(tensortide_graph_op(p.graph, "permute", right, 1, "{\"axes\": \"x\"}", &out, 1), -1);
  EXPECT_TRUE(said("\"axes\"")) << tensortide_error();
  EXPECT_EQ(tensortide_graph_op(p.graph, "permute", right, 1, "{\"axes\": [1, 0]}", &out, 1), 1) << tensortide_error();
  int64_t shape[2];
  EXPECT_EQ(tensortide_graph_shape(p.graph, out, shape, 2), 2);
  EXPECT_EQ(tensortide_graph_input(p.graph, "x", "f99", shape, 2), -1);
  EXPECT_EQ(tensortide_capture_open("/nowhere.tide"), nullptr);
  EXPECT_TRUE(said("/nowhere.tide")) << tensortide_error();
  tensortide_graph_free(nullptr);
}

TEST(CApi, RecordsAndReadsACapture) {
  const Product p;
  tensortide_capture* capture = tensortide_record(p.graph, 1, 3, nullptr);
  ASSERT_NE(capture, nullptr) << tensortide_error();
  char* text = tensortide_capture_table(capture, "ops");
  ASSERT_NE(text, nullptr) << tensortide_error();
  EXPECT_NE(std::string(text).find("matmul"), std::string::npos);
  tensortide_text_free(text);
  EXPECT_EQ(tensortide_capture_table(capture, "opps"), nullptr);
  EXPECT_TRUE(said("did you mean")) << tensortide_error();
  tensortide_capture_free(capture);
}

}  // namespace
