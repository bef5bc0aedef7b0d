// memory.tsx - what was allocated, when, and for how long nobody used it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Catalog, catalog as names } from "../data/catalog";
import { trace } from "../data/current";
import { Buffer, indexOf, Summary } from "../data/json";
import { TableOf } from "../data/tables";
import { focusedBuffer } from "../state/focus";
import { publishCanvas } from "../state/hooks";
import { goTo, range, select } from "../state/page";
import { theme } from "../state/theme";
import { css, paletteOf, Rgb } from "../text/colors";
import { countText, plural, shareText, sizeText, timeText, unknown } from "../text/units";
import { useTimeKeys, wheelTime } from "../timeline/navigation";
import { StepCurve } from "../timeline/step_curve";
import { ticks } from "../timeline/ticks";
import { viewport } from "../timeline/viewport";
import { useCanvas } from "../ui/canvas";
import { addKeys } from "../ui/keys";
import { Failed, Nothing, Waiting } from "../ui/missing";
import { Column, VirtualTable } from "../ui/virtual_table";

const mostBands = 20;
const axisHeight = 20;
const leftMargin = 74;

// One buffer as a band: alive from to, used from to. Times within the span.
interface Life {
  from: number;
  to: number;
  usedFrom: number; // NaN: never, or no times
  usedTo: number;
}

function lifeOf(buffer: Buffer, catalog: Catalog, span: number): Life {
  const { started, ended, call_begin } = catalog.commands;
  const first = indexOf(buffer.first),
    last = indexOf(buffer.last);
  return {
    from: buffer.alive_from ?? 0,
    to: buffer.alive_to ?? span,
    usedFrom: first < 0 ? NaN : Number.isNaN(started[first]) ? call_begin[first] : started[first],
    usedTo: last < 0 ? NaN : ended[last],
  };
}

// Time it was allocated and not, or no longer, in use. NaN where the document doesn't tell.
const deadBefore = (life: Life) => Math.max(0, life.usedFrom - life.from);
const deadAfter = (life: Life) => Math.max(0, life.to - life.usedTo);

function bandColor(place: number, palette: ReturnType<typeof paletteOf>): Rgb {
  return palette.kernels[(place * 5) % 12];
}

export function MemoryView({ summary }: { summary: Summary }) {
  const catalog = names.value,
    memory = trace.memory.value;
  const error = names.error ?? trace.memory.error;
  if (error) return <Failed what="Memory" error={error} />;
  if (!catalog || !memory) return <Waiting what="memory" />;
  if (catalog.buffers.length === 0) return <Nothing>No buffer was recorded.</Nothing>;
  return <Memory summary={summary} catalog={catalog} memory={memory} />;
}

