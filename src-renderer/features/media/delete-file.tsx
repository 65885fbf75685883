import { notifications } from '@mantine/notifications';
import type { ReactElement } from 'react';
import type { MediaItem } from '../../../src-main/contract/media.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { deleteWords, lossWords } from './words.ts';

interface Props {
  readonly item: MediaItem;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Asks before deleting a file, and says how many posts use it. */
export function DeleteFile({ item, onClose, onDeleted }: Props): ReactElement {
  const details = useAnswer('media.get', { url: item.url });
  const remove = useAction('media.delete');
  const onConfirm = () =>
    remove.mutate(
      { url: item.url },
      {
        onSuccess: () => {
          notifications.show({ message: deleteWords.done(plainText(item.name)) });
          onDeleted();
        },
      },
    );
  return (
    <Confirm
      title={
        <>
          {deleteWords.title} <Foreign text={item.name} fallback={deleteWords.thisFile} />?
        </>
      }
      action={deleteWords.action}
      busy={remove.isPending || details.isPending}
      error={remove.error}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {details.isPending && deleteWords.checking}
      {details.isError && deleteWords.unknown}
      {details.data && lossWords(details.data.uses)} {deleteWords.final}
    </Confirm>
  );
}
