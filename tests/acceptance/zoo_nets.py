# SPDX-License-Identifier: Apache-2.0
"""Models that others wrote, with random weights and at small sizes: name -> a function that makes (module, inputs). torchvision, timm and transformers are asked for
those that are installed; nothing is downloaded."""
import importlib.util

import torch
from torch import nn

ZOO = {}


def add(name, make):
    ZOO[name] = make


class Outputs(nn.Module):
    """Makes a plain tuple of the tensors a model gives, whatever it wraps them in."""

    def __init__(self, model, names, pick=(), **fixed):
        super().__init__()
        self.model, self.names, self.pick, self.fixed = model, names, pick, fixed

    def forward(self, *inputs):
        made = self.model(**dict(zip(self.names, inputs)), **self.fixed) if self.names else self.model(*inputs)
        if isinstance(made, dict) or hasattr(made, "keys"):
            made = [made[k] for k in (self.pick or made.keys())]
        if isinstance(made, (list, tuple)):
            return tuple(t for t in made if isinstance(t, torch.Tensor))
        return made


def image(size, batch=1):
    return torch.rand(batch, 3, size, size)


def tokens(length, words=512, batch=1):
    return torch.randint(1, words, (batch, length))


# ---- torchvision ------------------------------------------------------------------------------------------------------------

def add_torchvision():
    from torchvision import models

    def classifier(name, size=96, **words):
        add("tv_" + name, lambda: (models.get_model(name, weights=None, num_classes=100, **words), [image(size)]))

    for name in ["alexnet", "vgg11_bn"]:  # their pooling divides 7 evenly at 224 only, which the exporter asks for
        classifier(name, 224)
    for name in ["resnet18", "resnet50", "resnext50_32x4d", "wide_resnet50_2", "densenet121", "squeezenet1_1", "mobilenet_v2", "mobilenet_v3_small",
                 "mobilenet_v3_large", "mnasnet0_5", "shufflenet_v2_x1_0", "efficientnet_b0", "efficientnet_v2_s", "regnet_y_400mf", "regnet_x_400mf", "convnext_tiny",
                 "swin_t", "swin_v2_t"]:
        classifier(name)
    classifier("inception_v3", 128, aux_logits=False, init_weights=False)
    classifier("googlenet", 96, aux_logits=False, init_weights=False)
    classifier("maxvit_t", 224)

    def vit():
        return models.VisionTransformer(image_size=96, patch_size=16, num_layers=4, num_heads=6, hidden_dim=384, mlp_dim=1536, num_classes=100), [image(96)]

    add("tv_vit", vit)
    for name in ["fcn_resnet50", "deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large"]:
        add("tv_" + name, lambda name=name: (Outputs(models.get_model(name, weights=None, weights_backbone=None, num_classes=21), (), ("out",)), [image(96)]))
    add("tv_r3d_18", lambda: (models.get_model("r3d_18", weights=None, num_classes=10), [torch.rand(1, 3, 8, 56, 56)]))
    add("tv_r2plus1d_18", lambda: (models.get_model("r2plus1d_18", weights=None, num_classes=10), [torch.rand(1, 3, 8, 56, 56)]))

    class Detector(nn.Module):
        def __init__(self, name, size):
            super().__init__()
            self.model = models.get_model(name, weights=None, weights_backbone=None, num_classes=5, min_size=size, max_size=size) if "ssd" not in name else \
                models.get_model(name, weights=None, weights_backbone=None, num_classes=5)
            if "ssd" in name:  # else all scores are equal but for rounding, and nobody says which box comes first
                with torch.no_grad():
                    for parameter in self.model.parameters():
                        if parameter.dim() == 4:
                            parameter.mul_(4)

        def forward(self, x):
            made = self.model([x])[0]
            return made["boxes"], made["scores"], made["labels"]

    for name in ["ssdlite320_mobilenet_v3_large", "retinanet_resnet50_fpn", "fasterrcnn_mobilenet_v3_large_320_fpn", "fcos_resnet50_fpn"]:
        add("tv_" + name, lambda name=name: (Detector(name, 128), [torch.rand(3, 128, 128)]))


# ---- timm -------------------------------------------------------------------------------------------------------------------

