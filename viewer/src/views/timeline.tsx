// timeline.tsx - when everything happened: host, devices, kernels, memory, on one axis.
import { useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Catalog, catalog as names } from "../data/catalog";
import { trace } from "../data/current";
import { Summary } from "../data/json";
import { slots } from "../data/kernel_colors";
import { Lazy } from "../data/lazy";
import { RegionTree } from "../data/region_tree";
import { usesOf } from "../data/uses";
import { focusedBuffer, focusedCommand, focusedKernel, focusedStream } from "../state/focus";
import { publishCanvas } from "../state/hooks";
import { range, select, selection } from "../state/page";
import { theme } from "../state/theme";
import { Selection, TimeRange } from "../state/url";
import { css, paletteOf } from "../text/colors";
import { plural, timeText } from "../text/units";
import { useTimeKeys, wheelTime } from "../timeline/navigation";
import { hitTest, Painter, PlacedRow } from "../timeline/painter";
import { RangePanel } from "../timeline/range_panel";
import { folded, RowSource, TimelineData, unlimited } from "../timeline/rows";
import { ticks } from "../timeline/ticks";
import { Tip } from "../timeline/tip";
import { laneHeight, lanePadding, Row, Thing } from "../timeline/track";
import { viewport } from "../timeline/viewport";
import { useCanvas } from "../ui/canvas";
import { addKeys } from "../ui/keys";
import { Failed, Nothing, Waiting } from "../ui/missing";

const axisHeight = 26;
const dragStarts = 4; // pixels

const timelineRows = new Lazy(async () => {
  const [catalog, summary, slotOf, calls, regions, overheads, intervals, gaps, path, memory, depth] = await Promise.all([
    names.promise(),
    trace.summary.promise(),
    slots.promise(),
    trace.calls.promise(),
    trace.regions.promise(),
    trace.overheads.promise(),
    trace.intervals.promise(),
    trace.gaps.promise(),
    trace.path.promise(),
    trace.memory.promise(),
    trace.depth.promise(),
  ]);
  const regionTree = new RegionTree(regions, (text) => catalog.text(text));
  return new RowSource({ catalog, summary, slots: slotOf, calls, regions, regionTree, overheads, intervals, gaps, path, memory, depth });
});

function place(rows: Row[]): PlacedRow[] {
  let y = 0;
  return rows.map((row) => {
    const placed = { row, y };
    y += row.height;
    return placed;
  });
}

// Where on the page a thing lies; null where its row isn't shown.
function placeOf(rows: PlacedRow[], key: string, lane: number): number | null {
  const found = rows.find(({ row }) => row.key === key);
  return found ? found.y + lanePadding + lane * laneHeight + laneHeight / 2 : null;
}

export function spanOf(catalog: Catalog, command: number): TimeRange | null {
  const { started, ended } = catalog.commands;
  return command >= 0 && command < catalog.count && ended[command] >= started[command]
    ? { begin: started[command], end: ended[command] }
    : null;
}

export function TimelineView({ summary }: { summary: Summary }) {
  const source = timelineRows.value;
  if (timelineRows.error) return <Failed what="The timeline" error={timelineRows.error} />;
  if (!source) return <Waiting what="the timeline" />;
  if (summary.span_ns === 0 && source.data.catalog.count === 0)
    return <Nothing>This document has no commands.</Nothing>;
  return <Timeline summary={summary} source={source} />;
}

const isSelected = ({ kind, number }: Selection) => selection.value?.kind === kind && selection.value.number === number;

function Labels({ rows, scroll, height }: { rows: PlacedRow[]; scroll: number; height: number }) {
  return (
    <>
      {rows
        .filter(({ row, y }) => y + row.height > scroll - 100 && y < scroll + height + 100)
        .map(({ row, y }) => (
          <div
            key={row.key}
            class={row.level === 0 ? "tl-label head" : "tl-label"}
            style={{ top: `${y}px`, height: `${row.height}px` }}
            title={row.hint}
          >
            {row.action ? (
              <button onClick={row.action} aria-expanded={row.isFoldable ? !row.isFolded : undefined}>
                {row.isFoldable && <i aria-hidden="true">{row.isFolded ? "▸" : "▾"}</i>}
                <span>{row.title}</span>
              </button>
            ) : row.subject ? (
              <button
                class={isSelected(row.subject) ? "named on" : "named"}
                onClick={() => select(row.subject!.kind, row.subject!.number)}
              >
                <span>{row.title}</span>
              </button>
            ) : (
              <span>{row.title}</span>
            )}
            <small>{row.detail}</small>
          </div>
        ))}
    </>
  );
}

