// synthetic.mjs - documents that no program made, in the form of docs/page.md: for the benchmark, and for looks at
// what real documents here don't show (two devices, many streams, a million commands).

const noIndex = 0xffffffff;

// columns: {name: typed array}, all as long as `rows`.
export function encodeColumns(rows, columns) {
  const types = new Map([
    [Uint8Array, "u8"],
    [Uint16Array, "u16"],
    [Uint32Array, "u32"],
    [Float64Array, "f64"],
  ]);
  const described = [];
  let size = 0;
  for (const [name, array] of Object.entries(columns)) {
    described.push({ name, type: types.get(array.constructor), offset: size });
    size += Math.ceil((rows * array.BYTES_PER_ELEMENT) / 8) * 8;
  }
  let header = JSON.stringify({ rows, columns: described });
  header = header.padEnd(Math.ceil(header.length / 8) * 8, " ");
  const bytes = new Uint8Array(8 + header.length + size);
  new DataView(bytes.buffer).setUint32(4, header.length, true);
  bytes.set(new TextEncoder().encode("RCOL"));
  bytes.set(new TextEncoder().encode(header), 8);
  for (const { name, offset } of described) {
    const array = columns[name];
    bytes.set(
      new Uint8Array(array.buffer, array.byteOffset, rows * array.BYTES_PER_ELEMENT),
      8 + header.length + offset,
    );
  }
  return bytes;
}

// Rows of objects to columns; `schema` is {name: type}.
export function encodeRows(schema, rows) {
  const arrays = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };
  const columns = {};
  for (const [name, type] of Object.entries(schema)) columns[name] = arrays[type].from(rows, (row) => row[name]);
  return encodeColumns(rows.length, columns);
}

// Changes one number of a table that encodeColumns made.
export function setCell(bytes, name, row, value) {
  const view = new DataView(bytes.buffer, bytes.byteOffset),
    start = 8 + view.getUint32(4, true);
  const { columns } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const { type, offset } = columns.find((column) => column.name === name),
    at = start + offset;
  if (type === "u8") view.setUint8(at + row, value);
  if (type === "u16") view.setUint16(at + 2 * row, value, true);
  if (type === "u32") view.setUint32(at + 4 * row, value, true);
  if (type === "f64") view.setFloat64(at + 8 * row, value, true);
}

function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

const kernelNames = [
  "matmul_f32",
  "rms_norm",
  "rope",
  "attention",
  "softmax",
  "silu_mul",
  "add",
  "kv_append",
  "argmax",
  "embedding",
  "quantize_q8",
  "matmul_q8_0",
];
const kernelMicroseconds = [42, 3.1, 2.2, 17, 4.1, 2.8, 1.9, 1.4, 8, 2, 3.5, 27];
const layerWork = [
  ["attention/norm", 1],
  ["attention/q_proj", 0],
  ["attention/k_proj", 0],
  ["attention/v_proj", 0],
  ["attention/q_rope", 2],
  ["attention/k_rope", 2],
  ["attention/append", 7],
  ["attention/scores", 3],
  ["attention/o_proj", 11],
  ["attention/residual", 6],
  ["mlp/norm", 1],
  ["mlp/gate_proj", 0],
  ["mlp/up_proj", 0],
  ["mlp/activation", 5],
  ["mlp/down_proj", 11],
  ["mlp/residual", 6],
];

