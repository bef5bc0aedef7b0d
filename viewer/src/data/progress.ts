// progress.ts - how far the server is with analysing. The page is there before that is done.
import { signal } from "@preact/signals";
import { trace } from "./current";

interface Progress {
  what: string;
  part: number; // 0 to 1
  done: boolean;
}

// Null: all is there.
export const progress = signal<Progress | null>(null);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// A page in a file, and a server that has analysed before it answered, have none.
export async function followProgress(): Promise<void> {
  if (!trace.resources.served) return;
  for (;;) {
    const bytes = await trace.resources.get("progress").catch(() => null);
    const told = bytes && (JSON.parse(new TextDecoder().decode(bytes)) as Progress);
    progress.value = told && !told.done ? told : null;
    if (!progress.value) return;
    await pause(200);
  }
}
