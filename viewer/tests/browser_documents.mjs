// browser_documents.mjs - two documents, large ones, cut and damaged ones, and some that no program here makes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serve } from "./serve.mjs";
import { encodeColumns, makeDocument, setCell } from "./synthetic.mjs";
import {
  documents,
  driver,
  host,
  json,
  option,
  pageFolder,
  parsed,
  reel,
  sizeText,
  timeText,
  visitAll,
} from "./browser_setup.mjs";

// --- two documents --------------------------------------------------------------------------------

const changeOf = ({ change, verdict }) => (change === "same" ? verdict : change);

test("two documents: parts add up to the change, as reel diff says", async () => {
  const [before, after] = ["a", "b"].map((name) => join(documents, `diff_${name}.reel`));
  execFileSync(option("make-document"), [before, "--commands", "3000", "--layers", "4"]);
  execFileSync(option("make-document"), [
    after,
    "--commands",
    "3000",
    "--layers",
    "4",
    "--matmul-time",
    "1.3",
    "--seed",
    "9",
  ]);
  const diff = reel.json("diff", before, after),
    server = await reel.view(before, after);
  const view = await driver.open(`${server.url}#diff`),
    { page } = view;
  try {
    await page.waitForSelector(".sum");
    const sum = await page.$eval(".sum", ({ dataset }) => ({
      rows: Number(dataset.sum),
      idle: Number(dataset.idle),
      rest: Number(dataset.rest),
      total: Number(dataset.total),
    }));
    assert.equal(sum.rows + sum.idle + sum.rest, sum.total);
    assert.equal(sum.total, diff.total_delta_ns);
    const rows = await view.cells("What changed");
    diff.rows
      .slice(0, Math.min(10, rows.length))
      .forEach((row, place) =>
        assert.deepEqual(rows[place].slice(0, 3), [changeOf(row), row.name, row.scope || "no scope"]),
      );
    const totals = await page.$$eval("[data-total]", (found) =>
      found
        .filter((row) => row.tagName === "TR")
        .map((row) => [row.dataset.total, row.children[1].textContent, row.children[2].textContent]),
    );
    const spread = (ns, by) => (by ? `${timeText(ns)} ± ${timeText(by)}` : timeText(ns));
    const { total } = diff;
    assert.deepEqual(totals[0], ["one pass", spread(total.ns_a, total.spread_a_ns), spread(total.ns_b, total.spread_b_ns)]);
    // The headline has the verdict, and a colour only where the difference is significant.
    const headline = await page.$eval(".diff-head h1", (h1) => [h1.textContent, h1.className]);
    const slower = diff.total_delta_ns > 0;
    assert.deepEqual(
      headline,
      diff.significant
        ? [`${timeText(Math.abs(diff.total_delta_ns))} ${slower ? "slower" : "faster"}`, slower ? "worse" : "better"]
        : [headline[0], ""],
    );
    assert.equal(diff.significant || /^(No significant|Too few|Nothing)/.test(headline[0]), true);
    assert.deepEqual(totals[4], ["memory peak", sizeText(diff.a.peak_bytes), sizeText(diff.b.peak_bytes)]);
    await view.shot("diff");
    for (const part of ["sources", "contents", "findings"]) {
      await page.click(`.choice button:has-text("${part}")`);
      await page.waitForFunction((name) => location.hash.includes(`part=${name}`), part);
    }
    assert.equal((await page.$$(".two .finding")).length, diff.new_findings.length + diff.fixed_findings.length);
    await view.done();
  } finally {
    server.close();
  }
});

// --- large, cut, damaged --------------------------------------------------------------------------

test("a million commands stay usable", async () => {
  const path = join(documents, "million.reel");
  execFileSync(option("make-document"), [path, "--commands", "1000000", "--decoder"]);
  const server = await reel.view(path);
  const asked = [];
  const view = await driver.open(server.url),
    { page } = view;
  page.on("request", (request) => asked.push(request.url()));
  try {
    await page.waitForSelector(".tiles");
    // The first look is there while the rest is still being found out, and asks for none of it.
    assert.ok(!asked.some((url) => /data\/dependenc/.test(url)), "dependencies are fetched when they are shown");
    assert.match(await page.textContent(".tiles"), /1,000,000/);
    await view.show("#timeline");
    await view.waitForHook("timeline");
    await page.waitForFunction(() => window.__view.canvas("timeline").summary().drawn.pixels > 0);
    await view.shot("million_timeline");
    await view.show("#dependencies");
    await view.waitForHook("dependencies");
    const { nodes } = await view.hook("dependencies");
    assert.ok(nodes.length <= 300 && nodes.length > 0, `${nodes.length} nodes`);
    await view.settled();
    await view.shot("million_dependencies");
    await view.show("#calls");
    await page.waitForSelector('[aria-label="Calls"] .table-row');
    assert.ok((await page.$$(".table-row")).length < 80);
    await view.done();
  } finally {
    server.close();
  }
});

