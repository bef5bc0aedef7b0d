// navigation.ts - moving through time with keys that are held down: as smooth as frames come.
import { useEffect } from "preact/hooks";
import { addKeys } from "../ui/keys";
import { viewport } from "./viewport";

const zoomPerSecond = 6; // times
const panPerSecond = 1.2; // of what is shown

export function useTimeKeys(pointerTime: () => number | null): void {
  useEffect(() => {
    const held = new Set<string>();
    let last = 0,
      frame = 0;
    const step = (now: number) => {
      const seconds = Math.min(0.05, (now - last) / 1000);
      last = now;
      const { begin, end } = viewport.window.peek();
      const at = pointerTime() ?? (begin + end) / 2;
      if (held.has("w")) viewport.zoom(zoomPerSecond ** -seconds, at);
      if (held.has("s")) viewport.zoom(zoomPerSecond ** seconds, at);
      if (held.has("a")) viewport.pan(-panPerSecond * seconds);
      if (held.has("d")) viewport.pan(panPerSecond * seconds);
      frame = held.size ? requestAnimationFrame(step) : 0;
    };
    const takeAway = addKeys((event) => {
      const key = event.key.toLowerCase();
      if (!"wasd".includes(key) || key.length !== 1) return false;
      held.add(key);
      if (!frame) {
        last = performance.now() - 16;
        frame = requestAnimationFrame(step);
      }
      return true;
    });
    const release = (event: KeyboardEvent) => held.delete(event.key.toLowerCase());
    const releaseAll = () => held.clear();
    addEventListener("keyup", release);
    addEventListener("blur", releaseAll);
    return () => {
      takeAway();
      removeEventListener("keyup", release);
      removeEventListener("blur", releaseAll);
      cancelAnimationFrame(frame);
    };
  }, []);
}

// What a wheel does over an axis of time. True: it was for time, not for scrolling.
export function wheelTime(event: WheelEvent, at: number, canScroll: boolean): boolean {
  const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
  if (!event.ctrlKey && !event.metaKey && Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY))
    viewport.pan(sideways / 800);
  else if (event.ctrlKey || event.metaKey || !canScroll) viewport.zoom(1.0018 ** event.deltaY, at);
  else return false;
  return true;
}
