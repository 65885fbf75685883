import { writeSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { buildPublicApp } from '../../src-main/http/app.ts';
import { createGuardedFetch } from '../../src-main/platform/guarded-fetch.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { openReading } from '../../src-main/app/reading.ts';
import { noBlocks } from '../../src-main/mentions/blocked.ts';
import { MentionStore } from '../../src-main/mentions/mention-store.ts';
import { openRecords } from '../../src-main/storage/records/records.ts';
import { openWork } from '../../src-main/storage/work/work.ts';
import { createVersions } from '../../src-main/storage/caches.ts';
import { createWebmention } from '../../src-main/mentions/receiving/webmention.ts';
import { mentionTables } from './memory-work.ts';
import { allPublic } from './no-posts.ts';

// A process of its own, for tests to kill:
//   webmention-receiver.ts DIR   receives mentions of the host ada.example into DIR; says where it listens

async function receiveWithoutEnd(dir: string): Promise<void> {
  const log = silentLog;
  let base = '';
  const records = await openRecords({ dir, tables: mentionTables, log });
  const work = await openWork({ records, now: Date.now, online: () => true, log });
  const { routes, ...webmention } = createWebmention({
    records,
    work,
    base: () => base,
    owned: () => ({ base, me: 'https://ada.example/', folderSite: '', hosts: [] }),
    mayDisclose: allPublic,
    settings: () => ({
      hosts: [],
      hold: 'nothing',
      trustedDomains: [],
      aggregatorUrl: 'https://webmention.io',
      catchUp: false,
    }),
    store: new MentionStore({
      records,
      versions: createVersions(),
      now: Date.now,
      log,
    }),
    blocks: noBlocks,
    fetch: createGuardedFetch({ allowPrivate: true, userAgent: 'Porchlight/test (Webmention)' }),
    reading: openReading({ clock: Date.now }).mentions,
    clock: Date.now,
    log,
    isManagementToken: (text) => text === 'token',
    readerOf: () => Promise.resolve(undefined),
    isPost: () => Promise.resolve(false),
    isPublicPage: () => Promise.resolve(true),
    events: { received: () => undefined, changed: () => undefined, refused: () => undefined },
  });
  const app = await buildPublicApp({ log, features: routes, closing: () => undefined });
  await app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  await webmention.resume();
  work.start();
  writeSync(1, `${base}\n`);
}

const [dir] = process.argv.slice(2);
if (dir !== undefined) await receiveWithoutEnd(dir);
