// browser_ranks.mjs - documents of many ranks: the heat map, timelines, and the way to each rank's own page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { documents, driver, option, reel, timeText } from "./browser_setup.mjs";

const slow = 2;
const paths = [0, 1, 2, 3].map((rank) => {
  const path = join(documents, `run-${rank}.reel`);
  const time = rank === slow ? ["--matmul-time", "1.3"] : [];
  execFileSync(option("make-document"), [path, "--commands", "6000", "--layers", "4", "--seed", `${rank + 1}`, ...time]);
  return path;
});
const shows = ".ranks-timelines, .failed";

test("ranks: the page says what reel ranks says, and a rank's number opens its document", async () => {
  const told = reel.json("ranks", ...paths);
  assert.equal(told.straggler, slow);
  const server = await reel.view(...paths),
    view = await driver.open(server.url, { shows }),
    { page } = view;
  try {
    assert.equal(await page.$eval(".ranks-sentence", (place) => place.textContent), told.sentence);
    const rows = await page.$$eval(".ranks-table tbody tr", (list) =>
      list.map((row) => [...row.cells].map((cell) => cell.textContent)),
    );
    assert.equal(rows.length, 4);
    told.ranks.forEach((rank, place) => {
      assert.equal(rows[place][0], String(rank.rank));
      assert.equal(rows[place][4], timeText(rank.own_ns));
      assert.equal(rows[place][7], String(rank.last));
    });
    assert.match(await page.textContent(".ranks-timelines"), /no common clock: each is drawn from its own start/);

    // The cell of a step: its timeline.
    const map = page.locator(".ranks-grid canvas"),
      box = await map.boundingBox(),
      steps = told.steps.length;
    await map.click({ position: { x: (box.width * 3.5) / steps, y: box.height - 4 } });
    assert.match(await page.textContent(".ranks-timelines h2"), /^Step 3, /);
    assert.match(await page.textContent(".ranks-legend"), /Rank 3, step 3: own work /);
    // The slow rank's cells are the strongest.
    const light = await map.evaluate((canvas, count) => {
      const x = Math.floor((canvas.width * 8.5) / count),
        column = canvas.getContext("2d").getImageData(x, 0, 1, canvas.height).data;
      return [0, 1, 2, 3].map((rank) => column[4 * Math.floor((canvas.height * (rank + 0.5)) / 4)]);
    }, steps);
    assert.equal(light.indexOf(Math.max(...light)), slow);

    await page.click(`.ranks-labels a[href="rank/${slow}/"]`);
    await page.waitForSelector(".shell");
    assert.match(page.url(), /\/rank\/2\/$/);
    await page.waitForFunction(() => document.title.startsWith("run-2.reel"));
  } finally {
    await view.done();
    server.close();
  }
});

test("ranks: one file holds the same page", async () => {
  const html = join(documents, "ranks.html");
  reel.text("view", ...paths, "--html", html, "--overwrite");
  const view = await driver.open(pathToFileURL(html).href, { shows });
  assert.equal(await view.page.$eval(".ranks-sentence", (place) => place.textContent), reel.json("ranks", ...paths).sentence);
  assert.equal(await view.page.$(".ranks-page a"), null); // nothing is behind it
  await view.done();
});
