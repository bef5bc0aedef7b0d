// viewport.ts - the part of time that is shown, on the timeline and in the views that share its axis.
import { signal } from "@preact/signals";
import { TimeRange } from "../state/url";

const leastNs = 20; // nearer there is nothing to see

export class Viewport {
  readonly window = signal<TimeRange>({ begin: 0, end: 1 });
  private span = 1;

  // Once the document's length is known; keeps what somebody chose before.
  setSpan(span: number): void {
    if (span === this.span) return;
    this.span = Math.max(1, span);
    this.showAll();
  }

  get full(): TimeRange {
    const margin = this.span * 0.01;
    return { begin: -margin, end: this.span + margin };
  }

  showAll(): void {
    this.window.value = this.full;
  }

  get isAll(): boolean {
    const { begin, end } = this.window.peek();
    return begin === this.full.begin && end === this.full.end;
  }

  show(begin: number, end: number): void {
    const margin = Math.max((end - begin) * 0.15, leastNs);
    this.set(begin - margin, end + margin);
  }

  // Exactly that, as far as there is something.
  set(begin: number, end: number): void {
    const full = this.full,
      most = full.end - full.begin;
    const length = Math.min(most, Math.max(leastNs, end - begin));
    let from = end - begin < leastNs ? (begin + end - length) / 2 : begin;
    from = Math.max(full.begin, Math.min(from, full.end - length));
    this.window.value = { begin: from, end: from + length };
  }

  // factor < 1: nearer; `at` stays where it is.
  zoom(factor: number, at: number): void {
    const { begin, end } = this.window.peek();
    this.set(at - (at - begin) * factor, at + (end - at) * factor);
  }

  // By a part of what is shown.
  pan(part: number): void {
    const { begin, end } = this.window.peek(),
      step = (end - begin) * part;
    this.set(begin + step, end + step);
  }

  // Moves as little as needed so that a span is seen; nearer only when it would be a speck.
  reveal(begin: number, end: number): void {
    const shown = this.window.peek(),
      length = shown.end - shown.begin;
    if (end - begin > length * 0.9) return this.show(begin, end);
    if (begin < shown.begin || end > shown.end) {
      const middle = (begin + end) / 2;
      this.set(middle - length / 2, middle + length / 2);
    }
  }
}

export const viewport = new Viewport();
