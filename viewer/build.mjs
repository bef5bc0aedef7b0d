// build.mjs - node build.mjs <folder>: writes page.js and page.css there, the whole page.
import { build } from "esbuild";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
if (!folder) {
  console.error("Usage: node build.mjs <folder>");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
await build({
  entryPoints: { page: join(here, "src/main.tsx") },
  outdir: folder,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome110", "firefox115", "safari16.4"],
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "ascii", // whatever encoding the page is read in
  legalComments: "none",
  logLevel: "warning",
});
