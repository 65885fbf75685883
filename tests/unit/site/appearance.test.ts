import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  contrast,
  keepingAppearance,
  legible,
  appearanceOf,
  textOn,
} from '../../../src-main/site/appearance.ts';
import { themes } from '../../../src-main/site/themes.ts';

const someColour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((number) => `#${number.toString(16).padStart(6, '0')}`);
const names = ['porch', 'paper', 'garden'] as const;

describe('colours', () => {
  test('contrast is that of WCAG', () => {
    expect(contrast('#000000', '#ffffff')).toBe(21);
    expect(contrast('#ffffff', '#767676')).toBeCloseTo(4.54, 2);
  });

  test.each(names)('any accent is legible on %s, in light and dark, and so is the text on it', (name) => {
    fc.assert(
      fc.property(someColour, fc.constantFrom('light' as const, 'dark' as const), (accent, mode) => {
        const { ground, surface } = themes[name][mode];
        const text = legible(accent, [ground, surface]);
        expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(text, surface)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(textOn(accent), accent)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  test.each(names)('the text of %s is legible, in light and dark', (name) => {
    for (const mode of ['light', 'dark'] as const) {
      const { ground, surface, ink, soft } = themes[name][mode];
      for (const text of [ink, soft])
        for (const behind of [ground, surface]) expect(contrast(text, behind)).toBeGreaterThanOrEqual(4.5);
    }
  });

  test('a legible accent stays unchanged', () => {
    expect(legible('#7a1f1f', ['#ffffff'])).toBe('#7a1f1f');
  });
});

describe('the look', () => {
  test('the owner’s CSS comes last; CSS that can’t be used is left out', () => {
    expect(appearanceOf({ theme: 'porch', accent: '', css: 'h1 { color: red }' }).style).toMatch(
      /h1 \{ color: red \}$/,
    );
    const spoiled = appearanceOf({ theme: 'porch', accent: '', css: '@import "x"; h1 { color: red }' });
    expect(spoiled.style).toBe(appearanceOf({ theme: 'porch', accent: '', css: '' }).style);
  });

  test('the style contains the accent as the owner chose it', () => {
    expect(appearanceOf({ theme: 'paper', accent: '#12ab34', css: '' }).style).toContain('--amber: #12ab34;');
  });

  test('it is made once for each choice', () => {
    const make = vi.fn(appearanceOf);
    const kept = keepingAppearance(make);
    const choice = { theme: 'garden', accent: '', css: '' } as const;
    expect(kept({ ...choice })).toBe(kept({ ...choice }));
    expect(make).toHaveBeenCalledTimes(1);
    expect(kept({ ...choice, accent: '#000000' }).style).toContain('#000000');
    expect(make).toHaveBeenCalledTimes(2);
  });

  test('no theme loads anything', () => {
    for (const theme of names)
      expect(appearanceOf({ theme, accent: '', css: '' }).style).not.toMatch(/url\(|@import|@font-face/i);
  });
});
