// tip.tsx - what the pointer is on.
import { Catalog } from "../data/catalog";
import { launchText } from "../data/launch";
import { idleCauses, noIndex, overheadKinds, pathKinds, TableOf } from "../data/tables";
import { plural, sizeText, timeText, unknown } from "../text/units";
import { TimelineData } from "./rows";
import { Thing } from "./track";

// queued, submitted, started, ended: when, and how long after the one before.
export function Stages({ command, catalog }: { command: number; catalog: Catalog }) {
  const { commands } = catalog;
  const stages: [string, number][] = [
    ["called", commands.call_begin[command]],
    ["queued", commands.queued[command]],
    ["submitted", commands.submitted[command]],
    ["started", commands.started[command]],
    ["ended", commands.ended[command]],
  ];
  let before = NaN;
  return (
    <table class="stages" aria-label="Stages">
      <tbody>
        {stages.map(([name, time]) => {
          const step = time - before;
          if (!Number.isNaN(time)) before = time;
          return (
            <tr key={name}>
              <th>{name}</th>
              <td>{Number.isNaN(time) ? <span class="dim">not recorded</span> : timeText(time)}</td>
              <td class="dim">{Number.isNaN(step) ? "" : `+${timeText(step)}`}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function CommandTip({ command, catalog }: { command: number; catalog: Catalog }) {
  const launch = catalog.launch(command);
  return (
    <>
      <b>{catalog.describe(command)}</b>
      <p>
        {Number.isNaN(catalog.duration(command)) ? "no times" : timeText(catalog.duration(command))}
        {launch && <span class="dim"> · {launchText(launch)}</span>}
      </p>
      <Stages command={command} catalog={catalog} />
    </>
  );
}

function Span({ begin, end }: { begin: number; end: number }) {
  return (
    <p>
      {timeText(end - begin)} <span class="dim">from {timeText(begin)}</span>
    </p>
  );
}

function GapTip({ gap, gaps, data }: { gap: number; gaps: TableOf<"gaps">; data: TimelineData }) {
  const { catalog, calls } = data,
    call = gaps.call[gap];
  const name = (command: number) => (command === noIndex ? unknown : catalog.describe(command));
  return (
    <>
      <b>Idle: {idleCauses[gaps.cause[gap]]}</b>
      <Span begin={gaps.begin[gap]} end={gaps.end[gap]} />
      {call !== noIndex && <p>meanwhile the host: {catalog.text(calls.name[call])}</p>}
      <p class="dim">after {name(gaps.before[gap])}</p>
      <p class="dim">before {name(gaps.after[gap])}</p>
    </>
  );
}

export function Tip({ thing, data }: { thing: Thing; data: TimelineData }) {
  const { catalog, calls, regions, overheads, path, gaps, intervals } = data,
    { index } = thing;
  switch (thing.kind) {
    case "command":
    case "use":
      return <CommandTip command={index} catalog={catalog} />;
    case "call":
      return (
        <>
          <b>{catalog.text(calls.name[index])}</b>
          <Span begin={calls.begin[index]} end={calls.end[index]} />
          {calls.command[index] !== noIndex && <p class="dim">gave {catalog.describe(calls.command[index])}</p>}
        </>
      );
    case "region":
      return (
        <>
          <b>{data.regionTree.title(index)}</b>
          <Span begin={regions.begin[index]} end={regions.end[index]} />
        </>
      );
    case "overhead":
      return (
        <>
          <b>Capture itself: {overheadKinds[overheads.kind[index]]}</b>
          <Span begin={overheads.begin[index]} end={overheads.end[index]} />
          {overheads.bytes[index] > 0 && <p class="dim">{sizeText(overheads.bytes[index])}</p>}
        </>
      );
    case "step":
      return (
        <>
          <b>{pathKinds[path.kind[index]]} on the critical path</b>
          <Span begin={path.begin[index]} end={path.end[index]} />
          {path.command[index] !== noIndex && <p class="dim">{catalog.describe(path.command[index])}</p>}
        </>
      );
    case "interval": {
      const first = intervals.first[index];
      return (
        <>
          <b>{plural(intervals.count[index], "command")}, timed together</b>
          <Span begin={intervals.begin[index]} end={intervals.end[index]} />
          <p class="dim">from {catalog.describe(first)}</p>
          <p class="dim">to {catalog.describe(first + intervals.count[index] - 1)}</p>
        </>
      );
    }
    case "gap":
      return <GapTip gap={index} gaps={gaps} data={data} />;
  }
}
