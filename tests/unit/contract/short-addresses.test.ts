import { expect, test } from 'vitest';
import { withShortAddresses } from '../../../src-main/contract/posts.ts';

test.each([
  ['Fog over the harbour', 'Fog over the harbour'],
  ['Worth reading: https://ann.example/posts/2026/11/fog?a=b#c', 'Worth reading'],
  ['Two of them https://ann.example/one https://ben.example/two', 'Two of them'],
  ['I read https://www.ann.example/posts/fog and liked it', 'I read ann.example/… and liked it'],
  ['https://ann.example/posts/fog is about fog', 'ann.example/… is about fog'],
  ['(see http://ann.example/) for more', '(see ann.example) for more'],
  ['Fog\n\nhttps://ann.example/posts/fog', 'Fog'],
  ['https://ann.example/', 'ann.example'],
  ['https://ann.example/posts/fog https://ben.example/', 'ann.example/…'],
  ['見てhttps://ann.example/fog', '見てann.example/…'],
  ['', ''],
])('the title of “%s” has no whole address', (text, title) => {
  expect(withShortAddresses(text)).toBe(title);
});
