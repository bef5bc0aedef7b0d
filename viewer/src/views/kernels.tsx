// kernels.tsx - which kernels took the time, how evenly, and with which shapes they were launched.
import { useMemo } from "preact/hooks";
import { Catalog, catalog as names } from "../data/catalog";
import { trace } from "../data/current";
import { indexOf, Kernel, Summary } from "../data/json";
import { focusedCommand, focusedKernel } from "../state/focus";
import { goTo, range, select } from "../state/page";
import { theme } from "../state/theme";
import { kernelCss } from "../data/kernel_colors";
import { Launch } from "../data/launch";
import { histogram } from "../text/histogram";
import { countText, plural, rateText, shareText, timeText, unknown } from "../text/units";
import { Swatch } from "../ui/links";
import { Failed, Nothing, Waiting } from "../ui/missing";
import { Column, VirtualTable } from "../ui/virtual_table";

function kernelColumns(kernels: Kernel[], summary: Summary): Column[] {
  const number = (
    key: keyof Kernel & string,
    title: string,
    width: string,
    text: (value: number) => string,
    hint?: string,
    needsTimes = true,
  ): Column => ({
    key,
    title,
    width,
    isNumber: true,
    hint,
    value: (k) => (needsTimes && kernels[k].timed === 0 ? NaN : (kernels[k][key] as number)),
    cell: (k) => (needsTimes && kernels[k].timed === 0 ? unknown : text(kernels[k][key] as number)),
  });
  const areTogether = kernels.some((kernel) => kernel.together > 0);
  const columns: Column[] = [
    {
      key: "name",
      title: "kernel",
      width: "minmax(120px, 1fr)",
      value: (k) => kernels[k].name,
      cell: (k) => (
        <span class="named">
          <Swatch kernel={k} />
          {kernels[k].name} <span class="dim">{kernels[k].id}</span>
        </span>
      ),
    },
    number("count", "runs", "56px", countText, "Dispatches", false),
    number("total_ns", "total", "78px", timeText),
    {
      key: "share",
      title: "share",
      width: "54px",
      isNumber: true,
      hint: "Share of the time of all commands",
      cell: (k) => (kernels[k].timed ? shareText(kernels[k].total_ns, summary.sum_ns) : unknown),
    },
    number("mean_ns", "mean", "72px", timeText),
    number("min_ns", "min", "72px", timeText),
    number("p50_ns", "p50", "72px", timeText),
    number("p95_ns", "p95", "72px", timeText),
    number("max_ns", "max", "72px", timeText),
    number("variation", "cv", "40px", (value) => value.toFixed(2), "Standard deviation over mean"),
    number(
      "bandwidth",
      "≤ GB/s",
      "62px",
      (value) => (value > 0 ? rateText(value).replace(" GB/s", "") : unknown),
      "An upper bound: as if each run touched all of its buffers once",
    ),
    number("shapes", "shapes", "50px", countText, "Different launch sizes", false),
  ];
  // What tells how even runs are gives way to it.
  if (!areTogether) return columns;
  return [...columns.filter(({ key }) => key !== "min_ns" && key !== "variation"), togetherColumn(kernels)];
}

// Runs that no barrier keeps apart have no times of their own.
const togetherColumn = (kernels: Kernel[]): Column => ({
  key: "together",
  title: "together",
  width: "140px",
  isNumber: true,
  hint: "With all that ran beside them; reel capture --stamps dispatches times each run",
  value: (k) => kernels[k].together_ns,
  cell: (k) =>
    kernels[k].together > 0 ? `${countText(kernels[k].together)} within ${timeText(kernels[k].together_ns)}` : unknown,
});

interface HistogramOf {
  durations: Float64Array;
  color: string;
  label: string;
  together: number; // runs that have no times of their own
}

