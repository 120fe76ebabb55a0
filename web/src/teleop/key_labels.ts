// What is printed on the keys of the person's keyboard: as the browser says, where it does, and as
// the keys that were typed have shown.

interface KeyboardApi {
  getLayoutMap?(): Promise<Iterable<[code: string, key: string]>>;
}

const kLetters = /^Key[A-Z]$/;

export class KeyLabels {
  changed: () => void = () => undefined;
  private readonly labels = new Map<string, string>();

  /// Of a place on the keyboard, "KeyW"; of other words those themselves.
  of(code: string): string {
    return this.labels.get(code) ?? (kLetters.test(code) ? code.slice(3) : code);
  }

  /// @param key what the one at `code` types; what is not a single letter or sign says nothing
  learn(code: string, key: string): void {
    const label = key.toUpperCase();
    if (!kLetters.test(code) || [...key].length !== 1 || key === ' ' || this.of(code) === label) return;
    this.labels.set(code, label);
    this.changed();
  }

  /// Asks the browser, and looks at what is typed.
  async listen(): Promise<void> {
    addEventListener('keydown', ({ code, key, ctrlKey, metaKey, altKey }) => {
      if (!ctrlKey && !metaKey && !altKey) this.learn(code, key);
    }, true);
    const { keyboard } = navigator as Navigator & { keyboard?: KeyboardApi };
    try {
      for (const [code, key] of await keyboard?.getLayoutMap?.() ?? []) this.learn(code, key);
    } catch {
      // a page within another may not ask
    }
  }
}
