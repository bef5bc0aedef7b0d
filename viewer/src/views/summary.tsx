// summary.tsx - the first look: what was recorded, what it was bound by, and where the time went.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { trace } from "../data/current";
import { Kernel, Scope, Summary } from "../data/json";
import { idleCauses } from "../data/tables";
import { show } from "../state/page";
import { theme } from "../state/theme";
import { css, paletteOf } from "../text/colors";
import { countText, plural, shareText, sizeText, timeText, unknown } from "../text/units";
import { FindingCard } from "../ui/finding_card";
import { Facts } from "../ui/inspector";
import { KernelLink } from "../ui/links";
import { Waiting } from "../ui/missing";

const verdicts: Record<string, string> = {
  device: "Bound by the device",
  host: "Bound by the host",
  copies: "Bound by copies",
  waits: "Bound by waits",
  unknown: "The bottleneck is unknown",
};

const causeWords: Record<string, string> = {
  host: "the host had enqueued nothing",
  sync: "the host was in a wait for something else",
  wakeup: "the host's wait returned late",
  dependency: "waited for other work",
  build: "the host built a kernel",
  allocation: "the host allocated",
  transfer: "the host copied bytes",
  launch: "launch latency",
  capture: "recording: its own work, and nodes of graphs that it gives one by one",
  unknown: "can't be told",
};

interface Part {
  name: string;
  words: string;
  ns: number;
  color: string;
  isIdle: boolean;
}

// Busy, idle by cause, and what lies before the first and after the last command. More than one device: added up.
function timeParts(summary: Summary): { parts: Part[]; whole: number } {
  const palette = paletteOf(theme.value);
  const several = summary.devices.filter((device) => device.timed > 0).length > 1;
  const parts: Part[] = [
    { name: "busy", words: "commands ran", ns: summary.busy_ns, color: css(palette.accent), isIdle: false },
  ];
  idleCauses.forEach((cause, index) =>
    parts.push({
      name: cause,
      words: causeWords[cause],
      ns: summary.idle_ns[cause] ?? 0,
      color: css(palette.causes[index]),
      isIdle: true,
    }),
  );
  const outside = several ? 0 : summary.span_ns - summary.active_ns;
  if (outside > 0)
    parts.push({
      name: "outside",
      words: "before the first command, after the last",
      ns: outside,
      color: palette.line,
      isIdle: false,
    });
  return { parts: parts.filter((part) => part.ns > 0), whole: summary.active_ns + outside };
}

