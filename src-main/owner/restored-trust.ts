import type { Settings } from '../contract/settings.ts';
import type { Secrets } from '../platform/secrets.ts';
import { documentsIn } from '../storage/data-documents.ts';
import { aggregatorTokenName } from './secret-names.ts';
import { openSettings } from './settings.ts';

/**
 * Takes from a backup that came without its secrets, unpacked in `dir`, what nobody vouches for: whoever made it could
 * have written it. Where a secret of this computer would be sent to, and where copies of everything go. (Who is signed
 * in stays this computer's own: storage/backup/pending.ts.) Answers words for the owner.
 */
export async function keepTrustHere(
  dir: string,
  { secrets, settings }: { secrets: Pick<Secrets, 'get'>; settings: Settings },
): Promise<string[]> {
  const restored = await openSettings({ documents: documentsIn(dir), allowLoopbackMe: true });
  const { backup, webmention } = restored.get();
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
    await restored.update({
      backup: { folder: settings.backup.folder },
      ...(keepsAggregator && { webmention: { aggregatorUrl } }),
    });
  return words;
}
