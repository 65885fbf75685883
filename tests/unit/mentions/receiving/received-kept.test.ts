import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { noBlocks } from '../../../../src-main/mentions/blocked.ts';
import { createWebmention } from '../../../../src-main/mentions/receiving/webmention.ts';
import { memoryMentions } from '../../../support/memory-mentions.ts';
import { memoryWork } from '../../../support/memory-work.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

/** A receiver that hasn't started to process its queue. */
async function opened() {
  const clock = () => now;
  const { records, work } = await memoryWork({ now: clock });
  const webmention = createWebmention({
    records,
    work,
    clock,
    log: silentLog,
    store: memoryMentions(clock, undefined, records),
    base: () => 'https://ada.example',
    owned: () => ({ base: 'https://ada.example', me: null, folderSite: '', hosts: [] }),
    isPublicPage: () => Promise.resolve(true),
    blocks: noBlocks,
  } as unknown as Parameters<typeof createWebmention>[0]);
  onTestFinished(() => work.stop());
  return (source: string, visitor?: string) =>
    webmention.receiveKept({
      source,
      target: 'https://ada.example/',
      arrived: now - 1000,
      ...(visitor !== undefined && { visitor }),
    });
}

test('once there is no more room for unknown senders, each of their mentions is refused, whatever its site', async () => {
  const receive = await opened();
  const some = (count: number, site: (index: number) => string) =>
    Promise.all(Array.from({ length: count }, (_, index) => receive(`https://${site(index)}/${index}`)));
  expect(new Set(await some(900, () => 'busy.example'))).toEqual(new Set(['new']));
  expect(await receive('https://busy.example/1')).toBe('known');
  expect(new Set(await some(4100, (index) => `site-${index}.example`))).toEqual(new Set(['new']));
  // Half of the queue's 10,000 places is for mentions that come through the tunnel.
  expect(await receive('https://newcomer.example/')).toBe('full');
  expect(await receive('https://busy.example/')).toBe('full');
  expect(await receive('https://newcomer.example/', '192.0.2.1')).toBe('new');
});

test('a site that has too many waiting is refused alone', async () => {
  const receive = await opened();
  const one = (index: number) => receive(`https://busy.example/${index}`);
  const outcomes = await Promise.all(Array.from({ length: 1001 }, (_, index) => one(index)));
  expect(outcomes.indexOf('crowd')).toBe(1000);
  expect(await receive('https://newcomer.example/')).toBe('new');
});

test('a visitor who has too many waiting is refused alone, whatever the sites', async () => {
  const receive = await opened();
  const one = (index: number) => receive(`https://site-${index}.example/`, '192.0.2.1');
  const outcomes = await Promise.all(Array.from({ length: 1001 }, (_, index) => one(index)));
  expect(outcomes.indexOf('crowd')).toBe(1000);
  expect(await receive('https://newcomer.example/', '192.0.2.2')).toBe('new');
  expect(await receive('https://newcomer.example/1')).toBe('new');
});
