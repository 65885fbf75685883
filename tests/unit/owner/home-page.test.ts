import { expect, test } from 'vitest';
import { movedHome } from '../../../src-main/owner/home-page.ts';

const old = 'https://warm-light.trycloudflare.com/';

test.each<[string, string | null, string, string | null]>([
  [
    'follows a quick tunnel to its next address',
    old,
    'https://cold-tea.trycloudflare.com',
    'https://cold-tea.trycloudflare.com/',
  ],
  ['follows to an address that lasts', old, 'https://porch.example', 'https://porch.example/'],
  ['stays while the tunnel starts', old, 'http://127.0.0.1:4180', null],
  ['stays at the same address', old, 'https://warm-light.trycloudflare.com', null],
  ['is the owner’s own website otherwise', 'https://owner.example/', 'https://porch.example', null],
  ['is not a name that only ends like it', 'https://nottrycloudflare.com/', 'https://porch.example', null],
  ['is nobody’s before it is set', null, 'https://porch.example', null],
])('the home page %s', (_name, me, base, moved) => {
  expect(movedHome(me, base)).toBe(moved);
});
