// launch.ts - the sizes of a launch, in words.
import { gridText } from "../text/units";
import { TableOf, workKind } from "./tables";

// Each is "160x120", or empty.
export interface Launch {
  groups: string; // empty: the driver chose their size
  groupSize: string;
  items: string; // empty: groups × group size
  offset: string; // "(1, 2, 0)"; empty: none
  dimensions: number; // that the kernel is told of; 0: as many as are more than 1
}

type Size = [number, number, number];
const isSet = (size: Size) => size.some((count) => count !== 0);

// Null of what isn't a dispatch.
export function launchOf(works: TableOf<"works">, work: number): Launch | null {
  if (works.kind[work] !== workKind.dispatch) return null;
  const groups: Size = [works.groups_x[work], works.groups_y[work], works.groups_z[work]],
    groupSize: Size = [works.group_x[work], works.group_y[work], works.group_z[work]],
    items: Size = [works.items_x[work], works.items_y[work], works.items_z[work]],
    offset: Size = [works.offset_x[work], works.offset_y[work], works.offset_z[work]];
  const shared = { offset: isSet(offset) ? `(${offset.join(", ")})` : "", dimensions: works.dimensions[work] };
  // Without a size of groups the driver chose one.
  if (!isSet(groupSize)) return { ...shared, groups: "", groupSize: "", items: gridText(...items) };
  return {
    ...shared,
    groups: gridText(...groups),
    groupSize: gridText(...groupSize),
    items: isSet(items) ? gridText(...items) : "",
  };
}

// As the command line has it.
export function launchText({ groups, groupSize, items, offset }: Launch): string {
  const parts = groups
    ? [`${groups} groups of ${groupSize} items`, items && `${items} items in all`]
    : [`${items} items`, "in groups of the driver's choice"];
  return [...parts, offset && `from ${offset}`].filter(Boolean).join(", ");
}
