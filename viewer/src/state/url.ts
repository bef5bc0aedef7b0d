// url.ts - what the page shows, as the part of its address behind '#', and back.
//
//   #timeline?at=c12&range=1200-3400

export const views = [
  "summary",
  "timeline",
  "dependencies",
  "memory",
  "kernels",
  "buffers",
  "source",
  "calls",
  "findings",
  "diff",
] as const;
export type View = (typeof views)[number];

// What is selected, everywhere; named as the command line names it, a call by its number.
export type SelectionKind = "command" | "kernel" | "buffer" | "stream" | "call";
export interface Selection {
  kind: SelectionKind;
  number: number; // that of its name: of a command and a call also the index
}

export interface TimeRange {
  begin: number; // ns from the origin
  end: number;
}

export interface PageState {
  view: View;
  selection: Selection | null;
  range: TimeRange | null;
  options: Record<string, string>; // of single views: type=f16
}

const letters: Record<string, SelectionKind> = { c: "command", k: "kernel", b: "buffer", s: "stream", call: "call" };

export function selectionText(selection: Selection): string {
  const letter = Object.keys(letters).find((key) => letters[key] === selection.kind)!;
  return `${letter}${selection.number}`;
}

export function parseSelection(text: string): Selection | null {
  const parts = /^(call|[ckbs])(\d{1,10})$/.exec(text);
  return parts ? { kind: letters[parts[1]], number: Number(parts[2]) } : null;
}

function parseRange(text: string): TimeRange | null {
  const parts = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text);
  if (!parts) return null;
  const begin = Number(parts[1]),
    end = Number(parts[2]);
  return end > begin ? { begin, end } : null;
}

const tidy = (ns: number) => String(Math.max(0, Math.round(ns)));

export function formatState(state: PageState): string {
  const values = new URLSearchParams();
  if (state.selection) values.set("at", selectionText(state.selection));
  if (state.range) values.set("range", `${tidy(state.range.begin)}-${tidy(state.range.end)}`);
  for (const key of Object.keys(state.options).sort()) values.set(key, state.options[key]);
  const text = values.toString();
  return `#${state.view}${text ? `?${text}` : ""}`;
}

// Whatever isn't understood is left out: an address may come from anywhere.
export function parseState(hash: string): PageState {
  const [name, query = ""] = hash.replace(/^#/, "").split("?", 2);
  const state: PageState = {
    view: (views as readonly string[]).includes(name) ? (name as View) : "summary",
    selection: null,
    range: null,
    options: {},
  };
  for (const [key, value] of new URLSearchParams(query)) {
    if (key === "at") state.selection = parseSelection(value);
    else if (key === "range") state.range = parseRange(value);
    else if (/^[a-z_]{1,20}$/.test(key) && value.length <= 200) state.options[key] = value;
  }
  return state;
}
