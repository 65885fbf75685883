import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import type { PathChoice } from '../../src-main/contract/data.ts';
import { useAction, useClient } from '../client/queries.ts';

interface Props {
  /** The field that it fills. */
  readonly what: string;
  readonly purpose: PathChoice;
  readonly suggestion?: string | undefined;
  readonly disabled?: boolean;
  readonly onChoose: (path: string) => void;
  /** Told why there was no dialog; null where there is one. */
  readonly onError: (error: Error | null) => void;
}

/** Opens a dialog of the system to choose a place in. Nothing in a browser, which has no such dialog. */
export function ChoosePath(props: Props): ReactElement | null {
  const { what, purpose, suggestion, disabled = false, onChoose, onError } = props;
  const { home } = useClient();
  const choose = useAction('desktop.choosePath');
  if (home !== 'desktop') return null;
  const wanted = { purpose, ...(suggestion !== undefined && { suggestion }) };
  const open = () => {
    onError(null);
    choose.mutate(wanted, { onSuccess: ({ path }) => path !== null && onChoose(path), onError });
  };
  return (
    <Button
      variant="default"
      aria-label={`Choose: ${what}`}
      disabled={disabled}
      loading={choose.isPending}
      onClick={open}
    >
      Choose…
    </Button>
  );
}
