import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { useAction } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { titleOf } from './kinds.ts';

/** Long enough to read it and to get there by keyboard. Milliseconds. */
const undoTime = 20_000;

/** Deletes posts and brings them back: each says so and, where it was deleted, offers to undo it. */
export function useDeletion(): { remove: (post: PostItem) => void; restore: (post: PostItem) => void } {
  const { mutateAsync: remove } = useAction('posts.delete');
  const { mutateAsync: restore } = useAction('posts.undelete');

  const bringBack = (post: PostItem) =>
    restore({ url: post.url }).then(
      () => tell(post, 'is back.'),
      (error: unknown) => tell(post, `was not brought back. ${wordsOf(error)}`),
    );
  const throwOut = (post: PostItem) =>
    remove({ url: post.url }).then(
      () => tell(post, 'is deleted.', () => void bringBack(post)),
      (error: unknown) => tell(post, `was not deleted. ${wordsOf(error)}`),
    );
  return { remove: (post) => void throwOut(post), restore: (post) => void bringBack(post) };
}

/** What is known of one post replaces what was said of it before. */
function tell(post: PostItem, words: string, onUndo?: () => void): void {
  notifications.hide(post.url);
  const id = onUndo ? post.url : undefined;
  notifications.show({
    ...(id !== undefined && { id }),
    autoClose: onUndo ? undoTime : 8000,
    closeButtonProps: { 'aria-label': 'Close' },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" lineClamp={3}>
          “<Foreign text={titleOf(post)} />” {words}
        </Text>
        {onUndo && (
          <Button
            size="xs"
            variant="default"
            flex="none"
            onClick={() => {
              notifications.hide(post.url);
              onUndo();
            }}
          >
            Undo
          </Button>
        )}
      </Group>
    ),
  });
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Nobody knows why.';
}
