// links.tsx - names of things, which select them.
import { catalog } from "../data/catalog";
import { trace } from "../data/current";
import { indexOf } from "../data/json";
import { kernelCss } from "../data/kernel_colors";
import { goTo, select, view } from "../state/page";
import { theme } from "../state/theme";
import { SelectionKind, selectionText, View } from "../state/url";

interface LinkProperties {
  kind: SelectionKind;
  number: number;
  to?: View; // where to show it; else where one is
  children?: preact.ComponentChildren;
}

export function Link({ kind, number, to, children }: LinkProperties) {
  const name = selectionText({ kind, number });
  return (
    <a
      class="link"
      href={`#${to ?? view.value}?at=${name}`}
      onClick={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (to) goTo(to, kind, number);
        else select(kind, number);
      }}
    >
      {children ?? name}
    </a>
  );
}

export function CommandLink({ command, to, long }: { command: number; to?: View; long?: boolean }) {
  const names = long ? catalog.value : undefined;
  return (
    <Link kind="command" number={command} to={to}>
      {names && command < names.count ? names.describe(command) : `c${command}`}
    </Link>
  );
}

export function Swatch({ kernel }: { kernel: number }) {
  return <i class="swatch" style={{ background: kernelCss(kernel, theme.value) }} aria-hidden="true" />;
}

// By index.
export function KernelLink({ kernel, to }: { kernel: number; to?: View }) {
  const kernels = trace.kernels.value;
  const known = kernels?.[kernel];
  if (!known) return null;
  return (
    <span class="named">
      <Swatch kernel={kernel} />
      <Link kind="kernel" number={indexOf(known.id)} to={to}>
        {known.name}
      </Link>
    </span>
  );
}

export function BufferLink({ buffer, to }: { buffer: number; to?: View }) {
  const known = trace.buffers.value?.[buffer];
  if (!known) return null;
  return (
    <Link kind="buffer" number={indexOf(known.id)} to={to}>
      {known.label ? `${known.id} '${known.label}'` : known.id}
    </Link>
  );
}
