import { writeSync } from 'node:fs';
import { createGuardedFetch } from '../../src-main/platform/guarded-fetch.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { openReading } from '../../src-main/app/reading.ts';
import { linksOfPost } from '../../src-main/mentions/sending/plan.ts';
import { Sender } from '../../src-main/mentions/sending/send.ts';
import { recordTables } from '../../src-main/app/tables.ts';
import { openRecords } from '../../src-main/storage/records/records.ts';
import { openWork } from '../../src-main/storage/work/work.ts';
import { nobody } from '../../src-main/posts/links.ts';
import { noPosts, noServices } from './no-posts.ts';

// A process of its own, for tests to kill:
//   webmention-writer.ts DIR ORIGIN   makes posts that link pages of ORIGIN and tells them, one line an acknowledged post

async function writeWithoutEnd(dir: string, origin: string): Promise<never> {
  const base = 'http://127.0.0.1:4321';
  const records = await openRecords({ dir, tables: recordTables, log: silentLog });
  const work = await openWork({ records, now: Date.now, log: silentLog, online: () => true });
  const sender = new Sender({
    records,
    work,
    fetch: createGuardedFetch({ allowPrivate: true, userAgent: 'Webmention' }),
    reading: openReading({ clock: Date.now }).mentions,
    base: () => base,
    posts: noPosts,
    personUrl: nobody,
    readLinks: linksOfPost,
    mayLeave: () => true,
    notYet: () => Promise.resolve(undefined),
    crossPosting: noServices,
    changed: () => undefined,
    now: Date.now,
    log: silentLog,
    concurrency: 4,
    allowPrivate: true,
  });
  work.start();
  await sender.start();
  for (;;) {
    const slug = crypto.randomUUID();
    const path = `/posts/2026/11/${slug}`;
    const at = new Date().toISOString();
    await sender.postChanged({
      post: {
        path,
        type: ['h-entry'],
        properties: { 'in-reply-to': [`${origin}/a?${slug}`, `${origin}/b?${slug}`] },
        commands: {},
        status: 'published',
        visibility: 'public',
        createdAt: at,
        updatedAt: at,
        deletedAt: null,
      },
      change: 'created',
      url: base + path,
    });
    // A line that is out before the next statement, whatever kills this process then.
    writeSync(1, `${slug}\n`);
  }
}

const [dir, origin] = process.argv.slice(2);
if (dir !== undefined && origin !== undefined) await writeWithoutEnd(dir, origin);