test("cut and damaged documents are shown as far as they go, and say so", async () => {
  const bytes = readFileSync(host),
    cut = join(documents, "cut.reel"),
    damaged = join(documents, "damaged.reel");
  writeFileSync(cut, bytes.subarray(0, Math.floor(bytes.length * 0.97)));
  const flipped = Buffer.from(bytes);
  for (let at = Math.floor(bytes.length * 0.4); at < bytes.length * 0.4 + 4000; ++at) flipped[at] ^= 0x5a;
  writeFileSync(damaged, flipped);
  for (const path of [cut, damaged]) {
    const server = await reel.view(path);
    // Bytes that are damaged are not there, and the browser says so, too.
    const view = await driver.open(server.url, { tolerates: /404/ }),
      { page } = view;
    try {
      await page.waitForSelector(".tiles");
      if (!reel.json("info", path).complete) await page.waitForSelector(".troubles");
      for (const name of ["timeline", "dependencies", "memory", "kernels", "buffers", "source", "calls", "findings"]) {
        await view.show(`#${name}`);
        await page.waitForFunction(() => !document.querySelector("main .waiting"));
        assert.equal(await page.$("main > .failed"), null, `${name} of ${path}`);
      }
      await view.done();
    } finally {
      server.close();
    }
  }
});

// --- documents that no program here makes ---------------------------------------------------------

// As a server that is still analysing: holds answers back until release(), and says how far it is.
async function serveSlowly(resources) {
  let mayAnswer = () => false,
    held = [];
  const server = await serve(
    resources,
    pageFolder,
    0,
    (name) => name === "progress" || mayAnswer(name) || new Promise((answer) => held.push({ name, answer })),
  );
  return {
    ...server,
    tell: (progress) => resources.set("progress", json(progress)),
    release(which) {
      mayAnswer = which;
      for (const { name, answer } of held) if (which(name)) answer();
      held = held.filter(({ name }) => !which(name));
    },
  };
}

test("a page that is there before the analysis shows how far it is", async () => {
  const resources = makeDocument({ commands: 500 });
  const server = await serveSlowly(resources);
  server.tell({ what: "Starting", part: 0, done: false });
  try {
    const view = await driver.open(server.url, { shows: ".waiting" }),
      { page } = view;
    server.tell({ what: "Looking at activity", part: 0.4, done: false });
    await page.waitForFunction(() => /40 %/.test(document.querySelector(".waiting")?.textContent ?? ""));
    server.tell({ what: "Looking at dependencies", part: 0.5, done: false });
    server.release((name) => !/dependenc|findings/.test(name));
    await page.waitForSelector(".tiles");
    // Views that need no dependencies are whole by now.
    await view.show("#timeline");
    await view.waitForHook("timeline");
    await view.show("#dependencies");
    await page.waitForFunction(() => /50 %/.test(document.querySelector("main .waiting")?.textContent ?? ""));
    server.tell({ what: "Looked at everything", part: 1, done: true });
    server.release(() => true);
    await view.waitForHook("dependencies");
    await view.done();
  } finally {
    server.close();
  }
});


test("names with markup are text", async () => {
  const resources = makeDocument({ commands: 600, layers: 2 }),
    evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>&lt;b&gt;\u202e"\'`';
  resources.set("texts", json(parsed(resources, "texts").map((text) => (text ? `${evil}${text}` : ""))));
  for (const name of ["kernels", "buffers"])
    resources.set(
      name,
      json(
        parsed(resources, name).map((row) => ({
          ...row,
          name: row.name && evil + row.name,
          label: row.label && evil + row.label,
          options: evil,
          build_log: evil,
        })),
      ),
    );
  const summary = parsed(resources, "summary");
  summary.document = `/tmp/${evil}.reel`;
  summary.facts = { program: evil, command_line: evil };
  summary.run_facts = { branch: evil, [evil]: evil };
  summary.streams.forEach((stream) => (stream.label = evil));
  summary.devices.forEach((device) => (device.name = evil));
  summary.problems = summary.left_out = [evil];
  summary.notes = [{ time_ns: 0, kind: evil, text: evil }];
  resources.set("summary", json(summary));
  const found = parsed(resources, "findings");
  found.findings.forEach((finding) => (finding.title = finding.advice = evil));
  resources.set("findings", json(found));
  resources.set("source/0/0", new TextEncoder().encode(`${evil}\n</script>`));
  await visitAll(resources, undefined, async (view, name) => {
    await view.page.evaluate((hash) => (location.hash = hash), `#${name}?at=c3`);
    assert.equal(await view.page.evaluate(() => window.hacked), undefined, name);
    assert.equal(await view.page.$("main img, aside img, main script"), null, name);
    if (name === "summary") assert.ok((await view.page.textContent(".troubles")).includes(evil));
  });
});

