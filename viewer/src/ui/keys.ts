// keys.ts - keys that work in every view. Views add their own while they are shown.
import { range, selection, show } from "../state/page";
import { toggleTheme } from "../state/theme";
import { views } from "../state/url";
import { helpIsOpen } from "./help";
import { openPalette, paletteIsOpen } from "./palette";

type Handler = (event: KeyboardEvent) => boolean; // true: it was for me

const handlers: Handler[] = [];

// Returns what takes it away again.
export function addKeys(handler: Handler): () => void {
  handlers.push(handler);
  return () => void handlers.splice(handlers.indexOf(handler), 1);
}

export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  return (
    target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
  );
}

function ownKey(event: KeyboardEvent): boolean {
  if (event.key === "/") openPalette();
  else if (event.key === "?") helpIsOpen.value = true;
  else if (event.key === "t" || event.key === "T") toggleTheme();
  else if (event.key === "Escape") {
    if (range.peek()) range.value = null;
    else selection.value = null;
  } else if (/^[0-9]$/.test(event.key)) {
    const next = views[(Number(event.key) + 9) % 10];
    if (next) show(next);
  } else return false;
  return true;
}

export function followKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.key === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      openPalette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    if (paletteIsOpen.peek() || helpIsOpen.peek()) return; // they listen themselves
    const taken = [...handlers].reverse().some((handler) => handler(event)) || ownKey(event);
    if (taken) event.preventDefault();
  });
}
