// canvas.ts - a canvas as large as its place, drawn when something it shows changes.
import { effect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

export interface CanvasSize {
  width: number; // CSS pixels
  height: number;
  ratio: number;
}

export interface DrawnCanvas {
  ref: { current: HTMLCanvasElement | null };
  size: { current: CanvasSize };
  request(): void; // draw soon
  now(): void; // draw at once
}

// `draw` is run again when a signal that it read changes, when the canvas changes its size, and with every rendering.
export function useCanvas(draw: (context: CanvasRenderingContext2D, size: CanvasSize) => void): DrawnCanvas {
  const ref = useRef<HTMLCanvasElement>(null);
  const size = useRef<CanvasSize>({ width: 1, height: 1, ratio: 1 });
  const latest = useRef(draw);
  latest.current = draw;
  const frame = useRef(0);
  const stop = useRef<() => void>(() => undefined);

  const now = () => {
    cancelAnimationFrame(frame.current);
    frame.current = 0;
    const canvas = ref.current;
    if (!canvas) return;
    const { width, height, ratio } = size.current;
    const [across, down] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    if (canvas.width !== across || canvas.height !== down) {
      canvas.width = across;
      canvas.height = down;
    }
    const context = canvas.getContext("2d", { alpha: false })!;
    stop.current();
    let isFirst = true;
    stop.current = effect(() => {
      if (!isFirst) return request();
      isFirst = false;
      latest.current(context, size.current);
    });
  };
  const request = () => {
    if (!frame.current) frame.current = requestAnimationFrame(now);
  };

  useLayoutEffect(() => {
    const canvas = ref.current!;
    const measure = () => {
      const box = canvas.getBoundingClientRect();
      size.current = { width: Math.max(1, box.width), height: Math.max(1, box.height), ratio: devicePixelRatio || 1 };
      request();
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(canvas);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame.current);
      stop.current();
    };
  }, []);
  useEffect(request);
  return { ref, size, request, now };
}
