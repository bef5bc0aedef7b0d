// unit_images.mjs - images as pixels and planes, and what is named beside them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./unit_setup.mjs";

const { pixelFormatOf } = await load("buffer/pixel_format");
const { paint, readPixel } = await load("buffer/painting");
const { drawnPart, elementsAcross, planeOf } = await load("buffer/image_plane");
const { fitted, scaleText, within, zoomed } = await load("buffer/picture_place");
const { launchOf, launchText } = await load("data/launch");
const { bufferText, commandText } = await load("data/names");
const { kernelSlots, oklch } = await load("text/colors");

const imageShape = (channel_order, channel_type, pixel_bytes, more = {}) => ({
  type: "2d",
  channel_order,
  channel_type,
  pixel_bytes,
  width: 1,
  height: 1,
  depth: 1,
  layers: 1,
  ...more,
});
const viewOf = (array) => new DataView(array.buffer);

// One pixel: the numbers of its channels, and its colour.
function onePixel(order, type, array) {
  const bytes = viewOf(array),
    format = pixelFormatOf(imageShape(order, type, bytes.byteLength)),
    pixels = { first: 0, count: 1, bytes };
  const values = readPixel(format, pixels, 0);
  return {
    values: Object.fromEntries(format.channels.map((name, channel) => [name, values[channel]])),
    color: [...paint(format, pixels, 1, 1, 1).colors],
  };
}

test("pixels: every order of channels has its colours; alpha alone is grey, else ignored", () => {
  const bytes = Uint8Array.of(10, 20, 30, 40);
  for (const [order, count, values, color] of [
    ["R", 1, { R: 10 }, [10, 10, 10]],
    ["A", 1, { A: 10 }, [10, 10, 10]],
    ["intensity", 1, { I: 10 }, [10, 10, 10]],
    ["luminance", 1, { L: 10 }, [10, 10, 10]],
    ["depth", 1, { D: 10 }, [10, 10, 10]],
    ["Rx", 2, { R: 10 }, [10, 10, 10]],
    ["RA", 2, { R: 10, A: 20 }, [10, 10, 10]],
    ["RG", 2, { R: 10, G: 20 }, [10, 20, 0]],
    ["RGx", 4, { R: 10, G: 20 }, [10, 20, 0]],
    ["RGB", 3, { R: 10, G: 20, B: 30 }, [10, 20, 30]],
    ["RGBx", 4, { R: 10, G: 20, B: 30 }, [10, 20, 30]],
    ["RGBA", 4, { R: 10, G: 20, B: 30, A: 40 }, [10, 20, 30]],
    ["BGRA", 4, { B: 10, G: 20, R: 30, A: 40 }, [30, 20, 10]],
    ["ARGB", 4, { A: 10, R: 20, G: 30, B: 40 }, [20, 30, 40]],
    ["ABGR", 4, { A: 10, B: 20, G: 30, R: 40 }, [40, 30, 20]],
    ["sRGB", 3, { R: 10, G: 20, B: 30 }, [10, 20, 30]],
    ["sRGBA", 4, { R: 10, G: 20, B: 30, A: 40 }, [10, 20, 30]],
    ["sBGRA", 4, { B: 10, G: 20, R: 30, A: 40 }, [30, 20, 10]],
  ])
    assert.deepEqual(onePixel(order, "8 unorm", bytes.slice(0, count)), { values, color: [...color, 255] }, order);
});

test("pixels: numbers of every type, those of a norm on their scale", () => {
  for (const [type, array, value, shade] of [
    ["8 unorm", Uint8Array.of(255), 255, 255],
    ["16 unorm", Uint16Array.of(32768), 32768, 128],
    ["8 snorm", Int8Array.of(0), 0, 128],
    ["8 snorm", Int8Array.of(-128), -128, 0],
    ["16 snorm", Int16Array.of(32767), 32767, 255],
  ])
    assert.deepEqual(onePixel("R", type, array), { values: { R: value }, color: [shade, shade, shade, 255] }, type);
  for (const [type, array, value] of [
    ["8 int", Int8Array.of(-5), -5],
    ["16 int", Int16Array.of(-300), -300],
    ["32 int", Int32Array.of(-70000), -70000],
    ["8 uint", Uint8Array.of(200), 200],
    ["16 uint", Uint16Array.of(60000), 60000],
    ["32 uint", Uint32Array.of(4e9), 4e9],
    ["16 float", Uint16Array.of(0x3c00), 1],
    ["32 float", Float32Array.of(-0.5), -0.5],
  ])
    assert.equal(onePixel("R", type, array).values.R, value, type);
});

