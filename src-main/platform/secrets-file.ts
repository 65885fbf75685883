import { existsSync } from 'node:fs';
import { chmod, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { nodeOperations as disk } from '../storage/file-operations.ts';
import { errorCode } from '../storage/storage-error.ts';
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
 * Returns whether the owner chose to keep secrets in a file. If so, Porchlight keeps using the file, even if the
 * keychain works again.
 */
export function hasSecretsFile(dataDir: string): boolean {
  return existsSync(secretsFileIn(dataDir));
}

/**
 * Keeps secrets in a file that only its owner can read, for computers whose keychain cannot be used. The folder must
 * exist and belong to this process (one process per data folder). Wider permissions of the file are narrowed. Every
 * change is completely on disk before it is acknowledged, and a failed write leaves the old content.
 * @throws PorchlightError secrets_file_unreadable (503): the file is damaged, or a newer Porchlight wrote it. It is
 * left unchanged.
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
  return parse(await readFile(file, 'utf8'));
}

const Content = Type.Object({ format: Type.Literal(1), secrets: Type.Record(Type.String(), Type.String()) });

function parse(text: string): Map<string, string> {
  // The parser's error would quote the invalid text, which may be a secret, so it is not passed on.
  const content = jsonIn(text);
  if (isValid(Content, content)) return new Map(Object.entries(content.secrets));
  const message =
    'The file with the secrets is damaged, or a newer Porchlight wrote it. Porchlight left it unchanged.';
  throw new PorchlightError('secrets_file_unreadable', message, 503);
}

/**
 * Writes a new file beside the old one, then renames it. At every moment, the file has either its old or its new
 * content, complete.
 */
async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  // An existing file would keep its permissions.
  await disk.remove(temporary);
  await disk.write(temporary, `${text}\n`);
  await disk.rename(temporary, file);
  await disk.syncFolder(dirname(file));
}

function nullWhenMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