TIMM = ["vit_tiny_patch16_224", "deit_tiny_patch16_224", "beit_base_patch16_224", "cait_xxs24_224", "mixer_s32_224", "gmlp_s16_224", "resmlp_12_224", "convmixer_768_32",
        "convnextv2_atto", "mobilenetv4_conv_small", "mobileone_s0", "mobilevit_xxs", "mobilevitv2_050", "efficientformer_l1", "edgenext_xx_small", "fastvit_t8", "ghostnet_100",
        "lcnet_050", "tinynet_e", "hardcorenas_a", "repvgg_a0", "resnest14d", "seresnet18", "res2net50_14w_8s", "dla34", "hrnet_w18_small", "nfnet_l0", "regnetx_002",
        "xcit_nano_12_p16_224", "coat_tiny", "crossvit_tiny_240", "levit_128s", "pit_ti_224", "poolformer_s12", "pvt_v2_b0", "twins_svt_small", "visformer_tiny",
        "volo_d1_224", "swinv2_tiny_window8_256", "maxvit_rmlp_pico_rw_256", "eva02_tiny_patch14_224", "tf_efficientnet_lite0", "cs3darknet_s", "darknet53", "inception_v4",
        "selecsls42b", "vovnet39a", "focalnet_tiny_srf", "davit_tiny", "nest_tiny", "tiny_vit_5m_224", "repvit_m0_9", "starnet_s1", "efficientvit_b0", "hiera_tiny_224"]


def add_timm():
    import timm
    for name in TIMM:
        def make(name=name):
            model = timm.create_model(name, pretrained=False, num_classes=100, exportable=True)
            return model, [image(model.pretrained_cfg["input_size"][-1] if model.pretrained_cfg else 224)]
        add("timm_" + name, make)


# ---- transformers -----------------------------------------------------------------------------------------------------------

