// picture_place.ts - where in its room a picture lies, and how large. Pixels stay square: so many of the screen each,
// or so many of them in one.

export interface Place {
  scale: number; // 1, 2, 3 …, or 1/2, 1/3 …
  x: number; // of its corner
  y: number;
}

interface Size {
  width: number;
  height: number;
}

const mostScale = 64;

// As large as there is room for.
export function fitted(room: Size, picture: Size): Place {
  const times = Math.max(picture.width / room.width, picture.height / room.height); // larger than its room
  return { scale: times > 1 ? 1 / Math.ceil(times) : Math.min(mostScale, Math.floor(1 / times)), x: 0, y: 0 };
}

// No empty room on one side while something is out of sight on the other.
export function within({ scale, x, y }: Place, room: Size, picture: Size): Place {
  const keep = (corner: number, space: number, size: number) =>
    Math.round(Math.min(0, Math.max(corner, Math.min(0, space - size * scale))));
  return { scale, x: keep(x, room.width, picture.width), y: keep(y, room.height, picture.height) };
}

// Twice as large or half as large; what lies at (x, y) stays there.
export function zoomed(place: Place, isNearer: boolean, x: number, y: number): Place {
  const { scale } = place;
  const next = isNearer
    ? scale >= 1
      ? Math.min(mostScale, scale * 2)
      : 1 / Math.max(1, Math.floor(Math.round(1 / scale) / 2))
    : scale > 1
      ? Math.floor(scale / 2)
      : Math.max(1 / mostScale, scale / 2);
  return { scale: next, x: x - ((x - place.x) * next) / scale, y: y - ((y - place.y) * next) / scale };
}

// "4x", "1/3".
export const scaleText = (scale: number) => (scale >= 1 ? `${scale}x` : `1/${Math.round(1 / scale)}`);
