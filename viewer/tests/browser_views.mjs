// browser_views.mjs - one file, every view, by hand.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { checkTimeline } from "./browser_numbers.mjs";
import { documents, driver, host, htmlUrl, reel, views } from "./browser_setup.mjs";

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
  assert.equal((await page.$$("[data-prove]")).length, 0, "a file can't run anything");
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

for (const scheme of ["dark", "light"])
  test(`every view, ${scheme}, for people to look at`, async () => {
    const view = await driver.open(htmlUrl, { scheme });
    for (const name of views.filter((one) => one !== "diff")) {
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
