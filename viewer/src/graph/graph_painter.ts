// graph_painter.ts - draws the graph, and tells what lies where.
import { Catalog } from "../data/catalog";
import { dependencyKind, noIndex } from "../data/tables";
import { css, Palette } from "../text/colors";
import { countText, plural, sizeText, timeText } from "../text/units";
import { GraphEdge } from "./graph_edges";
import { bufferLine, GraphModel, nodeHeight, nodeWidth } from "./graph_model";

export interface Camera {
  x: number; // what lies at the left edge
  y: number;
  scale: number;
}

export interface GraphLook {
  palette: Palette;
  camera: Camera;
  catalog: Catalog;
  slots: number[];
  chosen: number; // node; -1: none
  showsPath: boolean;
  buffers: ReadonlySet<number>; // pinned, or selected: what goes through them stands out
  touches: Uint8Array; // by command: whether it reads or writes one of those
  wholeTime: number;
}

const font = "12px system-ui, sans-serif";
const smallFont = "11px system-ui, sans-serif";
const gutterGap = 46;

const heightOf = (model: GraphModel, node: number) => {
  const lines = model.nodes[node].buffers.length;
  return nodeHeight + (lines ? lines * bufferLine + 4 : 0);
};

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text;
}

// Of a path its end tells more.
function cutPath(text: string, most: number): string {
  return text.length > most && text.includes("/") ? `…${text.slice(text.length - most + 1)}` : cut(text, most);
}

function edgePath(context: CanvasRenderingContext2D, model: GraphModel, edge: number): void {
  const { edges, layout } = model,
    { from, to } = edges[edge];
  const x0 = layout.x[from] + nodeWidth / 2,
    y0 = layout.y[from] + heightOf(model, from);
  const x1 = layout.x[to] + nodeWidth / 2,
    y1 = layout.y[to];
  context.beginPath();
  if (layout.isLong[edge]) {
    // Out to the gutter, down, and back.
    const gutter = layout.width + gutterGap + (edge % 5) * 3,
      right0 = layout.x[from] + nodeWidth,
      right1 = layout.x[to] + nodeWidth;
    const from0 = layout.y[from] + nodeHeight / 2,
      to0 = layout.y[to] + nodeHeight / 2;
    context.moveTo(right0, from0);
    context.bezierCurveTo(gutter, from0, gutter, from0, gutter, from0 + 30);
    context.lineTo(gutter, to0 - 30);
    context.bezierCurveTo(gutter, to0, gutter, to0, right1, to0);
    return;
  }
  const bend = Math.max(14, (y1 - y0) / 2);
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1 - 4);
}

function arrow(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - 3.5, y - 6);
  context.lineTo(x + 3.5, y - 6);
  context.fill();
}

function drawEdge(context: CanvasRenderingContext2D, model: GraphModel, index: number, look: GraphLook): void {
  const { edges, layout } = model,
    edge: GraphEdge = edges[index],
    { palette } = look;
  const touches = look.chosen >= 0 && (edge.from === look.chosen || edge.to === look.chosen);
  const isPath = look.showsPath && model.isPathEdge[index] === 1;
  const isBuffer = look.buffers.size > 0 && edge.buffers.some((buffer) => look.buffers.has(buffer));
  const isLoud = touches || isPath || isBuffer;
  const isMissing = edge.kind === dependencyKind.missing;
  const color = isMissing
    ? css(palette.error)
    : isBuffer
      ? css(palette.warning)
      : isLoud
        ? css(palette.accent)
        : edge.kind === dependencyKind.data
          ? css([132, 141, 153], 0.75)
          : css([132, 141, 153], 0.5);
  context.strokeStyle = context.fillStyle = color;
  context.lineWidth = isMissing || isLoud ? 1.8 : 1;
  if (layout.isLong[index] && !isLoud && !isMissing) context.globalAlpha = 0.35;
  context.setLineDash(
    edge.kind === dependencyKind.order ? [5, 4] : edge.kind === dependencyKind.redundant ? [1.5, 3.5] : [],
  );
  edgePath(context, model, index);
  context.stroke();
  context.setLineDash([]);
  if (!layout.isLong[index]) arrow(context, layout.x[edge.to] + nodeWidth / 2, layout.y[edge.to]);
  if ((touches || isBuffer || isMissing) && look.camera.scale > 0.6 && !layout.isLong[index]) {
    const x = (layout.x[edge.from] + layout.x[edge.to] + nodeWidth) / 2,
      y = (layout.y[edge.from] + heightOf(model, edge.from) + layout.y[edge.to]) / 2;
    const text =
      edge.kind === dependencyKind.data && edge.bytes > 0
        ? sizeText(edge.bytes)
        : ["", "order", "missing", "redundant"][edge.kind];
    context.font = smallFont;
    const width = context.measureText(text).width;
    context.fillStyle = palette.background;
    context.fillRect(x - width / 2 - 3, y - 7, width + 6, 14);
    context.fillStyle = color;
    context.fillText(text, x - width / 2, y);
  }
  context.globalAlpha = 1;
}

