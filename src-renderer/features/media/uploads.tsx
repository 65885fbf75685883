import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { createContext, use, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { windowUploadBytes } from '../../../src-main/contract/media.ts';
import { useAction } from '../../client/queries.ts';
import { base64Of } from '../../ui/file-content.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { WarningNote } from '../../ui/states.tsx';
import { useUnfinished } from '../../ui/unfinished.ts';
import { stateWords } from '../../ui/words.ts';
import styles from './media.module.css';
import { sizeWords, uploadWords } from './words.ts';

/** A file that Porchlight couldn't add, and the reason for the owner to read. */
export interface Failure {
  readonly name: string;
  readonly why: string;
}

/** The progress of the uploads: `done` of `total` files are finished, and `name` is uploading. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly name: string;
}

/** The queue of uploads. Files upload one after the other. */
export interface Uploads {
  /** Null while nothing is uploading. */
  readonly progress: Progress | null;
  readonly failures: readonly Failure[];
  /** Adds files to the end of the queue. */
  readonly add: (files: readonly File[]) => void;
  /** Removes the files from the queue whose upload has not started. */
  readonly stop: () => void;
  readonly forgetFailures: () => void;
}

const UploadsContext = createContext<Uploads | null>(null);

/** Returns the queue of uploads. Throws PorchlightError outside of UploadsProvider. */
export function useUploads(): Uploads {
  const uploads = use(UploadsContext);
  if (!uploads) throw new PorchlightError('server_error', 'useUploads needs an UploadsProvider.');
  return uploads;
}

/** Keeps uploading while the owner moves between screens. */
export function UploadsProvider({ children }: { children: ReactNode }): ReactElement {
  const { mutateAsync: upload } = useAction('media.upload');
  const [progress, setProgress] = useState<Progress | null>(null);
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  useUnfinished(progress !== null);
  const queue = useRef<File[]>([]);
  const counts = useRef({ done: 0, added: 0, running: false });

  const run = async () => {
    const count = counts.current;
    let file = queue.current.shift();
    while (file) {
      const { name } = file;
      setProgress({ done: count.done, total: count.done + 1 + queue.current.length, name });
      try {
        await upload({ name, data: await contentOf(file) });
        count.added += 1;
      } catch (error) {
        const why = error instanceof Error ? error.message : stateWords.unknownReason;
        setFailures((before) => [...before, { name, why }]);
      }
      count.done += 1;
      file = queue.current.shift();
    }
    const { added } = count;
    if (added > 0) {
      notifications.show({ message: uploadWords.added(added) });
    }
    counts.current = { done: 0, added: 0, running: false };
    setProgress(null);
  };

  const uploads: Uploads = {
    progress,
    failures,
    add: (files) => {
      queue.current.push(...files);
      if (counts.current.running || files.length === 0) return;
      counts.current.running = true;
      setFailures([]);
      void run();
    },
    stop: () => {
      queue.current = [];
    },
    forgetFailures: () => setFailures([]),
  };
  return <UploadsContext value={uploads}>{children}</UploadsContext>;
}

/** Returns the file's bytes in base64. Rejects with a message for the owner if the window can't send the file. */
async function contentOf(file: File): Promise<string> {
  if (file.size > windowUploadBytes) {
    const limit = sizeWords(windowUploadBytes);
    throw new Error(uploadWords.tooLarge(sizeWords(file.size), limit));
  }
  if (file.size === 0) throw new Error(uploadWords.empty);
  return base64Of(file).catch(() => {
    // Dropped folders fail here too.
    throw new Error(uploadWords.unreadable);
  });
}

/** Shows the progress of the uploads, and the files that failed. */
export function UploadNotes({ uploads }: { uploads: Uploads }): ReactElement {
  const { progress, failures } = uploads;
  const waiting = progress !== null && progress.done + 1 < progress.total;
  return (
    <>
      <Group role="status" gap="sm" mt={progress ? 'sm' : 0}>
        {progress && (
          <Text size="sm">
            {uploadWords.adding(progress.done + 1, progress.total)} <Foreign text={progress.name} />
          </Text>
        )}
        {waiting && (
          <Button variant="default" size="xs" onClick={uploads.stop}>
            {uploadWords.stop}
          </Button>
        )}
      </Group>
      {failures.length > 0 && (
        <div role="alert" className={styles.failures}>
          <WarningNote>
            {failures.map(({ name, why }, index) => (
              <Text key={index}>
                <b>
                  <Foreign text={name} />
                </b>{' '}
                {uploadWords.failed} <Foreign text={why} />
              </Text>
            ))}
            <Button variant="default" size="xs" mt="xs" onClick={uploads.forgetFailures}>
              {uploadWords.dismiss}
            </Button>
          </WarningNote>
        </div>
      )}
    </>
  );
}
