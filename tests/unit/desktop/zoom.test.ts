import { describe, expect, test } from 'vitest';
import { zoomAfter, zoomKey, zoomSteps } from '../../../src-main/desktop/window-state.ts';

describe('the zoom', () => {
  test('goes through every step from 50% to 300%, and no further', () => {
    let factor = 0.5;
    const seen = [factor];
    while (zoomAfter(factor, 'in') !== factor) seen.push((factor = zoomAfter(factor, 'in')));
    expect(seen).toEqual([...zoomSteps]);
    expect(zoomAfter(0.5, 'out')).toBe(0.5);
    expect(zoomAfter(1.1, 'out')).toBe(1);
    expect(zoomAfter(2.5, 'reset')).toBe(1);
  });

  const key = (key: string, code: string, held = {}) => ({
    type: 'keyDown' as const,
    key,
    code,
    control: true,
    meta: false,
    alt: false,
    shift: false,
    ...held,
  });

  test.each([
    ['+', 'Equal', 'in'],
    ['=', 'Equal', 'in'],
    ['+', 'BracketRight', 'in'],
    ['+', 'NumpadAdd', 'in'],
    ['-', 'Minus', 'out'],
    ['-', 'NumpadSubtract', 'out'],
    ['0', 'Digit0', 'reset'],
    ['à', 'Digit0', 'reset'],
    ['0', 'Numpad0', 'reset'],
  ])('is changed by Ctrl with %s (%s): %s', (name, code, change) => {
    expect(zoomKey(key(name, code), 'linux')).toBe(change);
    expect(zoomKey(key(name, code, { control: false, meta: true }), 'darwin')).toBe(change);
  });

  test.each([
    key('+', 'Equal', { control: false }),
    key('+', 'Equal', { alt: true }),
    key('+', 'Equal', { type: 'keyUp' }),
    key('+', 'Equal', { meta: true }),
    key('=', 'Digit0', { shift: true }),
    key('a', 'KeyA'),
  ])('is not changed by %j', (input) => {
    expect(zoomKey(input, 'linux')).toBeUndefined();
  });
});
