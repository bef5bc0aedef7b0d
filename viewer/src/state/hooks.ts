// hooks.ts - window.__view: what is drawn on a canvas, for tests and for people with a console.
//
//   __view.canvas("timeline").hit(120, 80)   what lies there
//   __view.canvas("timeline").summary()      what is drawn, in numbers

export interface CanvasHook {
  summary(): unknown;
  hit(x: number, y: number): unknown;
  [more: string]: unknown;
}

const canvases = new Map<string, CanvasHook>();

// Returns what takes it away again.
export function publishCanvas(name: string, hook: CanvasHook): () => void {
  canvases.set(name, hook);
  return () => {
    if (canvases.get(name) === hook) canvases.delete(name);
  };
}

export function publishHooks(): void {
  (window as unknown as { __view: unknown }).__view = {
    canvas: (name: string) => canvases.get(name) ?? null,
    canvases: () => [...canvases.keys()],
  };
}
