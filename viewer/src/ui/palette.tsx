import { signal } from "@preact/signals";
export const paletteIsOpen = signal(false);
export function openPalette(): void {
  paletteIsOpen.value = true;
}
export function Palette() {
  return null;
}
