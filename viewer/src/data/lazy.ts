// lazy.ts - a value that is fetched when somebody first looks at it, and wakes whoever did once it is there.
import { signal } from "@preact/signals";

export class Lazy<T> {
  private readonly state = signal<{ value?: T; error?: string }>({});
  private pending: Promise<T> | null = null;

  constructor(private readonly load: () => Promise<T>) {}

  // Undefined until it is there; components that read it are drawn again then.
  get value(): T | undefined {
    const { value } = this.state.value;
    if (value === undefined) this.promise();
    return value;
  }

  get error(): string | undefined {
    return this.state.value.error;
  }

  promise(): Promise<T> {
    this.pending ??= this.load().then(
      (value) => {
        this.state.value = { value };
        return value;
      },
      (error: unknown) => {
        this.state.value = { error: error instanceof Error ? error.message : String(error) };
        throw error;
      },
    );
    this.pending.catch(() => undefined); // told through error
    return this.pending;
  }
}
