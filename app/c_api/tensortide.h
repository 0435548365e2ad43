// SPDX-License-Identifier: Apache-2.0
/* libtensortide: build a graph, run it, record it, read a capture; plain C with opaque handles. */
#ifndef TENSORTIDE_H
#define TENSORTIDE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENSORTIDE_API __attribute__((visibility("default")))

/* A function that can fail returns NULL or -1 then, and tensortide_error() says why. Handles belong to the caller until
   they are given to their ..._free(), which takes NULL, too. A handle is used by one thread at a time. */
typedef struct tensortide_graph tensortide_graph;
typedef struct tensortide_session tensortide_session;
typedef struct tensortide_capture tensortide_capture;

/* "0.1.0" */
TENSORTIDE_API const char* tensortide_version(void);
/* What the last function that failed on this thread said; empty: none did. Valid until the next call. */
TENSORTIDE_API const char* tensortide_error(void);

TENSORTIDE_API tensortide_graph* tensortide_graph_create(void);
TENSORTIDE_API void tensortide_graph_free(tensortide_graph*);
/* Leaves, row-major. `dtype`: "f64", "f32", "bf16", "f16", "i64", "i32", "i8", "u8", "bool". They start with zeros
   until they are written. Return the value's number. */
TENSORTIDE_API int64_t tensortide_graph_input(tensortide_graph*, const char* name, const char* dtype,
                                              const int64_t* shape, size_t rank);
TENSORTIDE_API int64_t tensortide_graph_parameter(tensortide_graph*, const char* name, const char* dtype,
                                                  const int64_t* shape, size_t rank);
/* Appends an op (`tensortide ops` lists them). `attributes`: a JSON object such as {"axis": 1}, or NULL. Writes the
   numbers of the op's results to `outputs`, at most `capacity`; returns how many results it has. */
TENSORTIDE_API int64_t tensortide_graph_op(tensortide_graph*, const char* op, const int64_t* inputs, size_t count,
                                           const char* attributes, int64_t* outputs, size_t capacity);
/* Keeps a value to the end of a step. 0: done. */
TENSORTIDE_API int tensortide_graph_mark_output(tensortide_graph*, int64_t value);
/* The extents of a value; returns its rank. */
TENSORTIDE_API int64_t tensortide_graph_shape(const tensortide_graph*, int64_t value, int64_t* shape, size_t capacity);

/* Plans the graph for the CPU; threads 0: all cores. The graph may be freed afterwards. */
TENSORTIDE_API tensortide_session* tensortide_session_create(const tensortide_graph*, int threads);
TENSORTIDE_API void tensortide_session_free(tensortide_session*);
/* Elements in row-major order, as double; `count` must be the number of elements. 0: done. Leaves can be written,
   leaves and outputs read. */
TENSORTIDE_API int tensortide_session_write(tensortide_session*, int64_t value, const double* elements, size_t count);
TENSORTIDE_API int tensortide_session_read(const tensortide_session*, int64_t value, double* elements, size_t count);
/* Runs one step. */
TENSORTIDE_API int tensortide_session_run(tensortide_session*);

/* Runs a graph some steps and records a capture. `file`: NULL, or a .tide to write. */
TENSORTIDE_API tensortide_capture* tensortide_record(const tensortide_graph*, int threads, int steps, const char* file);
TENSORTIDE_API tensortide_capture* tensortide_capture_open(const char* file);
TENSORTIDE_API void tensortide_capture_free(tensortide_capture*);
/* A table as JSON ("ops", "traffic", "results", ...: as `tensortide analyze --table`). Give it to
 * tensortide_text_free(). */
TENSORTIDE_API char* tensortide_capture_table(const tensortide_capture*, const char* table);
TENSORTIDE_API void tensortide_text_free(char*);

#ifdef __cplusplus
}
#endif
#endif
