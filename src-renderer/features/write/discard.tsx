import { notifications } from '@mantine/notifications';
import { useState, type ReactElement } from 'react';
import { useSiteName } from '../../client/own-site.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { commonWords } from '../../ui/words.ts';
import type { FieldsProps } from './kinds.tsx';
import { discardWords, doneWords } from './words.ts';

interface Props extends FieldsProps {
  readonly onClose: () => void;
  /** Hears that the draft is deleted. */
  readonly onDraftGone: () => void;
}

/** Asks before Porchlight discards a draft, or the edits of a published post. */
export function Discard({ session, writing, onClose, onDraftGone }: Props): ReactElement {
  // Discarding changes what the form holds, but not the question.
  const [isDraft] = useState(writing.post === null || writing.post.status === 'draft');
  const name = useSiteName();
  const site = writing.post === null ? name : hostIn(writing.post.url);
  const discard = async () => {
    if (!(await session.discard())) return;
    onClose();
    notify(isDraft ? doneWords.discarded : doneWords.editsDiscarded);
    if (isDraft) onDraftGone();
  };
  return (
    <Confirm
      title={isDraft ? discardWords.draftTitle : discardWords.editsTitle}
      action={isDraft ? discardWords.discard : discardWords.discardEdits}
      busy={writing.busy}
      error={writing.error}
      onConfirm={() => void discard()}
      onClose={onClose}
    >
      {isDraft ? discardWords.draft : discardWords.edits(site)}
    </Confirm>
  );
}

/** Shows what Porchlight did. */
function notify(message: string): void {
  notifications.show({ message, closeButtonProps: { 'aria-label': commonWords.close } });
}
