// lanes.ts - which events share a row.

// 0 to count. A loop: Uint32Array.from with a function takes ten times as long.
export function everyIndex(count: number): Uint32Array<ArrayBuffer> {
  const indices = new Uint32Array(count);
  for (let index = 0; index < count; ++index) indices[index] = index;
  return indices;
}

// Indices sorted by their start. Those whose times aren't known are left out.
export function orderByStart(starts: ArrayLike<number>, ends: ArrayLike<number>, indices: Uint32Array): Uint32Array {
  let isSorted = true,
    known = 0,
    last = -Infinity;
  for (const index of indices) {
    if (!(ends[index] >= starts[index])) continue;
    ++known;
    if (starts[index] < last) isSorted = false;
    last = starts[index];
  }
  const timed = known === indices.length ? indices : indices.filter((index) => ends[index] >= starts[index]);
  return isSorted ? timed : timed.slice().sort((a, b) => starts[a] - starts[b] || a - b);
}

export interface Groups {
  offsets: Uint32Array; // group g is members[offsets[g]] to members[offsets[g + 1]]
  members: Uint32Array;
}

// Indices 0 to count by group, in order; those of a group that isn't there belong to none.
export function groupBy(count: number, groupCount: number, groupOf: (index: number) => number): Groups {
  const offsets = new Uint32Array(groupCount + 1);
  for (let index = 0; index < count; ++index) {
    const group = groupOf(index);
    if (group >= 0 && group < groupCount) ++offsets[group + 1];
  }
  for (let group = 0; group < groupCount; ++group) offsets[group + 1] += offsets[group];
  const next = offsets.slice(0, groupCount);
  const members = new Uint32Array(offsets[groupCount]);
  for (let index = 0; index < count; ++index) {
    const group = groupOf(index);
    if (group >= 0 && group < groupCount) members[next[group]++] = index;
  }
  return { offsets, members };
}

export const membersOf = (groups: Groups, group: number): Uint32Array =>
  groups.members.subarray(groups.offsets[group], groups.offsets[group + 1]);

// Spreads events that overlap, such as calls within calls: each goes to the first lane that is free. The last of
// `most` lanes takes what is left, overlapping or not.
export function spread(
  order: Uint32Array,
  starts: ArrayLike<number>,
  ends: ArrayLike<number>,
  most: number,
): Uint32Array[] {
  const laneOf = new Uint8Array(order.length),
    free: number[] = [],
    sizes: number[] = [];
  for (let at = 0; at < order.length; ++at) {
    const begin = starts[order[at]];
    let lane = 0;
    while (lane < free.length && free[lane] > begin && lane < most - 1) ++lane;
    if (lane === free.length) {
      free.push(-Infinity);
      sizes.push(0);
    }
    free[lane] = Math.max(free[lane], ends[order[at]]);
    ++sizes[lane];
    laneOf[at] = lane;
  }
  if (sizes.length <= 1) return [order];
  const lanes = sizes.map((size) => new Uint32Array(size)),
    next = sizes.map(() => 0);
  for (let at = 0; at < order.length; ++at) lanes[laneOf[at]][next[laneOf[at]]++] = order[at];
  return lanes;
}
