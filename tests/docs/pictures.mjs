// pictures.mjs --pictures <list.json> --reel <program> --images <folder> --out <folder> --tests <folder of the page's tests> [--renew]
//
// The pictures of the documentation, taken anew of documents that were made a moment ago. With --renew they replace the ones of
// docs/images; else each is compared with the one that is there, and this fails where a reader would be misled:
//   - words of the page that don't depend on a run (tabs, columns) must be those of <picture>.txt, all of them;
//   - of its other words, numbers left out, most must be there, since times, their order and what follows from them vary;
//   - reduced to a thousand grey cells it must look like its picture, and less like that of any other view.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const option = (name) => resolve(process.argv[process.argv.indexOf(`--${name}`) + 1]);
const renew = process.argv.includes("--renew");
const images = option("images"),
  out = option("out");
const list = JSON.parse(readFileSync(option("pictures"), "utf8"));
const { findBrowser, openBrowser } = await import(pathToFileURL(join(option("tests"), "browser.mjs")));
const { PageDriver } = await import(pathToFileURL(join(option("tests"), "page_driver.mjs")));
if (!findBrowser()) {
  console.log(process.env.REEL_REQUIRE_DEVICES ? "There is no Chromium, and it is required." : "Chromium is not here, so pictures are not compared.");
  process.exit(process.env.REEL_REQUIRE_DEVICES ? 1 : 0);
}
mkdirSync(out, { recursive: true });

// What a person reads on the page: words of its own, and words of this document. Numbers and units go, a process's as well.
function wordsOfPage() {
  const own = "nav *, th, [role=columnheader], .table-head *",
    found = { own: new Set(), other: new Set() };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement,
      box = element?.getBoundingClientRect();
    if (!box?.width || !box.height || box.top >= innerHeight || box.left >= innerWidth || /^(SCRIPT|STYLE)$/.test(element.tagName)) continue;
    const text = node.textContent
      .replace(/[+−-]?\d[\d.,]*\s*(ns|µs|ms|s|%|B|KiB|MiB|GiB|kB\/s|MB\/s|GB\/s|x)?(?=\W|$)/g, "#")
      .replace(/\s+/g, " ")
      .trim();
    if (/[a-z]{2}/i.test(text)) found[element.closest(own) ? "own" : "other"].add(text);
  }
  return { own: [...found.own].sort(), other: [...found.other].sort() };
}

const viewOf = (text) => /^View: (\w+)/.exec(text)?.[1];
const sections = (text) => {
  const [own, other] = text.split("\n\n").slice(1).map((part) => part.split("\n").slice(1).filter(Boolean));
  return { own, other };
};
const textOf = (view, { own, other }) => `View: ${view}\n\nThe page's own words\n${own.join("\n")}\n\nWords of this document, without numbers\n${other.join("\n")}\n`;

const browser = await openBrowser(),
  driver = new PageDriver(browser, out);

// Grey cells of a picture, 40 by 25.
const blank = await (await browser.newContext()).newPage();
const cells = (path) =>
  blank.evaluate(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = new OffscreenCanvas(40, 25),
      context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, 40, 25);
    const { data } = context.getImageData(0, 0, 40, 25);
    return Array.from({ length: 1000 }, (_, i) => (data[4 * i] + data[4 * i + 1] + data[4 * i + 2]) / 3);
  }, `data:image/png;base64,${readFileSync(path).toString("base64")}`);
const distance = (a, b) => a.reduce((sum, value, i) => sum + Math.abs(value - b[i]), 0) / a.length;

const problems = [];
for (const { name, documents, hash, scheme, height } of list) {
  const html = join(out, `${name}.html`);
  execFileSync(option("reel"), ["view", ...documents, "--html", html, "--overwrite"], { stdio: "ignore" });
  const view = await driver.open(pathToFileURL(html).href + hash, { scheme });
  await view.page.setViewportSize({ width: 1280, height });
  await view.page.waitForFunction(() => !document.querySelector("main .waiting"), null, { timeout: 60_000 });
  await view.settled();
  await view.page.waitForTimeout(300); // transitions
  await view.shot(name);
  const words = await view.page.evaluate(wordsOfPage);
  await view.done();
  const shot = join(out, `${name}.png`),
    kept = join(images, `${name}.png`),
    told = join(images, `${name}.txt`);
  if (renew) {
    writeFileSync(kept, readFileSync(shot));
    writeFileSync(told, textOf(hash.match(/\w+/)[0], words));
    console.log(`${kept}: renewed`);
    continue;
  }
  if (!existsSync(kept) || !existsSync(told)) {
    problems.push(`${name}: there is no docs/images/${name}.png with its .txt`);
    continue;
  }
  const shown = sections(readFileSync(told, "utf8"));
  const gone = shown.own.filter((word) => !words.own.includes(word)),
    added = words.own.filter((word) => !shown.own.includes(word));
  if (gone.length || added.length) problems.push(`${name}: the page no longer has: ${gone.join(" | ")}; and is new on it: ${added.join(" | ")}`);
  const missing = shown.other.filter((word) => !words.other.includes(word));
  if (missing.length > 0.4 * shown.other.length) problems.push(`${name}: of ${shown.other.length} words of the document these are gone: ${missing.join(" | ")}`);

  const now = await cells(shot);
  const own = distance(now, await cells(kept));
  if (own > 12) problems.push(`${name}: it looks different: cells differ by ${own.toFixed(1)} of 255 in the mean`);
  const shows = viewOf(readFileSync(told, "utf8"));
  let next = Infinity;
  for (const file of readdirSync(images).filter((each) => each.endsWith(".txt"))) {
    if (viewOf(readFileSync(join(images, file), "utf8")) === shows) continue;
    const other = distance(now, await cells(join(images, file.replace(/txt$/, "png"))));
    next = Math.min(next, other);
    if (other <= own) problems.push(`${name}: it looks more like ${file.replace(/txt$/, "png")} (${other.toFixed(1)}) than like its picture (${own.toFixed(1)})`);
  }
  console.log(`${name}: cells differ by ${own.toFixed(1)}, ${missing.length} of ${shown.other.length} words of the document are gone; the next other view by ${next.toFixed(1)}`);
}
await browser.close();
assert.deepEqual(problems, [], "Look at the pictures, then renew them: ./dev screenshots");
