// range_panel.tsx - below the timeline: the kernels of the chosen range, or of everything.
import { useMemo } from "preact/hooks";
import { Catalog } from "../data/catalog";
import { indexOf, Summary } from "../data/json";
import { idleCauses, TableOf, workKinds } from "../data/tables";
import { focusedKernel } from "../state/focus";
import { range, select } from "../state/page";
import { theme } from "../state/theme";
import { css, paletteOf } from "../text/colors";
import { countText, plural, shareText, timeText } from "../text/units";
import { Swatch } from "../ui/links";
import { Column, VirtualTable } from "../ui/virtual_table";
import { totalsOf } from "./range_totals";

export function IdleLegend({ idle }: { idle: number[] }) {
  const palette = paletteOf(theme.value);
  return (
    <span class="legend">
      {idleCauses.map((cause, index) =>
        idle[index] > 0 ? (
          <span key={cause}>
            <i class="swatch hatched" style={{ color: css(palette.causes[index]) }} /> {cause} {timeText(idle[index])}
          </span>
        ) : null,
      )}
    </span>
  );
}

export function RangePanel({ summary, catalog, gaps }: { summary: Summary; catalog: Catalog; gaps: TableOf<"gaps"> }) {
  const chosen = range.value;
  const span = chosen ?? { begin: 0, end: Math.max(1, summary.span_ns) };
  const totals = useMemo(() => totalsOf(span, catalog, gaps), [span.begin, span.end, catalog, gaps]);
  const columns: Column[] = useMemo(() => {
    const row = (at: number) => totals.kernels[at];
    return [
      {
        key: "name",
        title: "kernel",
        width: "minmax(140px, 1fr)",
        value: (at) => name(row(at).kernel),
        cell: (at) => (
          <span class="named">
            <Swatch kernel={row(at).kernel} />
            {name(row(at).kernel)}
          </span>
        ),
      },
      {
        key: "count",
        title: "runs",
        width: "76px",
        isNumber: true,
        value: (at) => row(at).count,
        cell: (at) => countText(row(at).count),
      },
      {
        key: "time",
        title: "time",
        width: "88px",
        isNumber: true,
        hint: "Within the range",
        value: (at) => row(at).time,
        cell: (at) => timeText(row(at).time),
      },
      {
        key: "share",
        title: "share",
        width: "72px",
        isNumber: true,
        hint: "Share of the time of all commands within the range",
        cell: (at) => shareText(row(at).time, totals.sum),
      },
      {
        key: "mean",
        title: "mean",
        width: "84px",
        isNumber: true,
        value: (at) => row(at).time / row(at).count,
        cell: (at) => timeText(row(at).time / row(at).count),
      },
      {
        key: "most",
        title: "longest",
        width: "84px",
        isNumber: true,
        value: (at) => row(at).most,
        cell: (at) => timeText(row(at).most),
      },
    ];
  }, [totals]);
  function name(kernel: number): string {
    return kernel >= 0 ? catalog.kernels[kernel].name : workKinds[-1 - kernel];
  }
  const selected = totals.kernels.findIndex(({ kernel }) => kernel >= 0 && kernel === focusedKernel.value);
  return (
    <section class="range-panel" aria-label="Kernels in the range">
      <p class="strip-line" data-range={chosen ? "chosen" : "all"}>
        <b>{chosen ? `Range of ${timeText(chosen.end - chosen.begin)}` : "Everything"}</b>
        <span>{plural(totals.commands, "command")} with times</span>
        <span>ran {timeText(totals.sum)}</span>
        {totals.idle.some((ns) => ns > 0) && (
          <span>
            idle: <IdleLegend idle={totals.idle} />
          </span>
        )}
        {!chosen && <span class="dim">drag on the timeline to choose a range</span>}
      </p>
      <VirtualTable
        label="Kernels in the range"
        rows={totals.kernels.length}
        columns={columns}
        selected={selected}
        empty="No command with timestamps is in this range."
        onSelect={(at) => {
          const { kernel } = totals.kernels[at];
          if (kernel >= 0) select("kernel", indexOf(catalog.kernels[kernel].id));
        }}
      />
    </section>
  );
}
