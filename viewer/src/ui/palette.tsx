// palette.tsx - '/': find anything by its name, and go there.
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { catalog } from "../data/catalog";
import { trace } from "../data/current";
import { goTo, select, show, view } from "../state/page";
import { View, views } from "../state/url";
import { Match, search } from "./search";

export const paletteIsOpen = signal(false);

export function openPalette(): void {
  paletteIsOpen.value = true;
}

// Views in which a thing of that kind can be seen; the first is where to go from elsewhere.
const homes: Record<string, View[]> = {
  command: ["timeline", "dependencies", "calls"],
  kernel: ["kernels", "timeline", "source"],
  buffer: ["buffers", "memory", "timeline", "dependencies"],
  stream: ["timeline"],
  scope: ["timeline", "dependencies"],
};

function go(match: Match): void {
  paletteIsOpen.value = false;
  if (match.kind === "view") return show(views[match.number]);
  const kind = match.kind === "scope" ? "command" : match.kind;
  if (homes[match.kind].includes(view.peek())) select(kind, match.number);
  else goTo(homes[match.kind][0], kind, match.number);
}

function Panel() {
  const [query, setQuery] = useState("");
  const [place, setPlace] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const names = catalog.value,
    summary = trace.summary.value,
    scopes = trace.scopes.value;
  // Before the next key can come: what is typed after '/' is meant for it.
  useLayoutEffect(() => {
    const before = document.activeElement;
    input.current?.focus();
    return () => (before instanceof HTMLElement ? before.focus() : undefined);
  }, []);
  const matches = useMemo<Match[]>(() => {
    const toViews = views
      .map((name, number): Match => ({ kind: "view", number, name, detail: "view" }))
      .filter(({ name }) => name.startsWith(query.toLowerCase()) && (name !== "diff" || summary?.has_diff));
    if (!names || !summary) return toViews;
    return [...search(query, names, summary, scopes?.scopes ?? []), ...toViews];
  }, [query, names, summary, scopes]);
  const at = Math.min(place, matches.length - 1);
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at]);
  const close = () => (paletteIsOpen.value = false);
  return (
    <div class="veil" onClick={close}>
      <div
        class="palette"
        role="dialog"
        aria-modal="true"
        aria-label="Search"
        onClick={(event) => event.stopPropagation()}
      >
        <input
          ref={input}
          value={query}
          placeholder="c12, matmul, layer0/attention, a buffer …"
          aria-label="Search commands, kernels, buffers, streams, scopes"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-matches"
          aria-activedescendant={at >= 0 ? `match-${at}` : undefined}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setPlace(0);
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") close();
            else if (event.key === "ArrowDown") setPlace(Math.min(matches.length - 1, at + 1));
            else if (event.key === "ArrowUp") setPlace(Math.max(0, at - 1));
            else if (event.key === "Enter") {
              if (matches[at]) go(matches[at]);
            } else return;
            event.preventDefault();
          }}
        />
        <ul id="palette-matches" role="listbox" ref={list}>
          {matches.map((match, index) => (
            <li
              key={`${match.kind} ${match.number} ${match.name}`}
              id={`match-${index}`}
              role="option"
              aria-selected={index === at}
              class={index === at ? "on" : ""}
              onClick={() => go(match)}
            >
              <span>{match.name}</span>
              <small>{match.detail}</small>
            </li>
          ))}
          {query && names && matches.length === 0 && <li class="dim">No name matches.</li>}
          {!names && <li class="dim">Loading names …</li>}
        </ul>
      </div>
    </div>
  );
}

export function Palette() {
  return paletteIsOpen.value ? <Panel /> : null;
}
