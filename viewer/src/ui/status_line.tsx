// status_line.tsx - the bottom line: which document, whether it is whole, and what is selected.
import { Summary } from "../data/json";
import { range, selection } from "../state/page";
import { selectionText } from "../state/url";
import { plural, sizeText, timeText } from "../text/units";

const fileName = (path: string) => path.split("/").pop() || path;

export function StatusLine({ summary }: { summary: Summary }) {
  const span = range.value;
  return (
    <footer class="status">
      <span title={summary.document}>{fileName(summary.document)}</span>
      <span>{sizeText(summary.file_bytes)}</span>
      {!summary.complete && (
        <span class="warn" title={summary.problems.join("\n")}>
          not complete
        </span>
      )}
      {summary.problems.length > 0 && <span class="warn">{plural(summary.problems.length, "problem")}</span>}
      <span class="grow" />
      {selection.value && (
        <span>
          {selectionText(selection.value)}{" "}
          <button class="link" onClick={() => (selection.value = null)} aria-label="Select nothing">
            ×
          </button>
        </span>
      )}
      {span && (
        <span>
          {timeText(span.begin)} to {timeText(span.end)} ({timeText(span.end - span.begin)}){" "}
          <button class="link" onClick={() => (range.value = null)} aria-label="Clear the range">
            ×
          </button>
        </span>
      )}
    </footer>
  );
}
