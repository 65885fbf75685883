import type { ReactElement } from 'react';
import type { Status } from '../../../src-main/contract/status.ts';
import { useFolderStatus } from '../../client/own-site.ts';
import { useAnswer } from '../../client/queries.ts';
import { Section } from '../../ui/page.tsx';
import { Needs, useNeeds } from './needs.tsx';
import { FolderTrouble, MailboxTrouble, Problems, problemsHere } from './problems.tsx';
import { needWords as words } from './words.ts';

/** What needs the owner: problems, then what waits for a decision. Nothing where nothing does. */
export function Attention({ status }: { status: Status }): ReactElement | null {
  const problems = problemsHere(status);
  const needs = useNeeds();
  const folder = useFolderStatus();
  const mailbox = useAnswer('mailbox.status', {}).data;
  const folderTrouble = folder?.state === 'trouble' ? folder.words : undefined;
  const mailboxTrouble = mailbox?.state === 'trouble' ? mailbox.words : undefined;
  const isCalm = problems.length + needs.count === 0;
  if (isCalm && folderTrouble === undefined && mailboxTrouble === undefined) return null;
  return (
    <Section title={words.title}>
      <Problems problems={problems} />
      {folderTrouble !== undefined && <FolderTrouble words={folderTrouble} />}
      {mailboxTrouble !== undefined && <MailboxTrouble words={mailboxTrouble} />}
      {needs.count > 0 && <Needs needs={needs} />}
    </Section>
  );
}
