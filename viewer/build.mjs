// build.mjs - node build.mjs <out folder>: page.js and page.css, all of the page.
import { build } from "esbuild";

await build({
  entryPoints: { page: "src/main.tsx" },
  outdir: process.argv[2],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2021",
  jsx: "automatic",
  jsxImportSource: "preact",
});
