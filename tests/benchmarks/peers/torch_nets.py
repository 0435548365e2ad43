# SPDX-License-Identifier: Apache-2.0
"""The networks of the comparison in PyTorch, as its users write them: f32, images channels last."""
import torch
from torch import nn


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width))
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != 4 * width:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width))
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.relu(self.body(x) + self.shortcut(x))


def resnet50(batch):
    """Model, input, number of classes."""
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for stage, (blocks, width) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)]):
        for block in range(blocks):
            layers.append(Bottleneck(inputs, width, 2 if stage > 0 and block == 0 else 1))
            inputs = 4 * width
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000)]
    model = nn.Sequential(*layers).to(memory_format=torch.channels_last)
    parameters = sum(p.numel() for p in model.parameters())
    assert parameters == 25557032, parameters  # torchvision's resnet50
    return model, torch.randn(batch, 3, 224, 224).to(memory_format=torch.channels_last), 1000


def mlp(batch):
    model = nn.Sequential(nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10))
    return model, torch.rand(batch, 784), 10


def forward(model, x):
    """A function that makes one forward pass, for inference."""
    model.eval()

    def once():
        with torch.no_grad():
            model(x)

    return once


def gradients(model, x, classes):
    """A function that makes one forward and one backward pass; weights stay as they are."""
    model.train()
    labels = torch.randint(0, classes, (x.shape[0],))
    loss = nn.CrossEntropyLoss()

    def once():
        with torch.enable_grad():
            model.zero_grad(set_to_none=True)
            loss(model(x), labels).backward()

    return once
