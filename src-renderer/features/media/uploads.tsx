import { notifications } from '@mantine/notifications';
import { createContext, use, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { windowUploadBytes } from '../../../src-main/contract/media.ts';
import { useAction } from '../../client/queries.ts';
import { base64Of } from '../../ui/file-content.ts';
import { filesWords, sizeWords } from './words.ts';

/** A file that was not added, and why. */
export interface Failure {
  readonly name: string;
  readonly why: string;
}

/** How far adding is: `done` of `total`, `name` is on its way. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly name: string;
}

/** Files on their way into the house, one after the other. */
export interface Uploads {
  /** Null while nothing is on its way. */
  readonly progress: Progress | null;
  readonly failures: readonly Failure[];
  /** Adds files; those that come while others are on their way are added after them. */
  readonly add: (files: readonly File[]) => void;
  /** Leaves out what has not begun. */
  readonly stop: () => void;
  readonly forgetFailures: () => void;
}

const UploadsContext = createContext<Uploads | null>(null);

/** Adds files that the owner chose, and tells how far it is. */
export function useUploads(): Uploads {
  const uploads = use(UploadsContext);
  if (!uploads) throw new PorchlightError('server_error', 'This part of the window adds no files.');
  return uploads;
}

/** Goes on adding files, whatever screen the window shows. */
export function UploadsProvider({ children }: { children: ReactNode }): ReactElement {
  const { mutateAsync: upload } = useAction('media.upload');
  const [progress, setProgress] = useState<Progress | null>(null);
  const [failures, setFailures] = useState<readonly Failure[]>([]);
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
        const why = error instanceof Error ? error.message : 'Nobody knows why.';
        setFailures((before) => [...before, { name, why }]);
      }
      count.done += 1;
      file = queue.current.shift();
    }
    const { added } = count;
    if (added > 0) {
      notifications.show({ message: `${filesWords(added)} ${added === 1 ? 'is' : 'are'} added.` });
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

/** A file's bytes in base64. Rejects with words for the owner where it can't be sent. */
async function contentOf(file: File): Promise<string> {
  if (file.size > windowUploadBytes) {
    const limit = sizeWords(windowUploadBytes);
    throw new Error(
      `It is ${sizeWords(file.size)} large; from here files up to ${limit} go. Apps can send larger ones.`,
    );
  }
  if (file.size === 0) throw new Error('There is nothing in it.');
  return base64Of(file).catch(() => {
    // A folder that was dropped ends up here too.
    throw new Error('It could not be read. Is it a folder?');
  });
}
