// elements.ts - bytes of a buffer as numbers of a type; written as the command line writes them.

export const elementTypes = [
  "f32",
  "f16",
  "bf16",
  "f64",
  "i8",
  "u8",
  "i16",
  "u16",
  "i32",
  "u32",
  "i64",
  "u64",
  "hex",
] as const;
export type ElementType = (typeof elementTypes)[number];

export const parseElementType = (name: string | null | undefined): ElementType | null =>
  (elementTypes as readonly string[]).includes(name ?? "") ? (name as ElementType) : null;

const sizes: Record<ElementType, number> = {
  f32: 4,
  f16: 2,
  bf16: 2,
  f64: 8,
  i8: 1,
  u8: 1,
  i16: 2,
  u16: 2,
  i32: 4,
  u32: 4,
  i64: 8,
  u64: 8,
  hex: 1,
};
export const sizeOfElement = (type: ElementType) => sizes[type];
export const isReal = (type: ElementType) => type === "f32" || type === "f16" || type === "bf16" || type === "f64";

export function fromHalf(half: number): number {
  const exponent = (half >> 10) & 31,
    fraction = half & 1023,
    sign = half >> 15 ? -1 : 1;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

const scratch = new DataView(new ArrayBuffer(4));
function fromBfloat(value: number): number {
  scratch.setUint32(0, value << 16);
  return scratch.getFloat32(0);
}

export function elementValue(type: ElementType, view: DataView, at: number): number {
  switch (type) {
    case "f32":
      return view.getFloat32(at, true);
    case "f16":
      return fromHalf(view.getUint16(at, true));
    case "bf16":
      return fromBfloat(view.getUint16(at, true));
    case "f64":
      return view.getFloat64(at, true);
    case "i8":
      return view.getInt8(at);
    case "u8":
    case "hex":
      return view.getUint8(at);
    case "i16":
      return view.getInt16(at, true);
    case "u16":
      return view.getUint16(at, true);
    case "i32":
      return view.getInt32(at, true);
    case "u32":
      return view.getUint32(at, true);
    case "i64":
      return Number(view.getBigInt64(at, true));
    case "u64":
      return Number(view.getBigUint64(at, true));
  }
}

// The fewest digits that give the same number again.
export function realText(value: number, isDouble: boolean): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  let digits = value;
  if (!isDouble)
    for (let precision = 1; precision <= 9; ++precision) {
      digits = Number(value.toPrecision(precision));
      if (Math.fround(digits) === value) break;
    }
  const [mantissa, exponent] = digits.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 16)
    return power < 0 ? digits.toFixed(mantissa.replace(/[-.]/g, "").length - 1 - power) : String(digits);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

export function elementText(type: ElementType, view: DataView, at: number): string {
  if (type === "hex") return view.getUint8(at).toString(16).padStart(2, "0");
  if (type === "i64") return String(view.getBigInt64(at, true));
  if (type === "u64") return String(view.getBigUint64(at, true));
  const value = elementValue(type, view, at);
  return isReal(type) ? realText(value, type === "f64") : String(value);
}

export class Statistics {
  count = 0;
  nans = 0;
  infinities = 0;
  zeros = 0;
  least = NaN;
  most = NaN;
  sum = 0;

  add(value: number): void {
    ++this.count;
    if (Number.isNaN(value)) ++this.nans;
    else if (!Number.isFinite(value)) ++this.infinities;
    else {
      if (value === 0) ++this.zeros;
      if (!(value >= this.least)) this.least = value;
      if (!(value <= this.most)) this.most = value;
      this.sum += value;
    }
  }

  get mean(): number {
    return this.sum / (this.count - this.nans - this.infinities);
  }
}
