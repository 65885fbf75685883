import type { MailboxStatus } from '../contract/cloudflare.ts';
import type { PorchlightError } from '../contract/error.ts';
import type { MailboxState } from '../platform/mailbox-protocol.ts';
import type { Drained } from './drain.ts';

/** The facts from which the mailbox's status is computed. */
export interface Known {
  readonly isOn: boolean;
  readonly isAsleep: boolean;
  /** The state that the mailbox last reported. */
  readonly remote: MailboxState | undefined;
  readonly trouble: PorchlightError | undefined;
  readonly last: (Drained & { readonly at: string }) | undefined;
  readonly copies: Pick<MailboxStatus, 'copies' | 'leftOut' | 'toCopy' | 'toRemove'> & {
    readonly error?: string | undefined;
  };
}

/** Returns the mailbox's status, with a message for the owner. */
export function mailboxStatus({ isOn, isAsleep, remote, trouble, last, copies }: Known): MailboxStatus {
  const { error, ...counts } = copies;
  if (!isOn)
    return {
      ...{ state: 'off', words: 'There is no mailbox.', remedy: null, kept: 0, lastDrain: null },
      ...{ copies: 0, leftOut: 0, toCopy: 0, toRemove: 0 },
    };
  const unopened = last?.unopened ?? 0;
  const common = {
    ...counts,
    kept: remote?.kept ?? 0,
    lastDrain: last ? { at: last.at, arrived: last.arrived } : null,
  };
  if (trouble) return { ...common, state: 'trouble', words: trouble.message, remedy: remedyOf(trouble) };
  if (error !== undefined) return { ...common, state: 'trouble', words: error, remedy: 'retry' };
  if (unopened > 0)
    return {
      ...common,
      state: 'trouble',
      words: `${unopened === 1 ? 'One thing' : `${unopened} things`} in the mailbox can’t be opened, because this computer no longer has the key. They stay there until you turn the mailbox off.`,
      remedy: 'retry',
    };
  const refused = remote?.refused ?? 0;
  const extra =
    refused > 0
      ? ` While you were away, it refused ${refused} ${refused === 1 ? 'thing' : 'things'}, because a limit was reached.`
      : '';
  if (remote?.state === 'off')
    return {
      ...{ ...common, state: 'awake', remedy: null, toCopy: 0 },
      words: 'The server is off. Until you turn it on, the mailbox shows no pages and keeps no mentions.',
    };
  if (isAsleep)
    return {
      ...common,
      state: 'asleep-ready',
      words: `The mailbox answers for this computer.${extra}`,
      remedy: null,
    };
  if (remote === undefined || counts.toCopy + counts.toRemove > 0)
    return {
      ...common,
      state: 'awake',
      words: `Porchlight is copying your public pages.${extra}`,
      remedy: null,
    };
  return {
    ...common,
    state: 'asleep-ready',
    words: `${copiedWords(counts.leftOut)} This computer can sleep.${extra}`,
    remedy: null,
  };
}

function copiedWords(leftOut: number): string {
  if (leftOut === 0) return 'Everything public is copied.';
  return `Everything public is copied, except ${leftOut === 1 ? 'one large file' : `${leftOut} large files`}.`;
}

function remedyOf({ code }: PorchlightError): MailboxStatus['remedy'] {
  if (code === 'mailbox_other_server') return 'takeOver';
  return code === 'mailbox_outdated' ? 'update' : 'retry';
}
