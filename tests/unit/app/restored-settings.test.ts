import { describe, expect, test } from 'vitest';
import { isTaken, restoreLabel } from '../../../src-main/contract/restore-settings.ts';
import { initialSettings, type Settings } from '../../../src-main/contract/settings.ts';
import {
  mergedSettings,
  settingChanges,
  settingNames,
  shown,
  usableHere,
} from '../../../src-main/app/restoring.ts';
import { noFolder } from '../../support/window-folder-handlers.ts';

const here: Settings = {
  ...initialSettings(),
  profile: { me: 'https://owner.example/', name: 'Robin', url: '', photo: '', email: '' },
  signIn: { accessTokenSeconds: 3600, refreshTokenSeconds: 7200, allowWithoutPkce: false },
  micropub: {
    categories: ['tea'],
    channels: [],
    syndicateTo: [],
    mediaLimitBytes: 1000,
    removePhotoMetadata: true,
  },
  webmention: {
    hosts: [],
    hold: 'everything',
    trustedDomains: ['friend.example'],
    catchUp: true,
    aggregatorUrl: 'https://webmention.io',
  },
  tunnel: { mode: 'named', hostname: 'porch.owner.example', publicUrl: '' },
  backup: { folder: '/copies', keep: 8 },
  siteFolder: noFolder,
};

/** Every setting is another one than here. */
const there: Settings = {
  profile: {
    me: 'https://evil.example/',
    name: 'Eve',
    url: 'https://evil.example/',
    photo: 'https://evil.example/p.png',
    email: 'eve@evil.example',
  },
  signIn: { accessTokenSeconds: 315_360_000, refreshTokenSeconds: 315_360_000, allowWithoutPkce: true },
  micropub: {
    categories: ['coffee'],
    channels: [{ uid: 'c', name: 'C' }],
    mediaLimitBytes: 2000,
    syndicateTo: [{ uid: 'https://evil.example/', name: 'Everywhere' }],
    removePhotoMetadata: false,
  },
  posting: { appsMarkdown: ['https://quill.example/'] },
  webmention: {
    hosts: ['evil.example'],
    hold: 'nothing',
    trustedDomains: ['evil.example'],
    catchUp: false,
    aggregatorUrl: 'https://evil.example',
  },
  tunnel: { mode: 'off', hostname: 'evil.example', publicUrl: 'https://evil.example' },
  cloudflared: { options: ['--region=us'], certificate: '/evil/certificate.pem' },
  desktop: { startAtLogin: true, notifications: false, sound: true, writeShortcut: 'Alt+W' },
  backup: { folder: '/elsewhere', keep: 1 },
  site: {
    title: 'Eve',
    tagline: 'Mine',
    about: 'Eve',
    photo: 'https://evil.example/p.png',
    replyEmail: 'eve@evil.example',
    accent: '#ff0000',
    timeZone: 'Asia/Tokyo',
    links: [{ label: 'Eve', url: 'https://evil.example/' }],
    pages: [{ slug: 'now', title: 'Now', text: 'Mine' }],
    theme: 'paper',
    css: 'body { color: red }',
  },
  siteFolder: {
    on: true,
    path: '/evil',
    generator: 'hugo',
    baseUrl: 'https://evil.example/',
    postFile: '{slug}.md',
    postUrl: '{slug}/',
    mediaFile: '{file}',
    mediaUrl: 'm/{file}',
    media: 'porch',
    mentions: 'data',
    commit: false,
    push: false,
    branch: 'evil',
    remote: 'evil',
    adopt: true,
  },
  assistants: { on: true },
  phones: { on: true, scopes: ['delete'], push: 'ntfy' },
};

const guarded = settingNames.filter((name) => !isTaken(name));

describe('the settings of a backup', () => {
  test('settings of a backup are used without a question only if they affect neither trust nor privacy', () => {
    // The names are repeated here, so that a new setting is taken only if somebody decides so in both places.
    expect(settingNames.filter(isTaken)).toEqual([
      'profile.name',
      'micropub.categories',
      'micropub.channels',
      'posting.appsMarkdown',
      'desktop.sound',
      'desktop.writeShortcut',
      'site.theme',
      'site.accent',
      'site.title',
      'site.tagline',
      'site.timeZone',
    ]);
    expect(guarded.filter((name) => restoreLabel(name) === name)).toEqual([]);
  });

  test('are listed if they differ, all but the harmless ones', () => {
    const changes = settingChanges(here, there);
    expect(changes.map(({ setting }) => setting).sort()).toEqual([...guarded].sort());
    expect(changes).toContainEqual({ setting: 'signIn.allowWithoutPkce', here: false, there: true });
    expect(changes).toContainEqual({
      setting: 'micropub.syndicateTo',
      here: [],
      there: ['Everywhere (https://evil.example/)'],
    });
    expect(settingChanges(here, here)).toEqual([]);
  });

  test('change only harmless settings if the owner accepts nothing', () => {
    expect(mergedSettings(here, there, new Set())).toEqual({
      ...here,
      profile: { ...here.profile, name: 'Eve' },
      micropub: { ...here.micropub, categories: ['coffee'], channels: [{ uid: 'c', name: 'C' }] },
      posting: there.posting,
      desktop: { ...here.desktop, sound: true, writeShortcut: 'Alt+W' },
      site: {
        ...here.site,
        title: 'Eve',
        tagline: 'Mine',
        accent: '#ff0000',
        timeZone: 'Asia/Tokyo',
        theme: 'paper',
      },
    });
  });

  test.each(guarded)('bring %s alone if it alone is accepted', (name) => {
    const merged = mergedSettings(here, there, new Set([name]));
    expect(settingChanges(here, merged).map(({ setting }) => setting)).toEqual([name]);
  });

  test('all of them are taken where all are accepted', () => {
    expect(mergedSettings(here, there, new Set(settingNames))).toEqual(there);
  });

  test('name no folder of another system', () => {
    expect(usableHere({ ...there, backup: { folder: 'relative', keep: 1 } }).backup.folder).toBe('');
    expect(usableHere(there)).toEqual(there);
  });

  test('a long list shows first what the other side lacks, and counts the rest', () => {
    const known = Array.from({ length: 5000 }, (_, place) => `${place}.example`);
    const list = shown([...known, 'evil.example'], known) as string[];
    expect([list[0], list.length, list.at(-1)]).toEqual(['evil.example', 101, 'and 4901 more']);
  });
});
