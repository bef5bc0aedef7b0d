// trace.ts - the document on this page: its resources, each fetched when first looked at.
import { decodeTable } from "./columns";
import { DependencySets } from "./dependency_sets";
import { Buffer, DiffFinding, DiffKernel, DiffRow, DiffSide, DiffTime, Finding, Kernel, Scope, Summary } from "./json";
import { Lazy } from "./lazy";
import { Resources } from "./resources";
import { schemas, TableName, TableOf } from "./tables";

export interface Diff {
  a: DiffSide;
  b: DiffSide;
  comparable: boolean; // false: nothing in common
  differs: boolean; // anything is called a difference in time
  significant: boolean; // the total is
  total_delta_ns: number;
  idle_delta_ns: number;
  rest_ns: number; // medians of parts don't quite make up the median of the whole
  common: number | null; // how the typical kernel changed
  cause: string;
  total: DiffTime;
  busy: DiffTime;
  idle: DiffTime;
  between: DiffTime | null; // null: of one pass
  kernels: DiffKernel[];
  rows: DiffRow[];
  sources: {
    kernel_a: string | null;
    kernel_b: string | null;
    name: string;
    form: string;
    text_a: string;
    text_b: string;
  }[];
  contents: {
    compared: number;
    equal: number;
    first: {
      command_a: string | null;
      command_b: string | null;
      buffer_a: string;
      buffer_b: string;
      offset_bytes: number;
      value_a: string;
      value_b: string;
      largest_absolute: number;
    } | null;
  };
  new_findings: DiffFinding[];
  fixed_findings: DiffFinding[];
}

export class Trace {
  readonly summary = this.json<Summary>("summary");
  readonly findings = new Lazy(async () => {
    const found = await this.jsonOf<Finding[] | { findings: Finding[] }>("findings");
    return Array.isArray(found) ? found : found.findings;
  });
  readonly kernels = this.json<Kernel[]>("kernels");
  readonly buffers = this.json<Buffer[]>("buffers");
  readonly texts = this.json<string[]>("texts");
  readonly values = this.json<string[]>("values");
  readonly scopes = this.json<{ scopes: Scope[]; run_ns: number; commands: number }>("scopes");
  readonly diff = this.json<Diff>("diff");

  readonly commands = this.table("commands");
  readonly works = this.table("works");
  readonly arguments = this.table("arguments");
  readonly calls = this.table("calls");
  readonly regions = this.table("regions");
  readonly overheads = this.table("overheads");
  readonly intervals = this.table("intervals");
  readonly gaps = this.table("gaps");
  readonly dependencies = this.table("dependencies");
  readonly dependencySets = new Lazy(async () => {
    const bytes = await this.bytes("dependency_sets");
    return new DependencySets(decodeTable("dependency_sets", schemas.dependency_sets, bytes));
  });
  readonly path = this.table("path");
  readonly memory = this.table("memory");
  readonly depth = this.table("depth");
  readonly contents = this.table("contents");

  constructor(readonly resources: Resources) {}

  // The text of a kernel's variant; null where the document has none.
  async source(kernel: number, variant: number): Promise<ArrayBuffer | null> {
    return this.resources.get(`source/${kernel}/${variant}`);
  }

  // A page of recorded bytes; null where it was left out or is damaged.
  async page(contents: number, number: number): Promise<ArrayBuffer | null> {
    return this.resources.get(`page/${contents}/${number}`);
  }

  private async bytes(name: string): Promise<ArrayBuffer> {
    const bytes = await this.resources.get(name);
    if (!bytes) throw new Error(`The page's data has no '${name}'.`);
    return bytes;
  }

  private async jsonOf<T>(name: string): Promise<T> {
    return JSON.parse(new TextDecoder().decode(await this.bytes(name))) as T;
  }

  private json<T>(name: string): Lazy<T> {
    return new Lazy(() => this.jsonOf<T>(name));
  }

  private table<N extends TableName>(name: N): Lazy<TableOf<N>> {
    return new Lazy(async () => decodeTable(name, schemas[name], await this.bytes(name)) as TableOf<N>);
  }
}
