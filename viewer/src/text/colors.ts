// colors.ts - what has which colour. A kernel keeps its colour by its name, in every document and view.
import { Theme } from "../state/theme";
import { idleCauses } from "../data/tables";

export type Rgb = readonly [number, number, number];

// OKLCH to sRGB: equal lightness looks equally light, which HSL doesn't do.
export function oklch(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180),
    b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channel = (linear: number) => {
    const value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
    return Math.round(255 * Math.min(1, Math.max(0, value)));
  };
  return [
    channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

export const css = (color: Rgb, alpha = 1) =>
  alpha === 1 ? `rgb(${color[0]},${color[1]},${color[2]})` : `rgba(${color[0]},${color[1]},${color[2]},${alpha})`;

// Twelve hues in two strengths; neighbours in this order are far apart in hue.
const hues = [250, 70, 155, 20, 310, 195, 100, 340, 225, 45, 130, 280];
export const kernelColorCount = hues.length * 2;

function kernelColor(slot: number, theme: Theme): Rgb {
  const hue = hues[slot % hues.length],
    strong = slot < hues.length;
  if (theme === "dark") return strong ? oklch(0.74, 0.115, hue) : oklch(0.6, 0.085, hue);
  return strong ? oklch(0.76, 0.12, hue) : oklch(0.86, 0.075, hue);
}

function hashOf(text: string): number {
  let hash = 2166136261;
  for (let at = 0; at < text.length; ++at) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return hash >>> 0;
}

// A slot for each name, in their order: the first ones get the hue their name asks for, later ones the next free one;
// those after the twelfth a weaker one. So the kernels that matter differ in hue, and mostly keep it between documents.
export function kernelSlots(names: string[]): number[] {
  const slots = new Map<string, number>();
  const taken = new Set<number>();
  return names.map((name) => {
    const before = slots.get(name);
    if (before !== undefined) return before;
    const wanted = hashOf(name) % hues.length;
    let slot = wanted;
    for (let step = 0; step < kernelColorCount && taken.has(slot); ++step)
      slot = ((wanted + 5 * (step + 1)) % hues.length) + (step + 1 >= hues.length ? hues.length : 0);
    taken.add(slot);
    slots.set(name, slot);
    return slot;
  });
}

// Colours of everything drawn on a canvas, of one theme.
export interface Palette {
  text: string;
  onColor: string;
  dim: string;
  line: string;
  faint: string;
  background: string;
  panel: string;
  raised: string;
  accent: Rgb;
  error: Rgb;
  warning: Rgb;
  call: Rgb;
  wait: Rgb;
  region: Rgb;
  pass: Rgb;
  decision: Rgb;
  overhead: Rgb;
  memory: Rgb;
  depth: Rgb;
  kernels: Rgb[]; // by slot
  kinds: Rgb[]; // by WorkKind, of commands without a kernel
  causes: Rgb[]; // by IdleCause
}

function makePalette(theme: Theme): Palette {
  const dark = theme === "dark";
  const tone = (chroma: number, hue: number) => oklch(dark ? 0.68 : 0.78, chroma, hue);
  const grey = (lightness: number) => oklch(lightness, 0.008, 255);
  const cause: Record<string, Rgb> = {
    host: oklch(dark ? 0.76 : 0.7, 0.13, 75),
    sync: oklch(dark ? 0.68 : 0.62, 0.16, 28),
    wakeup: oklch(dark ? 0.76 : 0.68, 0.13, 45),
    dependency: oklch(dark ? 0.68 : 0.6, 0.13, 300),
    build: oklch(dark ? 0.7 : 0.62, 0.14, 350),
    allocation: oklch(dark ? 0.72 : 0.62, 0.1, 190),
    transfer: oklch(dark ? 0.74 : 0.62, 0.12, 130),
    launch: oklch(dark ? 0.7 : 0.6, 0.1, 240),
    capture: grey(dark ? 0.6 : 0.6),
    unknown: grey(dark ? 0.48 : 0.72),
  };
  return {
    text: dark ? "#d7dbe0" : "#1b2026",
    onColor: "#0e1013",
    dim: dark ? "#8f97a3" : "#626b76",
    line: dark ? "#2b3038" : "#dde1e6",
    faint: dark ? "#20242a" : "#eef0f3",
    background: dark ? "#14161a" : "#ffffff",
    panel: dark ? "#191c21" : "#f7f8fa",
    raised: dark ? "#23272e" : "#ffffff",
    accent: dark ? [94, 170, 232] : [23, 105, 181],
    error: dark ? [236, 104, 110] : [200, 40, 50],
    warning: dark ? [222, 168, 70] : [178, 116, 0],
    call: tone(0.03, 250),
    wait: tone(0.09, 28),
    region: tone(0.05, 160),
    pass: tone(0.06, 250),
    decision: tone(0.07, 85),
    overhead: grey(dark ? 0.5 : 0.75),
    memory: oklch(dark ? 0.62 : 0.72, 0.09, 195),
    depth: oklch(dark ? 0.62 : 0.72, 0.07, 265),
    kernels: Array.from({ length: kernelColorCount }, (_, slot) => kernelColor(slot, theme)),
    kinds: [
      tone(0.02, 250),
      tone(0.035, 215),
      tone(0.035, 130),
      tone(0.05, 60),
      tone(0.05, 320),
      tone(0.05, 90),
      grey(dark ? 0.55 : 0.7),
      grey(dark ? 0.45 : 0.82),
      grey(dark ? 0.55 : 0.7),
    ],
    causes: idleCauses.map((name) => cause[name]),
  };
}

const palettes: Partial<Record<Theme, Palette>> = {};
export const paletteOf = (theme: Theme): Palette => (palettes[theme] ??= makePalette(theme));
