// tokenizer.ts - OpenCL C, GLSL and C++ as far as colours need them. One line at a time, so that a text of any length
// costs only the lines that are seen.

export type TokenKind = "plain" | "keyword" | "type" | "text" | "comment" | "number" | "directive" | "call";
export interface Token {
  kind: TokenKind;
  text: string;
}

const keywords = new Set(
  (
    "if else for while do switch case default break continue return goto const volatile restrict static inline extern struct union enum typedef " +
    "sizeof template typename class public private using namespace auto constexpr noexcept operator new delete this true false nullptr " +
    "kernel __kernel global __global local __local constant __constant private __private read_only write_only __read_only __write_only __attribute__ " +
    "layout uniform buffer shared in out inout readonly writeonly coherent flat precision highp mediump lowp discard subroutine workgroup"
  ).split(" "),
);
const typePattern =
  /^(?:void|bool|char|uchar|short|ushort|int|uint|long|ulong|half|float|double|size_t|ptrdiff_t|u?int(?:8|16|32|64)_t|float(?:16|32|64)_t|unsigned|signed|image\w+|sampler\w*|(?:char|uchar|short|ushort|int|uint|long|ulong|half|float|double)(?:2|3|4|8|16)|[biud]?vec[234]|mat[234](?:x[234])?|f16vec[234]|[iu](?:8|16|64)vec[234])$/;

// Comment, string, directive, number, word, or anything else.
const pattern =
  /\/\/.*|\/\*.*?(?:\*\/|$)|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|^\s*#\s*\w+|\b(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)[uUlLfFhH]*|[A-Za-z_]\w*|\s+|[^\sA-Za-z_0-9"'#/]+|./g;

const longestLine = 4000; // what is longer is no program: shown, and not looked into

export function tokenize(line: string, startsInComment: boolean): { tokens: Token[]; endsInComment: boolean } {
  const tokens: Token[] = [];
  const push = (kind: TokenKind, text: string) => {
    const last = tokens[tokens.length - 1];
    if (last && last.kind === kind) last.text += text;
    else if (text) tokens.push({ kind, text });
  };
  if (line.length > longestLine) return { tokens: [{ kind: "plain", text: line }], endsInComment: startsInComment };
  let rest = line,
    offset = 0;
  if (startsInComment) {
    const end = line.indexOf("*/");
    if (end < 0) return { tokens: line ? [{ kind: "comment", text: line }] : [], endsInComment: true };
    push("comment", line.slice(0, end + 2));
    rest = line.slice(end + 2);
    offset = end + 2;
  }
  let endsInComment = false;
  for (const match of rest.matchAll(pattern)) {
    const text = match[0],
      first = text[0];
    if (text.startsWith("//")) push("comment", text);
    else if (text.startsWith("/*")) {
      push("comment", text);
      endsInComment = !text.endsWith("*/") || text.length < 4;
    } else if (first === '"' || first === "'") push("text", text);
    else if (/^\s*#/.test(text)) push(match.index === 0 && offset === 0 ? "directive" : "plain", text);
    else if (/[0-9]/.test(first) || (first === "." && /\d/.test(text[1] ?? ""))) push("number", text);
    else if (/[A-Za-z_]/.test(first)) {
      if (typePattern.test(text)) push("type", text);
      else if (keywords.has(text)) push("keyword", text);
      else if (/^\s*\(/.test(rest.slice(match.index! + text.length))) push("call", text);
      else push("plain", text);
    } else push("plain", text);
  }
  return { tokens, endsInComment };
}

// By line: whether it begins within a comment of more than one line.
export function commentStarts(lines: string[]): Uint8Array {
  const starts = new Uint8Array(lines.length + 1);
  for (let line = 0; line < lines.length; ++line) {
    const couldMatter = starts[line] || lines[line].includes("/*");
    starts[line + 1] = couldMatter && tokenize(lines[line], starts[line] === 1).endsInComment ? 1 : 0;
  }
  return starts;
}
