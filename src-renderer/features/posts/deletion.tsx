import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { useAction } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { commonWords, stateWords } from '../../ui/words.ts';
import { deletionWords, titleOf } from './words.ts';

/** Milliseconds. Long enough to read the message and to reach its button by keyboard. */
const undoTime = 20_000;

/** Deletes and restores posts. Each result is a notification; after a deletion, it offers to undo it. */
export function useDeletion(): { remove: (post: PostItem) => void; restore: (post: PostItem) => void } {
  const { mutateAsync: remove } = useAction('posts.delete');
  const { mutateAsync: restore } = useAction('posts.undelete');

  const restoreAndTell = (post: PostItem) =>
    restore({ url: post.url }).then(
      () => tell(post, deletionWords.restored),
      (error: unknown) => tell(post, deletionWords.notRestored, { reason: reasonOf(error) }),
    );
  const removeAndTell = (post: PostItem) =>
    remove({ url: post.url }).then(
      () => tell(post, deletionWords.deleted, { onUndo: () => void restoreAndTell(post) }),
      (error: unknown) => tell(post, deletionWords.notDeleted, { reason: reasonOf(error) }),
    );
  return { remove: (post) => void removeAndTell(post), restore: (post) => void restoreAndTell(post) };
}

interface Details {
  readonly reason?: string;
  readonly onUndo?: () => void;
}

/** Shows a notification about a post. It replaces the previous notification about the same post. */
function tell(post: PostItem, words: string, { reason, onUndo }: Details = {}): void {
  notifications.hide(post.url);
  const id = onUndo ? post.url : undefined;
  notifications.show({
    ...(id !== undefined && { id }),
    autoClose: onUndo ? undoTime : 8000,
    closeButtonProps: { 'aria-label': commonWords.close },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <div>
          <Text size="sm" lineClamp={3}>
            {words} “<Foreign text={titleOf(post)} />”
          </Text>
          {reason !== undefined && (
            <Text size="sm">
              <Foreign text={reason} fallback={stateWords.unknownReason} />
            </Text>
          )}
        </div>
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
            {deletionWords.undo}
          </Button>
        )}
      </Group>
    ),
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
