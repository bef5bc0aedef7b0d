// code.tsx - a text with line numbers and colours; only the lines that are seen exist.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { commentStarts, tokenize } from "./tokenizer";

const lineHeight = 18;

export function CodeLine({ line, startsInComment }: { line: string; startsInComment: boolean }) {
  const { tokens } = tokenize(line, startsInComment);
  return (
    <>
      {tokens.map((token, place) =>
        token.kind === "plain" ? (
          token.text
        ) : (
          <span key={place} class={`code-${token.kind}`}>
            {token.text}
          </span>
        ),
      )}
    </>
  );
}

export function Code({ lines, label, isPlain }: { lines: string[]; label: string; isPlain?: boolean }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const starts = useMemo(() => (isPlain ? new Uint8Array(lines.length + 1) : commentStarts(lines)), [lines, isPlain]);
  const widest = useMemo(() => lines.reduce((most, line) => Math.max(most, line.length), 0), [lines]);
  useLayoutEffect(() => {
    const element = scroller.current!;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    setHeight(element.clientHeight);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(top / lineHeight) - 5),
    last = Math.min(lines.length, Math.ceil((top + height) / lineHeight) + 5);
  return (
    <div
      class="code"
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div style={{ height: `${lines.length * lineHeight + 12}px`, minWidth: `${Math.min(widest, 20_000) + 8}ch` }}>
        <pre style={{ transform: `translateY(${first * lineHeight}px)` }}>
          {lines.slice(first, last).map((line, step) => (
            <div key={first + step} class="code-line">
              <i aria-hidden="true">{first + step + 1}</i>
              <code>{isPlain ? line : <CodeLine line={line} startsInComment={starts[first + step] === 1} />}</code>
            </div>
          ))}
        </pre>
      </div>
    </div>
  );
}
