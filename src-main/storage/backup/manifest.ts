import { Type, type Static } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { closed, Maybe, Moment } from '../../contract/shapes.ts';
import { isValid } from '../schema-check.ts';

/** What this version writes; it reads no other. */
const format = 1;

const File = Type.Object({
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type ManifestFile = Static<typeof File>;

/** What a backup says of itself. `files`: name in the zip -> size and hash. */
export const Manifest = closed({
  porchlightBackup: Type.Literal(format),
  version: Type.String({ maxLength: 100 }),
  madeAt: Moment,
  me: Maybe(),
  secrets: Type.Boolean(),
  /** All files together. */
  bytes: Type.Integer({ minimum: 0 }),
  files: Type.Record(Type.String(), File),
});
export type Manifest = Static<typeof Manifest>;

/** The names in the zip of what is not data. */
export const manifestName = 'porchlight-backup.json';
export const secretsName = 'secrets.age';

/** How long the list of these files can be at most. In bytes: a larger one is there to fill the memory. */
export function longestManifest(names: Iterable<string>): number {
  let bytes = 10_000;
  // At most three bytes a character, and the size and hash beside the name.
  for (const name of names) bytes += 3 * name.length + 150;
  return bytes;
}

export const newManifest = (about: Omit<Manifest, 'porchlightBackup'>): Manifest => ({
  porchlightBackup: format,
  ...about,
});

/** Reads a manifest. @throws PorchlightError `backup_newer`, `backup_broken`, in words. */
export function parseManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw broken('its list of files can’t be read');
  }
  const found: unknown =
    typeof value === 'object' && value !== null && 'porchlightBackup' in value
      ? value.porchlightBackup
      : undefined;
  if (typeof found === 'number' && found > format) {
    throw new PorchlightError(
      'backup_newer',
      'A newer version of Porchlight made this backup. Update Porchlight, then restore the backup.',
    );
  }
  if (!isValid(Manifest, value) || Number.isNaN(Date.parse(value.madeAt)))
    throw broken('its list of files is damaged');
  return value;
}

/** @returns the error for a file that is a backup, but not whole. */
export function broken(why: string): PorchlightError {
  return new PorchlightError(
    'backup_broken',
    `This backup is damaged: ${why}. Nothing was changed. Try another copy.`,
  );
}
