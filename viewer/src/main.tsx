// main.tsx - stands in for the page: the names of what it would show.
import { render } from "preact";
import "./main.css";

const tags = document.querySelectorAll<HTMLScriptElement>("script[data-name]");
const embedded = [...tags].map((tag) => tag.dataset.name ?? "");

async function summary(): Promise<string> {
  const tag = document.querySelector<HTMLScriptElement>('script[data-name="summary"]');
  if (!tag) return (await fetch("data/summary")).text();
  const bytes = Uint8Array.from(atob(tag.textContent ?? ""), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

summary().then((text) =>
  render(<pre>{JSON.stringify({ embedded, summary: JSON.parse(text) }, null, 2)}</pre>, document.getElementById("app")!),
);
