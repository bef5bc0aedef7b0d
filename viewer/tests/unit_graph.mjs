// unit_graph.mjs - the graph of dependencies: layout, folding, edges, sets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load, randomNumbers } from "./unit_setup.mjs";

const { layOut } = await load("graph/layout");
const { foldRuns, withoutNumbers } = await load("graph/fold");
const { edgesBetween } = await load("graph/graph_edges");
const { decidedBy, loopsIn } = await load("graph/decisions");
const { CommandRegions, RegionTree } = await load("data/region_tree");
const { ScopeTree } = await load("graph/scope_tree");
const { DependencySets } = await load("data/dependency_sets");

const sized = (count, from, to) =>
  layOut({ count, from, to, widths: new Array(count).fill(100), heights: new Array(count).fill(40) });

test("layout: what depends lies below, and nothing overlaps", () => {
  const random = randomNumbers(3),
    count = 400,
    from = [],
    to = [];
  for (let node = 1; node < count; ++node)
    for (let edge = 0; edge < 2; ++edge) {
      from.push(Math.floor(random() * node));
      to.push(node);
    }
  const { x, y, layer, isLong } = sized(count, from, to);
  from.forEach((node, edge) => {
    assert.ok(y[node] + 40 < y[to[edge]]);
    assert.equal(isLong[edge] === 1, layer[to[edge]] - layer[node] > 6);
  });
  for (let a = 0; a < count; ++a)
    for (let b = a + 1; b < count; ++b) if (y[a] === y[b]) assert.ok(Math.abs(x[a] - x[b]) >= 100, `${a} and ${b}`);
});

test("layout: a chain is straight, a diamond is even, nothing is nothing", () => {
  const chain = sized(5, [0, 1, 2, 3], [1, 2, 3, 4]);
  assert.deepEqual([...chain.layer], [0, 1, 2, 3, 4]);
  for (let node = 1; node < 5; ++node) assert.ok(Math.abs(chain.x[node] - chain.x[0]) < 1);
  const diamond = sized(4, [0, 0, 1, 2], [1, 2, 3, 3]);
  assert.deepEqual([...diamond.layer], [0, 1, 1, 2]);
  assert.ok(Math.abs((diamond.x[1] + diamond.x[2]) / 2 - diamond.x[0]) < 40);
  assert.equal(sized(0, [], []).width, 0);
});

test("layout: a thousand that depend on nothing become lines of a few", () => {
  const { y, width } = sized(1000, [], []);
  assert.ok(width < 2500);
  assert.ok(new Set(y).size > 50);
});

test("fold: layers become one, whatever is around them", () => {
  assert.deepEqual(foldRuns(["e", "l", "l", "l", "l", "h"], 3), [
    { first: 0, period: 1, count: 1 },
    { first: 1, period: 1, count: 4 },
    { first: 5, period: 1, count: 1 },
  ]);
  assert.deepEqual(foldRuns([..."abcabcabcd"], 3), [
    { first: 0, period: 3, count: 3 },
    { first: 9, period: 1, count: 1 },
  ]);
  assert.deepEqual(
    foldRuns([..."aabb"], 3).map((run) => run.count),
    [1, 1, 1, 1],
  );
  assert.equal(withoutNumbers("layer12/q_proj"), withoutNumbers("layer3/q_proj"));
});

test("fold: runs cover everything, once", () => {
  const random = randomNumbers(4),
    letters = Array.from({ length: 5000 }, () => "abc"[Math.floor(random() * 3)]);
  let at = 0;
  for (const { first, period, count } of foldRuns(letters, 3)) {
    assert.equal(first, at);
    at += period * count;
  }
  assert.equal(at, letters.length);
});

test("edges: those within a node vanish, the gravest kind is shown", () => {
  const nodes = [
    { first: 0, end: 2 },
    { first: 2, end: 4 },
  ];
  const none = 0xffffffff;
  const table = {
    rows: 4,
    from: Uint32Array.of(0, 0, 1, 2),
    to: Uint32Array.of(1, 2, 3, 3),
    kind: Uint8Array.of(0, 3, 0, 0),
    buffer: Uint32Array.of(5, none, 6, 7),
    bytes: Float64Array.of(1, 0, 8, 1),
    from_set: Uint32Array.of(none, none, none, none),
  };
  const sets = setsOf([]);
  assert.deepEqual(edgesBetween(nodes, 4, table, sets, "all"), [
    { from: 0, to: 1, kind: 0, count: 2, bytes: 8, buffers: [6] },
  ]);
  assert.equal(edgesBetween(nodes, 4, table, sets, "sync")[0].kind, 3);
  assert.equal(edgesBetween(nodes, 4, table, sets, "data")[0].count, 1);
});

// Rows of [set, command, inner set]; null: none.
function setsOf(rows) {
  const column = (at) => Uint32Array.from(rows, (row) => row[at] ?? 0xffffffff);
  return new DependencySets({ rows: rows.length, set_number: column(0), command: column(1), inner_set: column(2) });
}

