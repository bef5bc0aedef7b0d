// unit_test.mjs - the parts of the page that need no browser. Run by node --test.
import assert from "node:assert/strict";
import { build } from "esbuild";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { encodeColumns } from "./synthetic.mjs";

const source = join(dirname(fileURLToPath(import.meta.url)), "../src");
const folder = mkdtempSync(join(tmpdir(), "reel-unit-"));
after(() => rmSync(folder, { recursive: true }));

async function load(name) {
  const outfile = join(folder, `${name.replace("/", "_")}.mjs`);
  await build({ entryPoints: [join(source, `${name}.ts`)], outfile, bundle: true, format: "esm", logLevel: "warning" });
  return import(pathToFileURL(outfile));
}

function randomNumbers(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296;
}

// All of them before the first test: what is cleaned up after the last must not be needed any more.
const { decodeTable } = await load("data/columns");
const { Pyramid } = await load("timeline/pyramid");
const { groupBy, membersOf, orderByStart, spread } = await load("timeline/lanes");
const { StepCurve, totalDepth, orderByTime } = await load("timeline/step_curve");
const { ticks, tickStep, tickText } = await load("timeline/ticks");
const { layOut } = await load("graph/layout");
const { foldRuns, withoutNumbers } = await load("graph/fold");
const { edgesBetween } = await load("graph/graph_edges");
const { DependencySets } = await load("data/dependency_sets");
const { commentStarts, tokenize } = await load("source/tokenizer");
const { diffLines } = await load("source/line_diff");
const { spirvLines } = await load("source/spirv");
const units = await load("text/units");
const { histogram } = await load("text/histogram");
const elements = await load("buffer/elements");
const { pixelFormatOf } = await load("buffer/pixel_format");
const { paint, readPixel } = await load("buffer/painting");
const { drawnPart, elementsAcross, planeOf } = await load("buffer/image_plane");
const { fitted, scaleText, within, zoomed } = await load("buffer/picture_place");
const { launchOf, launchText } = await load("data/launch");
const { bufferText, commandText } = await load("data/names");
const { kernelSlots, oklch } = await load("text/colors");
const { formatState, parseState, selectionText } = await load("state/url");
const { score, wordsOf } = await load("ui/search");

// --- columns --------------------------------------------------------------------------------------

test("columns: what was written is read, without copying", () => {
  const bytes = encodeColumns(3, {
    a: Uint8Array.of(1, 2, 3),
    b: Uint32Array.of(7, 8, 4294967295),
    c: Float64Array.of(0.5, NaN, -1),
    d: Uint16Array.of(1, 2, 3),
  });
  const table = decodeTable("t", { a: "u8", b: "u32", c: "f64", d: "u16" }, bytes.buffer);
  assert.equal(table.rows, 3);
  assert.deepEqual([...table.a], [1, 2, 3]);
  assert.deepEqual([...table.b], [7, 8, 4294967295]);
  assert.deepEqual([...table.c], [0.5, NaN, -1]);
  assert.deepEqual([...table.d], [1, 2, 3]);
  assert.equal(table.c.buffer, bytes.buffer);
});

test("columns: an empty table has empty columns", () => {
  const table = decodeTable("t", { a: "f64" }, encodeColumns(0, { a: new Float64Array() }).buffer);
  assert.equal(table.rows, 0);
  assert.equal(table.a.length, 0);
});

