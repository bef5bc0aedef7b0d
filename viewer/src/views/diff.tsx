// diff.tsx - what changed from one document to another: time that adds up, sources, results, findings.
import { useMemo, useState } from "preact/hooks";
import { trace } from "../data/current";
import { DiffFinding, DiffRow, DiffSide, DiffTime, indexOf } from "../data/json";
import { Diff } from "../data/trace";
import { commentStarts } from "../source/tokenizer";
import { CodeLine } from "../source/code";
import { diffLines } from "../source/line_diff";
import { goTo, options, setOption } from "../state/page";
import { countText, deltaText, plural, shareText, sizeText, timeText, unknown } from "../text/units";
import { Failed, Nothing, Waiting } from "../ui/missing";
import { Column, VirtualTable } from "../ui/virtual_table";

const parts = ["time", "sources", "contents", "findings"] as const;
type Part = (typeof parts)[number];

const fileName = (path: string) => path.split("/").pop() || path;
const tone = (delta: number) => (delta > 0 ? "worse" : delta < 0 ? "better" : "dim");
// Only what is significant has a colour: the headline, the tables and `reel diff` say the same.
const timeTone = (time: DiffTime) => (time.significant ? tone(time.delta_ns) : "dim");
const withSpread = (ns: number, spread: number) => (spread ? `${timeText(ns)} ± ${timeText(spread)}` : timeText(ns));

// What decided, for whoever points at it.
function whyOf(time: DiffTime): string {
  if (!time.comparable) return "Recording takes the graph of one document apart";
  if (time.p === null) return "Too few passes to tell a change from noise";
  const needed = time.passes_needed ? `; ${time.passes_needed} passes of each might show it` : "";
  return `p = ${time.p.toPrecision(2)}; the lower decile changed by ${deltaText(time.shift_ns)}, less than ${timeText(time.floor_ns)} is not called a change${needed}`;
}

function Totals({ diff }: { diff: Diff }) {
  const { a, b } = diff;
  const time = (name: string, value: DiffTime) => (
    <tr key={name} data-total={name} title={whyOf(value)}>
      <th>{name}</th>
      <td>{withSpread(value.ns_a, value.spread_a_ns)}</td>
      <td>{withSpread(value.ns_b, value.spread_b_ns)}</td>
      <td class={timeTone(value)}>{value.delta_ns === 0 ? "0" : deltaText(value.delta_ns)}</td>
      <td class="dim">
        {value.delta_ns > 0 ? "+" : ""}
        {shareText(value.delta_ns, value.ns_a)} {value.verdict}
      </td>
    </tr>
  );
  const row = (name: string, before: string, after: string, delta: number, change: string, share: string) => (
    <tr key={name} data-total={name}>
      <th>{name}</th>
      <td>{before}</td>
      <td>{after}</td>
      <td class={tone(delta)}>{delta === 0 ? "0" : change}</td>
      <td class="dim">{delta > 0 ? `+${share}` : share}</td>
    </tr>
  );
  const passes = (side: DiffSide) => (side.passes > 1 ? countText(side.passes) : "one");
  return (
    <table class="totals">
      <thead>
        <tr>
          <th />
          <th title={a.document}>{fileName(a.document)}</th>
          <th title={b.document}>{fileName(b.document)}</th>
          <th>change</th>
          <th />
        </tr>
      </thead>
      <tbody>
        {time("one pass", diff.total)}
        {time("busy", diff.busy)}
        {time("idle", diff.idle)}
        {diff.between && time("between passes", diff.between)}
        {row(
          "memory peak",
          sizeText(a.peak_bytes),
          sizeText(b.peak_bytes),
          b.peak_bytes - a.peak_bytes,
          (b.peak_bytes > a.peak_bytes ? "+" : "-") + sizeText(Math.abs(b.peak_bytes - a.peak_bytes)),
          shareText(b.peak_bytes - a.peak_bytes, a.peak_bytes),
        )}
        {row(
          "commands",
          countText(a.commands),
          countText(b.commands),
          b.commands - a.commands,
          (b.commands > a.commands ? "+" : "") + countText(b.commands - a.commands),
          shareText(b.commands - a.commands, a.commands),
        )}
        <tr>
          <th>passes</th>
          <td>{passes(a)}</td>
          <td>{passes(b)}</td>
          <td colSpan={2} class="dim">
            medians ± half the interquartile range
          </td>
        </tr>
      </tbody>
    </table>
  );
}

