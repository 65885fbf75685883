import { useQuery } from '@tanstack/react-query';
import type { Settings } from '../../src-main/contract/settings.ts';
import type { SiteFolderStatus } from '../../src-main/contract/site-folder.ts';
import { hostIn } from '../ui/plain-text.ts';
import { unnamedSite } from '../ui/words.ts';
import { useAnswer, useClient } from './queries.ts';

/** Returns the host of the site where new posts appear. `baseUrl`: the public address; empty if there is none. */
export function siteNameOf({ on, baseUrl: own }: Settings['siteFolder'], baseUrl: string): string {
  return hostIn(on ? own : baseUrl) || unnamedSite;
}

/** Returns the host of the site where new posts appear, for sentences such as “Public posts appear on …”. */
export function useSiteName(): string {
  const folder = useAnswer('settings.get', {}).data?.siteFolder;
  const status = useAnswer('status.get', {}).data;
  return folder === undefined || status === undefined ? unnamedSite : siteNameOf(folder, status.baseUrl);
}

/**
 * Returns how publishing to the folder of the owner's own site goes; undefined if the owner has chosen no folder. While
 * it is off, changes to posts that are already there wait.
 */
export function useFolderStatus(): SiteFolderStatus | undefined {
  const client = useClient();
  const hasFolder = (useAnswer('settings.get', {}).data?.siteFolder.path ?? '') !== '';
  const { data } = useQuery({
    queryKey: ['siteFolder.status', {}],
    queryFn: () => client.call('siteFolder.status', {}),
    enabled: hasFolder,
  });
  return hasFolder ? data : undefined;
}