test("an empty document, and one of a single command", async () => {
  await visitAll(makeDocument({ commands: 1, layers: 1 }));
  const resources = makeDocument({ commands: 1, layers: 1 }),
    empty = (columns) => encodeColumns(0, columns);
  const u32 = new Uint32Array(),
    u8 = new Uint8Array(),
    f64 = new Float64Array();
  resources.set(
    "commands",
    empty({
      work: u32,
      stream: u32,
      thread: u32,
      launch: u32,
      node: u32,
      lane: new Uint16Array(),
      call_begin: f64,
      call_end: f64,
      queued: f64,
      submitted: f64,
      started: f64,
      ended: f64,
      own: f64,
    }),
  );
  resources.set("calls", empty({ name: u32, thread: u32, command: u32, peer: u32, begin: f64, end: f64, bytes: f64 }));
  resources.set("intervals", empty({ first: u32, count: u32, stream: u32, begin: f64, end: f64 }));
  resources.set(
    "gaps",
    empty({ device: u32, cause: u8, begin: f64, end: f64, before: u32, after: u32, call: u32, after_wait: u32, period: u32 }),
  );
  resources.set("path", empty({ kind: u8, command: u32, begin: f64, end: f64 }));
  resources.set("memory", empty({ time: f64, bytes: f64 }));
  resources.set("depth", empty({ time: f64, stream: u32, commands: u32 }));
  resources.set(
    "contents",
    empty({
      role: u8,
      stored: u8,
      command: u32,
      buffer: u32,
      offset: f64,
      size: f64,
      page_count: u32,
      hash_low: u32,
      hash_high: u32,
    }),
  );
  for (const name of ["kernels", "buffers"]) resources.set(name, json([]));
  const summary = parsed(resources, "summary");
  Object.assign(summary, {
    span_ns: 0,
    active_ns: 0,
    busy_ns: 0,
    sum_ns: 0,
    counts: {},
    devices: [],
    streams: [],
    threads: [],
    passes: [],
    repetitions: [],
    memory: { peak_ns: null, peak_bytes: 0, needed_at_peak_bytes: 0 },
  });
  Object.assign(summary.path, { command_ns: 0, host_ns: 0, active_ns: 0, span_ns: 0, halved: [] });
  for (const cause of Object.keys(summary.idle_ns)) summary.idle_ns[cause] = 0;
  resources.set("summary", json(summary));
  resources.set("findings", json({ findings: [] }));
  resources.set("scopes", json({ scopes: [], run_ns: 0, commands: 0 }));
  await visitAll(resources, undefined, async (view, name) => {
    if (name === "summary") assert.match(await view.page.textContent(".verdict h1"), /No commands/);
  });
});

