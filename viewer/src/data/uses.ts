// uses.ts - who touches a buffer, and what a command touches.
import { Catalog } from "./catalog";
import { noIndex, TableOf } from "./tables";

export interface BufferUses {
  commands: Uint32Array; // in order
  writes: Uint8Array; // by command: whether it may write it
}

// Works are few, however many commands there are: they are asked first.
export function usesOf(buffer: number, { commands, works }: Catalog, args: TableOf<"arguments">): BufferUses {
  const touched = new Uint8Array(works.rows); // 1 reads, 2 writes
  for (let work = 0; work < works.rows; ++work)
    for (let at = works.first_argument[work], stop = at + works.argument_count[work]; at < stop; ++at)
      if (args.buffer[at] === buffer) touched[work] |= args.access[at];
  const writes = new Uint8Array(commands.rows),
    found: number[] = [];
  for (let command = 0; command < commands.rows; ++command) {
    const access = touched[commands.work[command]];
    if (access === 0) continue;
    found.push(command);
    if (access & 2) writes[command] = 1;
  }
  return { commands: Uint32Array.from(found), writes };
}

export interface CommandArgument {
  kind: number;
  access: number; // 1 reads, 2 writes
  buffer: number; // -1: a value
  offset: number;
  size: number;
  view: number; // the image that is made on this range, and is what is bound; -1: none
  value: number; // in values; -1: none
}

export function argumentsOf(
  command: number,
  { commands, works }: Catalog,
  args: TableOf<"arguments">,
): CommandArgument[] {
  const work = commands.work[command],
    first = works.first_argument[work];
  return Array.from({ length: works.argument_count[work] }, (_, step) => {
    const at = first + step;
    return {
      kind: args.kind[at],
      access: args.access[at],
      offset: args.offset[at],
      size: args.size[at],
      buffer: args.buffer[at] === noIndex ? -1 : args.buffer[at],
      view: args.view[at] === noIndex ? -1 : args.view[at],
      value: args.value[at] === noIndex ? -1 : args.value[at],
    };
  });
}

// The buffer that an image is made on, which has its bytes; -1 of an image with bytes of its own.
export function madeOn(image: number, args: TableOf<"arguments">): number {
  const at = args.view.indexOf(image);
  return at < 0 ? -1 : args.buffer[at];
}

export const accessText = (access: number) => (access === 3 ? "reads, writes" : access === 2 ? "writes" : "reads");
