// theme.ts - dark or light: as the system says, until somebody says otherwise.
import { computed, effect, signal } from "@preact/signals";

export type Theme = "dark" | "light";

const key = "reel.theme";
const systemIsLight = matchMedia("(prefers-color-scheme: light)");
const system = signal<Theme>(systemIsLight.matches ? "light" : "dark");

function remembered(): Theme | null {
  try {
    const text = localStorage.getItem(key);
    return text === "dark" || text === "light" ? text : null;
  } catch {
    return null; // a page opened from a file may have no storage
  }
}
const chosen = signal<Theme | null>(remembered());

export const theme = computed<Theme>(() => chosen.value ?? system.value);

export function toggleTheme(): void {
  chosen.value = theme.peek() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(key, chosen.value);
  } catch {
    // it lasts as long as the page, then
  }
}

export function followTheme(): void {
  systemIsLight.addEventListener("change", () => (system.value = systemIsLight.matches ? "light" : "dark"));
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
}
