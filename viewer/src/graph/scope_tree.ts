// scope_tree.ts - commands as a tree of scopes, made level by level as somebody opens it.
import { Catalog } from "../data/catalog";
import { Pass } from "../data/json";
import { CommandRegions } from "../data/region_tree";
import { noIndex } from "../data/tables";
import { Loop, loopsIn } from "./decisions";
import { foldRuns, withoutNumbers } from "./fold";

export interface GraphNode {
  key: string;
  kind: "command" | "scope" | "fold" | "pass" | "part" | "loop" | "round" | "choice";
  first: number; // commands first to end
  end: number;
  depth: number; // of scopes above what is in it
  title: string;
  count: number; // of a fold: how often; of a loop: rounds
  region: number; // that it is; of others noIndex
  outcome?: string; // of a decision, where its title ends with it
  members: GraphNode[] | null; // of folds, parts and loops, which know them
  parent: GraphNode | null;
}

const foldsFrom = 3;
const mostChildren = 160;

export class ScopeTree {
  private readonly paths = new Map<number, string[]>();
  private readonly made = new Map<string, GraphNode[]>();

  constructor(
    private readonly catalog: Catalog,
    private readonly passes: Pass[],
    private readonly regions: CommandRegions | null = null, // null: labels tell of loops
  ) {}

  private path(command: number): string[] {
    const { works, commands } = this.catalog,
      text = works.scope[commands.work[command]];
    let parts = this.paths.get(text);
    if (!parts) this.paths.set(text, (parts = this.catalog.text(text).split("/").filter(Boolean)));
    return parts;
  }

  top(): GraphNode[] {
    const { count } = this.catalog;
    if (this.passes.length < 2) return this.arrange(this.group(0, count, 0, null), null);
    const nodes: GraphNode[] = [];
    let at = 0;
    this.passes.forEach((pass, number) => {
      if (pass.first > at) nodes.push(...this.group(at, pass.first, 0, null));
      const end = Math.min(count, pass.end);
      if (end > pass.first)
        nodes.push({
          key: `pass ${number}`,
          kind: "pass",
          first: pass.first,
          end,
          depth: 0,
          title: `pass ${number}`,
          count: 1,
          region: noIndex,
          members: null,
          parent: null,
        });
      at = Math.max(at, end);
    });
    if (at < count) nodes.push(...this.group(at, count, 0, null));
    return this.arrange(nodes, null);
  }

  children(node: GraphNode): GraphNode[] {
    if (node.kind === "command") return [];
    if (node.members) return node.members;
    let nodes = this.made.get(node.key);
    if (!nodes)
      this.made.set(node.key, (nodes = this.arrange(this.group(node.first, node.end, node.depth, node), node)));
    return nodes;
  }

  // Commands first to end by the scope at a depth: neighbours of the same scope are one node.
  private group(first: number, end: number, depth: number, parent: GraphNode | null): GraphNode[] {
    const nodes: GraphNode[] = [],
      loops = this.regions ? new Map<number, Loop>() : this.loops(first, end),
      within = this.regionAround(parent);
    for (let at = first; at < end; ) {
      const region = this.regions?.beginningAt(at, end, within) ?? noIndex;
      if (region !== noIndex) {
        nodes.push(this.decided(region, depth, parent));
        at = this.regions!.span(region).end;
        continue;
      }
      const loop = loops.get(at);
      if (loop) {
        nodes.push(this.loop(loop, depth, parent));
        at = loop.end;
        continue;
      }
      const name = this.path(at)[depth];
      let stop = at + 1;
      if (name !== undefined) while (stop < end && this.path(stop)[depth] === name) ++stop;
      nodes.push(stop - at === 1 ? this.command(at, parent) : this.scope(at, stop, depth, name, parent));
      at = stop;
    }
    return nodes;
  }

  private regionAround(node: GraphNode | null): number {
    for (; node; node = node.parent) if (node.region !== noIndex) return node.region;
    return noIndex;
  }

  // A decision, or a round of one.
  private decided(region: number, depth: number, parent: GraphNode | null): GraphNode {
    const { tree } = this.regions!,
      { first, end } = this.regions!.span(region),
      isLoop = tree.isLoop(region);
    return {
      key: `region ${region}`,
      kind: isLoop ? "loop" : tree.isDecision(region) ? "choice" : "round",
      first,
      end,
      depth,
      title: tree.title(region),
      outcome: tree.isDecision(region) ? tree.outcome(region) : undefined,
      count: isLoop ? tree.regions.number[region] : 1,
      region,
      members: null,
      parent,
    };
  }

  // Those of one stream: what other streams do meanwhile is not theirs.
  private loops(first: number, end: number): Map<number, Loop> {
    const { catalog } = this,
      { stream } = catalog.commands;
    const found = loopsIn(first, end, (command) => catalog.label(command)).filter((loop) => {
      for (let at = loop.first; at < loop.end; ++at) if (stream[at] !== stream[loop.first]) return false;
      return true;
    });
    return new Map(found.map((loop) => [loop.first, loop]));
  }

