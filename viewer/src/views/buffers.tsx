// buffers.tsx - what buffers held: versions over time, as numbers, as a heat map, images as pictures.
import { useEffect, useMemo, useState } from "preact/hooks";
import {
  ElementType,
  elementTypes,
  isReal,
  parseElementType,
  realText,
  sizeOfElement,
  Statistics,
} from "../buffer/elements";
import { HeatMap } from "../buffer/heat_map";
import { planeOf } from "../buffer/image_plane";
import { Numbers } from "../buffer/numbers";
import { Picture } from "../buffer/picture";
import { pixelFormatOf } from "../buffer/pixel_format";
import { Difference, differenceOf, findStrange, findValue, scannedAtOnce, statisticsOf } from "../buffer/scan";
import { peekPage, pagesLoaded, Version, versionsOf, versionText } from "../buffer/versions";
import { trace } from "../data/current";
import { Buffer, indexOf, Summary } from "../data/json";
import { TableOf } from "../data/tables";
import { madeOn } from "../data/uses";
import { focusedBuffer } from "../state/focus";
import { options, select, setOption } from "../state/page";
import { countText, plural, sizeText, unknown } from "../text/units";
import { BufferLink, CommandLink } from "../ui/links";
import { Failed, Nothing, Waiting } from "../ui/missing";
import { score, wordsOf } from "../ui/search";
import { Column, VirtualTable } from "../ui/virtual_table";

// How to see what this page doesn't hold.
function buffersCommand(summary: Summary, buffer: Buffer, version: Version | null): string {
  const at = version && version.command >= 0 ? ` --at c${version.command}` : "";
  const path = /[^\w./-]/.test(summary.document) ? `'${summary.document.replace(/'/g, "'\\''")}'` : summary.document;
  return `reel buffer ${path} ${buffer.id}${at}`;
}

function BufferList({ buffers, contents, shown }: { buffers: Buffer[]; contents: TableOf<"contents">; shown: number }) {
  const [query, setQuery] = useState("");
  const counts = useMemo(() => {
    const sums = new Uint32Array(buffers.length);
    for (let row = 0; row < contents.rows; ++row) if (contents.buffer[row] < sums.length) ++sums[contents.buffer[row]];
    return sums;
  }, [buffers, contents]);
  const rows = useMemo(() => {
    const words = wordsOf(query);
    return Uint32Array.from(
      buffers
        .map((_, b) => b)
        .filter((b) => words.length === 0 || score(`${buffers[b].label} ${buffers[b].id}`, words) > 0),
    );
  }, [buffers, query]);
  const columns: Column[] = useMemo(
    () => [
      {
        key: "name",
        title: "buffer",
        width: "minmax(0, 1fr)",
        value: (b) => buffers[b].label || buffers[b].id,
        cell: (b) => (
          <>
            <span class="dim">{buffers[b].id}</span> {buffers[b].label}
          </>
        ),
      },
      {
        key: "size",
        title: "size",
        width: "70px",
        isNumber: true,
        value: (b) => buffers[b].size_bytes,
        cell: (b) => sizeText(buffers[b].size_bytes),
      },
      {
        key: "versions",
        title: "vers.",
        width: "38px",
        isNumber: true,
        hint: "Versions recorded",
        value: (b) => counts[b],
        cell: (b) => countText(counts[b]),
      },
    ],
    [buffers, counts],
  );
  return (
    <div class="pane">
      <div class="toolbar">
        <input
          class="field wide"
          type="search"
          placeholder="name of a buffer"
          aria-label="Filter buffers"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
      </div>
      <VirtualTable
        label="Buffers"
        rows={rows}
        columns={columns}
        selected={shown}
        empty="No buffer matches."
        onSelect={(b) => {
          select("buffer", indexOf(buffers[b].id));
          setOption("version", null);
          setOption("slice", null);
        }}
      />
    </div>
  );
}