def add_transformers():
    import transformers as t

    def text(name, config, words, length=64, pick=("last_hidden_state",), model=None, inputs=("input_ids", "attention_mask"), **more):
        def make():
            made = config(**words)
            made._attn_implementation = "eager"
            made.use_cache = False
            given = [tokens(length), torch.ones(1, length, dtype=torch.int64)][:len(inputs)]
            return Outputs((model or t.AutoModel).from_config(made) if model is None or hasattr(model, "from_config") else model(made), inputs, pick, **more), given
        add("hf_" + name, make)

    small = {"vocab_size": 512, "hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 512}
    text("bert", t.BertConfig, small)
    text("roberta", t.RobertaConfig, {**small, "max_position_embeddings": 130})
    text("electra", t.ElectraConfig, {**small, "embedding_size": 64})
    text("albert", t.AlbertConfig, {**small, "embedding_size": 64})
    text("distilbert", t.DistilBertConfig, {"vocab_size": 512, "dim": 128, "n_layers": 2, "n_heads": 4, "hidden_dim": 512})
    text("deberta_v2", t.DebertaV2Config, {**small, "relative_attention": True, "pos_att_type": ["p2c", "c2p"], "max_relative_positions": 64})
    text("mpnet", t.MPNetConfig, small)
    text("gpt2", t.GPT2Config, {"vocab_size": 512, "n_embd": 128, "n_layer": 2, "n_head": 4, "n_positions": 128})
    text("gpt_neox", t.GPTNeoXConfig, small)
    text("opt", t.OPTConfig, {"vocab_size": 512, "hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 512, "word_embed_proj_dim": 128})
    text("bloom", t.BloomConfig, {"vocab_size": 512, "hidden_size": 128, "n_layer": 2, "n_head": 4})
    grouped = {**small, "num_key_value_heads": 2}
    text("llama", t.LlamaConfig, grouped)
    text("mistral", t.MistralConfig, {**grouped, "sliding_window": 32})
    text("qwen2", t.Qwen2Config, grouped)
    text("qwen3", t.Qwen3Config, {**grouped, "head_dim": 32})
    text("gemma", t.GemmaConfig, {**grouped, "head_dim": 32})
    text("gemma2", t.Gemma2Config, {**grouped, "head_dim": 32, "sliding_window": 32})
    text("phi", t.PhiConfig, small)
    text("phi3", t.Phi3Config, {**grouped, "pad_token_id": 0})
    text("falcon", t.FalconConfig, {"vocab_size": 512, "hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "alibi": False, "bos_token_id": 1, "eos_token_id": 2})
    text("mixtral", t.MixtralConfig, {**grouped, "num_local_experts": 4})
    text("mamba", t.MambaConfig, {"vocab_size": 512, "hidden_size": 64, "num_hidden_layers": 2, "state_size": 8, "expand": 2}, 16, inputs=("input_ids",))

    def pair(name, make_model, length=32):
        def make():
            model = make_model()
            return Outputs(model, ("input_ids", "decoder_input_ids"), ("last_hidden_state",), use_cache=False), [tokens(length), tokens(length)]
        add("hf_" + name, make)

    pair("t5", lambda: t.T5Model(t.T5Config(vocab_size=512, d_model=128, d_kv=32, d_ff=512, num_layers=2, num_heads=4)))
    pair("bart", lambda: t.BartModel(t.BartConfig(vocab_size=512, d_model=128, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
                                                  encoder_ffn_dim=512, decoder_ffn_dim=512, attn_implementation="eager")))

    def whisper():
        config = t.WhisperConfig(vocab_size=512, d_model=128, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=512,
                                 decoder_ffn_dim=512, num_mel_bins=80, max_source_positions=100, max_target_positions=64, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                                 decoder_start_token_id=1, suppress_tokens=[], begin_suppress_tokens=[], attn_implementation="eager")
        return Outputs(t.WhisperModel(config), ("input_features", "decoder_input_ids"), ("last_hidden_state",), use_cache=False), [torch.randn(1, 80, 200), tokens(16)]

    def wav2vec2():
        config = t.Wav2Vec2Config(hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=512, conv_dim=[64] * 7, num_conv_pos_embeddings=16,
                                  attn_implementation="eager")
        return Outputs(t.Wav2Vec2Model(config), ("input_values",), ("last_hidden_state",)), [torch.randn(1, 8000)]

    def clip():
        shape = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 512}
        config = t.CLIPConfig(text_config={**shape, "vocab_size": 512, "max_position_embeddings": 32, "eos_token_id": 2}, vision_config={**shape, "image_size": 96, "patch_size": 16},
                              projection_dim=64, attn_implementation="eager")
        return Outputs(t.CLIPModel(config), ("input_ids", "pixel_values"), ("logits_per_image",)), [tokens(16), image(96)]

    def vision(name, make_model, size=96, pick=("last_hidden_state",)):
        add("hf_" + name, lambda: (Outputs(make_model(), ("pixel_values",), pick), [image(size)]))

    add("hf_whisper", whisper)
    add("hf_wav2vec2", wav2vec2)
    add("hf_clip", clip)
    shape = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 512, "attn_implementation": "eager"}
    vision("vit", lambda: t.ViTModel(t.ViTConfig(**shape, image_size=96)))
    vision("deit", lambda: t.DeiTModel(t.DeiTConfig(**shape, image_size=96)))
    vision("dinov2", lambda: t.Dinov2Model(t.Dinov2Config(hidden_size=128, num_hidden_layers=2, num_attention_heads=4, image_size=98, patch_size=14, attn_implementation="eager")), 98)
    vision("swin", lambda: t.SwinModel(t.SwinConfig(image_size=112, embed_dim=48, depths=[2, 2], num_heads=[3, 6])), 112)
    vision("convnext", lambda: t.ConvNextModel(t.ConvNextConfig(hidden_sizes=[32, 64, 128, 256], depths=[2, 2, 2, 2])))
    vision("segformer", lambda: t.SegformerForSemanticSegmentation(t.SegformerConfig(depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 64, 128], decoder_hidden_size=64, num_labels=10)), 128, ("logits",))
    vision("mobilevit", lambda: t.MobileViTModel(t.MobileViTConfig(image_size=128)), 128)
    vision("detr", lambda: t.DetrForObjectDetection(t.DetrConfig(use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config=t.ResNetConfig(
        embedding_size=32, hidden_sizes=[32, 64, 128, 256], depths=[1, 1, 1, 1], out_features=["stage4"]), d_model=128, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=512, decoder_ffn_dim=512,
        encoder_attention_heads=4, decoder_attention_heads=4, num_queries=20, attn_implementation="eager")), 128, ("logits", "pred_boxes"))
    vision("sam_encoder", lambda: t.SamVisionModel(t.SamVisionConfig(hidden_size=96, num_hidden_layers=2, num_attention_heads=4, image_size=128, patch_size=16, output_channels=32, mlp_dim=384,
                                                                    global_attn_indexes=[1], window_size=4, attn_implementation="eager")), 128)


# ---- recurrent modules ------------------------------------------------------------------------------------------------------

def add_recurrent():
    add("nn_lstm", lambda: (nn.LSTM(64, 128, 2, batch_first=True), [torch.randn(4, 32, 64)]))
    add("nn_bilstm", lambda: (nn.LSTM(64, 64, bidirectional=True), [torch.randn(32, 4, 64)]))
    add("nn_gru", lambda: (nn.GRU(64, 128, 2), [torch.randn(32, 4, 64)]))
    add("nn_rnn", lambda: (nn.RNN(64, 128), [torch.randn(32, 4, 64)]))


for package, adds in [("torchvision", add_torchvision), ("timm", add_timm), ("transformers", add_transformers)]:
    if importlib.util.find_spec(package):
        adds()
add_recurrent()
