// step_curve.ts - a number over time that keeps its value until the next point, and the most of it within any span.
import { everyIndex } from "./lanes";

const blockBits = 6;

export class StepCurve {
  private readonly blockMost: Float64Array;
  readonly most: number;

  constructor(
    readonly times: ArrayLike<number>,
    readonly values: ArrayLike<number>,
  ) {
    this.blockMost = new Float64Array(Math.ceil(times.length / (1 << blockBits)));
    let most = 0;
    for (let at = 0; at < times.length; ++at) {
      const block = at >> blockBits;
      if (values[at] > this.blockMost[block]) this.blockMost[block] = values[at];
      if (values[at] > most) most = values[at];
    }
    this.most = most;
  }

  get count(): number {
    return this.times.length;
  }

  // The last point at or before a time; -1 before the first.
  at(time: number): number {
    let low = 0,
      high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  value(time: number): number {
    const at = this.at(time);
    return at < 0 ? 0 : this.values[at];
  }

  // The most among points first to last.
  mostOf(first: number, last: number): number {
    let most = 0;
    for (let at = Math.max(0, first); at <= last; ) {
      if ((at & ((1 << blockBits) - 1)) === 0 && at + (1 << blockBits) - 1 <= last) {
        most = Math.max(most, this.blockMost[at >> blockBits]);
        at += 1 << blockBits;
      } else {
        if (this.values[at] > most) most = this.values[at];
        ++at;
      }
    }
    return most;
  }
}

// Rows by time, from rows that are sorted within runs: neighbouring runs are merged until one is left.
export function orderByTime(times: Float64Array): Uint32Array {
  let order = everyIndex(times.length),
    next = new Uint32Array(times.length);
  let starts = [0];
  for (let row = 1; row < times.length; ++row) if (times[row] < times[row - 1]) starts.push(row);
  while (starts.length > 1) {
    const merged: number[] = [];
    for (let run = 0; run < starts.length; run += 2) {
      const middle = starts[run + 1] ?? times.length,
        end = starts[run + 2] ?? times.length;
      let a = starts[run],
        b = middle;
      merged.push(a);
      for (let at = a; at < end; ++at)
        next[at] = b >= end || (a < middle && times[order[a]] <= times[order[b]]) ? order[a++] : order[b++];
    }
    [order, next, starts] = [next, order, merged];
  }
  return order;
}

// How many commands all streams together had been given, from a table that tells it of one after the other.
export function totalDepth(rows: number, times: Float64Array, streams: Uint32Array, commands: Uint32Array): StepCurve {
  const change = new Float64Array(rows);
  for (let row = 0; row < rows; ++row)
    change[row] = commands[row] - (row > 0 && streams[row] === streams[row - 1] ? commands[row - 1] : 0);
  const order = orderByTime(times),
    sorted = new Float64Array(rows),
    totals = new Float64Array(rows);
  let total = 0;
  for (let at = 0; at < rows; ++at) {
    total += change[order[at]];
    sorted[at] = times[order[at]];
    totals[at] = total;
  }
  return new StepCurve(sorted, totals);
}