function remarks(row: DiffRow): string {
  const found = [];
  if (row.run)
    found.push(
      `${row.count_b} runs, were ${row.count_a}; one takes ${timeText(row.run.ns_b)}, took ${timeText(row.run.ns_a)}`,
    );
  if (row.new_source) found.push("new source or options");
  if (row.new_program) found.push("its program changed");
  if (row.new_shape) found.push("new launch size");
  if (row.new_arguments) found.push("new arguments");
  return found.join(", ");
}

const changeOf = (row: DiffRow) => (row.change === "same" ? row.verdict : row.change);

function TimeRows({ diff }: { diff: Diff }) {
  const { rows } = diff;
  const sum = rows.reduce((total, row) => total + row.delta_ns, 0);
  const longest = rows.reduce((most, row) => Math.max(most, Math.abs(row.delta_ns)), 1);
  const columns: Column[] = useMemo(
    () => [
      {
        key: "change",
        title: "",
        width: "104px",
        value: (r) => rows[r].change,
        cell: (r) => (
          <span class={timeTone(rows[r])} title={whyOf(rows[r])}>
            {changeOf(rows[r])}
          </span>
        ),
      },
      {
        key: "name",
        title: "what",
        width: "minmax(120px, 1fr)",
        value: (r) => rows[r].name,
        cell: (r) => rows[r].name,
      },
      {
        key: "scope",
        title: "scope",
        width: "minmax(140px, 1.4fr)",
        value: (r) => rows[r].scope,
        cell: (r) => rows[r].scope || <span class="dim">no scope</span>,
      },
      {
        key: "count",
        title: "runs",
        width: "66px",
        isNumber: true,
        value: (r) => rows[r].count_b,
        cell: (r) =>
          rows[r].count_a === rows[r].count_b
            ? countText(rows[r].count_b)
            : `${countText(rows[r].count_a)} → ${countText(rows[r].count_b)}`,
      },
      {
        key: "before",
        title: "before",
        width: "130px",
        isNumber: true,
        value: (r) => rows[r].ns_a,
        cell: (r) => (rows[r].change === "added" ? unknown : withSpread(rows[r].ns_a, rows[r].spread_a_ns)),
      },
      {
        key: "after",
        title: "after",
        width: "130px",
        isNumber: true,
        value: (r) => rows[r].ns_b,
        cell: (r) => (rows[r].change === "removed" ? unknown : withSpread(rows[r].ns_b, rows[r].spread_b_ns)),
      },
      {
        key: "delta",
        title: "change",
        width: "84px",
        isNumber: true,
        value: (r) => rows[r].delta_ns,
        cell: (r) => <b class={timeTone(rows[r])}>{deltaText(rows[r].delta_ns)}</b>,
      },
      {
        key: "bar",
        title: "",
        width: "90px",
        cell: (r) => (
          <span class="delta-bar">
            <i
              class={timeTone(rows[r])}
              style={{
                width: `${(50 * Math.abs(rows[r].delta_ns)) / longest}%`,
                [rows[r].delta_ns < 0 ? "right" : "left"]: "50%",
              }}
            />
          </span>
        ),
      },
      {
        key: "remark",
        title: "",
        width: "minmax(110px, 1fr)",
        cell: (r) => <span class="dim">{remarks(rows[r])}</span>,
      },
    ],
    [rows],
  );
  return (
    <>
      <p class="strip-line sum" data-sum={sum} data-idle={diff.idle_delta_ns} data-rest={diff.rest_ns} data-total={diff.total_delta_ns}>
        <span>
          rows <b>{deltaText(sum)}</b>
        </span>{" "}
        <span>
          and idle time <b>{deltaText(diff.idle_delta_ns)}</b>
        </span>{" "}
        {diff.rest_ns !== 0 && (
          <span title="The medians of parts don't add up to the median of the whole">
            and the rest <b>{deltaText(diff.rest_ns)}</b>
          </span>
        )}{" "}
        <span>
          make <b class={timeTone(diff.total)}>{deltaText(diff.total_delta_ns)}</b>
        </span>
      </p>
      <VirtualTable
        label="What changed"
        rows={rows.length}
        columns={columns}
        empty="Neither document has commands with timestamps."
        onOpen={(r) => indexOf(rows[r].first_b) >= 0 && goTo("timeline", "command", indexOf(rows[r].first_b))}
      />
    </>
  );
}

