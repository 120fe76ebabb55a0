// Questions and notices.
import { h } from '../dom.ts';

/// A question with two answers; closing it is the second.
export function ask(question: string, more: string, yes: string, no = 'Cancel',
                    danger = false): Promise<boolean> {
  return new Promise((resolve) => {
    const dialog = h('dialog', {},
      h('form', { method: 'dialog' }, h('h2', {}, question), more && h('p', {}, more),
        h('footer', {}, h('button', { value: 'no' }, no),
          h('button', { value: 'yes', class: danger ? 'danger' : 'primary' }, yes))));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

const shelf = h('div', { class: 'notices', role: 'status', 'aria-live': 'polite' });

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
