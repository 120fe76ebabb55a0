// Of the hands, wherever they are drawn.

export const kLeft = 0x0f9d8a;
export const kRight = 0xe8830c;
export const kOther = 0x7c6fd6;

export function colourOf(name: string): number {
  return /left/i.test(name) ? kLeft : /right/i.test(name) ? kRight : kOther;
}

export const hex = (colour: number): string => `#${colour.toString(16).padStart(6, '0')}`;