function useScan<T>(isOn: boolean, scan: () => Promise<T>, about: unknown[]): T | "working" | undefined {
  const [result, setResult] = useState<T | "working" | undefined>(undefined);
  useEffect(() => {
    let isStale = false;
    setResult(isOn ? "working" : undefined);
    if (isOn) void scan().then((found) => !isStale && setResult(found));
    return () => void (isStale = true);
  }, [isOn, ...about]);
  return result;
}

function StatisticsLine({
  statistics,
  type,
}: {
  statistics: Statistics | null | "working" | undefined;
  type: ElementType;
}) {
  if (statistics === "working") return <span class="dim">looking at all of it …</span>;
  if (!statistics) return null;
  const text = (value: number) =>
    Number.isNaN(value) ? unknown : realText(isReal(type) ? Number(value.toPrecision(7)) : value, true);
  const parts: [string, string, boolean?][] = [
    ["elements", countText(statistics.count)],
    ["min", text(statistics.least)],
    ["max", text(statistics.most)],
    ["mean", text(Number(statistics.mean.toPrecision(7)))],
    ["zeros", countText(statistics.zeros)],
  ];
  if (isReal(type))
    parts.push(
      ["NaN", countText(statistics.nans), statistics.nans > 0],
      ["Inf", countText(statistics.infinities), statistics.infinities > 0],
    );
  return (
    <>
      {parts.map(([name, value, isBad]) => (
        <span key={name} data-statistic={name}>
          <span class="dim">{name}</span> <b class={isBad ? "failed-text" : ""}>{value}</b>
        </span>
      ))}
    </>
  );
}

type Mode = "numbers" | "heat map" | "picture";

// What a look at a buffer begins with: a picture where it has more than one row of pixels.
function firstMode(asked: string | undefined, hasPicture: boolean, rows: number): Mode {
  if (asked === "heat") return "heat map";
  return hasPicture && asked !== "numbers" && (rows > 1 || asked === "picture") ? "picture" : "numbers";
}

