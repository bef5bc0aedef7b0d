// bench.mjs - what the page costs: node tests/bench.mjs [largest number of commands, 10000000 without]
//
// Prints: size of the bundle, layout of 10 000 nodes, and for documents of a million and ten million commands the time
// to the first look, to the timeline, and frames a second while it pans and zooms. REEL_CHROMIUM names the browser.
import { build } from "esbuild";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { openBrowser } from "./browser.mjs";
import { buildPage, serve } from "./serve.mjs";
import { makeDocument } from "./synthetic.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const most = Number(process.argv[2] ?? 10_000_000);
const folder = mkdtempSync(join(tmpdir(), "reel-bench-"));
const say = (what, value) => console.log(`${what.padEnd(58)}${value}`);

buildPage(folder);
const bytes = ["page.js", "page.css"].reduce(
  (sum, name) => sum + gzipSync(readFileSync(join(folder, name)), { level: 9 }).length,
  0,
);
say("bundle, gzip", `${(bytes / 1024).toFixed(1)} KiB`);

await build({
  entryPoints: [join(here, "../src/graph/layout.ts")],
  outfile: join(folder, "layout.mjs"),
  format: "esm",
  bundle: true,
  logLevel: "warning",
});
const { layOut } = await import(pathToFileURL(join(folder, "layout.mjs")));
{
  const count = 10_000,
    from = [],
    to = [];
  let state = 1;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296;
  for (let node = 1; node < count; ++node)
    for (let edge = 0; edge < (random() < 0.9 ? 2 : 1); ++edge) {
      from.push(Math.max(0, node - 1 - Math.floor(random() ** 4 * 60)));
      to.push(node);
    }
  const times = Array.from({ length: 5 }, () => {
    const before = performance.now();
    layOut({ count, from, to, widths: new Array(count).fill(176), heights: new Array(count).fill(40) });
    return performance.now() - before;
  }).sort((a, b) => a - b);
  say(`layout of 10 000 nodes, ${from.length} edges`, `${times[2].toFixed(0)} ms`);
}

// Pans and zooms for a while, a step each frame.
async function frames(page, seconds) {
  return page.evaluate(async (duration) => {
    const canvas = window.__view.canvas("timeline");
    const { window: full } = canvas.summary();
    const span = full.end - full.begin,
      times = [];
    const start = performance.now();
    let last = start;
    await new Promise((resolve) => {
      const step = (now) => {
        times.push(now - last);
        last = now;
        const phase = (now - start) / (duration * 1000);
        if (phase >= 1) return resolve();
        const zoom = 0.5 ** (14 * (0.5 - 0.5 * Math.cos(phase * 4 * Math.PI))),
          middle = full.begin + span * (0.3 + 0.4 * phase);
        canvas.show(middle - (span * zoom) / 2, middle + (span * zoom) / 2);
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    });
    const inside = canvas.frame(full.begin, full.end);
    times.sort((a, b) => a - b);
    return { fps: (1000 * times.length) / (last - start), p95: times[Math.floor(times.length * 0.95)], whole: inside };
  }, seconds);
}

const browser = await openBrowser();
try {
  for (const commands of [1_000_000, 10_000_000].filter((count) => count <= most)) {
    const name = `${commands / 1e6} M commands`;
    const { url, close } = await serve(makeDocument({ commands }), folder);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(url, { waitUntil: "commit" });
    await page.waitForFunction(() => performance.getEntriesByName("reel.shown").length > 0);
    const shown = await page.evaluate(() => performance.getEntriesByName("reel.shown")[0].startTime);
    say(`${name}: first look`, `${shown.toFixed(0)} ms`);
    const before = Date.now();
    await page.evaluate(() => (location.hash = "#timeline"));
    await page.waitForFunction(() => window.__view.canvas("timeline")?.summary().drawn.pixels > 0, null, {
      timeout: 120_000,
    });
    say(`${name}: timeline`, `${Date.now() - before} ms`);
    const { fps, p95, whole } = await frames(page, 6);
    say(
      `${name}: pan and zoom`,
      `${fps.toFixed(0)} frames/s, p95 ${p95.toFixed(1)} ms, all of it ${whole.toFixed(1)} ms`,
    );
    await page.close();
    close();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
process.exit(0);
