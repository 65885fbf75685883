import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { drainMailbox } from '../../../src-main/mailbox/drain.ts';
import { silentLog as log } from '../../../src-main/platform/log.ts';
import { createHub } from '../../../src-main/site/websub/hub.ts';
import { noBlocks } from '../../../src-main/mentions/blocked.ts';
import { createWebmention } from '../../../src-main/mentions/receiving/webmention.ts';
import { edgeScene, type EdgeScene } from '../../support/edge-scene.ts';
import { openWork } from '../../../src-main/storage/work/work.ts';
import { memoryMentions } from '../../support/memory-mentions.ts';
import { recordsIn } from '../../support/records-in.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const busy = '192.0.2.1';
const newcomer = '198.51.100.1';

let scene: EdgeScene;
beforeEach(async () => {
  scene = await edgeScene();
  await scene.client.call('away', { kind: 'asleep' });
  scene.behave('broken');
});
afterEach(() => scene.stop());

const send = async (path: string, fields: Record<string, string>, from: string) =>
  (await scene.post(path, fields, { 'cf-connecting-ip': from })).status;
const mention = (site: string) => ({ source: `https://${site}.test/`, target: 'https://home.test/post' });
const subscription = (site: string) => ({
  'hub.mode': 'subscribe',
  'hub.topic': 'https://home.test/',
  'hub.callback': `https://${site}.test/`,
});

/** A server that has not processed anything yet. Returns how to fetch what the mailbox keeps. */
async function server() {
  let clock = now;
  const common = { clock: () => clock, now: () => clock, log };
  const records = await recordsIn();
  const work = await openWork({ records, now: () => clock, online: () => true, log });
  const webmention = createWebmention({
    ...common,
    records,
    work,
    store: memoryMentions(() => clock, undefined, records),
    base: () => 'https://home.test',
    owned: () => ({ base: 'https://home.test', me: null, folderSite: '', hosts: [] }),
    isPublicPage: () => Promise.resolve(true),
    blocks: noBlocks,
  } as unknown as Parameters<typeof createWebmention>[0]);
  onTestFinished(() => work.stop());
  const hub = createHub({ ...common, records, work } as unknown as Parameters<typeof createHub>[0]);
  const fetchKept = () =>
    drainMailbox(
      {
        client: scene.client,
        log,
        keys: () => Promise.resolve([scene.sealing]),
        receive: (request, arrived) =>
          request.kind === 'webmention'
            ? webmention.receiveKept({ ...request, arrived })
            : hub.requestKept(request.fields, arrived, request.visitor),
      },
      new AbortController().signal,
    );
  return { fetchKept, webmention, later: (ms: number) => void (clock += ms) };
}

test('a visitor who fills the mailbox gets no more of the queue than in person, and nothing is lost', async () => {
  for (let one = 0; one < 1020; one += 1)
    expect(await send('/webmention', mention(`site-${one}`), busy)).toBe(202);
  expect(await send('/webmention', mention('newcomer'), newcomer)).toBe(202);
  const first = await server();
  // A ninth of what is then still free, as for mentions that come through the tunnel.
  expect(await first.fetchKept()).toEqual({ arrived: 1001, waiting: 20, unopened: 0 });
  expect(await first.fetchKept()).toEqual({ arrived: 0, waiting: 20, unopened: 0 });
  expect(await scene.client.call('state', {})).toMatchObject({ kept: 20 });
  // There is room again.
  const next = await server();
  expect(await next.fetchKept()).toEqual({ arrived: 20, waiting: 0, unopened: 0 });
  expect(await scene.client.call('state', {})).toMatchObject({ kept: 0 });
}, 300_000);

test('a visitor with too many subscriptions in the mailbox waits, and others do not', async () => {
  for (let one = 0; one < 25; one += 1)
    expect(await send('/websub', subscription(`reader-${one}`), busy)).toBe(202);
  expect(await send('/websub', subscription('newcomer'), newcomer)).toBe(202);
  const { fetchKept, later } = await server();
  expect(await fetchKept()).toEqual({ arrived: 21, waiting: 5, unopened: 0 });
  later(60_000);
  expect(await fetchKept()).toEqual({ arrived: 5, waiting: 0, unopened: 0 });
});
