// search.ts - things by what people type of their names.
import { Catalog } from "../data/catalog";
import { indexOf, Scope, Summary } from "../data/json";
import { SelectionKind } from "../state/url";

export interface Match {
  kind: SelectionKind | "scope" | "view";
  number: number; // of a scope: its first command
  name: string;
  detail: string;
}

const most = 60;

// 0: no; more is better. All words must be there, anywhere; a name that begins with them is best.
export function score(name: string, words: string[]): number {
  const text = name.toLowerCase();
  let sum = 1;
  for (const word of words) {
    const at = text.indexOf(word);
    if (at < 0) return 0;
    sum += at === 0 ? 3 : /[^a-z0-9]/.test(text[at - 1]) ? 2 : 1;
  }
  return sum + 2 / (1 + text.length);
}

export const wordsOf = (query: string) => query.toLowerCase().split(/\s+/).filter(Boolean);

function* scopePaths(scopes: Scope[], above: string): Generator<{ path: string; scope: Scope }> {
  for (const scope of scopes) {
    const path = above ? `${above}/${scope.name}` : scope.name;
    yield { path, scope };
    yield* scopePaths(scope.scopes, path);
  }
}

// Commands are looked for by number, and by their works: those are few, however many commands there are.
export function search(query: string, catalog: Catalog, summary: Summary, scopes: Scope[]): Match[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found: { match: Match; score: number }[] = [];
  const add = (text: string, bonus: number, match: () => Match) => {
    const value = score(text, words);
    if (value > 0) found.push({ match: match(), score: value + bonus });
  };
  const exact = /^([ckbs])(\d+)$/.exec(query.trim().toLowerCase());
  if (exact?.[1] === "c" && Number(exact[2]) < catalog.count)
    found.push({
      score: 100,
      match: { kind: "command", number: Number(exact[2]), name: catalog.describe(Number(exact[2])), detail: "command" },
    });
  catalog.kernels.forEach((kernel) =>
    add(`${kernel.name} ${kernel.id}`, kernel.id === query ? 100 : 2, () => ({
      kind: "kernel",
      number: indexOf(kernel.id),
      name: kernel.name,
      detail: `kernel ${kernel.id}`,
    })),
  );
  catalog.buffers.forEach((buffer) =>
    add(`${buffer.label} ${buffer.id}`, buffer.id === query ? 100 : 1, () => ({
      kind: "buffer",
      number: indexOf(buffer.id),
      name: buffer.label || buffer.id,
      detail: `buffer ${buffer.id}`,
    })),
  );
  summary.streams.forEach((stream) =>
    add(`${stream.label} ${stream.id}`, stream.id === query ? 100 : 1, () => ({
      kind: "stream",
      number: indexOf(stream.id),
      name: stream.label || stream.id,
      detail: `stream ${stream.id}`,
    })),
  );

  const { works, commands } = catalog;
  const firstOf = new Map<string, number>(),
    workScores = new Float64Array(works.rows);
  for (let work = 0; work < works.rows; ++work) {
    const kernel = works.kernel[work] < catalog.kernels.length ? catalog.kernels[works.kernel[work]].name : "";
    workScores[work] = score(`${catalog.text(works.label[work])} ${kernel} ${catalog.text(works.scope[work])}`, words);
  }
  let commandsFound = 0;
  for (let command = 0; command < commands.rows && commandsFound < most; ++command)
    if (workScores[commands.work[command]] > 0) {
      ++commandsFound;
      found.push({
        score: workScores[commands.work[command]],
        match: { kind: "command", number: command, name: catalog.describe(command), detail: "command" },
      });
    }
  for (const { path, scope } of scopePaths(scopes, "")) {
    const value = score(path, words);
    if (value === 0) continue;
    if (firstOf.size === 0)
      for (let command = commands.rows - 1; command >= 0; --command) {
        let text = catalog.scope(command);
        for (; text && firstOf.get(text) !== command; text = text.slice(0, Math.max(0, text.lastIndexOf("/"))))
          firstOf.set(text, command);
      }
    found.push({
      score: value + 0.5,
      match: {
        kind: "scope",
        number: firstOf.get(path) ?? -1,
        name: path,
        detail: `scope, ${scope.commands} commands`,
      },
    });
    if (found.length > 4000) break;
  }
  return found
    .sort((a, b) => b.score - a.score || a.match.number - b.match.number)
    .slice(0, most)
    .map(({ match }) => match);
}