function Sources({ diff }: { diff: Diff }) {
  const [place, setPlace] = useState(0);
  const source = diff.sources[Math.min(place, diff.sources.length - 1)];
  const shown = useMemo(() => {
    if (!source) return null;
    const a = source.text_a.split("\n"),
      b = source.text_b.split("\n");
    return { a, b, pairs: diffLines(a, b), startsA: commentStarts(a), startsB: commentStarts(b) };
  }, [source]);
  if (!source || !shown) return <Nothing>Kernels that are in both documents were built from the same sources.</Nothing>;
  const most = 4000;
  const half = (lines: string[], starts: Uint8Array, line: number, other: number, kind: string) => (
    <code
      class={
        line < 0
          ? "gap"
          : other < 0 || shown.a[kind === "removed" ? line : other] !== shown.b[kind === "removed" ? other : line]
            ? kind
            : ""
      }
    >
      <i aria-hidden="true">{line >= 0 ? line + 1 : ""}</i>
      {line >= 0 && <CodeLine line={lines[line]} startsInComment={starts[line] === 1} />}
    </code>
  );
  return (
    <>
      <div class="toolbar">
        <span class="choice" role="group" aria-label="Kernel">
          {diff.sources.slice(0, 12).map(({ name, form }, index) => (
            <button
              key={index}
              class={index === place ? "button on" : "button"}
              aria-pressed={index === place}
              onClick={() => setPlace(index)}
            >
              {name} <span class="dim">{form}</span>
            </button>
          ))}
        </span>
      </div>
      <div
        class="scroll side-by-side"
        role="region"
        aria-label={`Source of ${source.name}, before and after`}
        tabIndex={0}
      >
        {shown.pairs.slice(0, most).map((pair, row) => (
          <div key={row} class="pair">
            {half(shown.a, shown.startsA, pair.a, pair.b, "removed")}
            {half(shown.b, shown.startsB, pair.b, pair.a, "added")}
          </div>
        ))}
        {shown.pairs.length > most && <p class="dim">and {countText(shown.pairs.length - most)} more lines</p>}
      </div>
    </>
  );
}

function Contents({ diff }: { diff: Diff }) {
  const { compared, equal, first } = diff.contents;
  if (compared === 0) return <Nothing>The documents have no recorded results in common.</Nothing>;
  return (
    <div class="scroll padded">
      <p>
        {plural(compared, "result")} compared, {countText(equal)} of them equal.
      </p>
      {first ? (
        <dl class="facts first-difference">
          <dt>first that differs</dt>
          <dd>
            {first.command_a ?? unknown} before,{" "}
            {first.command_b && (
              <button class="link" onClick={() => goTo("timeline", "command", indexOf(first.command_b))}>
                {first.command_b}
              </button>
            )}{" "}
            after
          </dd>
          <dt>buffer</dt>
          <dd>
            {first.buffer_a} before,{" "}
            <button class="link" onClick={() => goTo("buffers", "buffer", indexOf(first.buffer_b))}>
              {first.buffer_b}
            </button>{" "}
            after
          </dd>
          <dt>at byte</dt>
          <dd>{countText(first.offset_bytes)}</dd>
          <dt>value</dt>
          <dd>
            {first.value_a ? (
              <span class="mono">
                {first.value_a} → {first.value_b}
              </span>
            ) : (
              "only hashes were recorded"
            )}
          </dd>
          <dt>largest difference</dt>
          <dd>{first.value_a ? first.largest_absolute : unknown}</dd>
        </dl>
      ) : (
        <p>All results are the same, byte for byte.</p>
      )}
    </div>
  );
}

