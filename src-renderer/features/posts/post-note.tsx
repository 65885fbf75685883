import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { commonWords, stateWords } from '../../ui/words.ts';
import { actionWords, postTitle } from './words.ts';

/** Milliseconds. Long enough to read the message and to reach its button by keyboard. */
const undoTime = 20_000;
const readTime = 8000;

interface Details {
  /** Why the action failed. */
  readonly reason?: string;
  readonly onUndo?: () => void;
}

/** Shows a notification about a post. It replaces the previous notification about the same post. */
export function showPostNote(post: PostItem, words: string, { reason, onUndo }: Details = {}): void {
  notifications.hide(post.url);
  const id = onUndo ? post.url : undefined;
  notifications.show({
    ...(id !== undefined && { id }),
    autoClose: onUndo ? undoTime : readTime,
    closeButtonProps: { 'aria-label': commonWords.close },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <div>
          <Text size="sm" lineClamp={3}>
            {words} “<Foreign text={postTitle(post)} />”
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
            {actionWords.undo}
          </Button>
        )}
      </Group>
    ),
  });
}
