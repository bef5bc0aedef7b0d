// browser_test.mjs - drives every view of the page, and compares what it shows with what the command line says.
//
//   node tests/browser_test.mjs --reel build/bin/reel --forward-pass build/bin/forward_pass
//        --make-document build/bin/make_document --image-program build/tests/layer/programs/image_formats
//        --out build/viewer_browser
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { findBrowser, openBrowser } from "./browser.mjs";
import { PageDriver, Reel } from "./page_driver.mjs";
import { buildPage, serve } from "./serve.mjs";
import { encodeColumns, makeDocument, setCell } from "./synthetic.mjs";

const option = (name) => resolve(process.argv[process.argv.indexOf(`--${name}`) + 1] ?? `missing --${name}`);
const reel = new Reel(option("reel")),
  out = option("out");
const folder = (name) => {
  mkdirSync(join(out, name), { recursive: true });
  return join(out, name);
};
const documents = folder("documents"),
  screenshots = folder("screenshots"),
  pageFolder = folder("page");

if (!findBrowser()) {
  console.log(process.env.REEL_REQUIRE_DEVICES ? "There is no Chromium, and it is required." : "Chromium is not here, so the page is not tested.");
  process.exit(process.env.REEL_REQUIRE_DEVICES ? 1 : 0);
}

await build({
  entryPoints: [join(dirname(fileURLToPath(import.meta.url)), "../src/text/units.ts")],
  outfile: join(out, "units.mjs"),
  bundle: true,
  format: "esm",
  logLevel: "warning",
});
const { countText, shareText, sizeText, timeText } = await import(pathToFileURL(join(out, "units.mjs")));

// --- documents ------------------------------------------------------------------------------------

function capture(name, device, { mode = "direct", passes = "3", tokens = "4" } = {}) {
  const path = join(documents, `${name}.reel`);
  execFileSync(option("forward-pass"), ["--device", device, "--mode", mode, "--tokens", tokens], {
    stdio: "ignore",
    env: {
      ...process.env,
      REEL_CAPTURE_ENABLED: "1",
      REEL_CAPTURE: path,
      REEL_CAPTURE_PASS: passes,
      REEL_CAPTURE_OVERWRITE: "1",
    },
  });
  return path;
}

const devices = reel.json("devices");
const deviceIds = (devices.devices ?? devices).map((device) => device.id ?? device.selector).filter(Boolean);
const host = capture("host", "host");
const others = ["opencl", "vulkan"].map((backend) => deviceIds.find((id) => id.startsWith(backend))).filter(Boolean);
const hasOpencl = others.some((id) => id.startsWith("opencl"));
const made = others.map((id) => [id, capture(id.replace(":", "_"), id, { passes: "2-4" })]);

const browser = await openBrowser();
const driver = new PageDriver(browser, screenshots);
after(() => browser.close());

// --- numbers --------------------------------------------------------------------------------------

async function checkSummary(view, path) {
  const info = reel.json("info", path),
    insights = reel.json("insights", path),
    { page } = view;
  await page.waitForSelector(".tiles");
  const tiles = Object.fromEntries(
    await page.$$eval(".tile", (found) =>
      found.map((tile) => [tile.children[0].textContent, tile.children[1].textContent]),
    ),
  );
  const details = Object.fromEntries(
    await page.$$eval(".tile", (found) =>
      found.map((tile) => [tile.children[0].textContent, tile.children[2].textContent]),
    ),
  );
  assert.equal(tiles.span, timeText(info.span_ns));
  assert.ok(details.busy.startsWith(`${shareText(info.busy_ns, info.active_ns)} of ${timeText(info.active_ns)}`));
  const gaps = reel.json("gaps", path);
  const parts = await page.$$eval("[data-part]", (found) =>
    found.map((part) => [part.dataset.part, part.children[3].textContent, part.children[4].textContent]),
  );
  const expected = [["busy", gaps.busy_ns], ...Object.entries(gaps.idle_ns)].filter(([, ns]) => ns > 0);
  assert.deepEqual(
    parts.filter(([name]) => name !== "outside"),
    expected.map(([name, ns]) => [name, timeText(ns), shareText(ns, gaps.active_ns)]),
  );
  await page.waitForSelector(".kernel-row");
  const { kernels, sum_ns } = reel.json("kernels", path);
  assert.deepEqual(
    await page.$$eval(".kernel-row", (rows) =>
      rows.map((row) => [row.dataset.kernel, row.children[2].textContent, row.children[3].textContent]),
    ),
    kernels
      .filter((kernel) => kernel.timed > 0)
      .slice(0, 6)
      .map((kernel) => [kernel.id, timeText(kernel.total_ns), shareText(kernel.total_ns, sum_ns)]),
  );
  assert.equal(tiles.commands, countText(info.commands.total));
  assert.equal(tiles.busy, timeText(info.busy_ns));
  assert.equal(tiles.kernels, countText(info.kernels));
  const verdict = insights.findings.find((finding) => finding.id === "verdict");
  if (verdict) assert.equal(await page.textContent(".verdict p"), verdict.title);
  const scopes = reel.json("scopes", path).scopes;
  await page.waitForSelector(".scope-row");
  const shown = await page.$$eval(".scope-row", (rows) =>
    rows.map((row) => [row.dataset.scope, row.children[2].textContent]),
  );
  assert.deepEqual(
    shown,
    scopes.slice(0, 40).map((scope) => [scope.name, timeText(scope.run_ns)]),
  );
}