function FindingList({ title, findings }: { title: string; findings: DiffFinding[] }) {
  return (
    <section>
      <h2>
        {title} <span class="dim">{findings.length}</span>
      </h2>
      {findings.length === 0 && <p class="dim">none</p>}
      {findings.map((finding, place) => (
        <article key={place} class={`finding ${finding.severity}`}>
          <header>
            <span class="severity">{finding.severity}</span>
            <h3>{finding.title}</h3>
          </header>
          {finding.advice && <p>{finding.advice}</p>}
        </article>
      ))}
    </section>
  );
}

// The sentence below it has the rest.
function headlineOf(diff: Diff): string {
  if (!diff.comparable) return "Not comparable";
  if (!diff.total.comparable) return "Can't be told";
  if (diff.total.p === null) return "Too few passes to compare";
  if (!diff.significant) return diff.differs ? "No significant difference in total" : "No significant difference";
  return `${timeText(Math.abs(diff.total_delta_ns))} ${diff.total_delta_ns > 0 ? "slower" : "faster"}`;
}

export function DiffView() {
  if (!trace.summary.value?.has_diff)
    return (
      <Nothing>
        This page shows one document. Two are compared by <code>reel view before.reel after.reel</code>.
      </Nothing>
    );
  const diff = trace.diff.value;
  if (trace.diff.error) return <Failed what="The difference" error={trace.diff.error} />;
  if (!diff) return <Waiting what="the difference" />;
  const part: Part = parts.find((name) => name === options.value.part) ?? "time";
  const verdict = headlineOf(diff);
  // A table would compare what can't be.
  if (!diff.comparable)
    return (
      <header class="diff-head">
        <div>
          <h1>{verdict}</h1>
          <p>{diff.cause}</p>
        </div>
      </header>
    );
  const counts: Record<Part, number> = {
    time: diff.rows.length,
    sources: diff.sources.length,
    contents: diff.contents.compared - diff.contents.equal,
    findings: diff.new_findings.length + diff.fixed_findings.length,
  };
  return (
    <>
      <header class="diff-head">
        <div>
          <h1 class={diff.significant ? tone(diff.total_delta_ns) : ""}>{verdict}</h1>
          <p>{diff.cause}</p>
        </div>
        <Totals diff={diff} />
      </header>
      <div class="toolbar">
        <span class="choice" role="group" aria-label="What to compare">
          {parts.map((name) => (
            <button
              key={name}
              class={part === name ? "button on" : "button"}
              aria-pressed={part === name}
              onClick={() => setOption("part", name === "time" ? null : name)}
            >
              {name} <span class="dim">{countText(counts[name])}</span>
            </button>
          ))}
        </span>
        <span class="dim">All other views show {fileName(diff.b.document)}.</span>
      </div>
      {part === "time" && <TimeRows diff={diff} />}
      {part === "sources" && <Sources diff={diff} />}
      {part === "contents" && <Contents diff={diff} />}
      {part === "findings" && (
        <div class="scroll padded two">
          <FindingList title="New" findings={diff.new_findings} />
          <FindingList title="No longer there" findings={diff.fixed_findings} />
        </div>
      )}
    </>
  );
}
