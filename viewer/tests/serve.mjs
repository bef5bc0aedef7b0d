// serve.mjs - resources of synthetic.mjs as `reel view` would serve them. For the benchmark and for a look:
//
//   node tests/serve.mjs [commands] [port]
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execFileSync } from "node:child_process";
import { makeDocument } from "./synthetic.mjs";

const here = dirname(fileURLToPath(import.meta.url));
export const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Reel</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="page.css"><body><div id="app"></div><script src="page.js" defer></script></body></html>`;

// Returns {url, close}; `folder` holds page.js and page.css. A resource is sent once `gate` of its name lets it.
export function serve(resources, folder, port = 0, gate = () => true) {
  const server = createServer(async (request, answer) => {
    const path = decodeURIComponent(new URL(request.url, "http://here").pathname).slice(1);
    const send = (type, body) => {
      answer.writeHead(200, { "content-type": type, "content-length": body.length });
      answer.end(body);
    };
    if (path.startsWith("data/")) await gate(path.slice(5));
    if (path === "") send("text/html", Buffer.from(page));
    else if (path === "page.js") send("text/javascript", readFileSync(join(folder, path)));
    else if (path === "page.css") send("text/css", readFileSync(join(folder, path)));
    else if (path.startsWith("data/") && resources.has(path.slice(5)))
      send("application/octet-stream", resources.get(path.slice(5)));
    else {
      answer.writeHead(404);
      answer.end();
    }
  });
  return new Promise((resolve) =>
    server.listen(port, "127.0.0.1", () =>
      resolve({ url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }),
    ),
  );
}

export function buildPage(folder) {
  execFileSync(process.execPath, [join(here, "..", "build.mjs"), folder], { stdio: "inherit" });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.env.REEL_PAGE ?? join(here, "..", "..", "build", "page");
  if (!process.env.REEL_PAGE) buildPage(folder);
  const { url } = await serve(
    makeDocument({ commands: Number(process.argv[2] ?? 2000) }),
    folder,
    Number(process.argv[3] ?? 0),
  );
  console.log(url);
}