// What decides.
function diamond(context: CanvasRenderingContext2D, x: number, y: number, color: string): void {
  context.fillStyle = color;
  context.beginPath();
  context.moveTo(x, y - 6);
  context.lineTo(x + 6, y);
  context.lineTo(x, y + 6);
  context.lineTo(x - 6, y);
  context.fill();
}

function drawNode(context: CanvasRenderingContext2D, model: GraphModel, index: number, look: GraphLook): void {
  const { node, time, kernel, buffers, decided, isOnPath } = model.nodes[index],
    { palette, catalog } = look;
  const x = model.layout.x[index],
    y = model.layout.y[index],
    height = heightOf(model, index);
  const isChosen = index === look.chosen;
  if (node.kind !== "command") {
    // A stack: there is more in it.
    context.fillStyle = palette.line;
    context.fillRect(x + 4, y + 4, nodeWidth, height);
  }
  context.fillStyle = palette.raised;
  context.fillRect(x, y, nodeWidth, height);
  context.fillStyle =
    kernel >= 0 ? css(palette.kernels[look.slots[kernel]]) : css(palette.kinds[catalog.kind(node.first)]);
  context.fillRect(x, y, 4, height);
  const left = decided || node.kind === "loop" || node.kind === "choice" ? x + 25 : x + 11;
  if (left > x + 11) diamond(context, x + 15, y + 13, css(palette.warning));
  let isHit = false;
  for (let command = node.first; command < node.end && look.buffers.size > 0 && !isHit; ++command)
    isHit = look.touches[command] === 1;
  context.strokeStyle = isChosen
    ? css(palette.accent)
    : isHit
      ? css(palette.warning)
      : look.showsPath && isOnPath
        ? css(palette.accent, 0.9)
        : palette.line;
  context.lineWidth = isChosen ? 2 : look.showsPath && isOnPath ? 1.6 : 1;
  context.strokeRect(x + 0.5, y + 0.5, nodeWidth - 1, height - 1);
  if (look.camera.scale < 0.28) return;
  context.textBaseline = "middle";
  context.font = font;
  context.fillStyle = palette.text;
  // The title of a loop that is a region tells its rounds.
  const isCounted = (node.kind === "loop" || node.count > 1) && node.region === noIndex,
    times = isCounted ? ` × ${node.count}` : "",
    room = (left > x + 11 ? 21 : 23) - times.length;
  const title = decided
    ? cut(decided.title, room)
    : node.outcome
      ? cut(node.title.slice(0, -node.outcome.length - 2), room)
      : cutPath(node.title, room);
  context.fillText(title + times, left, y + 13);
  context.font = smallFont;
  context.fillStyle = palette.dim;
  const duration = Number.isNaN(time) ? "no times" : timeText(time);
  const what = decided
    ? cut(`${decided.value}: ${decided.outcome}`, 18)
    : node.outcome
    ? cut(node.outcome, 18)
    : node.kind === "command"
      ? cut(node.title === catalog.action(node.first) ? `c${node.first}` : catalog.action(node.first), 14)
      : node.end - node.first < 10_000
        ? plural(node.end - node.first, "command")
        : `${countText(node.end - node.first)} cmds`;
  context.fillText(what, x + 11, y + 28);
  context.fillText(duration, x + nodeWidth - context.measureText(duration).width - 8, y + 28);
  if (!Number.isNaN(time) && look.wholeTime > 0) {
    context.fillStyle = css(palette.accent, 0.85);
    context.fillRect(x + 4, y + nodeHeight - 3, Math.max(1, (nodeWidth - 4) * Math.min(1, time / look.wholeTime)), 2);
  }
  buffers.forEach(({ buffer, access }, line) => {
    const at = y + nodeHeight + line * bufferLine + 7;
    context.fillStyle = look.buffers.has(buffer) ? css(palette.warning) : palette.dim;
    context.fillText(`${access & 1 ? "→" : "  "} ${cut(catalog.bufferName(buffer), 20)}`, x + 11, at);
    if (access & 2) context.fillText("→", x + nodeWidth - 18, at);
  });
}

