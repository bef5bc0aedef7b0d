// rows.ts - the rows of the timeline: threads, devices with their streams, kernels, copies, the longest path, curves.
import { signal } from "@preact/signals";
import { Catalog } from "../data/catalog";
import { activeTime, indexOf, Summary } from "../data/json";
import { RegionTree } from "../data/region_tree";
import { idleCauses, noIndex, overheadKinds, pathKinds, regionKind, TableOf, workKind, workKinds } from "../data/tables";
import { Palette, Rgb } from "../text/colors";
import { countText, plural, shareText, sizeText, timeText } from "../text/units";
import { everyIndex, groupBy, membersOf, orderByStart, spread } from "./lanes";
import { Pyramid } from "./pyramid";
import { StepCurve, totalDepth } from "./step_curve";
import { EventTrack, Row, rowHeight } from "./track";

export interface TimelineData {
  catalog: Catalog;
  summary: Summary;
  slots: number[];
  calls: TableOf<"calls">;
  regions: TableOf<"regions">;
  regionTree: RegionTree; // of these
  overheads: TableOf<"overheads">;
  intervals: TableOf<"intervals">;
  gaps: TableOf<"gaps">;
  path: TableOf<"path">;
  memory: TableOf<"memory">;
  depth: TableOf<"depth">;
}

const mostLanes = 12; // of one row
const shownAtFirst = 10; // of many rows of one kind

// Groups that somebody folded, and those of which somebody asked to see all.
export const folded = signal<ReadonlySet<string>>(new Set());
export const unlimited = signal<ReadonlySet<string>>(new Set());

const toggled = (set: ReadonlySet<string>, key: string) => {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
};
export const toggleFolded = (key: string) => (folded.value = toggled(folded.peek(), key));
export const toggleUnlimited = (key: string) => (unlimited.value = toggled(unlimited.peek(), key));

const isWait = (name: string) => /synchron|wait|finish|flush|join/i.test(name);

export class RowSource {
  private readonly memo = new Map<string, EventTrack[]>();
  private readonly streams;
  private readonly kernels;
  private readonly kinds;
  private readonly threadCalls: Map<number, Uint32Array>;
  private readonly memory: StepCurve;
  private readonly depth: StepCurve;
  readonly commandColor: (command: number, palette: Palette) => Rgb;

  constructor(readonly data: TimelineData) {
    const { catalog, calls, memory, depth, summary } = data;
    const { commands } = catalog;
    this.streams = groupBy(commands.rows, summary.streams.length, (c) => commands.stream[c]);
    this.kernels = groupBy(commands.rows, catalog.kernels.length, (c) => catalog.kernel(c));
    this.kinds = groupBy(commands.rows, workKinds.length, (c) => catalog.kind(c));
    const threads = [...new Set(calls.thread)],
      threadPlace = new Map(threads.map((thread, place) => [thread, place]));
    const byThread = groupBy(calls.rows, threads.length, (call) => threadPlace.get(calls.thread[call])!);
    this.threadCalls = new Map(threads.map((thread, place) => [thread, membersOf(byThread, place)]));
    this.memory = new StepCurve(memory.time, memory.bytes);
    this.depth = totalDepth(depth.rows, depth.time, depth.stream, depth.commands);
    // By work: there are few of them, and every pixel asks.
    const kernelSlot = Int16Array.from(catalog.works.kernel, (kernel) =>
      kernel < catalog.kernels.length ? data.slots[kernel] : -1,
    );
    this.commandColor = (command, palette) => {
      const work = commands.work[command],
        slot = kernelSlot[work];
      return slot >= 0 ? palette.kernels[slot] : palette.kinds[catalog.works.kind[work]];
    };
  }

  // Made when first drawn, and kept.
  private tracks(key: string, make: () => EventTrack[]): () => EventTrack[] {
    return () => {
      let made = this.memo.get(key);
      if (!made) this.memo.set(key, (made = make()));
      return made;
    };
  }

  private commandTrack(order: Uint32Array): EventTrack {
    const { catalog } = this.data;
    return {
      kind: "command",
      pyramid: new Pyramid(catalog.commands.started, catalog.commands.ended, order),
      color: this.commandColor,
      label: (command) => catalog.label(command) || catalog.action(command),
    };
  }

  // --- the host ---------------------------------------------------------------------------------

