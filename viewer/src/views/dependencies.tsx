// dependencies.tsx - what waits for what: scopes that open into commands and their buffers.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Catalog, catalog as names } from "../data/catalog";
import { trace } from "../data/current";
import { DependencySets } from "../data/dependency_sets";
import { indexOf, Summary } from "../data/json";
import { slots } from "../data/kernel_colors";
import { CommandRegions, RegionTree } from "../data/region_tree";
import { dependencyKinds, noIndex, TableOf } from "../data/tables";
import { usesOf } from "../data/uses";
import { EdgeMode } from "../graph/graph_edges";
import { GraphModel, modelOf, nodeHeight, nodeWidth } from "../graph/graph_model";
import { Camera, drawGraph, hitGraph } from "../graph/graph_painter";
import { GraphNode, ScopeTree, visibleNodes } from "../graph/scope_tree";
import { focusedBuffer, focusedCommand } from "../state/focus";
import { publishCanvas } from "../state/hooks";
import { options, select, setOption } from "../state/page";
import { theme } from "../state/theme";
import { paletteOf } from "../text/colors";
import { countText, plural, timeText } from "../text/units";
import { useCanvas } from "../ui/canvas";
import { addKeys } from "../ui/keys";
import { BufferLink } from "../ui/links";
import { Failed, Nothing, Waiting } from "../ui/missing";

const shownAtFirst = 48; // nodes: as many as one takes in
const mostShown = 300; // beyond this a note says so
const mostLaidOut = 10_000;

// Kept while the page is open, so that coming back finds what one left.
const open = signal<ReadonlySet<string> | null>(null);
const pinned = signal<ReadonlySet<number>>(new Set());

// Opens what takes most time, as long as the whole stays easy to take in. A decision says most as one node.
function openedAtFirst(tree: ScopeTree, top: GraphNode[], timeOf: (node: GraphNode) => number): ReadonlySet<string> {
  const chosen = new Set<string>();
  let shown = [...top];
  for (;;) {
    const candidates = shown
      .filter(({ kind, count }) => kind !== "command" && kind !== "loop" && kind !== "choice" && !(kind === "fold" && count > 8))
      .sort((a, b) => timeOf(b) - timeOf(a));
    const next = candidates.find((node) => shown.length - 1 + tree.children(node).length <= shownAtFirst);
    if (!next) return chosen;
    chosen.add(next.key);
    shown = shown.flatMap((node) => (node === next ? tree.children(node) : [node]));
  }
}

export function DependenciesView({ summary }: { summary: Summary }) {
  const catalog = names.value,
    dependencies = trace.dependencies.value,
    sets = trace.dependencySets.value,
    path = trace.path.value,
    args = trace.arguments.value,
    regions = trace.regions.value,
    slotOf = slots.value;
  const error =
    names.error ??
    trace.dependencies.error ??
    trace.dependencySets.error ??
    trace.path.error ??
    trace.arguments.error ??
    trace.regions.error;
  if (error) return <Failed what="Dependencies" error={error} />;
  if (!catalog || !dependencies || !sets || !path || !args || !regions || !slotOf) return <Waiting what="dependencies" />;
  if (catalog.count === 0) return <Nothing>This document has no commands.</Nothing>;
  return (
    <Dependencies
      summary={summary}
      catalog={catalog}
      dependencies={dependencies}
      sets={sets}
      path={path}
      args={args}
      regions={regions}
      slotOf={slotOf}
    />
  );
}

interface Properties {
  summary: Summary;
  catalog: Catalog;
  dependencies: TableOf<"dependencies">;
  sets: DependencySets;
  path: TableOf<"path">;
  args: TableOf<"arguments">;
  regions: TableOf<"regions">;
  slotOf: number[];
}