export function drawGraph(
  context: CanvasRenderingContext2D,
  size: { width: number; height: number; ratio: number },
  model: GraphModel,
  look: GraphLook,
): number {
  const { camera, palette } = look,
    { layout } = model;
  context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
  context.fillStyle = palette.background;
  context.fillRect(0, 0, size.width, size.height);
  context.setTransform(
    size.ratio * camera.scale,
    0,
    0,
    size.ratio * camera.scale,
    -camera.x * camera.scale * size.ratio,
    -camera.y * camera.scale * size.ratio,
  );
  const right = camera.x + size.width / camera.scale,
    bottom = camera.y + size.height / camera.scale;
  context.textBaseline = "middle";
  let long = 0;
  const loud: number[] = [];
  model.edges.forEach((edge, index) => {
    if (layout.isLong[index]) ++long;
    const top = layout.y[edge.from],
      low = layout.y[edge.to] + nodeHeight;
    if (low < camera.y || top > bottom) return;
    if (edge.kind === dependencyKind.missing || edge.from === look.chosen || edge.to === look.chosen) loud.push(index);
    else drawEdge(context, model, index, look);
  });
  for (const index of loud) drawEdge(context, model, index, look); // above the others
  if (long > 0 && camera.scale > 0.3) {
    context.font = smallFont;
    context.fillStyle = palette.dim;
    context.fillText(
      plural(long, "long edge"),
      layout.width + gutterGap + 20,
      Math.max(camera.y + 16 / camera.scale, 12),
    );
  }
  let drawn = 0;
  for (let node = 0; node < model.nodes.length; ++node) {
    const x = layout.x[node],
      y = layout.y[node];
    if (x > right || x + nodeWidth < camera.x || y > bottom || y + heightOf(model, node) < camera.y) continue;
    drawNode(context, model, node, look);
    ++drawn;
  }
  return drawn;
}

// The node at a place of the canvas, and the buffer line in it.
export function hitGraph(
  model: GraphModel,
  camera: Camera,
  x: number,
  y: number,
): { node: number; buffer: number } | null {
  const atX = camera.x + x / camera.scale,
    atY = camera.y + y / camera.scale,
    { layout } = model;
  for (let node = 0; node < model.nodes.length; ++node) {
    const left = layout.x[node],
      top = layout.y[node];
    if (atX < left || atX > left + nodeWidth || atY < top || atY > top + heightOf(model, node)) continue;
    const line = Math.floor((atY - top - nodeHeight) / bufferLine);
    return { node, buffer: model.nodes[node].buffers[line]?.buffer ?? -1 };
  }
  return null;
}
