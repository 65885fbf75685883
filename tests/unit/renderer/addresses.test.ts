import { expect, test } from 'vitest';
import { addressInShort } from '../../../src-renderer/ui/plain-text.ts';

test.each([
  ['https://ann.example/', 'ann.example'],
  ['https://ann.example/posts/2026/11/fog', 'ann.example/posts/2026/11/fog'],
  [
    'https://porch.marlow.example/posts/2026/11/fog-over-the-harbour-at-dawn',
    'porch.marlow.example/…/11/fog-over-the-harbour-at-dawn',
  ],
  [
    'http://127.0.0.1:43991/posts/2026/11/notes-from-the-neighborhood-meeting',
    '127.0.0.1:43991/…/11/notes-from-the-neighborhood-meeting',
  ],
  [`https://ann.example/${'x'.repeat(300)}`, `ann.example/…${'x'.repeat(45)}`],
  [`https://ann.example/${'word-'.repeat(60)}end`, `ann.example/…${'word-'.repeat(8)}end`],
  [`https://ann.example/a?q=${'y'.repeat(300)}#end`, undefined],
  [`https://${'long-'.repeat(40)}name.example/post`, undefined],
  ['https://ann.example:8443/?page=2', 'ann.example:8443?page=2'],
  ['no address', 'no address'],
])('%s is short, and its host and end stay', (address, expected) => {
  const short = addressInShort(address);
  if (expected !== undefined) expect(short).toBe(expected);
  expect(short.length).toBeLessThanOrEqual(70);
  expect(address.endsWith(short.slice(-4)) || address.endsWith(`${short.slice(-4)}/`)).toBe(true);
});
