// painting.ts - pixels to colours of a screen.
import { PixelFormat, Range } from "./pixel_format";

// Pixels that were recorded: from the `first` of a plane on, one after the other.
export interface Pixels {
  first: number;
  count: number;
  bytes: DataView;
}

export interface Painting {
  columns: number;
  rows: number;
  colors: Uint8ClampedArray; // red, green, blue and alpha of each pixel; without alpha: not recorded
  found: Range | null; // what is black and what is white, where the format doesn't say so
  strange: number; // pixels with a NaN
  missing: number;
}

const strangeColor = [255, 0, 255];

// Where a pixel lies among those recorded; -1: it isn't.
function placeOf(pixels: Pixels, index: number): number {
  return index >= pixels.first && index < pixels.first + pixels.count ? index - pixels.first : -1;
}

export function readPixel(format: PixelFormat, pixels: Pixels, index: number): Float64Array | null {
  const place = placeOf(pixels, index);
  if (place < 0) return null;
  const values = new Float64Array(format.channels.length);
  format.read(pixels.bytes, place * format.pixelBytes, values);
  return values;
}

// Of the channels that are seen. Nothing but NaN: 0 to 0.
function findRange(format: PixelFormat, pixels: Pixels): Range {
  const values = new Float64Array(format.channels.length),
    seen = [...new Set([format.red, format.green, format.blue])].filter((channel) => channel >= 0);
  let least = Infinity,
    most = -Infinity;
  for (let place = 0; place < pixels.count; ++place) {
    format.read(pixels.bytes, place * format.pixelBytes, values);
    for (const channel of seen) {
      const value = values[channel];
      if (!Number.isFinite(value)) continue;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  return least <= most ? { least, most } : { least: 0, most: 0 };
}

// 0 to 255. Where all are the same, half way: neither black nor white would be true.
function shade(value: number, { least, most }: Range): number {
  if (value === Infinity) return 255;
  if (value === -Infinity) return 0;
  return most > least ? (255 * (value - least)) / (most - least) : 127.5;
}

// The first `columns` and `rows` of a plane that is `width` pixels wide.
export function paint(format: PixelFormat, pixels: Pixels, width: number, columns: number, rows: number): Painting {
  const colors = new Uint8ClampedArray(columns * rows * 4),
    values = new Float64Array(format.channels.length);
  const found = format.ranges ? null : findRange(format, pixels);
  const ranges = format.ranges ?? format.channels.map(() => found!);
  const seen = [format.red, format.green, format.blue];
  let strange = 0,
    missing = 0;
  for (let row = 0, at = 0; row < rows; ++row)
    for (let column = 0; column < columns; ++column, at += 4) {
      const place = placeOf(pixels, row * width + column);
      if (place < 0) {
        ++missing;
        continue;
      }
      format.read(pixels.bytes, place * format.pixelBytes, values);
      let isStrange = false;
      for (let color = 0; color < 3; ++color) {
        const channel = seen[color];
        if (channel < 0) continue;
        if (Number.isNaN(values[channel])) isStrange = true;
        colors[at + color] = shade(values[channel], ranges[channel]);
      }
      if (isStrange) {
        ++strange;
        colors.set(strangeColor, at);
      }
      colors[at + 3] = 255;
    }
  return { columns, rows, colors, found, strange, missing };
}