test("commands without stamps have no times, and nobody invents a 0", async () => {
  const resources = makeDocument({ commands: 400, layers: 1 });
  const bytes = resources.get("commands"),
    view = new DataView(bytes.buffer),
    start = 8 + view.getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  for (const { name, offset } of header.columns)
    if (["queued", "submitted", "started", "ended", "own"].includes(name))
      for (let row = 0; row < header.rows; ++row) view.setFloat64(start + offset + row * 8, NaN, true);
  const summary = parsed(resources, "summary");
  for (const lane of [...summary.devices, ...summary.streams])
    Object.assign(lane, { timed: 0, busy_ns: 0, sum_ns: 0, begin_ns: null, end_ns: null });
  Object.assign(summary, { active_ns: 0, busy_ns: 0, sum_ns: 0, verdict: "unknown" });
  resources.set("summary", json(summary));
  resources.set(
    "kernels",
    json(
      parsed(resources, "kernels").map((kernel) => ({
        ...kernel,
        timed: 0,
        total_ns: 0,
        mean_ns: 0,
        min_ns: 0,
        p50_ns: 0,
        p95_ns: 0,
        max_ns: 0,
        bandwidth: 0,
      })),
    ),
  );
  await visitAll(
    resources,
    ["summary", "timeline", "kernels", "dependencies"],
    async ({ page, cells, hook, show }, name) => {
      if (name === "summary") assert.match(await page.textContent(".tiles"), /busy–no times recorded/);
      if (name === "timeline") {
        assert.match((await hook("timeline")).rows.find((row) => row.key === "stream 0").note, /none with times/);
        await show("#timeline?at=c3");
        await page.waitForFunction(() => /no times recorded/.test(document.querySelector(".inspector").textContent));
      }
      if (name === "kernels") assert.ok((await cells("Kernels")).every((row) => row[2] === "–"));
      if (name === "dependencies") assert.ok((await hook("dependencies")).nodes.every((node) => node.time === null));
    },
  );
});

test("a hundred thousand streams", async () => {
  const resources = makeDocument({ commands: 20_000, streams: 4 }),
    summary = parsed(resources, "summary");
  summary.streams = Array.from({ length: 100_000 }, (_, number) => ({
    ...summary.streams[number % 4],
    id: `s${number}`,
    label: "",
    commands: number < 4 ? 5000 : 0,
    timed: number < 4 ? 5000 : 0,
  }));
  resources.set("summary", json(summary));
  await visitAll(resources, ["summary", "timeline", "dependencies"], async ({ page, hook, waitForHook }, name) => {
    if (name !== "timeline") return;
    await waitForHook("timeline");
    assert.ok((await hook("timeline")).rows.length < 60);
    await page.click("text=/more streams/");
    await page.waitForFunction(() => window.__view.canvas("timeline").summary().rows.length > 100_000);
    assert.ok((await page.$$(".tl-label")).length < 200);
  });
});

// --- graphs that decide ---------------------------------------------------------------------------

test("decisions: a loop is a group of its rounds, and a choice says what it chose", async () => {
  // One line of commands, as a launch leaves it: four rounds of two commands, then a choice.
  const labels = [
    "prepare",
    ...[0, 1, 2, 3].flatMap((round) => [`while 'until done': ${4 - round}, round ${round}`, "work", "measure"]),
    "while 'until done': 0, done",
    "if 'again': 1, then",
    "repair",
  ];
  const resources = makeDocument({ commands: labels.length, layers: 1, streams: 1 }),
    texts = parsed(resources, "texts"),
    works = resources.get("works");
  labels.forEach((label, work) => {
    setCell(works, "label", work, texts.push(label) - 1);
    setCell(works, "scope", work, 0);
    setCell(resources.get("commands"), "work", work, work);
    setCell(resources.get("commands"), "stream", work, 0);
  });
  resources.set("texts", json(texts));
  const { url, close } = await serve(resources, pageFolder);
  try {
    const view = await driver.open(`${url}#dependencies`),
      { page } = view;
    await view.waitForHook("dependencies");
    await page.click("text=close all");
    await view.settled();
    const closed = await view.hook("dependencies"),
      loop = closed.nodes.find((node) => node.kind === "loop");
    assert.deepEqual([loop.title, loop.count, loop.first, loop.end], ["while 'until done'", 4, 1, 14]);
    assert.ok(closed.nodes.some((node) => node.title === "if 'again': 1, then"));
    await view.shot("decisions_closed");
    const box = await (await page.$(".graph-canvas")).boundingBox();
    await page.mouse.dblclick(box.x + loop.x + 60, box.y + loop.y + 10);
    await page.waitForFunction(
      () => window.__view.canvas("dependencies").summary().nodes.filter((node) => node.kind === "round").length === 4,
    );
    const second = (await view.hook("dependencies")).nodes.find((node) => node.title === "round 1");
    await page.mouse.dblclick(box.x + second.x + 60, box.y + second.y + 10);
    await page.waitForFunction(() =>
      window.__view
        .canvas("dependencies")
        .summary()
        .nodes.some((node) => node.title === "while 'until done': 3, round 1"),
    );
    await page.keyboard.press("f");
    await view.settled();
    await view.shot("decisions_open");
    await view.done();
  } finally {
    await close();
  }
});

