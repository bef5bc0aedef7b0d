// numbers.tsx - a version as a table of numbers; those that changed since another version stand out.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Column, VirtualTable } from "../ui/virtual_table";
import { ElementType, elementText, elementValue, isReal, sizeOfElement } from "./elements";
import { elementsAcross } from "./image_plane";
import { pageBytes, pagesLoaded, peekPage, Version } from "./versions";

const columnsFor: Record<ElementType, number> = {
  f32: 6,
  f16: 8,
  bf16: 8,
  f64: 4,
  i8: 16,
  u8: 16,
  i16: 8,
  u16: 8,
  i32: 6,
  u32: 6,
  i64: 4,
  u64: 4,
  hex: 16,
};

interface Properties {
  version: Version;
  before: Version | null; // to compare with
  type: ElementType;
  rowBytes: number; // of the image that it is; 0: it is none
  found: number; // an element that was looked for; -1: none
}

function cellOf(version: Version, before: Version | null, type: ElementType, index: number) {
  const size = sizeOfElement(type),
    at = index * size;
  if (at + size > version.size) return null;
  const page = peekPage(version, Math.floor(at / pageBytes));
  if (page === "loading") return <span class="dim">…</span>;
  if (page === "missing")
    return (
      <span class="dim" title="Not here">
        ·
      </span>
    );
  const text = elementText(type, page, at % pageBytes);
  const isStrange = isReal(type) && !Number.isFinite(elementValue(type, page, at % pageBytes));
  let was: string | null = null;
  if (before) {
    const there = at + version.offset - before.offset;
    const other =
      there >= 0 && there + size <= before.size ? peekPage(before, Math.floor(there / pageBytes)) : "missing";
    if (other instanceof DataView) {
      const old = elementText(type, other, there % pageBytes);
      if (old !== text) was = old;
    }
  }
  return (
    <span class={isStrange ? "strange" : was !== null ? "changed" : ""} title={was === null ? undefined : `was ${was}`}>
      {text}
    </span>
  );
}

export function Numbers({ version, before, type, rowBytes, found }: Properties) {
  const size = sizeOfElement(type),
    hasRows = rowBytes >= size && rowBytes % size === 0 && version.offset % rowBytes === 0,
    across = hasRows ? elementsAcross(columnsFor[type], rowBytes / size) : columnsFor[type];
  const rows = Math.ceil(Math.floor(version.size / size) / across);
  const loaded = pagesLoaded.value; // new columns when pages come, else the table sees no reason to draw again
  const columns: Column[] = useMemo(
    () => [
      {
        key: "at",
        title: "byte",
        width: "84px",
        isNumber: true,
        cell: (row) => <span class="dim">{version.offset + row * across * size}</span>,
      },
      ...Array.from(
        { length: across },
        (_, column): Column => ({
          key: String(column),
          title: `+${column}`,
          width: "minmax(0, 1fr)",
          isNumber: true,
          cell: (row) => {
            const index = row * across + column;
            return (
              <span class={index === found ? "mono found" : "mono"} data-element={index}>
                {cellOf(version, before, type, index)}
              </span>
            );
          },
        }),
      ),
    ],
    [version, before, type, across, found, loaded],
  );
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (found >= 0) place.current?.querySelector(".found")?.scrollIntoView({ block: "nearest" });
  }, [found]);
  return (
    <div class="numbers-table pane" ref={place}>
      <VirtualTable
        label="Elements"
        rows={rows}
        columns={columns}
        selected={found >= 0 ? Math.floor(found / across) : -1}
        empty="It has no bytes."
      />
    </div>
  );
}