function Memory({ summary, catalog, memory }: { summary: Summary; catalog: Catalog; memory: TableOf<"memory"> }) {
  const { buffers } = catalog;
  viewport.setSpan(summary.span_ns);
  const curve = useMemo(() => new StepCurve(memory.time, memory.bytes), [memory]);
  const lives = useMemo(
    () => buffers.map((buffer) => lifeOf(buffer, catalog, summary.span_ns)),
    [buffers, catalog, summary],
  );
  const largest = useMemo(
    () =>
      buffers
        .map((_, b) => b)
        .sort((a, b) => buffers[b].size_bytes - buffers[a].size_bytes || a - b)
        .slice(0, mostBands),
    [buffers],
  );
  const pointer = useRef<number | null>(null);
  const [hover, setHover] = useState<{ x: number; y: number; text: string; detail: string } | null>(null);
  const drag = useRef<{ x: number; time: number } | null>(null);
  const top = Math.max(curve.most, summary.memory.peak_bytes, 1);

  // Times at which the stack of bands changes, within the window.
  const edges = useMemo(
    () => [...new Set(largest.flatMap((b) => [lives[b].from, lives[b].to]))].sort((a, b) => a - b),
    [largest, lives],
  );

  const frame = () => {
    const { width, height } = canvas.size.current,
      window = viewport.window.peek();
    const across = width - leftMargin,
      scale = across / (window.end - window.begin);
    return {
      across,
      down: height - axisHeight - 12,
      xOf: (time: number) => leftMargin + (time - window.begin) * scale,
      timeOf: (x: number) => window.begin + (x - leftMargin) / scale,
    };
  };
  // Bands at a time, from the bottom: what is left of the rest, then the largest above it.
  const stackAt = (time: number) => {
    const alive = largest.filter((b) => lives[b].from <= time && lives[b].to > time);
    const known = alive.reduce((sum, b) => sum + buffers[b].size_bytes, 0);
    return { alive, rest: Math.max(0, curve.value(time) - known) };
  };

  const canvas = useCanvas((context, size) => {
    const palette = paletteOf(theme.value),
      window = viewport.window.value,
      chosen = focusedBuffer.value,
      span = range.value;
    const { down, xOf } = frame();
    const yOf = (bytes: number) => 10 + down - (bytes / top) * down;
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.fillStyle = palette.background;
    context.fillRect(0, 0, size.width, size.height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      context.fillStyle = palette.faint;
      context.fillRect(leftMargin, yOf(top * part), size.width, 1);
      context.fillStyle = palette.dim;
      const text = sizeText(top * part);
      context.fillText(text, leftMargin - 6 - context.measureText(text).width, yOf(top * part));
    }
    context.save();
    context.beginPath();
    context.rect(leftMargin, 0, size.width, size.height);
    context.clip();
    // The whole curve is what the bands don't name: the rest.
    const pixel = (window.end - window.begin) / (size.width - leftMargin);
    context.fillStyle = css(palette.overhead, 0.45);
    let point = curve.at(window.begin);
    for (let x = leftMargin; x < size.width; ++x) {
      const time = window.begin + (x - leftMargin + 1) * pixel,
        next = curve.at(time);
      const bytes = next < 0 || time < 0 || time > summary.span_ns ? 0 : curve.mostOf(Math.max(0, point), next);
      context.fillRect(x, yOf(bytes), 1, yOf(0) - yOf(bytes));
      point = next;
    }
    const times = [window.begin, ...edges.filter((time) => time > window.begin && time < window.end), window.end];
    for (let at = 0; at + 1 < times.length; ++at) {
      const from = times[at],
        to = times[at + 1],
        { alive, rest } = stackAt((from + to) / 2);
      let bytes = rest;
      for (const b of alive) {
        const y0 = yOf(bytes),
          y1 = yOf(bytes + buffers[b].size_bytes),
          color = bandColor(largest.indexOf(b), palette),
          life = lives[b];
        const x0 = xOf(Math.max(0, from)),
          x1 = xOf(to);
        context.fillStyle = palette.background;
        context.fillRect(x0, y1, x1 - x0, y0 - y1);
        // Pale before its first use and after its last.
        context.fillStyle = css(color, 0.3);
        context.fillRect(x0, y1, x1 - x0, Math.max(0.5, y0 - y1 - 0.5));
        const used0 = Math.max(x0, xOf(life.usedFrom)),
          used1 = Math.min(x1, xOf(life.usedTo));
        context.fillStyle = css(color, chosen >= 0 && chosen !== b ? 0.55 : 0.95);
        if (used1 > used0) context.fillRect(used0, y1, used1 - used0, Math.max(0.5, y0 - y1 - 0.5));
        if (y0 - y1 > 12 && x1 - x0 > 70 && from <= Math.max(window.begin, life.from)) {
          context.fillStyle = used0 <= x0 + 4 ? palette.onColor : palette.text;
          context.fillText(
            catalog.bufferName(b).slice(0, Math.floor((x1 - x0) / 7)),
            Math.max(x0, leftMargin) + 5,
            (y0 + y1) / 2,
          );
        }
        if (chosen === b) {
          context.strokeStyle = palette.text;
          context.strokeRect(x0, y1, x1 - x0, y0 - y1);
        }
        bytes += buffers[b].size_bytes;
      }
    }
    if (span) {
      context.fillStyle = css(palette.accent, 0.14);
      context.fillRect(xOf(span.begin), 0, xOf(span.end) - xOf(span.begin), size.height - axisHeight);
    }
    // The peak.
    const peakAt = summary.memory.peak_ns;
    context.strokeStyle = css(palette.error);
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(leftMargin, Math.round(yOf(summary.memory.peak_bytes)) + 0.5);
    context.lineTo(size.width, Math.round(yOf(summary.memory.peak_bytes)) + 0.5);
    context.stroke();
    context.setLineDash([]);
    if (peakAt != null && summary.memory.peak_bytes > 0) {
      context.fillStyle = css(palette.error);
      context.beginPath();
      context.arc(xOf(peakAt), yOf(summary.memory.peak_bytes), 3, 0, 7);
      context.fill();
    }
    for (const { time, text } of ticks(window.begin, window.end, size.width - leftMargin, 110)) {
      context.fillStyle = palette.dim;
      context.fillText(text, xOf(time) + 3, size.height - axisHeight / 2);
      context.fillStyle = palette.line;
      context.fillRect(xOf(time), size.height - axisHeight, 1, 6);
    }
    context.restore();
  });

  // The buffer at a place; -1: the rest, -2: nothing.
  const hit = (x: number, y: number): number => {
    const { down, timeOf } = frame(),
      time = timeOf(x),
      bytes = ((10 + down - y) / down) * top;
    if (x < leftMargin || time < 0 || time > summary.span_ns || bytes < 0) return -2;
    const { alive, rest } = stackAt(time);
    let below = rest;
    if (bytes < below) return -1;
    for (const b of alive) {
      below += buffers[b].size_bytes;
      if (bytes < below) return b;
    }
    return -2;
  };
  useEffect(
    () =>
      publishCanvas("memory", {
        summary: () => ({
          bands: largest.map((b) => buffers[b].id),
          peak_bytes: summary.memory.peak_bytes,
          points: curve.count,
          most: curve.most,
        }),
        hit: (x, y) => {
          const found = hit(x, y);
          return found >= 0 ? { buffer: buffers[found].id } : found === -1 ? { rest: true } : null;
        },
      }),
    [largest, curve],
  );
  useTimeKeys(() => pointer.current);
  useEffect(
    () =>
      addKeys((event) => {
        if (event.key !== "f" && event.key !== "F") return false;
        const span = range.peek();
        if (span) viewport.show(span.begin, span.end);
        else viewport.showAll();
        return true;
      }),
    [],
  );
  useEffect(() => {
    const element = canvas.ref.current!;
    const onWheel = (event: WheelEvent) => {
      if (wheelTime(event, frame().timeOf(event.offsetX), false)) event.preventDefault();
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, []);

  const onPointerMove = (event: PointerEvent) => {
    const { timeOf } = frame(),
      time = timeOf(event.offsetX);
    pointer.current = time;
    if (drag.current) {
      const begin = Math.max(0, Math.min(time, drag.current.time)),
        end = Math.max(time, drag.current.time);
      if (Math.abs(event.offsetX - drag.current.x) > 4 && end > begin) range.value = { begin, end };
      return;
    }
    const found = hit(event.offsetX, event.offsetY);
    if (found === -2) return setHover(null);
    const place = { x: event.clientX, y: event.clientY };
    if (found === -1)
      setHover({
        ...place,
        text: "the rest",
        detail: `${plural(buffers.length - largest.length, "smaller buffer")}, ${sizeText(stackAt(time).rest)} at ${timeText(time)}`,
      });
    else
      setHover({
        ...place,
        text: catalog.bufferName(found),
        detail: `${sizeText(buffers[found].size_bytes)}, unused for ${timeText(deadBefore(lives[found]))} before and ${timeText(deadAfter(lives[found]))} after`,
      });
  };

  const columns: Column[] = useMemo(() => {
    const time = (key: string, title: string, value: (b: number) => number, hint?: string): Column => ({
      key,
      title,
      width: "88px",
      isNumber: true,
      hint,
      value,
      cell: (b) => timeText(value(b)),
    });
    return [
      {
        key: "id",
        title: "",
        width: "44px",
        value: (b) => indexOf(buffers[b].id),
        cell: (b) => <span class="dim">{buffers[b].id}</span>,
      },
      {
        key: "label",
        title: "buffer",
        width: "minmax(110px, 1fr)",
        value: (b) => buffers[b].label,
        cell: (b) => buffers[b].label || unknown,
      },
      {
        key: "size",
        title: "size",
        width: "76px",
        isNumber: true,
        value: (b) => buffers[b].size_bytes,
        cell: (b) => sizeText(buffers[b].size_bytes),
      },
      time("from", "alive from", (b) => lives[b].from),
      {
        key: "to",
        title: "to",
        width: "82px",
        isNumber: true,
        value: (b) => lives[b].to,
        cell: (b) => (buffers[b].outlives ? <span class="dim">not freed</span> : timeText(lives[b].to)),
      },
      time("before", "idle before", (b) => deadBefore(lives[b]), "From its allocation to its first use"),
      time("after", "idle after", (b) => deadAfter(lives[b]), "From its last use to its end"),
      {
        key: "reads",
        title: "reads",
        width: "50px",
        isNumber: true,
        value: (b) => buffers[b].reads,
        cell: (b) => countText(buffers[b].reads),
      },
      {
        key: "writes",
        title: "writes",
        width: "50px",
        isNumber: true,
        value: (b) => buffers[b].writes,
        cell: (b) => countText(buffers[b].writes),
      },
      {
        key: "peak",
        title: "at peak",
        width: "54px",
        value: (b) => (buffers[b].at_peak ? 0 : 1),
        cell: (b) => (buffers[b].at_peak ? "alive" : <span class="dim">no</span>),
      },
    ];
  }, [buffers, lives]);
  const never = buffers.filter((buffer) => indexOf(buffer.first) < 0).length;
  return (
    <>
      <div class="toolbar">
        <span>
          peak <b data-peak={summary.memory.peak_bytes}>{sizeText(summary.memory.peak_bytes)}</b>{" "}
          <span class="dim">at {timeText(summary.memory.peak_ns)}</span>
        </span>
        <span>
          needed then <b>{sizeText(summary.memory.needed_at_peak_bytes)}</b>{" "}
          <span class="dim">
            {shareText(summary.memory.needed_at_peak_bytes, summary.memory.peak_bytes)}: between first and last use
          </span>
        </span>
        {never > 0 && <span class="warn">{plural(never, "buffer")} never used</span>}
      </div>
      <canvas
        ref={canvas.ref}
        class="memory-canvas"
        role="img"
        aria-label={`Memory over time, peak ${sizeText(summary.memory.peak_bytes)}; the largest buffers as bands, listed in the table below`}
        onPointerDown={(event) => {
          drag.current = { x: event.offsetX, time: frame().timeOf(event.offsetX) };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={onPointerMove}
        onPointerUp={(event) => {
          const was = drag.current;
          drag.current = null;
          if (!was || Math.abs(event.offsetX - was.x) > 4) return;
          const found = hit(event.offsetX, event.offsetY);
          if (found >= 0) select("buffer", indexOf(buffers[found].id));
          else if (found === -2) range.value = null;
        }}
        onPointerLeave={() => setHover(null)}
      />
      <p class="strip-line edge-legend dim">
        <span>strong: from first to last use; pale: allocated, not in use</span>
        <span>
          {plural(largest.length, "band")}, the largest; grey: {plural(buffers.length - largest.length, "other buffer")}
        </span>
      </p>
      <VirtualTable
        label="Buffers in memory"
        rows={buffers.length}
        columns={columns}
        selected={focusedBuffer.value}
        sort={{ key: "size", isDescending: true }}
        onSelect={(b) => select("buffer", indexOf(buffers[b].id))}
        onOpen={(b) => goTo("buffers", "buffer", indexOf(buffers[b].id))}
      />
      {hover && (
        <div
          class="tip"
          role="tooltip"
          style={{ left: `${Math.min(hover.x + 14, innerWidth - 300)}px`, top: `${hover.y + 14}px` }}
        >
          <b>{hover.text}</b>
          <p class="dim">{hover.detail}</p>
        </div>
      )}
    </>
  );
}
