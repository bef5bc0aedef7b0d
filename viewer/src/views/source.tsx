// source.tsx - what kernels were built from, with what, and what the compiler said.
import { useEffect, useMemo, useState } from "preact/hooks";
import { trace } from "../data/current";
import { indexOf, Kernel, Summary } from "../data/json";
import { Code } from "../source/code";
import { spirvLines } from "../source/spirv";
import { focusedKernel } from "../state/focus";
import { options, select, setOption } from "../state/page";
import { countText, shareText, timeText, unknown } from "../text/units";
import { Swatch } from "../ui/links";
import { Failed, Nothing, Waiting } from "../ui/missing";
import { Column, VirtualTable } from "../ui/virtual_table";

type Text =
  | { state: "loading" }
  | { state: "none" }
  | { state: "failed"; error: string }
  | { state: "text"; lines: string[]; isCode: boolean; bytes: number };

function useSource(kernel: number, variant: number, hasText: boolean, form: string): Text {
  const [text, setText] = useState<Text>({ state: "loading" });
  useEffect(() => {
    let isStale = false;
    setText(hasText ? { state: "loading" } : { state: "none" });
    if (!hasText) return undefined;
    trace.source(kernel, variant).then(
      (bytes) => {
        if (isStale) return;
        if (!bytes) return setText({ state: "none" });
        const instructions = form === "spirv" ? spirvLines(bytes) : null;
        const lines = instructions ?? new TextDecoder().decode(bytes).split(/\r\n|\n|\r/);
        if (lines.length > 1 && lines[lines.length - 1] === "") lines.pop();
        setText({ state: "text", lines, isCode: !instructions, bytes: bytes.byteLength });
      },
      (error: Error) => !isStale && setText({ state: "failed", error: error.message }),
    );
    return () => void (isStale = true);
  }, [kernel, variant, hasText]);
  return text;
}

function Built({ kernel }: { kernel: Kernel }) {
  const defines = kernel.defines.map(([name, value]) => `${name}=${value}`).join("  ");
  const constants = kernel.constants.map(([id, value]) => `${id}=${value}`).join("  ");
  const rows: [string, string][] = [
    ["options", kernel.options],
    ["defines", defines],
    ["constants", constants],
    ["entry", kernel.entry],
    ["binary", kernel.binary_hash],
  ];
  return (
    <dl class="built">
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name} value`} class="mono">
            {value}
          </dd>,
        ])}
    </dl>
  );
}

function KernelSource({ index, kernel, summary }: { index: number; kernel: Kernel; summary: Summary }) {
  const withText = kernel.variants.findIndex((variant) => variant.has_text);
  const built = kernel.variants.findIndex((variant) => variant.form === kernel.built_form && variant.has_text);
  const wanted = Number(options.value.variant ?? -1);
  const variant = kernel.variants[wanted] ? wanted : built >= 0 ? built : Math.max(0, withText);
  const known = kernel.variants[variant];
  const text = useSource(index, variant, known?.has_text ?? false, known?.form ?? "");
  return (
    <div class="pane">
      <div class="toolbar">
        <b class="named">
          <Swatch kernel={index} />
          {kernel.name}
        </b>
        <span class="choice" role="group" aria-label="Form">
          {kernel.variants.map(({ form }, place) => (
            <button
              key={place}
              class={place === variant ? "button on" : "button"}
              aria-pressed={place === variant}
              onClick={() => setOption("variant", String(place))}
            >
              {form}
            </button>
          ))}
        </span>
        <span class="dim">
          built from {kernel.built_form || "an unknown form"} · {countText(kernel.count)} runs
          {kernel.timed > 0 && ` · ${timeText(kernel.total_ns)}, ${shareText(kernel.total_ns, summary.sum_ns)}`}
        </span>
      </div>
      <Built kernel={kernel} />
      {text.state === "loading" && <Waiting what="the source" />}
      {text.state === "failed" && <Failed what="The source" error={text.error} />}
      {text.state === "none" && (
        <Nothing>
          {known?.form === "host" || kernel.built_form === "host"
            ? "It is a C++ function of the program; the document has no source of it."
            : "The document has no source of this form."}
        </Nothing>
      )}
      {text.state === "text" && (
        <Code
          key={`${index} ${variant}`}
          lines={text.lines}
          label={`Source of ${kernel.name}`}
          isPlain={!text.isCode}
        />
      )}
      {kernel.build_log.trim() && (
        <details class="build-log">
          <summary>Build log</summary>
          <pre>{kernel.build_log}</pre>
        </details>
      )}
    </div>
  );
}

export function SourceView({ summary }: { summary: Summary }) {
  const kernels = trace.kernels.value;
  const columns: Column[] = useMemo(
    () =>
      !kernels
        ? []
        : [
            {
              key: "name",
              title: "kernel",
              width: "minmax(0, 1fr)",
              value: (k) => kernels[k].name,
              cell: (k) => (
                <span class="named">
                  <Swatch kernel={k} />
                  {kernels[k].name}
                </span>
              ),
            },
            {
              key: "total",
              title: "share",
              width: "56px",
              isNumber: true,
              value: (k) => kernels[k].total_ns,
              cell: (k) => (kernels[k].timed ? shareText(kernels[k].total_ns, summary.sum_ns) : unknown),
            },
          ],
    [kernels, summary],
  );
  if (trace.kernels.error) return <Failed what="Kernels" error={trace.kernels.error} />;
  if (!kernels) return <Waiting what="kernels" />;
  if (kernels.length === 0) return <Nothing>No kernel was recorded.</Nothing>;
  const longest = kernels.reduce((best, kernel, index) => (kernel.total_ns > kernels[best].total_ns ? index : best), 0);
  const shown = focusedKernel.value >= 0 ? focusedKernel.value : longest;
  return (
    <div class="split-left">
      <div class="pane">
        <VirtualTable
          label="Kernels"
          rows={kernels.length}
          columns={columns}
          selected={shown}
          sort={{ key: "total", isDescending: true }}
          onSelect={(k) => {
            select("kernel", indexOf(kernels[k].id));
            setOption("variant", null);
          }}
        />
      </div>
      <KernelSource key={shown} index={shown} kernel={kernels[shown]} summary={summary} />
    </div>
  );
}
