import { Anchor } from '@mantine/core';
import type { ReactElement } from 'react';
import { useFolderStatus } from '../../client/own-site.ts';
import { useAnswer } from '../../client/queries.ts';
import { settingsHash } from '../../routes.ts';
import { ForeignSentence } from '../../ui/foreign.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { WarningNote } from '../../ui/states.tsx';
import { folderWords as words } from './words.ts';

/** Says what keeps posts from the owner's own site, and leads to the place where the owner decides. */
export function FolderTrouble(): ReactElement | null {
  const folder = useAnswer('settings.get', {}).data?.siteFolder;
  const status = useFolderStatus();
  if (folder === undefined || status?.state !== 'trouble') return null;
  const parts = { host: hostIn(folder.baseUrl), words: <ForeignSentence text={status.words} /> };
  return (
    <WarningNote>
      <Phrase text={words.trouble} parts={parts} />{' '}
      <Anchor href={settingsHash('site-folder')} inherit underline="always" c="inherit">
        {words.link}
      </Anchor>
    </WarningNote>
  );
}
