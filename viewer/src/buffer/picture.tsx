// picture.tsx - a version of an image as the image: what was not recorded of it is hatched.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ImageShape } from "../data/json";
import { publishCanvas } from "../state/hooks";
import { theme } from "../state/theme";
import { paletteOf } from "../text/colors";
import { countText, plural } from "../text/units";
import { useCanvas } from "../ui/canvas";
import { realText } from "./elements";
import { drawnPart, planeOf } from "./image_plane";
import { paint, Painting, Pixels, readPixel } from "./painting";
import { fitted, Place, scaleText, within, zoomed } from "./picture_place";
import { PixelFormat } from "./pixel_format";
import { loadBytes, Version } from "./versions";

interface Shown {
  pixels: Pixels;
  painting: Painting;
  sheet: HTMLCanvasElement; // the painting, a pixel a pixel
}

function sheetOf({ columns, rows, colors }: Painting): HTMLCanvasElement {
  const sheet = document.createElement("canvas");
  sheet.width = columns;
  sheet.height = rows;
  const image = new ImageData(columns, rows);
  image.data.set(colors);
  sheet.getContext("2d")!.putImageData(image, 0, 0);
  return sheet;
}

// Null: bytes of it are not here.
async function readPicture(
  version: Version,
  shape: ImageShape,
  format: PixelFormat,
  number: number,
): Promise<Shown | null> {
  const plane = planeOf(shape),
    { columns, rows } = drawnPart(plane),
    size = format.pixelBytes;
  // Pixels of the image, counted from its first; of the version only whole ones.
  const begin = number * plane.width * plane.rows,
    first = Math.max(begin, Math.ceil(version.offset / size)),
    end = Math.min(begin + (rows - 1) * plane.width + columns, Math.floor((version.offset + version.size) / size)),
    count = Math.max(0, end - first);
  const bytes = await loadBytes(version, first * size - version.offset, count * size);
  if (!bytes) return null;
  const pixels = { first: first - begin, count, bytes };
  const painting = paint(format, pixels, plane.width, columns, rows);
  return { pixels, painting, sheet: sheetOf(painting) };
}

function hatch(context: CanvasRenderingContext2D, color: string, width: number, height: number): void {
  context.save();
  context.beginPath();
  context.rect(0, 0, width, height);
  context.clip();
  context.strokeStyle = color;
  context.globalAlpha = 0.5;
  context.beginPath();
  for (let x = -height; x < width; x += 8) {
    context.moveTo(x, height);
    context.lineTo(x + height, 0);
  }
  context.stroke();
  context.restore();
}

interface Properties {
  version: Version;
  shape: ImageShape;
  format: PixelFormat;
  number: number; // of the slice or the layer
}

