import { Modal, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { postKinds, responseKinds } from '../../../src-main/contract/post-kinds.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';
import shared from '../../ui/shared.module.css';
import { commonWords } from '../../ui/words.ts';
import { bookmarkletWords as words } from './words.ts';

/** Returns the address of a bookmark that opens the editor with the page that a browser shows. */
export const bookmarklet = (verb: string): string =>
  `javascript:location.href='porchlight:write?${verb}='+encodeURIComponent(location.href)`;

/** Offers bookmarks that open the editor with the page that the owner's browser shows. */
export function Bookmarklets({ onClose }: { onClose: () => void }): ReactElement {
  useReturnFocus();
  return (
    <Modal
      opened
      title={words.title}
      closeButtonProps={{ 'aria-label': commonWords.close }}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text>{words.about}</Text>
        <ul className={shared.list} aria-label={words.list}>
          {responseKinds.map(({ kind }) => (
            <li key={kind} className={shared.row}>
              <span className={shared.rowBody}>{postKinds[kind].name}</span>
              <CopyButton value={bookmarklet(kind)} what={words.what(postKinds[kind].name)} />
            </li>
          ))}
        </ul>
        <Text size="sm" c="dimmed">
          {words.safe}
        </Text>
      </Stack>
    </Modal>
  );
}
