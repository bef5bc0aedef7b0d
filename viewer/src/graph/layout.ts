// layout.ts - a layered layout: time goes down, what depends on nothing else stands side by side.
//
// Layers by longest path, an order within each by barycentre sweeps, places by pulling nodes to their neighbours. Long
// edges are not split into dummy nodes, which is what makes others slow: they go through a gutter at the side.

export interface LayoutInput {
  count: number;
  from: ArrayLike<number>; // edges; from < to
  to: ArrayLike<number>;
  widths: ArrayLike<number>;
  heights: ArrayLike<number>;
}

export interface Layout {
  layer: Uint32Array;
  x: Float64Array; // left edges
  y: Float64Array; // top edges
  isLong: Uint8Array; // by edge: it goes through the gutter
  width: number;
  height: number;
}

const sweeps = 8;
const gapAcross = 22;
const gapDown = 34;
const mostInRow = 14; // more beside each other nobody finds again
const longSpan = 6; // layers

function layersOf({ count, from, to }: LayoutInput): Uint32Array {
  const layer = new Uint32Array(count);
  // Nodes are in the order of the program, and edges go forward: sorted by `to`, one pass does it.
  const order = Uint32Array.from({ length: from.length }, (_, edge) => edge).sort((a, b) => to[a] - to[b]);
  for (const edge of order) layer[to[edge]] = Math.max(layer[to[edge]], layer[from[edge]] + 1);
  return layer;
}

// For each node its neighbours, as offsets into one list.
function neighbours({ count, from, to }: LayoutInput): { offsets: Uint32Array; list: Uint32Array } {
  const offsets = new Uint32Array(count + 1);
  for (let edge = 0; edge < from.length; ++edge) {
    ++offsets[from[edge] + 1];
    ++offsets[to[edge] + 1];
  }
  for (let node = 0; node < count; ++node) offsets[node + 1] += offsets[node];
  const next = offsets.slice(0, count),
    list = new Uint32Array(offsets[count]);
  for (let edge = 0; edge < from.length; ++edge) {
    list[next[from[edge]]++] = to[edge];
    list[next[to[edge]]++] = from[edge];
  }
  return { offsets, list };
}

export function layOut(input: LayoutInput): Layout {
  const { count, from, to, widths, heights } = input;
  const layer = layersOf(input),
    { offsets, list } = neighbours(input);
  const rows: number[][] = [];
  for (let node = 0; node < count; ++node) (rows[layer[node]] ??= []).push(node);

  const place = new Float64Array(count);
  for (const row of rows) row.forEach((node, at) => (place[node] = at - row.length / 2));
  const wish = new Float64Array(count);
  const sortRow = (row: number[], side: -1 | 1) => {
    for (const node of row) {
      let sum = 0,
        found = 0;
      for (let at = offsets[node]; at < offsets[node + 1]; ++at)
        if ((layer[list[at]] - layer[node]) * side > 0) {
          sum += place[list[at]];
          ++found;
        }
      wish[node] = found ? sum / found : place[node];
    }
    row.sort((a, b) => wish[a] - wish[b] || a - b);
    row.forEach((node, at) => (place[node] = at - row.length / 2));
  };
  for (let sweep = 0; sweep < sweeps; ++sweep) {
    if (sweep % 2 === 0) for (let at = 1; at < rows.length; ++at) sortRow(rows[at], -1);
    else for (let at = rows.length - 2; at >= 0; --at) sortRow(rows[at], 1);
  }

  // Rows that are too wide continue below.
  const lines = rows.flatMap((row) =>
    Array.from({ length: Math.ceil(row.length / mostInRow) }, (_, part) =>
      row.slice(part * mostInRow, (part + 1) * mostInRow),
    ),
  );
  const x = new Float64Array(count),
    y = new Float64Array(count);
  let top = 0;
  for (const line of lines) {
    const whole = line.reduce((sum, node) => sum + widths[node] + gapAcross, -gapAcross);
    let left = -whole / 2,
      tallest = 0;
    for (const node of line) {
      x[node] = left;
      y[node] = top;
      left += widths[node] + gapAcross;
      tallest = Math.max(tallest, heights[node]);
    }
    top += tallest + gapDown;
  }
  pull(lines, x, widths, offsets, list);

  let least = Infinity,
    most = -Infinity;
  for (let node = 0; node < count; ++node) {
    least = Math.min(least, x[node]);
    most = Math.max(most, x[node] + widths[node]);
  }
  if (count > 0) for (let node = 0; node < count; ++node) x[node] -= least;
  const isLong = new Uint8Array(from.length);
  for (let edge = 0; edge < from.length; ++edge) if (layer[to[edge]] - layer[from[edge]] > longSpan) isLong[edge] = 1;
  return { layer, x, y, isLong, width: count > 0 ? most - least : 0, height: Math.max(0, top - gapDown) };
}

// Moves nodes towards the middle of their neighbours, without changing the order within a line.
function pull(
  lines: number[][],
  x: Float64Array,
  widths: ArrayLike<number>,
  offsets: Uint32Array,
  list: Uint32Array,
): void {
  for (let round = 0; round < 6; ++round) {
    const order = round % 2 === 0 ? lines : [...lines].reverse();
    for (const line of order) {
      const wishes = line.map((node) => {
        let sum = 0,
          found = 0;
        for (let at = offsets[node]; at < offsets[node + 1]; ++at) {
          sum += x[list[at]] + widths[list[at]] / 2;
          ++found;
        }
        return found ? sum / found - widths[node] / 2 : x[node];
      });
      // As near to the wish as those on the left allow, then the whole line is set back by what that pushed it.
      let edge = -Infinity,
        pushed = 0;
      line.forEach((node, at) => {
        x[node] = Math.max(wishes[at], edge);
        pushed += x[node] - wishes[at];
        edge = x[node] + widths[node] + gapAcross;
      });
      const back = pushed / line.length;
      for (const node of line) x[node] -= back;
    }
  }
}