async function checkKernels(view, path) {
  const { kernels } = reel.json("kernels", path);
  await view.show("#kernels");
  await view.page.waitForSelector('[aria-label="Kernels"] .table-row');
  const rows = new Map((await view.cells("Kernels")).map((cells) => [cells[0].split(" ").pop(), cells]));
  assert.equal(rows.size, kernels.length);
  for (const kernel of kernels) {
    const cells = rows.get(kernel.id);
    assert.equal(cells[0], `${kernel.name} ${kernel.id}`);
    assert.equal(cells[1], countText(kernel.count));
    if (kernel.timed === 0) continue;
    assert.equal(cells[2], timeText(kernel.total_ns));
    assert.equal(cells[4], timeText(kernel.mean_ns));
    assert.equal(cells[6], timeText(kernel.p50_ns));
    assert.equal(cells[7], timeText(kernel.p95_ns));
  }
}

async function checkFindings(view, path) {
  const { findings } = reel.json("insights", path);
  await view.show("#findings");
  await view.page.waitForSelector(".findings");
  assert.deepEqual(
    await view.page.$$eval(".finding h3", (titles) => titles.map((title) => title.textContent)),
    findings.map((finding) => finding.title),
  );
}

async function checkTimeline(view, path) {
  const info = reel.json("info", path);
  await view.show("#timeline");
  await view.waitForHook("timeline");
  await view.settled();
  const { rows } = await view.hook("timeline");
  const sum = (start) =>
    rows.filter((row) => row.key.startsWith(start)).reduce((total, row) => total + (row.events ?? 0), 0);
  const kernels = reel.json("kernels", path).kernels.reduce((total, kernel) => total + kernel.timed, 0);
  assert.equal(sum("kernel "), kernels);
  if (kernels === info.commands.total) assert.equal(sum("stream "), info.commands.total);
  return rows;
}

for (const [name, path] of [["host", host], ...made])
  test(`a document of ${name}, served: numbers are those of the command line`, async () => {
    const server = await reel.view(path);
    const view = await driver.open(server.url);
    try {
      await checkSummary(view, path);
      await view.shot(`${name.replace(":", "_")}_summary`);
      await checkTimeline(view, path);
      await view.shot(`${name.replace(":", "_")}_timeline`);
      await checkKernels(view, path);
      await checkFindings(view, path);
      await view.show("#calls");
      await view.page.waitForSelector('[aria-label="Calls"] .table-row');
      const calls = reel.json("calls", path);
      const listed = calls.calls ?? calls;
      if (Array.isArray(listed) && typeof listed[0]?.begin_ns === "number")
        assert.equal(
          await view.page.getAttribute('[role=table][aria-label="Calls"]', "aria-rowcount"),
          String(listed.length + 1),
        );
      await view.show("#memory");
      await view.waitForHook("memory");
      const buffers = reel.json("buffers", path);
      assert.equal(
        await view.page.getAttribute('[role=table][aria-label="Buffers in memory"]', "aria-rowcount"),
        String(buffers.buffers.length + 1),
      );
      await view.shot(`${name.replace(":", "_")}_memory`);
      await view.show("#dependencies");
      await view.waitForHook("dependencies");
      const { nodes } = await view.hook("dependencies");
      assert.equal(
        nodes.reduce((sum, node) => sum + node.end - node.first, 0),
        reel.json("info", path).commands.total,
      );
      await view.settled();
      await view.shot(`${name.replace(":", "_")}_dependencies`);
      await view.done();
    } finally {
      server.close();
    }
  });

