"""Writes images/: one small image in many formats, and beside each what Pillow makes of it.

NAME.EXT is read, NAME.EXT.png is Pillow's convert("RGB") of it (upright where EXIF says so), and
resized-FILTER-WIDTHxHEIGHT.png is Pillow's resize of whole.png. Made with Pillow 13.0 and NumPy 2.4:

    python3 make_images.py
"""
import io, os
import numpy as np
from PIL import Image, ImageOps

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "images"))
rng = np.random.default_rng(7)
y, x = np.mgrid[0:17, 0:23]
rgb = np.stack([x * 11, y * 15, (x * y) % 256], axis=2) + rng.integers(-9, 10, (17, 23, 3))
whole = Image.fromarray(np.clip(rgb, 0, 255).astype(np.uint8))


def keep(name, image, golden=True, **options):
    image.save(name, **options)
    if golden:
        ImageOps.exif_transpose(Image.open(name)).convert("RGB").save(name + ".png")


alpha = Image.fromarray((x * 11).astype(np.uint8))
rgba = whole.copy()
rgba.putalpha(alpha)
grey = whole.convert("L")
keep("whole.png", whole)
keep("rgba.png", rgba)
keep("grey.png", grey)
keep("grey-alpha.png", rgba.convert("LA"))
keep("bit.png", whole.convert("1"))
keep("palette.png", whole.quantize(16), transparency=3)
keep("palette.gif", whole.quantize(16), save_all=True, append_images=[grey.quantize(16)])
keep("one.png", whole.crop((0, 0, 1, 1)))
keep("whole.bmp", whole)
keep("whole.tiff", whole, compression="tiff_lzw")
keep("whole.ppm", whole)
keep("lossless.webp", whole, lossless=True)
keep("alpha.webp", rgba, lossless=True, exact=True)
keep("lossy.webp", whole, quality=90)
keep("plain.jpg", whole, quality=90)
keep("progressive.jpg", whole, quality=90, progressive=True)
keep("grey.jpg", grey, quality=90)
keep("cmyk.jpg", whole.convert("CMYK"), quality=95)
exif = Image.Exif()
exif[0x0112] = 6
keep("turned.jpg", whole, quality=90, exif=exif)
# Pillow reads no 16-bit RGB; this is a PNG of 16-bit grey, of which the high byte is expected.
deep = grey.resize((5, 4)).convert("I")
Image.fromarray((np.asarray(deep).astype(np.uint16) * 256 + 77)).save("deep.png")
grey.resize((5, 4)).convert("RGB").save("deep.png.png")
for filter in ("bilinear", "bicubic"):
    for size in ((84, 84), (32, 32), (7, 11), (23, 5), (40, 17), (1, 1)):
        small = whole.resize(size, getattr(Image.Resampling, filter.upper()))
        small.save(f"resized-{filter}-{size[0]}x{size[1]}.png")
# A kilobyte that claims ten gigapixels: the head of a PNG of 100,000 × 100,000.
import struct, zlib
head = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
open("bomb.png", "wb").write(
    b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
)
