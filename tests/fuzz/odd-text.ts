import type { Random } from './random.ts';

/** Texts that programs tend to trip over. */
const oddTexts = [
  '',
  ' ',
  '\0',
  '%',
  '%00',
  '%ff%fe',
  '%c0%ae%c0%ae/',
  '../../../../etc/passwd',
  '..\\..\\',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '[object Object]',
  'undefined',
  'null',
  'NaN',
  '-0',
  '1e999',
  '9007199254740993',
  '-1',
  '0x10',
  'true',
  '[]',
  '{}',
  '[',
  '"',
  "'",
  '`${7*7}`',
  '<script>alert(1)</script>',
  '<!--',
  ']]>',
  '\r\nx-injected: yes',
  '\u2028',
  '\u202e',
  '\ufeff',
  '\ud800',
  '\u{1f3ee}',
  'e\u0301',
  '\u0130',
  'a'.repeat(43),
  'http://',
  'http://[::1',
  'http://127.0.0.1:1/',
  'http://2130706433:1/',
  'https://user:pass@127.0.0.1/',
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  '//127.0.0.1',
  'http://127.0.0.1:99999/',
  'http://a..b/',
  `http://${'a'.repeat(300)}/`,
  '0000-00-00T00:00:00Z',
  '2026-13-45',
  '+275760-09-13T00:00:00.001Z',
  '2026-11-22T00:00:00+99:99',
  'application/json',
  'h-entry',
  'draft',
] as const;

/** Returns a text that is short and odd, random, or long (up to 40,000 characters). */
export function oddText(random: Random): string {
  const kind = random.next();
  if (kind < 0.6) return random.pick(oddTexts);
  if (kind < 0.75) return random.bytes(random.below(40)).toString('latin1');
  if (kind < 0.85)
    return String.fromCharCode(...Array.from({ length: random.below(20) }, () => random.below(65_536)));
  if (kind < 0.97) return random.pick(oddTexts).repeat(1 + random.below(50));
  return random.pick(['a', '%41', '[', 'é', '\n', '/', '&a=', '\u{1f3ee}']).repeat(1 + random.below(20_000));
}

/** Returns the text with a few changes: a piece left out, doubled, replaced or added. */
export function changedText(random: Random, text: string): string {
  let changed = text;
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const at = random.below(changed.length + 1);
    const end = Math.min(changed.length, at + random.below(12));
    const added = random.pick(['', changed.slice(at, end).repeat(2), oddText(random)]);
    changed = changed.slice(0, at) + added + changed.slice(random.chance(0.5) ? end : at);
  }
  return changed.slice(0, 60_000);
}

/** Returns the bytes with a few changes: flipped, left out, doubled, added or cut off. */
export function changedBytes(random: Random, bytes: Buffer): Buffer {
  let changed = bytes;
  for (let count = 1 + random.below(6); count > 0; count -= 1) {
    const at = random.below(changed.length + 1);
    const end = Math.min(changed.length, at + 1 + random.below(20));
    const [start, middle, rest] = [changed.subarray(0, at), changed.subarray(at, end), changed.subarray(end)];
    const kind = random.below(6);
    if (kind === 0) changed = Buffer.concat([start, random.bytes(middle.length), rest]);
    else if (kind === 1) changed = Buffer.concat([start, rest]);
    else if (kind === 2) changed = Buffer.concat([start, middle, middle, rest]);
    else if (kind === 3) changed = Buffer.concat([start, Buffer.from(oddText(random)), middle, rest]);
    else if (kind === 4) changed = Buffer.concat([start, random.bytes(1), middle, rest]);
    else if (random.chance(0.3)) changed = Buffer.from(start);
  }
  return changed;
}
