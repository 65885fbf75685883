import { Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAction, useClient } from '../../client/queries.ts';
import { useUnfinished } from '../../ui/unfinished.ts';
import { PathField } from './path-field.tsx';
import { showOutcome } from './under-way.tsx';
import { backupWords, downloadWords, exportWords } from './words.ts';

type Kind = 'backup' | 'export';

/** A backup or an export that the owner is about to make. */
export interface Copying {
  readonly what: Kind;
  /** Where it goes on the computer that runs Porchlight; empty if nowhere yet, or to the browser. */
  readonly path: string;
  readonly setPath: (path: string) => void;
  /** Whether the window is in a browser, which can download it. */
  readonly isBrowser: boolean;
  /** Whether the browser downloads it. */
  readonly isDownload: boolean;
  readonly isPending: boolean;
  readonly error: Error | null;
  /** The name of the file that the browser downloads; undefined before. */
  readonly downloading: string | undefined;
  /** What is wrong with the data in it. */
  readonly problems: readonly string[];
  readonly make: (secrets?: { readonly passphrase: string }) => void;
}

/** Returns how the owner makes a backup or an export: at a path, or as a download in a browser. */
export function useCopying(what: Kind): Copying {
  const { files } = useClient();
  const [path, setPath] = useState('');
  useUnfinished(path !== '');
  const saving = useAction(`data.${what}`);
  const download = useAction('data.download');
  const isDownload = files !== undefined && path === '';
  const { isPending, error, data } = isDownload ? download : saving;
  return {
    what,
    path,
    setPath,
    isBrowser: files !== undefined,
    isDownload,
    isPending,
    error,
    downloading: isDownload ? download.data?.name : undefined,
    problems: data !== undefined && 'problems' in data ? data.problems : [],
    make(secrets) {
      const onEnd = () => showOutcome(what);
      if (!isDownload) saving.mutate({ path, ...secrets }, { onSuccess: onEnd });
      else
        download.mutate(
          { what, ...secrets },
          {
            onSuccess: (offer) => {
              files.download(offer);
              onEnd();
            },
          },
        );
    },
  };
}

/** Asks where a backup or an export goes. In a browser, which downloads it, the question is folded. */
export function CopyTarget({ copying }: { copying: Copying }): ReactElement {
  const isBackup = copying.what === 'backup';
  const words = isBackup ? backupWords : exportWords;
  const field = (
    <PathField
      label={words.path}
      choices={[{ purpose: isBackup ? 'saveBackup' : 'saveExport' }]}
      suggestion={words.suggestion}
      value={copying.path}
      onChange={copying.setPath}
    />
  );
  if (!copying.isBrowser) return field;
  return (
    <details>
      <summary>{downloadWords.onServer}</summary>
      {field}
    </details>
  );
}

/** Says that the browser downloads the file. */
export function Downloading({ copying: { downloading } }: { copying: Copying }): ReactElement | null {
  if (downloading === undefined) return null;
  return <Text size="sm">{downloadWords.begun(downloading)}</Text>;
}
