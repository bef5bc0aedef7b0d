// resources.ts - where the page's data comes from: the server beside it, or the file it is in.

export interface Resources {
  readonly served: boolean;
  // The bytes of a resource of docs/page.md; null where there is none of that name.
  get(name: string): Promise<ArrayBuffer | null>;
  // Whether the server would try findings; only a click may ask for it, by startProving.
  readonly canProve: boolean;
  startProving(): Promise<void>;
}

class ServedResources implements Resources {
  readonly served = true;
  constructor(
    private readonly base: URL,
    readonly canProve: boolean,
  ) {}

  async startProving(): Promise<void> {
    const answer = await fetch(new URL("prove", this.base), { method: "POST" });
    if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  }

  async get(name: string): Promise<ArrayBuffer | null> {
    const path = name.split("/").map(encodeURIComponent).join("/");
    const answer = await fetch(new URL(`data/${path}`, this.base));
    if (answer.status === 404) return null;
    if (!answer.ok) throw new Error(`The server answered ${answer.status} for '${name}'.`);
    return answer.arrayBuffer();
  }
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; ++at) bytes[at] = raw.charCodeAt(at);
  return bytes;
}

class EmbeddedResources implements Resources {
  readonly served = false;
  readonly canProve = false;
  private readonly scripts = new Map<string, HTMLScriptElement>();

  constructor(scripts: Iterable<HTMLScriptElement>) {
    for (const script of scripts) this.scripts.set(script.dataset.name!, script);
  }

  async startProving(): Promise<void> {
    throw new Error("A file can't run anything.");
  }

  async get(name: string): Promise<ArrayBuffer | null> {
    const script = this.scripts.get(name);
    if (!script) return null;
    const packed = bytesOfBase64(script.textContent!.trim());
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(unpacked).arrayBuffer();
  }
}

export function findResources(page: Document): Resources {
  const scripts = page.querySelectorAll<HTMLScriptElement>("script[data-name]");
  return scripts.length > 0 ? new EmbeddedResources(scripts) : new ServedResources(new URL(page.baseURI), page.body.dataset.prove !== undefined);
}