function TimeBar({ summary }: { summary: Summary }) {
  const { parts, whole } = timeParts(summary);
  const timed = summary.devices.some((device) => device.timed > 0);
  if (!timed) return <p class="dim">No command has timestamps, so there is no breakdown of time.</p>;
  return (
    <>
      <div class="time-bar" role="img" aria-label={parts.map((part) => `${part.name} ${timeText(part.ns)}`).join(", ")}>
        {parts.map((part) => (
          <i
            key={part.name}
            class={part.isIdle ? "idle" : ""}
            title={`${part.name}: ${timeText(part.ns)}`}
            style={{ flexGrow: part.ns / whole, [part.isIdle ? "color" : "background"]: part.color }}
          />
        ))}
      </div>
      <ul class="time-parts">
        {parts.map((part) => (
          <li key={part.name} data-part={part.name}>
            <i
              class={part.isIdle ? "swatch hatched" : "swatch"}
              style={{ [part.isIdle ? "color" : "background"]: part.color }}
            />
            <b>{part.isIdle ? `idle: ${part.name}` : part.name}</b>
            <span class="dim">{part.words}</span>
            <span class="number">{timeText(part.ns)}</span>
            <span class="number dim">{part.name === "outside" ? "" : shareText(part.ns, summary.active_ns)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function ScopeRows({
  scopes,
  level,
  whole,
  longest,
}: {
  scopes: Scope[];
  level: number;
  whole: number;
  longest: number;
}) {
  const [limit, setLimit] = useState(level === 0 ? 40 : 60);
  return (
    <>
      {scopes.slice(0, limit).map((scope, place) => (
        <ScopeRow key={`${scope.name} ${place}`} scope={scope} level={level} whole={whole} longest={longest} />
      ))}
      {scopes.length > limit && (
        <button class="link scope-more" onClick={() => setLimit(limit + 200)}>
          {countText(scopes.length - limit)} more …
        </button>
      )}
    </>
  );
}

function ScopeRow({ scope, level, whole, longest }: { scope: Scope; level: number; whole: number; longest: number }) {
  const [isOpen, setOpen] = useState(false);
  const canOpen = scope.scopes.length > 0;
  return (
    <>
      <div class="scope-row" data-scope={scope.name}>
        <span class="scope-name" style={{ paddingLeft: `${level * 14}px` }}>
          {canOpen ? (
            <button
              aria-expanded={isOpen}
              aria-label={`${isOpen ? "Close" : "Open"} ${scope.name}`}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? "▾" : "▸"}
            </button>
          ) : (
            <i />
          )}
          {scope.name || <span class="dim">no scope</span>}
        </span>
        <span class="meter">
          <i style={{ width: `${longest > 0 ? (100 * scope.run_ns) / longest : 0}%` }} />
        </span>
        <span class="number">{timeText(scope.run_ns)}</span>
        <span class="number dim">{shareText(scope.run_ns, whole)}</span>
        <span class="number dim">{countText(scope.commands)}</span>
      </div>
      {isOpen && <ScopeRows scopes={scope.scopes} level={level + 1} whole={whole} longest={longest} />}
    </>
  );
}

function Card({ title, more, children }: { title: string; more?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="card" aria-label={title}>
      <h2>
        {title}
        {more && <span class="card-more">{more}</span>}
      </h2>
      {children}
    </section>
  );
}

function Tile({ name, value, detail }: { name: string; value: string; detail?: string }) {
  return (
    <div class="tile">
      <span class="dim">{name}</span>
      <b>{value}</b>
      <small class="dim">{detail}</small>
    </div>
  );
}

const pathParts = [
  ["command_ns", "commands"],
  ["behind_ns", "waiting while the device ran other commands"],
  ["host_ns", "host work"],
  ["delay_ns", "waiting while it was idle"],
  ["capture_ns", "recording"],
] as const;

function WhatIf({ summary }: { summary: Summary }) {
  const { path, span_ns } = summary;
  if (path.span_ns === 0) return null;
  return (
    <Card title="Critical path" more={timeText(path.span_ns)}>
      <p class="dim">
        From the first start to the last end, {timeText(path.active_ns)}:{" "}
        {pathParts
          .filter(([part]) => path[part] > 0)
          .map(([part, words]) => `${words} ${timeText(path[part])}`)
          .join(", ")}
      </p>
      {path.halved.length > 0 && (
        <ul class="what-if">
          {path.halved.slice(0, 4).map(({ kernel, span_ns: then }) => (
            <li key={kernel}>
              <span>
                twice as fast: <KernelLink kernel={kernel} to="kernels" />
              </span>
              <span class="number">{timeText(then)}</span>
              <span class="number dim">{shareText(then - span_ns, span_ns)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

// The first question: which kernels took the time?
function TopKernels({ kernels, summary }: { kernels: Kernel[]; summary: Summary }) {
  const order = kernels
    .map((_, place) => place)
    .filter((place) => kernels[place].timed > 0)
    .sort((a, b) => kernels[b].total_ns - kernels[a].total_ns || a - b);
  if (order.length === 0) return null;
  const longest = kernels[order[0]].total_ns;
  return (
    <Card
      title="Top kernels"
      more={
        <button class="link" onClick={() => show("kernels")}>
          {order.length > 6 ? `all ${countText(order.length)}` : "time, share, runs"}
        </button>
      }
    >
      {order.slice(0, 6).map((place) => (
        <div key={place} class="kernel-row" data-kernel={kernels[place].id}>
          <span class="scope-name">
            <KernelLink kernel={place} to="kernels" />
          </span>
          <span class="meter">
            <i style={{ width: `${longest > 0 ? (100 * kernels[place].total_ns) / longest : 0}%` }} />
          </span>
          <span class="number">{timeText(kernels[place].total_ns)}</span>
          <span class="number dim">{shareText(kernels[place].total_ns, summary.sum_ns)}</span>
          <span class="number dim">{countText(kernels[place].count)}</span>
        </div>
      ))}
    </Card>
  );
}

function Troubles({ summary }: { summary: Summary }) {
  const sentences = [...summary.problems, ...summary.left_out];
  if (summary.complete && sentences.length === 0) return null;
  return (
    <div class="troubles" role="note">
      {!summary.complete && (
        <p>
          This document is not complete: it was cut short, or is damaged. What follows is true of the part that is
          there.
        </p>
      )}
      {sentences.slice(0, 6).map((sentence, place) => (
        <p key={place}>{sentence}</p>
      ))}
      {sentences.length > 6 && <p>and {sentences.length - 6} more</p>}
    </div>
  );
}

export function SummaryView({ summary }: { summary: Summary }) {
  const findings = trace.findings.value,
    scopes = trace.scopes.value,
    kernels = trace.kernels.value;
  const verdict = findings?.find((finding) => finding.id === "verdict");
  const others = findings?.filter((finding) => finding !== verdict) ?? [];
  const commands = Object.entries(summary.counts).filter(([kind]) => kind !== "total");
  const total = commands.reduce((sum, [, count]) => sum + count, 0);
  const kinds = commands
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${countText(count)} ${kind}`)
    .join(", ");
  const isGraph = summary.facts.kind === "graph";
  const timed = summary.devices.reduce((sum, device) => sum + device.timed, 0);
  const overlap = findings
    ?.find((finding) => finding.id === "capture")
    ?.numbers.find((number) => number.name === "overlap");
  const overhead = Object.values(summary.overhead_ns).reduce((sum, ns) => sum + ns, 0);
  return (
    <div class="scroll summary">
      <Troubles summary={summary} />
      <header class="verdict">
        <h1>
          {total === 0
            ? "No commands were recorded"
            : isGraph
              ? "A saved graph: it has no timings"
              : timed === 0
                ? "No timings were recorded"
                : (verdicts[summary.verdict] ?? summary.verdict)}
        </h1>
        <p class="dim">{verdict && !isGraph ? verdict.title : "\u00a0"}</p>
        <p class="dim devices">{summary.devices.map((device) => device.name).filter(Boolean).join(", ")}</p>
      </header>
      <div class="tiles">
        <Tile
          name="span"
          value={summary.span_ns > 0 ? timeText(summary.span_ns) : unknown}
          detail="of all that was recorded"
        />
        <Tile
          name="busy"
          value={timed > 0 ? timeText(summary.busy_ns) : unknown}
          detail={
            summary.partly_timed
              ? "of commands with times"
              : timed > 0
              ? `${shareText(summary.busy_ns, summary.active_ns)} of ${timeText(summary.active_ns)} active`
              : "no times recorded"
          }
        />
        <Tile
          name="commands"
          value={countText(total)}
          detail={timed < total ? `${countText(timed)} with times` : kinds}
        />
        <Tile
          name="kernels"
          value={kernels ? countText(kernels.length) : "…"}
          detail={plural(summary.streams.length, "stream")}
        />
        <Tile
          name="memory peak"
          value={sizeText(summary.memory.peak_bytes)}
          detail={`${sizeText(summary.memory.needed_at_peak_bytes)} needed then`}
        />
        <Tile
          name="recording took"
          value={isGraph ? unknown : timeText(overhead)}
          detail={overlap ? `overlaps ${shareText(overlap.value, summary.span_ns)} of the span` : "contents, commands, …"}
        />
      </div>
      <div class="summary-columns">
        <div>
          <Card title="Where the time went">
            <TimeBar summary={summary} />
          </Card>
          {kernels && <TopKernels kernels={kernels} summary={summary} />}
          <Card title="Time by scope" more="time, share, commands">
            {!scopes ? (
              <Waiting what="scopes" />
            ) : scopes.scopes.length === 0 ? (
              <p class="dim">The program named no scopes.</p>
            ) : (
              <ScopeRows
                scopes={scopes.scopes}
                level={0}
                whole={summary.sum_ns}
                longest={scopes.scopes.reduce((most, scope) => Math.max(most, scope.run_ns), 0)}
              />
            )}
          </Card>
        </div>
        <div>
          <Card
            title="Findings"
            more={
              others.length > 4 && (
                <button class="link" onClick={() => show("findings")}>
                  all {others.length}
                </button>
              )
            }
          >
            {!findings ? (
              <Waiting what="findings" />
            ) : others.length === 0 ? (
              <p class="dim">No findings worth acting on.</p>
            ) : (
              others.slice(0, 4).map((finding, place) => <FindingCard key={place} finding={finding} brief />)
            )}
          </Card>
          <WhatIf summary={summary} />
          <Card title="Recorded">
            <Facts
              rows={[
                ["document", summary.document],
                ["program", summary.facts.program ?? ""],
                ["command", summary.facts.command_line ?? ""],
                ["when, where", [summary.facts.started, summary.facts.host].filter(Boolean).join(" on ")],
                ...Object.entries(summary.run_facts).filter(([name]) => !["host", "boot_id", "clock_boot_id"].includes(name)),
                ...summary.devices.map((device, place): [string, string] => [
                  `device ${place}`,
                  `${device.selector}  ${device.name}, ${device.driver} ${device.driver_version}`,
                ]),
                ["commands", kinds],
                ["file", `${sizeText(summary.file_bytes)}, ${sizeText(summary.stored_bytes)} of it contents`],
                [
                  "passes",
                  summary.passes.length > 0 ? `${countText(summary.passes.length)} (${summary.passes[0].kind})` : "none",
                ],
              ]}
            />
            {summary.notes.slice(0, 5).map((note, place) => (
              <p key={place} class="dim">
                {note.kind}: {note.text}
              </p>
            ))}
          </Card>
        </div>
      </div>
    </div>
  );
}
