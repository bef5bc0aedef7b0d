// page_driver.mjs - what tests of the page share: documents, the server of reel, and a page that fails a test by itself
// when it complains, or asks anybody else for anything.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";

// What was done has been drawn: three frames of the browser, however long a busy machine takes for them.
function settled(page) {
  return page.evaluate(
    () =>
      new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
      ),
  );
}

export class Reel {
  constructor(binary) {
    this.binary = binary;
  }

  json(...args) {
    return JSON.parse(execFileSync(this.binary, [...args, "--json"], { encoding: "utf8", maxBuffer: 1 << 28 }));
  }

  text(...args) {
    return execFileSync(this.binary, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  }

  // Serves documents; returns {url, close}.
  async view(...documents) {
    const server = spawn(this.binary, ["view", ...documents, "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    const url = await new Promise((resolve, reject) => {
      server.stdout.on("data", (text) => {
        said += text;
        const found = /http:\/\/127\.0\.0\.1:\d+\/\S*\s/.exec(said);
        if (found) resolve(found[0].trim());
      });
      server.on("exit", () => reject(new Error(`reel view ended: ${said}`)));
      setTimeout(() => reject(new Error(`reel view printed no address: ${said}`)), 120_000).unref();
    });
    return { url, close: () => server.kill() };
  }
}

export class PageDriver {
  constructor(browser, screenshots) {
    this.browser = browser;
    this.screenshots = screenshots;
  }

  // A page at an address, once it shows something; `check` fails where it complained or asked elsewhere.
  async open(url, { scheme = "dark", tolerates = null, shows = ".shell, .failed" } = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: scheme });
    const page = await context.newPage();
    const troubles = [],
      home = url.startsWith("file:") ? "file:" : new URL(url).origin;
    page.on(
      "console",
      (message) =>
        ["error", "warning"].includes(message.type()) &&
        !tolerates?.test(message.text()) &&
        troubles.push(`console: ${message.text()}`),
    );
    page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
    page.on(
      "request",
      (request) =>
        /^(data|blob):/.test(request.url()) ||
        request.url().startsWith(home) ||
        troubles.push(`asked ${request.url()}`),
    );
    await page.goto(url);
    await page.waitForSelector(shows);
    return {
      page,
      show: async (hash) => {
        await page.evaluate((next) => (location.hash = next), hash);
        await settled(page);
      },
      settled: () => settled(page),
      hook: (name, what = "summary", ...args) =>
        page.evaluate(
          ([canvas, method, given]) => window.__view.canvas(canvas)?.[method](...given) ?? null,
          [name, what, args],
        ),
      waitForHook: (name) =>
        page.waitForFunction((canvas) => window.__view.canvas(canvas) !== null, name, { timeout: 60_000 }),
      cells: (label) =>
        page.$$eval(`[role=table][aria-label="${label}"] .table-row`, (rows) =>
          rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())),
        ),
      shot: (name) => page.screenshot({ path: join(this.screenshots, `${name}.png`) }),
      done: async () => {
        await context.close();
        assert.deepEqual(troubles, []);
      },
    };
  }
}