function VersionView({
  version,
  before,
  buffer,
  summary,
  type,
}: {
  version: Version;
  before: Version | null;
  buffer: Buffer;
  summary: Summary;
  type: ElementType;
}) {
  const shape = buffer.image_shape;
  const format = useMemo(() => (shape ? pixelFormatOf(shape) : null), [shape]);
  const plane = useMemo(() => (shape ? planeOf(shape) : null), [shape]);
  const [mode, setMode] = useState<Mode>(firstMode(options.value.as, !!format, plane?.rows ?? 0));
  const [compares, setCompares] = useState(true);
  const [wantsAll, setWantsAll] = useState(false);
  const [found, setFound] = useState(-1);
  const [message, setMessage] = useState("");
  const [query, setQuery] = useState("");
  const count = Math.floor(version.size / sizeOfElement(type));
  const square = Math.max(1, 2 ** Math.round(Math.log2(Math.sqrt(count))));
  const rowBytes = shape ? shape.width * shape.pixel_bytes : 0,
    rowWidth = plane && plane.rows > 1 ? Math.floor(rowBytes / sizeOfElement(type)) : 0;
  const width = Math.max(1, Math.min(16384, Number(options.value.width) || rowWidth || square));
  const slice = Math.max(0, Math.min((plane?.planes ?? 1) - 1, Math.floor(Number(options.value.slice)) || 0));
  const scans = version.isStored && (version.size <= scannedAtOnce || wantsAll);
  const statistics = useScan(scans, () => statisticsOf(version, type), [version, type]);
  const difference = useScan<Difference | null>(
    scans && compares && !!before,
    () => differenceOf(version, before!, type),
    [version, before, type],
  );
  const modes: Mode[] = format ? ["picture", "numbers", "heat map"] : ["numbers", "heat map"];
  void pagesLoaded.value;
  const isHere = version.isStored && (version.size === 0 || peekPage(version, 0) !== "missing");
  useEffect(() => {
    setFound(-1);
    setMessage("");
  }, [version, type]);
  const jump = async (search: (from: number) => Promise<number>, what: string) => {
    let place = await search(found + 1);
    if (place < 0 && found >= 0) place = await search(0);
    setMode("numbers");
    setFound(place);
    setMessage(place < 0 ? `no ${what}` : `${what} at [${place}]`);
  };
  if (!version.isStored)
    return (
      <Nothing>
        Only the hash of these bytes was recorded ({version.hash}). A capture with all contents keeps the bytes;{" "}
        <code>{buffersCommand(summary, buffer, version)}</code> tells what is known.
      </Nothing>
    );
  if (!isHere)
    return (
      <Nothing>
        {trace.resources.served
          ? "These bytes are damaged or missing in the document."
          : "These bytes were left out of this file."}{" "}
        To see them: <code>{buffersCommand(summary, buffer, version)}</code>
      </Nothing>
    );
  return (
    <>
      <div class="toolbar">
        <label>
          as{" "}
          <select class="field" value={type} onChange={(event) => setOption("type", event.currentTarget.value)}>
            {elementTypes.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <span class="choice" role="group" aria-label="How to show it">
          {modes.map((name) => (
            <button
              key={name}
              class={mode === name ? "button on" : "button"}
              aria-pressed={mode === name}
              onClick={() => setMode(name)}
            >
              {name}
            </button>
          ))}
        </span>
        {mode === "heat map" && (
          <label>
            width{" "}
            <input
              class="field narrow"
              type="number"
              min={1}
              max={16384}
              value={width}
              onChange={(event) => setOption("width", event.currentTarget.value)}
            />
          </label>
        )}
        {mode === "picture" && plane && plane.planes > 1 && (
          <label>
            {plane.word}{" "}
            <input
              class="field narrow"
              type="number"
              min={0}
              max={plane.planes - 1}
              value={slice}
              onInput={(event) => setOption("slice", event.currentTarget.value)}
            />
            of 0 … {countText(plane.planes - 1)}
          </label>
        )}
        {shape && !format && <span class="dim">no picture of this format</span>}
        {isReal(type) && (
          <button class="button" onClick={() => void jump((from) => findStrange(version, type, from), "NaN or Inf")}>
            next NaN/Inf
          </button>
        )}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const value = Number(query);
            if (query.trim() && Number.isFinite(value))
              void jump((from) => findValue(version, type, value, Math.abs(value) * 1e-5, from), query);
          }}
        >
          <input
            class="field narrow"
            placeholder="value"
            aria-label="Find a value"
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
        </form>
        {before && (
          <button
            class={compares ? "button on" : "button"}
            aria-pressed={compares}
            onClick={() => setCompares(!compares)}
          >
            changes since {versionText(before)}
          </button>
        )}
        <span class="dim" role="status">
          {message}
        </span>
      </div>
      <p class="strip-line statistics">
        {!scans ? (
          <button class="link" onClick={() => setWantsAll(true)}>
            look at all {sizeText(version.size)}
          </button>
        ) : (
          <StatisticsLine statistics={statistics} type={type} />
        )}
        {difference && difference !== "working" && (
          <span data-difference={difference.different}>
            {difference.different === 0
              ? `the same as ${versionText(before!)}`
              : `${countText(difference.different)} of ${countText(difference.compared)} changed, by up to ${realText(Number(difference.largest.toPrecision(6)), true)}`}
          </span>
        )}
      </p>
      {mode === "numbers" ? (
        <Numbers version={version} before={compares ? before : null} type={type} rowBytes={rowBytes} found={found} />
      ) : mode === "heat map" ? (
        <HeatMap version={version} type={type} width={width} />
      ) : (
        <Picture version={version} shape={shape!} format={format!} number={slice} />
      )}
    </>
  );
}

