// track.ts - what one line of the timeline draws: events, or a curve.
import { Palette, Rgb } from "../text/colors";
import { Pyramid } from "./pyramid";
import { Selection } from "../state/url";
import { StepCurve } from "./step_curve";

export type ThingKind = "command" | "interval" | "call" | "gap" | "region" | "overhead" | "step" | "use";
export interface Thing {
  kind: ThingKind;
  index: number; // in the table of its kind; of a step in the path, of a use the command
}

export interface EventTrack {
  kind: ThingKind;
  pyramid: Pyramid;
  color(id: number, palette: Palette): Rgb;
  label(id: number): string;
  isHatched?: boolean;
  isDimmed?(id: number): boolean;
}

export interface CurveTrack {
  curve: StepCurve;
  color(palette: Palette): Rgb;
  text(value: number): string;
  limit?: { value: number; text: string };
}

export interface Row {
  key: string;
  title: string;
  detail: string;
  hint: string; // the whole of it, for the pointer
  level: 0 | 1; // 0: a head
  height: number;
  isFoldable?: boolean;
  isFolded?: boolean;
  action?: () => void;
  subject?: Selection; // what a click on its name selects
  lanes?: () => EventTrack[]; // one each, from top to bottom
  laneCount?: number;
  curve?: CurveTrack;
  note?: string; // stands where nothing can be drawn
  owns?(thing: Thing): number; // the lane it lies on; -1: not here
}

export const laneHeight = 16;
export const lanePadding = 2;
export const rowHeight = (lanes: number) => lanes * laneHeight + 2 * lanePadding;
