// line_diff.ts - two texts side by side: which lines stayed, which went, which came (Myers).

export interface LinePair {
  a: number; // line of the first text; -1: none here
  b: number;
}

const mostEdits = 1500; // beyond this the texts have little to do with each other, and are shown one after the other

export function diffLines(a: string[], b: string[]): LinePair[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) ++head;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) ++tail;
  const pairs: LinePair[] = [];
  for (let line = 0; line < head; ++line) pairs.push({ a: line, b: line });
  pairs.push(
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)).map((pair) => ({
      a: pair.a < 0 ? -1 : pair.a + head,
      b: pair.b < 0 ? -1 : pair.b + head,
    })),
  );
  for (let line = tail; line > 0; --line) pairs.push({ a: a.length - line, b: b.length - line });
  return beside(pairs);
}

function middle(a: string[], b: string[]): LinePair[] {
  const most = Math.min(mostEdits, a.length + b.length),
    center = most + 1;
  const reach = new Int32Array(2 * most + 3),
    history: Int32Array[] = [];
  for (let edits = 0; edits <= most; ++edits) {
    history.push(reach.slice());
    for (let k = -edits; k <= edits; k += 2) {
      let x =
        k === -edits || (k !== edits && reach[center + k - 1] < reach[center + k + 1])
          ? reach[center + k + 1]
          : reach[center + k - 1] + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) ++x;
      reach[center + k] = x;
      if (x >= a.length && x - k >= b.length) return retrace(history, edits, center, a.length, b.length);
    }
  }
  return [...a.map((_, line) => ({ a: line, b: -1 })), ...b.map((_, line) => ({ a: -1, b: line }))];
}

function retrace(history: Int32Array[], edits: number, center: number, x: number, y: number): LinePair[] {
  const pairs: LinePair[] = [];
  for (let step = edits; step > 0; --step) {
    const reach = history[step],
      k = x - y;
    const isDown = k === -step || (k !== step && reach[center + k - 1] < reach[center + k + 1]);
    const before = isDown ? k + 1 : k - 1,
      fromX = reach[center + before],
      fromY = fromX - before;
    while (x > (isDown ? fromX : fromX + 1) && y > (isDown ? fromY + 1 : fromY)) pairs.push({ a: --x, b: --y });
    if (isDown) pairs.push({ a: -1, b: --y });
    else pairs.push({ a: --x, b: -1 });
  }
  while (x > 0 && y > 0) pairs.push({ a: --x, b: --y });
  return pairs.reverse();
}

// Lines that went and lines that came at the same place stand beside each other.
function beside(pairs: LinePair[]): LinePair[] {
  const result: LinePair[] = [];
  for (let at = 0; at < pairs.length; ) {
    if (pairs[at].a >= 0 && pairs[at].b >= 0) {
      result.push(pairs[at++]);
      continue;
    }
    const gone: number[] = [],
      come: number[] = [];
    for (; at < pairs.length && (pairs[at].a < 0 || pairs[at].b < 0); ++at) {
      if (pairs[at].a >= 0) gone.push(pairs[at].a);
      else come.push(pairs[at].b);
    }
    for (let row = 0; row < Math.max(gone.length, come.length); ++row)
      result.push({ a: gone[row] ?? -1, b: come[row] ?? -1 });
  }
  return result;
}
