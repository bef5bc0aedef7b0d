// region_tree.ts - what graphs that decide did: launches, their decisions, branches and rounds, and whose commands are
// whose. Documents of earlier versions have launches alone.
import { noIndex, regionKind, TableOf } from "./tables";

type Regions = TableOf<"regions">;
type Commands = Pick<TableOf<"commands">, "rows" | "thread" | "call_begin">;

const words = ["pass", "region", "launch", "if", "while", "switch", "repeat"];

const isDecision = (kind: number) => kind >= regionKind.if && kind <= regionKind.repeat;

export class RegionTree {
  readonly hasDecisions: boolean;
  private readonly hasParts: Uint8Array; // by region: a branch or round of it ran

  constructor(
    readonly regions: Regions,
    private readonly text: (index: number) => string,
  ) {
    this.hasParts = new Uint8Array(regions.rows);
    let hasDecisions = false;
    for (let r = 0; r < regions.rows; ++r) {
      hasDecisions ||= isDecision(regions.kind[r]);
      if (regions.kind[r] >= regionKind.branch && regions.parent[r] < regions.rows) this.hasParts[regions.parent[r]] = 1;
    }
    this.hasDecisions = hasDecisions;
  }

  // "while 'loop': 12 rounds", "if 'enough': 0, not taken", "round 3 of 8": as `reel commands` has it.
  title(r: number): string {
    const { kind, number, name, parent } = this.regions,
      own = this.text(name[r]),
      above = parent[r] < this.regions.rows ? kind[parent[r]] : -1;
    switch (kind[r]) {
      case regionKind.pass:
        return own || `pass ${number[r]}`;
      case regionKind.named:
      case regionKind.launch:
        return own || words[kind[r]];
      case regionKind.branch:
        return above === regionKind.if ? (number[r] === 0 ? "then" : "else") : `case ${number[r]}`;
      case regionKind.round:
        return above === regionKind.repeat ? `round ${number[r]} of ${number[parent[r]]}` : `round ${number[r]}`;
    }
    return `${own ? `${words[kind[r]]} '${own}'` : words[kind[r]]}: ${this.outcome(r)}`;
  }

  // Of a decision: "12 rounds", "0, not taken".
  outcome(r: number): string {
    const { kind, number } = this.regions;
    if (kind[r] === regionKind.if)
      return `${number[r]}, ${!this.hasParts[r] ? "not taken" : number[r] ? "then" : "else"}`;
    if (kind[r] === regionKind.switch) return `${number[r]}`;
    return `${number[r]} ${number[r] === 1 ? "round" : "rounds"}`;
  }

  isDecision = (r: number): boolean => isDecision(this.regions.kind[r]);
  isLoop = (r: number): boolean =>
    this.regions.kind[r] === regionKind.while || this.regions.kind[r] === regionKind.repeat;

  // Of each command: the innermost of a launch that gave it; noIndex: none.
  innermost(commands: Commands): Uint32Array {
    const { rows, kind, thread, begin, end } = this.regions,
      found = new Uint32Array(commands.rows).fill(noIndex),
      threads = new Map<number, { regions: number[]; commands: number[] }>();
    for (let r = 0; r < rows; ++r) {
      if (kind[r] < regionKind.launch) continue;
      const own = threads.get(thread[r]);
      if (own) own.regions.push(r);
      else threads.set(thread[r], { regions: [r], commands: [] });
    }
    if (threads.size === 0) return found;
    for (let c = 0; c < commands.rows; ++c)
      if (!Number.isNaN(commands.call_begin[c])) threads.get(commands.thread[c])?.commands.push(c);
    for (const own of threads.values()) {
      own.commands.sort((a, b) => commands.call_begin[a] - commands.call_begin[b] || a - b);
      const around: number[] = [];
      let next = 0;
      for (const c of own.commands) {
        const given = commands.call_begin[c];
        for (; next < own.regions.length && begin[own.regions[next]] <= given; ++next) {
          while (around.length && end[around[around.length - 1]] < end[own.regions[next]]) around.pop();
          around.push(own.regions[next]);
        }
        while (around.length && end[around[around.length - 1]] <= given) around.pop();
        if (around.length) found[c] = around[around.length - 1];
      }
    }
    return found;
  }
}

export interface Span {
  first: number; // commands first to end
  end: number;
}

// Regions whose commands follow each other, with nobody else's between them: those that can be shown as one.
export class CommandRegions {
  private readonly innermost: Uint32Array;
  private readonly first: Uint32Array;
  private readonly end: Uint32Array;
  private readonly count: Uint32Array;

  constructor(
    readonly tree: RegionTree,
    commands: Commands,
  ) {
    const { rows, parent } = tree.regions;
    this.innermost = tree.innermost(commands);
    this.first = new Uint32Array(rows).fill(noIndex);
    this.end = new Uint32Array(rows);
    this.count = new Uint32Array(rows);
    for (let c = 0; c < commands.rows; ++c) {
      const r = this.innermost[c];
      if (r === noIndex) continue;
      this.first[r] = Math.min(this.first[r], c);
      this.end[r] = Math.max(this.end[r], c + 1);
      ++this.count[r];
    }
    // Those around others come first.
    for (let r = rows - 1; r >= 0; --r) {
      const above = parent[r];
      if (above >= rows || this.count[r] === 0) continue;
      this.first[above] = Math.min(this.first[above], this.first[r]);
      this.end[above] = Math.max(this.end[above], this.end[r]);
      this.count[above] += this.count[r];
    }
  }

  span(r: number): Span {
    return { first: this.first[r], end: this.end[r] };
  }

  // The outermost decision or round below `within` that begins with this command and lies in front of `end`. The branch
  // of an if or switch is a part of it that its title tells. A decision that ran nothing is its read alone.
  beginningAt(command: number, end: number, within: number): number {
    const { kind, parent, rows } = this.tree.regions;
    let found = noIndex;
    for (let r = this.innermost[command]; r < rows && r !== within; r = parent[r]) {
      if (kind[r] !== regionKind.round && !this.tree.isDecision(r)) continue;
      const isWhole = this.count[r] === this.end[r] - this.first[r];
      if (isWhole && this.count[r] > 1 && this.first[r] === command && this.end[r] <= end) found = r;
    }
    return found;
  }
}
