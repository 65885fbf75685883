import { open } from 'node:fs/promises';

const page = 4096;

/** Overwrites the last third of an SQLite file that is not open. Its first pages say what it holds. */
export async function damagePages(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    const from = Math.floor((size * 2) / 3 / page) * page;
    await handle.write(Buffer.alloc(size - from, 0x5a), 0, size - from, from);
  } finally {
    await handle.close();
  }
}
