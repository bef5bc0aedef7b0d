// virtual_table.tsx - a table of any length: only the rows that are seen exist.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { everyIndex } from "../timeline/lanes";

export interface Column {
  key: string;
  title: string;
  width: string; // of a grid: "80px", "minmax(120px, 1fr)"
  isNumber?: boolean;
  hint?: string;
  cell(row: number): ComponentChildren;
  value?(row: number): number | string; // to sort by; NaN comes last
}

export interface Sort {
  key: string;
  isDescending: boolean;
}

interface Properties {
  label: string;
  rows: number | Uint32Array; // so many, or just these
  columns: Column[];
  selected?: number; // row
  sort?: Sort; // at first
  onSelect?(row: number): void;
  onOpen?(row: number): void;
  empty?: string;
}

const rowHeight = 22;
const mostHeight = 24_000_000; // browsers cut off elements that are much higher

export function sortRows(
  rows: Uint32Array,
  value: (row: number) => number | string,
  isDescending: boolean,
): Uint32Array {
  const isBefore = (a: number | string, b: number | string) => {
    if (typeof a === "string" || typeof b === "string")
      return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
    const aIsMissing = Number.isNaN(a),
      bIsMissing = Number.isNaN(b);
    if (aIsMissing || bIsMissing) return (Number(aIsMissing) - Number(bIsMissing)) * (isDescending ? -1 : 1);
    return a - b;
  };
  // Keys are asked for once: rows may be a million.
  const most = rows.reduce((last, row) => Math.max(last, row), 0);
  const keys = new Array<number | string>(most + 1);
  for (const row of rows) keys[row] = value(row);
  const sign = isDescending ? -1 : 1;
  return rows.slice().sort((a, b) => sign * isBefore(keys[a], keys[b]) || a - b);
}

export function VirtualTable({
  label,
  rows,
  columns,
  selected = -1,
  sort: firstSort,
  onSelect,
  onOpen,
  empty,
}: Properties) {
  const scroller = useRef<HTMLDivElement>(null);
  const [sort, setSort] = useState<Sort | null>(firstSort ?? null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  const count = typeof rows === "number" ? rows : rows.length;

  const order = useMemo(() => {
    const column = sort && columns.find((candidate) => candidate.key === sort.key);
    if (!sort || !column?.value) return typeof rows === "number" ? null : rows;
    return sortRows(typeof rows === "number" ? everyIndex(rows) : rows, column.value, sort.isDescending);
  }, [rows, sort?.key, sort?.isDescending, columns]);
  const rowAt = (place: number) => (order ? order[place] : place);

  const whole = count * rowHeight,
    spacer = Math.min(whole, mostHeight);
  // Beyond what a browser can scroll, a pixel of the bar is more than a pixel of rows.
  const factor = spacer > height ? (whole - height) / (spacer - height) : 1;
  const offset = top * factor;
  const first = Math.max(0, Math.floor(offset / rowHeight) - 2);
  const last = Math.min(count, Math.ceil((offset + height) / rowHeight) + 2);

  useLayoutEffect(() => {
    const element = scroller.current!;
    const measure = () => setHeight(element.clientHeight || 1);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const reveal = (place: number) => {
    const element = scroller.current;
    if (!element || place < 0) return;
    const y = place * rowHeight;
    if (y < offset) element.scrollTop = y / factor;
    else if (y + rowHeight > offset + height) element.scrollTop = (y + rowHeight - height) / factor;
  };
  const placeOf = (row: number) => (order ? order.indexOf(row) : row);
  useEffect(() => {
    if (selected >= 0 && selected !== rowUnderHand.current) reveal(placeOf(selected));
  }, [selected, order, height]);
  const rowUnderHand = useRef(-1); // selected here: it is in sight already

  const onKeyDown = (event: KeyboardEvent) => {
    const now = selected >= 0 ? placeOf(selected) : -1;
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const steps: Record<string, number> = {
      ArrowDown: now + 1,
      ArrowUp: now - 1,
      PageDown: now + page,
      PageUp: now - page,
      Home: 0,
      End: count - 1,
    };
    if (event.key === "Enter" && now >= 0) onOpen?.(selected);
    else if (event.key in steps && count > 0) {
      const next = Math.max(0, Math.min(count - 1, steps[event.key]));
      onSelect?.(rowAt(next));
      reveal(next);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const template = columns.map((column) => column.width).join(" ");
  const style = { gridTemplateColumns: template };
  return (
    <div class="table" role="table" aria-label={label} aria-rowcount={count + 1} aria-colcount={columns.length}>
      <div class="table-head" role="row" aria-rowindex={1} style={style}>
        {columns.map((column) => {
          const isSorted = sort?.key === column.key;
          return (
            <span
              key={column.key}
              role="columnheader"
              class={column.isNumber ? "number" : ""}
              title={column.hint}
              aria-sort={isSorted ? (sort.isDescending ? "descending" : "ascending") : undefined}
            >
              {column.value ? (
                <button
                  onClick={() =>
                    setSort({ key: column.key, isDescending: isSorted ? !sort.isDescending : !!column.isNumber })
                  }
                >
                  {column.title}
                  {isSorted && <i aria-hidden="true">{sort.isDescending ? "▾" : "▴"}</i>}
                </button>
              ) : (
                column.title
              )}
            </span>
          );
        })}
      </div>
      <div
        class="table-body"
        ref={scroller}
        tabIndex={0}
        role="rowgroup"
        aria-label={`${label}, rows`}
        onKeyDown={onKeyDown}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        {count === 0 && <p class="nothing">{empty ?? "None."}</p>}
        <div style={{ height: `${spacer}px`, position: "relative" }} role="presentation">
          <div
            style={{ position: "absolute", top: `${top - offset + first * rowHeight}px`, left: 0, right: 0 }}
            role="presentation"
          >
            {Array.from({ length: Math.max(0, last - first) }, (_, step) => {
              const row = rowAt(first + step);
              return (
                <div
                  key={row}
                  role="row"
                  aria-rowindex={first + step + 2}
                  aria-selected={row === selected}
                  class={row === selected ? "table-row on" : "table-row"}
                  style={style}
                  onClick={() => {
                    rowUnderHand.current = row;
                    onSelect?.(row);
                  }}
                  onDblClick={() => onOpen?.(row)}
                >
                  {columns.map((column) => (
                    <span key={column.key} role="cell" class={column.isNumber ? "number" : ""}>
                      {column.cell(row)}
                    </span>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}
