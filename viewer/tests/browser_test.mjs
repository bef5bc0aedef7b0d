// browser_test.mjs - drives every view of the page, and compares what it shows with what the command line says.
//
//   node tests/browser_test.mjs --reel build/bin/reel --forward-pass build/bin/forward_pass
//        --make-document build/bin/make_document --out build/viewer_browser
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
import { encodeColumns, makeDocument } from "./synthetic.mjs";

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
const { countText, sizeText, timeText } = await import(pathToFileURL(join(out, "units.mjs")));

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
  await view.page.waitForTimeout(100);
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
      await view.page.waitForTimeout(150);
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
    await page.waitForTimeout(50);
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
    await page.waitForTimeout(50);
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
  await page.waitForTimeout(150);
  const closed = await view.hook("dependencies");
  const fold = closed.nodes.find((node) => node.count > 1);
  assert.ok(fold, "layers fold");
  assert.ok(closed.nodes.length < 20);
  const canvas = await page.$(".graph-canvas"),
    box = await canvas.boundingBox();
  await page.click("text=fit");
  await page.waitForTimeout(100);
  const { nodes } = await view.hook("dependencies"),
    target = nodes.find((node) => node.count > 1);
  await page.mouse.dblclick(box.x + target.x + 40, box.y + target.y + 10);
  await page.waitForFunction(
    (count) => window.__view.canvas("dependencies").summary().nodes.length > count,
    nodes.length,
  );
  await page.keyboard.press("f");
  await page.waitForTimeout(100);
  const opened = await view.hook("dependencies");
  const command = opened.nodes.find((node) => node.kind === "command" && node.y > 0 && node.y < box.height - 60);
  await page.mouse.click(box.x + command.x + 40, box.y + command.y + 10);
  await page.waitForFunction((first) => location.hash.includes(`at=c${first}`), command.first);
  await page.keyboard.press("Enter"); // its buffers
  await page.waitForTimeout(100);
  await page.click(".inspector h3:has-text('Arguments') + ul a");
  await page.waitForFunction(() => location.hash.includes("at=b"));
  await page.click(".toolbar button:has-text('pin b')");
  await page.waitForSelector(".pin");
  for (const mode of ["sync", "data", "all"]) {
    await page.click(`.choice button:text-is("${mode}")`);
    await page.waitForTimeout(50);
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
      total: Number(dataset.total),
    }));
    assert.equal(sum.rows + sum.idle, sum.total);
    assert.equal(sum.total, diff.total_delta_ns);
    const rows = await view.cells("What changed");
    diff.rows
      .slice(0, Math.min(10, rows.length))
      .forEach((row, place) =>
        assert.deepEqual(rows[place].slice(0, 3), [row.change, row.name, row.scope || "no scope"]),
      );
    const totals = await page.$$eval("[data-total]", (found) =>
      found
        .filter((row) => row.tagName === "TR")
        .map((row) => [row.dataset.total, row.children[1].textContent, row.children[2].textContent]),
    );
    assert.deepEqual(totals[0], ["one pass", timeText(diff.a.total_ns), timeText(diff.b.total_ns)]);
    assert.deepEqual(totals[3], ["memory peak", sizeText(diff.a.peak_bytes), sizeText(diff.b.peak_bytes)]);
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
    await page.waitForTimeout(200);
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
  resources.set("gaps", empty({ device: u32, cause: u8, begin: f64, end: f64, before: u32, after: u32, call: u32 }));
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
  Object.assign(summary, { busy_ns: 0, sum_ns: 0, verdict: "unknown" });
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
      await view.page.waitForTimeout(250);
      await view.shot(`${scheme}_${name}`);
      const overflows = await view.page.evaluate(
        () => document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight,
      );
      assert.equal(overflows, false, name);
    }
    await view.done();
  });
