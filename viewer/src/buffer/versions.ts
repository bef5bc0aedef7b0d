// versions.ts - what a buffer held, and when: the contents that were recorded of it.
import { signal } from "@preact/signals";
import { trace } from "../data/current";
import { contentRoles, noIndex, TableOf } from "../data/tables";

export const pageBytes = 1 << 20;

export interface Version {
  contents: number; // index in the table, which names its pages
  role: string;
  command: number; // -1: at the very start
  offset: number;
  size: number;
  isStored: boolean;
  hash: string;
  sameAs: number; // the place of the first version with the same bytes at the same place; its own: they are new
}

export function versionsOf(buffer: number, contents: TableOf<"contents">): Version[] {
  const versions: Version[] = [],
    firstOf = new Map<string, number>();
  for (let row = 0; row < contents.rows; ++row) {
    if (contents.buffer[row] !== buffer) continue;
    const hash =
      contents.hash_high[row].toString(16).padStart(8, "0") + contents.hash_low[row].toString(16).padStart(8, "0");
    const key = `${hash} ${contents.offset[row]} ${contents.size[row]}`;
    if (!firstOf.has(key)) firstOf.set(key, versions.length);
    versions.push({
      contents: row,
      role: contentRoles[contents.role[row]],
      command: contents.command[row] === noIndex ? -1 : contents.command[row],
      offset: contents.offset[row],
      size: contents.size[row],
      isStored: contents.stored[row] === 1,
      hash,
      sameAs: firstOf.get(key)!,
    });
  }
  return versions;
}

// "before c5", "written by c5", "after c9", "at the start".
export function versionText({ role, command }: Version): string {
  if (command < 0) return "at the start";
  return role === "input" ? `before c${command}` : role === "written" ? `written by c${command}` : `after c${command}`;
}

// --- pages ----------------------------------------------------------------------------------------

type Page = DataView | "loading" | "missing";
const kept = new Map<string, Page>(); // least recently used first
const mostKept = 96;
// Counts pages that came: whoever reads it is drawn again.
export const pagesLoaded = signal(0);

export async function loadPage(version: Version, number: number): Promise<DataView | null> {
  const key = `${version.contents}/${number}`,
    known = kept.get(key);
  if (known instanceof DataView) {
    kept.delete(key);
    kept.set(key, known);
    return known;
  }
  if (known === "missing") return null;
  let page: Page = "missing";
  try {
    const bytes = version.isStored ? await trace.page(version.contents, number) : null;
    if (bytes) page = new DataView(bytes);
  } catch {
    page = "missing"; // as good as left out: the view says how to see it
  }
  kept.set(key, page);
  while (kept.size > mostKept) kept.delete(kept.keys().next().value!);
  ++pagesLoaded.value;
  return page === "missing" ? null : page;
}

// Bytes of a version as one piece; null where a page is missing.
export async function loadBytes(version: Version, from: number, size: number): Promise<DataView | null> {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; ) {
    const page = await loadPage(version, Math.floor((from + at) / pageBytes)),
      start = (from + at) % pageBytes;
    if (!page || page.byteLength <= start) return null;
    const part = new Uint8Array(page.buffer, page.byteOffset + start, Math.min(size - at, page.byteLength - start));
    bytes.set(part, at);
    at += part.length;
  }
  return new DataView(bytes.buffer);
}

// What is there now; asks for it where it isn't.
export function peekPage(version: Version, number: number): Page {
  const key = `${version.contents}/${number}`,
    known = kept.get(key);
  if (known) return known;
  kept.set(key, "loading");
  void loadPage(version, number);
  return "loading";
}
