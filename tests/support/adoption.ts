import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SiteFolderSettings } from '../../src-main/contract/site-folder.ts';
import { silentLog } from '../../src-main/platform/log.ts';
import { adoptedTable } from '../../src-main/site-folder/adopted/adopted-index.ts';
import { OlderPosts } from '../../src-main/site-folder/adopted/adopted-posts.ts';
import { LiveAddresses } from '../../src-main/site-folder/adopted/live-addresses.ts';
import type { AdoptionRules } from '../../src-main/site-folder/adopted-post.ts';
import type { ReadFolderText } from '../../src-main/site-folder/folder-jobs.ts';
import type { Records } from '../../src-main/storage/records/records.ts';
import { parseHere } from './folder-reading.ts';
import { memoryRecords } from './memory-records.ts';
import { folderSettings } from './folder-settings.ts';

/** The rules for reading a file whose page is at a path of the site. */
export const adoptionRules = (
  generator: AdoptionRules['generator'],
  path: string,
  postUrl = '',
): AdoptionRules => ({
  generator,
  baseUrl: 'https://me.example/',
  postUrl,
  url: new URL(path, 'https://me.example/').href,
});

/** The settings of a folder whose posts are adopted. */
export const adoptingSettings = (
  path: string,
  generator: SiteFolderSettings['generator'],
  more: Partial<SiteFolderSettings> = {},
): SiteFolderSettings =>
  folderSettings(path, generator, {
    postFile: '',
    postUrl: '',
    mediaFile: '',
    mediaUrl: '',
    adopt: true,
    ...more,
  });

/** Writes files into a folder. */
export async function writeTree(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** Adopts the posts of a folder, and writes changes into their files. */
export async function adoptFolder(
  settings: SiteFolderSettings,
  {
    isOwn = () => Promise.resolve(false),
    records = memoryRecords([adoptedTable]),
    read = parseHere,
    online = ['/posts/fog/', '/posts/later/', '/posts/good/', '/posts/bad/'],
    meanwhile = () => Promise.resolve(),
  }: AdoptFolderOptions = {},
) {
  const messages: string[] = [];
  const adopted = new OlderPosts({
    records,
    settings: () => settings,
    isOwn,
    log: silentLog,
    read,
    scan: read,
    live: () => Promise.resolve(online === null ? undefined : new LiveAddresses(online, settings.baseUrl)),
    async writeBack({ file, before, after, message }) {
      const target = join(settings.path, file);
      if ((await readFile(target, 'utf8')) !== before) throw new Error('The file has changed.');
      await writeFile(target, after);
      messages.push(message);
      await meanwhile();
    },
  });
  await adopted.refresh();
  return { adopted, messages };
}

interface AdoptFolderOptions {
  readonly isOwn?: (url: string) => Promise<boolean>;
  readonly records?: Pick<Records, 'rows' | 'write'>;
  readonly read?: ReadFolderText;
  /** The paths of the pages that are online; null for a site that doesn't answer. */
  readonly online?: readonly string[] | null;
  /** Called while a change is being written. */
  readonly meanwhile?: () => Promise<void>;
}