// --- one file, every view, by hand ----------------------------------------------------------------

const html = join(documents, "host.html");
reel.text("view", host, "--html", html, "--overwrite");
const htmlUrl = pathToFileURL(html).href;

test("an HTML file: a click on the timeline selects everywhere, and the address keeps it", async () => {
  const view = await driver.open(htmlUrl),
    { page } = view;
  const rows = await checkTimeline(view, host);
  const box = await (await page.$(".tl-canvas")).boundingBox();
  const row = rows.find(({ key }) => key.startsWith("stream "));
  // Somewhere on that row lies a command.
  let found = null,
    x = 0;
  for (x = 2; x < box.width && !found?.thing; x += 3) found = await view.hook("timeline", "hit", x, row.y + 10);
  assert.equal(found.thing.kind, "command");
  await page.mouse.move(box.x + x - 3, box.y + row.y + 10);
  await page.waitForSelector(".tip .stages");
  assert.match(await page.textContent(".tip"), /queued.*started.*ended/s);
  await page.mouse.click(box.x + x - 3, box.y + row.y + 10);
  await page.waitForFunction(() => location.hash.includes("at=c"));
  const command = reel.json("commands", host, `c${found.thing.index}`);
  assert.ok(command);
  assert.match(await page.textContent(".inspector h2"), new RegExp(`^c${found.thing.index}\\b`));
  await page.reload();
  await page.waitForSelector(".inspector h2");
  assert.match(await page.textContent(".inspector h2"), new RegExp(`^c${found.thing.index}\\b`));

  // A range limits the table below; Escape takes it away.
  await view.waitForHook("timeline");
  await page.mouse.move(box.x + 300, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 220, { steps: 4 });
  await page.mouse.up();
  await page.waitForSelector('[data-range="chosen"]');
  await page.waitForFunction(() => /range=\d+-\d+/.test(location.hash));
  await page.keyboard.press("Escape");
  await page.waitForSelector('[data-range="all"]');

  // Keys: nearer, sideways, all of it again, the next command.
  const before = (await view.hook("timeline")).window;
  await page.keyboard.down("w");
  let nearer = before;
  // It moves with the frames of the browser, which a busy machine draws late.
  for (let tries = 0; tries < 100 && nearer.end - nearer.begin >= before.end - before.begin; ++tries) {
    await view.settled();
    nearer = (await view.hook("timeline")).window;
  }
  await page.keyboard.up("w");
  assert.ok(nearer.end - nearer.begin < before.end - before.begin);
  await page.keyboard.press("]");
  await page.waitForFunction((old) => !location.hash.includes(`at=c${old}`), found.thing.index);
  await page.mouse.move(box.x + 400, box.y + 100);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, 300);
  await page.keyboard.up("Control");
  await page.click('.tl-corner button:text-is("all")');
  await page.click(".tl-label:not(.head) button.named");
  await page.waitForFunction(() => /at=[sk]\d/.test(location.hash));
  const heads = await page.$$(".tl-label.head button");
  await heads[0].click();
  for (let tries = 0; tries < 100 && (await view.hook("timeline")).rows.length >= rows.length; ++tries)
    await view.settled();
  assert.ok((await view.hook("timeline")).rows.length < rows.length);
  await view.shot("html_timeline");
  await view.done();
});

