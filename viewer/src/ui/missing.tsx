// missing.tsx - what stands where something isn't, or isn't yet.
import type { ComponentChildren } from "preact";

export function Waiting({ what }: { what: string }) {
  return (
    <p class="waiting" role="status">
      Loading {what} …
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
