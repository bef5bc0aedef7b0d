// browser_setup.mjs - what tests in a browser share: options, documents of real programs, the browser itself.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { build } from "esbuild";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { findBrowser, openBrowser } from "./browser.mjs";
import { PageDriver, Reel } from "./page_driver.mjs";
import { buildPage, serve } from "./serve.mjs";

export const option = (name) => resolve(process.argv[process.argv.indexOf(`--${name}`) + 1] ?? `missing --${name}`);
export const reel = new Reel(option("reel")),
  out = option("out");
export const folder = (name) => {
  mkdirSync(join(out, name), { recursive: true });
  return join(out, name);
};
export const documents = folder("documents"),
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
export const { countText, shareText, sizeText, timeText } = await import(pathToFileURL(join(out, "units.mjs")));

// --- documents ------------------------------------------------------------------------------------

export function capture(name, device, { mode = "direct", passes = "3", tokens = "4" } = {}) {
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

export const devices = reel.json("devices");
export const deviceIds = (devices.devices ?? devices).map((device) => device.id ?? device.selector).filter(Boolean);
export const host = capture("host", "host");
export const others = ["opencl", "vulkan"].map((backend) => deviceIds.find((id) => id.startsWith(backend))).filter(Boolean);
export const hasOpencl = others.some((id) => id.startsWith("opencl"));
export const made = others.map((id) => [id, capture(id.replace(":", "_"), id, { passes: "2-4" })]);

export const browser = await openBrowser();
export const driver = new PageDriver(browser, screenshots);

export const html = join(documents, "host.html");
reel.text("view", host, "--html", html, "--overwrite");
export const htmlUrl = pathToFileURL(html).href;

buildPage(pageFolder);
export const json = (value) => new TextEncoder().encode(JSON.stringify(value));
export const parsed = (resources, name) => JSON.parse(new TextDecoder().decode(resources.get(name)));

export const views = [
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
];
// Each of these views of a document is whole; look(view, name) looks closer.
export async function visitAll(
  resources,
  names = views,
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
