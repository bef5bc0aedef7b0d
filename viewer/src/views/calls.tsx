// calls.tsx - what the program called, and how long that took it.
import { useMemo, useState } from "preact/hooks";
import { catalog as names } from "../data/catalog";
import { trace } from "../data/current";
import { noIndex } from "../data/tables";
import { goTo, range, select, selection } from "../state/page";
import { plural, timeText, unknown } from "../text/units";
import { CommandLink } from "../ui/links";
import { Failed, Nothing, Waiting } from "../ui/missing";
import { score, wordsOf } from "../ui/search";
import { Column, VirtualTable } from "../ui/virtual_table";

export function CallsView() {
  const calls = trace.calls.value,
    catalog = names.value;
  const [query, setQuery] = useState("");
  const span = range.value;
  const rows = useMemo(() => {
    if (!calls || !catalog) return 0;
    const words = wordsOf(query);
    if (words.length === 0 && !span) return calls.rows;
    const isNamed = catalog.texts.map((text) => score(text, words) > 0);
    const found: number[] = [];
    for (let call = 0; call < calls.rows; ++call)
      if (
        (words.length === 0 || isNamed[calls.name[call]]) &&
        (!span || (calls.end[call] > span.begin && calls.begin[call] < span.end))
      )
        found.push(call);
    return Uint32Array.from(found);
  }, [calls, catalog, query, span?.begin, span?.end]);
  const columns: Column[] = useMemo(
    () =>
      !calls || !catalog
        ? []
        : [
            { key: "number", title: "#", width: "64px", isNumber: true, value: (c) => c, cell: (c) => c },
            {
              key: "begin",
              title: "from",
              width: "90px",
              isNumber: true,
              value: (c) => calls.begin[c],
              cell: (c) => timeText(calls.begin[c]),
            },
            {
              key: "took",
              title: "took",
              width: "90px",
              isNumber: true,
              value: (c) => calls.end[c] - calls.begin[c],
              cell: (c) => timeText(calls.end[c] - calls.begin[c]),
            },
            {
              key: "thread",
              title: "thread",
              width: "64px",
              isNumber: true,
              value: (c) => calls.thread[c],
              cell: (c) => calls.thread[c],
            },
            {
              key: "name",
              title: "call",
              width: "minmax(140px, 1fr)",
              value: (c) => catalog.text(calls.name[c]),
              cell: (c) => <span class="mono">{catalog.text(calls.name[c])}</span>,
            },
            {
              key: "command",
              title: "enqueued",
              width: "minmax(160px, 1.6fr)",
              value: (c) => (calls.command[c] === noIndex ? NaN : calls.command[c]),
              cell: (c) =>
                calls.command[c] === noIndex ? (
                  <span class="dim">{unknown}</span>
                ) : (
                  <CommandLink command={calls.command[c]} long />
                ),
            },
          ],
    [calls, catalog],
  );
  if (trace.calls.error) return <Failed what="Calls" error={trace.calls.error} />;
  if (!calls || !catalog) return <Waiting what="calls" />;
  if (calls.rows === 0) return <Nothing>No call was recorded.</Nothing>;
  const count = typeof rows === "number" ? rows : rows.length;
  return (
    <>
      <div class="toolbar">
        <input
          class="field"
          type="search"
          placeholder="name of a call"
          aria-label="Filter calls by name"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <span class="dim">
          {plural(count, "call")}
          {count < calls.rows ? ` of ${calls.rows}` : ""}
          {span ? ", in the range" : ""}
        </span>
      </div>
      <VirtualTable
        label="Calls"
        rows={rows}
        columns={columns}
        selected={selection.value?.kind === "call" ? selection.value.number : -1}
        onSelect={(call) => select("call", call)}
        onOpen={(call) => goTo("timeline", "call", call)}
        empty="No call matches."
      />
    </>
  );
}
