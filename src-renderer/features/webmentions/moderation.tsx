import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';
import { useAction } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { deedOf, pathOf, personOf } from './words.ts';

/** Long enough to read it and to get there by keyboard. Milliseconds. */
const undoTime = 20_000;

type Choice = 'approved' | 'hidden';

/** What the owner does with a mention. Each says so, and offers to undo it. */
export interface Moderation {
  readonly approve: (mention: MentionRecord) => void;
  readonly hide: (mention: MentionRecord) => void;
  readonly remove: (mention: MentionRecord) => void;
  readonly restore: (mention: MentionRecord) => void;
}

/** `onChanged` hears the mention as it is after each step. */
export function useModeration(onChanged: (mention: MentionRecord) => void): Moderation {
  const { mutateAsync: set } = useAction('webmentions.setStatus');
  const { mutateAsync: remove } = useAction('webmentions.delete');
  const { mutateAsync: restore } = useAction('webmentions.restore');

  const done = (words: string, undo?: (before: MentionRecord) => void) => (before: MentionRecord) =>
    tell(before, words, undo && (() => undo(before)));
  const run = (
    mention: MentionRecord,
    work: Promise<MentionRecord>,
    said: (before: MentionRecord) => void,
    failed: string,
  ) =>
    void work.then(
      (changed) => {
        onChanged(changed);
        said(mention);
      },
      (error: unknown) => tell(mention, `${failed} ${wordsOf(error)}`),
    );

  const bringBack = (mention: MentionRecord) =>
    run(mention, restore({ id: mention.id }), done('is back.'), 'was not brought back.');
  const setBack = (before: MentionRecord) => {
    const { id, status } = before;
    if (status === 'deleted' || status === 'removed') return;
    run(before, set({ id, status }), done('is as it was.'), 'was not changed.');
  };
  const choose = (status: Choice, words: string) => (mention: MentionRecord) => {
    if (!canBe(mention, status)) return;
    // Nobody but an aggregator calls a mention removed that its owner may show: that can not be set again by hand.
    const undo = mention.status === 'removed' ? undefined : setBack;
    run(mention, set({ id: mention.id, status }), done(words, undo), 'was not changed.');
  };
  return {
    approve: choose('approved', 'is approved: it is shown with the page.'),
    hide: choose('hidden', 'is hidden: it is not shown with the page.'),
    remove: (mention) => {
      if (mention.status === 'deleted') return;
      run(mention, remove({ id: mention.id }), done('is deleted.', bringBack), 'was not deleted.');
    },
    restore: bringBack,
  };
}

/** True where the owner may choose this. What its source took away is not there to be shown; what an aggregator dropped is. */
export function canBe({ status, removedBy }: MentionRecord, wanted: Choice): boolean {
  if (removedBy === 'aggregator') return wanted === 'approved';
  return status !== wanted && status !== 'deleted' && status !== 'removed';
}

/** What is known of one mention replaces what was said of it before. */
function tell(mention: MentionRecord, words: string, onUndo?: () => void): void {
  const id = `mention-${mention.id}`;
  notifications.hide(id);
  notifications.show({
    ...(onUndo && { id }),
    autoClose: onUndo ? undoTime : 8000,
    closeButtonProps: { 'aria-label': 'Close' },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" lineClamp={3}>
          “<Foreign text={shortened(personOf(mention))} /> {deedOf(mention)}{' '}
          <Foreign text={shortened(pathOf(mention.target))} />” {words}
        </Text>
        {onUndo && (
          <Button
            size="xs"
            variant="default"
            flex="none"
            onClick={() => {
              notifications.hide(id);
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

/** However long it is, what was done stays in sight. */
function shortened(text: string): string {
  const letters = Array.from(text);
  return letters.length > 40 ? `${letters.slice(0, 39).join('')}…` : text;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Nobody knows why.';
}
