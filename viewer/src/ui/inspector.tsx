// inspector.tsx - all about what is selected, beside every view.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { Catalog, catalog as names } from "../data/catalog";
import { trace } from "../data/current";
import { DependencySets } from "../data/dependency_sets";
import { activeTime, indexOf, Summary } from "../data/json";
import { Launch } from "../data/launch";
import { argumentKinds, dependencyKinds, noIndex, TableOf, workKinds } from "../data/tables";
import { accessText, argumentsOf } from "../data/uses";
import { focusedBuffer, focusedKernel, focusedStream } from "../state/focus";
import { goTo, selection } from "../state/page";
import { SelectionKind, View } from "../state/url";
import { Stages } from "../timeline/tip";
import { countText, gridText, rateText, shareText, sizeText, timeText, unknown } from "../text/units";
import { BufferLink, CommandLink, KernelLink, Link, Swatch } from "./links";
import { Waiting } from "./missing";

export function Facts({ rows }: { rows: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name} value`}>{value === "" || value == null ? unknown : value}</dd>,
      ])}
    </dl>
  );
}

function Actions({ kind, number, to }: { kind: SelectionKind; number: number; to: [View, string][] }) {
  return (
    <div class="actions">
      {to.map(([view, title]) => (
        <button key={view} class="button" onClick={() => goTo(view, kind, number)}>
          {title}
        </button>
      ))}
    </div>
  );
}

// Of what is read beside the arguments of the kernel, by the number of its kind.
const besideNames: Record<number, string> = { 3: "groups", 8: "run if", 9: "run unless" };

function Arguments({ command, catalog }: { command: number; catalog: Catalog }) {
  const args = trace.arguments.value,
    values = trace.values.value;
  if (!args || !values) return <Waiting what="arguments" />;
  const given = argumentsOf(command, catalog, args);
  if (given.length === 0) return null;
  const parameters = catalog.kernel(command) >= 0 ? catalog.kernels[catalog.kernel(command)].parameters : [];
  return (
    <>
      <h3>Arguments</h3>
      <ul>
        {given.slice(0, 64).map((argument, place) => (
          <li key={place}>
            <span>
              <span class="dim">{besideNames[argument.kind] ?? (parameters[place]?.name || place)} </span>
              {argument.buffer >= 0 ? (
                <>
                  <BufferLink buffer={argument.buffer} />
                  {argument.view >= 0 && (
                    <>
                      {" "}
                      as{" "}
                      <Link kind="buffer" number={indexOf(catalog.buffers[argument.view]?.id)} />
                    </>
                  )}
                </>
              ) : argument.value >= 0 ? (
                <span class="mono">{values[argument.value] ?? unknown}</span>
              ) : (
                argumentKinds[argument.kind]
              )}
            </span>
            <span class="dim">
              {argument.buffer >= 0
                ? `${accessText(argument.access)} ${sizeText(argument.size)}`
                : argument.kind === 2
                  ? sizeText(argument.size)
                  : ""}
            </span>
          </li>
        ))}
        {given.length > 64 && <li class="dim">and {given.length - 64} more</li>}
      </ul>
    </>
  );
}

function launchFacts(launch: Launch | null): [string, string][] {
  if (!launch) return [];
  const { groups, groupSize, items, offset, dimensions } = launch;
  const rows: [string, string][] = groups
    ? [
        ["groups", groups],
        ["of", groupSize],
      ]
    : [
        ["items", items],
        ["in groups", "of the driver's choice"],
      ];
  if (groups && items) rows.push(["items", `${items} in all`]);
  if (offset) rows.push(["from", offset]);
  if (dimensions) rows.push(["dimensions", String(dimensions)]);
  return rows;
}

function CommandPanel({ command, catalog, summary }: { command: number; catalog: Catalog; summary: Summary }) {
  if (command >= catalog.count) return <p class="nothing">This document has no c{command}.</p>;
  const { commands } = catalog,
    kernel = catalog.kernel(command),
    kind = catalog.kind(command);
  const stream = summary.streams[commands.stream[command]],
    launch = commands.launch[command];
  const to: [View, string][] = [
    ["timeline", "Timeline"],
    ["dependencies", "Dependencies"],
  ];
  if (kernel >= 0) to.push(["kernels", "Kernel"], ["source", "Source"]);
  return (
    <>
      <h2>
        c{command} {catalog.label(command) && `'${catalog.label(command)}'`}
      </h2>
      <p class="dim">{catalog.scope(command) || "no scope"}</p>
      <Actions kind="command" number={command} to={to} />
      <Facts
        rows={[
          ["does", kernel >= 0 ? <KernelLink kernel={kernel} /> : workKinds[kind]],
          ["ran", Number.isNaN(catalog.duration(command)) ? "no times recorded" : timeText(catalog.duration(command))],
          ...launchFacts(catalog.launch(command)),
          [
            "stream",
            stream ? (
              <Link kind="stream" number={indexOf(stream.id)}>
                {stream.label ? `${stream.id} ${stream.label}` : stream.id}
              </Link>
            ) : (
              unknown
            ),
          ],
          ...(launch !== noIndex
            ? ([["launched by", <CommandLink command={launch} />]] as [string, ComponentChildren][])
            : []),
        ]}
      />
      <h3>Stages</h3>
      <Stages command={command} catalog={catalog} />
      <Arguments command={command} catalog={catalog} />
      <Neighbours command={command} catalog={catalog} />
    </>
  );
}

const mostNeighbours = 12;

interface Neighbour {
  command: number;
  row: number; // of the dependencies
}

// What it waits for, and what waits for it; of sets, each of their commands.
function neighboursOf(command: number, edges: TableOf<"dependencies">, sets: DependencySets) {
  const before = new Map<number, Neighbour>(),
    after: Neighbour[] = [];
  // Sorted by `to`: those before it are found by halving.
  let low = 0,
    high = edges.rows;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges.to[middle] < command) low = middle + 1;
    else high = middle;
  }
  for (let row = low; row < edges.rows && edges.to[row] === command; ++row) {
    const set = edges.from_set[row];
    for (const from of set === noIndex ? [edges.from[row]] : sets.commandsOf(set))
      if (!before.has(from)) before.set(from, { command: from, row });
  }
  const isIn = sets.setsWith(command);
  for (let row = low; row < edges.rows && after.length <= mostNeighbours; ++row) {
    const set = edges.from_set[row],
      to = edges.to[row];
    if ((set === noIndex ? edges.from[row] === command : isIn[set]) && after.at(-1)?.command !== to)
      after.push({ command: to, row });
  }
  return { before: [...before.values()].sort((a, b) => a.command - b.command), after };
}

function Neighbours({ command, catalog }: { command: number; catalog: Catalog }) {
  const edges = trace.dependencies.value,
    sets = trace.dependencySets.value;
  const found = useMemo(() => edges && sets && neighboursOf(command, edges, sets), [command, edges, sets]);
  if (!edges || !found) return null;
  const list = (title: string, neighbours: Neighbour[], more: string) =>
    neighbours.length === 0 ? null : (
      <>
        <h3>{title}</h3>
        <ul>
          {neighbours.slice(0, mostNeighbours).map(({ command: other, row }) => (
            <li key={other}>
              <span>
                <CommandLink command={other} /> {other < catalog.count && catalog.action(other)}
              </span>
              <span class={edges.kind[row] === 2 ? "failed-text" : "dim"}>
                {dependencyKinds[edges.kind[row]]}
                {edges.buffer[row] !== noIndex && (
                  <>
                    {" "}
                    <BufferLink buffer={edges.buffer[row]} />
                  </>
                )}
              </span>
            </li>
          ))}
          {neighbours.length > mostNeighbours && <li class="dim">{more}</li>}
        </ul>
      </>
    );
  return (
    <>
      {list("Depends on", found.before, `and ${countText(found.before.length - mostNeighbours)} more`)}
      {list("Needed by", found.after, "and more")}
    </>
  );
}

function KernelPanel({ kernel, summary }: { kernel: number; summary: Summary }) {
  const known = trace.kernels.value?.[kernel];
  if (!known) return null;
  const has = known.timed > 0;
  return (
    <>
      <h2>
        <Swatch kernel={kernel} /> {known.name}
      </h2>
      <p class="dim">
        {known.id}
        {known.entry && known.entry !== known.name ? `, entry ${known.entry}` : ""}, {known.built_form}
      </p>
      <Actions
        kind="kernel"
        number={indexOf(known.id)}
        to={[
          ["timeline", "Timeline"],
          ["kernels", "Kernel"],
          ["source", "Source"],
        ]}
      />
      <Facts
        rows={[
          ["runs", countText(known.count)],
          ["with times", countText(known.timed)],
          ["total", has ? timeText(known.total_ns) : unknown],
          ["share", has ? shareText(known.total_ns, summary.sum_ns) : unknown],
          ["mean", has ? timeText(known.mean_ns) : unknown],
          ["p50, p95", has ? `${timeText(known.p50_ns)}, ${timeText(known.p95_ns)}` : unknown],
          ["min, max", has ? `${timeText(known.min_ns)}, ${timeText(known.max_ns)}` : unknown],
          [
            "timed together",
            known.together > 0 ? `${countText(known.together)} within ${timeText(known.together_ns)}` : "none",
          ],
          ["at most", has ? rateText(known.bandwidth) : unknown],
          ["shapes", countText(known.shapes)],
          [
            "group size",
            known.group_x ? gridText(known.group_x, known.group_y ?? 1, known.group_z ?? 1) : unknown,
          ],
          [
            "first, last",
            indexOf(known.first) >= 0 ? (
              <>
                <CommandLink command={indexOf(known.first)} /> <CommandLink command={indexOf(known.last)} />
              </>
            ) : (
              unknown
            ),
          ],
        ]}
      />
      {known.parameters.length > 0 && <h3>Parameters</h3>}
      <ul>
        {known.parameters.map((parameter, place) => (
          <li key={place}>
            <span>{parameter.name || <span class="dim">{place}</span>}</span>
            <span class="dim">{[parameter.access, parameter.element, parameter.kind].filter(Boolean).join(" ")}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function BufferPanel({ buffer }: { buffer: number }) {
  const known = trace.buffers.value?.[buffer];
  if (!known) return null;
  const command = (name: number | null) => (indexOf(name) >= 0 ? <CommandLink command={indexOf(name)} /> : "never");
  return (
    <>
      <h2>
        {known.id} {known.label && `'${known.label}'`}
      </h2>
      <p class="dim">
        {sizeText(known.size_bytes)}
        {known.element ? `, ${known.element}` : ""}
        {known.image ? `, ${known.image}` : known.kind !== "buffer" ? `, ${known.kind}` : ""}
      </p>
      <Actions
        kind="buffer"
        number={indexOf(known.id)}
        to={[
          ["buffers", "Contents"],
          ["memory", "Memory"],
          ["timeline", "Timeline"],
          ["dependencies", "Dependencies"],
        ]}
      />
      <Facts
        rows={[
          ["size", `${countText(known.size_bytes)} B`],
          ["alive from", timeText(known.alive_from)],
          ["to", known.outlives ? "the end, not freed" : timeText(known.alive_to)],
          ["reads", countText(known.reads)],
          ["writes", countText(known.writes)],
          ["first use", command(known.first)],
          ["last use", command(known.last)],
          ["first read", command(known.first_read)],
          ["last read", command(known.last_read)],
          ["at the peak", known.at_peak ? "alive" : "no"],
        ]}
      />
    </>
  );
}

function StreamPanel({ stream, summary }: { stream: number; summary: Summary }) {
  const known = summary.streams[stream],
    device = known.device == null ? undefined : summary.devices[known.device];
  const span = known.timed > 0 ? (activeTime(summary, known.device) ?? NaN) : NaN;
  return (
    <>
      <h2>
        {known.id} {known.label && `'${known.label}'`}
      </h2>
      <p class="dim">stream of {device?.name ?? "an unknown device"}</p>
      <Actions kind="stream" number={indexOf(known.id)} to={[["timeline", "Timeline"]]} />
      <Facts
        rows={[
          ["commands", countText(known.commands)],
          ["with times", countText(known.timed)],
          ["busy", known.timed > 0 ? timeText(known.busy_ns) : unknown],
          ["of its device's", timeText(span)],
          ["idle", known.timed > 0 ? timeText(span - known.busy_ns) : unknown],
          ["sum of commands", known.timed > 0 ? timeText(known.sum_ns) : unknown],
        ]}
      />
    </>
  );
}

function CallPanel({ call, catalog }: { call: number; catalog: Catalog }) {
  const calls = trace.calls.value;
  if (!calls) return <Waiting what="calls" />;
  if (call >= calls.rows) return <p class="nothing">This document has no call {call}.</p>;
  return (
    <>
      <h2>{catalog.text(calls.name[call])}</h2>
      <p class="dim">
        call {call} on thread {calls.thread[call]}
      </p>
      <Actions
        kind="call"
        number={call}
        to={[
          ["timeline", "Timeline"],
          ["calls", "Calls"],
        ]}
      />
      <Facts
        rows={[
          ["took", timeText(calls.end[call] - calls.begin[call])],
          ["from", timeText(calls.begin[call])],
          ["enqueued", calls.command[call] !== noIndex ? <CommandLink command={calls.command[call]} /> : "no command"],
        ]}
      />
    </>
  );
}

function Body({ summary }: { summary: Summary }) {
  const chosen = selection.value;
  if (!chosen)
    return (
      <p class="dim">
        Nothing is selected. A click on a command, a kernel, a buffer or a stream shows here what is known of it;{" "}
        <kbd>/</kbd> finds one by name.
      </p>
    );
  if (chosen.kind === "kernel")
    return focusedKernel.value >= 0 ? (
      <KernelPanel kernel={focusedKernel.value} summary={summary} />
    ) : (
      <p class="dim">This document has no k{chosen.number}.</p>
    );
  if (chosen.kind === "buffer")
    return focusedBuffer.value >= 0 ? (
      <BufferPanel buffer={focusedBuffer.value} />
    ) : (
      <p class="dim">This document has no b{chosen.number}.</p>
    );
  if (chosen.kind === "stream")
    return focusedStream.value >= 0 ? (
      <StreamPanel stream={focusedStream.value} summary={summary} />
    ) : (
      <p class="dim">This document has no s{chosen.number}.</p>
    );
  const catalog = names.value;
  if (!catalog) return <Waiting what="commands" />;
  if (chosen.kind === "call") return <CallPanel call={chosen.number} catalog={catalog} />;
  return <CommandPanel command={chosen.number} catalog={catalog} summary={summary} />;
}

export function Inspector({ summary }: { summary: Summary }) {
  return (
    <aside class="inspector" aria-label="Selection" aria-live="polite">
      <Body summary={summary} />
    </aside>
  );
}
