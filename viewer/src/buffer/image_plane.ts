// image_plane.ts - the bytes of an image as planes of rows: a 2-D image is one, a volume one for each slice.
import { ImageShape } from "../data/json";

export interface ImagePlane {
  width: number; // pixels
  rows: number;
  planes: number;
  word: "slice" | "layer"; // what a plane is called
}

export function planeOf({ type, width, height, depth, layers }: ImageShape): ImagePlane {
  // The layers of an image of rows are rows under each other.
  if (type === "1d_array") return { width, rows: layers, planes: 1, word: "layer" };
  return { width, rows: height, planes: depth * layers, word: type === "3d" ? "slice" : "layer" };
}

const mostPixels = 8 << 20; // 3840 x 2160 is less
const mostColumns = 16384; // browsers have no wider canvas

// What of a plane is drawn; all of it, unless it is very large.
export function drawnPart({ width, rows }: ImagePlane): { columns: number; rows: number } {
  return { columns: Math.min(width, mostColumns), rows: Math.min(rows, Math.max(1, Math.floor(mostPixels / width))) };
}

// How many elements a row of a table has, so that rows of the image begin where rows of the table do. `usual` where
// that would be much too wide or too narrow.
export function elementsAcross(usual: number, perRow: number): number {
  const most = Math.floor(usual * 1.5);
  if (perRow <= most) return perRow;
  for (let across = most; across >= usual / 2; --across) if (perRow % across === 0) return across;
  return usual;
}
