// heat_map.tsx - a version as a field of colours: a pixel an element, rows as wide as one says.
import { useEffect, useRef, useState } from "preact/hooks";
import { publishCanvas } from "../state/hooks";
import { theme } from "../state/theme";
import { paletteOf } from "../text/colors";
import { countText, plural } from "../text/units";
import { useCanvas } from "../ui/canvas";
import { ElementType, elementText, elementValue, sizeOfElement } from "./elements";
import { loadPage, pageBytes, Version } from "./versions";

const mostElements = 4 << 20;

interface Grid {
  values: Float32Array;
  largest: number;
  isCut: boolean;
}

async function readGrid(version: Version, type: ElementType): Promise<Grid | null> {
  const size = sizeOfElement(type),
    count = Math.floor(version.size / size),
    shown = Math.min(count, mostElements);
  const values = new Float32Array(shown);
  let largest = 0;
  for (let index = 0; index < shown; ) {
    const number = Math.floor((index * size) / pageBytes),
      page = await loadPage(version, number);
    if (!page) return null;
    const stop = Math.min(shown, ((number + 1) * pageBytes) / size);
    for (; index < stop; ++index) {
      const value = elementValue(type, page, (index * size) % pageBytes);
      values[index] = value;
      if (Number.isFinite(value) && Math.abs(value) > largest) largest = Math.abs(value);
    }
  }
  return { values, largest, isCut: shown < count };
}

export function HeatMap({ version, type, width }: { version: Version; type: ElementType; width: number }) {
  const [grid, setGrid] = useState<Grid | null | "loading">("loading");
  const [hover, setHover] = useState<string>("");
  const [wantedTop, setTop] = useState(0); // row
  const rowsSeenLast = useRef(1);
  useEffect(() => {
    let isStale = false;
    setGrid("loading");
    void readGrid(version, type).then((read) => !isStale && setGrid(read));
    return () => void (isStale = true);
  }, [version, type]);

  const isReady = grid !== null && grid !== "loading";
  const rows = isReady ? Math.ceil(grid.values.length / width) : 1;
  // Whole pixels an element, as large as fits. What is too high is moved through; only what is too wide is made small.
  const scaleFor = (room: { width: number; height: number }) => {
    const fit = Math.min(room.width / width, room.height / rows);
    if (fit >= 1) return Math.min(24, Math.floor(fit));
    return room.width >= width ? Math.min(3, Math.floor(room.width / width)) : room.width / width;
  };
  const rowsSeen = () => Math.min(rows, Math.ceil(canvas.size.current.height / scaleFor(canvas.size.current)));
  const top = Math.max(0, Math.min(wantedTop, rows - rowsSeenLast.current));
  const canvas = useCanvas((context, size) => {
    const palette = paletteOf(theme.value);
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.fillStyle = palette.background;
    context.fillRect(0, 0, size.width, size.height);
    if (!isReady || grid.values.length === 0) return;
    const seen = (rowsSeenLast.current = rowsSeen()),
      first = top * width,
      last = Math.min(grid.values.length, (top + seen) * width);
    const image = new ImageData(width, seen);
    const ground = [1, 3, 5].map((at) => parseInt(palette.background.slice(at, at + 2), 16));
    for (let index = first; index < last; ++index) {
      const value = grid.values[index];
      const color = Number.isNaN(value) ? palette.error : value < 0 ? palette.causes[0] : palette.accent;
      const strength = Number.isFinite(value) ? Math.sqrt(Math.abs(value) / (grid.largest || 1)) : 1;
      for (let channel = 0; channel < 3; ++channel)
        image.data[(index - first) * 4 + channel] =
          ground[channel] + (color[channel] - ground[channel]) * (0.06 + 0.94 * strength);
      image.data[(index - first) * 4 + 3] = 255;
    }
    const sheet = document.createElement("canvas");
    sheet.width = width;
    sheet.height = seen;
    sheet.getContext("2d")!.putImageData(image, 0, 0);
    const scale = scaleFor(size);
    context.imageSmoothingEnabled = scale < 1;
    context.drawImage(sheet, 0, 0, width * scale, seen * scale);
  });
  const indexAt = (x: number, y: number): number => {
    if (!isReady) return -1;
    const scale = scaleFor(canvas.size.current),
      column = Math.floor(x / scale),
      index = (top + Math.floor(y / scale)) * width + column;
    return column < width && index >= 0 && index < grid.values.length ? index : -1;
  };
  useEffect(
    () =>
      publishCanvas("heatmap", {
        summary: () => (isReady ? { width, rows, elements: grid.values.length, largest: grid.largest } : null),
        hit: (x, y) => {
          const index = indexAt(x, y);
          return index < 0 || !isReady ? null : { index, value: grid.values[index] };
        },
      }),
    [grid, width, top],
  );
  useEffect(() => setTop(0), [version, type, width]);

  const describe = async (x: number, y: number) => {
    const index = indexAt(x, y),
      size = sizeOfElement(type);
    if (index < 0) return setHover("");
    const page = await loadPage(version, Math.floor((index * size) / pageBytes));
    setHover(
      page
        ? `[${Math.floor(index / width)}, ${index % width}] = ${elementText(type, page, (index * size) % pageBytes)}`
        : "",
    );
  };
  return (
    <div class="heat-map">
      <p class="dim strip-line">
        <span>
          {plural(rows, "row")} of {countText(width)}
          {top > 0 || rowsSeenLast.current < rows ? `, from row ${countText(top)}: the wheel moves` : ""}
        </span>
        <span>the stronger, the larger; {isReady ? `up to ${grid.largest.toPrecision(4)}` : ""}</span>
        {isReady && grid.isCut && <span class="warn">only the first {countText(mostElements)} elements</span>}
        <span class="mono">{hover}</span>
      </p>
      {grid === null && <p class="nothing">Some bytes are missing.</p>}
      <canvas
        ref={canvas.ref}
        role="img"
        aria-label={`Heat map of ${plural(rows, "row")} of ${width} elements`}
        onWheel={(event) =>
          setTop(
            Math.max(
              0,
              Math.min(
                rows - rowsSeenLast.current,
                top + Math.sign(event.deltaY) * Math.max(1, Math.floor(rowsSeenLast.current / 8)),
              ),
            ),
          )
        }
        onPointerMove={(event) => void describe(event.offsetX, event.offsetY)}
        onPointerLeave={() => setHover("")}
      />
    </div>
  );
}
