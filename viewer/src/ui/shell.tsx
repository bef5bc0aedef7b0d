// shell.tsx - what surrounds every view: tabs, search, the inspector, and a line that says where one is.
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import { trace } from "../data/current";
import { Summary } from "../data/json";
import { selection, show, view } from "../state/page";
import { theme, toggleTheme } from "../state/theme";
import { View, views } from "../state/url";
import { countText } from "../text/units";
import { BuffersView } from "../views/buffers";
import { CallsView } from "../views/calls";
import { DependenciesView } from "../views/dependencies";
import { DiffView } from "../views/diff";
import { FindingsView } from "../views/findings";
import { KernelsView } from "../views/kernels";
import { MemoryView } from "../views/memory";
import { SourceView } from "../views/source";
import { SummaryView } from "../views/summary";
import { TimelineView } from "../views/timeline";
import { Help, helpIsOpen } from "./help";
import { Inspector } from "./inspector";
import { Failed, Waiting } from "./missing";
import { openPalette, Palette } from "./palette";
import { StatusLine } from "./status_line";

export const viewTitles: Record<View, string> = {
  summary: "Summary",
  timeline: "Timeline",
  dependencies: "Dependencies",
  memory: "Memory",
  kernels: "Kernels",
  buffers: "Buffers",
  source: "Source",
  calls: "Calls",
  findings: "Findings",
  diff: "Diff",
};

const components: Record<View, FunctionComponent<{ summary: Summary }>> = {
  summary: SummaryView,
  timeline: TimelineView,
  dependencies: DependenciesView,
  memory: MemoryView,
  kernels: KernelsView,
  buffers: BuffersView,
  source: SourceView,
  calls: CallsView,
  findings: FindingsView,
  diff: DiffView,
};

// Views that fill the page themselves.
const withoutInspector: View[] = ["summary", "diff"];

function Tabs() {
  const troubles = trace.findings.value?.filter((finding) => finding.severity !== "info").length ?? 0;
  const withDiff = trace.summary.value?.has_diff;
  return (
    <nav class="tabs" aria-label="Views">
      {views.map((name) =>
        name === "diff" && !withDiff ? null : (
          <a
            key={name}
            href={`#${name}`}
            class={view.value === name ? "tab on" : "tab"}
            aria-current={view.value === name ? "page" : undefined}
            onClick={(event) => {
              event.preventDefault();
              show(name);
            }}
          >
            {viewTitles[name]}
            {name === "findings" && troubles > 0 && <span class="badge">{countText(troubles)}</span>}
          </a>
        ),
      )}
    </nav>
  );
}

function Bar() {
  return (
    <header class="bar">
      <span class="mark" aria-hidden="true">
        <svg width="18" height="18" viewBox="0 0 18 18">
          <circle cx="9" cy="9" r="7.5" fill="none" stroke="currentColor" stroke-width="1.6" />
          <circle cx="9" cy="4.8" r="1.7" fill="currentColor" />
          <circle cx="5.3" cy="11.1" r="1.7" fill="currentColor" />
          <circle cx="12.7" cy="11.1" r="1.7" fill="currentColor" />
        </svg>
      </span>
      <Tabs />
      <button class="search-button" onClick={openPalette} aria-label="Search commands, kernels, buffers and scopes">
        Search <kbd>/</kbd>
      </button>
      <button
        class="icon"
        onClick={toggleTheme}
        title="Dark or light (T)"
        aria-label={`Switch to ${theme.value === "dark" ? "light" : "dark"} colours`}
      >
        {theme.value === "dark" ? "☾" : "☀"}
      </button>
      <button class="icon" onClick={() => (helpIsOpen.value = true)} title="Keys (?)" aria-label="Keys and help">
        ?
      </button>
    </header>
  );
}

export function Shell() {
  const summary = trace.summary.value,
    isThere = summary !== undefined;
  useEffect(() => {
    if (isThere) requestAnimationFrame(() => performance.mark("reel.shown")); // what the benchmark waits for
  }, [isThere]);
  if (trace.summary.error) return <Failed what="This document" error={trace.summary.error} />;
  if (!summary) return <Waiting what="the document" />;
  const Body = components[view.value];
  const inspects = !withoutInspector.includes(view.value);
  return (
    <div class="shell" data-selected={selection.value ? "" : undefined}>
      <Bar />
      <div class={inspects ? "middle inspected" : "middle"}>
        <main class={`view view-${view.value}`} aria-label={viewTitles[view.value]}>
          <Body summary={summary} />
        </main>
        {inspects && <Inspector summary={summary} />}
      </div>
      <StatusLine summary={summary} />
      <Palette />
      <Help />
    </div>
  );
}
