// Elements without ceremony.

type Child = Node | string | false | null | undefined;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

/// An element; `onclick: f` listens, `true` and `false` set and leave out an attribute.
export function h<T extends keyof HTMLElementTagNameMap>(
  tag: T, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function')
      element.addEventListener(name.slice(2), value as unknown as EventListener);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => !!child));
  return element;
}

/// Changes the text only when it differs: what is read aloud or selected stays.
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/// "3.1 GB"
export function size(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : bytes >= 1e6
    ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1e3)} kB`;
}

export function kept(key: string): string {
  try {
    return localStorage.getItem(`handspan.${key}`) ?? '';
  } catch {
    return '';
  }
}

export function keep(key: string, value: string): void {
  try {
    localStorage.setItem(`handspan.${key}`, value);
  } catch {
    // a private window keeps nothing
  }
}
