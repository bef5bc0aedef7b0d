// missing.tsx - what stands where something isn't, or isn't yet.
import type { ComponentChildren } from "preact";
import { progress } from "../data/progress";

export function Waiting({ what }: { what: string }) {
  return (
    <p class="waiting" role="status">
      {progress.value ? `Analysing ${what}, ${Math.round(100 * progress.value.part)} % …` : `Loading ${what} …`}
    </p>
  );
}

export function Failed({ what, error }: { what: string; error: string }) {
  return (
    <p class="failed" role="alert">
      {what} can't be shown: {error}
    </p>
  );
}

// Nothing is there to show, and why.
export function Nothing({ children }: { children: ComponentChildren }) {
  return <p class="nothing">{children}</p>;
}
