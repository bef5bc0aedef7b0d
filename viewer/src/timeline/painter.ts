// painter.ts - draws rows. Events go, a line of pixels for each lane, into one image that is then stretched lane by
// lane: a frame costs the same for ten events and for ten million.
import { css, Palette, Rgb } from "../text/colors";
import { TimeRange } from "../state/url";
import { EventTrack, laneHeight, lanePadding, Row, Thing } from "./track";
import { Visitor } from "./pyramid";

export interface PlacedRow {
  row: Row;
  y: number; // from the top of the first row
}

export interface Frame {
  context: CanvasRenderingContext2D;
  width: number; // CSS pixels
  height: number;
  ratio: number; // device pixels to one of them
  window: TimeRange;
  scroll: number;
  palette: Palette;
  rows: PlacedRow[]; // at least all that are visible
  isEmphasized: ((command: number) => boolean) | null; // null: all are alike
}

interface Label {
  x: number;
  width: number;
  y: number;
  text: string;
  ink: string;
}

const font = "11px system-ui, sans-serif";
const leastLabel = 34;
const leastHatched = 5;

const rgbOf = (hex: string): Rgb => [
  parseInt(hex.slice(1, 3), 16),
  parseInt(hex.slice(3, 5), 16),
  parseInt(hex.slice(5, 7), 16),
];

// The pixels of one lane while its events are visited.
class LaneStrip implements Visitor {
  busy = new Float64Array(0);
  private longest = new Float64Array(0);
  private position = new Int32Array(0);
  private track!: EventTrack;
  private begin = 0;
  private pixel = 1;
  private wide!: (position: number, from: number, to: number) => void;

  start(
    track: EventTrack,
    begin: number,
    pixel: number,
    count: number,
    wide: (position: number, from: number, to: number) => void,
  ): void {
    if (this.busy.length !== count) {
      this.busy = new Float64Array(count);
      this.longest = new Float64Array(count);
      this.position = new Int32Array(count);
    }
    this.busy.fill(0);
    this.longest.fill(-1);
    this.track = track;
    this.begin = begin;
    this.pixel = pixel;
    this.wide = wide;
  }

  private put(at: number, position: number, length: number, busy: number): void {
    if (at < 0 || at >= this.busy.length) return;
    this.busy[at] += busy;
    if (length > this.longest[at]) {
      this.longest[at] = length;
      this.position[at] = position;
    }
  }

  cell(begin: number, longest: number, length: number, busy: number): void {
    this.put(Math.floor((begin - this.begin) / this.pixel), longest, length, busy);
  }

  event(position: number): void {
    const { pyramid } = this.track;
    const from = (pyramid.start(position) - this.begin) / this.pixel,
      to = (pyramid.end(position) - this.begin) / this.pixel;
    const length = (to - from) * this.pixel;
    const first = Math.max(0, Math.floor(from)),
      last = Math.min(this.busy.length - 1, Math.ceil(to) - 1);
    for (let at = first; at <= last; ++at)
      this.put(at, position, length, this.pixel * (Math.min(at + 1, to) - Math.max(at, from)));
    if (to - from >= 3) {
      if (last === Math.ceil(to) - 1) this.busy[last] = Math.min(this.busy[last], this.pixel * 0.35); // an edge to the next
      this.wide(position, from, to);
    }
  }

  // Writes one line of an image. Lighter means busier.
  write(line: Uint32Array, background: Rgb, palette: Palette, isEmphasized: Frame["isEmphasized"]): number {
    const { track, busy, position, pixel } = this;
    let written = 0;
    for (let at = 0; at < line.length; ++at) {
      if (this.longest[at] < 0) {
        line[at] = 0;
        continue;
      }
      const id = track.pyramid.order[position[at]];
      const color = track.color(id, palette);
      let share = Math.max(0.3, Math.min(1, busy[at] / pixel));
      if (isEmphasized && (track.kind === "command" || track.kind === "step") && !isEmphasized(id)) share *= 0.25;
      const mix = (channel: number) => Math.round(background[channel] + (color[channel] - background[channel]) * share);
      line[at] = (255 << 24) | (mix(2) << 16) | (mix(1) << 8) | mix(0);
      ++written;
    }
    return written;
  }
}

