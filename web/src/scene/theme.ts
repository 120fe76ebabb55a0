// Colours that the scene and the plots share with style.css.

const dark = matchMedia('(prefers-color-scheme: dark)');

export const isDark = (): boolean => dark.matches;

export function onTheme(changed: () => void): void {
  dark.addEventListener('change', changed);
}

/// A custom property of style.css, as it is now.
export const css = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const kLeft = 0x0f9d8a;
export const kRight = 0xe8830c;
export const kOther = 0x7c6fd6;

export function colourOf(name: string): number {
  return /left/i.test(name) ? kLeft : /right/i.test(name) ? kRight : kOther;
}

export const hex = (colour: number): string => `#${colour.toString(16).padStart(6, '0')}`;
