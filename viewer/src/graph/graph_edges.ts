// graph_edges.ts - dependencies of commands as edges between what is seen.
import { DependencySets } from "../data/dependency_sets";
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
  sets: DependencySets,
  mode: EdgeMode,
): GraphEdge[] {
  const nodeOf = new Int32Array(commandCount).fill(-1);
  nodes.forEach((node, index) => nodeOf.fill(index, node.first, node.end));
  const found = new Map<number, GraphEdge>();
  const add = (row: number, from: number, to: number, bytes: number) => {
    if (from < 0 || to < 0 || from === to) return;
    const kind = table.kind[row],
      key = from * nodes.length + to;
    let edge = found.get(key);
    if (!edge) found.set(key, (edge = { from, to, kind, count: 0, bytes: 0, buffers: [] }));
    ++edge.count;
    edge.bytes += bytes;
    if (rank[kind] > rank[edge.kind]) edge.kind = kind;
    const buffer = table.buffer[row];
    if (buffer !== noIndex && edge.buffers.length < mostBuffers && !edge.buffers.includes(buffer))
      edge.buffers.push(buffer);
  };
  const nodesOfSet = sets.groupsOf(nodeOf);
  for (let row = 0; row < table.rows; ++row) {
    if (!isShown(mode, table.kind[row])) continue;
    const to = nodeOf[table.to[row]] ?? -1,
      set = table.from_set[row];
    if (set === noIndex) add(row, nodeOf[table.from[row]] ?? -1, to, table.bytes[row]);
    // How many bytes are from which of several isn't told.
    else for (const from of nodesOfSet[set]) add(row, from, to, nodesOfSet[set].length === 1 ? table.bytes[row] : 0);
  }
  return [...found.values()];
}
