"""Features of complete models, from image files on, against the code that their authors publish.

    pip install torch torchvision timm transformers open_clip_torch
    cargo build --release && python scripts/backbones.py FOLDER [--binary target/release/trustpath]

Every model gets random weights (no hub is asked), is saved as a user would have it, and computes the features of the images
in the folder with the preprocessing of its authors; `trustpath extract --dtype f32` does the same. Printed is the largest
difference relative to the largest value of a feature.
"""

import argparse
import pathlib
import subprocess
import tempfile
import time

import numpy
import torch
from PIL import Image
from safetensors.torch import save_file
from torchvision import models, transforms

IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
CLIP = ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711))


def cut(short, size, way, colours):
    """The transform of torchvision that ResNets, DINOv2 and CLIP are published with."""
    steps = [transforms.Resize(short, way), transforms.CenterCrop(size), transforms.ToTensor()]
    return transforms.Compose([*steps, transforms.Normalize(*colours)])


def randomised(model):
    """Weights that are not near zero: fresh transformers and ResNets hardly look at their input."""
    generator = torch.Generator().manual_seed(1)
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        with torch.no_grad():
            if parameter.ndim >= 2:
                parameter.copy_(noise / max(1, parameter[0].numel()) ** 0.5)
            else:
                parameter.copy_(0.1 * noise + (1 if name.endswith("weight") else 0))
    return model.eval()


def resnet(name):
    def make():
        model = randomised(getattr(models, name)())
        state = model.state_dict()
        trunk = torch.nn.Sequential(*list(model.children())[:-1], torch.nn.Flatten())
        return state, trunk, cut(256, 224, transforms.InterpolationMode.BILINEAR, IMAGENET)

    return make


def dinov2(name):
    def make():
        import timm

        # At the size of the images, so that position embeddings are used as they are.
        model = randomised(timm.create_model(name, img_size=224, num_classes=0))
        return model.state_dict(), model, cut(256, 224, transforms.InterpolationMode.BICUBIC, IMAGENET)

    return make


def clip():
    from transformers import CLIPVisionConfig, CLIPVisionModelWithProjection

    sizes = dict(hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, patch_size=16)
    model = randomised(CLIPVisionModelWithProjection(CLIPVisionConfig(**sizes, image_size=224, projection_dim=512)))
    prepare = cut(224, 224, transforms.InterpolationMode.BICUBIC, CLIP)
    return model.state_dict(), lambda x: model(x).image_embeds, prepare


def openclip():
    import open_clip

    config = dict(image_size=224, layers=12, width=768, patch_size=32)
    model = randomised(open_clip.CLIP(512, config, dict(width=64, heads=1, layers=1, vocab_size=10)))
    state = {key: value for key, value in model.state_dict().items() if value.is_floating_point()}
    prepare = cut(224, 224, transforms.InterpolationMode.BICUBIC, CLIP)
    return state, lambda x: model.encode_image(x), prepare


def siglip():
    from transformers import SiglipVisionConfig, SiglipVisionModel

    sizes = dict(hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, patch_size=16)
    model = randomised(SiglipVisionModel(SiglipVisionConfig(**sizes, image_size=224)))
    steps = [transforms.Resize((224, 224), transforms.InterpolationMode.BICUBIC), transforms.ToTensor()]
    prepare = transforms.Compose([*steps, transforms.Normalize((0.5,) * 3, (0.5,) * 3)])
    return model.state_dict(), lambda x: model(x).pooler_output, prepare


MODELS = {
    "resnet18": resnet("resnet18"),
    "resnet50": resnet("resnet50"),
    "dinov2 ViT-S/14": dinov2("vit_small_patch14_dinov2"),
    "dinov2 ViT-B/14 with registers": dinov2("vit_base_patch14_reg4_dinov2"),
    "clip ViT-B/16": clip,
    "openclip ViT-B/32": openclip,
    "siglip ViT-B/16": siglip,
}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("images", type=pathlib.Path, help="folder with images, at any depth")
    options.add_argument("--binary", default="target/release/trustpath")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--only", help="models whose names contain this")
    options = options.parse_args()
    torch.set_num_threads(options.threads)
    for name, make in MODELS.items():
        if options.only and options.only not in name:
            continue
        state, features, prepare = make()
        with tempfile.TemporaryDirectory() as place:
            weights, out = f"{place}/weights.safetensors", f"{place}/out.npy"
            save_file({key: value.contiguous() for key, value in state.items() if value.ndim > 0}, weights)
            command = [options.binary, "extract", "--images", str(options.images), "--weights", weights, "--out", out]
            command += ["--dtype", "f32", "--threads", str(options.threads), "--backbone", name.split()[0]]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            ids = [line.split(",")[0] for line in open(f"{place}/out-labels.csv").read().splitlines()[1:]]
            found = numpy.load(out)
        root = options.images
        paths = [root / one if (root / one).exists() else next(root.rglob(pathlib.Path(one).name)) for one in ids]
        images = torch.stack([prepare(Image.open(path).convert("RGB")) for path in paths])
        begin = time.perf_counter()
        with torch.inference_mode():
            expected = torch.cat([features(some) for some in images.split(16)]).numpy()
        rate = len(images) / (time.perf_counter() - begin)
        far = (numpy.abs(found - expected).max(1) / numpy.abs(expected).max(1)).max()
        ours = said.split(", ")[-1].splitlines()[0]
        print(f"{name}: {found.shape}, largest difference {far:.1e}; {ours}, PyTorch {rate:.1f} images/s", flush=True)


if __name__ == "__main__":
    main()
