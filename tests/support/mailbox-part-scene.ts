import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import {
  mailboxPath,
  mailboxVersion,
  type KeptRequest,
  type SealedItem,
} from '../../src-main/platform/mailbox-protocol.ts';
import { seal } from '../../src-main/mailbox/worker/signature.ts';
import { createEventHub } from '../../src-main/contract/contract.ts';
import type { MailboxKeys } from '../../src-main/mailbox/keys.ts';
import {
  mailboxKeysName,
  openSecretsFile,
  type Secrets,
  secretsFileIn,
} from '../../src-main/platform/secrets.ts';
import { inBackground, silentLog as log } from '../../src-main/platform/log.ts';
import { fetchedResponse, responseHeaders } from '../../src-main/platform/fetched-response.ts';
import type { GuardedFetch } from '../../src-main/platform/guarded-fetch.ts';
import { MailboxPart } from '../../src-main/mailbox/part.ts';
import { openWork } from '../../src-main/storage/work/work.ts';
import { recordsIn } from './records-in.ts';

/** What the owner's side of the mailbox meets. Tests change it. */
export interface MailboxWorld {
  isOn: boolean;
  /** The public origin of this server. That of the mailbox stays. */
  base: string;
  /** The public app; undefined while it isn't there. */
  app: FastifyInstance | undefined;
  /** The origins at which posts have or had URLs. */
  homeOrigins: readonly string[];
  /** The hosts that the mailbox was told last. */
  hosts: readonly string[];
  /** The version of the mailbox's program. */
  version: number;
  /** What the mailbox keeps. */
  items: SealedItem[];
  /** Answers a call instead of the mailbox, if it returns something. */
  instead: (call: string, headers: Readonly<Record<string, string>>) => PlainAnswer | undefined;
  /** How this server receives a mention. */
  receive: () => Promise<'new' | 'known' | 'full'>;
  /** Whether Cloudflare still leads requests to the mailbox. */
  isRouted: boolean;
  /** Does what Cloudflare does before an upload begins: it checks the token. */
  beforeUpload: () => Promise<void>;
  /** Does what Cloudflare does with an upload. */
  upload: () => Promise<void>;
}

export interface PlainAnswer {
  readonly status: number;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The part of the service that keeps in touch with the mailbox, with a mailbox in memory and its keys in a file. `calls`:
 * what the mailbox was asked. `effects`: what was done at Cloudflare.
 */
export async function mailboxPartScene() {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'porchlight-mailbox-part-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const secrets = await openSecretsFile({ file: secretsFileIn(dataDir) });
  const calls: string[] = [];
  const effects: string[] = [];
  const world: MailboxWorld = {
    version: mailboxVersion,
    base: 'https://porch.example.com',
    app: undefined,
    homeOrigins: [],
    hosts: [],
    isOn: true,
    isRouted: true,
    items: [],
    instead: () => undefined,
    receive: () => Promise.resolve('new'),
    beforeUpload: () => Promise.resolve(),
    upload: () => Promise.resolve(),
  };

  function answerTo(
    name: string,
    params: { after?: number; limit?: number; numbers?: number[]; hosts?: string[] },
  ): unknown {
    if (name === 'awake') world.hosts = params.hosts ?? [];
    if (name === 'items')
      return {
        items: world.items.filter(({ number }) => number > (params.after ?? 0)).slice(0, params.limit),
        kept: world.items.length,
      };
    if (name === 'done') {
      world.items = world.items.filter(({ number }) => !(params.numbers ?? []).includes(number));
      return { kept: world.items.length };
    }
    if (name === 'copies') return { copies: [], next: null };
    if (name === 'store') return { stored: 1 };
    if (name === 'remove') return { removed: 0 };
    return {
      version: world.version,
      state: 'awake',
      kept: world.items.length,
      refused: 0,
      copies: 0,
      bytes: 0,
    };
  }

  const fetch: GuardedFetch = async (url, options = {}) => {
    await Promise.resolve();
    const name = new URL(url).pathname.slice(mailboxPath.length + 1);
    calls.push(name);
    // The body of `store` is no JSON.
    const params = name === 'store' ? {} : (JSON.parse(String(options.body)) as object);
    const answer = world.instead(name, options.headers ?? {}) ?? {
      status: 200,
      text: JSON.stringify(answerTo(name, params)),
    };
    const body = Buffer.from(answer.text ?? '');
    return fetchedResponse({
      url,
      hops: 1,
      body,
      status: answer.status,
      headers: responseHeaders(answer.headers ?? {}),
    });
  };

  const posts = {
    list: () => Promise.resolve({ items: [] }),
    formerPaths: () => Promise.resolve([]),
    homeOrigins: () => Promise.resolve(world.homeOrigins),
  };
  const start = (withSecrets: Secrets = secrets) => openPart(withSecrets);
  async function openPart(withSecrets: Secrets) {
    const background = inBackground(log);
    const records = await recordsIn(dataDir);
    const work = await openWork({ records, log, now: Date.now, online: () => true });
    onTestFinished(() => work.stop());
    const mailbox = new MailboxPart({
      records,
      work,
      secrets: withSecrets,
      fetch,
      log,
      background,
      hub: createEventHub(),
      clock: () => Date.now(),
      base: () => world.base,
      activity: { record: (kind: string) => Promise.resolve(void effects.push(kind)) },
      changed: () => undefined,
      versions: { of: () => '' },
      settings: () => ({ site: { pages: [] } }),
      listener: {
        state: { kind: 'on' },
        get app() {
          return world.app;
        },
      },
      isReachable: () => true,
      mentioning: { receiveKept: () => world.receive(), targetHosts: () => new Set(['porch.example.com']) },
      posts,
      requestKept: () => Promise.resolve(),
    } as unknown as ConstructorParameters<typeof MailboxPart>[0]);
    mailbox.connect({
      isOn: () => world.isOn,
      address: () => 'https://porch.example.com',
      async upload(_token, prepare) {
        await world.beforeUpload();
        await prepare?.();
        await mailbox.edgeKeys();
        effects.push('upload');
        await world.upload();
        world.isOn = true;
      },
      isRouted: () => Promise.resolve(world.isRouted),
      async remove() {
        effects.push('remove');
        world.isOn = false;
        world.items = [];
        await mailbox.forgetKeys();
      },
    });
    onTestFinished(() => mailbox.stop());
    return mailbox;
  }

  return {
    dataDir,
    world,
    calls,
    effects,
    secrets,
    start,
    /** The keys that this computer has. */
    keys: async () => JSON.parse((await secrets.get(mailboxKeysName)) ?? 'null') as MailboxKeys | null,
    /** Puts a mention into the mailbox, sealed for these keys. */
    async keep(keys: MailboxKeys, number = world.items.length + 1): Promise<void> {
      const request: KeptRequest = {
        kind: 'webmention',
        source: `https://bea.example/${number}`,
        target: 'https://porch.example.com/',
      };
      const raw = new Uint8Array(Buffer.from(keys.sealing[0]?.publicKey ?? '', 'base64url'));
      const sealed = Buffer.from(await seal(JSON.stringify(request), raw)).toString('base64url');
      world.items.push({ number, arrived: new Date().toISOString(), sealed });
    },
  };
}
