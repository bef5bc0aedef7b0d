// range_totals.ts - what happened within a part of time.
import { Catalog } from "../data/catalog";
import { idleCauses, TableOf } from "../data/tables";
import { TimeRange } from "../state/url";

export interface RangeTotals {
  commands: number; // that ran within it, wholly or in part
  sum: number; // their time within it
  kernels: { kernel: number; count: number; time: number; most: number }[]; // by time; kernel -1 - kind: no kernel
  idle: number[]; // by cause
}

export function totalsOf(range: TimeRange, catalog: Catalog, gaps: TableOf<"gaps">): RangeTotals {
  const { commands, works, kernels } = catalog;
  const { started, ended, work, own } = commands;
  const kinds = 16;
  const count = new Float64Array(kernels.length + kinds),
    time = new Float64Array(count.length),
    most = new Float64Array(count.length);
  let all = 0,
    sum = 0;
  for (let c = 0; c < commands.rows; ++c) {
    if (!(ended[c] > range.begin && started[c] < range.end)) continue; // unknown times, too
    const inside = Math.min(ended[c], range.end) - Math.max(started[c], range.begin);
    const kernel = works.kernel[work[c]];
    const slot = kernel < kernels.length ? kernel : kernels.length + works.kind[work[c]];
    ++count[slot];
    ++all;
    const length = ended[c] - started[c];
    if (length > most[slot]) most[slot] = length;
    if (own[c] === 0 && length > 0) continue; // a launch: its nodes are counted
    time[slot] += inside;
    sum += inside;
  }
  const rows = [];
  for (let slot = 0; slot < count.length; ++slot)
    if (count[slot] > 0)
      rows.push({
        kernel: slot < kernels.length ? slot : -1 - (slot - kernels.length),
        count: count[slot],
        time: time[slot],
        most: most[slot],
      });
  const idle = idleCauses.map(() => 0);
  for (let gap = 0; gap < gaps.rows; ++gap)
    if (gaps.end[gap] > range.begin && gaps.begin[gap] < range.end)
      idle[gaps.cause[gap]] += Math.min(gaps.end[gap], range.end) - Math.max(gaps.begin[gap], range.begin);
  return { commands: all, sum, kernels: rows.sort((a, b) => b.time - a.time), idle };
}
