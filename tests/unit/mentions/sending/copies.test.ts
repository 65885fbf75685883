import { describe, expect, test } from 'vitest';
import { crossPostingServices } from '../../../../src-main/contract/posts.ts';
import { copyAddress } from '../../../../src-main/mentions/sending/copies.ts';

const bridgy = (silo: string) => `https://brid.gy/publish/${silo}`;
const indieNews = 'https://news.indieweb.org/en';
const isOwn = (url: string) => new URL(url).hostname === 'ada.example';
const copyOf = (target: string, location: string, answeredBy = target) =>
  copyAddress({ target, answeredBy, location }, isOwn);

describe('the URL of a copy', () => {
  test.each([
    [bridgy('mastodon'), 'https://indieweb.social/@ada/115'],
    [bridgy('bluesky'), 'https://bsky.app/profile/ada.example/post/3k'],
    [bridgy('github'), 'https://github.com/a/b/issues/1#issuecomment-2'],
    [indieNews, 'https://news.indieweb.org/en/ada.example/fog'],
    ['https://bridge.example/', 'https://elsewhere.example/1'],
  ])('of %s can be %s', (target, location) => {
    expect(copyOf(target, location)).toBe(location);
  });

  test.each([
    [bridgy('bluesky'), 'https://mastodon.example/@ada/1'],
    [bridgy('bluesky'), 'https://bsky.app.evil.example/1'],
    [bridgy('github'), 'https://gist.github.example/1'],
    [indieNews, 'https://evil.example/en/1'],
    [bridgy('mastodon'), 'https://brid.gy/publish/mastodon'],
    [bridgy('mastodon'), 'https://ada.example/notes/1'],
    [bridgy('mastodon'), 'https://[::1]/1'],
    [bridgy('mastodon'), 'https://203.0.113.7/1'],
    [bridgy('mastodon'), 'https://2130706433/1'],
    [bridgy('mastodon'), 'https://localhost./1'],
    [bridgy('mastodon'), 'https://nas.home.arpa/1'],
    [bridgy('mastodon'), 'data:text/html,<p>'],
    [bridgy('mastodon'), 'http://mastodon.example/@ada/1'],
    [bridgy('mastodon'), `https://mastodon.example/${'ü'.repeat(1000)}`],
    ['https://fed.brid.gy/', 'https://fed.brid.gy/web/ada.example'],
  ])('the URL of a copy of %s can’t be %s', (target, location) => {
    expect(copyOf(target, location)).toBeUndefined();
  });

  test('the URL of a copy must be on the site of the service', () => {
    const copy = 'https://mastodon.example/@ada/1';
    expect(copyOf(bridgy('mastodon'), copy, 'https://www.brid.gy/publish/webmention')).toBe(copy);
    expect(copyOf('https://bridge.example/', copy, 'https://webmention.io/bridge.example/webmention')).toBe(
      undefined,
    );
  });
});

test('every service that the settings offer has a name and an address of its own', () => {
  expect(new Set(crossPostingServices.map(({ uid }) => uid)).size).toBe(crossPostingServices.length);
  for (const { uid, name } of crossPostingServices) {
    expect(new URL(uid).href).toBe(uid);
    expect(name).not.toBe('');
  }
});
