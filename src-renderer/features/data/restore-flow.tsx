import { Anchor, Button, PasswordInput, Stack } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Form } from '../../ui/form.tsx';
import { Page, pageTitleId } from '../../ui/page.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { SourceField } from './path-field.tsx';
import { restoreChoiceWords as choiceWords, restoreFlowWords as words } from './restore-words.ts';
import { RestoreReview } from './restore-review.tsx';
import { Underway, WaitingRestore } from './under-way.tsx';

/** Leads the owner from choosing a backup to the restart. `onLeave` is called when the owner goes back. */
export function RestoreFlow({ onLeave }: { onLeave: () => void }): ReactElement {
  const folder = useAnswer('data.folder', {});
  const settings = useAnswer('settings.get', {});
  const stage = folder.data && stageOf(folder.data);
  useFocusOnStage(stage);
  return (
    <>
      <title>{words.documentTitle}</title>
      <Page
        title={stage === 'waiting' ? words.waitingTitle : words.title}
        {...(stage === 'choice' && { about: choiceWords.about })}
      >
        <Loaded query={folder} what={words.loading}>
          {({ progress, checked, waiting, isNew }) => (
            <Stack gap="xl">
              {waiting && <WaitingRestore waiting={waiting} />}
              {!waiting && progress?.state === 'running' && <Underway progress={progress} />}
              {!waiting && checked && (
                <RestoreReview
                  key={checked.madeAt}
                  checked={checked}
                  isNewHere={isNew && settings.data?.profile.me === null}
                />
              )}
              {!waiting && !checked && (
                <div className={shared.card}>
                  <RestoreChoice busy={progress?.state === 'running'} />
                </div>
              )}
            </Stack>
          )}
        </Loaded>
        <div>
          <Anchor component="button" type="button" underline="always" c="inherit" onClick={onLeave}>
            {words.back}
          </Anchor>
        </div>
      </Page>
    </>
  );
}

type Stage = 'choice' | 'review' | 'waiting';

function stageOf({ checked, waiting }: Result<'data.folder'>): Stage {
  if (waiting) return 'waiting';
  return checked ? 'review' : 'choice';
}

/** Scrolls to the top of each new stage and focuses its title, so that a screen reader reads it out. */
function useFocusOnStage(stage: Stage | undefined): void {
  const before = useRef<Stage>(undefined);
  useEffect(() => {
    if (stage === undefined || before.current === stage) return;
    before.current = stage;
    window.scrollTo(0, 0);
    document.getElementById(pageTitleId)?.focus();
  }, [stage]);
}

/** Asks which backup to restore and checks it. Checking restores nothing. */
function RestoreChoice({ busy }: { busy: boolean }): ReactElement {
  const [path, setPath] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const check = useAction('data.restore');
  const isCancelled = check.error instanceof PorchlightError && check.error.code === 'cancelled';
  return (
    <Form
      gap="sm"
      ready={path !== '' && !busy && !check.isPending}
      onSubmit={() => check.mutate({ path, ...(passphrase !== '' && { passphrase }) })}
    >
      <SourceField
        label={choiceWords.file}
        description={choiceWords.aboutFile}
        choices={[{ purpose: 'openBackup' }]}
        value={path}
        onChange={setPath}
      />
      <PasswordInput
        label={choiceWords.passphrase}
        description={choiceWords.aboutPassphrase}
        value={passphrase}
        onChange={(event) => setPassphrase(event.currentTarget.value)}
      />
      <ErrorNote error={isCancelled ? null : check.error} doing={choiceWords.failed} />
      <div>
        <Button type="submit" color="amber.5" disabled={path === '' || busy} loading={check.isPending}>
          {choiceWords.action}
        </Button>
      </div>
    </Form>
  );
}
