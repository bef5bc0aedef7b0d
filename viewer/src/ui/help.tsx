// help.tsx - the keys, on '?'.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export const helpIsOpen = signal(false);

const groups: [string, [string, string][]][] = [
  [
    "Everywhere",
    [
      ["/ or Ctrl K", "find a command, kernel, buffer, stream or scope"],
      ["1 … 9, 0", "the views, in the order of the tabs"],
      ["T", "dark or light"],
      ["Esc", "clear the range, then the selection"],
      ["?", "this list"],
    ],
  ],
  [
    "Timeline and Memory",
    [
      ["W S", "zoom in and out, as the wheel with Ctrl does"],
      ["A D", "move left and right, as Shift and the wheel do"],
      ["drag", "choose a range; with Shift or the middle button: move"],
      ["F", "show the range, or the selection; once more: everything"],
      ["[ ]", "the command before and after, on the same stream"],
    ],
  ],
  [
    "Dependencies",
    [
      ["W A S D", "move; the wheel zooms"],
      ["Enter", "open what is selected, or a command's buffers"],
      ["Backspace", "close the scope it is in"],
      ["F", "fit everything; with a selection: show it"],
      ["P", "show or hide the critical path"],
    ],
  ],
  [
    "Tables",
    [
      ["↑ ↓ Page Home End", "move"],
      ["Enter, double click", "go to where it is best seen"],
      ["a click on a head", "sort"],
    ],
  ],
];

function Panel() {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus();
    return () => (before instanceof HTMLElement ? before.focus() : undefined);
  }, []);
  const close = () => (helpIsOpen.value = false);
  return (
    <div class="veil" onClick={close}>
      <div
        class="help"
        ref={panel}
        tabIndex={-1}
        role="dialog"
        aria-modal="true"
        aria-label="Keys"
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          if (event.key === "Escape" || event.key === "?") {
            event.stopPropagation();
            close();
          }
        }}
      >
        {groups.map(([title, keys]) => (
          <section key={title}>
            <h2>{title}</h2>
            <dl>
              {keys.map(([key, what]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </div>
  );
}

export function Help() {
  return helpIsOpen.value ? <Panel /> : null;
}
