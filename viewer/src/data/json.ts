// json.ts - what the JSON resources of docs/page.md hold. Names are as the command line prints them.

export type Nanoseconds = number;

// Times are from the origin, but for begin_ns of the summary, which is the origin itself.
export interface Lane {
  begin_ns: Nanoseconds | null;
  end_ns: Nanoseconds | null;
  busy_ns: Nanoseconds;
  sum_ns: Nanoseconds;
  commands: number;
  timed: number;
}

export interface Device extends Lane {
  selector: string;
  backend: string;
  name: string;
  type: string;
  driver: string;
  driver_version: string;
  memory_bytes: number;
  compute_units: number;
  clock_error_ns?: number;
}

export interface Stream extends Lane {
  id: string;
  label: string;
  device: number | null;
}

export interface Pass {
  kind: string;
  first: number;
  end: number;
  begin_ns: Nanoseconds | null;
  end_ns: Nanoseconds | null;
}

export interface Summary {
  document: string;
  facts: Record<string, string>;
  run_facts: Record<string, string>; // of facts, those that tell of the run
  end_facts: Record<string, string>;
  complete: boolean;
  problems: string[];
  notes: { time_ns: Nanoseconds | null; kind: string; text: string }[];
  file_bytes: number;
  stored_bytes: number;
  begin_ns: Nanoseconds;
  span_ns: Nanoseconds;
  active_ns: Nanoseconds; // of each device from its first start to its last end, added up: busy and idle
  busy_ns: Nanoseconds;
  sum_ns: Nanoseconds;
  copy_ns: Nanoseconds;
  partly_timed: boolean; // more than a tenth of the work has no times
  idle_ns: Record<string, Nanoseconds>;
  verdict: string;
  counts: Record<string, number>;
  devices: Device[];
  streams: Stream[];
  threads: number[];
  passes: Pass[];
  repetitions: { first: number; period: number; count: number }[];
  memory: { peak_ns: Nanoseconds | null; peak_bytes: number; needed_at_peak_bytes: number };
  path: {
    // From the first start to the last end, as what devices were busy is; together active_ns.
    command_ns: Nanoseconds;
    behind_ns: Nanoseconds; // waiting while the device ran other commands
    host_ns: Nanoseconds;
    delay_ns: Nanoseconds;
    capture_ns: Nanoseconds;
    active_ns: Nanoseconds;
    span_ns: Nanoseconds; // of all that was recorded
    kernel_ns: Nanoseconds[];
    halved: { kernel: number; span_ns: Nanoseconds }[];
  };
  overhead_ns: Record<string, Nanoseconds>;
  has_diff: boolean;
  left_out: string[];
}

export interface Finding {
  id: string;
  severity: "info" | "warning" | "error";
  confidence: "possible" | "likely" | "certain";
  title: string;
  advice: string;
  evidence: {
    commands?: (string | number)[];
    buffers?: (string | number)[];
    kernels?: (string | number)[];
    streams?: (string | number)[];
    calls?: (string | number)[];
    begin_ns?: Nanoseconds | null;
    end_ns?: Nanoseconds | null;
  };
  numbers: { name: string; unit: string; value: number }[];
  saving_ns: Nanoseconds | null;
  saving_bytes: number | null;
  formula: string;
  after?: string[]; // ids of findings to act on first
}

// What an experiment made of a finding.
export interface Proof {
  experiment: string;
  verdict: "supported" | "withdrawn" | "inconclusive" | "not_tried";
  measured_ns: Nanoseconds | null;
  noise_ns: Nanoseconds | null;
  runs: number;
  sentence: string;
}

export interface ProofState {
  state: "idle" | "running" | "done" | "failed";
  trying: string;
  error: string;
  proofs: Record<string, Proof>; // by place among the findings
}

export interface Parameter {
  name: string;
  kind: string;
  access?: string;
  element?: string;
  size_bytes?: number;
  descriptor?: string; // of a shader with a declared layout, with its set, binding and array_element
  descriptor_set?: number;
  binding?: number;
  array_element?: number;
}

