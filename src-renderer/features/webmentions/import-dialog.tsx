import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { closeWords, importWords } from './dialog-words.ts';
import { ImportProgress } from './import-progress.tsx';
import { ImportSummary } from './import-summary.tsx';

/** Imports what webmention.io received for the owner's site, and shows what the last import did. */
export function ImportDialog({ onClose }: { onClose: () => void }): ReactElement {
  useReturnFocus();
  const state = useAnswer('webmentions.importState', {});
  return (
    <Modal
      opened
      centered
      size="lg"
      title={importWords.title}
      closeButtonProps={{ 'aria-label': closeWords }}
      onClose={onClose}
    >
      <Loaded query={state} what={importWords.what}>
        {(known) => <Inside state={known} onClose={onClose} />}
      </Loaded>
    </Modal>
  );
}

interface InsideProps {
  readonly state: Result<'webmentions.importState'>;
  readonly onClose: () => void;
}

function Inside({ state, onClose }: InsideProps): ReactElement {
  const { tokenStored, progress, last } = state;
  const bring = useAction('webmentions.import');
  const forget = useAction('secrets.setAggregatorToken');
  const [token, setToken] = useState('');
  const [missing, setMissing] = useState(false);
  const refused = bring.error instanceof PorchlightError && bring.error.code === 'aggregator_refused';
  const running = bring.isPending || progress?.state === 'running';
  const finished = !running && (bring.isSuccess || progress?.state === 'done');
  const failed = !running && (bring.error !== null || progress?.state === 'failed');

  const start = () => {
    const given = token.trim();
    const asks = !tokenStored || refused;
    setMissing(asks && given === '');
    if (asks && given === '') return;
    bring.mutate(asks ? { aggregatorToken: given } : {}, { onSuccess: () => setToken('') });
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <Stack>
        <Text>{importWords.intro}</Text>
        {tokenStored && !refused ? (
          <Text c="dimmed" size="sm">
            {importWords.tokenKept}
          </Text>
        ) : (
          <PasswordInput
            label={importWords.token}
            description={
              <>
                {importWords.tokenHelp}
                <Anchor
                  href="https://webmention.io/settings"
                  target="_blank"
                  rel="noopener noreferrer"
                  inherit
                  underline="always"
                  c="inherit"
                >
                  webmention.io/settings
                </Anchor>
                {importWords.tokenHelpEnd}
              </>
            }
            autoComplete="off"
            spellCheck={false}
            maxLength={500}
            value={token}
            disabled={running}
            visibilityToggleButtonProps={{ 'aria-label': importWords.showToken }}
            error={missing ? importWords.missing : undefined}
            onChange={(event) => setToken(event.currentTarget.value)}
          />
        )}
        <ErrorNote error={running ? null : bring.error} doing={importWords.failed} />
        <ImportProgress progress={progress} quiet={bring.error !== null && !running} />
        {failed && !refused && <Text size="sm">{importWords.kept}</Text>}
        <ErrorNote error={forget.error} doing={importWords.forgetFailed} />
        {last && !running && !failed && <ImportSummary key={last.id} run={last} onLeave={onClose} />}
        <Group>
          {finished && (
            <Button color="amber.5" onClick={onClose}>
              {importWords.done}
            </Button>
          )}
          <Button
            type="submit"
            {...(finished ? { variant: 'default' } : { color: 'amber.5' })}
            loading={running}
          >
            {failed && !refused ? importWords.continue : finished ? importWords.again : importWords.start}
          </Button>
          {tokenStored && !running && (
            <Button
              variant="default"
              loading={forget.isPending}
              onClick={() => {
                bring.reset();
                forget.mutate({ token: '' });
              }}
            >
              {importWords.forget}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