// Resources of a document with so many commands: passes of a model of `layers` layers. `images` are more buffers:
// {label, image, image_shape, element, versions: [{offset, size, bytes}]}; bytes are missing where only a hash was kept.
export function makeDocument({ commands: count, layers = 32, streams = 2, seed = 7, images = [] }) {
  const random = randomNumbers(seed);
  const texts = [""],
    textIds = new Map([["", 0]]);
  const textId = (text) => {
    if (!textIds.has(text)) {
      textIds.set(text, texts.length);
      texts.push(text);
    }
    return textIds.get(text);
  };

  // Works: one pass of the model, then a read of its result.
  const works = [],
    argumentRows = [],
    buffers = [];
  const addBuffer = (label, size_bytes) => {
    buffers.push({
      id: `b${buffers.length + 1}`,
      label,
      device: 0,
      size_bytes,
      kind: "buffer",
      alive_from: 0,
      alive_to: null,
      first: null,
      last: null,
      first_read: null,
      last_read: null,
      reads: 0,
      writes: 0,
      at_peak: true,
      outlives: true,
      element: "f32",
    });
    return buffers.length - 1;
  };
  const addWork = (kind, kernel, scope, label, uses) => {
    works.push({
      kind,
      kernel,
      graph: noIndex,
      label: textId(label),
      scope: textId(scope),
      groups_x: 16 + 16 * (kernel % 3),
      groups_y: kernel === 0 ? 8 : 1,
      groups_z: 1,
      group_x: 64,
      group_y: 1,
      group_z: 1,
      offset_x: 0,
      offset_y: 0,
      offset_z: 0,
      items_x: 0,
      items_y: 0,
      items_z: 0,
      dimensions: 0,
      first_argument: argumentRows.length,
      argument_count: uses.length,
      pattern: 0,
    });
    for (const [buffer, access] of uses)
      argumentRows.push({
        kind: 0,
        access,
        buffer,
        offset: 0,
        size: buffers[buffer].size_bytes,
        view: noIndex,
        value: noIndex,
      });
  };
  const hidden = addBuffer("x", 4096 * 4),
    scratch = addBuffer("scratch", 1 << 20),
    logits = addBuffer("logits", 128256 * 4);
  for (const { label, size_bytes, versions: _, ...more } of images)
    Object.assign(buffers[addBuffer(label, size_bytes)], { kind: "image", ...more });
  addWork(0, 9, "embedding", "embed", [[hidden, 2]]);
  for (let layer = 0; layer < layers; ++layer) {
    const weights = addBuffer(`layer${layer}.weights`, (8 + (layer % 5)) << 20),
      cache = addBuffer(`layer${layer}.kv`, 2 << 20);
    for (const [scope, kernel] of layerWork)
      addWork(
        0,
        kernel,
        `layer${layer}/${scope}`,
        scope.split("/")[1],
        scope.includes("append")
          ? [
              [scratch, 1],
              [cache, 3],
            ]
          : [
              [weights, 1],
              [hidden, 1],
              [scratch, 3],
            ],
      );
  }
  addWork(0, 0, "head", "lm_head", [
    [hidden, 1],
    [logits, 2],
  ]);
  addWork(0, 8, "head", "argmax", [
    [logits, 1],
    [scratch, 2],
  ]);
  addWork(4, noIndex, "", "token", [[scratch, 1]]);

  // Commands, as a host that is a little ahead gives them.
  const column = (Type) => new Type(count);
  const table = {
    work: column(Uint32Array),
    stream: column(Uint32Array),
    thread: column(Uint32Array),
    launch: column(Uint32Array).fill(noIndex),
    node: column(Uint32Array).fill(noIndex),
    lane: column(Uint16Array),
    call_begin: column(Float64Array),
    call_end: column(Float64Array),
    queued: column(Float64Array),
    submitted: column(Float64Array),
    started: column(Float64Array),
    ended: column(Float64Array),
    own: column(Float64Array),
  };
  const kernelTimes = kernelNames.map(() => []);
  const gaps = [],
    causes = "host sync wakeup dependency build allocation transfer launch capture unknown".split(" "),
    idle = Object.fromEntries(causes.map((cause) => [cause, 0]));
  const passes = [];
  let host = 0,
    free = 0,
    busy = 0,
    copies = 0;
  const isBig = count > 200_000; // tables of rows are capped there: only columns must be large
  const laneEnd = new Float64Array(streams * 2);
  for (let c = 0; c < count; ++c) {
    const work = c % works.length,
      { kernel, kind } = works[work];
    if (work === 0) passes.push({ kind: "session", first: c, end: Math.min(c + works.length, count), begin_ns: host, end_ns: 0 });
    const stream = kind === 4 && streams > 1 ? 1 : streams > 2 ? Math.floor(random() * streams) : 0;
    table.work[c] = work;
    table.stream[c] = stream;
    table.thread[c] = 1;
    table.call_begin[c] = host;
    host += 900 + random() * 1200;
    table.call_end[c] = host;
    table.queued[c] = host - 400;
    table.submitted[c] = host + 300;
    const microseconds = kernel === noIndex ? 6 : kernelMicroseconds[kernel];
    const run = Math.round(microseconds * 1000 * (0.9 + 0.25 * random()) * (random() < 0.003 ? 3 : 1));
    let start = Math.max(free + 700 + random() * 300, table.submitted[c] + 900);
    if (kernel === 2 && c > 0 && free - 1500 > table.submitted[c]) start = free - 1500; // overlaps the one before
    const lane = start < laneEnd[stream * 2] ? 1 : 0;
    if (lane && start < laneEnd[stream * 2 + 1]) start = laneEnd[stream * 2 + 1];
    table.lane[c] = lane;
    table.started[c] = start;
    table.ended[c] = start + run;
    table.own[c] = run;
    laneEnd[stream * 2 + lane] = start + run;
    if (start > free) {
      const cause = start - free < 3000 ? 7 : work === 0 ? 1 : 0;
      idle[causes[cause]] += start - free;
      if (free > 0) gaps.push(free, start, cause, c);
    }
    busy += Math.max(0, start + run - Math.max(free, start));
    free = Math.max(free, start + run);
    if (kernel === noIndex) copies += run;
    else if (!isBig || c < 200_000) kernelTimes[kernel].push(run);
    if (work === works.length - 1) {
      host = free + 5000; // waits for the token, and thinks
      passes[passes.length - 1].end_ns = host;
    } else if (host > free - 20_000) host += 300;
    else host = Math.max(host, free - 200_000);
  }
  const span = Math.max(host, free);
  passes[passes.length - 1].end_ns = span;

  // Calls: one a command, and a wait at the end of each pass.
  const launchName = textId("Stream::dispatch"),
    waitName = textId("Stream::synchronize"),
    readName = textId("Stream::read");
  const callCount = count + Math.floor(count / works.length);
  const calls = {
    name: new Uint32Array(callCount),
    thread: new Uint32Array(callCount).fill(1),
    command: new Uint32Array(callCount),
    peer: new Uint32Array(callCount).fill(noIndex),
    begin: new Float64Array(callCount),
    end: new Float64Array(callCount),
    bytes: new Float64Array(callCount),
  };
  for (let c = 0, at = 0; c < count; ++c) {
    const last = c % works.length === works.length - 1;
    calls.name[at] = last ? readName : launchName;
    calls.command[at] = c;
    calls.begin[at] = table.call_begin[c];
    calls.end[at++] = table.call_end[c];
    if (last && at < callCount) {
      calls.name[at] = waitName;
      calls.command[at] = noIndex;
      calls.begin[at] = table.call_end[c] + 100;
      calls.end[at++] = table.ended[c] + 900;
    }
  }

  // Each command reads what the one before wrote; now and then one is only told to wait, or not told.
  const dependencyCount = Math.max(0, count - 1);
  const dependencies = {
    from: new Uint32Array(dependencyCount),
    to: new Uint32Array(dependencyCount),
    buffer: new Uint32Array(dependencyCount).fill(scratch),
    kind: new Uint8Array(dependencyCount),
    bytes: new Float64Array(dependencyCount).fill(16384),
    from_set: new Uint32Array(dependencyCount).fill(noIndex),
  };
  for (let c = 1; c < count; ++c) {
    const work = c % works.length,
      scope = texts[works[work].scope];
    const back = /k_proj|up_proj/.test(scope) ? 2 : /v_proj/.test(scope) ? 3 : /residual/.test(scope) && c > 9 ? 9 : 1;
    dependencies.from[c - 1] = Math.max(0, c - back);
    dependencies.to[c - 1] = c;
    dependencies.kind[c - 1] = /append/.test(scope) ? 1 : work === 12 ? 3 : c === 40 ? 2 : 0;
  }

  const depthRows = count > 2_000_000 ? 0 : 2 * count;
  const depthTime = new Float64Array(depthRows),
    depthChange = new Int8Array(depthRows);
  {
    // given and done, merged
    let given = 0,
      done = 0;
    for (let at = 0; at < depthRows; ++at) {
      const next = given < count && table.call_end[given] <= table.ended[done];
      depthTime[at] = next ? table.call_end[given++] : table.ended[done++];
      depthChange[at] = next ? 1 : -1;
    }
  }
  const depthCommands = new Uint32Array(depthRows);
  for (let at = 0, now = 0; at < depthRows; ++at) depthCommands[at] = now = Math.max(0, now + depthChange[at]);

  const memoryRows = [{ time: 0, bytes: 0 }];
  let total = 0;
  buffers.forEach((buffer, index) => {
    total += buffer.size_bytes;
    buffer.alive_from = index * 20_000;
    buffer.alive_to = span;
    buffer.first = Math.min(count - 1, index * 3);
    buffer.last = count - 1;
    buffer.first_read = buffer.first;
    buffer.last_read = buffer.last;
    buffer.reads = 12;
    buffer.writes = 3;
    memoryRows.push({ time: buffer.alive_from, bytes: total });
  });

  const quantile = (sorted, part) => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
  const kernels = kernelNames.map((name, index) => {
    const times = kernelTimes[index].sort((a, b) => a - b),
      sum = times.reduce((a, b) => a + b, 0);
    return {
      id: `k${index + 1}`,
      name,
      entry: name,
      built_form: "opencl_c",
      group_x: 64,
      group_y: 1,
      group_z: 1,
      options: "-cl-std=CL2.0",
      build_log: "",
      binary_hash: "",
      defines: [["TILE", "16"]],
      constants: [],
      parameters: [
        { name: "weights", kind: "buffer", access: "in", element: "f32" },
        { name: "x", kind: "buffer", access: "in", element: "f32" },
        { name: "y", kind: "buffer", access: "inout", element: "f32" },
      ],
      count: times.length,
      timed: times.length,
      total_ns: sum,
      mean_ns: times.length ? Math.round(sum / times.length) : 0,
      min_ns: times[0] ?? 0,
      p50_ns: quantile(times, 0.5),
      p95_ns: quantile(times, 0.95),
      max_ns: times[times.length - 1] ?? 0,
      variation: 0.11,
      bound_bytes: times.length * 8e6,
      bandwidth: sum ? (times.length * 8e6) / sum : 0,
      shapes: 1,
      first: 0,
      last: count - 1,
      variants: [{ form: "opencl_c", has_text: true }],
    };
  });

  const lane = { begin_ns: 0, end_ns: span, busy_ns: busy, sum_ns: busy, commands: count, timed: count };
  const summary = {
    document: "synthetic.reel",
    facts: {
      program: "synthetic",
      command_line: "synthetic --tokens 8",
      started: "2026-01-01T00:00:00Z",
      host: "here",
      contents: "inputs",
    },
    run_facts: { host: "here", rank: "3", ranks: "8", branch: "main" },
    end_facts: {},
    complete: true,
    problems: [],
    notes: [],
    file_bytes: 26e6,
    stored_bytes: 12e6,
    begin_ns: 1e9,
    span_ns: span,
    active_ns: span,
    busy_ns: busy,
    sum_ns: busy,
    copy_ns: copies,
    idle_ns: idle,
    verdict: "device",
    counts: { dispatch: count - passes.length, read: passes.length },
    devices: [
      {
        ...lane,
        selector: "opencl:0",
        backend: "opencl",
        name: "Example GPU",
        type: "gpu",
        driver: "example",
        driver_version: "1.0",
        memory_bytes: 16 * 2 ** 30,
        clock_error_ns: 120,
      },
    ],
    streams: Array.from({ length: streams }, (_, s) => ({
      ...lane,
      id: `s${s}`,
      label: s === 0 ? "compute" : s === 1 ? "copies" : `stream ${s}`,
      device: 0,
    })),
    threads: [1],
    passes: passes.slice(0, 1000),
    repetitions: [{ first: 0, period: works.length, count: Math.floor(count / works.length) }],
    memory: { peak_ns: buffers.length * 20_000, peak_bytes: total, needed_at_peak_bytes: total * 0.8 },
    path: {
      command_ns: busy,
      behind_ns: 0,
      host_ns: span - busy,
      delay_ns: 0,
      capture_ns: 0,
      active_ns: span,
      span_ns: span,
      kernel_ns: kernels.map((kernel) => kernel.total_ns),
      halved: [
        { kernel: 0, span_ns: span * 0.7 },
        { kernel: 11, span_ns: span * 0.9 },
      ],
    },
    overhead_ns: { inputs: 120_000, checks: 9_000, waiting: 0, starting: 0, stopping: 800 },
    has_diff: false,
    left_out: [],
  };
  const findings = [
    {
      id: "verdict",
      severity: "info",
      confidence: "certain",
      title: "The device was busy most of the time.",
      advice: "",
      evidence: {},
      numbers: [{ name: "busy", unit: "%", value: (100 * busy) / span }],
      saving_ns: null,
      saving_bytes: null,
      formula: "",
    },
    {
      id: "idle.sync",
      severity: "warning",
      confidence: "likely",
      title: "The device waited after every pass, because the host first waited for it.",
      advice: "Give the next pass before waiting for the last.",
      evidence: { commands: ["c0"], streams: ["s0"], begin_ns: passes[0].begin_ns, end_ns: passes[0].end_ns },
      numbers: [{ name: "gaps", unit: "", value: passes.length }],
      saving_ns: idle.sync,
      saving_bytes: null,
      formula: "the sum of these gaps",
    },
  ];
  const tree = new Map();
  const scopes = { schema_version: 1, commands: count, run_ns: busy, scopes: [] };
  for (let w = 0; w < works.length; ++w) {
    const runs = Math.ceil((count - w) / works.length),
      ns = runs * (kernelMicroseconds[works[w].kernel] ?? 6) * 1000;
    let siblings = scopes.scopes,
      path = "";
    for (const name of texts[works[w].scope].split("/").filter(Boolean)) {
      path += `/${name}`;
      if (!tree.has(path)) {
        tree.set(path, { name, commands: 0, run_ns: 0, scopes: [] });
        siblings.push(tree.get(path));
      }
      const scope = tree.get(path);
      scope.commands += runs;
      scope.run_ns += ns;
      siblings = scope.scopes;
    }
  }

  const json = (value) => new TextEncoder().encode(JSON.stringify(value));
  const gapCount = gaps.length / 4;
  const resources = new Map();
  resources.set("summary", json(summary));
  resources.set("findings", json({ schema_version: 1, findings }));
  resources.set("kernels", json(kernels));
  resources.set("buffers", json(buffers));
  resources.set("texts", json(texts));
  resources.set("values", json(["4096", "0.5"]));
  resources.set("scopes", json(scopes));
  resources.set("commands", encodeColumns(count, table));
  resources.set(
    "works",
    encodeRows(
      {
        kind: "u8",
        kernel: "u32",
        graph: "u32",
        label: "u32",
        scope: "u32",
        groups_x: "u32",
        groups_y: "u32",
        groups_z: "u32",
        group_x: "u32",
        group_y: "u32",
        group_z: "u32",
        offset_x: "u32",
        offset_y: "u32",
        offset_z: "u32",
        items_x: "u32",
        items_y: "u32",
        items_z: "u32",
        dimensions: "u32",
        first_argument: "u32",
        argument_count: "u32",
        pattern: "u32",
      },
      works,
    ),
  );
  resources.set(
    "arguments",
    encodeRows(
      { kind: "u8", access: "u8", buffer: "u32", offset: "f64", size: "f64", view: "u32", value: "u32" },
      argumentRows,
    ),
  );
  resources.set("calls", encodeColumns(callCount, calls));
  resources.set(
    "regions",
    encodeColumns(passes.length, {
      kind: new Uint8Array(passes.length),
      number: Uint32Array.from(passes, (_, i) => i),
      name: new Uint32Array(passes.length),
      thread: new Uint32Array(passes.length).fill(1),
      begin: Float64Array.from(passes, (p) => p.begin_ns),
      end: Float64Array.from(passes, (p) => p.end_ns),
      parent: new Uint32Array(passes.length).fill(0xffffffff),
    }),
  );
  resources.set(
    "overheads",
    encodeColumns(0, {
      kind: new Uint8Array(0),
      thread: new Uint32Array(0),
      begin: new Float64Array(0),
      end: new Float64Array(0),
      bytes: new Float64Array(0),
    }),
  );
  resources.set(
    "intervals",
    encodeColumns(0, {
      first: new Uint32Array(0),
      count: new Uint32Array(0),
      stream: new Uint32Array(0),
      begin: new Float64Array(0),
      end: new Float64Array(0),
    }),
  );
  resources.set(
    "gaps",
    encodeColumns(gapCount, {
      device: new Uint32Array(gapCount),
      cause: Uint8Array.from({ length: gapCount }, (_, g) => gaps[4 * g + 2]),
      begin: Float64Array.from({ length: gapCount }, (_, g) => gaps[4 * g]),
      end: Float64Array.from({ length: gapCount }, (_, g) => gaps[4 * g + 1]),
      before: Uint32Array.from({ length: gapCount }, (_, g) => gaps[4 * g + 3] - 1),
      after: Uint32Array.from({ length: gapCount }, (_, g) => gaps[4 * g + 3]),
      period: Uint32Array.from({ length: gapCount }, (_, g) => g),
      call: new Uint32Array(gapCount).fill(noIndex),
      after_wait: new Uint32Array(gapCount).fill(noIndex),
    }),
  );
  const done = { what: "Looked at everything", part: 1, done: true };
  resources.set("progress", new TextEncoder().encode(JSON.stringify(done)));
  resources.set("dependencies", encodeColumns(dependencyCount, dependencies));
  const noRows = new Uint32Array(0);
  resources.set("dependency_sets", encodeColumns(0, { set_number: noRows, command: noRows, inner_set: noRows }));
  resources.set(
    "path",
    encodeColumns(count, {
      kind: new Uint8Array(count),
      command: Uint32Array.from({ length: count }, (_, c) => c),
      begin: table.started,
      end: table.ended,
    }),
  );
  resources.set("memory", encodeRows({ time: "f64", bytes: "f64" }, memoryRows));
  resources.set(
    "depth",
    encodeColumns(depthRows, { time: depthTime, stream: new Uint32Array(depthRows), commands: depthCommands }),
  );
  const version = {
    role: 0,
    stored: 1,
    command: 0,
    buffer: hidden,
    offset: 0,
    size: 16384,
    page_count: 1,
    hash_low: 1,
    hash_high: 1,
  };
  const imageVersions = images.flatMap(({ label, versions }) =>
    versions.map(({ offset = 0, size, bytes }, place) => ({
      ...version,
      command: place,
      buffer: buffers.findIndex((buffer) => buffer.label === label),
      offset,
      size: bytes?.length ?? size,
      stored: bytes ? 1 : 0,
      hash_low: 100 + place,
      bytes,
    })),
  );
  resources.set(
    "contents",
    encodeRows(
      {
        role: "u8",
        stored: "u8",
        command: "u32",
        buffer: "u32",
        offset: "f64",
        size: "f64",
        page_count: "u32",
        hash_low: "u32",
        hash_high: "u32",
      },
      [
        version,
        { ...version, role: 1, command: Math.min(5, count - 1), hash_low: 2 },
        { ...version, role: 2, command: Math.min(9, count - 1), hash_low: 3, stored: 0 },
        ...imageVersions,
      ],
    ),
  );
  imageVersions.forEach(({ bytes }, place) => bytes && resources.set(`page/${3 + place}/0`, bytes));
  const numbers = Float32Array.from({ length: 4096 }, (_, i) => Math.sin(i / 40) * Math.cos(i / 900));
  resources.set("page/0/0", new Uint8Array(numbers.buffer));
  resources.set(
    "page/1/0",
    new Uint8Array(Float32Array.from(numbers, (v, i) => (i === 77 ? NaN : i % 9 ? v : v + 1e-3)).buffer),
  );
  for (let k = 0; k < kernelNames.length; ++k)
    resources.set(
      `source/${k}/0`,
      new TextEncoder().encode(
        `// ${kernelNames[k]}\n#define TILE 16\n__kernel void ${kernelNames[k]}(__global const float* weights, __global const float* x, __global float* y) {\n  const size_t i = get_global_id(0); /* one element */\n  y[i] = weights[i] * x[i] + 0.5f;\n}\n`,
      ),
    );
  return resources;
}
