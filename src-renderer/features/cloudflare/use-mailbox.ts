import { useState } from 'react';
import { useAction } from '../../client/queries.ts';
import type { MailboxTask } from './mailbox-words.ts';
import type { TaskParams } from './use-cloudflare.ts';

/** What the owner can do with the mailbox, and how the last of it went. */
export interface MailboxActions {
  /** The last task that was started here. */
  readonly task: MailboxTask | null;
  readonly isPending: boolean;
  readonly isDone: boolean;
  readonly error: Error | null;
  readonly run: (task: MailboxTask, params: TaskParams) => void;
}

/** Runs one task of the mailbox at a time. */
export function useMailboxActions(): MailboxActions {
  const turnOn = useAction('mailbox.turnOn');
  const turnOff = useAction('mailbox.turnOff');
  const rotateKeys = useAction('mailbox.rotateKeys');
  const retry = useAction('mailbox.retry');
  const [task, setTask] = useState<MailboxTask | null>(null);
  const all = [turnOn, turnOff, rotateKeys, retry];
  const run = (next: MailboxTask, { apiToken, discardKept }: TaskParams) => {
    for (const action of all) action.reset();
    setTask(next);
    const token = apiToken === undefined ? {} : { apiToken };
    const start: Record<MailboxTask, () => void> = {
      turnOn: () => turnOn.mutate(token),
      update: () => turnOn.mutate(token),
      takeOver: () => turnOn.mutate({ ...token, takeOver: true }),
      turnOff: () => turnOff.mutate({ ...token, ...(discardKept && { discardKept }) }),
      rotateKeys: () => rotateKeys.mutate(token),
      retry: () => retry.mutate({}),
    };
    start[next]();
  };
  return {
    task,
    run,
    isPending: all.some((action) => action.isPending),
    isDone: all.some((action) => action.isSuccess),
    error: all.find((action) => action.error !== null)?.error ?? null,
  };
}
