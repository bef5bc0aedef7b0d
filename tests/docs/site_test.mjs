// site_test.mjs --site <folder> --tests <folder of the page's tests> - the site opened from its folder, as a person would who downloaded it:
// the search finds pages and opens them, both colours are there, nothing is asked of anybody, and no link of any page leads nowhere.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const option = (name) => resolve(process.argv[process.argv.indexOf(`--${name}`) + 1]);
const site = option("site");
const { findBrowser, openBrowser } = await import(pathToFileURL(join(option("tests"), "browser.mjs")));
if (!findBrowser()) {
  console.log(process.env.REEL_REQUIRE_DEVICES ? "There is no Chromium, and it is required." : "Chromium is not here, so the site is not tested.");
  process.exit(process.env.REEL_REQUIRE_DEVICES ? 1 : 0);
}
const browser = await openBrowser();

async function open(path, colorScheme) {
  const page = await (await browser.newContext({ colorScheme, viewport: { width: 1280, height: 800 } })).newPage();
  const troubles = [];
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || troubles.push(`asked ${request.url()}`));
  await page.goto(pathToFileURL(join(site, path)).href);
  return { page, troubles };
}

// Typed key by key, as a person does, until the answer is the expected one.
async function search(page, words, expected) {
  await page.focus(".md-search__input");
  await page.keyboard.press("Control+A");
  await page.keyboard.type(words);
  const said = () => page.textContent(".md-search-result__meta");
  const hits = () => page.$$eval(".md-search-result__item .md-search-result__link", (links) => links.map((link) => link.href));
  for (const end = Date.now() + 20_000; Date.now() < end; await page.waitForTimeout(100)) {
    const found = await hits();
    const hit = found.find((link) => link.includes(expected ?? "/"));
    if (/matching document/.test(await said()) && (expected ? hit : !found.length)) return hit;
  }
  assert.fail(`'${words}' should lead to ${expected ?? "nothing"}; the search says '${(await said()).trim()}': ${await hits()}`);
}

// --- search, from a page at the top and from one below, dark and light
for (const [start, scheme, words, expected] of [
  ["index.html", "light", "straggler", "many.html"],
  ["tutorials/slow-pass.html", "dark", "redundant barrier", "insights.html"],
  ["index.html", "dark", "load_many", "python-api.html"],
]) {
  const { page, troubles } = await open(start, scheme);
  assert.equal(await page.getAttribute("body", "data-md-color-scheme"), scheme === "dark" ? "slate" : "default");
  const hit = await search(page, words, expected);
  await search(page, "zzyzxnothing", null);
  await page.goto(hit);
  assert.match(await page.textContent("article"), new RegExp(words.split(" ")[0], "i"));
  assert.deepEqual(troubles, [], start);
  await page.context().close();
  console.log(`'${words}' from ${start}, ${scheme}: ${hit}`);
}
// The reference of the headers has a search of its own.
{
  const { page, troubles } = await open("api/index.html", "light");
  await page.fill("#MSearchField", "GraphExec");
  await page.dispatchEvent("#MSearchField", "keyup");
  await page.waitForFunction(() => document.querySelector("#MSearchResultsWindow")?.style.display === "block");
  assert.deepEqual(troubles, []);
}
await browser.close();

// --- links of the pages as they were built, to files and to places in them
const files = readdirSync(site, { recursive: true }).filter((name) => name.endsWith(".html"));
const texts = new Map(files.map((name) => [name, readFileSync(join(site, name), "utf8")]));
const anchors = new Map();
const anchorsOf = (name) => {
  if (!anchors.has(name)) anchors.set(name, new Set([...texts.get(name).matchAll(/\s(?:id|name)="([^"]+)"/g)].map((match) => match[1])));
  return anchors.get(name);
};
const dead = [];
let count = 0;
for (const [name, text] of texts) {
  for (const [, target] of text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
    if (/^(https?|data|mailto|javascript):/.test(target) || target === "") continue;
    count += 1;
    const [path, anchor] = target.replace(/&amp;/g, "&").split("#");
    const file = path ? join(dirname(name), decodeURI(path.split("?")[0])) : name;
    if (!existsSync(join(site, file))) dead.push(`${name}: ${target}`);
    else if (anchor && texts.has(file) && !anchorsOf(file).has(decodeURIComponent(anchor))) dead.push(`${name}: ${target}`);
  }
}
assert.deepEqual(dead.slice(0, 20), [], `${dead.length} links lead nowhere`);
assert.ok(count > 1000, "hardly any link was looked at");
console.log(`${count} links of ${files.length} pages lead somewhere`);