test("columns: what isn't such a table is refused with a sentence", () => {
  const good = encodeColumns(2, { a: Float64Array.of(1, 2) });
  const refused = (bytes, schema, message) => assert.throws(() => decodeTable("t", schema, bytes), message);
  refused(new ArrayBuffer(4), {}, /ends within/);
  refused(new ArrayBuffer(64), {}, /RCOL/);
  refused(good.buffer, { b: "f64" }, /no column 'b'/);
  refused(good.buffer, { a: "u32" }, /as f64, not u32/);
  refused(good.buffer.slice(0, good.length - 8), { a: "f64" }, /isn't in it/);
});

// --- time -----------------------------------------------------------------------------------------

function seen(pyramid, begin, end, pixel) {
  let busy = 0,
    cells = 0,
    events = 0;
  pyramid.visit(begin, end, pixel, {
    event: (position) => {
      ++events;
      busy += pyramid.end(position) - pyramid.start(position);
    },
    cell: (_, __, ___, time) => {
      ++cells;
      busy += time;
    },
  });
  return { busy, cells, events };
}

test("pyramid: no time is lost, whatever the zoom, and drawing costs by pixels", () => {
  const random = randomNumbers(1),
    count = 100_000,
    starts = new Float64Array(count),
    ends = new Float64Array(count);
  let now = 0,
    whole = 0;
  for (let event = 0; event < count; ++event) {
    now += random() ** 8 * 5000;
    starts[event] = now;
    now += 10 + random() * 200;
    ends[event] = now;
    whole += ends[event] - starts[event];
  }
  const pyramid = new Pyramid(
    starts,
    ends,
    Uint32Array.from(starts, (_, event) => event),
  );
  for (const pixels of [1, 100, 1000, 1e9]) {
    const { busy, cells, events } = seen(pyramid, 0, now, now / pixels);
    assert.ok(Math.abs(busy - whole) < 1e-3, `${pixels}: ${busy} against ${whole}`);
    if (pixels <= 1000) assert.ok(cells + events <= 40 * pixels + 16, `${cells + events} for ${pixels}`);
  }
});

test("pyramid: only what overlaps the window is visited, ends in any order", () => {
  const starts = Float64Array.of(0, 10, 20, 30),
    ends = Float64Array.of(100, 11, 21, 31);
  const pyramid = new Pyramid(starts, ends, Uint32Array.of(0, 1, 2, 3));
  const found = [];
  pyramid.visit(25, 29, 0.1, { event: (position) => found.push(position), cell: () => assert.fail() });
  assert.deepEqual(found, [0]);
});

test("pyramid: finds the event under the pointer, of several the shortest, and a near one", () => {
  const pyramid = new Pyramid(Float64Array.of(0, 10, 50), Float64Array.of(100, 20, 51), Uint32Array.of(0, 1, 2));
  assert.equal(pyramid.find(15, 0.5), 1);
  assert.equal(pyramid.find(30, 0.5), 0);
  assert.equal(pyramid.find(50.5, 0.1), 2);
  assert.equal(pyramid.find(101, 2), 0);
  assert.equal(pyramid.find(200, 2), -1);
  assert.equal(new Pyramid([], [], new Uint32Array()).find(0, 1), -1);
});

test("lanes: unknown times are left out, the rest is sorted", () => {
  assert.deepEqual([...orderByStart([5, NaN, 1], [6, 3, 2], Uint32Array.of(0, 1, 2))], [2, 0]);
});

test("lanes: calls within calls lie below them, and lanes never overlap", () => {
  const starts = [0, 1, 2, 10],
    ends = [9, 4, 3, 11];
  assert.deepEqual(
    spread(Uint32Array.of(0, 1, 2, 3), starts, ends, 8).map((lane) => [...lane]),
    [[0, 3], [1], [2]],
  );
  assert.deepEqual(
    spread(Uint32Array.of(0, 1, 2, 3), starts, ends, 2).map((lane) => [...lane]),
    [
      [0, 3],
      [1, 2],
    ],
  );
});

test("lanes: groups keep the order, and leave out who belongs to none", () => {
  const groups = groupBy(5, 2, (index) => [0, 1, 0, -1, 7][index]);
  assert.deepEqual([...membersOf(groups, 0)], [0, 2]);
  assert.deepEqual([...membersOf(groups, 1)], [1]);
});

test("curve: the most within any span is that of the points in it", () => {
  const random = randomNumbers(2),
    values = Array.from({ length: 1000 }, () => Math.floor(random() * 1e6));
  const curve = new StepCurve(
    values.map((_, at) => at * 10),
    values,
  );
  for (let round = 0; round < 200; ++round) {
    const a = Math.floor(random() * 1000),
      b = a + Math.floor(random() * (1000 - a));
    assert.equal(curve.mostOf(a, b), Math.max(...values.slice(a, b + 1)));
  }
  assert.equal(curve.value(-1), 0);
  assert.equal(curve.value(15), values[1]);
  assert.equal(curve.value(1e9), values[999]);
});

test("curve: depths of streams, one after the other, add up over time", () => {
  const curve = totalDepth(
    5,
    Float64Array.of(0, 10, 20, 5, 15),
    Uint32Array.of(0, 0, 0, 1, 1),
    Uint32Array.of(1, 2, 0, 3, 0),
  );
  assert.deepEqual([...curve.times], [0, 5, 10, 15, 20]);
  assert.deepEqual([...curve.values], [1, 4, 5, 2, 0]);
  assert.deepEqual([...orderByTime(Float64Array.of(3, 1, 2, 0))], [3, 1, 2, 0]);
});

test("ticks: round steps, as many digits as they need", () => {
  assert.equal(tickStep(1.1), 2);
  assert.equal(tickStep(51), 100);
  assert.equal(tickText(1500, 500), "1500 ns");
  assert.equal(tickText(1_500_000, 500), "1.5000 ms");
  assert.equal(tickText(2e6, 1e6), "2 ms");
  assert.ok(ticks(0, 1e6, 1000, 100).length <= 11);
});

// --- the graph ------------------------------------------------------------------------------------

const sized = (count, from, to) =>
  layOut({ count, from, to, widths: new Array(count).fill(100), heights: new Array(count).fill(40) });

test("layout: what depends lies below, and nothing overlaps", () => {
  const random = randomNumbers(3),
    count = 400,
    from = [],
    to = [];
  for (let node = 1; node < count; ++node)
    for (let edge = 0; edge < 2; ++edge) {
      from.push(Math.floor(random() * node));
      to.push(node);
    }
  const { x, y, layer, isLong } = sized(count, from, to);
  from.forEach((node, edge) => {
    assert.ok(y[node] + 40 < y[to[edge]]);
    assert.equal(isLong[edge] === 1, layer[to[edge]] - layer[node] > 6);
  });
  for (let a = 0; a < count; ++a)
    for (let b = a + 1; b < count; ++b) if (y[a] === y[b]) assert.ok(Math.abs(x[a] - x[b]) >= 100, `${a} and ${b}`);
});

test("layout: a chain is straight, a diamond is even, nothing is nothing", () => {
  const chain = sized(5, [0, 1, 2, 3], [1, 2, 3, 4]);
  assert.deepEqual([...chain.layer], [0, 1, 2, 3, 4]);
  for (let node = 1; node < 5; ++node) assert.ok(Math.abs(chain.x[node] - chain.x[0]) < 1);
  const diamond = sized(4, [0, 0, 1, 2], [1, 2, 3, 3]);
  assert.deepEqual([...diamond.layer], [0, 1, 1, 2]);
  assert.ok(Math.abs((diamond.x[1] + diamond.x[2]) / 2 - diamond.x[0]) < 40);
  assert.equal(sized(0, [], []).width, 0);
});

test("layout: a thousand that depend on nothing become lines of a few", () => {
  const { y, width } = sized(1000, [], []);
  assert.ok(width < 2500);
  assert.ok(new Set(y).size > 50);
});

test("fold: layers become one, whatever is around them", () => {
  assert.deepEqual(foldRuns(["e", "l", "l", "l", "l", "h"], 3), [
    { first: 0, period: 1, count: 1 },
    { first: 1, period: 1, count: 4 },
    { first: 5, period: 1, count: 1 },
  ]);
  assert.deepEqual(foldRuns([..."abcabcabcd"], 3), [
    { first: 0, period: 3, count: 3 },
    { first: 9, period: 1, count: 1 },
  ]);
  assert.deepEqual(
    foldRuns([..."aabb"], 3).map((run) => run.count),
    [1, 1, 1, 1],
  );
  assert.equal(withoutNumbers("layer12/q_proj"), withoutNumbers("layer3/q_proj"));
});

test("fold: runs cover everything, once", () => {
  const random = randomNumbers(4),
    letters = Array.from({ length: 5000 }, () => "abc"[Math.floor(random() * 3)]);
  let at = 0;
  for (const { first, period, count } of foldRuns(letters, 3)) {
    assert.equal(first, at);
    at += period * count;
  }
  assert.equal(at, letters.length);
});

test("edges: those within a node vanish, the gravest kind is shown", () => {
  const nodes = [
    { first: 0, end: 2 },
    { first: 2, end: 4 },
  ];
  const none = 0xffffffff;
  const table = {
    rows: 4,
    from: Uint32Array.of(0, 0, 1, 2),
    to: Uint32Array.of(1, 2, 3, 3),
    kind: Uint8Array.of(0, 3, 0, 0),
    buffer: Uint32Array.of(5, none, 6, 7),
    bytes: Float64Array.of(1, 0, 8, 1),
    from_set: Uint32Array.of(none, none, none, none),
  };
  const sets = setsOf([]);
  assert.deepEqual(edgesBetween(nodes, 4, table, sets, "all"), [
    { from: 0, to: 1, kind: 0, count: 2, bytes: 8, buffers: [6] },
  ]);
  assert.equal(edgesBetween(nodes, 4, table, sets, "sync")[0].kind, 3);
  assert.equal(edgesBetween(nodes, 4, table, sets, "data")[0].count, 1);
});

// Rows of [set, command, inner set]; null: none.
function setsOf(rows) {
  const column = (at) => Uint32Array.from(rows, (row) => row[at] ?? 0xffffffff);
  return new DependencySets({ rows: rows.length, set_number: column(0), command: column(1), inner_set: column(2) });
}

test("dependencies of sets are of each command in them, and in the sets in them", () => {
  const sets = setsOf([
    [0, 1, null],
    [0, 3, null],
    [1, 5, null],
    [1, null, 0],
    [2, 3, null],
    [2, null, 1],
    [2, null, 0],
  ]);
  assert.equal(sets.count, 3);
  assert.deepEqual(sets.commandsOf(0), [1, 3]);
  assert.deepEqual(sets.commandsOf(2), [1, 3, 5]);
  assert.deepEqual([...sets.setsWith(5)], [0, 1, 1]);
  assert.deepEqual([...sets.setsWith(2)], [0, 0, 0]);
  // Commands 0 to 3 are in the first node, 4 and 5 in the second, 6 in the third; 7 is not shown.
  const nodes = [
    { first: 0, end: 4 },
    { first: 4, end: 6 },
    { first: 6, end: 7 },
  ];
  const table = {
    rows: 2,
    from: Uint32Array.of(3, 5),
    to: Uint32Array.of(5, 6),
    kind: Uint8Array.of(0, 2),
    buffer: Uint32Array.of(4, 4),
    bytes: Float64Array.of(64, 96),
    from_set: Uint32Array.of(0, 2),
  };
  assert.deepEqual(
    edgesBetween(nodes, 8, table, sets, "all").sort((a, b) => a.to - b.to || a.from - b.from),
    [
      { from: 0, to: 1, kind: 0, count: 1, bytes: 64, buffers: [4] },
      { from: 0, to: 2, kind: 2, count: 1, bytes: 0, buffers: [4] },
      { from: 1, to: 2, kind: 2, count: 1, bytes: 0, buffers: [4] },
    ],
  );
});

// --- text -----------------------------------------------------------------------------------------

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

// --- images ---------------------------------------------------------------------------------------

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

// --- the address ----------------------------------------------------------------------------------

test("address: what is shown comes back", () => {
  const state = {
    view: "timeline",
    selection: { kind: "command", number: 12 },
    range: { begin: 100, end: 2500 },
    options: { type: "f16", version: "3" },
  };
  assert.deepEqual(parseState(formatState(state)), state);
  assert.equal(formatState({ view: "summary", selection: null, range: null, options: {} }), "#summary");
  assert.equal(selectionText({ kind: "call", number: 3 }), "call3");
  assert.deepEqual(parseState("#kernels?at=k4").selection, { kind: "kernel", number: 4 });
});

test("address: whatever else stands there is left out", () => {
  for (const hash of [
    "",
    "#",
    "#nowhere",
    "#timeline?at=<script>",
    "#timeline?at=c-1&range=5-1&range=x",
    "#?%%%",
    "#timeline?at=c99999999999999999999",
  ])
    assert.equal(parseState(hash).selection, null);
  assert.equal(parseState("#nowhere").view, "summary");
  assert.equal(parseState("#timeline?range=9-3").range, null);
});

test("search: all words, anywhere; those at the beginning first", () => {
  assert.equal(score("matmul_f32", wordsOf("rope")), 0);
  assert.ok(score("matmul_f32", wordsOf("matmul")) > score("big_matmul", wordsOf("matmul")));
  assert.ok(score("layer0/attention q_proj", wordsOf("Q_PROJ layer0")) > 0);
});
