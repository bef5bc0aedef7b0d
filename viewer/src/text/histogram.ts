// histogram.ts - how often which durations came, in bins that are equally wide on a log or a linear scale.

export interface Bin {
  from: number;
  to: number;
  count: number;
}

// Log where the longest is more than ten times the shortest.
export function histogram(values: ArrayLike<number>, most: number): Bin[] {
  let least = Infinity,
    longest = -Infinity;
  for (let at = 0; at < values.length; ++at) {
    if (values[at] < least) least = values[at];
    if (values[at] > longest) longest = values[at];
  }
  if (!(longest >= least)) return [];
  if (least === longest) return [{ from: least, to: longest, count: values.length }];
  const isLog = longest > 10 * Math.max(1, least);
  const scale = isLog ? (value: number) => Math.log(Math.max(1, value)) : (value: number) => value;
  const unscale = isLog ? Math.exp : (value: number) => value;
  const low = scale(least),
    width = (scale(longest) - low) / most;
  const bins = Array.from({ length: most }, (_, place) => ({
    from: unscale(low + place * width),
    to: unscale(low + (place + 1) * width),
    count: 0,
  }));
  for (let at = 0; at < values.length; ++at)
    ++bins[Math.min(most - 1, Math.floor((scale(values[at]) - low) / width))].count;
  return bins;
}
