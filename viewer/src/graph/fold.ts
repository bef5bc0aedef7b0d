// fold.ts - finds what repeats in a row of things, such as the layers of a model: "× 32".

export interface Run {
  first: number;
  period: number;
  count: number; // 1: nothing repeats here
}

const mostPeriod = 64;

// Splits 0 to signatures.length into runs: from each place the repetition that covers most.
export function foldRuns(signatures: ArrayLike<number | string>, leastCount: number): Run[] {
  const runs: Run[] = [],
    length = signatures.length;
  for (let at = 0; at < length; ) {
    let best: Run = { first: at, period: 1, count: 1 };
    for (let period = 1; period <= mostPeriod && at + period * leastCount <= length; ++period) {
      let same = 0; // how many follow that equal the one a period earlier
      while (at + period + same < length && signatures[at + same] === signatures[at + period + same]) ++same;
      const count = 1 + Math.floor(same / period);
      // A longer period must cover more: "aaaa" is a four times, not aa twice.
      if (count >= leastCount && count * period > (best.count > 1 ? best.count * best.period : 0))
        best = { first: at, period, count };
      if (best.count > 1 && best.count * best.period >= length - at) break;
    }
    runs.push(best);
    at += best.period * best.count;
  }
  return runs;
}

// layer0 and layer31 are alike: numbers in names don't count.
export const withoutNumbers = (name: string) => name.replace(/\d+/g, "#");
