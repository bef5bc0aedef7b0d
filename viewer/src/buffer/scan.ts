// scan.ts - passes over all of a version: statistics, the search for what isn't a number, differences.
import { ElementType, elementValue, sizeOfElement, Statistics } from "./elements";
import { loadPage, pageBytes, Version } from "./versions";

export const scannedAtOnce = 32 << 20; // without being asked

// Calls visit with every element; stops where it returns true. False: a page isn't there.
async function eachElement(
  version: Version,
  type: ElementType,
  from: number,
  visit: (index: number, page: DataView, at: number) => boolean | void,
): Promise<boolean> {
  const size = sizeOfElement(type),
    perPage = pageBytes / size,
    count = Math.floor(version.size / size);
  for (let number = Math.floor(from / perPage); number * perPage < count; ++number) {
    const page = await loadPage(version, number);
    if (!page) return false;
    const first = Math.max(from, number * perPage),
      stop = Math.min(count, number * perPage + Math.floor(page.byteLength / size));
    for (let index = first; index < stop; ++index)
      if (visit(index, page, (index - number * perPage) * size)) return true;
  }
  return true;
}

export async function statisticsOf(version: Version, type: ElementType): Promise<Statistics | null> {
  const statistics = new Statistics();
  const isWhole = await eachElement(version, type, 0, (_, page, at) => statistics.add(elementValue(type, page, at)));
  return isWhole ? statistics : null;
}

// The next element that is NaN or infinite, from `from` on; -1: none.
export async function findStrange(version: Version, type: ElementType, from: number): Promise<number> {
  let found = -1;
  await eachElement(version, type, from, (index, page, at) => {
    if (Number.isFinite(elementValue(type, page, at))) return false;
    found = index;
    return true;
  });
  return found;
}

// The next element within `tolerance` of a value; -1: none.
export async function findValue(
  version: Version,
  type: ElementType,
  value: number,
  tolerance: number,
  from: number,
): Promise<number> {
  let found = -1;
  await eachElement(version, type, from, (index, page, at) => {
    if (!(Math.abs(elementValue(type, page, at) - value) <= tolerance)) return false;
    found = index;
    return true;
  });
  return found;
}

export interface Difference {
  compared: number;
  different: number;
  first: number; // index; -1: none
  largest: number; // of what can be subtracted
}

const sameNumber = (a: number, b: number) => a === b || (Number.isNaN(a) && Number.isNaN(b));

// Element by element where both are, by their place in the buffer.
export async function differenceOf(version: Version, before: Version, type: ElementType): Promise<Difference | null> {
  const size = sizeOfElement(type),
    shift = version.offset - before.offset;
  const result: Difference = { compared: 0, different: 0, first: -1, largest: 0 };
  const stop = Math.min(Math.floor(version.size / size), Math.floor((before.size - shift) / size));
  for (let index = Math.max(0, Math.ceil(-shift / size)); index < stop; ) {
    const at = index * size,
      otherAt = at + shift;
    const page = await loadPage(version, Math.floor(at / pageBytes)),
      other = await loadPage(before, Math.floor(otherAt / pageBytes));
    if (!page || !other) return null;
    // As far as both pages go. Pages hold whole elements, unless ranges begin at odd places: those are left out.
    const room = Math.min(page.byteLength - (at % pageBytes), other.byteLength - (otherAt % pageBytes));
    const together = Math.min(stop - index, Math.floor(room / size));
    for (let step = 0; step < together; ++step) {
      const a = elementValue(type, page, (at % pageBytes) + step * size),
        b = elementValue(type, other, (otherAt % pageBytes) + step * size);
      ++result.compared;
      if (sameNumber(a, b)) continue;
      ++result.different;
      if (result.first < 0) result.first = index + step;
      result.largest = Math.max(result.largest, Math.abs(a - b) || 0);
    }
    index += Math.max(1, together);
  }
  return result;
}
