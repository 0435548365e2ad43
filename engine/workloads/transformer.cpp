// SPDX-License-Identifier: Apache-2.0
// transformer: an encoder that tells every token, and gpt: a decoder that continues a text, with its cache of keys and
// values.
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"
#include "engine/workloads/transformer_layers.h"

namespace engine {
namespace {

ValueId token_input(GraphBuilder& builder, int64_t batch, int64_t count, int64_t vocabulary) {
  return builder.input("tokens", TensorType::contiguous(DType::int64, {batch, count}),
                       Fill{Fill::Kind::integers, 0, static_cast<double>(vocabulary)});
}

void build_encoder(GraphBuilder& builder, const Arguments& arguments) {
  LayerBuilder net(builder, arguments);
  const TransformerShape shape = transformer_arguments(arguments);
  if (!check_shape(builder, shape)) return;
  Transformer transformer(net, shape);
  const int64_t sequence = integer_argument(arguments, "sequence"),
                vocabulary = integer_argument(arguments, "vocabulary");
  const ValueId tokens = token_input(builder, integer_argument(arguments, "batch"), sequence, vocabulary);
  const ValueId x = transformer.blocks(transformer.embed(tokens, vocabulary, sequence, 0));
  finish_classifier(builder, transformer.logits(x), arguments, transformer.outputs());
}

/// The last position of [B, S, width], as [B, 1, width].
ValueId last_position(GraphBuilder& builder, ValueId x) {
  if (builder.failed()) return kNoValue;
  const int64_t count = builder.type(x).shape[1];
  return ops::slice(builder, x, 1, count - 1, count);
}

void build_decoder(GraphBuilder& builder, const Arguments& arguments) {
  LayerBuilder net(builder, arguments);
  TransformerShape shape = transformer_arguments(arguments);
  shape.causal = true;
  if (const int64_t shared = integer_argument(arguments, "kv_heads"); shared > 0) shape.kv_heads = shared;
  if (!check_shape(builder, shape)) return;
  Transformer transformer(net, shape);
  const int64_t context = integer_argument(arguments, "context"),
                vocabulary = integer_argument(arguments, "vocabulary");
  const bool decode = !net.training() && text_argument(arguments, "phase") == "decode";
  const int64_t count = decode ? 1 : context, start = context - count;
  const ValueId tokens = token_input(builder, integer_argument(arguments, "batch"), count, vocabulary);
  KeyValueCache cache;
  if (!net.training()) cache = {.length = context, .start = start};
  ValueId x = transformer.blocks(transformer.embed(tokens, vocabulary, context, start), cache);
  if (!net.training()) x = last_position(builder, x);
  finish_classifier(builder, transformer.logits(x), arguments, transformer.outputs());
}

void add_training_parameters(Workload& workload) {
  for (Parameter& parameter : optimizer_parameters("0.01", "0.9")) workload.parameters.push_back(std::move(parameter));
  workload.parameters.push_back(clipping_parameter("0"));
  workload.parameters.push_back(checkpointing_parameter("the blocks"));
}

}  // namespace

Workload transformer_workload() {
  Workload workload;
  workload.name = "transformer";
  workload.title = "Transformer encoder";
  workload.description =
      "Attention of every token to every other, then a two-layer network per token. GEMMs are "
      "bound by arithmetic; "
      "norms, GELU and softmax by memory. Unfused attention puts the square of the sequence into "
      "memory.";
  workload.parameters = {batch_parameter(4),
                         integer_parameter("sequence", "Sequence", "Tokens per sample.", 128, "tokens")};
  for (Parameter& parameter : transformer_parameters(512, 8, 2048, 4, 8192))
    workload.parameters.push_back(std::move(parameter));
  add_training_parameters(workload);
  workload.small = {{"batch", "2"}, {"sequence", "5"}, {"width", "16"},     {"heads", "4"},
                    {"mlp", "24"},  {"layers", "2"},   {"vocabulary", "11"}};
  workload.build = build_encoder;
  return workload;
}

Workload gpt_workload() {
  Workload workload;
  workload.name = "gpt";
  workload.title = "GPT decoder";
  workload.description =
      "A text is read at once (prefill: GEMMs, bound by arithmetic), then continued token by token "
      "(decode, bound by "
      "memory). Each token of decode reads every weight and the whole cache of keys and values.";
  workload.parameters = {
      batch_parameter(1),
      choice_parameter("phase", "Phase",
                       "decode: one token at the last position of a full context; prefill: all tokens of the context, "
                       "which fills the "
                       "cache. Used in inference only.",
                       {"decode", "prefill"}),
      integer_parameter("context", "Context", "Tokens in view: positions of the cache, and of a training sample.", 256,
                        "tokens"),
      integer_parameter("kv_heads", "Heads of keys",
                        "Heads of keys and values; fewer than heads share a smaller cache. 0: as many.", 0, "heads",
                        0)};
  for (Parameter& parameter : transformer_parameters(768, 12, 3072, 12, 50257))
    workload.parameters.push_back(std::move(parameter));
  add_training_parameters(workload);
  workload.presets = {{"gpt2-decode",
                       "GPT-2 small (124 M parameters), one token after 1,023 others",
                       {{"context", "1024"}, {"phase", "decode"}, {"mode", "inference"}}},
                      {"gpt2-prefill",
                       "GPT-2 small (124 M parameters), a text of 1,024 tokens",
                       {{"context", "1024"}, {"phase", "prefill"}, {"mode", "inference"}}}};
  workload.small = {{"batch", "2"}, {"context", "6"}, {"kv_heads", "2"}, {"width", "16"},
                    {"heads", "4"}, {"mlp", "24"},    {"layers", "2"},   {"vocabulary", "11"}};
  workload.build = build_decoder;
  return workload;
}

}  // namespace engine
