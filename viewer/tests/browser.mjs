// browser.mjs - the browser of tests and benchmarks: Chromium as the system has it. Nothing is downloaded.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

export function findBrowser() {
  const candidates = [
    process.env.REEL_CHROMIUM,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ];
  return candidates.find((path) => path && existsSync(path)) ?? null;
}

export async function openBrowser() {
  const executablePath = findBrowser();
  if (!executablePath)
    throw new Error(
      "Chromium is not here. Install it (Debian: apt-get install chromium), or name it in REEL_CHROMIUM.",
    );
  return chromium.launch({ executablePath, args: ["--no-sandbox"] }); // as root there is no sandbox to be had
}
