// pyramid.ts - events of one row, so that drawing costs by pixels and not by events.
//
// Events are sorted by start; ends may be in any order. Level 0 has a block for every 16 events, each further level one
// for every 4 blocks. A block knows when it begins, the latest end in it, its longest event and the time all its events
// took, so that a pixel over a thousand events still shows how busy that pixel was, and with what.

const eventBits = 4;
const fanBits = 2;

interface Level {
  shift: number; // a block holds 1 << shift events
  begin: Float64Array;
  end: Float64Array;
  busy: Float64Array;
  longest: Uint32Array; // position
  length: Float64Array; // of the longest; looked up, it would be a miss of the cache for every pixel
}

export interface Visitor {
  // One event, wider than a pixel.
  event(position: number): void;
  // Events that together are no wider than a pixel: the longest of them, and the time they all take.
  cell(begin: number, longest: number, length: number, busy: number): void;
}

export class Pyramid {
  readonly count: number;
  private readonly levels: Level[] = [];

  // order: indices in starts and ends, sorted by start.
  constructor(
    private readonly starts: ArrayLike<number>,
    private readonly ends: ArrayLike<number>,
    readonly order: Uint32Array,
  ) {
    this.count = order.length;
    this.build();
  }

  start(position: number): number {
    return this.starts[this.order[position]];
  }
  end(position: number): number {
    return this.ends[this.order[position]];
  }

  private build(): void {
    const { count, order, starts, ends } = this;
    if (count === 0) return;
    let blocks = ((count - 1) >> eventBits) + 1;
    let level: Level = this.addLevel(eventBits, blocks);
    for (let block = 0, at = 0; block < blocks; ++block) {
      const stop = Math.min(count, at + (1 << eventBits));
      let latest = -Infinity,
        busy = 0,
        longest = at,
        most = -1;
      level.begin[block] = starts[order[at]];
      for (; at < stop; ++at) {
        const begin = starts[order[at]],
          end = ends[order[at]];
        if (end > latest) latest = end;
        busy += end - begin;
        if (end - begin > most) {
          most = end - begin;
          longest = at;
        }
      }
      level.end[block] = latest;
      level.busy[block] = busy;
      level.longest[block] = longest;
      level.length[block] = most;
    }
    while (blocks > 1) {
      const below = level,
        belowCount = blocks;
      blocks = ((blocks - 1) >> fanBits) + 1;
      level = this.addLevel(below.shift + fanBits, blocks);
      for (let block = 0, at = 0; block < blocks; ++block) {
        const stop = Math.min(belowCount, at + (1 << fanBits));
        let latest = -Infinity,
          busy = 0,
          longest = 0,
          most = -1;
        level.begin[block] = below.begin[at];
        for (; at < stop; ++at) {
          if (below.end[at] > latest) latest = below.end[at];
          busy += below.busy[at];
          if (below.length[at] > most) {
            most = below.length[at];
            longest = below.longest[at];
          }
        }
        level.end[block] = latest;
        level.busy[block] = busy;
        level.longest[block] = longest;
        level.length[block] = most;
      }
    }
  }

  private addLevel(shift: number, blocks: number): Level {
    const numbers = () => new Float64Array(blocks);
    const level = {
      shift,
      begin: numbers(),
      end: numbers(),
      busy: numbers(),
      longest: new Uint32Array(blocks),
      length: numbers(),
    };
    this.levels.push(level);
    return level;
  }

  // Everything that overlaps [begin, end], in order. What is narrower than `pixel` comes as cells.
  visit(begin: number, end: number, pixel: number, visitor: Visitor): void {
    if (this.count > 0) this.descend(this.levels.length - 1, 0, begin, end, pixel, visitor);
  }

  private descend(depth: number, block: number, begin: number, end: number, pixel: number, visitor: Visitor): void {
    const level = this.levels[depth];
    const first = block << level.shift;
    const from = level.begin[block],
      to = level.end[block];
    if (to < begin || from > end) return;
    if (to - from <= pixel) {
      visitor.cell(from, level.longest[block], level.length[block], level.busy[block]);
      return;
    }
    const stop = Math.min(this.count, first + (1 << level.shift));
    if (depth > 0) {
      const below = this.levels[depth - 1].shift;
      for (let child = first >> below; child << below < stop; ++child)
        this.descend(depth - 1, child, begin, end, pixel, visitor);
      return;
    }
    for (let at = first; at < stop; ++at) {
      const eventBegin = this.start(at),
        eventEnd = this.end(at);
      if (eventEnd < begin || eventBegin > end) continue;
      if (eventEnd - eventBegin > pixel) visitor.event(at);
      else visitor.cell(eventBegin, at, eventEnd - eventBegin, eventEnd - eventBegin);
    }
  }

  // The event at a time, or the nearest within `reach` of it; of several the shortest. -1: none.
  find(time: number, reach: number): number {
    let best = -1,
      bestDistance = Infinity,
      bestLength = Infinity;
    const consider = (position: number) => {
      const begin = this.start(position),
        end = this.end(position);
      const distance = Math.max(0, begin - time, time - end),
        length = end - begin;
      if (distance < bestDistance || (distance === bestDistance && length < bestLength)) {
        best = position;
        bestDistance = distance;
        bestLength = length;
      }
    };
    // Cells no wider than what is asked for: the longest of them is the one that is seen.
    this.visit(time - reach, time + reach, reach / 2, { event: consider, cell: (_, longest) => consider(longest) });
    return best;
  }
}
