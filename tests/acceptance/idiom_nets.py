# SPDX-License-Identifier: Apache-2.0
"""Small networks in idioms that everybody writes: name -> a function that makes (module, inputs). Weights are random; nothing is downloaded."""
import math

import torch
from torch import nn
from torch.nn import functional as F

NETS = {}


def net(make):
    NETS[make.__name__] = make
    return make


class Apply(nn.Module):
    """A module of submodules and a function over them."""

    def __init__(self, function, **parts):
        super().__init__()
        for name, part in parts.items():
            setattr(self, name, part if isinstance(part, nn.Module) else nn.Parameter(part))
        self.function = function

    def forward(self, *inputs):
        return self.function(self, *inputs)


def conv_bn(i, o, k=1, s=1, g=1, act=nn.ReLU):
    layers = [nn.Conv2d(i, o, k, s, k // 2, groups=g, bias=False), nn.BatchNorm2d(o)]
    return nn.Sequential(*layers, act()) if act else nn.Sequential(*layers)


# ---- those of the report ----------------------------------------------------------------------------------------------------

@net
def conv3d():
    return nn.Sequential(nn.Conv3d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool3d(2), nn.Conv3d(16, 32, 3, padding=1), nn.ReLU(),
                         nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(32, 10)), [torch.randn(1, 3, 16, 56, 56)]


@net
def unet():
    def double(i, o):
        return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.ReLU(), nn.Conv2d(o, o, 3, padding=1), nn.ReLU())

    def run(m, x):
        a = m.a(x)
        b = m.b(F.max_pool2d(a, 2))
        c = m.c(F.max_pool2d(b, 2))
        y = m.d(torch.cat([b, m.up1(c)], 1))
        return m.out(m.e(torch.cat([a, m.up2(y)], 1)))

    return Apply(run, a=double(3, 16), b=double(16, 32), c=double(32, 64), up1=nn.ConvTranspose2d(64, 32, 2, 2), d=double(64, 32),
                 up2=nn.ConvTranspose2d(32, 16, 2, 2), e=double(32, 16), out=nn.Conv2d(16, 2, 1)), [torch.randn(1, 3, 128, 128)]


def shuffle(x, groups):
    n, c, h, w = x.shape
    return x.view(n, groups, c // groups, h, w).transpose(1, 2).reshape(n, c, h, w)


@net
def channel_shuffle():
    def run(m, x):
        x = m.stem(x)
        for block in m.blocks:
            a, b = x.chunk(2, 1)
            x = shuffle(torch.cat([a, block(b)], 1), 2)
        return m.head(x.mean((2, 3)))

    blocks = nn.ModuleList(nn.Sequential(conv_bn(58, 58), conv_bn(58, 58, 3, 1, 58, None), conv_bn(58, 58)) for _ in range(3))
    return Apply(run, stem=conv_bn(3, 116, 3, 4), blocks=blocks, head=nn.Linear(116, 100)), [torch.randn(1, 3, 112, 112)]


@net
def yolo_c2f():
    def run(m, x):
        y = list(m.first(m.stem(x)).chunk(2, 1))
        for block in m.blocks:
            y.append(y[-1] + block(y[-1]))
        return m.last(torch.cat(y, 1))

    blocks = nn.ModuleList(nn.Sequential(conv_bn(32, 32, 3, act=nn.SiLU), conv_bn(32, 32, 3, act=nn.SiLU)) for _ in range(2))
    return Apply(run, stem=conv_bn(3, 64, 3, 2, act=nn.SiLU), first=conv_bn(64, 64, act=nn.SiLU), blocks=blocks, last=conv_bn(128, 64, act=nn.SiLU)), [torch.randn(1, 3, 160, 160)]


@net
def lstm_batch_first():
    return Apply(lambda m, x: m.head(m.rnn(x)[0][:, -1]), rnn=nn.LSTM(64, 128, 2, batch_first=True), head=nn.Linear(128, 10)), [torch.randn(8, 50, 64)]


@net
def gru_batch_first():
    return Apply(lambda m, x: m.head(m.rnn(x)[0]), rnn=nn.GRU(64, 128, batch_first=True), head=nn.Linear(128, 10)), [torch.randn(8, 50, 64)]


@net
def transformer_encoder():
    layer = nn.TransformerEncoderLayer(128, 4, 512, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), [torch.randn(4, 64, 128)]


@net
def conv1d():
    return nn.Sequential(nn.Conv1d(16, 64, 5, padding=2), nn.BatchNorm1d(64), nn.ReLU(), nn.MaxPool1d(2), nn.Conv1d(64, 128, 3, padding=1), nn.ReLU(),
                         nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(128, 10)), [torch.randn(4, 16, 512)]


def qkv_attention(m, x, heads):
    b, n, c = x.shape
    q, k, v = m.qkv(x).reshape(b, n, 3, heads, c // heads).permute(2, 0, 3, 1, 4)
    scores = (q * (c // heads) ** -0.5) @ k.transpose(-2, -1)
    return m.proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))


@net
def window_attention():
    def run(m, x):
        b, h, w, c = x.shape
        windows = x.view(b, h // 7, 7, w // 7, 7, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 49, c)
        y = qkv_attention(m, m.norm(windows), 4)
        return x + y.view(b, h // 7, w // 7, 7, 7, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)

    return Apply(run, norm=nn.LayerNorm(96), qkv=nn.Linear(96, 288), proj=nn.Linear(96, 96)), [torch.randn(1, 28, 28, 96)]


@net
def vit_block():
    def run(m, x):
        x = m.patch(x).flatten(2).transpose(1, 2) + m.position
        x = x + qkv_attention(m, m.norm1(x), 3)
        return m.norm3(x + m.mlp(m.norm2(x)))[:, 0]

    mlp = nn.Sequential(nn.Linear(192, 768), nn.GELU(), nn.Linear(768, 192))
    return Apply(run, patch=nn.Conv2d(3, 192, 16, 16), position=torch.randn(1, 196, 192), norm1=nn.LayerNorm(192), norm2=nn.LayerNorm(192), norm3=nn.LayerNorm(192),
                 qkv=nn.Linear(192, 576), proj=nn.Linear(192, 192), mlp=mlp), [torch.randn(1, 3, 224, 224)]


@net
def group_norm_resnet():
    def block(c):
        return nn.Sequential(nn.Conv2d(c, c, 3, padding=1, bias=False), nn.GroupNorm(8, c), nn.ReLU(), nn.Conv2d(c, c, 3, padding=1, bias=False), nn.GroupNorm(8, c))

    def run(m, x):
        x = m.stem(x)
        for b in m.blocks:
            x = F.relu(x + b(x))
        return m.head(x.mean((2, 3)))

    return Apply(run, stem=nn.Conv2d(3, 64, 3, 2, 1), blocks=nn.ModuleList(block(64) for _ in range(2)), head=nn.Linear(64, 10)), [torch.randn(1, 3, 64, 64)]


@net
def convnext():
    def run(m, x):
        x = m.stem(x)
        for dw, norm, up, down, gamma in zip(m.dw, m.norm, m.up, m.down, m.gamma):
            y = norm(dw(x).permute(0, 2, 3, 1))
            x = x + (gamma * down(F.gelu(up(y)))).permute(0, 3, 1, 2)
        return m.head(x.mean((-2, -1)))

    def several(make):
        return nn.ModuleList(make() for _ in range(2))

    return Apply(run, stem=nn.Conv2d(3, 64, 4, 4), dw=several(lambda: nn.Conv2d(64, 64, 7, padding=3, groups=64)), norm=several(lambda: nn.LayerNorm(64)),
                 up=several(lambda: nn.Linear(64, 256)), down=several(lambda: nn.Linear(256, 64)),
                 gamma=nn.ParameterList(torch.full((64,), 0.1) for _ in range(2)), head=nn.Linear(64, 10)), [torch.randn(1, 3, 128, 128)]


@net
def mobilenet_block():
    def run(m, x):
        y = m.stem(x)
        return m.head((y + m.down(m.depth(m.up(y)))).mean((2, 3)))

    return Apply(run, stem=conv_bn(3, 24, 3, 2, act=nn.Hardswish), up=conv_bn(24, 144, act=nn.Hardswish), depth=conv_bn(144, 144, 5, 1, 144, nn.Hardswish),
                 down=conv_bn(144, 24, act=None), head=nn.Linear(24, 10)), [torch.randn(1, 3, 112, 112)]


@net
def multihead_attention():
    return Apply(lambda m, x: m.attention(x, x, x, need_weights=False)[0], attention=nn.MultiheadAttention(256, 8, batch_first=True)), [torch.randn(2, 128, 256)]


# ---- of our own -------------------------------------------------------------------------------------------------------------

@net
def bert():
    def run(m, ids, mask):
        x = m.norm(m.words(ids) + m.places(torch.arange(ids.shape[1])))
        bias = (1.0 - mask[:, None, None, :].float()) * -1e4
        for layer in m.layers:
            b, n, c = x.shape
            q, k, v = (f(x).view(b, n, 4, c // 4).permute(0, 2, 1, 3) for f in (layer["q"], layer["k"], layer["v"]))
            y = ((q @ k.transpose(-1, -2)) / math.sqrt(c // 4) + bias).softmax(-1) @ v
            x = layer["n1"](x + layer["o"](y.permute(0, 2, 1, 3).reshape(b, n, c)))
            x = layer["n2"](x + layer["down"](F.gelu(layer["up"](x))))
        return torch.tanh(m.pool(x[:, 0]))

    def layer():
        return nn.ModuleDict({**{k: nn.Linear(128, 128) for k in "qkvo"}, "up": nn.Linear(128, 512), "down": nn.Linear(512, 128), "n1": nn.LayerNorm(128), "n2": nn.LayerNorm(128)})

    return Apply(run, words=nn.Embedding(1000, 128), places=nn.Embedding(64, 128), norm=nn.LayerNorm(128), layers=nn.ModuleList(layer() for _ in range(2)),
                 pool=nn.Linear(128, 128)), [torch.randint(0, 1000, (2, 64)), torch.ones(2, 64, dtype=torch.int64)]


@net
def gpt():
    def run(m, ids):
        n = ids.shape[1]
        x = m.words(ids) + m.places[:n]
        causal = torch.full((n, n), float("-inf")).triu(1)
        for qkv, proj, mlp, n1, n2 in zip(m.qkv, m.proj, m.mlp, m.n1, m.n2):
            q, k, v = qkv(n1(x)).split(128, 2)
            q, k, v = (t.view(t.shape[0], n, 4, 32).transpose(1, 2) for t in (q, k, v))
            y = ((q @ k.transpose(-2, -1)) / math.sqrt(32) + causal).softmax(-1) @ v
            x = x + proj(y.transpose(1, 2).reshape(x.shape))
            x = x + mlp(n2(x))
        return m.norm(x) @ m.words.weight.t()

    def several(make):
        return nn.ModuleList(make() for _ in range(2))

    return Apply(run, words=nn.Embedding(1000, 128), places=torch.randn(64, 128), qkv=several(lambda: nn.Linear(128, 384)), proj=several(lambda: nn.Linear(128, 128)),
                 mlp=several(lambda: nn.Sequential(nn.Linear(128, 512), nn.GELU(approximate="tanh"), nn.Linear(512, 128))), n1=several(lambda: nn.LayerNorm(128)),
                 n2=several(lambda: nn.LayerNorm(128)), norm=nn.LayerNorm(128)), [torch.randint(0, 1000, (2, 64))]


class RMSNorm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


@net
def llama():
    def rotate(x, cos, sin):
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin

    def run(m, ids):
        x = m.words(ids)
        b, n, c = x.shape
        h = m.n1(x)
        q = rotate(m.q(h).view(b, n, 4, 32).transpose(1, 2), m.cos, m.sin)
        k = rotate(m.k(h).view(b, n, 2, 32).transpose(1, 2), m.cos, m.sin)
        v = m.v(h).view(b, n, 2, 32).transpose(1, 2)
        k, v = (t[:, :, None].expand(b, 2, 2, n, 32).reshape(b, 4, n, 32) for t in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + m.o(y.transpose(1, 2).reshape(b, n, c))
        h = m.n2(x)
        return m.head(x + m.down(F.silu(m.gate(h)) * m.up(h)))

    t = torch.outer(torch.arange(64.0), 10000 ** (-torch.arange(0, 16) / 16)).repeat(1, 2)
    return Apply(run, words=nn.Embedding(1000, 128), n1=RMSNorm(128), n2=RMSNorm(128), cos=t.cos(), sin=t.sin(), q=nn.Linear(128, 128, False), k=nn.Linear(128, 64, False),
                 v=nn.Linear(128, 64, False), o=nn.Linear(128, 128, False), gate=nn.Linear(128, 344, False), up=nn.Linear(128, 344, False), down=nn.Linear(344, 128, False),
                 head=nn.Linear(128, 1000, False)), [torch.randint(0, 1000, (2, 64))]


@net
def swin_block():
    def run(m, x):
        b, h, w, c = x.shape
        y = torch.roll(m.norm1(x), (-3, -3), (1, 2))
        y = y.view(b, h // 7, 7, w // 7, 7, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 49, c)
        q, k, v = m.qkv(y).view(-1, 49, 3, 3, 32).permute(2, 0, 3, 1, 4).unbind(0)
        y = ((q @ k.transpose(-2, -1)) * 32 ** -0.5 + m.bias).softmax(-1) @ v
        y = m.proj(y.transpose(1, 2).reshape(-1, 49, c))
        y = y.view(b, h // 7, w // 7, 7, 7, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        x = x + torch.roll(y, (3, 3), (1, 2))
        x = x + m.mlp(m.norm2(x))
        merged = torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1)
        return m.reduce(m.norm3(merged))

    return Apply(run, norm1=nn.LayerNorm(96), norm2=nn.LayerNorm(96), norm3=nn.LayerNorm(384), qkv=nn.Linear(96, 288), bias=torch.randn(1, 3, 49, 49), proj=nn.Linear(96, 96),
                 mlp=nn.Sequential(nn.Linear(96, 384), nn.GELU(), nn.Linear(384, 96)), reduce=nn.Linear(384, 192, False)), [torch.randn(1, 28, 28, 96)]


@net
def mlp_mixer():
    def run(m, x):
        x = m.patch(x).flatten(2).transpose(1, 2)
        for n1, tokens, n2, channels in zip(m.n1, m.tokens, m.n2, m.channels):
            x = x + tokens(n1(x).transpose(1, 2)).transpose(1, 2)
            x = x + channels(n2(x))
        return m.head(x.mean(1))

    def mlp(n, h):
        return nn.Sequential(nn.Linear(n, h), nn.GELU(), nn.Linear(h, n))

    def several(make):
        return nn.ModuleList(make() for _ in range(2))

    return Apply(run, patch=nn.Conv2d(3, 128, 16, 16), n1=several(lambda: nn.LayerNorm(128)), tokens=several(lambda: mlp(49, 64)), n2=several(lambda: nn.LayerNorm(128)),
                 channels=several(lambda: mlp(128, 512)), head=nn.Linear(128, 10)), [torch.randn(4, 3, 112, 112)]


@net
def bilstm():
    return Apply(lambda m, ids: m.head(m.rnn(m.words(ids))[0]), words=nn.Embedding(500, 64), rnn=nn.LSTM(64, 96, 2, batch_first=True, bidirectional=True),
                 head=nn.Linear(192, 12)), [torch.randint(0, 500, (4, 40))]


@net
def gru_seq2seq():
    def run(m, source, target):
        _, state = m.encoder(m.words(source))
        y, _ = m.decoder(m.words(target), state)
        return m.head(y).log_softmax(-1)

    return Apply(run, words=nn.Embedding(500, 64), encoder=nn.GRU(64, 128, batch_first=True), decoder=nn.GRU(64, 128, batch_first=True), head=nn.Linear(128, 500)), \
        [torch.randint(0, 500, (4, 30)), torch.randint(0, 500, (4, 20))]


@net
def squeeze_excite():
    def run(m, x):
        x = m.stem(x)
        scale = torch.sigmoid(m.fc2(F.silu(m.fc1(x.mean((2, 3))))))
        return m.head((x * scale[:, :, None, None]).amax((2, 3)))

    return Apply(run, stem=conv_bn(3, 64, 3, 2, act=nn.SiLU), fc1=nn.Linear(64, 16), fc2=nn.Linear(16, 64), head=nn.Linear(64, 10)), [torch.randn(2, 3, 112, 112)]


@net
def gated_linear_unit():
    def run(m, x):
        y = F.glu(m.conv(x), 1)
        return m.head(F.glu(m.up(y.transpose(1, 2)), -1))

    return Apply(run, conv=nn.Conv1d(64, 256, 3, padding=1), up=nn.Linear(128, 512), head=nn.Linear(256, 64)), [torch.randn(4, 64, 256)]


@net
def embedding_sum():
    def run(m, dense, ids):
        pooled = torch.stack([table(ids[:, i]).sum(1) for i, table in enumerate(m.tables)], 1)
        x = torch.cat([m.bottom(dense)[:, None], pooled], 1)
        cross = (x @ x.transpose(1, 2)).flatten(1)
        return torch.sigmoid(m.top(torch.cat([x[:, 0], cross], 1)))

    return Apply(run, tables=nn.ModuleList(nn.Embedding(2000, 32) for _ in range(4)), bottom=nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, 32)),
                 top=nn.Sequential(nn.Linear(57, 64), nn.ReLU(), nn.Linear(64, 1))), [torch.randn(64, 13), torch.randint(0, 2000, (64, 4, 8))]


@net
def pixel_shuffle():
    return nn.Sequential(nn.Conv2d(3, 32, 5, padding=2), nn.Tanh(), nn.Conv2d(32, 36, 3, padding=1), nn.PixelShuffle(2), nn.Conv2d(9, 12, 3, padding=1), nn.PixelShuffle(2)), \
        [torch.randn(1, 3, 64, 64)]


@net
def instance_norm_style():
    return nn.Sequential(nn.ReflectionPad2d(4), nn.Conv2d(3, 16, 9), nn.InstanceNorm2d(16, affine=True), nn.ReLU(), nn.Upsample(scale_factor=2), nn.ReflectionPad2d(1),
                         nn.Conv2d(16, 8, 3), nn.InstanceNorm2d(8, affine=True), nn.PReLU(), nn.Conv2d(8, 3, 3, padding=1)), [torch.randn(1, 3, 64, 64)]


@net
def feature_pyramid():
    def run(m, x):
        a = m.a(x)
        b = m.b(a)
        top = m.lb(b)
        low = m.la(a) + F.interpolate(top, scale_factor=2.0, mode="bilinear", align_corners=False)
        return m.out(low).permute(0, 2, 3, 1).reshape(x.shape[0], -1, 6), m.out(top).permute(0, 2, 3, 1).reshape(x.shape[0], -1, 6)

    return Apply(run, a=conv_bn(3, 32, 3, 2), b=conv_bn(32, 64, 3, 2), la=nn.Conv2d(32, 32, 1), lb=nn.Conv2d(64, 32, 1), out=nn.Conv2d(32, 6, 3, padding=1)), [torch.randn(1, 3, 128, 128)]


@net
def wavenet():
    def run(m, x):
        x, skips = m.first(x), 0
        for dilated, mix in zip(m.dilated, m.mix):
            a, b = dilated(F.pad(x, (2 * dilated.dilation[0], 0))).chunk(2, 1)
            y = mix(torch.tanh(a) * torch.sigmoid(b))
            x, skips = x + y, skips + y
        return m.last(F.relu(skips))

    return Apply(run, first=nn.Conv1d(1, 32, 1), dilated=nn.ModuleList(nn.Conv1d(32, 64, 3, dilation=2 ** i) for i in range(4)),
                 mix=nn.ModuleList(nn.Conv1d(32, 32, 1) for _ in range(4)), last=nn.Conv1d(32, 16, 1)), [torch.randn(2, 1, 1024)]
