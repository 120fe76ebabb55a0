// Colours that the scene and the plots share with style.css.

const dark = matchMedia('(prefers-color-scheme: dark)');

export const isDark = (): boolean => dark.matches;

export function onTheme(changed: () => void): void {
  dark.addEventListener('change', changed);
}

/// A custom property of style.css, as it is now.
export const css = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
