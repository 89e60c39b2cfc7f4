const INTERVAL_MS = 1_000;

/** Many changes in a short time are one refresh: at once for the first, then at most once a second. */
export class RefreshQueue<Name> {
  readonly #refresh: (name: Name) => void;
  readonly #waiting = new Set<Name>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(refresh: (name: Name) => void) {
    this.#refresh = refresh;
  }

  add(name: Name): void {
    this.#waiting.add(name);
    if (this.#timer === null) this.#flush();
  }

  clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting.clear();
  }

  #flush(): void {
    this.#timer = null;
    if (this.#waiting.size === 0) return;
    const names = [...this.#waiting];
    this.#waiting.clear();
    this.#timer = setTimeout(() => this.#flush(), INTERVAL_MS);
    names.forEach((name) => this.#refresh(name));
  }
}
