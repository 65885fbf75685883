import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CloudflareProgress } from '../../src-main/contract/reach.ts';
import type { SettingsPatch } from '../../src-main/contract/settings.ts';
import { Cloudflare } from '../../src-main/address/cloudflare/cloudflare.ts';
import { openCloudflareRecord } from '../../src-main/address/cloudflare/record.ts';
import { cloudflareHandlers } from '../../src-main/address/owner.ts';
import { createEventHub } from '../../src-main/contract/contract.ts';
import {
  mailboxKeysName,
  openSecretsFile,
  type Secrets,
  secretsFileIn,
} from '../../src-main/platform/secrets.ts';
import { openSettings } from '../../src-main/app/settings.ts';
import { createGuardedFetch } from '../../src-main/platform/guarded-fetch.ts';
import { documentsIn } from '../../src-main/storage/document.ts';
import { fakeCloudflareApi, type FakeCloudflareApi } from './fake-cloudflare-api.ts';

/** One run of the program, as far as Cloudflare's setup sees it. */
export type CloudflareRun = Cloudflare & {
  readonly handlers: ReturnType<typeof cloudflareHandlers>;
  readonly secrets: Secrets;
  readonly settings: Awaited<ReturnType<typeof openSettings>>;
  readonly progress: CloudflareProgress[];
  /** What was written to the activity list. */
  readonly recorded: string[];
  /** What happened to the mailbox and to this server's own tunnel. */
  readonly events: string[];
  /** Resolves when the run has died. */
  readonly died: Promise<void>;
};

export interface CloudflareScene {
  readonly fake: FakeCloudflareApi;
  readonly folder: string;
  /** The port of this server. */
  port: number;
  keys: { proofKey: string; callKey: string; sealingKey: string };
  /**
   * Starts the program again with what is on disk. After a number of effects, the run dies: it does nothing any more
   * from then on. An effect is a request, or a change of the record, a secret, the settings or the tunnel.
   */
  start(effectsToLive?: number): Promise<CloudflareRun>;
  /** Everything in the data folder that is readable, except for the file of secrets. */
  filesText(): Promise<string>;
  close(): Promise<void>;
}

export async function cloudflareScene(): Promise<CloudflareScene> {
  const fake = await fakeCloudflareApi();
  const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-cloudflare-'));
  const guarded = createGuardedFetch({ allowPrivate: true, userAgent: 'Test' });
  const scene: CloudflareScene = {
    fake,
    folder,
    port: 4180,
    keys: { proofKey: 'proof-key', callKey: 'call-key', sealingKey: 'sealing-key' },
    start,
    async filesText() {
      const names = (await readdir(folder)).filter((name) => name !== 'secrets.json');
      return (await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))).join('\n');
    },
    async close() {
      await guarded.close();
      await fake.close();
      await rm(folder, { recursive: true, force: true });
    },
  };

  async function start(effectsToLive = Infinity): Promise<CloudflareRun> {
    let die: () => void = () => undefined;
    const died = new Promise<void>((resolve) => (die = resolve));
    let count = 0;
    /** Returns a function like `work`, at which the run may die. */
    const counted =
      <Args extends unknown[], R>(work: (...args: Args) => Promise<R>) =>
      async (...args: Args): Promise<R> => {
        if (count === effectsToLive) return await end();
        const answer = await work(...args);
        count += 1;
        return count === effectsToLive ? await end() : answer;
      };
    /** Stops the run at this place: nothing that waits for it ever goes on. */
    const end = (): Promise<never> => {
      die();
      return new Promise(() => undefined);
    };
    const documents = documentsIn(folder);
    const mortal: typeof documents = {
      ...documents,
      async open(name, format) {
        const document = await documents.open(name, format);
        const update = counted((change: (data: typeof document.data) => unknown) => document.update(change));
        return {
          get data() {
            return document.data;
          },
          get stamp() {
            return document.stamp;
          },
          update: update as typeof document.update,
        };
      },
    };
    const secrets = await openSecretsFile({ file: secretsFileIn(folder) });
    const settings = await openSettings({ documents, allowLoopbackMe: true });
    const [progress, recorded, events]: [CloudflareProgress[], string[], string[]] = [[], [], []];
    const hub = createEventHub();
    hub.subscribe((event) => {
      if (event.name === 'cloudflare.progress') progress.push(event.data);
    });
    const record = await openCloudflareRecord(mortal);
    const cloudflare = new Cloudflare(
      {
        hub,
        fetch: counted(guarded),
        secrets: {
          ...secrets,
          set: counted((name: string, value: string) => secrets.set(name, value)),
          delete: counted((name: string) => secrets.delete(name)),
        },
        settings: {
          get: settings.get,
          update: counted((patch: SettingsPatch) => settings.update(patch)),
        },
        apiBase: fake.base,
        activity: { record: (kind) => Promise.resolve(void recorded.push(kind)) },
        port: () => scene.port,
        pause: () => Promise.resolve(),
        workerScript: () => Promise.resolve('export default { fetch() {} }'),
        async mailboxKeys() {
          await secrets.set(mailboxKeysName, JSON.stringify(scene.keys));
          return scene.keys;
        },
        forgetMailboxKeys: counted(() => secrets.delete(mailboxKeysName)),
        mailboxChanged: (on) => Promise.resolve(void events.push(`mailbox ${on ? 'on' : 'off'}`)),
        tunnel: {
          setToken: counted(async (token: string) => {
            events.push(token === '' ? 'no tunnel token' : 'tunnel token');
            await (token === '' ? secrets.delete('tunnel-token') : secrets.set('tunnel-token', token));
          }),
          follow: counted(() => Promise.resolve(void events.push(`tunnel ${settings.get().tunnel.mode}`))),
        },
      },
      record,
    );
    const handlers = cloudflareHandlers(
      cloudflare,
      () => Promise.resolve(),
      () => Promise.resolve(),
    );
    return Object.assign(cloudflare, { handlers, secrets, settings, progress, recorded, events, died });
  }

  return scene;
}
