// heat_map.tsx - ranks down, steps across: how much longer than the median rank each took for its own work.
import { useMemo, useState } from "preact/hooks";
import { theme } from "../state/theme";
import { css, oklch, paletteOf } from "../text/colors";
import { deltaText, timeText, unknown } from "../text/units";
import { useCanvas } from "../ui/canvas";
import { Ranks, resources, stepMedians } from "./data";

const rowHeight = (count: number) => (count <= 16 ? 20 : count <= 48 ? 12 : 8);

// From the background to a strong colour; what is faster than the median is as pale as what equals it.
function colorOf(part: number, dark: boolean): string {
  const strength = Math.min(1, Math.max(0, part));
  return css(dark ? oklch(0.27 + 0.48 * strength, 0.02 + 0.15 * strength, 45) : oklch(0.97 - 0.4 * strength, 0.01 + 0.17 * strength, 40));
}

interface Props {
  all: Ranks;
  step: number;
  pick(step: number, rank: number): void;
}

export function HeatMap({ all, step, pick }: Props) {
  const medians = useMemo(() => stepMedians(all), [all]);
  // The colour of the strongest cell: the ninetieth of a hundred excesses, so that one outlier leaves the rest visible.
  const scale = useMemo(() => {
    const parts: number[] = [];
    all.ranks.forEach((rank) =>
      rank.step_own_ns.forEach((own, at) => {
        const median = medians[at];
        if (own != null && median) parts.push((own - median) / median);
      }),
    );
    parts.sort((a, b) => a - b);
    return Math.max(0.05, parts[Math.floor(parts.length * 0.98)] ?? 0);
  }, [all]);
  const [over, setOver] = useState<{ place: number; step: number } | null>(null);
  const high = rowHeight(all.ranks.length);
  const steps = all.steps.length;

  const canvas = useCanvas((context, size) => {
    const dark = theme.value === "dark",
      palette = paletteOf(theme.value);
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.fillStyle = palette.background;
    context.fillRect(0, 0, size.width, size.height);
    const wide = size.width / steps;
    const gap = wide > 4 ? 1 : 0;
    all.ranks.forEach((rank, place) => {
      for (let at = 0; at < steps; ++at) {
        const own = rank.step_own_ns[at],
          median = medians[at];
        context.fillStyle = own == null || !median ? palette.faint : colorOf((own - median) / median / scale, dark);
        context.fillRect(at * wide, place * high, Math.max(1, wide - gap), high - 1);
      }
    });
    context.strokeStyle = palette.text;
    context.strokeRect(step * wide + 0.5, 0.5, Math.max(2, wide - gap), high * all.ranks.length - 1);
  });

  const cellAt = (event: MouseEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const at = Math.floor(((event.clientX - box.left) / box.width) * steps),
      place = Math.floor((event.clientY - box.top) / high);
    return at >= 0 && at < steps && place >= 0 && place < all.ranks.length ? { place, step: at } : null;
  };
  const told = over ?? null;
  const own = told && all.ranks[told.place].step_own_ns[told.step],
    median = told && medians[told.step];
  return (
    <section class="ranks-heat">
      <h2>Own work against the median rank, by step</h2>
      <div class="ranks-grid">
        <div class="ranks-labels">
          {all.ranks.map((rank) => (
            <div key={rank.rank} style={{ height: `${high}px`, lineHeight: `${high}px` }} class={rank.rank === all.straggler ? "late" : ""}>
              {high >= 12 || rank.rank % 8 === 0 || rank.rank === all.straggler ? (
                resources.served ? (
                  <a href={`rank/${rank.rank}/`} title={`Open ${rank.document}`}>
                    {rank.rank}
                  </a>
                ) : (
                  <span title={`reel view ${rank.document}`}>{rank.rank}</span>
                )
              ) : null}
            </div>
          ))}
        </div>
        <canvas
          ref={canvas.ref}
          style={{ height: `${high * all.ranks.length}px` }}
          role="img"
          aria-label={`Heat map of ${all.ranks.length} ranks and ${steps} steps`}
          onMouseMove={(event) => setOver(cellAt(event))}
          onMouseLeave={() => setOver(null)}
          onClick={(event) => {
            const cell = cellAt(event);
            if (cell) pick(cell.step, all.ranks[cell.place].rank);
          }}
        />
      </div>
      <p class="ranks-legend">
        <span class="ranks-ramp">
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
            <i key={part} style={{ background: colorOf(part, theme.value === "dark") }} />
          ))}
        </span>
        as long as the median rank … {(100 * scale).toFixed(0)}% longer or more.{" "}
        {told
          ? `Rank ${all.ranks[told.place].rank}, step ${told.step}: own work ${timeText(own)}, ${
              own != null && median ? deltaText(own - median) : unknown
            } against the median rank, waited ${timeText(all.ranks[told.place].step_waiting_ns[told.step])}.`
          : "Click a cell for its timeline, a rank's number for its document."}
      </p>
    </section>
  );
}