function Dependencies({ summary, catalog, dependencies, sets, path, args, regions, slotOf }: Properties) {
  const mode: EdgeMode = options.value.edges === "sync" ? "sync" : options.value.edges === "data" ? "data" : "all";
  const showsPath = options.value.path !== "off";
  const [chosenKey, setChosenKey] = useState<string | null>(null);
  const [note, setNote] = useState("");
  const camera = useRef<Camera>({ x: 0, y: 0, scale: 1 });
  const drag = useRef<{ x: number; y: number; camera: Camera; isMoving: boolean } | null>(null);

  const tree = useMemo(() => {
    const decided = new RegionTree(regions, (text) => catalog.text(text));
    return new ScopeTree(
      catalog,
      summary.passes,
      decided.hasDecisions ? new CommandRegions(decided, catalog.commands) : null,
    );
  }, [catalog, summary, regions]);
  const top = useMemo(() => tree.top(), [tree]);
  const { pathCommands, isOnPath } = useMemo(() => {
    const steps = Uint32Array.from({ length: path.rows }, (_, step) => step).filter(
      (step) => path.kind[step] === 0 && path.command[step] !== noIndex,
    );
    const commands = steps.map((step) => path.command[step]),
      flags = new Uint8Array(catalog.count);
    for (const command of commands) flags[command] = 1;
    return { pathCommands: commands, isOnPath: flags };
  }, [catalog, path]);
  const timeOf = (node: GraphNode) => {
    let sum = 0;
    for (let command = node.first; command < node.end; ++command) sum += catalog.commands.own[command] || 0;
    return sum;
  };
  if (open.value === null) open.value = openedAtFirst(tree, top, timeOf);
  const opened = open.value;
  const visible = useMemo(() => visibleNodes(tree, top, (node) => opened.has(node.key)), [tree, top, opened]);
  const model: GraphModel = useMemo(
    () =>
      modelOf(visible, (node) => opened.has(node.key), mode, { catalog, dependencies, sets, args, isOnPath, pathCommands }),
    [visible, opened, mode, catalog, dependencies, sets, args, isOnPath],
  );
  const command = focusedCommand.value;
  const ofCommand =
    command >= 0 ? model.nodes.findIndex(({ node }) => command >= node.first && command < node.end) : -1;
  const chosen = chosenKey ? model.nodes.findIndex(({ node }) => node.key === chosenKey) : ofCommand;
  const buffer = focusedBuffer.value;
  const buffers = useMemo(
    () => new Set(buffer >= 0 ? [...pinned.value, buffer] : pinned.value),
    [buffer, pinned.value],
  );
  const touches = useMemo(() => {
    const flags = new Uint8Array(catalog.count);
    for (const touched of buffers) for (const user of usesOf(touched, catalog, args).commands) flags[user] = 1;
    return flags;
  }, [buffers, catalog, args]);
  useEffect(() => setChosenKey(null), [command]);

  const canvas = useCanvas((context, size) => {
    drawGraph(context, size, model, {
      palette: paletteOf(theme.value),
      camera: camera.current,
      catalog,
      slots: slotOf,
      chosen,
      showsPath,
      buffers,
      touches,
      wholeTime: summary.sum_ns,
    });
  });

  // --- looking ----------------------------------------------------------------------------------

  const fit = () => {
    const { width } = canvas.size.current,
      { layout } = model;
    // Names stay readable: what is too wide or too high is moved through, not made small.
    const scale = Math.min(1, Math.max(0.55, width / (layout.width + 120)));
    camera.current = {
      scale,
      x: layout.width / 2 + (layout.isLong.some(Boolean) ? 30 : 0) - width / scale / 2,
      y: -14 / scale,
    };
    canvas.request();
  };
  const lookAt = (node: number) => {
    if (node < 0) return;
    const { width, height } = canvas.size.current,
      { scale } = camera.current,
      { layout } = model;
    camera.current = {
      scale,
      x: layout.x[node] + nodeWidth / 2 - width / scale / 2,
      y: layout.y[node] + nodeHeight / 2 - height / scale / 2,
    };
    canvas.request();
  };
  const isInSight = (node: number) => {
    const { width, height } = canvas.size.current,
      { x, y, scale } = camera.current,
      { layout } = model;
    return (
      layout.x[node] > x &&
      layout.x[node] + nodeWidth < x + width / scale &&
      layout.y[node] > y &&
      layout.y[node] + nodeHeight < y + height / scale
    );
  };
  const wasFitted = useRef(false);
  useEffect(() => {
    if (wasFitted.current) return;
    wasFitted.current = true;
    requestAnimationFrame(fit);
  }, []);
  useEffect(() => {
    if (ofCommand >= 0 && !isInSight(ofCommand)) requestAnimationFrame(() => lookAt(ofCommand));
  }, [command]);

  // --- opening and closing ----------------------------------------------------------------------

  const toggle = (node: GraphNode) => {
    const next = new Set(opened);
    if (!next.delete(node.key)) next.add(node.key);
    const count = visibleNodes(tree, top, (candidate) => next.has(candidate.key)).length;
    if (count > mostLaidOut) return setNote(`That would show ${countText(count)} nodes at once. Close some first.`);
    setNote("");
    keepInPlace(node.first, () => (open.value = next));
  };
  const close = (node: GraphNode | null) => {
    if (!node) return;
    const next = new Set(opened);
    next.delete(node.key);
    setChosenKey(node.key);
    keepInPlace(node.first, () => (open.value = next));
  };
  // What was clicked stays where it is while all else moves.
  const anchor = useRef<{ command: number; x: number; y: number } | null>(null);
  const keepInPlace = (first: number, change: () => void) => {
    const node = model.nodes.findIndex(({ node: shown }) => first >= shown.first && first < shown.end),
      { x, y, scale } = camera.current;
    if (node >= 0)
      anchor.current = { command: first, x: (model.layout.x[node] - x) * scale, y: (model.layout.y[node] - y) * scale };
    change();
  };
  useEffect(() => {
    const held = anchor.current;
    anchor.current = null;
    if (!held) return;
    const node = model.nodes.findIndex(({ node: shown }) => held.command >= shown.first && held.command < shown.end);
    if (node < 0) return;
    const { scale } = camera.current;
    camera.current = { scale, x: model.layout.x[node] - held.x / scale, y: model.layout.y[node] - held.y / scale };
    canvas.request();
  }, [model]);

  const choose = (index: number) => {
    const { node } = model.nodes[index];
    if (node.kind === "command") {
      setChosenKey(null);
      select("command", node.first);
    } else setChosenKey(node.key);
  };

  // --- the pointer and keys ---------------------------------------------------------------------

  const zoom = (factor: number, x: number, y: number) => {
    const now = camera.current,
      scale = Math.max(0.04, Math.min(3, now.scale * factor));
    camera.current = { scale, x: now.x + x / now.scale - x / scale, y: now.y + y / now.scale - y / scale };
    canvas.request();
  };
  const move = (x: number, y: number) => {
    camera.current = {
      ...camera.current,
      x: camera.current.x + x / camera.current.scale,
      y: camera.current.y + y / camera.current.scale,
    };
    canvas.request();
  };
  const onPointerMove = (event: PointerEvent) => {
    const now = drag.current;
    if (!now) return;
    const [dx, dy] = [event.offsetX - now.x, event.offsetY - now.y];
    if (!now.isMoving && Math.abs(dx) + Math.abs(dy) < 4) return;
    now.isMoving = true;
    camera.current = {
      ...now.camera,
      x: now.camera.x - dx / now.camera.scale,
      y: now.camera.y - dy / now.camera.scale,
    };
    canvas.request();
  };
  const onPointerUp = (event: PointerEvent) => {
    const now = drag.current;
    drag.current = null;
    if (!now || now.isMoving) return;
    const hit = hitGraph(model, camera.current, event.offsetX, event.offsetY);
    if (!hit) return setChosenKey(null);
    if (hit.buffer >= 0) select("buffer", indexOf(catalog.buffers[hit.buffer].id));
    else choose(hit.node);
  };
  useEffect(() => {
    const element = canvas.ref.current!;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey || !event.shiftKey)
        zoom(1.0016 ** -event.deltaY, event.offsetX, event.offsetY);
      else move(event.deltaY || event.deltaX, 0);
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, []);
  const selectedNode = chosen >= 0 ? model.nodes[chosen].node : null;
  useEffect(
    () =>
      addKeys((event) => {
        const steps: Record<string, [number, number]> = { w: [0, -90], s: [0, 90], a: [-90, 0], d: [90, 0] };
        const step = steps[event.key.toLowerCase()];
        if (step) move(step[0], step[1]);
        else if (event.key === "Enter" && selectedNode) toggle(selectedNode);
        else if (event.key === "Backspace" && selectedNode) close(selectedNode.parent);
        else if (event.key === "f" || event.key === "F") {
          if (chosen >= 0 && !isInSight(chosen)) lookAt(chosen);
          else fit();
        } else if (event.key === "p" || event.key === "P") setOption("path", showsPath ? "off" : null);
        else return false;
        return true;
      }),
    [model, chosen, showsPath, opened],
  );

  useEffect(
    () =>
      publishCanvas("dependencies", {
        summary: () => ({
          nodes: model.nodes.map(({ node, time }, index) => ({
            key: node.key,
            kind: node.kind,
            title: node.title,
            first: node.first,
            end: node.end,
            count: node.count,
            time: Number.isNaN(time) ? null : time,
            x: (model.layout.x[index] - camera.current.x) * camera.current.scale,
            y: (model.layout.y[index] - camera.current.y) * camera.current.scale,
          })),
          edges: model.edges.map(({ from, to, kind, count }, index) => ({
            from,
            to,
            kind: dependencyKinds[kind],
            count,
            isLong: model.layout.isLong[index] === 1,
          })),
          layoutMs: model.layoutMs,
          scale: camera.current.scale,
        }),
        hit: (x, y) => {
          const hit = hitGraph(model, camera.current, x, y);
          return hit && { key: model.nodes[hit.node].node.key, buffer: hit.buffer };
        },
      }),
    [model],
  );

  const counts = useMemo(() => {
    const sums = dependencyKinds.map(() => 0);
    for (let row = 0; row < dependencies.rows; ++row) ++sums[dependencies.kind[row]];
    return sums;
  }, [dependencies]);
  return (
    <>
      <div class="toolbar">
        <span class="choice" role="group" aria-label="Edges">
          {(["all", "sync", "data"] as const).map((name) => (
            <button
              key={name}
              class={mode === name ? "button on" : "button"}
              aria-pressed={mode === name}
              onClick={() => setOption("edges", name === "all" ? null : name)}
            >
              {name}
            </button>
          ))}
        </span>
        <button
          class={showsPath ? "button on" : "button"}
          aria-pressed={showsPath}
          onClick={() => setOption("path", showsPath ? "off" : null)}
          title="Critical path (P)"
        >
          critical path
        </button>
        <button class="button" onClick={fit} title="Fit (F)">
          fit
        </button>
        <button
          class="button"
          disabled={!selectedNode}
          onClick={() => selectedNode && toggle(selectedNode)}
          title="Open or close what is selected (Enter)"
        >
          {selectedNode && opened.has(selectedNode.key)
            ? "hide buffers"
            : selectedNode?.kind === "command"
              ? "show buffers"
              : "open"}
        </button>
        <button
          class="button"
          disabled={!selectedNode?.parent}
          onClick={() => close(selectedNode?.parent ?? null)}
          title="Close what it is in (Backspace)"
        >
          close {selectedNode?.parent ? `'${selectedNode.parent.title.slice(0, 24)}'` : "its scope"}
        </button>
        <button class="button" onClick={() => (open.value = new Set())}>
          close all
        </button>
        {buffer >= 0 && !pinned.value.has(buffer) && (
          <button class="button" onClick={() => (pinned.value = new Set([...pinned.value, buffer]))}>
            pin {catalog.buffers[buffer].id}
          </button>
        )}
        {[...pinned.value].map((pin) => (
          <span key={pin} class="pin">
            <BufferLink buffer={pin} />{" "}
            <button
              aria-label={`Unpin ${catalog.buffers[pin].id}`}
              onClick={() => (pinned.value = new Set([...pinned.value].filter((other) => other !== pin)))}
            >
              ×
            </button>
          </span>
        ))}
      </div>
      <p class="strip-line edge-legend">
        <span>
          <i class="edge data" /> data <span class="dim">{countText(counts[0])}</span>
        </span>
        <span>
          <i class="edge order" /> order only <span class="dim">{countText(counts[1])}</span>
        </span>
        <span>
          <i class="edge missing" /> missing <b class={counts[2] > 0 ? "failed-text" : "dim"}>{countText(counts[2])}</b>
        </span>
        <span>
          <i class="edge redundant" /> redundant <span class="dim">{countText(counts[3])}</span>
        </span>
        <span class="dim">
          {plural(visible.length, "node")}, {plural(model.edges.length, "edge")} of {plural(catalog.count, "command")}
        </span>
        {visible.length > mostShown && <span class="warn">more than one takes in: Backspace closes</span>}
        {note && (
          <span class="warn" role="status">
            {note}
          </span>
        )}
      </p>
      <canvas
        ref={canvas.ref}
        class="graph-canvas"
        tabIndex={0}
        role="img"
        aria-label={`Dependencies of ${plural(visible.length, "node")}; listed below`}
        onPointerDown={(event) => {
          drag.current = { x: event.offsetX, y: event.offsetY, camera: camera.current, isMoving: false };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onDblClick={(event) => {
          const hit = hitGraph(model, camera.current, event.offsetX, event.offsetY);
          if (hit) toggle(model.nodes[hit.node].node);
        }}
      />
      <ul class="hidden" aria-label="Nodes">
        {model.nodes.slice(0, mostShown).map(({ node, time }, index) => (
          <li key={node.key}>
            <button tabIndex={-1} onClick={() => choose(index)}>
              {node.title}
              {node.count > 1 && node.region === noIndex ? ` × ${node.count}` : ""}, {Number.isNaN(time) ? "no times" : timeText(time)}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