test("an HTML file: buffers hold what reel buffer prints", async () => {
  const { buffers } = reel.json("buffers", host),
    view = await driver.open(htmlUrl),
    { page } = view;
  await view.show("#buffers");
  await page.waitForSelector('[data-element="0"]');
  await page.waitForFunction(() => /\d/.test(document.querySelector('[data-element="0"]')?.textContent ?? ""));
  await page.waitForSelector('[data-statistic="elements"]');
  const id = (await page.textContent(".split-left .pane:nth-child(2) .toolbar b")).trim().split(" ")[0];
  assert.ok(buffers.some((buffer) => buffer.id === id));
  const shown = await page.$$eval("[data-element]", (cells) => cells.slice(0, 12).map((cell) => cell.textContent));
  const command = await page.evaluate(
    () => document.querySelector('[aria-label^="Versions of"] .table-row.on').textContent,
  );
  const at = /before c(\d+)/.exec(command);
  // What it held before its first use is what it held at any time before.
  const printed = reel.json("buffer", host, id, "--count", "12", ...(at ? ["--at", `c${at[1]}`] : []));
  assert.deepEqual(
    shown.map((text) => Math.fround(Number(text))),
    printed.elements,
  ); // of floats, as doubles
  await page.selectOption("select.field", "hex");
  await page.waitForFunction(() => /^[0-9a-f]{2}$/.test(document.querySelector('[data-element="0"]').textContent));
  await page.selectOption("select.field", "f32");
  await page.click("text=next NaN/Inf");
  await page.waitForFunction(() => /NaN or Inf/.test(document.querySelector(".toolbar [role=status]").textContent));
  await page.click("text=heat map");
  await view.waitForHook("heatmap");
  await page.waitForFunction(() => window.__view.canvas("heatmap").summary() !== null);
  await page.fill(".toolbar input[type=number]", "16");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.__view.canvas("heatmap").summary()?.width === 16);
  assert.equal((await view.hook("heatmap", "hit", 1, 1)).index, 0);
  await view.shot("html_buffers");
  await view.done();
});

test("an HTML file: a buffer whose bytes were left out says how to see them", async () => {
  const bare = join(documents, "bare.html");
  reel.text("view", host, "--html", bare, "--overwrite", "--contents", "0B");
  const view = await driver.open(pathToFileURL(bare).href),
    { page } = view;
  assert.ok((await page.$$(".troubles p")).length > 0);
  await view.show("#buffers");
  await page.waitForFunction(() => /reel buffer/.test(document.querySelector(".split-left").textContent));
  assert.match(await page.textContent(".split-left"), /left out of this file.*reel buffer .*host\.reel b\d+/);
  await view.done();
});

test("an HTML file: sources are those of reel source", async () => {
  const view = await driver.open(htmlUrl),
    { page } = view;
  const { kernels } = reel.json("kernels", host);
  await view.show(`#source?at=${kernels.find((kernel) => kernel.name === "rms_norm").id}`);
  await page.waitForSelector(".code-line");
  const id = kernels.find((kernel) => kernel.name === "rms_norm").id;
  const form = (await page.textContent(".choice .button.on")).trim();
  const lines = await page.$$eval(".code-line code", (found) => found.map((line) => line.textContent));
  let text;
  try {
    text = reel.text("source", host, id, "--form", form);
  } catch {
    text = reel.text("source", host, id);
  }
  assert.deepEqual(lines, text.split("\n").slice(0, lines.length));
  assert.ok(await page.$(".code-type"));
  await view.shot("html_source");
  await view.done();
});

test("an HTML file: dependencies open, fold, and pin buffers", async () => {
  const view = await driver.open(`${htmlUrl}#dependencies`),
    { page } = view;
  await view.waitForHook("dependencies");
  await page.click("text=close all");
  await view.settled();
  const closed = await view.hook("dependencies");
  const fold = closed.nodes.find((node) => node.count > 1);
  assert.ok(fold, "layers fold");
  assert.ok(closed.nodes.length < 20);
  const canvas = await page.$(".graph-canvas"),
    box = await canvas.boundingBox();
  await page.click("text=fit");
  await view.settled();
  const { nodes } = await view.hook("dependencies"),
    target = nodes.find((node) => node.count > 1);
  await page.mouse.dblclick(box.x + target.x + 40, box.y + target.y + 10);
  await page.waitForFunction(
    (count) => window.__view.canvas("dependencies").summary().nodes.length > count,
    nodes.length,
  );
  await page.keyboard.press("f");
  await view.settled();
  const opened = await view.hook("dependencies");
  const command = opened.nodes.find((node) => node.kind === "command" && node.y > 0 && node.y < box.height - 60);
  await page.mouse.click(box.x + command.x + 40, box.y + command.y + 10);
  await page.waitForFunction((first) => location.hash.includes(`at=c${first}`), command.first);
  await page.keyboard.press("Enter"); // its buffers
  await view.settled();
  await page.click(".inspector h3:has-text('Arguments') + ul a");
  await page.waitForFunction(() => location.hash.includes("at=b"));
  await page.click(".toolbar button:has-text('pin b')");
  await page.waitForSelector(".pin");
  for (const mode of ["sync", "data", "all"]) {
    await page.click(`.choice button:text-is("${mode}")`);
    await view.settled();
    const { edges } = await view.hook("dependencies");
    if (mode === "data") assert.ok(edges.every((edge) => ["data", "missing"].includes(edge.kind)));
    if (mode === "sync") assert.ok(edges.every((edge) => edge.kind !== "data"));
  }
  await page.keyboard.press("p");
  await page.waitForFunction(() => location.hash.includes("path=off"));
  await view.shot("html_dependencies");
  await view.done();
});

