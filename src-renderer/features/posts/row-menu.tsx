import { ActionIcon, Menu } from '@mantine/core';
import {
  IconArrowBackUp,
  IconCopyPlus,
  IconDots,
  IconHistory,
  IconPencil,
  IconTrash,
  IconWorldUpload,
} from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { writeHash } from '../../routes.ts';
import type { PostActions } from './post-actions.ts';
import styles from './posts.module.css';
import { previewWords, rowWords } from './words.ts';

interface Props {
  readonly post: PostItem;
  /** The id of the element with the post's title. */
  readonly titleId: string;
  readonly tabIndex: 0 | -1;
  readonly actions: PostActions;
}

const icon = { size: 16, 'aria-hidden': true } as const;

/** The actions on a post in the list. */
export function RowMenu({ post, titleId, tabIndex, actions }: Props): ReactElement {
  const isDeleted = post.deletedAt !== null;
  return (
    // The list must not move while the arrow keys move in the menu.
    <div className={styles.menu} onKeyDown={(event) => event.stopPropagation()}>
      {/* In the landmark of the screen, above the rows. The placeholder would be a child that no menu may have. */}
      <Menu position="bottom-end" portalProps={{ target: 'main' }} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            tabIndex={tabIndex}
            aria-label={rowWords.actions}
            aria-describedby={titleId}
          >
            <IconDots {...icon} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isDeleted ? (
            <Menu.Item leftSection={<IconArrowBackUp {...icon} />} onClick={() => actions.restore(post)}>
              {previewWords.restore}
            </Menu.Item>
          ) : (
            <>
              <Menu.Item
                component="a"
                href={writeHash({ post: post.url })}
                leftSection={<IconPencil {...icon} />}
              >
                {previewWords.edit}
              </Menu.Item>
              {post.status === 'draft' && (
                <Menu.Item leftSection={<IconWorldUpload {...icon} />} onClick={() => actions.publish(post)}>
                  {previewWords.publish}
                </Menu.Item>
              )}
              <Menu.Item leftSection={<IconCopyPlus {...icon} />} onClick={() => actions.duplicate(post)}>
                {previewWords.duplicate}
              </Menu.Item>
              <Menu.Item leftSection={<IconHistory {...icon} />} onClick={() => actions.undoLast(post)}>
                {previewWords.undoLast}
              </Menu.Item>
              <Menu.Item leftSection={<IconTrash {...icon} />} onClick={() => actions.remove(post)}>
                {previewWords.delete}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
