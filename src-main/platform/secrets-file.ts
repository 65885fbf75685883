import { existsSync } from 'node:fs';
import { chmod, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { nodeOperations as disk } from '../storage/file-operations.ts';
import { errorCode, systemWriteFailure } from '../storage/storage-error.ts';
import { oneAtATime } from '../storage/one-at-a-time.ts';
import { checkSecret, type Secrets } from './secrets.ts';
import { jsonIn } from '../storage/json-value.ts';
import { isValid } from '../storage/schema-check.ts';

const ownerOnly = 0o600;

/** Returns the path of the secrets file in a data folder. The file may not exist. */
export function secretsFileIn(dataDir: string): string {
  return join(dataDir, 'secrets.json');
}

/**
 * Returns whether a data folder has a secrets file. If so, Porchlight keeps using the file, even if the keychain
 * becomes available again.
 */
export function hasSecretsFile(dataDir: string): boolean {
  return existsSync(secretsFileIn(dataDir));
}

/**
 * Stores secrets in a file that only its owner can read, for computers without a usable keychain. The folder must exist
 * and be locked by this process. Removes other users' permissions on the file. Every change is completely on disk
 * before its promise resolves, and a failed write leaves the old content.
 * @throws PorchlightError `storage_…` if a change can't be written; secrets_file_unreadable (503) if the file is damaged, or if a newer version of Porchlight
 * wrote it. The file stays unchanged.
 */
export async function openSecretsFile({ file }: { file: string }): Promise<Secrets> {
  let secrets = await load(file);
  const inTurn = oneAtATime();
  const change = (edit: (secrets: Map<string, string>) => void): Promise<void> =>
    inTurn(async () => {
      const next = new Map(secrets);
      edit(next);
      await replaceFile(file, JSON.stringify({ format: 1, secrets: Object.fromEntries(next) }, null, 2));
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
    close: () => inTurn(() => Promise.resolve()),
  };
}

async function load(file: string): Promise<Map<string, string>> {
  const found = await stat(file).catch(nullWhenMissing);
  if (found === null) return new Map();
  if ((found.mode & 0o777) !== ownerOnly) await chmod(file, ownerOnly);
  return parse(file, await readFile(file, 'utf8'));
}

const Content = Type.Object({ format: Type.Literal(1), secrets: Type.Record(Type.String(), Type.String()) });

function parse(file: string, text: string): Map<string, string> {
  // The parser's own error is not used, because it quotes the invalid text, which may be a secret.
  const content = jsonIn(text);
  if (isValid(Content, content)) return new Map(Object.entries(content.secrets));
  const message =
    `The file with the secrets, “${file}”, is damaged, or a newer Porchlight wrote it. Porchlight left it unchanged. ` +
    'If you installed an older Porchlight, install the newer one again. Otherwise, put back a copy of the file, or move the file away and start Porchlight again. ' +
    'Without the file, Porchlight makes new keys: apps may have to sign in again, and you enter tokens, such as the one of your tunnel, again.';
  throw new PorchlightError('secrets_file_unreadable', message, 503);
}

/**
 * Writes a temporary file in the same folder, then renames it. The file always has either its complete old content or
 * its complete new content.
 */
async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  // Remove an existing temporary file first. Otherwise, the new file would have the permissions of the existing file.
  await disk.remove(temporary);
  try {
    await disk.write(temporary, `${text}\n`);
    await disk.rename(temporary, file);
    await disk.syncFolder(dirname(file));
  } catch (error) {
    // On a full disk, a part of the new file would take up space.
    await disk.remove(temporary).catch(() => undefined);
    throw systemWriteFailure(file, error);
  }
}

function nullWhenMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
