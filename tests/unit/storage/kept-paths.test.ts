import { describe, expect, test } from 'vitest';
import {
  entryNameOf,
  isKept,
  isMoved,
  isMovedEarly,
  pathOfEntry,
  staysHere,
} from '../../../src-main/storage/kept-paths.ts';

describe('the content of a backup', () => {
  test.each(['posts/2026/11/tea.json', 'media/2026/11/index.jsonl', 'settings.json', 'a%b:c.json'])(
    '%s comes back under its own name',
    (path) => expect(pathOfEntry(entryNameOf(path))).toBe(path),
  );

  test.each([
    'tunnel/cloudflared',
    'Tunnel/cloudflared.exe',
    'tunnel./cloudflared.exe',
    'TUNNEL /cloudflared.exe',
    'index.sqlite',
    'Index.sqlite-wal',
    'secrets.json',
    'SECRETS.json',
    'Code-Cache/v24/a',
    'Lock.sqlite',
    'last-copies.json',
    'logs/porchlight.log',
    '../settings.json',
  ])('%s is not taken from one: no program, no keys, no lock', (path) => {
    expect(pathOfEntry(entryNameOf(path))).toBeUndefined();
  });
});

test('what belongs to this computer stays when other data takes the place', () => {
  for (const name of [
    'tunnel',
    'code-cache',
    'logs',
    'lock.sqlite',
    'lock.json',
    'lock.ending',
    'records.reserve',
    'electron',
    'secrets.json',
    'last-copies.json',
    '.porchlight-transfers',
  ]) {
    expect(staysHere(name), name).toBe(true);
    expect(isKept(name), name).toBe(false);
  }
  expect(staysHere('posts')).toBe(false);
});

test('logs, the tunnel’s files and uploads move when nothing writes into them any more', () => {
  const restless = ['logs/porchlight.log', 'tunnel/cloudflared', 'media/incoming', 'media/incoming/a1.part'];
  for (const path of [...restless, 'posts/2026/11/a.json.tmp', 'media/2026/11/a.webp.part']) {
    expect(isMovedEarly(path), path).toBe(false);
    expect(isMoved(path), path).toBe(true);
  }
  for (const path of ['secrets.json', 'media/2026/11/a.webp', 'media/2026/11/index.jsonl'])
    expect(isMovedEarly(path), path).toBe(true);
  for (const path of [
    'lock.sqlite',
    'records.reserve',
    'code-cache/v24/a',
    'index.sqlite',
    'index.sqlite-wal',
  ])
    expect(isMoved(path), path).toBe(false);
});