  private threadRow(thread: number, title: string): Row {
    const { calls, regions, regionTree, overheads, catalog } = this.data;
    const own = this.threadCalls.get(thread) ?? new Uint32Array();
    const lanes = this.tracks(`thread ${thread}`, () => {
      const made: EventTrack[] = [];
      // The title of an if or switch tells which branch of it ran.
      const regionIds = everyIndex(regions.rows).filter(
        (r) => regions.thread[r] === thread && regions.kind[r] !== regionKind.branch,
      );
      const regionOrder = orderByStart(regions.begin, regions.end, regionIds);
      for (const order of regionOrder.length ? spread(regionOrder, regions.begin, regions.end, mostLanes) : [])
        made.push({
          kind: "region",
          pyramid: new Pyramid(regions.begin, regions.end, order),
          color: (r, palette) =>
            regions.kind[r] === regionKind.pass
              ? palette.pass
              : regionTree.isDecision(r)
                ? palette.decision
                : palette.region,
          label: (r) => regionTree.title(r),
        });
      for (const order of spread(orderByStart(calls.begin, calls.end, own), calls.begin, calls.end, 4))
        made.push({
          kind: "call",
          pyramid: new Pyramid(calls.begin, calls.end, order),
          color: (c, palette) => (isWait(catalog.text(calls.name[c])) ? palette.wait : palette.call),
          label: (c) => catalog.text(calls.name[c]),
        });
      const ownOverheads = everyIndex(overheads.rows).filter((o) => overheads.thread[o] === thread);
      if (ownOverheads.length)
        made.push({
          kind: "overhead",
          pyramid: new Pyramid(
            overheads.begin,
            overheads.end,
            orderByStart(overheads.begin, overheads.end, ownOverheads),
          ),
          color: (_, palette) => palette.overhead,
          label: (o) => `capture: ${overheadKinds[overheads.kind[o]]}`,
        });
      return made;
    });
    const laneCount = lanes().length;
    return {
      key: `thread ${thread}`,
      title,
      detail: plural(own.length, "call"),
      level: 1,
      height: rowHeight(laneCount),
      lanes,
      laneCount,
      hint: `Thread ${thread}: its regions, its calls, and the capture overhead`,
      owns: (thing) => {
        if (thing.kind !== "call" || calls.thread[thing.index] !== thread) return -1;
        return lanes().findIndex((track) => track.kind === "call");
      },
    };
  }

  // The row and lane of the call that gave a command.
  threadKey(command: number): string {
    return `thread ${this.data.catalog.commands.thread[command]}`;
  }

  // --- devices ----------------------------------------------------------------------------------

  private streamRow(stream: number): Row {
    const { summary, catalog } = this.data;
    const { commands } = catalog,
      { id, label, timed, commands: count, busy_ns, device } = summary.streams[stream];
    const own = membersOf(this.streams, stream);
    let most = 0;
    for (const command of own) if (commands.lane[command] > most) most = commands.lane[command];
    const laneCount = Math.min(mostLanes, most + 1);
    return {
      key: `stream ${stream}`,
      title: label ? `${id} ${label}` : id,
      subject: { kind: "stream", number: indexOf(id) },
      level: 1,
      height: rowHeight(laneCount),
      laneCount,
      detail: timed > 0 ? shareText(busy_ns, activeTime(summary, device)) : "",
      hint: `${id} ${label}: ${plural(count, "command")}, ${timed} with times, busy ${timeText(busy_ns)} of its device's time`,
      note:
        count > 0 && timed === 0
          ? `${plural(count, "command")}, none with times`
          : count === 0
            ? "no commands"
            : undefined,
      lanes: this.tracks(`stream ${stream}`, () =>
        Array.from({ length: laneCount }, (_, lane) => {
          const members = laneCount === 1 ? own : own.filter((c) => Math.min(commands.lane[c], mostLanes - 1) === lane);
          return this.commandTrack(orderByStart(commands.started, commands.ended, members));
        }),
      ),
      owns: (thing) =>
        thing.kind === "command" && commands.stream[thing.index] === stream
          ? Math.min(commands.lane[thing.index], mostLanes - 1)
          : -1,
    };
  }

  // Commands that have no times of their own, under those that have.
  private *streamRows(streams: number[], key: string): Generator<Row> {
    const { intervals } = this.data;
    for (const row of this.limited(key, "stream", streams, (stream) => this.streamRow(stream))) {
      yield row;
      const own = everyIndex(intervals.rows).filter((i) => row.key === `stream ${intervals.stream[i]}`);
      if (own.length === 0) continue;
      yield {
        key: `together ${row.key}`,
        title: "timed together",
        detail: plural(own.length, "interval"),
        level: 1,
        height: rowHeight(1),
        laneCount: 1,
        hint: "Commands that no barrier keeps apart: all of them ran within this time",
        lanes: this.tracks(`together ${row.key}`, () => [
          {
            kind: "interval",
            pyramid: new Pyramid(intervals.begin, intervals.end, orderByStart(intervals.begin, intervals.end, own)),
            color: (i, palette) => this.commandColor(intervals.first[i], palette),
            label: (i) => plural(intervals.count[i], "command"),
          },
        ]),
      };
    }
  }

