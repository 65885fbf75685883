import { notifications } from '@mantine/notifications';
import type { ReactElement } from 'react';
import type { MediaItem } from '../../../src-main/contract/media.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { lossWords } from './words.ts';

interface Props {
  readonly item: MediaItem;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Asks before a file is deleted, and says which posts lose it. */
export function DeleteFile({ item, onClose, onDeleted }: Props): ReactElement {
  const details = useAnswer('media.get', { url: item.url });
  const remove = useAction('media.delete');
  const onConfirm = () =>
    remove.mutate(
      { url: item.url },
      {
        onSuccess: () => {
          notifications.show({ message: `${plainText(item.name) || 'The file'} is deleted.` });
          onDeleted();
        },
      },
    );
  return (
    <Confirm
      title={
        <>
          Delete <Foreign text={item.name} fallback="this file" />?
        </>
      }
      action="Delete"
      busy={remove.isPending || details.isPending}
      error={remove.error}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {details.isPending && 'Looking for the posts that show it…'}
      {details.isError && 'Porchlight could not find out which posts show it.'}
      {details.data && lossWords(details.data.uses)} This can’t be undone.
    </Confirm>
  );
}