export class Painter {
  private readonly strip = document.createElement("canvas");
  private readonly lane = new LaneStrip();
  private readonly patterns = new Map<string, CanvasPattern>();
  drawn = { lanes: 0, pixels: 0, labels: 0, ms: 0 };

  draw(frame: Frame): void {
    const before = performance.now();
    const { context, width, height, ratio, palette, scroll, window } = frame;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = palette.background;
    context.fillRect(0, 0, width, height);
    const columns = Math.max(1, Math.round(width * ratio));
    const pixel = (window.end - window.begin) / columns;
    const visible = frame.rows.filter(({ row, y }) => y + row.height > scroll && y < scroll + height);
    const background = rgbOf(palette.background);

    let laneCount = 0;
    for (const { row } of visible) laneCount += row.lanes && !row.note ? (row.laneCount ?? 1) : 0;
    const image = laneCount > 0 ? new ImageData(columns, laneCount) : null;
    const pixels = image ? new Uint32Array(image.data.buffer) : null;
    const labels: Label[] = [];
    const hatched: { x: number; width: number; y: number; color: Rgb }[] = [];
    const placed: { y: number; line: number }[] = [];
    this.drawn = { lanes: laneCount, pixels: 0, labels: 0, ms: 0 };

    let line = 0;
    for (const { row, y } of visible) {
      const top = y - scroll;
      this.drawRowGround(frame, row, top);
      if (!row.lanes || row.note) continue;
      row.lanes().forEach((track, index) => {
        const laneTop = top + lanePadding + index * laneHeight;
        this.lane.start(track, window.begin, pixel, columns, (position, from, to) => {
          const id = track.pyramid.order[position];
          const left = Math.max(0, from / ratio),
            right = Math.min(width, to / ratio);
          if (track.isHatched && right - left >= leastHatched)
            hatched.push({ x: left, width: right - left, y: laneTop, color: track.color(id, palette) });
          if (right - left >= leastLabel)
            labels.push({
              x: left,
              width: right - left,
              y: laneTop,
              text: track.label(id),
              ink: track.isHatched ? palette.text : palette.onColor,
            });
        });
        track.pyramid.visit(window.begin, window.end, pixel, this.lane);
        if (pixels)
          this.drawn.pixels += this.lane.write(
            pixels.subarray(line * columns, (line + 1) * columns),
            background,
            palette,
            frame.isEmphasized,
          );
        placed.push({ y: laneTop, line: line++ });
      });
    }
    if (image) this.stretch(context, image, placed, width, columns);
    for (const { x, width: w, y, color } of hatched) this.hatch(context, x, y, w, laneHeight - 1, color, palette);
    this.drawLabels(frame, labels);
    this.drawn.labels = labels.length;
    this.drawn.ms = performance.now() - before;
  }

  private drawRowGround({ context, width, palette, window }: Frame, row: Row, top: number): void {
    if (row.level === 0) {
      context.fillStyle = palette.panel;
      context.fillRect(0, top, width, row.height);
      return;
    }
    context.fillStyle = palette.faint;
    context.fillRect(0, top + row.height - 1, width, 1);
    if (row.note) {
      context.font = font;
      context.textBaseline = "middle";
      context.fillStyle = palette.dim;
      context.fillText(row.note, 10, top + row.height / 2);
    }
    if (row.curve) this.drawCurve(context, row, top, width, window, palette);
  }