  private gapRow(device: number): Row {
    const { gaps } = this.data;
    const own = everyIndex(gaps.rows).filter((g) => gaps.device[g] === device);
    return {
      key: `gaps ${device}`,
      title: "idle, by cause",
      detail: plural(own.length, "gap"),
      level: 1,
      height: rowHeight(1),
      laneCount: 1,
      hint: "When the device was idle, and why",
      lanes: this.tracks(`gaps ${device}`, () => [
        {
          kind: "gap",
          isHatched: true,
          pyramid: new Pyramid(gaps.begin, gaps.end, orderByStart(gaps.begin, gaps.end, own)),
          color: (g, palette) => palette.causes[gaps.cause[g]],
          label: (g) => idleCauses[gaps.cause[g]],
        },
      ]),
    };
  }

  // --- by what they do --------------------------------------------------------------------------

  private kernelRow(kernel: number): Row {
    const { catalog, summary } = this.data;
    const { name, id, count, total_ns, timed } = catalog.kernels[kernel];
    return {
      key: `kernel ${kernel}`,
      title: name,
      subject: { kind: "kernel", number: indexOf(id) },
      detail: timed > 0 ? shareText(total_ns, summary.sum_ns) : "",
      level: 1,
      height: rowHeight(1),
      laneCount: 1,
      hint: `${id} ${name}: ${countText(count)} runs, ${timed > 0 ? timeText(total_ns) : "no times"}`,
      note: count > 0 && timed === 0 ? `${plural(count, "run")}, none with times` : undefined,
      lanes: this.tracks(`kernel ${kernel}`, () => [
        this.commandTrack(
          orderByStart(catalog.commands.started, catalog.commands.ended, membersOf(this.kernels, kernel)),
        ),
      ]),
      owns: (thing) => (thing.kind === "command" && catalog.kernel(thing.index) === kernel ? 0 : -1),
    };
  }

  private kindRow(kind: number): Row {
    const { catalog } = this.data;
    const own = membersOf(this.kinds, kind);
    return {
      key: `kind ${kind}`,
      title: workKinds[kind],
      detail: countText(own.length),
      level: 1,
      height: rowHeight(1),
      laneCount: 1,
      hint: plural(own.length, `${workKinds[kind]} command`),
      lanes: this.tracks(`kind ${kind}`, () => [
        this.commandTrack(orderByStart(catalog.commands.started, catalog.commands.ended, own)),
      ]),
      owns: (thing) => (thing.kind === "command" && catalog.kind(thing.index) === kind ? 0 : -1),
    };
  }

  private pathRow(): Row {
    const { path, catalog, summary } = this.data;
    const all = everyIndex(path.rows);
    return {
      key: "path",
      title: "critical path",
      detail: timeText(summary.path.span_ns),
      level: 1,
      height: rowHeight(1),
      laneCount: 1,
      hint: "Critical path: commands, host work, waiting",
      lanes: this.tracks("path", () => [
        {
          kind: "step",
          pyramid: new Pyramid(path.begin, path.end, orderByStart(path.begin, path.end, all)),
          color: (step, palette) =>
            path.kind[step] === 0 && path.command[step] !== noIndex
              ? this.commandColor(path.command[step], palette)
              : path.kind[step] === 1
                ? palette.call
                : palette.overhead,
          label: (step) =>
            path.kind[step] === 0 && path.command[step] !== noIndex
              ? catalog.action(path.command[step])
              : pathKinds[path.kind[step]],
        },
      ]),
    };
  }

  // When commands read or wrote a buffer. Always there, so that choosing one moves nothing.
  private usesRow(buffer: number, uses: { commands: Uint32Array; writes: Uint8Array } | null): Row {
    const { catalog } = this.data;
    if (buffer < 0 || !uses)
      return {
        key: "uses",
        title: "buffer",
        detail: "",
        hint: "Reads and writes of the selected buffer",
        level: 1,
        height: rowHeight(1),
        note: "select a buffer to see its reads and writes here",
      };
    const { started, ended } = catalog.commands;
    return {
      key: "uses",
      title: catalog.bufferName(buffer),
      detail: plural(uses.commands.length, "use"),
      level: 1,
      height: rowHeight(1),
      laneCount: 1,
      hint: `Commands that read or write ${catalog.bufferName(buffer)}`,
      lanes: this.tracks(`uses ${buffer}`, () => [
        {
          kind: "use",
          pyramid: new Pyramid(started, ended, orderByStart(started, ended, uses.commands)),
          color: (command, palette) => (uses.writes[command] ? palette.causes[0] : palette.accent),
          label: (command) => (uses.writes[command] ? "writes" : "reads"),
        },
      ]),
    };
  }

