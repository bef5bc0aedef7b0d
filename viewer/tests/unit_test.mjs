// unit_test.mjs - the parts of the page that need no browser; here its data, its address and its search. Run by node --test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeColumns } from "./synthetic.mjs";
import { load } from "./unit_setup.mjs";
import "./unit_timeline.mjs";
import "./unit_graph.mjs";
import "./unit_text.mjs";
import "./unit_images.mjs";

const { decodeTable } = await load("data/columns");
const { formatState, parseState, selectionText } = await load("state/url");
const { score, wordsOf } = await load("ui/search");

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
