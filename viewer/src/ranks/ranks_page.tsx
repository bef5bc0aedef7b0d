// ranks_page.tsx - the page of many ranks: the sentence, the heat map, timelines of a step, and the numbers.
import { useState } from "preact/hooks";
import { theme, toggleTheme } from "../state/theme";
import { countText, deltaText, plural, timeText } from "../text/units";
import { failure, Ranks, ranks, resources, Timelines, timelines } from "./data";
import { HeatMap } from "./heat_map";
import { StepTimelines } from "./step_timelines";

const mostLanes = 8;

function RankTable({ all }: { all: Ranks }) {
  const differs = all.differences.length > 0;
  return (
    <section>
      <h2>Ranks</h2>
      <table class="ranks-table">
        <thead>
          <tr>
            {["Rank", "Steps", "Busy", "Idle", "Own work", "Against others", "Waiting", "Last"].map((title) => (
              <th key={title} class="number">
                {title}
              </th>
            ))}
            {all.waits_recorded && <th>Waiting in</th>}
            <th />
            {differs && <th>Work</th>}
            <th>Document</th>
          </tr>
        </thead>
        <tbody>
          {all.ranks.map((rank) => (
            <tr key={rank.rank} class={rank.lateness === "none" ? "" : "late"}>
              <td class="number">{rank.rank}</td>
              <td class="number">{countText(rank.steps)}</td>
              <td class="number">{timeText(rank.own_ns ? rank.busy_ns : null)}</td>
              <td class="number">{timeText(rank.own_ns ? rank.idle_ns : null)}</td>
              <td class="number">{timeText(rank.own_ns || null)}</td>
              <td class="number">{deltaText(rank.own_ns ? rank.excess_ns : null)}</td>
              <td class="number">{timeText(rank.waiting_ns)}</td>
              <td class="number">{countText(rank.last)}</td>
              {all.waits_recorded && <td title={rank.waits.map((wait) => `${wait.text}: ${timeText(wait.ns)}`).join("\n")}>{rank.waits[0]?.text ?? ""}</td>}
              <td>{rank.lateness === "none" ? "" : rank.lateness}</td>
              {differs && <td>{String.fromCharCode(65 + (rank.work_group % 26))}</td>}
              <td>{resources.served ? <a href={`rank/${rank.rank}/`}>{rank.document}</a> : rank.document}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="ranks-note">
        Times are medians of a step.{" "}
        {all.waits_recorded
          ? "Waiting is the time in recorded calls of MPI with an idle device, beyond that of the rank that has least of it. "
          : ""}
        {all.numbered_by_name ? "The documents don't tell their ranks: they are numbered by their names." : ""}
      </p>
    </section>
  );
}

function Body({ all, lines }: { all: Ranks; lines: Timelines }) {
  const [step, setStep] = useState(lines.first ?? 0);
  const [chosen, setChosen] = useState<number[]>(() => {
    const wanted = [all.straggler, all.typical].filter((rank): rank is number => rank !== null);
    const others = all.ranks.map((rank) => rank.rank).filter((rank) => !wanted.includes(rank));
    return [...wanted, ...others].slice(0, 4).sort((a, b) => a - b);
  });
  const pick = (at: number, rank: number) => {
    setStep(at);
    setChosen((now) => (now.includes(rank) ? now : [...now.slice(-(mostLanes - 1)), rank].sort((a, b) => a - b)));
  };
  return (
    <>
      <HeatMap all={all} step={step} pick={pick} />
      <StepTimelines
        all={all}
        timelines={lines}
        step={step}
        chosen={chosen}
        drop={(rank) => setChosen((now) => now.filter((other) => other !== rank))}
      />
    </>
  );
}

export function RanksPage() {
  const all = ranks.value,
    lines = timelines.value;
  if (failure.value) return <p class="failed">The ranks can&apos;t be shown: {failure.value}</p>;
  if (!all) return <p class="waiting">Loading the ranks …</p>;
  return (
    <main class="ranks-page" aria-label="Ranks">
      <header class="ranks-head">
        <h1>
          {plural(all.ranks.length, "rank")} of {all.program}, {plural(all.steps.length, "step")}
        </h1>
        <button class="icon" onClick={toggleTheme} aria-label={`Switch to ${theme.value === "dark" ? "light" : "dark"} colours`}>
          {theme.value === "dark" ? "☾" : "☀"}
        </button>
      </header>
      <p class="ranks-sentence">{all.sentence}</p>
      {[...all.problems, ...all.differences].map((sentence) => (
        <p key={sentence} class="ranks-note">
          {sentence}
        </p>
      ))}
      {lines && <Body all={all} lines={lines} />}
      <RankTable all={all} />
    </main>
  );
}