test("dependencies of sets are of each command in them, and in the sets in them", () => {
  const sets = setsOf([
    [0, 1, null],
    [0, 3, null],
    [1, 5, null],
    [1, null, 0],
    [2, 3, null],
    [2, null, 1],
    [2, null, 0],
  ]);
  assert.equal(sets.count, 3);
  assert.deepEqual(sets.commandsOf(0), [1, 3]);
  assert.deepEqual(sets.commandsOf(2), [1, 3, 5]);
  assert.deepEqual([...sets.setsWith(5)], [0, 1, 1]);
  assert.deepEqual([...sets.setsWith(2)], [0, 0, 0]);
  // Commands 0 to 3 are in the first node, 4 and 5 in the second, 6 in the third; 7 is not shown.
  const nodes = [
    { first: 0, end: 4 },
    { first: 4, end: 6 },
    { first: 6, end: 7 },
  ];
  const table = {
    rows: 2,
    from: Uint32Array.of(3, 5),
    to: Uint32Array.of(5, 6),
    kind: Uint8Array.of(0, 2),
    buffer: Uint32Array.of(4, 4),
    bytes: Float64Array.of(64, 96),
    from_set: Uint32Array.of(0, 2),
  };
  assert.deepEqual(
    edgesBetween(nodes, 8, table, sets, "all").sort((a, b) => a.to - b.to || a.from - b.from),
    [
      { from: 0, to: 1, kind: 0, count: 1, bytes: 64, buffers: [4] },
      { from: 0, to: 2, kind: 2, count: 1, bytes: 0, buffers: [4] },
      { from: 1, to: 2, kind: 2, count: 1, bytes: 0, buffers: [4] },
    ],
  );
});

test("decisions: labels of conditions say what was decided, and nothing else does", () => {
  assert.deepEqual(decidedBy("while 'a: 1, done': 2, round 11"), {
    title: "while 'a: 1, done'",
    value: 2,
    outcome: "round 11",
  });
  assert.deepEqual(decidedBy("if: 0, nothing to do"), { title: "if", value: 0, outcome: "nothing to do" });
  assert.deepEqual(decidedBy("if 'x': 0, not taken"), { title: "if 'x'", value: 0, outcome: "not taken" });
  assert.equal(decidedBy("while 'x': 7, limit reached").outcome, "limit reached");
  assert.equal(decidedBy("switch 'x': 4294967295, case 4294967295").value, 4294967295);
  for (const label of ["", "while", "while 'x', round 3", "if 'x': 1, then and more", "until: 1, round 0", "while: x, done"])
    assert.equal(decidedBy(label), null, label);
});

test("decisions: loops are found as they were nested, whatever is in them", () => {
  const random = randomNumbers(7),
    below = (count) => Math.floor(random() * count);
  for (let round = 0; round < 300; ++round) {
    const labels = [],
      meant = [];
    const write = (depth) => {
      for (let statement = below(4); statement >= 0; --statement) {
        if (depth === 3 || below(2)) labels.push(below(3) ? "scale" : "if: 1, then");
        else {
          const title = `while '${"abc"[depth]}'`,
            rounds = 1 + below(4),
            loop = { first: labels.length, title, rounds: [], isEnded: true };
          if (depth === 0) meant.push(loop);
          for (let turn = 0; turn < rounds; ++turn) {
            loop.rounds.push(labels.length);
            labels.push(`${title}: 1, round ${turn}`);
            write(depth + 1);
          }
          loop.end = labels.push(`${title}: 0, done`);
        }
      }
    };
    write(0);
    assert.deepEqual(loopsIn(0, labels.length, (command) => labels[command]), meant);
  }
  // One that a limit ended takes all that is left.
  const cut = ["while: 1, round 0", "x", "while: 1, round 1", "x", "while: 1, round 2"];
  assert.deepEqual(loopsIn(0, cut.length, (command) => cut[command]), [
    { first: 0, end: 5, title: "while", rounds: [0, 2, 4], isEnded: false },
  ]);
});

const kinds = { pass: 0, named: 1, launch: 2, if: 3, while: 4, switch: 5, repeat: 6, branch: 7, round: 8 };