test("search, help, colours, and the way back", async () => {
  const view = await driver.open(htmlUrl, { scheme: "light" }),
    { page } = view;
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  await page.keyboard.press("t");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.keyboard.press("?");
  await page.waitForSelector('[role=dialog][aria-label="Keys"]');
  await view.shot("help");
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.waitForSelector(".palette input");
  await page.keyboard.type("matmul");
  await page.waitForFunction(() => document.querySelector(".palette li.on")?.textContent.includes("matmul_f32"));
  await view.shot("search");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#kernels?at=k"));
  assert.equal(await page.textContent(".inspector h2"), " matmul_f32");
  await page.keyboard.press("/");
  await page.waitForSelector(".palette input");
  await page.keyboard.type("c12");
  await page.waitForFunction(() => document.querySelector(".palette li.on")?.textContent.startsWith("c12"));
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash === "#timeline?at=c12");
  await page.goBack();
  await page.waitForFunction(() => location.hash.startsWith("#kernels?at=k"));
  assert.ok(await page.$('main[aria-label="Kernels"]'));
  await view.done();
});

test("a finding's links select what it tells of", async () => {
  const view = await driver.open(`${htmlUrl}#findings`),
    { page } = view;
  await page.waitForSelector("[data-evidence^=command]");
  const name = await page.getAttribute("[data-evidence^=command]", "data-evidence");
  await page.click("[data-evidence^=command]");
  await page.waitForFunction((number) => location.hash === `#timeline?at=c${number}`, name.split(" ")[1]);
  await view.done();
});

test("tables sort and move by keys", async () => {
  const view = await driver.open(`${htmlUrl}#kernels`),
    { page } = view;
  await page.waitForSelector('[aria-label="Kernels"] .table-row');
  await page.click('[aria-label="Kernels"] [role=columnheader] button:text-is("runs")');
  const runs = (await view.cells("Kernels")).map((cells) => Number(cells[1].replace(/,/g, "")));
  assert.deepEqual(
    runs,
    [...runs].sort((a, b) => b - a),
  );
  await page.focus('[aria-label="Kernels, rows"]');
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const second = (await view.cells("Kernels"))[1][0].split(" ").pop();
  await page.waitForFunction((id) => location.hash.includes(`at=${id}`), second);
  await view.done();
});

// --- two documents --------------------------------------------------------------------------------

