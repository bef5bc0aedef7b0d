// graph_model.ts - what the dependency view shows now: nodes with their sizes and times, edges, and where they lie.
import { Catalog } from "../data/catalog";
import { DependencySets } from "../data/dependency_sets";
import { TableOf, workKind } from "../data/tables";
import { argumentsOf } from "../data/uses";
import { Decided, decidedBy } from "./decisions";
import { EdgeMode, edgesBetween, GraphEdge } from "./graph_edges";
import { Layout, layOut } from "./layout";
import { GraphNode } from "./scope_tree";

export const nodeWidth = 176;
export const nodeHeight = 40;
export const bufferLine = 15;
const mostBufferLines = 10;

export interface ShownBuffer {
  buffer: number;
  access: number;
}

export interface ShownNode {
  node: GraphNode;
  time: number; // NaN: no command in it has times
  kernel: number; // that took most of it; -1: none
  buffers: ShownBuffer[]; // of an opened command
  decided: Decided | null; // of a command: what it decided
  isOnPath: boolean;
}

export interface GraphModel {
  nodes: ShownNode[];
  edges: GraphEdge[];
  isPathEdge: Uint8Array; // by edge: one step of the longest path
  layout: Layout;
  layoutMs: number;
}

interface Sources {
  catalog: Catalog;
  dependencies: TableOf<"dependencies">;
  sets: DependencySets;
  args: TableOf<"arguments">;
  isOnPath: Uint8Array; // by command
  pathCommands: Uint32Array; // in time
}

// Edges that the longest path goes along, from one of its commands to the next.
function pathEdges(nodes: GraphNode[], edges: GraphEdge[], { catalog, pathCommands }: Sources): Uint8Array {
  const nodeOf = new Int32Array(catalog.count).fill(-1),
    steps = new Set<number>();
  nodes.forEach((node, index) => nodeOf.fill(index, node.first, node.end));
  for (let at = 1; at < pathCommands.length; ++at)
    steps.add(nodeOf[pathCommands[at - 1]] * nodes.length + nodeOf[pathCommands[at]]);
  return Uint8Array.from(edges, ({ from, to }) => (steps.has(from * nodes.length + to) ? 1 : 0));
}

function describe(node: GraphNode, isOpen: boolean, { catalog, args, isOnPath }: Sources): ShownNode {
  const { own } = catalog.commands,
    times = new Map<number, number>();
  let time = NaN,
    onPath = false;
  for (let command = node.first; command < node.end; ++command) {
    onPath ||= isOnPath[command] === 1;
    if (Number.isNaN(own[command])) continue;
    time = (Number.isNaN(time) ? 0 : time) + own[command];
    const kernel = catalog.kernel(command);
    times.set(kernel, (times.get(kernel) ?? 0) + own[command]);
  }
  let kernel = catalog.kernel(node.first),
    most = -1;
  for (const [candidate, ns] of times) if (ns > most && candidate >= 0) [kernel, most] = [candidate, ns];
  const buffers: ShownBuffer[] = [];
  if (isOpen && node.kind === "command")
    for (const { buffer, access } of argumentsOf(node.first, catalog, args)) {
      const known = buffers.find((shown) => shown.buffer === buffer);
      if (known) known.access |= access;
      else if (buffer >= 0 && buffers.length < mostBufferLines) buffers.push({ buffer, access });
    }
  // What a choice ran is launched under its words.
  const mayDecide = node.kind === "command" && catalog.kind(node.first) !== workKind.launch;
  const decided = mayDecide ? decidedBy(catalog.label(node.first)) : null;
  return { node, time, kernel, buffers, decided, isOnPath: onPath };
}

export function modelOf(
  visible: GraphNode[],
  isOpen: (node: GraphNode) => boolean,
  mode: EdgeMode,
  sources: Sources,
): GraphModel {
  const nodes = visible.map((node) => describe(node, isOpen(node), sources));
  const edges = edgesBetween(visible, sources.catalog.count, sources.dependencies, sources.sets, mode);
  const before = performance.now();
  const layout = layOut({
    count: nodes.length,
    from: edges.map((edge) => edge.from),
    to: edges.map((edge) => edge.to),
    widths: nodes.map(() => nodeWidth),
    heights: nodes.map(({ buffers }) => nodeHeight + (buffers.length ? buffers.length * bufferLine + 4 : 0)),
  });
  const layoutMs = performance.now() - before;
  return { nodes, edges, isPathEdge: pathEdges(visible, edges, sources), layout, layoutMs };
}