test("pixels: packed channels lie in their bits, the first in the highest", () => {
  assert.deepEqual(onePixel("RGB", "565 unorm", Uint16Array.of((31 << 11) | (32 << 5) | 1)), {
    values: { R: 31, G: 32, B: 1 },
    color: [255, 130, 8, 255],
  });
  assert.deepEqual(onePixel("RGBx", "555 unorm", Uint16Array.of(0x8000 | (1 << 10) | (31 << 5))).values, {
    R: 1,
    G: 31,
    B: 0,
  });
  const highest = 3 * 2 ** 30; // two bits that mean nothing
  assert.deepEqual(onePixel("RGB", "101010 unorm", Uint32Array.of(highest + 1023 * 2 ** 20 + 5 * 1024 + 7)).values, {
    R: 1023,
    G: 5,
    B: 7,
  });
  assert.deepEqual(onePixel("RGBA", "1010102 unorm", Uint32Array.of(1023 * 2 ** 22 + 6 * 4096 + 9 * 4 + 3)).values, {
    R: 1023,
    G: 6,
    B: 9,
    A: 3,
  });
});

test("pixels: what can't be drawn has no format", () => {
  assert.equal(pixelFormatOf(imageShape("depth_stencil", "24 unorm", 4)), null);
  assert.equal(pixelFormatOf(imageShape("depth", "24 unorm", 4)), null);
  assert.equal(pixelFormatOf(imageShape("", "", 4)), null);
  assert.equal(pixelFormatOf(imageShape("RGBA", "565 unorm", 2)), null);
  assert.equal(pixelFormatOf(imageShape("RGBA", "8 unorm", 3)), null); // channels past its end
  assert.equal(pixelFormatOf(imageShape("R", "8 unorm", 1 << 20)), null);
});

test("painting: numbers that stand for themselves go from the least to the most, without alpha", () => {
  const values = Float32Array.of(-1, 0, 1, 900, 3, 1, 1, -900);
  const painting = paint(
    pixelFormatOf(imageShape("RGBA", "32 float", 16)),
    { first: 0, count: 2, bytes: viewOf(values) },
    2,
    2,
    1,
  );
  assert.deepEqual(painting.found, { least: -1, most: 3 });
  assert.deepEqual([...painting.colors], [0, 64, 128, 255, 255, 128, 128, 255]);
});

test("painting: NaN is magenta, infinities are black and white, what is all the same is half way", () => {
  const format = pixelFormatOf(imageShape("R", "32 float", 4));
  const of = (...values) => {
    const { length } = values;
    return paint(format, { first: 0, count: length, bytes: viewOf(Float32Array.from(values)) }, length, length, 1);
  };
  const painting = of(NaN, Infinity, -Infinity, 0, 10);
  assert.deepEqual(painting.found, { least: 0, most: 10 });
  assert.equal(painting.strange, 1);
  assert.deepEqual(
    [...painting.colors],
    [255, 0, 255, 255, 255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 255],
  );
  assert.deepEqual([...of(7, 7).colors], [128, 128, 128, 255, 128, 128, 128, 255]);
  assert.deepEqual(of(NaN).found, { least: 0, most: 0 });
});

test("painting: pixels that were not recorded are empty, and columns may be cut", () => {
  const format = pixelFormatOf(imageShape("R", "8 unorm", 1)),
    pixels = { first: 1, count: 4, bytes: viewOf(Uint8Array.of(1, 2, 3, 4)) };
  const painting = paint(format, pixels, 3, 2, 2); // two of three columns
  assert.deepEqual([...painting.colors], [0, 0, 0, 0, 1, 1, 1, 255, 3, 3, 3, 255, 4, 4, 4, 255]);
  assert.equal(painting.missing, 1);
  assert.equal(readPixel(format, pixels, 0), null);
  assert.deepEqual([...readPixel(format, pixels, 4)], [4]);
  assert.equal(readPixel(format, pixels, 5), null);
});

test("planes: slices and layers are planes, but layers of rows are rows", () => {
  const of = (type, height, depth, layers) =>
    planeOf(imageShape("R", "8 unorm", 1, { type, width: 9, height, depth, layers }));
  assert.deepEqual(of("2d", 4, 1, 1), { width: 9, rows: 4, planes: 1, word: "layer" });
  assert.deepEqual(of("3d", 4, 5, 1), { width: 9, rows: 4, planes: 5, word: "slice" });
  assert.deepEqual(of("2d_array", 4, 1, 6), { width: 9, rows: 4, planes: 6, word: "layer" });
  assert.deepEqual(of("1d_array", 1, 1, 6), { width: 9, rows: 6, planes: 1, word: "layer" });
  assert.deepEqual(of("1d", 1, 1, 1), { width: 9, rows: 1, planes: 1, word: "layer" });
  assert.deepEqual(drawnPart({ width: 3840, rows: 2160 }), { columns: 3840, rows: 2160 });
  assert.deepEqual(drawnPart({ width: 2 ** 40, rows: 2 }), { columns: 16384, rows: 1 });
  assert.deepEqual(drawnPart({ width: 4096, rows: 4096 }), { columns: 4096, rows: 2048 });
});