const changeOf = ({ change, p }) => (change !== "same" ? change : p === null ? "not tested" : "not significant");

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
  execFileSync(option("make-document"), [path, "--commands", "1000000"]);
  const server = await reel.view(path);
  const view = await driver.open(server.url),
    { page } = view;
  try {
    await page.waitForSelector(".tiles");
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

buildPage(pageFolder);
const json = (value) => new TextEncoder().encode(JSON.stringify(value));
const parsed = (resources, name) => JSON.parse(new TextDecoder().decode(resources.get(name)));

async function visitAll(
  resources,
  names = [
    "summary",
    "timeline",
    "dependencies",
    "memory",
    "kernels",
    "buffers",
    "source",
    "calls",
    "findings",
    "diff",
  ],
  look = async () => undefined,
) {
  const server = await serve(resources, pageFolder),
    view = await driver.open(server.url);
  for (const name of names) {
    await view.show(`#${name}`);
    await view.page.waitForFunction(() => !document.querySelector("main .waiting"), null, { timeout: 30_000 });
    assert.equal(await view.page.$("main > .failed"), null, name);
    await look(view, name);
  }
  await view.done();
  server.close();
}

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
  resources.set("calls", empty({ name: u32, thread: u32, command: u32, begin: f64, end: f64 }));
  resources.set(
    "gaps",
    empty({ device: u32, cause: u8, begin: f64, end: f64, before: u32, after: u32, call: u32, period: u32 }),
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
  Object.assign(summary.path, { command_ns: 0, host_ns: 0, span_ns: 0, halved: [] });
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
        least_ns: 0,
        p50_ns: 0,
        p95_ns: 0,
        most_ns: 0,
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

// An image of a document; `shape` is what differs from a plane of one pixel.
function image(label, channel_order, channel_type, element, pixel_bytes, shape, versions) {
  const plane = { type: "2d", width: 1, height: 1, depth: 1, layers: 1 };
  const image_shape = { ...plane, channel_order, channel_type, pixel_bytes, ...shape };
  const { width, height, depth, layers } = image_shape;
  return {
    label,
    image: `${image_shape.type} ${channel_order}${channel_type}`,
    image_shape,
    element,
    size_bytes: width * height * depth * layers * pixel_bytes,
    versions,
  };
}

// Pixel (x, y) is (40 x, 30 y, 200, 255), of five by six.
const gradient = Uint8Array.from({ length: 5 * 6 * 4 }, (_, at) => {
  const pixel = at >> 2;
  return [40 * (pixel % 5), 30 * Math.floor(pixel / 5), 200, 255][at & 3];
});
const volume = Float32Array.from({ length: 4 * 3 * 2 }, (_, at) => (at === 13 ? NaN : at / 2));
const images = [
  image("gradient", "RGBA", "8 unorm", "u8", 4, { width: 5, height: 6 }, [
    { bytes: gradient },
    { bytes: gradient.slice(2 * 20, 4 * 20), offset: 2 * 20 },
    { size: gradient.length },
  ]),
  image("volume", "R", "32 float", "f32", 4, { type: "3d", width: 4, height: 3, depth: 2 }, [
    { bytes: new Uint8Array(volume.buffer) },
  ]),
  image("stencil", "depth_stencil", "24 unorm", null, 4, { width: 2, height: 2 }, [{ bytes: new Uint8Array(16) }]),
  image("line", "R", "8 uint", "u8", 1, { type: "1d", width: 30 }, [
    { bytes: Uint8Array.from({ length: 30 }, (_, at) => at) },
  ]),
  image("window", "R", "8 uint", "u8", 1, { width: 16, height: 2 }, []),
];
const firstImage = 3; // of the buffers: three come before

async function openImages(look) {
  const resources = makeDocument({ commands: 600, layers: 2, images });
  const works = resources.get("works");
  for (const axis of ["x", "y", "z"]) setCell(works, `group_${axis}`, 0, 0); // the driver's choice
  [160, 120, 1].forEach((count, at) => {
    setCell(works, `groups_${"xyz"[at]}`, 0, 0);
    setCell(works, `items_${"xyz"[at]}`, 0, count);
  });
  [1000, 1, 1].forEach((count, at) => setCell(works, `items_${"xyz"[at]}`, 1, count));
  setCell(works, "offset_y", 1, 7);
  setCell(resources.get("arguments"), "view", 0, firstImage + 4); // the first one's only argument
  const server = await serve(resources, pageFolder),
    view = await driver.open(server.url);
  try {
    await look(view, (label) => `b${firstImage + 1 + images.findIndex((row) => row.label === label)}`);
    await view.done();
  } finally {
    server.close();
  }
}

const pictureIs = (page, expected) =>
  page.waitForFunction((wanted) => {
    const summary = window.__view.canvas("picture")?.summary();
    return summary && Object.entries(wanted).every(([key, value]) => JSON.stringify(summary[key]) === value);
  }, Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, JSON.stringify(value)])));

// Waits until the canvas really shows that colour there.
const colorIs = (page, x, y, color) =>
  page.waitForFunction(
    ([across, down, wanted]) => {
      const copy = document.createElement("canvas");
      copy.width = copy.height = 1;
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.drawImage(document.querySelector(".picture canvas"), -across, -down);
      return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).join() === wanted;
    },
    [Math.floor(x), Math.floor(y), color.join()],
  );

