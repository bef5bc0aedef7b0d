// unit_text.mjs - sources, differences, units and numbers as text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load, randomNumbers } from "./unit_setup.mjs";

const { commentStarts, tokenize } = await load("source/tokenizer");
const { diffLines } = await load("source/line_diff");
const { spirvLines } = await load("source/spirv");
const units = await load("text/units");
const { histogram } = await load("text/histogram");
const elements = await load("buffer/elements");

const kinds = (line, inside = false) =>
  tokenize(line, inside)
    .tokens.filter(({ text }) => text.trim())
    .map(({ kind, text }) => `${kind}:${text.trim()}`);

test("tokenizer: nothing is lost, whatever the line", () => {
  const random = randomNumbers(5),
    letters = `ab1 "'\\/*#<>{}.;_\t+0xe`;
  for (let round = 0; round < 3000; ++round) {
    const line = Array.from(
      { length: Math.floor(random() * 30) },
      () => letters[Math.floor(random() * letters.length)],
    ).join("");
    for (const inside of [false, true])
      assert.equal(
        tokenize(line, inside)
          .tokens.map(({ text }) => text)
          .join(""),
        line,
      );
  }
});

test("tokenizer: OpenCL C and GLSL", () => {
  assert.deepEqual(kinds("__kernel void add(__global const float4* x) { // sum"), [
    "keyword:__kernel",
    "type:void",
    "call:add",
    "plain:(",
    "keyword:__global",
    "keyword:const",
    "type:float4",
    "plain:* x) {",
    "comment:// sum",
  ]);
  assert.deepEqual(kinds("#define N 0x10u"), ["directive:#define", "plain:N", "number:0x10u"]);
  assert.deepEqual(kinds(`layout(local_size_x = 64) in; char c = '"';`).slice(0, 1), ["keyword:layout"]);
  assert.ok(kinds(`x = 1.5e-3f;`).includes("number:1.5e-3f"));
});

test("tokenizer: comments of many lines", () => {
  assert.deepEqual([...commentStarts(["a /* b", "c", "d */ e", "/**/ f"])], [0, 1, 1, 0, 0]);
  assert.deepEqual(kinds("d */ int e", true), ["comment:d */", "type:int", "plain:e"]);
});

test("line diff: both texts are whole, equal lines are paired", () => {
  const random = randomNumbers(6);
  for (let round = 0; round < 300; ++round) {
    const a = Array.from({ length: Math.floor(random() * 30) }, () => "abc"[Math.floor(random() * 3)]);
    const b = a.filter(() => random() > 0.2).flatMap((line) => (random() < 0.2 ? [line, "x"] : [line]));
    const pairs = diffLines(a, b);
    assert.deepEqual(
      pairs.filter((pair) => pair.a >= 0).map((pair) => pair.a),
      a.map((_, line) => line),
    );
    assert.deepEqual(
      pairs.filter((pair) => pair.b >= 0).map((pair) => pair.b),
      b.map((_, line) => line),
    );
  }
  assert.deepEqual(diffLines(["a", "b", "c"], ["a", "B", "c"]), [
    { a: 0, b: 0 },
    { a: 1, b: 1 },
    { a: 2, b: 2 },
  ]);
  assert.deepEqual(diffLines(["a", "c"], ["a", "b", "c"]), [
    { a: 0, b: 0 },
    { a: -1, b: 1 },
    { a: 1, b: 2 },
  ]);
});

test("SPIR-V: instructions with their names and texts; damage is told, not followed", () => {
  const words = Uint32Array.of(
    0x07230203,
    0x00010300,
    8 << 16,
    20,
    0,
    (2 << 16) | 17,
    1,
    (4 << 16) | 5,
    4,
    0x6e69616d,
    0,
    (9 << 16) | 1,
  );
  assert.deepEqual(spirvLines(words.buffer), [
    "; SPIR-V 1.3, generator 8, ids below 20, 12 words",
    "OpCapability 1",
    'OpName 4 "main"',
    "; word 11 is no instruction: the rest is not shown",
  ]);
  assert.equal(spirvLines(new ArrayBuffer(40)), null);
});

test("units: as the command line writes them", () => {
  assert.equal(units.timeText(999), "999 ns");
  assert.equal(units.timeText(12_345), "12.3 µs");
  assert.equal(units.timeText(12_345_678), "12.35 ms");
  assert.equal(units.timeText(1_500_000_000), "1.500 s");
  assert.equal(units.sizeText(1023), "1023 B");
  assert.equal(units.sizeText(1536), "1.5 KiB");
  assert.equal(units.countText(1234567), "1,234,567");
  assert.equal(units.shareText(1, 8), "12.5%");
  assert.equal(units.gridText(4, 4, 1), "4x4");
  for (const missing of [null, undefined, NaN]) assert.equal(units.timeText(missing), "–");
  assert.equal(units.shareText(1, 0), "–");
  assert.equal(units.deltaText(-1500), "-1.5 µs");
});

test("histogram: counts everything once", () => {
  for (const values of [[5], [1, 1, 1], [1, 2, 3, 4], [1, 10, 1000, 100000], [0, 7]])
    assert.equal(
      histogram(values, 20).reduce((sum, bin) => sum + bin.count, 0),
      values.length,
    );
  assert.deepEqual(histogram([], 20), []);
});

test("elements: numbers as the command line writes them", () => {
  const view = new DataView(new ArrayBuffer(8));
  const f32 = (value) => {
    view.setFloat32(0, value, true);
    return elements.elementText("f32", view, 0);
  };
  assert.equal(f32(0.1), "0.1");
  assert.equal(f32(1), "1");
  assert.equal(f32(1 / 3), "0.33333334");
  assert.equal(f32(1e-5), "1e-05");
  assert.equal(f32(-1.5e20), "-1.5e+20");
  assert.equal(f32(NaN), "nan");
  assert.equal(f32(-Infinity), "-inf");
  assert.equal(f32(-0), "-0");
  assert.equal(elements.fromHalf(0x3c00), 1);
  assert.equal(elements.fromHalf(0x0001), 2 ** -24);
  assert.equal(elements.fromHalf(0xfc00), -Infinity);
  view.setBigUint64(0, 18446744073709551615n, true);
  assert.equal(elements.elementText("u64", view, 0), "18446744073709551615");
  assert.equal(elements.elementText("i64", view, 0), "-1");
  assert.equal(elements.elementText("hex", view, 0), "ff");
  view.setUint16(0, 0x3f80, true);
  assert.equal(elements.elementText("bf16", view, 0), "1");
});

test("elements: statistics leave out what isn't a number", () => {
  const statistics = new elements.Statistics();
  for (const value of [1, NaN, Infinity, 0, -3]) statistics.add(value);
  assert.deepEqual(
    [statistics.count, statistics.nans, statistics.infinities, statistics.zeros, statistics.least, statistics.most],
    [5, 1, 1, 1, -3, 1],
  );
  assert.equal(statistics.mean, -2 / 3);
});
