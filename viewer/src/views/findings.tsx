// findings.tsx - what is worth knowing about the document, the most worth first.
import { useEffect, useState } from "preact/hooks";
import { trace } from "../data/current";
import { canProve, proving, showProofs, startProving } from "../data/proofs";
import { plural } from "../text/units";
import { FindingCard } from "../ui/finding_card";
import { Failed, Nothing, Waiting } from "../ui/missing";

function ProveButton() {
  const state = proving.value;
  const isRunning = state?.state === "running";
  return (
    <>
      <button
        class="button"
        data-prove={state?.state ?? "idle"}
        disabled={isRunning}
        title="Tries each claim by replay: runs the kernels of this document on this machine"
        onClick={() => void startProving()}
      >
        {isRunning ? "Proving …" : "Prove"}
      </button>
      {isRunning && <span class="dim">{state.trying}</span>}
      {state?.state === "failed" && <span class="error">{state.error}</span>}
    </>
  );
}

export function FindingsView() {
  const findings = trace.findings.value;
  const [severity, setSeverity] = useState("all");
  useEffect(showProofs, []);
  if (trace.findings.error) return <Failed what="Findings" error={trace.findings.error} />;
  if (!findings) return <Waiting what="findings" />;
  const of = (name: string) => (name === "all" ? findings : findings.filter((finding) => finding.severity === name));
  const shown = of(severity);
  return (
    <>
      <div class="toolbar">
        <span class="choice" role="group" aria-label="Severity">
          {["all", "error", "warning", "info"].map((name) => (
            <button
              key={name}
              class={severity === name ? "button on" : "button"}
              aria-pressed={severity === name}
              onClick={() => setSeverity(name)}
            >
              {name} <span class="dim">{of(name).length}</span>
            </button>
          ))}
        </span>
        {canProve && <ProveButton />}
        <span class="dim">Savings of several findings may overlap; they don't add up.</span>
      </div>
      <div class="scroll findings" aria-label={plural(shown.length, "finding")}>
        {shown.length === 0 && <Nothing>No findings worth acting on.</Nothing>}
        {shown.map((finding, place) => (
          <FindingCard
            key={`${finding.id} ${place}`}
            finding={finding}
            proof={proving.value?.proofs[findings.indexOf(finding)]}
          />
        ))}
      </div>
    </>
  );
}
