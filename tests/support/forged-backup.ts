import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { manifestName } from '../../src-main/storage/manifest.ts';
import { writeZip } from '../../src-main/storage/zip.ts';

/** A backup with these files that is right in every other way: sizes, hashes, manifest. */
export async function forgedBackup(file: string, files: Readonly<Record<string, string>>): Promise<void> {
  const entries = Object.entries(files).map(([name, text]) => [`data/${name}`, Buffer.from(text)] as const);
  const about = (bytes: Buffer) => ({
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  await writeZip(file, new AbortController().signal, async (zip) => {
    for (const [name, bytes] of entries) await zip.addBytes(name.replace('..', '__'), bytes);
    const manifest = {
      porchlightBackup: 1,
      version: '1.0.0',
      madeAt: '2026-11-20T08:00:00.000Z',
      me: null,
      secrets: false,
      bytes: entries.reduce((sum, [, { length }]) => sum + length, 0),
      files: Object.fromEntries(entries.map(([name, bytes]) => [name, about(bytes)])),
    };
    await zip.addBytes(manifestName, Buffer.from(JSON.stringify(manifest)));
  });
  // No program writes such a name, so it is put in afterwards.
  const zip = await readFile(file, 'latin1');
  await writeFile(file, zip.replaceAll('data/__/', 'data/../'), 'latin1');
}
