import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../contract/settings.ts';
import type { Secrets } from '../platform/secrets.ts';
import { openDocument } from '../storage/document.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { initialSettings, settingsFormat, StoredSettings } from './settings.ts';
import { aggregatorTokenName } from './webmentions.ts';

/**
 * Takes from a backup that came without its secrets, unpacked in `dir`, what nobody vouches for: whoever made it could
 * have written it. The sign-ins, which would bring back apps that were signed out, or let in somebody who never was in;
 * where a secret of this computer would be sent to; and where copies of everything go. Answers words for the owner.
 */
export async function keepTrustHere(
  dir: string,
  { secrets, settings }: { secrets: Pick<Secrets, 'get'>; settings: Settings },
): Promise<string[]> {
  for (const name of ['grants.json', 'grants.json.previous']) await rm(join(dir, name), { force: true });
  await nodeOperations.syncFolder(dir);

  const restored = await openDocument({
    ...{ file: join(dir, 'settings.json'), schema: StoredSettings, initial: initialSettings },
    ...settingsFormat,
  });
  const { backup, webmention } = restored.data;
  const words: string[] = [];
  if (backup.folder !== settings.backup.folder && backup.folder !== '')
    words.push(
      settings.backup.folder === ''
        ? 'No weekly copies are made: choose a folder for them on this computer.'
        : `The weekly copies go on going to “${settings.backup.folder}”.`,
    );
  const { aggregatorUrl } = settings.webmention;
  const isTokenHere = (await secrets.get(aggregatorTokenName)) !== null;
  const keepsAggregator = isTokenHere && webmention.aggregatorUrl !== aggregatorUrl;
  if (keepsAggregator) words.push(`The mentions go on being fetched from ${aggregatorUrl}.`);
  if (words.length > 0)
    await restored.update((data) => {
      data.backup.folder = settings.backup.folder;
      if (keepsAggregator) data.webmention.aggregatorUrl = aggregatorUrl;
    });
  return words;
}
