// catalog.ts - what things are called, and how they hang together. Indices in, words out.
import { trace } from "./current";
import { Buffer, indexOf, Kernel } from "./json";
import { Launch, launchOf } from "./launch";
import { Lazy } from "./lazy";
import { bufferText, commandText } from "./names";
import { noIndex, TableOf, workKinds } from "./tables";

export class Catalog {
  private readonly kernelOfId = new Map<number, number>();
  private readonly bufferOfId = new Map<number, number>();

  constructor(
    readonly commands: TableOf<"commands">,
    readonly works: TableOf<"works">,
    readonly texts: string[],
    readonly kernels: Kernel[],
    readonly buffers: Buffer[],
  ) {
    kernels.forEach((kernel, index) => this.kernelOfId.set(indexOf(kernel.id), index));
    buffers.forEach((buffer, index) => this.bufferOfId.set(indexOf(buffer.id), index));
  }

  get count(): number {
    return this.commands.rows;
  }

  // The index of k4, of b7; -1 where there is none.
  kernelIndex(id: number): number {
    return this.kernelOfId.get(id) ?? -1;
  }
  bufferIndex(id: number): number {
    return this.bufferOfId.get(id) ?? -1;
  }

  kind(command: number): number {
    return this.works.kind[this.commands.work[command]];
  }

  // Index of its kernel; -1 of a command without one.
  kernel(command: number): number {
    const kernel = this.works.kernel[this.commands.work[command]];
    return kernel === noIndex || kernel >= this.kernels.length ? -1 : kernel;
  }

  text(id: number): string {
    return this.texts[id] ?? "";
  }

  label(command: number): string {
    return this.text(this.works.label[this.commands.work[command]]);
  }

  // Its label where that says more than its kernel does, else the end of its scope.
  title(command: number, scopeParts: number): string {
    const label = this.label(command),
      action = this.action(command);
    if (label && label !== action) return label;
    return this.scope(command).split("/").filter(Boolean).slice(-scopeParts).join("/") || action;
  }

  scope(command: number): string {
    return this.text(this.works.scope[this.commands.work[command]]);
  }

  // "matmul_f32", "copy": what it does, in one word.
  action(command: number): string {
    const kernel = this.kernel(command);
    return kernel >= 0 ? this.kernels[kernel].name : workKinds[this.kind(command)];
  }

  // "c12 'q_proj' (matmul_f32) in layer0/attention".
  describe(command: number): string {
    return commandText(command, this.label(command), this.action(command), this.scope(command));
  }

  bufferName(buffer: number): string {
    return bufferText(this.buffers[buffer].id, this.buffers[buffer].label);
  }

  // NaN where the document has no stamps of it.
  duration(command: number): number {
    return this.commands.ended[command] - this.commands.started[command];
  }

  // Null of what isn't a dispatch.
  launch(command: number): Launch | null {
    return launchOf(this.works, this.commands.work[command]);
  }
}

export const catalog = new Lazy(async () => {
  const [commands, works, texts, kernels, buffers] = await Promise.all([
    trace.commands.promise(),
    trace.works.promise(),
    trace.texts.promise(),
    trace.kernels.promise(),
    trace.buffers.promise(),
  ]);
  return new Catalog(commands, works, texts, kernels, buffers);
});
