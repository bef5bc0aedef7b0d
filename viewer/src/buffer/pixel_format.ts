// pixel_format.ts - what the bytes of a pixel are: its channels, and which of them are seen.
import { ImageShape } from "../data/json";
import { ElementType, elementValue, isReal, sizeOfElement } from "./elements";

export interface Range {
  least: number; // is drawn black
  most: number; // is drawn white
}

export interface PixelFormat {
  channels: string[]; // "B", "G", "R", "A": as they follow each other
  isReal: boolean;
  ranges: Range[] | null; // of each channel; null: numbers that stand for themselves, and may be any
  red: number; // places among the channels; -1: there is none. All the same: shades of grey
  green: number;
  blue: number;
  pixelBytes: number;
  read(bytes: DataView, at: number, values: Float64Array): void; // as stored: 255, not 1
}

// Alpha is drawn only where there is nothing else.
const channelsOf: Record<string, string> = {
  R: "R",
  Rx: "R",
  A: "A",
  RG: "RG",
  RGx: "RG",
  RA: "RA",
  RGB: "RGB",
  RGBx: "RGB",
  RGBA: "RGBA",
  BGRA: "BGRA",
  ARGB: "ARGB",
  ABGR: "ABGR",
  intensity: "I",
  luminance: "L",
  depth: "D",
  // Encoded as screens want it: shown as it is.
  sRGB: "RGB",
  sRGBx: "RGB",
  sRGBA: "RGBA",
  sBGRA: "BGRA",
};

const plainTypes: Record<string, { element: ElementType; range?: Range }> = {
  "8 unorm": { element: "u8", range: { least: 0, most: 255 } },
  "16 unorm": { element: "u16", range: { least: 0, most: 65535 } },
  "8 snorm": { element: "i8", range: { least: -127, most: 127 } },
  "16 snorm": { element: "i16", range: { least: -32767, most: 32767 } },
  "8 int": { element: "i8" },
  "16 int": { element: "i16" },
  "32 int": { element: "i32" },
  "8 uint": { element: "u8" },
  "16 uint": { element: "u16" },
  "32 uint": { element: "u32" },
  "16 float": { element: "f16" },
  "32 float": { element: "f32" },
};

// Several channels in one number, the first in its highest bits: how many bits each has.
const packedTypes: Record<string, { element: ElementType; bits: number[] }> = {
  "565 unorm": { element: "u16", bits: [5, 6, 5] },
  "555 unorm": { element: "u16", bits: [5, 5, 5] },
  "101010 unorm": { element: "u32", bits: [10, 10, 10] },
  "1010102 unorm": { element: "u32", bits: [10, 10, 10, 2] },
};

const mostPixelBytes = 16; // four numbers of 32 bits: what is larger is no pixel

// Null: such pixels can't be drawn.
export function pixelFormatOf(shape: ImageShape): PixelFormat | null {
  const letters = channelsOf[shape.channel_order];
  const plain = plainTypes[shape.channel_type],
    packed = packedTypes[shape.channel_type];
  if (!letters || !(plain || packed) || shape.pixel_bytes > mostPixelBytes) return null;
  const channels = [...letters],
    place = (letter: string) => channels.indexOf(letter),
    isGrey = place("G") < 0;
  const common = {
    channels,
    red: isGrey ? 0 : place("R"),
    green: isGrey ? 0 : place("G"),
    blue: isGrey ? 0 : place("B"),
    pixelBytes: shape.pixel_bytes,
  };
  if (plain) {
    const { element, range } = plain,
      size = sizeOfElement(element);
    if (size * channels.length > shape.pixel_bytes) return null;
    return {
      ...common,
      isReal: isReal(element),
      ranges: range ? channels.map(() => range) : null,
      read: (bytes, at, values) => {
        for (let channel = 0; channel < channels.length; ++channel)
          values[channel] = elementValue(element, bytes, at + channel * size);
      },
    };
  }
  const { element, bits } = packed;
  if (bits.length !== channels.length || sizeOfElement(element) !== shape.pixel_bytes) return null;
  return {
    ...common,
    isReal: false,
    ranges: bits.map((count) => ({ least: 0, most: 2 ** count - 1 })),
    read: (bytes, at, values) => {
      let rest = elementValue(element, bytes, at);
      for (let channel = bits.length - 1; channel >= 0; --channel) {
        values[channel] = rest % 2 ** bits[channel];
        rest = Math.floor(rest / 2 ** bits[channel]);
      }
    },
  };
}
