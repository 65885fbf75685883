import { sha256 } from '../../storage/sha256.ts';
import { withRedirects, type LeftPages } from '../redirects.ts';
import type { HostFormat } from '../../posts/files/rules.ts';
import type { FolderTarget } from './folder-target.ts';
import type { Outcome, Publisher } from './publisher.ts';
import { entryId } from './publishing-entry.ts';

interface RedirectPublisherDeps {
  /**
   * Returns the folder to write to.
   * @throws PublishingTrouble
   */
  readonly target: () => Promise<FolderTarget>;
  /** Returns the pages that need a line in a redirects file of this format. */
  readonly left: (format: HostFormat) => Promise<LeftPages>;
  /** Returns the format of a redirects file; undefined if the site's host doesn't read the file. */
  readonly formatOf: (file: string) => Promise<HostFormat | undefined>;
  readonly baseUrl: () => string;
}

/**
 * Creates the publisher of the redirects file, which tells the site's host about moved and deleted posts. An entry's
 * key is the name of the file (`_redirects`, `.htaccess`). The file belongs to the owner: Porchlight changes only its
 * own lines, and writes nothing if the owner has removed the file.
 */
export function createRedirectPublisher(deps: RedirectPublisherDeps): Publisher {
  const { target, left, formatOf, baseUrl } = deps;

  return {
    name: 'redirects',
    batch: { all: 1, news: 1 },

    async publish(entries) {
      const outcomes = new Map<string, Outcome>(entries.map((entry) => [entryId(entry), { kind: 'done' }]));
      for (const { key: file } of entries) {
        const folder = await target();
        const before = await folder.text(file);
        const format = before === null ? undefined : await formatOf(file);
        if (before === null || format === undefined) continue;
        const text = withRedirects(before, await left(format), baseUrl(), format);
        if (text === before) continue;
        const expected = new Map([[file, sha256(before)]]);
        await folder.write([
          { files: new Map([[file, { text }]]), expected, message: 'List the pages that posts have left' },
        ]);
      }
      return outcomes;
    },
  };
}
