// finding_card.tsx - one finding: what it is, what it would save, and links to what shows it.
import { trace } from "../data/current";
import { Finding, indexOf, Proof } from "../data/json";
import { batch } from "@preact/signals";
import { goTo, range, show } from "../state/page";
import { SelectionKind, View } from "../state/url";
import { viewport } from "../timeline/viewport";
import { numberText, sizeText, timeText } from "../text/units";

export function savingText({ saving_ns, saving_bytes }: Finding): string {
  const parts = [];
  if (saving_ns != null) parts.push(timeText(saving_ns));
  if (saving_bytes != null) parts.push(sizeText(saving_bytes));
  return parts.join(", ");
}

const severityWords = { error: "Error", warning: "Warning", info: "Note" };

function EvidenceLinks({ finding }: { finding: Finding }) {
  const { evidence } = finding,
    summary = trace.summary.value;
  const groups: [SelectionKind, (string | number)[], View, string][] = [
    ["command", evidence.commands ?? [], "timeline", "c"],
    ["buffer", evidence.buffers ?? [], "buffers", "b"],
    ["kernel", evidence.kernels ?? [], "kernels", "k"],
    ["stream", evidence.streams ?? [], "timeline", "s"],
    ["call", evidence.calls ?? [], "calls", "call "],
  ];
  const begin = evidence.begin_ns ?? 0,
    end = evidence.end_ns ?? 0;
  const hasRange = end > begin;
  const shown = 8;
  return (
    <p class="evidence">
      {hasRange && (
        <button
          class="link"
          onClick={() =>
            batch(() => {
              range.value = { begin: Math.max(0, begin), end };
              viewport.setSpan(summary!.span_ns);
              viewport.show(begin, end);
              show("timeline");
            })
          }
        >
          on the timeline
        </button>
      )}
      {groups.map(([kind, names, to, letter]) =>
        names
          .slice(0, shown)
          .map((name) => {
            const number = indexOf(typeof name === "string" ? name.replace(/^call/, "") : name);
            return (
              <button
                key={`${kind} ${name}`}
                class="link"
                data-evidence={`${kind} ${number}`}
                onClick={() => goTo(to, kind, number)}
              >
                {letter}
                {number}
              </button>
            );
          })
          .concat(
            names.length > shown
              ? [
                  <span key={`${kind} more`} class="dim">
                    and {names.length - shown} more
                  </span>,
                ]
              : [],
          ),
      )}
    </p>
  );
}

const verdictWords = {
  supported: "Supported",
  withdrawn: "Withdrawn",
  inconclusive: "Inconclusive",
  not_tried: "Not tried",
};

export function FindingCard({ finding, brief, proof }: { finding: Finding; brief?: boolean; proof?: Proof }) {
  const saving = proof?.verdict === "withdrawn" ? "" : savingText(finding);
  return (
    <article class={`finding ${finding.severity}`} data-finding={finding.id}>
      <header>
        <span class="severity">{severityWords[finding.severity] ?? finding.severity}</span>
        <h3>{finding.title}</h3>
        {saving && (
          <b class="saving" title={finding.formula || undefined}>
            saves {saving}
          </b>
        )}
      </header>
      {proof && (
        <p class={`proof ${proof.verdict}`} data-proof={proof.verdict}>
          <b>{verdictWords[proof.verdict] ?? proof.verdict}</b> {proof.sentence}
        </p>
      )}
      {finding.advice && <p>{finding.advice}</p>}
      {!brief && finding.numbers.length > 0 && (
        <p class="numbers">
          {finding.numbers.map(({ name, unit, value }) => (
            <span key={name}>
              <span class="dim">{name}</span> {numberText(value, unit)}
            </span>
          ))}
        </p>
      )}
      {!brief && finding.formula && <p class="dim">Saving: {finding.formula}</p>}
      <footer>
        <code class="dim">{finding.id}</code>
        <span class="dim">{finding.confidence}</span>
        <EvidenceLinks finding={finding} />
      </footer>
    </article>
  );
}
