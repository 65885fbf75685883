import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import { bindings, compatibilityDate, mailboxClass } from '../../src-main/platform/mailbox-protocol.ts';

const root = join(import.meta.dirname, '../..');
const runtime = join(root, 'tests/edge-runtime/node_modules/miniflare/dist/src/index.js');

/** What the tests use of miniflare. Its own types are only there where it is installed. */
interface Miniflare {
  readonly ready: Promise<URL>;
  unsafeGetDirectURL(): Promise<URL>;
  dispose(): Promise<void>;
}
type MiniflareModule = { readonly Miniflare: new (options: Record<string, unknown>) => Miniflare };

type Numbers = Readonly<Record<string, number>>;

/** The mailbox's keys, base64url. */
export interface EdgeKeys {
  readonly proofKey: string;
  readonly callKey: string;
  /** The public sealing key. */
  readonly sealingKey: string;
}

export interface MailboxOptions {
  /** The server behind the Worker, such as `http://127.0.0.1:4280`. Only http. */
  readonly origin: string;
  readonly keys: EdgeKeys;
  /** Numbers of the Worker's sources, by the names of their constants or fields, that are to be other ones. */
  readonly numbers?: Numbers;
  /** Migrations of the tables that come after those of the sources. */
  readonly migrations?: readonly string[];
  /** Where the mailbox is stored: a folder that stays. A temporary one by default. */
  readonly folder?: string;
  /** The error with which the Durable Object fails whenever it is used, as it does over the limits of the plan. */
  readonly failing?: string;
}

export interface RunningMailbox {
  /** The address of the Worker, without a slash at its end. */
  readonly url: string;
  /** Where the Durable Object's SQLite files are, in subfolders. */
  readonly folder: string;
  /** Stops it, once. */
  stop(): Promise<void>;
}

/**
 * Starts the Worker in workerd, in front of a server. The server gets the Host header that the Worker got.
 * @throws Error if the runtime is not installed
 */
export async function startMailbox(options: MailboxOptions): Promise<RunningMailbox> {
  const { origin, keys, numbers = {}, migrations = [] } = options;
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'porchlight-mailbox-')));
  const script = await workerScript({ numbers, migrations });
  const worker = await startWorker(
    options.failing === undefined ? script : withFailingObject(script, options.failing),
    origin,
    {
      bindings: {
        [bindings.proofKey]: keys.proofKey,
        [bindings.callKey]: keys.callKey,
        [bindings.sealingKey]: keys.sealingKey,
      },
      durableObjects: { [bindings.mailbox]: { className: mailboxClass, useSQLite: true } },
      durableObjectsPersist: folder,
    },
  );
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    await worker.stop();
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
  }

  return {
    url: worker.url,
    folder,
    stop: () => (stopped ??= stop()),
  };
}

/**
 * Starts a Worker in workerd. Its requests reach `origin`, whatever host they name.
 * @throws Error if the runtime is not installed
 */
export async function startWorker(script: string, origin: string, options: Record<string, unknown> = {}) {
  if (!existsSync(runtime))
    throw new Error('The runtime of the Workers is missing. Install it with: node scripts/test-needs.ts');
  const { Miniflare } = (await import(pathToFileURL(runtime).href)) as MiniflareModule;
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.js', contents: script }],
    compatibilityDate,
    host: '127.0.0.1',
    // The Worker's own port: what miniflare puts before it compresses answers, and keeps them until they are complete.
    unsafeDirectSockets: [{ host: '127.0.0.1' }],
    // The runtime itself asks the server, so that nothing between them changes what it says.
    outboundService: { external: { address: new URL(origin).host, http: {} } },
    // Otherwise miniflare asks Cloudflare where this computer is.
    cf: false,
    ...options,
  });
  await miniflare.ready;
  const url = (await miniflare.unsafeGetDirectURL()).origin;
  return { url, stop: () => miniflare.dispose() };
}

/** Replaces the exported class by one that can't be created. */
function withFailingObject(script: string, message: string): string {
  const failing = `class Failing extends DurableObject { constructor() { throw new Error(${JSON.stringify(message)}); } }`;
  const exported = script.replace(/export \{ Mailbox,/, `${failing}\nexport { Failing as ${mailboxClass},`);
  if (exported === script) throw new Error('The Worker does not export its class as expected.');
  return exported;
}

/** How a Worker differs from its sources. */
type Changes = Required<Pick<MailboxOptions, 'numbers' | 'migrations'>>;

const scripts = new Map<string, Promise<string>>();

/** Builds the Worker from its sources, as vite.edge.config.ts says. */
function workerScript(changes: Changes): Promise<string> {
  const key = JSON.stringify(changes);
  const known = scripts.get(key) ?? builtWorker(changes);
  scripts.set(key, known);
  return known;
}

async function builtWorker({ numbers, migrations }: Changes): Promise<string> {
  const config = { configFile: join(root, 'vite.edge.config.ts'), logLevel: 'error' } as const;
  const built = await build({
    ...config,
    plugins: [withNumbers(numbers), withMigrations(migrations)],
    build: { write: false },
  });
  for (const { output } of [built].flat() as { output: { type: string; code?: string }[] }[]) {
    const code = output.find(({ type }) => type === 'chunk')?.code;
    if (code !== undefined) return code;
  }
  throw new Error('The build of the Worker has no output.');
}

/** Replaces numbers in the sources of the Worker. Each has to be there once. */
function withNumbers(numbers: Numbers): Plugin {
  const missing = new Set(Object.keys(numbers));
  return {
    name: 'edge-numbers',
    // Otherwise numbers are already written in another way.
    enforce: 'pre',
    transform(code, id) {
      if (!/\/src-main\/(?:mailbox\/worker\/|platform\/mailbox-protocol\.ts)/.test(id)) return undefined;
      let changed = code;
      for (const [name, number] of Object.entries(numbers))
        changed = changed.replace(new RegExp(`\\b(${name}(?: =|:)) [\\d_]+\\b`), (_found, before: string) => {
          if (!missing.delete(name)) throw new Error(`The Worker has several numbers named ${name}.`);
          return `${before} ${number}`;
        });
      return changed;
    },
    buildEnd() {
      if (missing.size > 0) throw new Error(`The Worker has no number named ${[...missing].join()}.`);
    },
  };
}

function withMigrations(migrations: readonly string[]): Plugin {
  const end = '];\n\n/** Creates the tables';
  return {
    name: 'edge-migrations',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('/src-main/mailbox/worker/mailbox.ts')) return undefined;
      if (!code.includes(end)) throw new Error('schema.ts has no list of migrations.');
      return code.replace(end, `${migrations.map((sql) => JSON.stringify(sql)).join(',\n')}${end}`);
    },
  };
}