function BufferDetail({
  buffer,
  index,
  contents,
  summary,
}: {
  buffer: Buffer;
  index: number;
  contents: TableOf<"contents">;
  summary: Summary;
}) {
  const versions = useMemo(() => versionsOf(index, contents), [index, contents]);
  // An image without bytes may be one that is made on a buffer.
  const args = buffer.image && versions.length === 0 ? trace.arguments.value : undefined;
  const base = useMemo(() => (args ? madeOn(index, args) : -1), [index, args]);
  const wanted = Number(options.value.version ?? -1);
  const firstStored = versions.findIndex((version) => version.isStored);
  const shown = versions[wanted] ? wanted : Math.max(0, firstStored);
  const version = versions[shown] ?? null;
  const before = useMemo(() => {
    for (let place = shown - 1; place >= 0; --place) {
      const other = versions[place];
      if (
        other.isStored &&
        other.offset < version!.offset + version!.size &&
        other.offset + other.size > version!.offset
      )
        return other;
    }
    return null;
  }, [versions, shown]);
  const type = parseElementType(options.value.type) ?? parseElementType(buffer.element) ?? "f32";
  const columns: Column[] = useMemo(
    () => [
      { key: "place", title: "#", width: "34px", isNumber: true, cell: (v) => v },
      {
        key: "when",
        title: "when",
        width: "minmax(110px, 1fr)",
        cell: (v) =>
          versions[v].command < 0 ? (
            "at the start"
          ) : (
            <>
              {versionText(versions[v]).replace(/c\d+$/, "")}
              <CommandLink command={versions[v].command} to="timeline" />
            </>
          ),
      },
      {
        key: "range",
        title: "bytes",
        width: "150px",
        isNumber: true,
        cell: (v) => `${versions[v].offset} + ${countText(versions[v].size)}`,
      },
      {
        key: "kept",
        title: "kept",
        width: "70px",
        cell: (v) => (versions[v].isStored ? "bytes" : <span class="dim">hash only</span>),
      },
      {
        key: "same",
        title: "",
        width: "92px",
        cell: (v) => (versions[v].sameAs === v ? <span class="dim">new</span> : `as #${versions[v].sameAs}`),
      },
    ],
    [versions],
  );
  return (
    <div class="pane">
      <div class="toolbar">
        <b>
          {buffer.id} {buffer.label && `'${buffer.label}'`}
        </b>
        <span class="dim">
          {sizeText(buffer.size_bytes)}
          {buffer.image && ` · ${buffer.image}`} · {plural(versions.length, "version")} recorded ·{" "}
          {plural(buffer.reads, "read")}, {plural(buffer.writes, "write")}
        </span>
      </div>
      {base >= 0 ? (
        <Nothing>
          It is made on <BufferLink buffer={base} />, which has its bytes.
        </Nothing>
      ) : versions.length === 0 ? (
        <Nothing>
          Nothing was recorded of what it held. <code>{buffersCommand(summary, buffer, null)}</code> tells what is
          known.
        </Nothing>
      ) : (
        <>
          <div class="versions">
            <VirtualTable
              label={`Versions of ${buffer.id}`}
              rows={versions.length}
              columns={columns}
              selected={shown}
              onSelect={(v) => setOption("version", String(v))}
            />
          </div>
          <VersionView version={version!} before={before} buffer={buffer} summary={summary} type={type} />
        </>
      )}
    </div>
  );
}

export function BuffersView({ summary }: { summary: Summary }) {
  const buffers = trace.buffers.value,
    contents = trace.contents.value;
  const error = trace.buffers.error ?? trace.contents.error;
  if (error) return <Failed what="Buffers" error={error} />;
  if (!buffers || !contents) return <Waiting what="buffers" />;
  if (buffers.length === 0) return <Nothing>No buffer was recorded.</Nothing>;
  const first = contents.rows > 0 && contents.buffer[0] < buffers.length ? contents.buffer[0] : 0;
  const shown = focusedBuffer.value >= 0 ? focusedBuffer.value : first;
  return (
    <div class="split-left wide-left">
      <BufferList buffers={buffers} contents={contents} shown={shown} />
      <BufferDetail key={shown} buffer={buffers[shown]} index={shown} contents={contents} summary={summary} />
    </div>
  );
}
