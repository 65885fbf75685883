import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { mailboxKeysName } from '../../src-main/platform/secrets.ts';
import type { MailboxKeys } from '../../src-main/mailbox/keys.ts';
import { startMailbox } from './edge-runtime.ts';
import { freePort, startHeadless, type HeadlessProcess } from './headless-process.ts';

function newMailboxKeys(): MailboxKeys {
  const secret = () => randomBytes(32).toString('base64url');
  const { x = '', d = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return { proofKey: secret(), callKey: secret(), sealing: [{ publicKey: x, privateKey: d }] };
}

/** What the setup at Cloudflare leaves in the data folder, with the secrets in a file. */
async function writeMailboxFolder(dataDir: string, keys: MailboxKeys): Promise<void> {
  const part = (name: string) => ({ name, id: '0'.repeat(32) });
  const setup = {
    task: null,
    trouble: '',
    accountId: 'a'.repeat(32),
    zoneId: 'b'.repeat(32),
    suffix: '0f1e2d3c',
    hostname: 'porch.ada.example',
    mailbox: true,
    keepToken: false,
    tokenStored: false,
    port: 4711,
    tunnel: part('porchlight-0f1e2d3c'),
    record: part('porch.ada.example'),
    connected: true,
    worker: part('porchlight-mailbox-0f1e2d3c'),
    route: part('porch.ada.example/*'),
  };
  await writeFile(join(dataDir, 'cloudflare.json'), JSON.stringify({ format: 1, setup }));
  const secrets = { format: 1, secrets: { [mailboxKeysName]: JSON.stringify(keys) } };
  await writeFile(join(dataDir, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 });
}

/**
 * The built headless program behind the real Worker in workerd. Visitors use `url`. `start` starts the program (again),
 * always on the same folder (`dataDir`, or a temporary one) and port. `through`: puts something in front of the Worker,
 * and returns its address. Everything ends with the test.
 */
export async function mailboxScene({
  dataDir,
  through = (url) => Promise.resolve({ url }),
}: {
  dataDir?: string;
  through?: (url: string) => Promise<{ readonly url: string }>;
} = {}) {
  const home = dataDir ?? (await mkdtemp(join(tmpdir(), 'porchlight-mailbox-scene-')));
  if (dataDir === undefined) onTestFinished(() => rm(home, { recursive: true, force: true }));
  await mkdir(home, { recursive: true });
  const keys = newMailboxKeys();
  const port = await freePort();
  const { proofKey, callKey, sealing } = keys;
  const mailbox = await startMailbox({
    origin: `http://127.0.0.1:${port}`,
    keys: { proofKey, callKey, sealingKey: sealing[0]?.publicKey ?? '' },
  });
  onTestFinished(() => mailbox.stop());
  const { url } = await through(mailbox.url);
  await writeMailboxFolder(home, keys);
  const running = new Set<HeadlessProcess>();
  onTestFinished(async () => {
    await Promise.all([...running].map((house) => house.stop('SIGKILL')));
  });
  const args = ['--base-url', url, '--me', `${url}/`, '--tunnel', 'off', '--allow-private-fetch'];

  return {
    url,
    mailbox,
    keys,
    port,
    dataDir: home,
    /** What the program is started with. The last port wins: the Worker passes requests on to it. */
    args: [...args, '--port', String(port)],
    async start(more: readonly string[] = []): Promise<HeadlessProcess> {
      const house = await startHeadless({ dataDir: home, args: [...args, '--port', String(port), ...more] });
      running.add(house);
      return house;
    },
  };
}

/** A site with any number of pages that link to `target`. Counts how often each is read. */
export async function mentionSources(target: string) {
  const reads = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    reads.set(path, (reads.get(path) ?? 0) + 1);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><article class="h-entry"><p class="e-content">Words of ${path} <a class="u-in-reply-to" href="${target}">there</a></p></article>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return { reads, page: (name: string | number) => `${origin}/${name}` };
}

/** Sends a webmention as another site does; resolves with the status. */
export async function sendMention(endpoint: string, source: string, target: string): Promise<number> {
  const body = new URLSearchParams({ source, target });
  // On a busy computer, workerd may close a connection that was idle for 5 s while the next mention is on its way.
  const headers = { connection: 'close' };
  const response = await fetch(`${endpoint}/webmention`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}