test("an image is a picture: its colours, its pixels, and what was not recorded of it", () =>
  openImages(async ({ page, show, hook, shot }, id) => {
    await show(`#buffers?at=${id("gradient")}`);
    await pictureIs(page, { columns: 5, rows: 6, missing: 0, x: 0, y: 0 });
    assert.equal(await page.textContent(".choice .button.on"), "picture");
    const { scale } = await hook("picture");
    assert.ok(Number.isInteger(scale) && scale > 8, `${scale}`);
    const [x, y] = [3.5 * scale, 4.5 * scale];
    assert.deepEqual(await hook("picture", "hit", x, y), { x: 3, y: 4, values: [120, 120, 200, 255] });
    await colorIs(page, x, y, [120, 120, 200]);
    await colorIs(page, 1, 1, [0, 0, 200]);
    const box = await (await page.$(".picture canvas")).boundingBox();
    await page.mouse.move(box.x + x, box.y + y);
    await page.waitForFunction(
      () => document.querySelector(".picture [role=status]").textContent === "(3, 4)  R 120  G 120  B 200  A 255",
    );
    assert.doesNotMatch(await page.textContent(".picture .strip-line"), /black/); // shown as it is

    // A version of two rows; one of a hash alone.
    await show(`#buffers?at=${id("gradient")}&version=1`);
    await pictureIs(page, { missing: 20 });
    assert.equal((await hook("picture", "hit", x, y)).values, null);
    assert.deepEqual((await hook("picture", "hit", x, 2.5 * scale)).values, [120, 60, 200, 255]);
    await page.mouse.move(box.x + x, box.y + y + 1);
    await page.waitForFunction(() =>
      /not recorded$/.test(document.querySelector(".picture [role=status]").textContent),
    );
    assert.match(await page.textContent(".picture .strip-line"), /20 pixels not recorded/);
    await shot("image_part");
    await show(`#buffers?at=${id("gradient")}&version=2`);
    await page.waitForFunction(() => /Only the hash/.test(document.querySelector(".split-left").textContent));

    // As numbers, a row of the table is a row of the image.
    await show(`#buffers?at=${id("gradient")}`);
    await page.click('.choice button:text-is("numbers")');
    await page.waitForFunction(() => document.querySelector('[data-element="20"]')?.textContent === "0");
    const second = (await page.$$eval('[aria-label="Elements"] .table-row', (rows) => rows[1].textContent)).slice(0, 6);
    assert.equal(second, "200302");
  }));

test("an image of numbers says what is black and white, one of slices which is shown", () =>
  openImages(async ({ page, show, hook, shot }, id) => {
    await show(`#buffers?at=${id("volume")}`);
    await pictureIs(page, { columns: 4, rows: 3, number: 0, found: { least: 0, most: 5.5 }, strange: 0 });
    assert.match(await page.textContent(".picture .strip-line"), /0 is black, 5\.5 is white/);
    await page.fill('.toolbar input[type="number"]', "1");
    await pictureIs(page, { number: 1, found: { least: 6, most: 11.5 }, strange: 1 });
    assert.match(await page.textContent(".picture .strip-line"), /1 pixel with NaN/);
    const { scale } = await hook("picture");
    await colorIs(page, 1.5 * scale, 2, [255, 0, 255]);
    assert.deepEqual((await hook("picture", "hit", 3.5 * scale, 2.5 * scale)).values, [11.5]);
    await shot("image_slice");
    await show(`#buffers?at=${id("stencil")}`);
    await page.waitForFunction(() =>
      /no picture of this format/.test(document.querySelector(".split-left").textContent),
    );
    assert.equal(await page.textContent(".choice .button.on"), "numbers");
    await show(`#buffers?at=${id("line")}`);
    await page.waitForFunction(() => document.querySelector('[data-element="29"]')?.textContent === "29");
    await page.click('.choice button:text-is("picture")');
    await pictureIs(page, { columns: 30, rows: 1, found: { least: 0, most: 29 } });

    // Nearer, where the pointer is; a drag moves it; two clicks show all of it again.
    const fit = (await hook("picture")).scale,
      box = await (await page.$(".picture canvas")).boundingBox(),
      x = 20.5 * fit;
    await page.mouse.move(box.x + x, box.y + 5);
    await page.mouse.wheel(0, -100);
    await pictureIs(page, { scale: 2 * fit });
    assert.deepEqual(await hook("picture", "hit", x, 5), { x: 20, y: 0, values: [20] });
    await page.mouse.down();
    await page.mouse.move(box.x + x + 2 * fit, box.y + 5);
    await page.mouse.up();
    await page.waitForFunction((at) => window.__view.canvas("picture").hit(at, 5).x === 19, x);
    await page.mouse.dblclick(box.x + x, box.y + 5);
    await pictureIs(page, { scale: fit, x: 0 });
    await show(`#buffers?at=${id("window")}`);
    await page.waitForFunction(() => /It is made on b1 'x'/.test(document.querySelector(".split-left").textContent));
  }));

