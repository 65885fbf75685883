import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type BackupOptions,
  describeBackup,
  type MadeBackup,
  makeBackup,
  type Prove,
  unpackBackup,
} from '../../src-main/data/backup/backup.ts';
import { newManifest } from '../../src-main/storage/manifest.ts';
import {
  armRestore,
  prepareRestore,
  type ReadyRestore,
  type RestoreOptions,
} from '../../src-main/data/backup/restore.ts';
import { grantTable } from '../../src-main/sign-in/grant.ts';
import { buildRecords } from '../../src-main/storage/records/record-lines.ts';
import type { RepairOptions } from '../../src-main/storage/records/repair.ts';
import type { LongTask } from '../../src-main/storage/pacing.ts';
import { rawZip, type RawEntry } from './raw-zip.ts';

export type Tree = Readonly<Record<string, Buffer>>;

/** Long work that nobody watches or ends. */
export const quietWork = (): LongTask => ({
  signal: new AbortController().signal,
  progress: () => undefined,
});

/** Finds everything in order. */
export const contentProof = () =>
  Promise.resolve({ counts: { posts: 0, files: 0, mentions: 0 }, problems: [] });

/** Writes files into a folder, which is made. */
export async function writeTree(dir: string, tree: Readonly<Record<string, string | Buffer>>): Promise<void> {
  await mkdir(dir, { recursive: true });
  for (const [name, content] of Object.entries(tree)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), content);
  }
}

/** All files of a folder by path, empty where it is not there. */
export async function readTree(dir: string): Promise<Tree> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => !entry.isDirectory());
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path.slice(dir.length + 1), await readFile(path)] as const;
  });
  return Object.fromEntries((await Promise.all(read)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const now = Date.UTC(2026, 10, 21);

/** A database without tables. */
export const noRecords: BackupOptions['records'] = {
  documentFolders: () => [],
  lines: () =>
    Promise.resolve({ begin: () => Promise.resolve(), write: () => Promise.resolve(), end: () => undefined }),
};

/** Repairs that know the table of grants. */
export const grantsRepair: RepairOptions = { tables: [grantTable], now: () => new Date(now) };

/** Builds the table of grants, and finds everything else in order. */
export async function grantsProof(dir: string, signal: AbortSignal): ReturnType<typeof contentProof> {
  await buildRecords(dir, [grantTable], signal);
  return contentProof();
}

export const backUp = (
  options: Pick<BackupOptions, 'dataDir' | 'file'> & Partial<BackupOptions>,
): Promise<MadeBackup> =>
  makeBackup({
    version: '1.0.0',
    me: 'https://owner.example/',
    now,
    records: noRecords,
    prove: contentProof,
    work: quietWork(),
    ...options,
  });

/** Reads backups in this thread. */
const readerWith = (prove: Prove): RestoreOptions['reader'] => ({
  describe: describeBackup,
  unpack: unpackBackup,
  prove,
});

/** Checks a backup and has it restored at the next start, with nothing accepted. */
export async function restore({
  prove = contentProof,
  ...options
}: Pick<RestoreOptions, 'dataDir' | 'file'> &
  Partial<Omit<RestoreOptions, 'reader'>> & { prove?: Prove }): Promise<ReadyRestore> {
  const ready = await prepareRestore({ reader: readerWith(prove), work: quietWork(), ...options });
  await armRestore(options.dataDir, ready, { accept: [], access: 'here', secrets: [], now });
  return ready;
}

const isData = ({ name }: RawEntry) => name.startsWith('data/');

/** A backup that was made by hand: `change` has the last word about its list of files. */
export function handMadeBackup(
  entries: readonly RawEntry[],
  change: (manifest: Record<string, unknown>) => unknown = (manifest) => manifest,
): Buffer {
  const files = Object.fromEntries(
    entries.filter(isData).map(({ name, content = '', claimedBytes }) => {
      const bytes = Buffer.from(content);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return [name, { bytes: claimedBytes ?? bytes.length, sha256 }];
    }),
  );
  const manifest = newManifest({
    version: '1.0.0',
    madeAt: new Date(now).toISOString(),
    me: 'https://owner.example/',
    secrets: false,
    bytes: 0,
    files,
  });
  return rawZip([...entries, { name: 'porchlight-backup.json', content: JSON.stringify(change(manifest)) }]);
}
