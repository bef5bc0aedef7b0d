// page.ts - what the page shows now. Everything here is in the address, so that it can be sent to somebody.
import { batch, computed, effect, signal } from "@preact/signals";
import { formatState, parseState, PageState, Selection, SelectionKind, TimeRange, View } from "./url";

const initial: PageState = typeof location === "undefined" ? parseState("") : parseState(location.hash);

export const view = signal<View>(initial.view);
export const selection = signal<Selection | null>(initial.selection);
export const range = signal<TimeRange | null>(initial.range);
export const options = signal<Record<string, string>>(initial.options);

const state = computed<PageState>(() => ({
  view: view.value,
  selection: selection.value,
  range: range.value,
  options: options.value,
}));

export function show(next: View): void {
  view.value = next;
}

export function select(kind: SelectionKind, number: number): void {
  const now = selection.peek();
  if (number >= 0 && (now?.kind !== kind || now.number !== number)) selection.value = { kind, number };
}

export function goTo(next: View, kind: SelectionKind, number: number): void {
  batch(() => {
    select(kind, number);
    show(next);
  });
}

export function setOption(key: string, value: string | null): void {
  const { [key]: _, ...rest } = options.peek();
  options.value = value === null ? rest : { ...rest, [key]: value };
}

const settledMs = 200; // browsers refuse addresses that change with every movement of the pointer

// Keeps the address and the signals alike. A new view or selection can be gone back from; a range can't.
export function followAddress(): void {
  let shown = location.hash,
    later = 0;
  const place = (hash: string) => {
    const { view: name, selection: selected } = parseState(hash);
    return `${name} ${selected?.kind} ${selected?.number}`;
  };
  effect(() => {
    const text = formatState(state.value);
    clearTimeout(later);
    if (text === location.hash || (text === "#summary" && location.hash === "")) return;
    if (place(text) !== place(shown)) history.pushState(null, "", text);
    else later = setTimeout(() => history.replaceState(null, "", text), settledMs);
    shown = text;
  });
  addEventListener("popstate", () => {
    const next = parseState(location.hash);
    shown = location.hash;
    batch(() => {
      view.value = next.view;
      selection.value = next.selection;
      range.value = next.range;
      options.value = next.options;
    });
  });
}