  private drawCurve(
    context: CanvasRenderingContext2D,
    row: Row,
    top: number,
    width: number,
    window: TimeRange,
    palette: Palette,
  ): void {
    const { curve, color, limit } = row.curve!;
    const bottom = top + row.height - 2,
      scale = (row.height - 8) / Math.max(1, curve.most);
    const pixel = (window.end - window.begin) / width;
    context.beginPath();
    context.moveTo(0, bottom);
    let point = curve.at(window.begin);
    for (let x = 0; x < width; ++x) {
      const next = curve.at(window.begin + (x + 1) * pixel);
      const value = point < 0 && next < 0 ? 0 : curve.mostOf(Math.max(0, point), next);
      context.lineTo(x, bottom - value * scale);
      context.lineTo(x + 1, bottom - value * scale);
      point = next;
    }
    context.lineTo(width, bottom);
    context.closePath();
    context.fillStyle = css(color(palette), 0.35);
    context.fill();
    context.strokeStyle = css(color(palette));
    context.lineWidth = 1;
    context.stroke();
    if (limit && limit.value > 0) {
      const y = Math.round(bottom - limit.value * scale) + 0.5;
      context.setLineDash([3, 3]);
      context.strokeStyle = palette.dim;
      context.beginPath();
      context.moveTo(0, y);
      context.lineTo(width, y);
      context.stroke();
      context.setLineDash([]);
    }
  }

  private stretch(
    context: CanvasRenderingContext2D,
    image: ImageData,
    placed: { y: number; line: number }[],
    width: number,
    columns: number,
  ): void {
    if (this.strip.width !== image.width || this.strip.height < image.height) {
      this.strip.width = image.width;
      this.strip.height = Math.max(image.height, this.strip.height);
    }
    this.strip.getContext("2d")!.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    for (const { y, line } of placed) context.drawImage(this.strip, 0, line, columns, 1, 0, y, width, laneHeight - 1);
  }

  private hatch(
    context: CanvasRenderingContext2D,
    x: number,
    y: number,
    width: number,
    height: number,
    color: Rgb,
    palette: Palette,
  ): void {
    const key = css(color) + palette.background;
    let pattern = this.patterns.get(key);
    if (!pattern) {
      const tile = document.createElement("canvas");
      tile.width = tile.height = 6;
      const ink = tile.getContext("2d")!;
      ink.fillStyle = palette.background;
      ink.fillRect(0, 0, 6, 6);
      ink.fillStyle = css(color, 0.28);
      ink.fillRect(0, 0, 6, 6);
      ink.strokeStyle = css(color, 0.9);
      ink.lineWidth = 1.2;
      ink.beginPath();
      for (const shift of [-6, 0, 6]) {
        ink.moveTo(shift, 6);
        ink.lineTo(shift + 6, 0);
      }
      ink.stroke();
      pattern = context.createPattern(tile, "repeat")!;
      this.patterns.set(key, pattern);
    }
    context.fillStyle = pattern;
    context.fillRect(x, y, Math.max(1, width - 1), height);
  }

  private drawLabels({ context, width }: Frame, labels: Label[]): void {
    context.font = font;
    context.textBaseline = "middle";
    const charWidth = context.measureText("matmul_abcdefghij").width / 17;
    for (const { x, width: room, y, text, ink } of labels) {
      const most = Math.floor((Math.min(room, width - x) - 8) / charWidth);
      if (most < 3) continue;
      context.fillStyle = ink;
      context.fillText(text.length > most ? `${text.slice(0, most - 1)}…` : text, x + 4, y + laneHeight / 2);
    }
  }
}

// What lies at a place of a drawn frame.
export function hitTest(
  rows: PlacedRow[],
  window: TimeRange,
  width: number,
  scroll: number,
  x: number,
  y: number,
): { row: Row; thing: Thing | null } | null {
  const found = rows.find(({ row, y: top }) => y + scroll >= top && y + scroll < top + row.height);
  if (!found) return null;
  const { row } = found;
  if (!row.lanes || row.note) return { row, thing: null };
  const lane = Math.floor((y + scroll - found.y - lanePadding) / laneHeight);
  const track = row.lanes()[lane];
  if (!track) return { row, thing: null };
  const pixel = (window.end - window.begin) / width;
  const position = track.pyramid.find(window.begin + x * pixel, pixel * 1.5);
  return { row, thing: position < 0 ? null : { kind: track.kind, index: track.pyramid.order[position] } };
}
