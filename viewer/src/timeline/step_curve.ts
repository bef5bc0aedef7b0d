// step_curve.ts - a number over time that keeps its value until the next point, and the most of it within any span.

const blockBits = 6;

export class StepCurve {
  private readonly blockMost: Float64Array;
  readonly most: number;

  constructor(readonly times: ArrayLike<number>, readonly values: ArrayLike<number>) {
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
    let low = 0, high = this.times.length;
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

// How many commands all streams together had been given, from a table that tells it of each.
export function totalDepth(rows: number, times: Float64Array, streams: Uint32Array, commands: Uint32Array): StepCurve {
  const now = new Map<number, number>();
  const totals = new Float64Array(rows);
  let total = 0;
  for (let row = 0; row < rows; ++row) {
    total += commands[row] - (now.get(streams[row]) ?? 0);
    now.set(streams[row], commands[row]);
    totals[row] = total;
  }
  return new StepCurve(times, totals);
}