export function Picture({ version, shape, format, number }: Properties) {
  const [shown, setShown] = useState<Shown | null | "loading">("loading");
  const [hover, setHover] = useState("");
  const [wanted, setPlace] = useState<Place | null>(null); // null: as large as there is room for
  const drag = useRef<{ x: number; y: number } | null>(null);
  useEffect(() => {
    let isStale = false;
    void readPicture(version, shape, format, number).then((read) => !isStale && setShown(read));
    return () => void (isStale = true);
  }, [version, shape, format, number]);

  const plane = useMemo(() => planeOf(shape), [shape]),
    { columns, rows } = useMemo(() => drawnPart(plane), [plane]),
    picture = { width: columns, height: rows };
  const isReady = shown !== null && shown !== "loading";
  const placeIn = (room: { width: number; height: number }) =>
    wanted ? within(wanted, room, picture) : fitted(room, picture);
  const [scale, setScale] = useState(1); // as it was last drawn
  const canvas = useCanvas((context, size) => {
    const palette = paletteOf(theme.value);
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.fillStyle = palette.background;
    context.fillRect(0, 0, size.width, size.height);
    const place = placeIn(size);
    setScale(place.scale);
    if (!isReady) return;
    const [width, height] = [columns * place.scale, rows * place.scale];
    if (shown.painting.missing > 0)
      hatch(context, palette.dim, Math.min(size.width, width), Math.min(size.height, height));
    context.imageSmoothingEnabled = place.scale < 1;
    context.drawImage(shown.sheet, place.x, place.y, width, height);
  });
  const pixelAt = (x: number, y: number) => {
    const place = placeIn(canvas.size.current),
      column = Math.floor((x - place.x) / place.scale),
      row = Math.floor((y - place.y) / place.scale);
    if (!isReady || column < 0 || row < 0 || column >= columns || row >= rows) return null;
    const values = readPixel(format, shown.pixels, row * plane.width + column);
    return { x: column, y: row, values: values && [...values] };
  };
  useEffect(
    () =>
      publishCanvas("picture", {
        summary: () =>
          isReady ? { columns, rows, number, ...placeIn(canvas.size.current), ...counted(shown.painting) } : null,
        hit: pixelAt,
      }),
    [shown, number, wanted],
  );

  const text = (value: number) => (format.isReal ? realText(Number(value.toPrecision(7)), true) : String(value));
  const describe = (x: number, y: number) => {
    const pixel = pixelAt(x, y);
    if (!pixel) return setHover("");
    const told = pixel.values
      ? pixel.values.map((value, channel) => `${format.channels[channel]} ${text(value)}`).join("  ")
      : "not recorded";
    setHover(`(${pixel.x}, ${pixel.y})  ${told}`);
  };
  const isCut = columns < plane.width || rows < plane.rows;
  return (
    <div class="picture">
      {shown === null && <p class="nothing">Some bytes are missing.</p>}
      <canvas
        ref={canvas.ref}
        role="img"
        aria-label={`Picture of ${columns} x ${rows} pixels`}
        onWheel={(event) => {
          event.preventDefault();
          const place = placeIn(canvas.size.current);
          setPlace(zoomed(place, event.deltaY < 0, event.offsetX, event.offsetY));
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.offsetX, y: event.offsetY };
        }}
        onPointerMove={(event) => {
          const from = drag.current;
          if (from && (event.offsetX !== from.x || event.offsetY !== from.y)) {
            const place = placeIn(canvas.size.current);
            drag.current = { x: event.offsetX, y: event.offsetY };
            setPlace({ ...place, x: place.x + event.offsetX - from.x, y: place.y + event.offsetY - from.y });
          }
          describe(event.offsetX, event.offsetY);
        }}
        onPointerUp={() => (drag.current = null)}
        onPointerCancel={() => (drag.current = null)}
        onPointerLeave={() => setHover("")}
        onDblClick={() => setPlace(null)}
      />
      <p class="dim strip-line">
        <span>
          {countText(plane.width)} x {countText(plane.rows)} at {scaleText(scale)}
          {wanted ? (
            <>
              {" "}
              <button class="link" onClick={() => setPlace(null)}>
                fit
              </button>
            </>
          ) : (
            ": the wheel zooms"
          )}
        </span>
        {isReady && <Tones painting={shown.painting} format={format} text={text} />}
        {isCut && (
          <span class="warn">
            only the first {plural(rows, "row")} of {countText(columns)}
          </span>
        )}
        <span class="mono" role="status">
          {hover}
        </span>
      </p>
    </div>
  );
}

const counted = ({ found, strange, missing }: Painting) => ({ found, strange, missing });

// What its colours mean, and what is not a colour.
function Tones({
  painting: { found, strange, missing },
  format,
  text,
}: {
  painting: Painting;
  format: PixelFormat;
  text(value: number): string;
}) {
  const range = found ?? format.ranges![0];
  return (
    <>
      {found && found.least === found.most && <span>all are {text(found.least)}</span>}
      {(range.least < 0 || found) && range.least < range.most && (
        <span>
          {text(range.least)} is black, {text(range.most)} is white{found && ": its min and max"}
        </span>
      )}
      {strange > 0 && <span class="warn">{plural(strange, "pixel")} with NaN, magenta</span>}
      {missing > 0 && <span>{plural(missing, "pixel")} not recorded, hatched</span>}
    </>
  );
}
