// What is printed on keys: as the layout has it.
import { describe, expect, it } from 'vitest';
import { KeyLabels } from '../../src/teleop/key_labels.ts';

describe('labels of keys', () => {
  it('are the places\' letters until something else is known', () => {
    const labels = new KeyLabels();
    expect(labels.of('KeyW')).toBe('W');
    expect(labels.of('Shift')).toBe('Shift');
  });

  it('follow what keys type, and tell of a change once', () => {
    const labels = new KeyLabels();
    let changes = 0;
    labels.changed = () => void ++changes;
    labels.learn('KeyW', 'w');
    expect(changes).toBe(0);
    labels.learn('KeyW', 'z');
    labels.learn('KeyW', 'Z');
    labels.learn('KeyM', ',');
    labels.learn('KeyO', 'ö');
    expect(changes).toBe(3);
    expect(['KeyW', 'KeyM', 'KeyO'].map((code) => labels.of(code))).toEqual(['Z', ',', 'Ö']);
  });

  it('learn nothing of dead keys, digits and names', () => {
    const labels = new KeyLabels();
    for (const [code, key] of [['KeyW', 'Dead'], ['KeyW', ' '], ['Digit1', '&'], ['Space', ' ']] as const)
      labels.learn(code, key);
    expect(labels.of('KeyW')).toBe('W');
    expect(labels.of('Digit1')).toBe('Digit1');
  });
});
