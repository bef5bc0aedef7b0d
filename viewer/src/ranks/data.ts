// data.ts - what the page of many ranks is made of: the answer of `reel ranks --json`, and timelines of some steps.
import { signal } from "@preact/signals";
import { findResources } from "../data/resources";

export interface LateRow {
  kind: string;
  name: string;
  excess_ns: number;
  share: number;
}

export interface Rank {
  rank: number;
  document: string;
  host: string | null;
  steps: number;
  busy_ns: number;
  idle_ns: number;
  own_ns: number;
  waiting_ns: number | null;
  waits: { name: string; peer: number | null; ns: number; bytes: number; text: string }[]; // in calls of MPI, the longest first
  last: number;
  excess_ns: number;
  lateness: "none" | "imbalance" | "drift";
  cost_ns: number | null;
  cause: { kind: string; rows: LateRow[] } | null;
  work_group: number;
  step_own_ns: (number | null)[];
  step_waiting_ns: (number | null)[];
}

export interface Ranks {
  program: string;
  numbered_by_name: boolean;
  clock: "none" | "too_wide" | "known";
  clock_error_ns: number | null;
  waits_recorded: boolean; // waiting is what recorded calls of MPI took
  straggler: number | null; // ranks, not places
  typical: number | null;
  sentence: string;
  problems: string[];
  differences: string[];
  ranks: Rank[];
  steps: { last: number | null; skew_ns: number; arrivals: number[] | null }[];
}

export interface Runs {
  row: number[];
  start_ns: number[];
  length_ns: number[];
}

export interface Timelines {
  aligned: boolean; // to one clock; else each rank's from its own start of the step
  first: number | null; // the step to begin with
  ranks: { rank: number; rows: string[]; steps: Record<string, Runs> }[];
  left_out: string[];
}

export const resources = findResources(document);
export const ranks = signal<Ranks | null>(null);
export const timelines = signal<Timelines | null>(null);
export const failure = signal<string | null>(null);

async function json<T>(name: string): Promise<T> {
  const bytes = await resources.get(name);
  if (!bytes) throw new Error(`The page has no '${name}'.`);
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}

export async function load(): Promise<void> {
  try {
    ranks.value = await json<Ranks>("ranks");
    timelines.value = await json<Timelines>("rank_timelines");
  } catch (error) {
    failure.value = error instanceof Error ? error.message : String(error);
  }
}

// By step: the median of what ranks took for themselves, which cells are compared with.
export function stepMedians(all: Ranks): (number | null)[] {
  return all.steps.map((_, step) => {
    const times = all.ranks
      .map((rank) => rank.step_own_ns[step])
      .filter((ns): ns is number => ns != null)
      .sort((a, b) => a - b);
    return times.length === 0 ? null : times[Math.floor((times.length - 1) / 2)];
  });
}