  // Its rounds, each the read of the condition and what ran, and the read that ended it.
  private loop(loop: Loop, depth: number, parent: GraphNode | null): GraphNode {
    const last = loop.isEnded ? loop.end - 1 : loop.end;
    const node: GraphNode = {
      key: `loop ${loop.first}-${loop.end}`,
      kind: "loop",
      first: loop.first,
      end: loop.end,
      depth,
      title: loop.title,
      count: loop.rounds.length,
      region: noIndex,
      members: null,
      parent,
    };
    const rounds = loop.rounds.map((first, round): GraphNode => {
      const end = loop.rounds[round + 1] ?? last;
      const made: GraphNode = {
        key: `round ${first}-${end}`,
        kind: "round",
        first,
        end,
        depth,
        title: `round ${round}`,
        count: 1,
        region: noIndex,
        members: null,
        parent: node,
      };
      made.members = [this.command(first, made), ...this.arrange(this.group(first + 1, end, depth, made), made)];
      return made;
    });
    node.members = this.arrange(rounds, node);
    if (loop.isEnded) node.members = [...node.members, this.command(last, node)];
    return node;
  }

  private command(command: number, parent: GraphNode | null): GraphNode {
    const { catalog } = this;
    return {
      key: `c${command}`,
      kind: "command",
      first: command,
      end: command + 1,
      depth: 0,
      count: 1,
      region: noIndex,
      members: null,
      parent,
      title: catalog.title(command, 2),
    };
  }

  private scope(first: number, end: number, depth: number, name: string, parent: GraphNode | null): GraphNode {
    // A scope that holds one scope and nothing else is shown as both: "layer0/attention".
    let title = name,
      below = depth + 1;
    for (;;) {
      const next = this.path(first)[below];
      let isShared = next !== undefined;
      for (let at = first + 1; at < end && isShared; ++at) isShared = this.path(at)[below] === next;
      if (!isShared) break;
      title += `/${next}`;
      ++below;
    }
    if (parent?.kind === "scope") title = `${parent.title}/${title}`;
    return {
      key: `scope ${first}-${end}-${depth}`,
      kind: "scope",
      first,
      end,
      depth: below,
      title,
      count: 1,
      region: noIndex,
      members: null,
      parent,
    };
  }

  // What a node does, without numbers in names: equal ones fold.
  private signature(node: GraphNode): string {
    const { catalog } = this;
    if (node.kind === "command")
      return `${catalog.kind(node.first)} ${catalog.kernel(node.first)} ${withoutNumbers(node.title)}`;
    let hash = 2166136261;
    for (let at = node.first; at < node.end; ++at)
      hash = Math.imul(hash ^ (catalog.kind(at) * 65599 + catalog.kernel(at)), 16777619);
    return `${withoutNumbers(node.title)} ${node.end - node.first} ${hash}`;
  }

  private arrange(nodes: GraphNode[], parent: GraphNode | null): GraphNode[] {
    const signatures = nodes.map((node) => this.signature(node));
    const folded = foldRuns(signatures, foldsFrom).flatMap(({ first, period, count }) => {
      if (count === 1) return nodes.slice(first, first + period);
      const rounds = Array.from({ length: count }, (_, round) =>
        nodes.slice(first + round * period, first + (round + 1) * period),
      );
      const fold = this.bundle("fold", nodes.slice(first, first + period * count), parent);
      fold.count = count;
      fold.members = this.parts(
        period === 1 ? rounds.map(([node]) => node) : rounds.map((round) => this.bundle("part", round, fold)),
        fold,
      );
      for (const member of fold.members) member.parent = fold;
      const last = nodes[first + period * count - 1];
      fold.title =
        period === 1
          ? nodes[first].title === last.title
            ? last.title
            : `${nodes[first].title} … ${last.title}`
          : `${nodes[first].title} … ${nodes[first + period - 1].title}`;
      return [fold];
    });
    return this.parts(folded, parent);
  }

  private bundle(kind: "fold" | "part", nodes: GraphNode[], parent: GraphNode | null): GraphNode {
    const first = nodes[0].first,
      end = nodes[nodes.length - 1].end;
    const bundle: GraphNode = {
      key: `${kind} ${first}-${end}-${nodes.length}`,
      kind,
      first,
      end,
      depth: 0,
      title: `c${first} … c${end - 1}`,
      count: 1,
      region: noIndex,
      members: nodes,
      parent,
    };
    for (const node of nodes) node.parent = bundle;
    return bundle;
  }

  // More than anybody can look at becomes parts, and parts of parts.
  private parts(nodes: GraphNode[], parent: GraphNode | null): GraphNode[] {
    while (nodes.length > mostChildren) {
      const size = Math.ceil(nodes.length / Math.ceil(nodes.length / 64));
      const parts: GraphNode[] = [];
      for (let at = 0; at < nodes.length; at += size)
        parts.push(this.bundle("part", nodes.slice(at, at + size), parent));
      nodes = parts;
    }
    return nodes;
  }
}

// What is seen: the top, with open nodes replaced by what is in them.
export function visibleNodes(tree: ScopeTree, top: GraphNode[], isOpen: (node: GraphNode) => boolean): GraphNode[] {
  const seen: GraphNode[] = [];
  const visit = (node: GraphNode) => {
    if (node.kind !== "command" && isOpen(node)) {
      for (const child of tree.children(node)) {
        child.parent ??= node;
        visit(child);
      }
    } else seen.push(node);
  };
  top.forEach(visit);
  return seen;
}
