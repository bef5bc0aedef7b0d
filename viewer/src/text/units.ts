// units.ts - numbers as people read them, written as the command line writes them.

export const unknown = "–"; // what stands where a document doesn't tell

const known = (value: number | null | undefined): value is number => value != null && Number.isFinite(value);

export function countText(count: number | null | undefined): string {
  if (!known(count)) return unknown;
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

export function sizeText(bytes: number | null | undefined): string {
  if (!known(bytes)) return unknown;
  const kib = 1024,
    mib = kib * 1024,
    gib = mib * 1024;
  if (bytes >= gib) return `${(bytes / gib).toFixed(1)} GiB`;
  if (bytes >= mib) return `${(bytes / mib).toFixed(1)} MiB`;
  if (bytes >= kib) return `${(bytes / kib).toFixed(1)} KiB`;
  return `${Math.round(bytes)} B`;
}

export function timeText(ns: number | null | undefined): string {
  if (!known(ns)) return unknown;
  if (ns < 0) return `-${timeText(-ns)}`;
  if (ns >= 1e9) return `${(ns / 1e9).toFixed(3)} s`;
  if (ns >= 1e6) return `${(ns / 1e6).toFixed(2)} ms`;
  if (ns >= 1e3) return `${(ns / 1e3).toFixed(1)} µs`;
  return `${Math.round(ns)} ns`;
}

// "+1.2 ms", "-300 ns".
export function deltaText(ns: number | null | undefined): string {
  if (!known(ns)) return unknown;
  return ns > 0 ? `+${timeText(ns)}` : timeText(ns);
}

export function shareText(part: number | null | undefined, whole: number | null | undefined): string {
  if (!known(part) || !known(whole) || whole === 0) return unknown;
  return `${((100 * part) / whole).toFixed(1)}%`;
}

export function gridText(x: number, y: number, z: number): string {
  if (x * y * z === 0) return unknown;
  if (z > 1) return `${x}x${y}x${z}`;
  if (y > 1) return `${x}x${y}`;
  return String(x);
}

export function rateText(gigabytesPerSecond: number | null | undefined): string {
  if (!known(gigabytesPerSecond) || gigabytesPerSecond <= 0) return unknown;
  return `${gigabytesPerSecond >= 100 ? gigabytesPerSecond.toFixed(0) : gigabytesPerSecond.toFixed(1)} GB/s`;
}

// A number of a finding, with its unit.
export function numberText(value: number | null, unit: string): string {
  if (!known(value)) return unknown;
  if (unit === "ns") return timeText(value);
  if (unit === "bytes") return sizeText(value);
  const digits = Number.isInteger(value) ? countText(value) : value.toFixed(value < 10 ? 2 : 1);
  if (unit === "%" || unit === "x") return `${digits}${unit}`;
  return unit ? `${digits} ${unit}` : digits;
}
