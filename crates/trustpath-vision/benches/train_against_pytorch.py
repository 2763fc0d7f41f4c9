"""Images per second of a plain PyTorch training loop, to set beside `trustpath train` on the same GPU.

    python train_against_pytorch.py [STEPS]

The same network, batch (4 episodes of 5 classes, 1 labeled image and 6 to be recognised of each: 140 images of 84 x 84),
augmentation (crop, mirror, erase), both losses, DropBlock and SGD with momentum, in bfloat16 by autocast with the channels
last, as one would write it in PyTorch. Images are random bytes on the GPU: only the speed is measured.
Set it beside the column `images/s` of `trustpath train --epochs 1`.
"""

import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

BATCH, WAYS, SHOTS, QUERIES, SIZE, PADDING, CLASSES = 4, 5, 1, 6, 84, 8, 64


class DropBlock(nn.Module):
    def __init__(self, rate=0.1, size=5):
        super().__init__()
        self.rate, self.size, self.steps = rate, size, 0

    def forward(self, x):
        if not self.training:
            return x
        self.steps += 1
        share = min(self.rate, self.rate * self.steps / 40_000)
        n, c, h, w = x.shape
        size = min(self.size, h, w)
        gamma = share / size**2 * h * w / ((h - size + 1) * (w - size + 1))
        places = (torch.rand(n, c, h - size + 1, w - size + 1, device=x.device) < gamma).to(x.dtype)
        hidden = F.max_pool2d(F.pad(places, (size - 1,) * 4), size, 1)
        kept = 1 - hidden
        return x * kept / kept.mean()


class Block(nn.Module):
    def __init__(self, inputs, outputs, drop):
        super().__init__()
        layers = []
        for i in range(3):
            layers += [nn.Conv2d(inputs if i == 0 else outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)]
            if i < 2:
                layers.append(nn.LeakyReLU(0.1, inplace=True))
        self.layers = nn.Sequential(*layers)
        self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.end = nn.Sequential(nn.LeakyReLU(0.1, inplace=True), nn.MaxPool2d(2, 2, ceil_mode=True), drop)

    def forward(self, x):
        return self.end(self.layers(x) + self.shortcut(x))


def resnet12():
    widths = [3, 64, 128, 256, 512]
    drops = [nn.Dropout(0.1), nn.Dropout(0.1), DropBlock(), DropBlock()]
    return nn.Sequential(*(Block(a, b, d) for a, b, d in zip(widths, widths[1:], drops))), 512


def augmented(images, generator):
    """Random crop of the padded image, mirror, and a rectangle of noise colour, for each image on its own."""
    n, device = len(images), images.device
    padded = F.pad(images, (0, 0, PADDING, PADDING, PADDING, PADDING))
    top = torch.randint(2 * PADDING + 1, (n, 1, 1), device=device, generator=generator)
    left = torch.randint(2 * PADDING + 1, (n, 1, 1), device=device, generator=generator)
    mirror = torch.rand(n, 1, 1, device=device, generator=generator) < 0.5
    along = torch.arange(SIZE, device=device)
    columns = torch.where(mirror, SIZE - 1 - along[None, None], along[None, None])
    rows = along[None, :, None]
    x = padded[torch.arange(n, device=device)[:, None, None], rows + top, columns + left]
    x = x.permute(0, 3, 1, 2).float().div(255).sub(0.47).div(0.27)
    y0, x0 = (torch.randint(SIZE - 20, (n, 1, 1), device=device, generator=generator) for _ in range(2))
    inside = (rows >= y0) & (rows < y0 + 20) & (along[None, None] >= x0) & (along[None, None] < x0 + 20)
    return torch.where(inside[:, None], torch.full_like(x, 0.5), x).contiguous(memory_format=torch.channels_last)


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    torch.manual_seed(1)
    network, dim = resnet12()
    network = network.cuda().to(memory_format=torch.channels_last)
    classifier = nn.Linear(dim, CLASSES).cuda()
    parameters = list(network.parameters()) + list(classifier.parameters())
    optimiser = torch.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=5e-4)
    count = BATCH * WAYS * (SHOTS + QUERIES)
    data = torch.randint(256, (38_400, SIZE, SIZE, 3), dtype=torch.uint8, device="cuda")
    generator = torch.Generator("cuda").manual_seed(1)
    support = BATCH * WAYS * SHOTS

    def step():
        rows = torch.randint(len(data), (count,), device="cuda", generator=generator)
        classes = torch.randint(CLASSES, (count - support,), device="cuda", generator=generator)
        images = augmented(data[rows], generator)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            maps = network(images)
        maps = maps.float()
        positions = maps.shape[2] * maps.shape[3]
        means = maps[:support].reshape(BATCH, WAYS, SHOTS, dim, positions).mean(dim=(2, 4))
        features = maps[support:].permute(0, 2, 3, 1).reshape(-1, dim)
        at_each = classes[:, None].expand(-1, positions).reshape(-1)
        loss = F.cross_entropy(classifier(features), at_each)
        cosines = F.normalize(features, dim=1).view(BATCH, -1, dim) @ F.normalize(means, dim=2).transpose(1, 2)
        way = torch.arange(WAYS, device="cuda")[None, :, None].expand(BATCH, WAYS, QUERIES).reshape(-1)
        way = way[:, None].expand(-1, positions).reshape(-1)
        loss = loss + 0.5 * F.cross_entropy(7 * cosines.reshape(-1, WAYS), way)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        return loss

    for benchmark in (False, True):
        torch.backends.cudnn.benchmark = benchmark
        for _ in range(20):
            step()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(steps):
            loss = step()
        torch.cuda.synchronize()
        rate = steps * count / (time.perf_counter() - start)
        print(f"PyTorch {torch.__version__}, resnet12, cudnn.benchmark {benchmark}: {rate:.0f} images/s, loss {loss:.2f}", flush=True)


if __name__ == "__main__":
    main()
