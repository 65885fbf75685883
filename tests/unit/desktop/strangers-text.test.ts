import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialogText } from '../../../src-main/desktop/dialog-words.ts';

describe('text of strangers in a native dialog', () => {
  test('keeps names in every script unchanged', () => {
    for (const name of ['Quill', 'Käse & Brot', '日本語', 'שלום', '👩‍🚀 Micro', 'नमस्ते'])
      expect(dialogText(name).normalize()).toBe(name.replaceAll('\u200d', '').normalize());
  });

  test('text from strangers changes no reading direction and hides nothing', () => {
    expect(dialogText('app\u202egnp.exe')).toBe('appgnp.exe');
    expect(dialogText('a\u200bb\u2066c\u2069d\ufeffe\u00adf')).toBe('abcdef');
  });

  test('is one line', () => {
    expect(dialogText('App\n\nApprove only if\tyour browser shows 11.\u2028x')).toBe(
      'App Approve only if your browser shows 11. x',
    );
  });

  test('is empty if nothing would be visible', () => {
    expect(dialogText(' \u3164\u2800\u0000\n ')).toBe('');
  });

  test('is cut by letters as people count them, and says so', () => {
    expect(dialogText('abcdef', 5)).toBe('abcd…');
    expect(dialogText('abcde', 5)).toBe('abcde');
    expect(dialogText('e\u0301'.repeat(5), 5)).toBe('e\u0301'.repeat(5));
  });

  test('has no tower of marks', () => {
    expect(dialogText(`a${'\u0301'.repeat(500)}`).length).toBeLessThanOrEqual(12);
  });

  test('never holds a control, format or line-breaking character, nor more letters than allowed', () => {
    const unit = fc.oneof(fc.constantFrom('\u202e', '\n', '\u0007', '\u200f', 'a', ' '), fc.string());
    fc.assert(
      fc.property(fc.array(unit), fc.integer({ min: 1, max: 80 }), (parts, length) => {
        const text = dialogText(parts.join(''), length);
        const letters = [...new Intl.Segmenter().segment(text)].length;
        return !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) && letters <= length;
      }),
    );
  });
});
