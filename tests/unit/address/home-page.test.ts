import { expect, test } from 'vitest';
import { movedHome } from '../../../src-main/address/part.ts';

const old = 'https://warm-light.trycloudflare.com/';
const porch = 'https://porch.example';

test.each<[string, string | null, string | null, string, string | null]>([
  [
    'follows a quick tunnel',
    old,
    null,
    'https://cold-tea.trycloudflare.com',
    'https://cold-tea.trycloudflare.com/',
  ],
  ['follows a quick tunnel to an address that lasts', old, null, porch, `${porch}/`],
  [
    'follows the public address that it is',
    `${porch}/`,
    porch,
    'https://den.example',
    'https://den.example/',
  ],
  ['stays while the tunnel starts', old, null, 'http://127.0.0.1:4180', null],
  ['stays at the same address', old, null, 'https://warm-light.trycloudflare.com', null],
  ['is the owner’s own website otherwise', 'https://owner.example/', porch, 'https://den.example', null],
  ['is not a page below the public address', `${porch}/me`, porch, 'https://den.example', null],
  ['is not a name that only ends like it', 'https://nottrycloudflare.com/', null, porch, null],
  ['is nobody’s before it is set', null, porch, 'https://den.example', null],
])('the home page %s', (_name, me, before, base, moved) => {
  expect(movedHome(me, before, base)).toBe(moved);
});
