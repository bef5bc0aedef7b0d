// decisions.ts - what decided in a line of commands: a graph that decides leaves the reads of its conditions, whose labels
// say what came of them (docs/graphs.md).

export interface Decided {
  title: string; // "while 'until done'"
  value: number;
  outcome: string; // "round 3", "done", "then", "case 2", "not taken" ("nothing to do" in documents of earlier versions)
}

const words = /^((?:if|while|switch)(?: '[^]*')?): (\d+), (round \d+|done|then|else|case \d+|not taken|nothing to do|limit reached|no such branch)$/;

export function decidedBy(label: string): Decided | null {
  const found = words.exec(label);
  return found ? { title: found[1], value: Number(found[2]), outcome: found[3] } : null;
}

// A while that ran: its commands first to end, and where each round begins, with the read of its condition.
export interface Loop {
  first: number;
  end: number;
  title: string;
  rounds: number[];
  isEnded: boolean; // else a limit, or the end of the document, ended it; its last round may not have run
}

// The outermost that begin in first to end. Loops of one title may be in each other.
export function loopsIn(first: number, end: number, label: (command: number) => string): Loop[] {
  const loops: Loop[] = [];
  for (let at = first; at < end; ++at) {
    const begun = decidedBy(label(at));
    if (begun?.outcome !== "round 0") continue;
    const loop: Loop = { first: at, end, title: begun.title, rounds: [at], isEnded: false };
    let inside = 0;
    for (let next = at + 1; next < end && !loop.isEnded; ++next) {
      const decided = decidedBy(label(next));
      if (decided?.title !== begun.title) continue;
      if (decided.outcome === "round 0") ++inside;
      else if (decided.outcome !== "done") {
        if (inside === 0 && decided.outcome === `round ${loop.rounds.length}`) loop.rounds.push(next);
      } else if (inside > 0) --inside;
      else {
        loop.end = next + 1;
        loop.isEnded = true;
      }
    }
    loops.push(loop);
    at = loop.end - 1;
  }
  return loops;
}