  // --- all of them ------------------------------------------------------------------------------

  private head(key: string, title: string, detail: string, hint = title): Row {
    return {
      key,
      title,
      detail,
      hint,
      level: 0,
      height: 20,
      isFoldable: true,
      isFolded: folded.value.has(key),
      action: () => toggleFolded(key),
    };
  }

  private *limited(key: string, one: string, ids: number[], make: (id: number) => Row): Generator<Row> {
    const all = unlimited.value.has(key) || ids.length <= shownAtFirst + 1;
    for (const id of all ? ids : ids.slice(0, shownAtFirst)) yield make(id);
    if (ids.length > shownAtFirst + 1)
      yield {
        key: `more ${key}`,
        title: all ? `fewer ${one}s` : `${countText(ids.length - shownAtFirst)} more ${one}s …`,
        detail: "",
        hint: "",
        level: 1,
        height: 18,
        action: () => toggleUnlimited(key),
      };
  }

  rows(buffer: number, uses: { commands: Uint32Array; writes: Uint8Array } | null): Row[] {
    const { summary, catalog, gaps, path, memory, depth, overheads, regions } = this.data;
    const rows: Row[] = [];
    const threads = [...new Set([...this.threadCalls.keys(), ...regions.thread, ...overheads.thread])].sort(
      (a, b) => a - b,
    );
    if (threads.length) {
      rows.push(this.head("host", "Host", plural(threads.length, "thread")));
      if (!folded.value.has("host"))
        rows.push(...this.limited("host", "thread", threads, (thread) => this.threadRow(thread, `thread ${thread}`)));
    }
    const byDevice = groupBy(summary.streams.length, summary.devices.length, (s) => summary.streams[s].device ?? 0);
    summary.devices.forEach((device, index) => {
      const key = `device ${index}`;
      rows.push(
        this.head(
          key,
          device.name || device.selector,
          device.selector,
          `${device.name}, ${device.driver} ${device.driver_version}`,
        ),
      );
      if (folded.value.has(key)) return;
      if (gaps.rows) rows.push(this.gapRow(index));
      const streams = [...membersOf(byDevice, index)].sort(
        (a, b) => summary.streams[b].busy_ns - summary.streams[a].busy_ns || a - b,
      );
      const shown = streams.length <= shownAtFirst + 1 ? streams.sort((a, b) => a - b) : streams;
      rows.push(...this.streamRows(shown, key));
    });
    const kernels = catalog.kernels
      .map((_, k) => k)
      .filter((k) => catalog.kernels[k].count > 0)
      .sort((a, b) => catalog.kernels[b].total_ns - catalog.kernels[a].total_ns || a - b);
    if (kernels.length) {
      rows.push(this.head("kernels", "Kernels", countText(kernels.length)));
      if (!folded.value.has("kernels"))
        rows.push(...this.limited("kernels", "kernel", kernels, (kernel) => this.kernelRow(kernel)));
    }
    const copies = [workKind.write, workKind.read, workKind.copy, workKind.fill].filter(
      (kind) => membersOf(this.kinds, kind).length > 0,
    );
    if (copies.length) {
      rows.push(this.head("copies", "Copies and fills", shareText(summary.copy_ns, summary.sum_ns)));
      if (!folded.value.has("copies")) rows.push(...copies.map((kind) => this.kindRow(kind)));
    }
    rows.push(this.head("more", "Overall", ""));
    if (!folded.value.has("more")) {
      if (path.rows) rows.push(this.pathRow());
      rows.push(this.usesRow(buffer, uses));
      if (memory.rows)
        rows.push({
          key: "memory",
          title: "memory",
          detail: sizeText(summary.memory.peak_bytes),
          hint: "Bytes allocated, over time",
          level: 1,
          height: 48,
          curve: {
            curve: this.memory,
            color: (palette) => palette.memory,
            text: sizeText,
            limit: { value: summary.memory.peak_bytes, text: "peak" },
          },
        });
      if (depth.rows)
        rows.push({
          key: "depth",
          title: "queue depth",
          detail: countText(this.depth.most),
          hint: "Commands in flight, on all streams",
          level: 1,
          height: 40,
          curve: { curve: this.depth, color: (palette) => palette.depth, text: (value) => plural(value, "command") },
        });
    }
    return rows;
  }
}