test("decisions: regions are groups, nested, with what was decided, and rows of the timeline", async () => {
  // A launch: a repeat of two rounds with a choice in each, a choice that runs nothing, and a switch.
  const lines = [
    ["prepare", []],
    ...[0, 1].flatMap((round) => [
      ["work", ["repeat", `round ${round}`]],
      ["if 'again': 1, then", ["repeat", `round ${round}`, `if ${round}`]],
      ["again", ["repeat", `round ${round}`, `if ${round}`, `then ${round}`]],
    ]),
    ["if 'repair': 0, not taken", ["repair"]],
    ["switch 'mode': 2, case 2", ["switch"]],
    ["third", ["switch", "case"]],
  ];
  const kinds = { launch: 2, if: 3, switch: 5, repeat: 6, branch: 7, round: 8 };
  const none = 0xffffffff,
    what = {
      launch: [kinds.launch, 1, "step"],
      repeat: [kinds.repeat, 2, "rounds"],
      "round 0": [kinds.round, 0, ""],
      "round 1": [kinds.round, 1, ""],
      "if 0": [kinds.if, 1, "again"],
      "if 1": [kinds.if, 1, "again"],
      "then 0": [kinds.branch, 0, ""],
      "then 1": [kinds.branch, 0, ""],
      repair: [kinds.if, 0, "repair"],
      switch: [kinds.switch, 2, "mode"],
      case: [kinds.branch, 2, ""],
    };
  const resources = makeDocument({ commands: lines.length, layers: 1, streams: 1 }),
    texts = parsed(resources, "texts"),
    regions = [],
    open = [];
  let now = 0;
  const goTo = (path) => {
    while (open.length && path[open.length - 1] !== open[open.length - 1].key) open.pop().end = ++now;
    while (open.length < path.length) {
      const key = path[open.length];
      const region = { key, begin: ++now, parent: open.length ? regions.indexOf(open[open.length - 1]) : none };
      regions.push(region);
      open.push(region);
    }
  };
  lines.forEach(([label, path], work) => {
    goTo(["launch", ...path]);
    setCell(resources.get("works"), "label", work, texts.push(label) - 1);
    setCell(resources.get("works"), "scope", work, 0);
    for (const [column, value] of Object.entries({ work, stream: 0, thread: 1, call_begin: ++now }))
      setCell(resources.get("commands"), column, work, value);
  });
  goTo([]);
  resources.set(
    "regions",
    encodeColumns(regions.length, {
      kind: Uint8Array.from(regions, ({ key }) => what[key][0]),
      number: Uint32Array.from(regions, ({ key }) => what[key][1]),
      name: Uint32Array.from(regions, ({ key }) => (what[key][2] ? texts.push(what[key][2]) - 1 : 0)),
      thread: new Uint32Array(regions.length).fill(1),
      begin: Float64Array.from(regions, ({ begin }) => begin),
      end: Float64Array.from(regions, ({ end }) => end),
      parent: Uint32Array.from(regions, ({ parent }) => parent),
    }),
  );
  texts[0] = "";
  resources.set("texts", json(texts));
  const { url, close } = await serve(resources, pageFolder);
  try {
    const view = await driver.open(`${url}#dependencies`),
      { page } = view;
    await view.waitForHook("dependencies");
    await page.click("text=close all");
    await view.settled();
    const shown = async () => (await view.hook("dependencies")).nodes.map(({ kind, title }) => `${kind}: ${title}`);
    assert.deepEqual(await shown(), [
      "command: prepare",
      "loop: repeat 'rounds': 2 rounds",
      "command: if 'repair': 0, not taken",
      "choice: switch 'mode': 2",
    ]);
    const box = await (await page.$(".graph-canvas")).boundingBox();
    const enter = async (title) => {
      const node = (await view.hook("dependencies")).nodes.find((one) => one.title === title);
      assert.ok(node, `${title} among ${await shown()}`);
      await page.mouse.dblclick(box.x + node.x + 60, box.y + node.y + 10);
      await view.settled();
    };
    await enter("repeat 'rounds': 2 rounds");
    await enter("round 1 of 2");
    assert.deepEqual(await shown(), [
      "command: prepare",
      "round: round 0 of 2",
      "command: work",
      "choice: if 'again': 1, then",
      "command: if 'repair': 0, not taken",
      "choice: switch 'mode': 2",
    ]);
    await view.shot("decisions_regions");
    await view.done();
    const timeline = await driver.open(`${url}#timeline`);
    await timeline.waitForHook("timeline");
    await timeline.settled();
    await timeline.shot("decisions_timeline");
    await timeline.done();
  } finally {
    await close();
  }
});
