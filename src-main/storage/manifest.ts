import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { closed, Maybe, Moment } from '../contract/shapes.ts';
import { isValid } from './schema-check.ts';
import { isRecord, jsonExcess, jsonIn } from './json-value.ts';

/** The backup format that this version writes, and the only one that it reads. */
const format = 1;

const File = Type.Object({
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type ManifestFile = Static<typeof File>;

/** The description of a backup. `files`: the size and hash of each file, by its name in the zip. */
export const Manifest = closed({
  porchlightBackup: Type.Literal(format),
  version: Type.String({ maxLength: 100 }),
  madeAt: Moment,
  me: Maybe(),
  secrets: Type.Boolean(),
  /** The total size of all files, in bytes. */
  bytes: Type.Integer({ minimum: 0 }),
  files: Type.Record(Type.String(), File),
});
export type Manifest = Static<typeof Manifest>;

/** How many files to check in one turn of the event loop. */
const filesPerTurn = 500;

/** The names of the two zip entries that are not data. */
export const manifestName = 'porchlight-backup.json';
export const secretsName = 'secrets.age';

/**
 * Returns the maximum size of a manifest that lists these files, in bytes. A larger manifest is an attempt to exhaust
 * the memory.
 */
export function longestManifest(names: Iterable<string>): number {
  let bytes = 10_000;
  // Each name takes at most three bytes per character. The size and the hash take at most 150 bytes.
  for (const name of names) bytes += 3 * name.length + 150;
  return bytes;
}

export const newManifest = (about: Omit<Manifest, 'porchlightBackup'>): Manifest => ({
  porchlightBackup: format,
  ...about,
});

/**
 * Parses a manifest. A backup may have a file for each post, so other work goes on meanwhile. `entries`: how many the zip
 * has, which limits the values of its manifest.
 * @throws PorchlightError `backup_newer`, `backup_broken`, with a message for the owner.
 */
export async function parseManifest(text: string, entries: number): Promise<Manifest> {
  const most = { depth: 5, values: 1000 + 10 * entries };
  const value = jsonExcess(text, most) === undefined ? jsonIn(text) : undefined;
  if (value === undefined) throw broken('its list of files can’t be read');
  const found = isRecord(value) ? value['porchlightBackup'] : undefined;
  if (typeof found === 'number' && found > format) {
    throw new PorchlightError(
      'backup_newer',
      'A newer version of Porchlight made this backup. Update Porchlight, then restore the backup.',
    );
  }
  const files = isRecord(value) && isRecord(value['files']) ? value['files'] : undefined;
  const head: unknown = isRecord(value) ? { ...value, ...(files && { files: {} }) } : value;
  const damaged = () => broken('its list of files is damaged');
  if (!isValid(Manifest, head) || Number.isNaN(Date.parse(head.madeAt))) throw damaged();
  let checked = 0;
  for (const name in files) {
    if (!isValid(File, files[name])) throw damaged();
    checked += 1;
    if (checked % filesPerTurn === 0) await nextTurn();
  }
  return value as Manifest;
}

/** Returns the error for a backup that is damaged or incomplete. `why`: a clause that describes the problem. */
export function broken(why: string): PorchlightError {
  return new PorchlightError(
    'backup_broken',
    `This backup is damaged: ${why}. Nothing was changed. Try another copy.`,
  );
}