// A random launch: regions as a document has them, commands in them, and the groups that a page must make of them.
function randomLaunch(below, maxDepth) {
  const regions = [],
    given = []; // times of commands
  let now = 0;
  const within = (kind, number, name, parent, fill) => {
    const region = { kind, number, name, thread: 1, begin: ++now, parent };
    const index = regions.push(region) - 1;
    const meant = fill(index);
    region.end = ++now;
    return meant;
  };
  const command = () => {
    given.push(++now);
    return `c${given.length - 1}`;
  };
  const group = (title, members) => (members.length > 1 || Array.isArray(members[0]) ? [title, ...members] : members[0]);
  const block = (depth, parent) => {
    const members = [];
    for (let statement = below(3); statement >= 0; --statement) {
      const name = below(2) ? "abc"[below(3)] : "",
        word = (kind) => (name ? `${kind} '${name}'` : kind);
      const choice = depth === maxDepth ? 0 : below(6);
      if (choice < 2) members.push(command());
      else if (choice === 2) {
        const value = below(2),
          hasElse = below(2) === 1,
          runs = value === 1 || hasElse;
        members.push(
          within(kinds.if, value, name, parent, (own) => {
            const inside = [command()];
            if (runs) inside.push(...within(kinds.branch, value ? 0 : 1, "", own, (branch) => block(depth + 1, branch)));
            return group(`${word("if")}: ${value}, ${runs ? (value ? "then" : "else") : "not taken"}`, inside);
          }),
        );
      } else if (choice === 3) {
        const value = below(4);
        members.push(
          within(kinds.switch, value, name, parent, (own) => {
            const read = command();
            return group(`${word("switch")}: ${value}`, [
              read,
              ...within(kinds.branch, value, "", own, (branch) => block(depth + 1, branch)),
            ]);
          }),
        );
      } else {
        const isWhile = choice === 4,
          count = isWhile ? below(3) : 1 + below(2);
        members.push(
          within(isWhile ? kinds.while : kinds.repeat, count, name, parent, (own) => {
            const inside = [];
            for (let round = 0; round < count; ++round)
              inside.push(
                within(kinds.round, round, "", own, (of) =>
                  group(isWhile ? `round ${round}` : `round ${round} of ${count}`, [
                    ...(isWhile ? [command()] : []),
                    ...block(depth + 1, of),
                  ]),
                ),
              );
            if (isWhile) inside.push(command());
            return group(`${word(isWhile ? "while" : "repeat")}: ${count} ${count === 1 ? "round" : "rounds"}`, inside);
          }),
        );
      }
    }
    return members;
  };
  const meant = within(kinds.launch, 3, "step", 0xffffffff, (launch) => block(0, launch));
  return { regions, given, meant };
}

function tablesOf(regions, given) {
  const texts = ["", ...new Set(regions.map(({ name }) => name).filter(Boolean))];
  const column = (Type, name) => Type.from(regions, (region) => region[name]);
  const table = {
    rows: regions.length,
    kind: column(Uint8Array, "kind"),
    number: column(Uint32Array, "number"),
    name: Uint32Array.from(regions, ({ name }) => texts.indexOf(name)),
    thread: column(Uint32Array, "thread"),
    begin: column(Float64Array, "begin"),
    end: column(Float64Array, "end"),
    parent: column(Uint32Array, "parent"),
  };
  const commands = {
    rows: given.length,
    thread: new Uint32Array(given.length).fill(1),
    call_begin: Float64Array.from(given),
    work: new Uint32Array(given.length),
    stream: new Uint32Array(given.length),
  };
  return { tree: new RegionTree(table, (text) => texts[text]), commands };
}

// What the graph has of commands, all of it opened: groups as lists that begin with their titles. Folds are left out.
function opened(commands, regions) {
  const catalog = {
    count: commands.rows,
    commands,
    works: { scope: [0] },
    text: () => "",
    label: () => "",
    kind: () => 0,
    kernel: (command) => command, // each another one, so that only what is nothing but numbers folds
    title: (command) => `c${command}`,
  };
  const scopes = new ScopeTree(catalog, [], regions);
  const list = (nodes) => nodes.flatMap((node) => (node.kind === "command" ? [node.title] : show(node)));
  const show = (node) => {
    const members = list(scopes.children(node));
    return node.kind === "fold" || node.kind === "part" ? members : [[node.title, ...members]];
  };
  return list(scopes.top());
}

test("decisions: groups are the regions that ran, nested as they were", () => {
  const random = randomNumbers(11),
    below = (count) => Math.floor(random() * count);
  for (let round = 0; round < 300; ++round) {
    const { regions, given, meant } = randomLaunch(below, 3),
      { tree, commands } = tablesOf(regions, given);
    assert.deepEqual(opened(commands, new CommandRegions(tree, commands)), meant);
    assert.equal(tree.hasDecisions, regions.some(({ kind }) => kind > kinds.launch));
  }
});

test("decisions: what other threads do meanwhile is in no group", () => {
  const { tree, commands } = tablesOf(
    [
      { kind: kinds.launch, number: 1, name: "", thread: 1, begin: 0, end: 20, parent: 0xffffffff },
      { kind: kinds.repeat, number: 2, name: "r", thread: 1, begin: 1, end: 19, parent: 0 },
      { kind: kinds.round, number: 0, name: "", thread: 1, begin: 2, end: 9, parent: 1 },
      { kind: kinds.round, number: 1, name: "", thread: 1, begin: 10, end: 18, parent: 1 },
    ],
    [3, 4, 5, 11, 12],
  );
  commands.thread[1] = 2;
  assert.deepEqual(opened(commands, new CommandRegions(tree, commands)), ["c0", "c1", "c2", ["round 1 of 2", "c3", "c4"]]);
});
