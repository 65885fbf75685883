import { chmod, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { checkSecret } from './secret.ts';
import type { Secrets } from './secret.ts';

const format = 1;
const ownerOnly = 0o600;

/**
 * Keeps secrets in a file that only its owner may read: for computers whose keychain cannot be used.
 * The folder must exist and belong to this process (one process per data folder). A file with wider permissions gets
 * them narrowed. Every change is on disk, whole, before it is acknowledged; a failed write leaves the old content.
 * @throws PorchlightError secrets_file_unreadable (503): a file that is damaged, or of a newer Porchlight, is left
 * as it is.
 */
export async function openSecretsFile({ file }: { file: string }): Promise<Secrets> {
  let secrets = await load(file);
  const inTurn = oneAtATime();
  const change = (edit: (secrets: Map<string, string>) => void): Promise<void> =>
    inTurn(async () => {
      const next = new Map(secrets);
      edit(next);
      await replaceFile(file, JSON.stringify({ format, secrets: Object.fromEntries(next) }, null, 2));
      secrets = next;
    });

  return {
    kind: 'file',
    get: (name) => inTurn(() => Promise.resolve(secrets.get(name) ?? null)),
    async set(name, value) {
      checkSecret(name, value);
      await change((next) => next.set(name, value));
    },
    delete: (name) => change((next) => next.delete(name)),
  };
}

async function load(file: string): Promise<Map<string, string>> {
  const found = await stat(file).catch(nullWhenMissing);
  if (found === null) return new Map();
  if ((found.mode & 0o777) !== ownerOnly) await chmod(file, ownerOnly);
  return parse(await readFile(file, 'utf8'));
}

function parse(text: string): Map<string, string> {
  const content = parseJson(text);
  const isOurs = isRecord(content) && content['format'] === format && isRecord(content['secrets']);
  const entries = isOurs ? Object.entries(content['secrets'] as Record<string, unknown>) : [['', null]];
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')) throw unreadable();
  return new Map(entries);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(error);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(cause?: unknown): PorchlightError {
  const message = 'The file with the secrets is damaged or of a newer Porchlight. It was left as it is.';
  // The parser quotes what it stumbled over, which may be a secret: only the kind of error goes along.
  const reason = cause instanceof Error ? new Error(cause.name) : undefined;
  return new PorchlightError('secrets_file_unreadable', message, 503, { cause: reason });
}

/** Writes beside the file, then moves it into place: at every moment, the old or the new content is there, whole. */
async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  await rm(temporary, { force: true });
  const handle = await open(temporary, 'wx', ownerOnly);
  try {
    await handle.writeFile(`${text}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  await syncFolder(dirname(file));
}

async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders, and needs this no more: its rename is in the journal.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function nullWhenMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