export interface Kernel {
  id: string;
  name: string;
  entry: string;
  built_form: string;
  group_x?: number; // with group_y and group_z: what it was built for
  group_y?: number;
  group_z?: number;
  options: string;
  build_log: string;
  binary_hash: string;
  defines: [string, string][];
  constants: [number, number][];
  parameters: Parameter[];
  count: number;
  timed: number;
  total_ns: Nanoseconds;
  mean_ns: Nanoseconds;
  min_ns: Nanoseconds;
  p50_ns: Nanoseconds;
  p95_ns: Nanoseconds;
  max_ns: Nanoseconds;
  variation: number;
  together: number; // runs that were only timed together with other commands
  together_ns: Nanoseconds; // how long these intervals are
  bound_bytes: number;
  bandwidth: number;
  shapes: number;
  first: number | null;
  last: number | null;
  variants: { form: string; has_text: boolean }[];
}

export interface ImageShape {
  type: string; // "1d", "1d_buffer", "1d_array", "2d", "2d_array", "3d"
  channel_order: string; // "RGBA"; empty: not known
  channel_type: string; // "8 unorm"; empty: not known
  pixel_bytes: number;
  width: number;
  height: number;
  depth: number;
  layers: number;
}

export interface Buffer {
  id: string;
  label: string;
  device: number | null;
  size_bytes: number;
  alive_from: Nanoseconds | null;
  alive_to: Nanoseconds | null;
  first: number | null;
  last: number | null;
  first_read: number | null;
  last_read: number | null;
  reads: number;
  writes: number;
  at_peak: boolean;
  outlives: boolean;
  element: string | null;
  kind: string; // "buffer", "image", "svm"
  image?: string; // "2d RGBA8 unorm, 640 x 480"
  image_shape?: ImageShape; // of every image
}

export interface Scope {
  name: string;
  commands: number;
  run_ns: Nanoseconds;
  scopes: Scope[];
}

export type DiffFinding = Pick<Finding, "id" | "severity" | "title" | "advice">;

export interface DiffSide {
  document: string;
  complete: boolean;
  total_ns: Nanoseconds;
  busy_ns: Nanoseconds;
  idle_ns: Nanoseconds;
  passes: number;
  peak_bytes: number;
  commands: number;
  enqueued: number;
  launches: number;
  noise: number;
}

// A time of one pass: medians over the passes, and whether they differ.
export interface DiffTime {
  ns_a: Nanoseconds;
  ns_b: Nanoseconds;
  delta_ns: Nanoseconds;
  spread_a_ns: Nanoseconds;
  spread_b_ns: Nanoseconds;
  p: number | null; // none: too few passes
  shift_ns: Nanoseconds;
  floor_ns: Nanoseconds;
  significant: boolean;
  verdict: string; // "slower", "faster", "longer", "shorter", or why it is not called a change
  comparable: boolean; // false: recording takes the graphs of one document apart
  passes_needed: number | null;
}

export interface DiffKernel extends DiffTime {
  name: string;
  rows: number;
}

export interface DiffRow extends DiffTime {
  change: "same" | "slower" | "faster" | "more runs" | "fewer runs" | "added" | "removed";
  scope: string;
  name: string;
  count_a: number;
  count_b: number;
  run: DiffTime | null; // of one run, where a pass doesn't have as many
  new_shape: boolean;
  new_source: boolean;
  new_program: boolean; // a module of several kernels changed
  new_arguments: boolean;
  kernel_a: string | null;
  kernel_b: string | null;
  first_a: string | null;
  first_b: string | null;
}

// "c12", 12 and null all name a command, or none: the index, or -1.
export function indexOf(name: string | number | null | undefined): number {
  if (typeof name === "number") return name < 0xffffffff ? name : -1;
  const digits = /^[a-z]*(\d+)$/.exec(name ?? "");
  return digits ? Number(digits[1]) : -1;
}

// From the first start to the last end on a device: what busy shares of it and of its streams are of.
export function activeTime(summary: Summary, device: number | null): number | null {
  const lane = device == null ? undefined : summary.devices[device];
  return lane?.begin_ns != null && lane.end_ns != null ? lane.end_ns - lane.begin_ns : null;
}
