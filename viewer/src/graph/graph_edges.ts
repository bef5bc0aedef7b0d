// graph_edges.ts - dependencies of commands as edges between what is seen.
import { dependencyKind, noIndex, TableOf } from "../data/tables";
import { GraphNode } from "./scope_tree";

export type EdgeMode = "all" | "sync" | "data";

export interface GraphEdge {
  from: number; // nodes
  to: number;
  kind: number; // the gravest of its dependencies: missing, data, order, redundant
  count: number;
  bytes: number;
  buffers: number[]; // some of those it goes through
}

const mostBuffers = 24;
// Which kind an edge is drawn as when it has several.
const rank = [2, 1, 3, 0]; // by DependencyKind

const isShown = (mode: EdgeMode, kind: number) =>
  mode === "all" || kind === dependencyKind.missing || (mode === "data") === (kind === dependencyKind.data);

export function edgesBetween(
  nodes: GraphNode[],
  commandCount: number,
  table: TableOf<"dependencies">,
  mode: EdgeMode,
): GraphEdge[] {
  const nodeOf = new Int32Array(commandCount).fill(-1);
  nodes.forEach((node, index) => nodeOf.fill(index, node.first, node.end));
  const found = new Map<number, GraphEdge>();
  for (let row = 0; row < table.rows; ++row) {
    const kind = table.kind[row];
    if (!isShown(mode, kind)) continue;
    const from = nodeOf[table.from[row]] ?? -1,
      to = nodeOf[table.to[row]] ?? -1;
    if (from < 0 || to < 0 || from === to) continue;
    const key = from * nodes.length + to;
    let edge = found.get(key);
    if (!edge) found.set(key, (edge = { from, to, kind, count: 0, bytes: 0, buffers: [] }));
    ++edge.count;
    edge.bytes += table.bytes[row];
    if (rank[kind] > rank[edge.kind]) edge.kind = kind;
    const buffer = table.buffer[row];
    if (buffer !== noIndex && edge.buffers.length < mostBuffers && !edge.buffers.includes(buffer))
      edge.buffers.push(buffer);
  }
  return [...found.values()];
}
