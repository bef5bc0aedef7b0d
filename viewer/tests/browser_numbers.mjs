// browser_numbers.mjs - what views show of documents of each device is what the command line says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { countText, driver, host, made, reel, shareText, timeText } from "./browser_setup.mjs";

async function checkSummary(view, path) {
  const info = reel.json("info", path),
    insights = reel.json("insights", path),
    { page } = view;
  await page.waitForSelector(".tiles");
  // Numbers that are still being counted are shown as such.
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".tile")].every((tile) => tile.children[1].textContent !== "…"),
  );
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

export async function checkTimeline(view, path) {
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

test("the button tries the findings", async () => {
  const server = await reel.view(host);
  const view = await driver.open(`${server.url}#findings`);
  try {
    await view.page.waitForSelector("button[data-prove=idle]");
    assert.equal((await view.page.$$("[data-proof]")).length, 0);
    await view.page.click("button[data-prove]");
    await view.page.waitForSelector("button[data-prove=done]", { timeout: 90000 });
    const { findings } = reel.json("insights", host);
    const verdicts = await view.page.$$eval("[data-proof]", (proofs) => proofs.map((proof) => proof.dataset.proof));
    assert.equal(verdicts.length, findings.length);
    assert.ok(verdicts.some((verdict) => verdict !== "not_tried"), `${verdicts}`);
    await view.shot("proved");
    await view.page.reload(); // what was found is still there
    await view.page.waitForSelector("[data-proof]");
    await view.done();
  } finally {
    server.close();
  }
});

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
