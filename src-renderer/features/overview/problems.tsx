import { Anchor, Button } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import type { Problem, Status } from '../../../src-main/contract/status.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { hashOf, settingsHash } from '../../routes.ts';
import { Foreign, ForeignSentence } from '../../ui/foreign.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { Restart } from '../../ui/restart.tsx';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { attentionWords as words } from './words.ts';

/** Problems that are shown elsewhere: in lines of their own with links, or beside the setting. */
const elsewhere: readonly Problem['code'][] = ['site_folder', 'mailbox', 'no_notifications'];

/** Returns the problems that Overview shows with their own words. */
export const problemsHere = ({ problems }: Status): Problem[] =>
  problems.filter(({ code }) => !elsewhere.includes(code));

/** Shows the server's problems. One that reports a past event can be dismissed. */
export function Problems({ problems }: { problems: readonly Problem[] }): ReactElement {
  const dismiss = useAction('status.dismiss');
  const release = useAction('webmentions.releaseHeld');
  return (
    <>
      {problems.map(({ id, code, message }) => (
        <WarningNote key={id ?? `${code} ${message}`}>
          <Foreign text={message} />
          {code === 'storage_broken' && (
            <div>
              <NoteLink hash={hashOf('posts')}>{words.openPosts}</NoteLink>
            </div>
          )}
          {code === 'mentions_held' && (
            <div>
              <SteadyButton
                mt="xs"
                variant="default"
                size="compact-sm"
                loading={release.isPending}
                onClick={() => release.mutate({})}
              >
                {words.showMentions}
              </SteadyButton>
            </div>
          )}
          {code === 'restart_needed' && (
            <div>
              <Restart />
            </div>
          )}
          {id !== undefined && (
            <div>
              <Button
                mt="xs"
                variant="default"
                size="compact-sm"
                aria-label={words.dismissOf(message)}
                loading={dismiss.isPending && dismiss.variables.id === id}
                onClick={() => dismiss.mutate({ id })}
              >
                {words.dismiss}
              </Button>
            </div>
          )}
        </WarningNote>
      ))}
      <ErrorNote error={dismiss.error} doing={words.dismissFailed} />
      <ErrorNote error={release.error} doing={words.showMentionsFailed} />
    </>
  );
}

/** Says what keeps posts from the owner's own site, and leads to the place where the owner decides. */
export function FolderTrouble({ words: state }: { words: string }): ReactElement {
  const host = hostIn(useAnswer('settings.get', {}).data?.siteFolder.baseUrl ?? '');
  return (
    <WarningNote>
      <Phrase text={words.folder} parts={{ host, words: <ForeignSentence text={state} /> }} />{' '}
      <NoteLink hash={settingsHash('site-folder')}>{words.folderLink}</NoteLink>
    </WarningNote>
  );
}

/** Says what is wrong with the mailbox, and leads to the place where the owner decides. */
export function MailboxTrouble({ words: state }: { words: string }): ReactElement {
  return (
    <WarningNote>
      <Phrase text={words.mailbox} parts={{ words: <ForeignSentence text={state} /> }} />{' '}
      <NoteLink hash={settingsHash('mailbox')}>{words.mailboxLink}</NoteLink>
    </WarningNote>
  );
}

/** A link in a note. */
export function NoteLink({ hash, children }: { hash: string; children: ReactNode }): ReactElement {
  return (
    <Anchor href={hash} inherit underline="always" c="inherit">
      {children}
    </Anchor>
  );
}
