// Questions and notices.
import { h } from '../dom.ts';

const asked = new Set<HTMLDialogElement>();
const listeners: (() => void)[] = [];

/// Whether a question waits for its answer: what moves arms waits with it.
export const asking = (): boolean => asked.size > 0;

/// @param opens called when a question opens
export function onAsking(opens: () => void): void {
  listeners.push(opens);
}

// All that is behind a question is out of reach, but for what is marked data-over: the stop. A modal
// dialog would take that away too. @return what puts it back
function behind(dialog: Element, host: Element = document.body): () => void {
  const undo: (() => void)[] = [];
  for (const child of host.children) {
    if (child === dialog || child.matches('[data-over]') || !(child instanceof HTMLElement)) continue;
    if (child.querySelector('[data-over]')) undo.push(behind(dialog, child));
    else if (!child.inert) {
      child.inert = true;
      undo.push(() => (child.inert = false));
    }
  }
  return () => undo.forEach((one) => one());
}

/// A question with two answers; closing it is the second. The stop stays in reach.
export function ask(question: string, more: string, yes: string, no = 'Cancel',
                    danger = false): Promise<boolean> {
  return new Promise((resolve) => {
    const dialog = h('dialog', { 'aria-label': question },
      h('form', { method: 'dialog' }, h('h2', {}, question), more && h('p', {}, more),
        h('footer', {}, h('button', { value: 'no', autofocus: true }, no),
          h('button', { value: 'yes', class: danger ? 'danger' : 'primary' }, yes))));
    const before = document.activeElement;
    const backdrop = h('div', { class: 'backdrop' });
    // the stop hears of it too, as of every Esc
    const escape = (event: KeyboardEvent) => event.code === 'Escape' && dialog.close('no');
    document.body.append(backdrop, dialog);
    const restore = behind(dialog);
    addEventListener('keydown', escape, true);
    asked.add(dialog);
    dialog.addEventListener('close', () => {
      removeEventListener('keydown', escape, true);
      asked.delete(dialog);
      backdrop.remove();
      dialog.remove();
      restore();
      if (before instanceof HTMLElement) before.focus();
      resolve(dialog.returnValue === 'yes');
    });
    dialog.show();
    for (const listener of listeners) listener();
  });
}

const shelf = h('div', { class: 'notices', 'data-over': true, role: 'status', 'aria-live': 'polite' });

/// A line that goes away by itself.
export function notice(text: string, kind: 'good' | 'bad' | '' = '', ...buttons: HTMLElement[]): () => void {
  if (!shelf.isConnected) document.body.append(shelf);
  const element = h('div', { class: `notice ${kind}` }, h('span', {}, text), ...buttons);
  const gone = () => element.remove();
  element.append(h('button', { class: 'quiet', 'aria-label': 'close', onclick: gone }, '×'));
  shelf.append(element);
  while (shelf.children.length > 4) shelf.firstElementChild!.remove();
  setTimeout(gone, buttons.length ? 30000 : 6000);
  return gone;
}

/// Tells what was in the way, if anything. @return whether nothing was
export async function told(answer: Promise<string>): Promise<boolean> {
  const problem = await answer;
  if (problem) notice(problem, 'bad');
  return problem === '';
}
