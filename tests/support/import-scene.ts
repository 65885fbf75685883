import { onTestFinished } from 'vitest';
import type { Settings } from '../../src-main/contract/settings.ts';
import type { ImportProgress } from '../../src-main/contract/mention-import.ts';
import { buildPublicApp } from '../../src-main/http/app.ts';
import { createGuardedFetch } from '../../src-main/platform/guarded-fetch.ts';
import { createLog } from '../../src-main/platform/log.ts';
import { importRoutes } from '../../src-main/mentions/receiving/management-routes.ts';
import { MentionImport } from '../../src-main/mentions/import/import.ts';
import type { Mention } from '../../src-main/mentions/mention.ts';
import type { MentionStore } from '../../src-main/mentions/mention-store.ts';
import { ownSites } from '../../src-main/mentions/own-sites.ts';
import { statusOfImported } from '../../src-main/mentions/receiving/verification.ts';
import { readingRoutes } from '../../src-main/mentions/reading-api/routes.ts';
import { keepNothing } from './keep-nothing.ts';
import { memoryMentions } from './memory-mentions.ts';
import { recordsIn } from './records-in.ts';
import { temporaryFolder } from './storage-folder.ts';
import { openWebmentionIo, type WebmentionIo } from './webmention-io.ts';
import { allPublic } from './no-posts.ts';

export const managementToken = 'the-management-token';

export interface ImportScene {
  readonly io: WebmentionIo;
  readonly store: MentionStore;
  readonly import: MentionImport;
  /** What time it is, in ms. */
  readonly clock: { now: number };
  readonly progress: ImportProgress[];
  /** What the owner was told of comparisons. */
  readonly compared: string[];
  /** What the owner was told of mentions that found no room. */
  readonly leftOut: string[];
  /** Milliseconds of the pauses between tries; none is waited for. */
  readonly pauses: number[];
  /** Everything that was logged. */
  log(): string;
  /** All that is stored, by the aggregator's number. */
  stored(): Promise<Map<number, Mention>>;
  /** Where the aggregator is; a test may move it. */
  aggregator: { url: string };
  /** What the owner wants held; a test may change it. */
  settings: Settings['webmention'];
  /** The import again, from the data on disk, as after a restart. */
  restarted(): MentionImport;
}

/** The import, with an aggregator of `count` mentions. The store keeps in memory unless a test brings one. */
export async function openImport(count: number, given?: MentionStore): Promise<ImportScene> {
  const io = await openWebmentionIo(count);
  const fetch = createGuardedFetch({ allowPrivate: true, userAgent: 'Porchlight/test' });
  onTestFinished(async () => {
    await fetch.close();
    await io.close();
  });
  const dir = await temporaryFolder();
  const records = await recordsIn(dir);
  const clock = { now: Date.UTC(2026, 10, 21) };
  const store = given ?? memoryMentions(() => clock.now);
  const [progress, pauses, lines]: [ImportProgress[], number[], string[]] = [[], [], []];
  const compared: string[] = [];
  const leftOut: string[] = [];
  const aggregator = { url: io.origin };
  const settings: Settings['webmention'] = {
    hosts: [],
    hold: 'nothing',
    trustedDomains: [],
    aggregatorUrl: io.origin,
    catchUp: true,
  };
  const judging = {
    store,
    settings: () => settings,
    ownSites: () => ownSites({ base: '', me: 'https://owner.example/', folderSite: '', hosts: [] }),
  };
  const opened = () =>
    new MentionImport({
      store,
      fetch,
      aggregatorUrl: () => aggregator.url,
      statusOf: (mention, isLater) => statusOfImported(judging, mention, isLater),
      dir,
      records,
      now: () => clock.now,
      events: {
        progress: (one) => void progress.push(one),
        compared: (words) => void compared.push(words),
        leftOut: (words) => void leftOut.push(words),
      },
      log: createLog({ level: 'debug' }, { write: (line) => void lines.push(line) }),
      pause: (ms) => {
        pauses.push(ms);
        return Promise.resolve();
      },
    });
  return {
    io,
    store,
    import: opened(),
    clock,
    progress,
    compared,
    leftOut,
    pauses,
    log: () => lines.join(''),
    stored: async () => {
      const found = new Map<number, Mention>();
      for await (const mention of store.all()) found.set(mention.wmId, mention);
      return found;
    },
    aggregator,
    settings,
    restarted: opened,
  };
}

/** The reading API and GET /import of a store, over HTTP; the base address. */
export async function serveReading(
  store: MentionStore,
  { import: importing }: { import?: Pick<MentionImport, 'run'> } = {},
): Promise<string> {
  let base = '';
  const isManagementToken = (text: string) => text === managementToken;
  const features = [
    readingRoutes({
      store,
      kept: keepNothing(),
      base: () => base,
      mayDisclose: allPublic,
      isManagementToken,
      readerOf: () => Promise.resolve(undefined),
    }),
  ];
  if (importing) features.push(importRoutes(isManagementToken, importing));
  const log = createLog({ level: 'silent' });
  const app = await buildPublicApp({ log, features, closing: () => undefined });
  onTestFinished(() => app.close());
  base = await app.listen({ host: '127.0.0.1', port: 0 });
  return base;
}
