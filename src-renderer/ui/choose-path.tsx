import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import type { PathChoice } from '../../src-main/contract/data.ts';
import { useAction, useClient } from '../client/queries.ts';
import { fileWords } from './words.ts';

interface Props {
  /** The label of the field that the button fills. */
  readonly what: string;
  readonly purpose: PathChoice;
  /** The button's label, if it says by itself what to choose. */
  readonly label?: string;
  readonly suggestion?: string | undefined;
  readonly disabled?: boolean;
  readonly onChoose: (path: string) => void;
  /** Hears why the dialog did not open; null if it opened. */
  readonly onError: (error: Error | null) => void;
}

/** Opens the system's dialog to choose a file or folder. Renders nothing in a browser, which has no such dialog. */
export function ChoosePath(props: Props): ReactElement | null {
  const { what, purpose, label, suggestion, disabled = false, onChoose, onError } = props;
  const { home } = useClient();
  const choose = useAction('desktop.choosePath');
  if (home !== 'desktop') return null;
  const request = { purpose, ...(suggestion !== undefined && { suggestion }) };
  const open = () => {
    onError(null);
    choose.mutate(request, { onSuccess: ({ path }) => path !== null && onChoose(path), onError });
  };
  return (
    <Button
      variant="default"
      {...(label === undefined && { 'aria-label': fileWords.chooseName(what) })}
      disabled={disabled}
      loading={choose.isPending}
      onClick={open}
    >
      {label ?? fileWords.choose}
    </Button>
  );
}