function Histogram({ durations, color, label, together }: HistogramOf) {
  const bins = useMemo(() => histogram(durations, 48), [durations]);
  if (bins.length === 0)
    return (
      <Nothing>
        No run of it has times{range.value ? " in this range" : ""}
        {together > 0 ? " of its own: they were timed together. reel capture --stamps dispatches times each." : "."}
      </Nothing>
    );
  const most = bins.reduce((top, bin) => Math.max(top, bin.count), 1),
    width = 480,
    height = 96;
  const step = width / bins.length;
  return (
    <figure class="histogram">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${bins
          .filter((bin) => bin.count)
          .map((bin) => `${countText(bin.count)} of ${timeText(bin.from)} to ${timeText(bin.to)}`)
          .join("; ")}`}
      >
        {bins.map(
          (bin, place) =>
            bin.count > 0 && (
              <rect
                key={place}
                x={place * step}
                width={Math.max(1, step - 1)}
                y={height - Math.max(1.5, (bin.count / most) * height)}
                height={Math.max(1.5, (bin.count / most) * height)}
                fill={color}
              >
                <title>{`${countText(bin.count)}: ${timeText(bin.from)} to ${timeText(bin.to)}`}</title>
              </rect>
            ),
        )}
      </svg>
      <figcaption class="dim">
        <span>{timeText(bins[0].from)}</span>
        <span>{plural(durations.length, "run")} with times</span>
        <span>{timeText(bins[bins.length - 1].to)}</span>
      </figcaption>
    </figure>
  );
}

// In groups; in items where the driver chose their size.
const gridOf = (launch: Launch | null) => (!launch ? "" : launch.groups || `${launch.items} items`);

interface Shape {
  groups: string;
  group: string;
  count: number;
  timed: number;
  time: number;
}

function Launches({ kernel, catalog, together }: { kernel: number; catalog: Catalog; together: number }) {
  const span = range.value;
  const { commands, durations, shapes } = useMemo(() => {
    const found: number[] = [],
      times: number[] = [],
      byShape = new Map<string, Shape>();
    const { started, ended } = catalog.commands;
    for (let command = 0; command < catalog.count; ++command) {
      if (catalog.kernel(command) !== kernel) continue;
      if (span && !(ended[command] > span.begin && started[command] < span.end)) continue;
      found.push(command);
      const duration = catalog.duration(command),
        launch = catalog.launch(command),
        groups = gridOf(launch),
        group = launch?.groupSize || "any";
      let shape = byShape.get(`${groups} ${group}`);
      if (!shape) byShape.set(`${groups} ${group}`, (shape = { groups, group, count: 0, timed: 0, time: 0 }));
      ++shape.count;
      if (Number.isNaN(duration)) continue;
      times.push(duration);
      ++shape.timed;
      shape.time += duration;
    }
    return {
      commands: Uint32Array.from(found),
      durations: Float64Array.from(times),
      shapes: [...byShape.values()].sort((a, b) => b.time - a.time || b.count - a.count),
    };
  }, [kernel, catalog, span?.begin, span?.end]);

  const launchColumns: Column[] = useMemo(
    () => [
      { key: "command", title: "command", width: "70px", value: (c) => c, cell: (c) => `c${c}` },
      {
        key: "label",
        title: "label",
        width: "minmax(90px, 1fr)",
        value: (c) => catalog.label(c),
        cell: (c) => catalog.label(c) || unknown,
      },
      {
        key: "scope",
        title: "scope",
        width: "minmax(110px, 1.4fr)",
        value: (c) => catalog.scope(c),
        cell: (c) => catalog.scope(c) || unknown,
      },
      { key: "groups", title: "groups", width: "110px", isNumber: true, cell: (c) => gridOf(catalog.launch(c)) },
      {
        key: "started",
        title: "started",
        width: "80px",
        isNumber: true,
        value: (c) => catalog.commands.started[c],
        cell: (c) => timeText(catalog.commands.started[c]),
      },
      {
        key: "ran",
        title: "ran",
        width: "80px",
        isNumber: true,
        value: (c) => catalog.duration(c),
        cell: (c) => timeText(catalog.duration(c)),
      },
    ],
    [catalog],
  );
  const shapeColumns: Column[] = useMemo(
    () => [
      { key: "groups", title: "groups", width: "minmax(60px, 1fr)", cell: (s) => shapes[s].groups },
      { key: "group", title: "of", width: "50px", cell: (s) => shapes[s].group },
      {
        key: "count",
        title: "runs",
        width: "48px",
        isNumber: true,
        value: (s) => shapes[s].count,
        cell: (s) => countText(shapes[s].count),
      },
      {
        key: "mean",
        title: "mean",
        width: "66px",
        isNumber: true,
        value: (s) => shapes[s].time / shapes[s].timed,
        cell: (s) => (shapes[s].timed ? timeText(shapes[s].time / shapes[s].timed) : unknown),
      },
    ],
    [shapes],
  );
  const { name } = catalog.kernels[kernel];
  return (
    <div class="kernel-detail">
      <div class="pane">
        <h2 class="named">
          <Swatch kernel={kernel} />
          {name} <span class="dim">{span ? "in the range" : ""}</span>
        </h2>
        <Histogram
          durations={durations}
          color={kernelCss(kernel, theme.value)}
          label={`Durations of ${name}`}
          together={together}
        />
        <VirtualTable label={`Shapes of ${name}`} rows={shapes.length} columns={shapeColumns} />
      </div>
      <div class="pane">
        <VirtualTable
          label={`Launches of ${name}`}
          rows={commands}
          columns={launchColumns}
          selected={focusedCommand.value}
          onSelect={(command) => select("command", command)}
          onOpen={(command) => goTo("timeline", "command", command)}
        />
      </div>
    </div>
  );
}

export function KernelsView({ summary }: { summary: Summary }) {
  const kernels = trace.kernels.value,
    catalog = names.value;
  const columns = useMemo(() => (kernels ? kernelColumns(kernels, summary) : []), [kernels, summary]);
  if (trace.kernels.error) return <Failed what="Kernels" error={trace.kernels.error} />;
  if (!kernels) return <Waiting what="kernels" />;
  if (kernels.length === 0) return <Nothing>No kernel was recorded.</Nothing>;
  const longest = kernels.reduce((best, kernel, index) => (kernel.total_ns > kernels[best].total_ns ? index : best), 0);
  const shown = focusedKernel.value >= 0 ? focusedKernel.value : longest;
  return (
    <div class="split-below">
      <div class="pane">
        <VirtualTable
          label="Kernels"
          rows={kernels.length}
          columns={columns}
          selected={focusedKernel.value}
          sort={{ key: "total_ns", isDescending: true }}
          onSelect={(k) => select("kernel", indexOf(kernels[k].id))}
          onOpen={(k) => goTo("source", "kernel", indexOf(kernels[k].id))}
        />
      </div>
      <div class="pane">
        {catalog ? (
          <Launches kernel={shown} catalog={catalog} together={kernels[shown].together} />
        ) : (
          <Waiting what="launches" />
        )}
      </div>
    </div>
  );
}