function Timeline({ summary, source }: { summary: Summary; source: RowSource }) {
  const { catalog, gaps } = source.data;
  const scroller = useRef<HTMLDivElement>(null);
  const painter = useMemo(() => new Painter(), []);
  const [scroll, setScroll] = useState(0);
  const [bodyHeight, setBodyHeight] = useState(400);
  const [hover, setHover] = useState<{ thing: Thing; x: number; y: number } | null>(null);
  const drag = useRef<{ x: number; begin: number; isPan: boolean; isMoving: boolean; window: TimeRange } | null>(null);
  const pointer = useRef<number | null>(null); // its time
  viewport.setSpan(summary.span_ns);

  const buffer = focusedBuffer.value;
  const args = buffer >= 0 ? trace.arguments.value : undefined;
  const uses = useMemo(() => (buffer >= 0 && args ? usesOf(buffer, catalog, args) : null), [buffer, args, catalog]);
  const rows = useMemo(() => place(source.rows(buffer, uses)), [source, uses, buffer, folded.value, unlimited.value]);
  const totalHeight = rows.length ? rows[rows.length - 1].y + rows[rows.length - 1].row.height : 0;
  const emphasis = useComputed(() => {
    const kernel = selection.value?.kind === "kernel" ? focusedKernel.value : -1,
      stream = focusedStream.value;
    if (kernel >= 0) return (command: number) => catalog.kernel(command) === kernel;
    if (stream >= 0) return (command: number) => catalog.commands.stream[command] === stream;
    return null;
  });

  const timeAt = (x: number) => {
    const { begin, end } = viewport.window.peek();
    return begin + (x / canvas.size.current.width) * (end - begin);
  };

  const axis = useCanvas((context, { width, height, ratio }) => {
    const palette = paletteOf(theme.value),
      window = viewport.window.value;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = palette.panel;
    context.fillRect(0, 0, width, height);
    const scale = width / (window.end - window.begin);
    const chosen = range.value;
    if (chosen) {
      context.fillStyle = css(palette.accent, 0.3);
      context.fillRect((chosen.begin - window.begin) * scale, 0, (chosen.end - chosen.begin) * scale, height);
    }
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const { time, text } of ticks(window.begin, window.end, width, 110)) {
      const x = Math.round((time - window.begin) * scale) + 0.5;
      context.fillStyle = palette.line;
      context.fillRect(x, height - 7, 1, 7);
      context.fillStyle = palette.dim;
      context.fillText(text, x + 4, height / 2);
    }
  });

  const canvas = useCanvas((context, { width, height, ratio }) => {
    const palette = paletteOf(theme.value),
      window = viewport.window.value,
      command = focusedCommand.value;
    const scale = width / (window.end - window.begin);
    painter.draw({ context, width, height, ratio, window, palette, scroll, rows, isEmphasized: emphasis.value });
    for (const { time } of ticks(window.begin, window.end, width, 110)) {
      context.fillStyle = css([128, 128, 128], 0.13);
      context.fillRect(Math.round((time - window.begin) * scale), 0, 1, height);
    }
    const chosen = range.value;
    if (chosen) {
      const from = (chosen.begin - window.begin) * scale,
        to = (chosen.end - window.begin) * scale;
      context.fillStyle = css(palette.accent, 0.1);
      context.fillRect(from, 0, to - from, height);
      context.fillStyle = css(palette.accent, 0.8);
      context.fillRect(from, 0, 1, height);
      context.fillRect(to, 0, 1, height);
    }
    if (command >= 0 && command < catalog.count) drawSelected(context, width, window, command);
  });

  function drawSelected(context: CanvasRenderingContext2D, width: number, window: TimeRange, command: number): void {
    const palette = paletteOf(theme.peek()),
      scale = width / (window.end - window.begin);
    const { call_end, started } = catalog.commands,
      span = spanOf(catalog, command);
    context.strokeStyle = palette.text;
    context.lineWidth = 1.5;
    for (const { row, y } of span ? rows : []) {
      const lane = row.owns?.({ kind: "command", index: command }) ?? -1;
      if (lane < 0) continue;
      const x = (span!.begin - window.begin) * scale,
        w = Math.max(2, (span!.end - span!.begin) * scale);
      context.strokeRect(x - 0.5, y - scroll + lanePadding + lane * laneHeight - 0.5, w + 1, laneHeight);
    }
    // From the call that gave it to where it ran.
    const thread = rows.find(({ row }) => row.key === source.threadKey(command));
    const callLane = thread?.row.lanes?.().findIndex((track) => track.kind === "call") ?? -1;
    const from = thread && callLane >= 0 ? placeOf(rows, thread.row.key, callLane) : null;
    const to = placeOf(rows, `stream ${catalog.commands.stream[command]}`, catalog.commands.lane[command]);
    if (!span || from === null || to === null || Number.isNaN(call_end[command])) return;
    const [x0, y0] = [(call_end[command] - window.begin) * scale, from - scroll + laneHeight / 2];
    const [x1, y1] = [(started[command] - window.begin) * scale, to - scroll - laneHeight / 2];
    const bend = Math.max(12, (y1 - y0) / 2);
    context.strokeStyle = css(palette.accent);
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
    context.stroke();
    context.fillStyle = css(palette.accent);
    context.beginPath();
    context.moveTo(x1, y1 + 1);
    context.lineTo(x1 - 3.5, y1 - 6);
    context.lineTo(x1 + 3.5, y1 - 6);
    context.fill();
  }

  const hit = (x: number, y: number) => hitTest(rows, viewport.window.peek(), canvas.size.current.width, scroll, x, y);

  function choose(thing: Thing | null): void {
    const { path, calls } = source.data;
    if (!thing) return;
    if (thing.kind === "command" || thing.kind === "use") select("command", thing.index);
    else if (thing.kind === "call") select("call", thing.index);
    else if (thing.kind === "step" && path.command[thing.index] < catalog.count)
      select("command", path.command[thing.index]);
    else if (thing.kind === "interval") {
      const { begin, end, first } = source.data.intervals;
      range.value = { begin: begin[thing.index], end: end[thing.index] };
      select("command", first[thing.index]);
    } else if (thing.kind === "gap") {
      range.value = { begin: gaps.begin[thing.index], end: gaps.end[thing.index] };
      if (gaps.call[thing.index] < calls.rows) select("call", gaps.call[thing.index]);
    } else if (thing.kind === "region")
      range.value = { begin: source.data.regions.begin[thing.index], end: source.data.regions.end[thing.index] };
  }

  // --- the pointer ------------------------------------------------------------------------------

  const local = (event: MouseEvent) => {
    const box = canvas.ref.current!.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const onPointerDown = (event: PointerEvent) => {
    if (event.button > 1) return;
    const { x } = local(event);
    drag.current = {
      x,
      begin: timeAt(x),
      isPan: event.shiftKey || event.button === 1,
      isMoving: false,
      window: viewport.window.peek(),
    };
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    event.preventDefault();
    scroller.current?.focus({ preventScroll: true });
  };
  const onPointerMove = (event: PointerEvent) => {
    const { x, y } = local(event),
      now = drag.current;
    pointer.current = timeAt(x);
    if (!now) {
      const found = event.currentTarget === canvas.ref.current ? hit(x, y)?.thing : null;
      setHover(found ? { thing: found, x: event.clientX, y: event.clientY } : null);
      return;
    }
    if (!now.isMoving && Math.abs(x - now.x) < dragStarts) return;
    now.isMoving = true;
    setHover(null);
    if (now.isPan) {
      const shift = ((now.x - x) / canvas.size.current.width) * (now.window.end - now.window.begin);
      viewport.set(now.window.begin + shift, now.window.end + shift);
    } else {
      const time = timeAt(x),
        begin = Math.max(0, Math.min(now.begin, time)),
        end = Math.max(now.begin, time);
      if (end > begin) range.value = { begin, end };
    }
  };
  const onPointerUp = (event: PointerEvent) => {
    const now = drag.current;
    drag.current = null;
    if (!now || now.isMoving || event.button !== 0) return;
    const { x, y } = local(event);
    const thing = event.currentTarget === canvas.ref.current ? (hit(x, y)?.thing ?? null) : null;
    if (thing) choose(thing);
    else if (range.peek()) range.value = null;
    else selection.value = null;
  };
  const onWheel = (event: WheelEvent) => {
    const body = scroller.current!;
    if (wheelTime(event, timeAt(local(event).x), body.scrollHeight > body.clientHeight + 1)) event.preventDefault();
  };
  useEffect(() => {
    const body = scroller.current!;
    body.addEventListener("wheel", onWheel, { passive: false });
    const observer = new ResizeObserver(() => setBodyHeight(body.clientHeight));
    observer.observe(body);
    return () => {
      body.removeEventListener("wheel", onWheel);
      observer.disconnect();
    };
  }, []);

  // --- keys -------------------------------------------------------------------------------------

  useTimeKeys(() => pointer.current);
  const stepCommand = (step: number) => {
    const { stream } = catalog.commands;
    const now = focusedCommand.peek();
    const home = now >= 0 ? stream[now] : focusedStream.peek();
    let next = now < 0 ? (step > 0 ? 0 : catalog.count - 1) : now + step;
    while (next >= 0 && next < catalog.count && home >= 0 && stream[next] !== home) next += step;
    if (next < 0 || next >= catalog.count) return;
    select("command", next);
    const span = spanOf(catalog, next);
    if (span) viewport.reveal(span.begin, span.end);
  };
  const frameIt = () => {
    const wanted = range.peek() ?? spanOf(catalog, focusedCommand.peek());
    const { begin, end } = viewport.window.peek();
    if (!wanted) return viewport.showAll();
    viewport.show(wanted.begin, wanted.end);
    const now = viewport.window.peek();
    if (now.begin === begin && now.end === end) viewport.showAll(); // a second time: back
  };
  useEffect(
    () =>
      addKeys((event) => {
        if (event.key === "f" || event.key === "F") frameIt();
        else if (event.key === "[") stepCommand(-1);
        else if (event.key === "]") stepCommand(1);
        else return false;
        return true;
      }),
    [catalog],
  );

  // A selection made elsewhere is brought into sight.
  useEffect(() => {
    const span = spanOf(catalog, focusedCommand.value);
    if (span) viewport.reveal(span.begin, span.end);
  }, [focusedCommand.value]);

  useEffect(
    () =>
      publishCanvas("timeline", {
        summary: () => ({
          rows: rows.map(({ row, y }) => ({
            key: row.key,
            title: row.title,
            y,
            height: row.height,
            note: row.note ?? null,
            events: row.lanes && !row.note ? row.lanes().reduce((sum, track) => sum + track.pyramid.count, 0) : null,
          })),
          window: viewport.window.peek(),
          scroll,
          drawn: painter.drawn,
          width: canvas.size.current.width,
        }),
        hit: (x, y) => {
          const found = hit(x, y);
          return found && { row: found.row.key, thing: found.thing };
        },
        show: (begin: number, end: number) => viewport.set(begin, end),
        // Draws at once; for measuring.
        frame: (begin: number, end: number) => {
          viewport.set(begin, end);
          canvas.now();
          return painter.drawn.ms;
        },
      }),
    [rows, scroll],
  );

  const untimed = summary.streams.reduce((sum, stream) => sum + stream.commands - stream.timed, 0);
  return (
    <div class="timeline">
      <div class="tl-axis">
        <span class="tl-corner">
          <button
            onClick={() => viewport.zoom(0.5, (viewport.window.peek().begin + viewport.window.peek().end) / 2)}
            aria-label="Zoom in"
            title="Zoom in (W)"
          >
            +
          </button>
          <button
            onClick={() => viewport.zoom(2, (viewport.window.peek().begin + viewport.window.peek().end) / 2)}
            aria-label="Zoom out"
            title="Zoom out (S)"
          >
            −
          </button>
          <button onClick={() => viewport.showAll()} title="Show everything">
            all
          </button>
          <Shown />
        </span>
        <canvas
          ref={axis.ref}
          style={{ height: `${axisHeight}px` }}
          role="img"
          aria-label="Time axis: drag to choose a range"
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
        />
      </div>
      <div
        class="tl-body"
        ref={scroller}
        tabIndex={0}
        aria-label="Timeline rows"
        onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
      >
        <div class="tl-sheet" style={{ height: `${Math.max(totalHeight, bodyHeight)}px` }}>
          <canvas
            ref={canvas.ref}
            class="tl-canvas"
            style={{ height: `${bodyHeight}px` }}
            role="img"
            aria-label={`Timeline of ${plural(catalog.count, "command")} over ${timeText(summary.span_ns)}; rows: ${rows
              .map(({ row }) => row.title)
              .slice(0, 40)
              .join(", ")}`}
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
            onPointerLeave={() => setHover(null)}
            onDblClick={(event) => {
              const { x, y } = local(event),
                thing = hit(x, y)?.thing;
              const span =
                thing && (thing.kind === "command" || thing.kind === "use")
                  ? spanOf(catalog, thing.index)
                  : range.peek();
              if (span) viewport.show(span.begin, span.end);
            }}
          />
          <Labels rows={rows} scroll={scroll} height={bodyHeight} />
        </div>
      </div>
      {untimed > 0 && (
        <p class="tl-note">
          {plural(untimed, "command")} of {catalog.count} have no times, so they are not drawn.
        </p>
      )}
      <RangePanel summary={summary} catalog={catalog} gaps={gaps} />
      {hover && <FloatingTip {...hover} data={source.data} />}
    </div>
  );
}

// How much of time is shown; a component of its own, as it changes with every frame.
function Shown() {
  const { begin, end } = viewport.window.value;
  return <small>{timeText(end - begin)}</small>;
}

function FloatingTip({ thing, x, y, data }: { thing: Thing; x: number; y: number; data: TimelineData }) {
  const left = Math.min(x + 14, innerWidth - 340),
    above = y > innerHeight - 220;
  return (
    <div
      class="tip"
      role="tooltip"
      style={
        above ? { left: `${left}px`, bottom: `${innerHeight - y + 10}px` } : { left: `${left}px`, top: `${y + 16}px` }
      }
    >
      <Tip thing={thing} data={data} />
    </div>
  );
}
