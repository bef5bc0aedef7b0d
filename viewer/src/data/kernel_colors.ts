// kernel_colors.ts - the colour of each kernel of this document.
import { trace } from "./current";
import { Lazy } from "./lazy";
import { Theme } from "../state/theme";
import { css, kernelSlots, paletteOf, Rgb } from "../text/colors";

// By kernel index: its slot. Those that take most time choose first.
export const slots = new Lazy(async () => {
  const kernels = await trace.kernels.promise();
  const order = kernels.map((_, index) => index).sort((a, b) => kernels[b].total_ns - kernels[a].total_ns || a - b);
  const chosen = kernelSlots(order.map((index) => kernels[index].name));
  const slotOf = new Array<number>(kernels.length);
  order.forEach((kernel, place) => (slotOf[kernel] = chosen[place]));
  return slotOf;
});

export const kernelRgb = (slotOf: number[], kernel: number, theme: Theme): Rgb =>
  paletteOf(theme).kernels[slotOf[kernel] ?? 0];

// A small square for lists.
export function kernelCss(kernel: number, theme: Theme): string {
  const slotOf = slots.value;
  return slotOf && kernel >= 0 ? css(kernelRgb(slotOf, kernel, theme)) : paletteOf(theme).dim;
}
