"""Makes the features of vision transformers that the engine must reproduce: those of their published code, in double precision.

Small models of timm, Hugging Face and open_clip get weights by the formula of make.py, so that only their keys, the shapes
and the features of two images are kept, in transformers.json. Run from this folder; needs torch, timm, transformers and
open_clip_torch:

    python make_transformers.py
"""

import copy
import json

import numpy as np
import timm
import torch
from open_clip.transformer import QuickGELU, VisionTransformer
from torch.nn.functional import interpolate
from transformers import (
    CLIPVisionConfig,
    CLIPVisionModel,
    CLIPVisionModelWithProjection,
    Dinov2Config,
    Dinov2Model,
    Dinov2WithRegistersConfig,
    Dinov2WithRegistersModel,
    SiglipVisionConfig,
    SiglipVisionModel,
)

from make import noise

WIDTH, LAYERS, HEADS, INNER, PATCH, SIZE, PROJECTED = 128, 2, 2, 256, 4, 16, 48


def value(seed, shape, key):
    x = noise(int(np.prod(shape)), seed)
    if len(shape) == 1 and key.endswith("weight"):
        x = 1 + x
    elif len(shape) >= 2 and key.endswith("weight"):
        x = x * np.sqrt(24 / np.prod(shape[1:]))
    return torch.from_numpy(x.astype(np.float32).astype(np.float64).reshape(shape))


def images(size):
    x = noise(2 * 3 * size * size, 7777).reshape(2, 3, size, size) * 4
    return torch.from_numpy(x.astype(np.float32).astype(np.float64))


def fill(model, prefix=""):
    """Gives a model its weights; its state under keys with a prefix."""
    model.double().eval()
    state = model.state_dict()
    kept = sorted(prefix + key for key, tensor in state.items() if tensor.is_floating_point() and tensor.ndim > 0)
    for seed, key in enumerate(kept):
        own = key.removeprefix(prefix)
        # A head of zero bias is a projection, another a classifier.
        state[own] = value(seed, state[own].shape, key) * (0 if key.endswith("head.bias") else 1)
    model.load_state_dict(state)
    return {key: list(state[key.removeprefix(prefix)].shape) for key in kept}


def of_timm(name, **more):
    sizes = dict(img_size=SIZE, patch_size=PATCH, embed_dim=WIDTH, depth=LAYERS, num_heads=HEADS, mlp_ratio=INNER / WIDTH)
    return timm.create_model(name, **{**sizes, **more})


def sizes(**more):
    every = dict(hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS, image_size=SIZE, patch_size=PATCH)
    return {**every, "attn_implementation": "eager", **more}


class ClipOfOpenAi(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.visual = VisionTransformer(SIZE, PATCH, WIDTH, LAYERS, HEADS, INNER / WIDTH, output_dim=PROJECTED, act_layer=QuickGELU)

    def forward(self, x):
        return self.visual(x)


def resampled(model, size):
    """Position embeddings of another grid, as the authors of DINOv2 compute them in interpolate_pos_encoding."""
    registers = hasattr(model.config, "num_register_tokens")
    learned = model.embeddings.position_embeddings
    old, new = SIZE // PATCH, size // PATCH
    grid = learned[:, 1:].reshape(1, old, old, WIDTH).permute(0, 3, 1, 2)
    if registers:
        grid = interpolate(grid, size=(new, new), mode="bicubic", antialias=True)
    else:
        scale = (new + 0.1) / old
        grid = interpolate(grid, scale_factor=(scale, scale), mode="bicubic")
    rows = torch.cat([learned[:, :1], grid.permute(0, 2, 3, 1).reshape(1, -1, WIDTH)], 1)
    model.embeddings.position_embeddings = torch.nn.Parameter(rows)


def main():
    dino = dict(mlp_ratio=INNER // WIDTH)
    clip = dict(intermediate_size=INNER, projection_dim=PROJECTED)
    first = lambda model, x: model.forward_features(x)[:, 0]  # noqa: E731
    pooled = lambda model, x: model(x).pooler_output  # noqa: E731
    cases = {
        "dinov2 of timm": (of_timm("vit_small_patch14_dinov2"), first, "dinov2"),
        "dinov2 of timm, registers": (of_timm("vit_small_patch14_reg4_dinov2"), first, "dinov2"),
        "dinov2 of Hugging Face": (Dinov2Model(Dinov2Config(**sizes(**dino))), pooled, "dinov2"),
        "dinov2 of Hugging Face, registers": (
            Dinov2WithRegistersModel(Dinov2WithRegistersConfig(**sizes(**dino))),
            pooled,
            "dinov2",
        ),
        "clip of Hugging Face": (
            CLIPVisionModelWithProjection(CLIPVisionConfig(**sizes(**clip))),
            lambda model, x: model(x).image_embeds,
            "clip",
        ),
        "clip of Hugging Face, gelu, no projection": (
            CLIPVisionModel(CLIPVisionConfig(**sizes(**clip, hidden_act="gelu"))),
            pooled,
            "openclip",
        ),
        "clip of OpenAI": (ClipOfOpenAi(), lambda model, x: model(x), "clip"),
        "clip of timm": (
            of_timm("vit_base_patch16_clip_224", num_classes=PROJECTED),
            lambda model, x: model(x),
            "openclip",
        ),
        "siglip of Hugging Face": (
            SiglipVisionModel(SiglipVisionConfig(**sizes(intermediate_size=INNER))),
            pooled,
            "siglip",
        ),
        "siglip of timm": (
            of_timm("vit_base_patch16_siglip_224", num_classes=0, act_layer="gelu_tanh"),
            lambda model, x: model(x),
            "siglip",
        ),
    }
    found = []

    def keep(name, model, features, family, keys, size):
        with torch.no_grad():
            rows = features(model, images(size)).numpy()
        print(name, size, rows.shape, np.abs(rows).max())
        rows = [[float(f"{x:.9g}") for x in row] for row in rows]
        found.append(dict(name=name, family=family, size=size, keys=keys, features=rows))

    for name, (model, features, family) in cases.items():
        keys = fill(model, "visual.trunk." if name == "siglip of timm" else "")
        keep(name, model, features, family, keys, SIZE)
        if name.startswith("dinov2 of Hugging Face"):
            for size in (12, 28):
                other = copy.deepcopy(model)
                resampled(other, size)
                keep(name, other, features, family, keys, size)
    with open("transformers.json", "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(one, separators=(",", ":")) for one in found) + "\n]\n")


if __name__ == "__main__":
    main()