test("planes: rows of a table begin where rows of the image do, unless that is too wide", () => {
  assert.equal(elementsAcross(16, 20), 20);
  assert.equal(elementsAcross(16, 3), 3);
  assert.equal(elementsAcross(16, 160), 20);
  assert.equal(elementsAcross(6, 34), 6);
  assert.equal(elementsAcross(16, 127), 16);
});

test("place: a picture fits its room by whole steps, and what is pointed at stays there", () => {
  const room = { width: 500, height: 300 };
  assert.deepEqual(fitted(room, { width: 160, height: 120 }), { scale: 2, x: 0, y: 0 });
  assert.equal(fitted(room, { width: 1500, height: 300 }).scale, 1 / 3);
  assert.equal(fitted(room, { width: 501, height: 3 }).scale, 1 / 2);
  assert.equal(fitted(room, { width: 1, height: 1 }).scale, 64);
  const near = zoomed({ scale: 2, x: 0, y: 0 }, true, 100, 60);
  assert.deepEqual(near, { scale: 4, x: -100, y: -60 });
  assert.deepEqual(zoomed(near, false, 100, 60), { scale: 2, x: 0, y: 0 });
  assert.equal(zoomed({ scale: 1 / 3, x: 0, y: 0 }, true, 0, 0).scale, 1);
  assert.equal(zoomed({ scale: 1, x: 0, y: 0 }, false, 0, 0).scale, 1 / 2);
  const picture = { width: 160, height: 120 };
  assert.deepEqual(within({ scale: 4, x: 50, y: -9999 }, room, picture), { scale: 4, x: 0, y: -180 });
  assert.deepEqual(within({ scale: 1, x: -20, y: 0 }, room, picture), { scale: 1, x: 0, y: 0 });
  assert.deepEqual([scaleText(4), scaleText(1 / 3)], ["4x", "1/3"]);
});

test("launches: groups, items and offsets as the command line has them", () => {
  const text = ({ kind = 0, groups = [0, 0, 0], group = [0, 0, 0], offset = [0, 0, 0], items = [0, 0, 0] }) => {
    const works = { kind: [kind], dimensions: [0] };
    for (const [name, sizes] of Object.entries({ groups, group, offset, items }))
      ["x", "y", "z"].forEach((axis, at) => (works[`${name}_${axis}`] = [sizes[at]]));
    const launch = launchOf(works, 0);
    return launch && launchText(launch);
  };
  assert.equal(text({ items: [160, 120, 1] }), "160x120 items, in groups of the driver's choice");
  assert.equal(text({ groups: [4, 2, 1], group: [8, 8, 1] }), "4x2 groups of 8x8 items");
  assert.equal(
    text({ groups: [4, 2, 1], group: [8, 8, 1], items: [30, 16, 1], offset: [0, 5, 0] }),
    "4x2 groups of 8x8 items, 30x16 items in all, from (0, 5, 0)",
  );
  assert.equal(
    text({ items: [9, 1, 1], offset: [3, 0, 0] }),
    "9 items, in groups of the driver's choice, from (3, 0, 0)",
  );
  assert.equal(text({ kind: 1, groups: [0, 0, 0] }), null);
});

test("names: commands and buffers are described as the command line does", () => {
  assert.equal(commandText(0, "q_proj", "matmul", "layer0/mlp"), "c0 'q_proj' (matmul) in layer0/mlp");
  assert.equal(commandText(1, "matmul", "matmul", ""), "c1 (matmul)");
  assert.equal(commandText(2, "", "copy", ""), "c2 (copy)");
  assert.deepEqual([bufferText("b3", "x"), bufferText("b4", "b4"), bufferText("b5", "")], ["b3 'x'", "b4", "b5"]);
});

test("colours: a kernel keeps its colour, and the first twelve differ in hue", () => {
  const names = Array.from({ length: 40 }, (_, at) => `kernel_${at}`);
  const slots = kernelSlots(names);
  assert.equal(new Set(slots.slice(0, 12).map((slot) => slot % 12)).size, 12);
  assert.deepEqual(kernelSlots(names), slots);
  assert.deepEqual(kernelSlots(["matmul", "matmul"]), [kernelSlots(["matmul"])[0], kernelSlots(["matmul"])[0]]);
  for (const channel of oklch(0.7, 0.1, 200)) assert.ok(channel >= 0 && channel <= 255);
});