// Pixels of an image of image_formats, as the command line prints them.
function printedPixel(path, { id, image }, x, y) {
  const [, bits, kind] = /(\d+) (\w+)$/.exec(image.format);
  const letter = { uint: "u", unorm: "u", int: "i", snorm: "i", float: "f" }[kind];
  const count = (image.pixel_bytes * 8) / Number(bits),
    offset = (y * image.width + x) * image.pixel_bytes;
  return reel.json("buffer", path, id, "--as", letter + bits, "--offset", `${offset}`, "--count", `${count}`).elements;
}

const skip = hasOpencl ? false : "no OpenCL device";
test("images that a program had: pixels are those of reel buffer", { skip }, async () => {
  const path = join(documents, "images.reel");
  reel.text("capture", "--contents", "all", "--overwrite", "-q", "-o", path, "--", option("image-program"));
  const recorded = reel.json("buffers", path).buffers.filter((buffer) => buffer.image && buffer.contents === 1);
  assert.ok(recorded.length >= 8, `${recorded.length} images`);
  const server = await reel.view(path),
    view = await driver.open(server.url),
    { page } = view;
  try {
    for (const buffer of recorded) {
      await view.show(`#buffers?at=${buffer.id}`);
      await page.waitForFunction(
        (id) => document.querySelector(".split-left .pane:nth-child(2) b")?.textContent.trim() === id,
        buffer.id,
      );
      await pictureIs(page, { columns: buffer.image.width, rows: buffer.image.height, missing: 0 });
      const { scale } = await view.hook("picture");
      for (const [x, y] of [[0, 0], [13, 6]])
        assert.deepEqual(
          await view.hook("picture", "hit", (x + 0.5) * scale, (y + 0.5) * scale),
          { x, y, values: printedPixel(path, buffer, x, y) },
          `${buffer.id} ${buffer.image.format}`,
        );
    }
    await view.shot("image_formats");
    await view.done();
  } finally {
    server.close();
  }
});

test("launches say what they count, and arguments which image was made on them", () =>
  openImages(async ({ page, show, shot }, id) => {
    const facts = () =>
      page.$eval(".inspector dl", (list) =>
        Object.fromEntries(
          [...list.querySelectorAll("dt")].map((name) => [name.textContent, name.nextSibling.textContent]),
        ),
      );
    await show("#timeline?at=c0");
    await page.waitForSelector(".inspector h3:has-text('Arguments') + ul a");
    const free = await facts();
    assert.equal(free.items, "160x120");
    assert.equal(free["in groups"], "of the driver's choice");
    assert.equal(free.groups, undefined);
    const bound = await page.textContent(".inspector h3:has-text('Arguments') + ul li > span");
    assert.equal(bound, `weights b1 'x' as ${id("window")}`);
    await shot("image_view");
    await page.click(`.inspector h3:has-text('Arguments') + ul a:text-is("${id("window")}")`);
    await page.waitForFunction((name) => location.hash.includes(`at=${name}`), id("window"));
    await show("#timeline?at=c1");
    await page.waitForFunction(() => /^c1\b/.test(document.querySelector(".inspector h2").textContent));
    const part = await facts();
    assert.equal(part.of, "64");
    assert.equal(part.items, "1000 in all");
    assert.equal(part.from, "(0, 7, 0)");
  }));

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

for (const scheme of ["dark", "light"])
  test(`every view, ${scheme}, for people to look at`, async () => {
    const view = await driver.open(htmlUrl, { scheme });
    for (const name of [
      "summary",
      "timeline",
      "dependencies",
      "memory",
      "kernels",
      "buffers",
      "source",
      "calls",
      "findings",
    ]) {
      await view.show(`#${name}`);
      await view.page.waitForFunction(() => !document.querySelector("main .waiting"));
      await view.settled();
      await view.shot(`${scheme}_${name}`);
      const overflows = await view.page.evaluate(
        () => document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight,
      );
      assert.equal(overflows, false, name);
    }
    await view.done();
  });
