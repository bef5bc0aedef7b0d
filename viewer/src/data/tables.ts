// tables.ts - the columns of each table of docs/page.md.
import type { Schema, Table } from "./columns";

export const noIndex = 0xffffffff; // of an index: there is none

const schema = <S extends Schema>(columns: S): S => columns;

export const schemas = {
  commands: schema({
    work: "u32",
    stream: "u32",
    thread: "u32",
    launch: "u32",
    node: "u32",
    lane: "u16",
    call_begin: "f64",
    call_end: "f64",
    queued: "f64",
    submitted: "f64",
    started: "f64",
    ended: "f64",
    own: "f64",
  }),
  works: schema({
    kind: "u8",
    kernel: "u32",
    graph: "u32",
    label: "u32",
    scope: "u32",
    groups_x: "u32",
    groups_y: "u32",
    groups_z: "u32",
    group_x: "u32",
    group_y: "u32",
    group_z: "u32",
    offset_x: "u32",
    offset_y: "u32",
    offset_z: "u32",
    items_x: "u32",
    items_y: "u32",
    items_z: "u32",
    dimensions: "u32",
    first_argument: "u32",
    argument_count: "u32",
    pattern: "u32",
  }),
  arguments: schema({ kind: "u8", access: "u8", buffer: "u32", offset: "f64", size: "f64", view: "u32", value: "u32" }),
  calls: schema({ name: "u32", thread: "u32", command: "u32", peer: "u32", begin: "f64", end: "f64", bytes: "f64" }),
  regions: schema({ kind: "u8", number: "u32", name: "u32", thread: "u32", begin: "f64", end: "f64", parent: "u32" }),
  overheads: schema({ kind: "u8", thread: "u32", begin: "f64", end: "f64", bytes: "f64" }),
  intervals: schema({ first: "u32", count: "u32", stream: "u32", begin: "f64", end: "f64" }),
  gaps: schema({ device: "u32", cause: "u8", begin: "f64", end: "f64", before: "u32", after: "u32", call: "u32", after_wait: "u32", period: "u32" }),
  dependencies: schema({ from: "u32", to: "u32", buffer: "u32", kind: "u8", bytes: "f64", from_set: "u32" }),
  dependency_sets: schema({ set_number: "u32", command: "u32", inner_set: "u32" }),
  path: schema({ kind: "u8", command: "u32", begin: "f64", end: "f64" }),
  memory: schema({ time: "f64", bytes: "f64" }),
  depth: schema({ time: "f64", stream: "u32", commands: "u32" }),
  contents: schema({
    role: "u8",
    stored: "u8",
    command: "u32",
    buffer: "u32",
    offset: "f64",
    size: "f64",
    page_count: "u32",
    hash_low: "u32",
    hash_high: "u32",
  }),
};
export type TableName = keyof typeof schemas;
export type TableOf<N extends TableName> = Table<(typeof schemas)[N]>;

export const workKinds = ["dispatch", "copy", "fill", "write", "read", "host_call", "barrier", "launch", "opaque", "unknown"];
export const workKind = {
  dispatch: 0,
  copy: 1,
  fill: 2,
  write: 3,
  read: 4,
  host_call: 5,
  barrier: 6,
  launch: 7,
  opaque: 8,
  unknown: 9,
};
export const idleCauses = [
  "host",
  "sync",
  "wakeup",
  "dependency",
  "build",
  "allocation",
  "transfer",
  "launch",
  "capture",
  "unknown",
];
export const dependencyKinds = ["data", "order", "missing", "redundant"];
export const dependencyKind = { data: 0, order: 1, missing: 2, redundant: 3 };
export const pathKinds = ["command", "host", "delay"];
export const contentRoles = ["input", "written", "check"];
export const overheadKinds = ["inputs", "checks", "waiting", "starting", "stopping", "commands", "writing", "reading"];
export const argumentKinds = ["buffer", "value", "shared", "indirect", "sampler", "null", "opaque", "image", "run_if", "run_unless"];
export const regionKind = { pass: 0, named: 1, launch: 2, if: 3, while: 4, switch: 5, repeat: 6, branch: 7, round: 8 };
