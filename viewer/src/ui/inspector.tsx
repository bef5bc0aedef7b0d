import { Summary } from "../data/json";
export function Inspector(_: { summary: Summary }) {
  return <aside class="inspector" aria-label="Selection" />;
}
