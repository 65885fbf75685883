import { homedir, release } from 'node:os';
import type { Handlers } from '../contract/contract.ts';
import type { Settings } from '../contract/settings.ts';
import type { SelfTest, TunnelStatus } from '../contract/reach.ts';
import type { Status } from '../contract/status.ts';
import { sizesIn } from '../platform/folder-size.ts';
import { hidden, hideTokens } from '../platform/redaction.ts';
import { secretNames, type Secrets } from '../platform/secrets.ts';
import { jsonIn } from '../storage/json-value.ts';
import type { Foundation } from './foundation.ts';
import type { Parts } from './parts.ts';
import type { ServiceOptions } from './service.ts';

const inMegabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

/**
 * Creates the handler for the support file. With this file, other people can help to diagnose a problem without access
 * to this computer.
 */
export function supportHandlers(
  { dataDir, logFile }: ServiceOptions,
  { early, secrets, settings }: Foundation,
  { reaching, selfTesting, signingIn }: Parts,
  status: () => Status,
) {
  return {
    'support.file': async () => {
      const moment = new Date(early.clock()).toISOString();
      const now = status();
      const apps = signingIn.indieAuth.grants.list().filter(({ signedOutAt }) => signedOutAt === undefined);
      const text = [
        [
          'Porchlight support file',
          `Made ${moment}. It contains no secrets. It names your domain and address.`,
        ],
        ['Program', ...programLines(now)],
        ['State', ...stateLines(now)],
        ['Tunnel', ...tunnelLines(reaching.tunnel())],
        ['Settings', JSON.stringify(shownSettings(settings.get()), null, 2)],
        ['Last self-test', ...checkLines(selfTesting.last())],
        ['Counts', `Signed-in apps: ${apps.length}`],
        ['Data folder', ...(await sizeLines(dataDir))],
        ['Log, the newest lines', (await logFile?.tail()) ?? 'There is no log file.'],
      ]
        .map(([title = '', ...lines]) => `${title}\n${'-'.repeat(title.length)}\n${lines.join('\n')}\n`)
        .join('\n');
      return {
        name: `porchlight-support-${moment.slice(0, 10)}.txt`,
        text: withoutPrivateText(text, await knownSecrets(secrets, settings.get())),
      };
    },
  } satisfies Partial<Handlers>;
}

function programLines({ version, secrets }: Status): string[] {
  const { electron, node, chrome } = process.versions as Partial<Record<string, string>>;
  const runtime =
    electron === undefined ? `Node ${node}` : `Electron ${electron}, Node ${node}, Chromium ${chrome}`;
  return [
    `Porchlight ${version}`,
    runtime,
    `${process.platform} ${release()} ${process.arch}`,
    `Running for ${Math.round(process.uptime() / 60)} minutes`,
    `Memory: ${inMegabytes(process.memoryUsage().rss)}`,
    `Secrets are kept in the ${secrets}`,
  ];
}

function stateLines({ server, words, baseUrl, port, waiting, problems }: Status): string[] {
  return [
    `Server: ${server}. ${words}`,
    `Public address: ${baseUrl}`,
    `Port: ${port ?? 'none'}`,
    `Sign-ins waiting: ${waiting}`,
    ...problems.map(({ code, message }) => `Problem ${code}: ${message}`),
  ];
}

function tunnelLines({ mode, state, words, connections, reason, message }: TunnelStatus): string[] {
  const said = message === undefined ? [] : [`cloudflared: ${message}`];
  return [`${mode}, ${state}, ${connections} connections`, words, `Reason: ${reason ?? 'none'}`, ...said];
}

function checkLines(last: SelfTest | null): string[] {
  if (last === null) return ['None yet.'];
  return [
    `At ${last.at}, of ${last.base}`,
    ...last.findings.map(({ id, level, title }) => `${level}: ${id}: ${title}`),
  ];
}

async function sizeLines(dataDir: string): Promise<string[]> {
  const sizes = await sizesIn(dataDir);
  return sizes.map(({ name, files, bytes }) => `${name}: ${files} files, ${inMegabytes(bytes)}`);
}

/**
 * Returns the settings for the support file. Replaces lists that name others by their lengths, and includes only `me`
 * from the profile.
 */
function shownSettings(settings: Settings) {
  const { profile, signIn, micropub, webmention, tunnel, cloudflared, desktop, backup } = settings;
  const { categories, channels, syndicateTo, ...posting } = micropub;
  const { trustedDomains, aggregatorUrl, ...mentions } = webmention;
  return {
    me: profile.me,
    signIn,
    micropub: {
      ...posting,
      categories: categories.length,
      channels: channels.length,
      syndicateTo: syndicateTo.length,
    },
    webmention: {
      ...mentions,
      trustedDomains: trustedDomains.length,
      aggregator: URL.canParse(aggregatorUrl) ? new URL(aggregatorUrl).host : '',
    },
    tunnel,
    cloudflared: { options: cloudflared.options, certificate: cloudflared.certificate !== '' },
    desktop,
    backup: { keep: backup.keep, on: backup.folder !== '' },
  };
}

/**
 * Returns the strings to remove: the stored secrets, and the owner's name and email address. Leaves out the secrets if
 * the keychain is locked.
 */
async function knownSecrets(secrets: Secrets, settings: Settings): Promise<string[]> {
  const found = await Promise.all(secretNames.map((name) => secrets.get(name).catch(() => null)));
  const { name, email } = settings.profile;
  return [...found.filter((secret) => secret !== null).flatMap(partsOf), email, name].filter(
    (text) => text !== '',
  );
}

/**
 * Returns a secret. If the secret is JSON, also returns the long strings in it, because parts of a key are secret, too.
 */
function partsOf(secret: string): string[] {
  const textsIn = (value: unknown): string[] => {
    if (typeof value === 'string') return value.length >= 20 ? [value] : [];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
  };
  return [secret, ...textsIn(jsonIn(secret))];
}

const emails = /[^\s@<>"'(),;:=/]+@[^\s@<>"'(),;:=/]+\.[^\s@<>"'(),;:=/]+/g;

/**
 * Removes everything that the owner should not show to a person who helps them: the `known` secrets, anything that
 * looks like a secret, email addresses, and the path of the owner's home folder. When in doubt, removes too much rather
 * than too little.
 */
export function withoutPrivateText(text: string, known: readonly string[], home = homedir()): string {
  let clean = text;
  // Short secrets are not removed, because removing them would also remove common words. The secrets that Porchlight
  // generates are long.
  for (const secret of known)
    if (secret.length >= 6) for (const form of formsOf(secret)) clean = clean.replaceAll(form, hidden);
  if (home.length > 1) for (const form of formsOf(home)) clean = clean.replaceAll(form, '~');
  return hideTokens(clean).replace(emails, hidden);
}

/** Returns the forms in which a string may appear: unchanged, escaped for JSON, and with `/` as the path separator. */
function formsOf(text: string): string[] {
  return [text, JSON.stringify(text).slice(1, -1), text.replaceAll('\\', '/')];
}
