// step_timelines.tsx - one step of chosen ranks, above each other, on one scale.
import { useMemo } from "preact/hooks";
import { theme } from "../state/theme";
import { css, kernelColorCount, kernelSlots, paletteOf } from "../text/colors";
import { timeText } from "../text/units";
import { useCanvas } from "../ui/canvas";
import { Ranks, resources, Timelines } from "./data";

const laneHeight = 26;
const left = 56;

interface Props {
  all: Ranks;
  timelines: Timelines;
  step: number;
  chosen: number[]; // ranks
  drop(rank: number): void;
}

function alignmentText(all: Ranks, timelines: Timelines): string {
  if (timelines.aligned) return `Aligned by one clock, error ${timeText(all.clock_error_ns)}.`;
  return all.clock === "too_wide"
    ? "The clocks' error is as large as what ranks differ by: each rank is drawn from its own start of the step, so order between ranks means nothing."
    : "The ranks have no common clock: each is drawn from its own start of the step, so order between ranks means nothing.";
}

export function StepTimelines({ all, timelines, step, chosen, drop }: Props) {
  const lanes = chosen
    .map((rank) => timelines.ranks.find((lane) => lane.rank === rank))
    .filter((lane): lane is Timelines["ranks"][number] => lane !== undefined);
  const names = useMemo(() => [...new Set(timelines.ranks.flatMap((lane) => lane.rows))], [timelines]);
  const slots = useMemo(() => kernelSlots(names), [names]);
  const isHere = lanes.some((lane) => lane.steps[step]);
  let end = 1;
  for (const lane of lanes) {
    const runs = lane.steps[step];
    runs?.start_ns.forEach((start, at) => (end = Math.max(end, start + runs.length_ns[at])));
  }

  const canvas = useCanvas((context, size) => {
    const palette = paletteOf(theme.value);
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.fillStyle = palette.background;
    context.fillRect(0, 0, size.width, size.height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const scale = (size.width - left - 4) / end;
    lanes.forEach((lane, place) => {
      const top = place * laneHeight;
      context.fillStyle = palette.faint;
      context.fillRect(left, top, size.width - left - 4, laneHeight - 4);
      context.fillStyle = lane.rank === all.straggler ? css(palette.warning) : palette.dim;
      context.fillText(`rank ${lane.rank}`, 2, top + laneHeight / 2 - 2);
      const runs = lane.steps[step];
      if (!runs) return;
      runs.row.forEach((row, at) => {
        const name = lane.rows[row];
        const x = left + runs.start_ns[at] * scale,
          wide = Math.max(1, runs.length_ns[at] * scale);
        context.fillStyle = css(palette.kernels[slots[names.indexOf(name)] % kernelColorCount]);
        context.fillRect(x, top, wide > 3 ? wide - 0.5 : wide, laneHeight - 4);
        if (wide > context.measureText(name).width + 6) {
          context.fillStyle = palette.onColor;
          context.fillText(name, x + 3, top + laneHeight / 2 - 2);
        }
      });
    });
    context.fillStyle = palette.dim;
    const bottom = lanes.length * laneHeight + 6;
    for (let tick = 0; tick <= 4; ++tick) {
      context.textAlign = tick === 4 ? "right" : "left";
      context.fillText(timeText((end * tick) / 4), left + (size.width - left - 4) * (tick / 4), bottom);
    }
    context.textAlign = "left";
  });

  return (
    <section class="ranks-timelines">
      <h2>
        Step {step}, {lanes.length === 1 ? "one rank" : `${lanes.length} ranks`}
      </h2>
      <p class="ranks-note">{alignmentText(all, timelines)}</p>
      {isHere ? null : (
        <p class="ranks-note">
          This page has no timeline of step {step}. {timelines.left_out.join(" ")} Open a rank&apos;s document to see it.
        </p>
      )}
      <canvas ref={canvas.ref} style={{ height: `${lanes.length * laneHeight + 16}px` }} role="img" aria-label={`Timelines of step ${step}`} />
      <p class="ranks-chosen">
        {lanes.map((lane) => (
          <span key={lane.rank} class="ranks-chip">
            {resources.served ? <a href={`rank/${lane.rank}/`}>rank {lane.rank}</a> : <>rank {lane.rank}</>}
            <button onClick={() => drop(lane.rank)} aria-label={`Leave out rank ${lane.rank}`}>
              ×
            </button>
          </span>
        ))}
      </p>
    </section>
  );
}
