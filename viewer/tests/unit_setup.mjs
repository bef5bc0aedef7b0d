// unit_setup.mjs - parts of the page for tests without a browser.
import { build } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const source = join(dirname(fileURLToPath(import.meta.url)), "../src");

// What a file of src/ exports.
export async function load(name) {
  const entryPoints = [join(source, `${name}.ts`)];
  const built = await build({ entryPoints, write: false, bundle: true, format: "esm", logLevel: "warning" });
  return import(`data:text/javascript,${encodeURIComponent(built.outputFiles[0].text)}`);
}

export function randomNumbers(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296;
}
