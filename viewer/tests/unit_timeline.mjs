// unit_timeline.mjs - what the timeline is drawn from: pyramids, lanes, curves, ticks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load, randomNumbers } from "./unit_setup.mjs";

const { Pyramid } = await load("timeline/pyramid");
const { groupBy, membersOf, orderByStart, spread } = await load("timeline/lanes");
const { StepCurve, totalDepth, orderByTime } = await load("timeline/step_curve");
const { ticks, tickStep, tickText } = await load("timeline/ticks");

function seen(pyramid, begin, end, pixel) {
  let busy = 0,
    cells = 0,
    events = 0;
  pyramid.visit(begin, end, pixel, {
    event: (position) => {
      ++events;
      busy += pyramid.end(position) - pyramid.start(position);
    },
    cell: (_, __, ___, time) => {
      ++cells;
      busy += time;
    },
  });
  return { busy, cells, events };
}

test("pyramid: no time is lost, whatever the zoom, and drawing costs by pixels", () => {
  const random = randomNumbers(1),
    count = 100_000,
    starts = new Float64Array(count),
    ends = new Float64Array(count);
  let now = 0,
    whole = 0;
  for (let event = 0; event < count; ++event) {
    now += random() ** 8 * 5000;
    starts[event] = now;
    now += 10 + random() * 200;
    ends[event] = now;
    whole += ends[event] - starts[event];
  }
  const pyramid = new Pyramid(
    starts,
    ends,
    Uint32Array.from(starts, (_, event) => event),
  );
  for (const pixels of [1, 100, 1000, 1e9]) {
    const { busy, cells, events } = seen(pyramid, 0, now, now / pixels);
    assert.ok(Math.abs(busy - whole) < 1e-3, `${pixels}: ${busy} against ${whole}`);
    if (pixels <= 1000) assert.ok(cells + events <= 40 * pixels + 16, `${cells + events} for ${pixels}`);
  }
});

test("pyramid: only what overlaps the window is visited, ends in any order", () => {
  const starts = Float64Array.of(0, 10, 20, 30),
    ends = Float64Array.of(100, 11, 21, 31);
  const pyramid = new Pyramid(starts, ends, Uint32Array.of(0, 1, 2, 3));
  const found = [];
  pyramid.visit(25, 29, 0.1, { event: (position) => found.push(position), cell: () => assert.fail() });
  assert.deepEqual(found, [0]);
});

test("pyramid: finds the event under the pointer, of several the shortest, and a near one", () => {
  const pyramid = new Pyramid(Float64Array.of(0, 10, 50), Float64Array.of(100, 20, 51), Uint32Array.of(0, 1, 2));
  assert.equal(pyramid.find(15, 0.5), 1);
  assert.equal(pyramid.find(30, 0.5), 0);
  assert.equal(pyramid.find(50.5, 0.1), 2);
  assert.equal(pyramid.find(101, 2), 0);
  assert.equal(pyramid.find(200, 2), -1);
  assert.equal(new Pyramid([], [], new Uint32Array()).find(0, 1), -1);
});

test("lanes: unknown times are left out, the rest is sorted", () => {
  assert.deepEqual([...orderByStart([5, NaN, 1], [6, 3, 2], Uint32Array.of(0, 1, 2))], [2, 0]);
});

test("lanes: calls within calls lie below them, and lanes never overlap", () => {
  const starts = [0, 1, 2, 10],
    ends = [9, 4, 3, 11];
  assert.deepEqual(
    spread(Uint32Array.of(0, 1, 2, 3), starts, ends, 8).map((lane) => [...lane]),
    [[0, 3], [1], [2]],
  );
  assert.deepEqual(
    spread(Uint32Array.of(0, 1, 2, 3), starts, ends, 2).map((lane) => [...lane]),
    [
      [0, 3],
      [1, 2],
    ],
  );
});

test("lanes: groups keep the order, and leave out who belongs to none", () => {
  const groups = groupBy(5, 2, (index) => [0, 1, 0, -1, 7][index]);
  assert.deepEqual([...membersOf(groups, 0)], [0, 2]);
  assert.deepEqual([...membersOf(groups, 1)], [1]);
});

test("curve: the most within any span is that of the points in it", () => {
  const random = randomNumbers(2),
    values = Array.from({ length: 1000 }, () => Math.floor(random() * 1e6));
  const curve = new StepCurve(
    values.map((_, at) => at * 10),
    values,
  );
  for (let round = 0; round < 200; ++round) {
    const a = Math.floor(random() * 1000),
      b = a + Math.floor(random() * (1000 - a));
    assert.equal(curve.mostOf(a, b), Math.max(...values.slice(a, b + 1)));
  }
  assert.equal(curve.value(-1), 0);
  assert.equal(curve.value(15), values[1]);
  assert.equal(curve.value(1e9), values[999]);
});

test("curve: depths of streams, one after the other, add up over time", () => {
  const curve = totalDepth(
    5,
    Float64Array.of(0, 10, 20, 5, 15),
    Uint32Array.of(0, 0, 0, 1, 1),
    Uint32Array.of(1, 2, 0, 3, 0),
  );
  assert.deepEqual([...curve.times], [0, 5, 10, 15, 20]);
  assert.deepEqual([...curve.values], [1, 4, 5, 2, 0]);
  assert.deepEqual([...orderByTime(Float64Array.of(3, 1, 2, 0))], [3, 1, 2, 0]);
});

test("ticks: round steps, as many digits as they need", () => {
  assert.equal(tickStep(1.1), 2);
  assert.equal(tickStep(51), 100);
  assert.equal(tickText(1500, 500), "1500 ns");
  assert.equal(tickText(1_500_000, 500), "1.5000 ms");
  assert.equal(tickText(2e6, 1e6), "2 ms");
  assert.ok(ticks(0, 1e6, 1000, 100).length <= 11);
});
