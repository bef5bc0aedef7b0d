// ticks.ts - where an axis of time has marks, and what stands there.

// 1, 2 or 5 times a power of ten, so that marks are at least `least` apart.
export function tickStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const times of [1, 2, 5]) if (power * times >= least) return power * times;
  return power * 10;
}

// With as many digits as the step between marks needs.
export function tickText(time: number, step: number): string {
  const [unit, name] = step >= 1e9 ? [1e9, "s"] : step >= 1e6 ? [1e6, "ms"] : step >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  const larger = unit === 1 ? 1e3 : unit;
  const [shown, label] =
    Math.abs(time) >= 1e9 && larger < 1e9
      ? [1e9, "s"]
      : Math.abs(time) >= 1e6 && unit < 1e6
        ? [1e6, "ms"]
        : [unit, name];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / shown) - 1e-9));
  return `${(time / shown).toFixed(digits)} ${label}`;
}

export function ticks(begin: number, end: number, width: number, spacing: number): { time: number; text: string }[] {
  const step = tickStep(((end - begin) * spacing) / Math.max(1, width));
  const marks = [];
  for (let number = Math.ceil(begin / step); number * step <= end; ++number) {
    const time = number * step;
    if (time >= 0) marks.push({ time, text: tickText(time, step) });
  }
  return marks;
}
