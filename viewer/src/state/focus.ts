// focus.ts - what the selection means to a view: the kernel of a selected command, and the like. Indices; -1: none.
import { computed } from "@preact/signals";
import { catalog } from "../data/catalog";
import { trace } from "../data/current";
import { indexOf } from "../data/json";
import { noIndex } from "../data/tables";
import { selection } from "./page";

export const focusedCommand = computed(() => {
  const chosen = selection.value;
  if (chosen?.kind === "command") return chosen.number;
  if (chosen?.kind === "call") {
    const calls = trace.calls.value;
    const command = calls && chosen.number < calls.rows ? calls.command[chosen.number] : noIndex;
    return command === noIndex ? -1 : command;
  }
  return -1;
});

export const focusedKernel = computed(() => {
  const chosen = selection.value;
  if (chosen?.kind === "kernel")
    return trace.kernels.value?.findIndex((kernel) => indexOf(kernel.id) === chosen.number) ?? -1;
  const command = focusedCommand.value;
  const names = command >= 0 ? catalog.value : undefined;
  return names && command < names.count ? names.kernel(command) : -1;
});

export const focusedBuffer = computed(() => {
  const chosen = selection.value;
  if (chosen?.kind !== "buffer") return -1;
  return trace.buffers.value?.findIndex((buffer) => indexOf(buffer.id) === chosen.number) ?? -1;
});

export const focusedStream = computed(() => {
  const chosen = selection.value;
  if (chosen?.kind !== "stream") return -1;
  return trace.summary.value?.streams.findIndex((stream) => indexOf(stream.id) === chosen.number) ?? -1;
});
