import { describe, expect, test } from 'vitest';
import { ownSites } from '../../../src-main/mentions/own-sites.ts';

const rules = {
  base: 'https://porch.marlow.example',
  me: 'https://marlow.example/',
  folderSite: 'https://tilde.example/~marlow/blog/',
  hosts: ['photos.example'],
};

describe('the owner’s own mentions', () => {
  test.each([
    ['https://marlow.example/notes/1', true],
    ['http://MARLOW.example./notes/1', true],
    ['https://porch.marlow.example/posts/2026/11/fog', true],
    ['https://photos.example/1', true],
    ['https://tilde.example/~marlow/blog/notes/1', true],
    ['https://tilde.example/~marlow/', false],
    ['https://tilde.example/~bob/', false],
    ['https://marlow.example:8443/', false],
    ['https://other.marlow.example/', false],
    ['https://notmarlow.example/', false],
    ['https://example.net/?https://marlow.example/', false],
    ['not an address', false],
  ])('%s: %s', (source, isOwn) => {
    expect(ownSites(rules).has(source)).toBe(isOwn);
  });

  test('on a host that the owner shares are only those under the profile', () => {
    const own = ownSites({ base: '', me: 'https://tilde.example/~ada/', folderSite: '', hosts: [] });
    expect(own.has('https://tilde.example/~ada')).toBe(true);
    expect(own.has('https://tilde.example/~ada/notes/1')).toBe(true);
    expect(own.has('https://tilde.example/~adam/')).toBe(false);
    expect(own.has('https://tilde.example/~bob/')).toBe(false);
    expect(own.has('https://tilde.example/')).toBe(false);
    expect([...own.hosts]).toEqual(['tilde.example']);
  });

  test('are none before the owner has a site', () => {
    const none = ownSites({ base: '', me: null, folderSite: '', hosts: [] });
    expect(none.has('https://marlow.example/')).toBe(false);
    expect(none.hosts.size).toBe(0);
  });
});
