// proofs.ts - findings that the server tries, from the click on.
import { signal } from "@preact/signals";
import { trace } from "./current";
import { ProofState } from "./json";

export const canProve = trace.resources.canProve;
export const proving = signal<ProofState | null>(null);

const pollMs = 400;

async function look(): Promise<ProofState> {
  const bytes = await trace.resources.get("proof");
  if (!bytes) throw new Error("The server has no experiments.");
  return JSON.parse(new TextDecoder().decode(bytes)) as ProofState;
}

async function follow(): Promise<void> {
  try {
    for (;;) {
      const state = await look();
      proving.value = state;
      if (state.state !== "running") return;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    proving.value = { state: "failed", trying: "", error: sentence, proofs: proving.value?.proofs ?? {} };
  }
}

// A page that is loaded again shows what was found, or is being tried.
export function showProofs(): void {
  if (canProve && !proving.value) void follow();
}

export async function startProving(): Promise<void> {
  proving.value = { state: "running", trying: "", error: "", proofs: {} };
  try {
    await trace.resources.startProving();
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    proving.value = { state: "failed", trying: "", error: sentence, proofs: {} };
    return;
  }
  await follow();
}
