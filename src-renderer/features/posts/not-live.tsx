import { Anchor, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import type { FolderItem } from '../../../src-main/contract/site-folder.ts';
import { useFolderStatus } from '../../client/own-site.ts';
import { useAnswer } from '../../client/queries.ts';
import { settingsHash } from '../../routes.ts';
import { ForeignSentence } from '../../ui/foreign.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { liveWords } from './words.ts';

/** Returns what keeps the newest version of a post from the owner's own site; undefined if the post isn't waiting. */
export function useFolderItem(url: string): FolderItem | undefined {
  return useFolderStatus()?.items.find((item) => item.url === url);
}

/** Says that a post isn't live yet and why, with a link to what the owner can do. Renders nothing for other posts. */
export function NotLive({ found }: { found: Result<'posts.get'> }): ReactElement | null {
  const { item, post } = found;
  const isOn = useAnswer('settings.get', {}).data?.siteFolder.on ?? false;
  const waiting = useFolderItem(item.url);
  // The status names only the first posts that are waiting.
  const isBuilding = isOn && item.status === 'published' && post.home?.liveAt === null;
  if (item.deletedAt !== null || (waiting === undefined && !isBuilding)) return null;
  return (
    <Text size="sm">
      {liveWords.mark[waiting?.state ?? 'building']}:{' '}
      <ForeignSentence text={waiting?.words ?? liveWords.building(hostIn(item.url))} />{' '}
      <Anchor href={settingsHash('site-folder')} inherit underline="always" c="inherit">
        {liveWords.more}
      </Anchor>
    </Text>
  );
}
