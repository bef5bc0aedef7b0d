// dependency_sets.ts - sets of commands that a dependency may be of. A set has commands and sets of lower numbers.
import { noIndex, TableOf } from "./tables";

export class DependencySets {
  private readonly first: Uint32Array; // by set: its first row; one more for the end

  constructor(private readonly rows: TableOf<"dependency_sets">) {
    const count = rows.rows === 0 ? 0 : rows.set_number[rows.rows - 1] + 1;
    this.first = new Uint32Array(count + 1).fill(rows.rows);
    for (let row = rows.rows - 1; row >= 0; --row) this.first[rows.set_number[row]] = row;
  }

  get count(): number {
    return this.first.length - 1;
  }

  // Each command once, in their order.
  commandsOf(set: number): number[] {
    const found = new Set<number>(),
      seen = new Set([set]);
    for (const open of seen)
      for (let row = this.first[open]; row < this.first[open + 1]; ++row)
        if (this.rows.inner_set[row] === noIndex) found.add(this.rows.command[row]);
        else seen.add(this.rows.inner_set[row]);
    return [...found].sort((a, b) => a - b);
  }

  // By set: 1 where the command is in it.
  setsWith(command: number): Uint8Array {
    const has = new Uint8Array(this.count);
    for (let row = 0; row < this.rows.rows; ++row) {
      const inner = this.rows.inner_set[row];
      if (inner === noIndex ? this.rows.command[row] === command : has[inner]) has[this.rows.set_number[row]] = 1;
    }
    return has;
  }

  // By set: the groups that its commands are in, each once. Sets of the same groups share a list.
  groupsOf(groupOf: Int32Array): number[][] {
    const groups: number[][] = [];
    for (let set = 0; set < this.count; ++set) {
      let list: number[] = [],
        isOwn = false;
      const add = (group: number) => {
        if (group < 0 || list.includes(group)) return;
        if (!isOwn) list = [...list];
        isOwn = true;
        list.push(group);
      };
      for (let row = this.first[set + 1] - 1; row >= this.first[set]; --row) {
        const inner = this.rows.inner_set[row];
        if (inner === noIndex) add(groupOf[this.rows.command[row]] ?? -1);
        else if (list.length === 0) list = groups[inner];
        else groups[inner].forEach(add);
      }
      groups.push(list);
    }
    return groups;
  }
}
