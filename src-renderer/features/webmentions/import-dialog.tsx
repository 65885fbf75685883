import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { ImportProgress } from './import-progress.tsx';

/** Brings in what webmention.io has received for the owner's site. */
export function ImportDialog({ onClose }: { onClose: () => void }): ReactElement {
  useReturnFocus();
  const state = useAnswer('webmentions.importState', {});
  return (
    <Modal
      opened
      centered
      size="lg"
      title="Import from webmention.io"
      closeButtonProps={{ 'aria-label': 'Close' }}
      onClose={onClose}
    >
      <Loaded query={state} what="how the import stands">
        {(known) => <Inside state={known} />}
      </Loaded>
    </Modal>
  );
}

function Inside({ state }: { state: Result<'webmentions.importState'> }): ReactElement {
  const { tokenStored, progress } = state;
  const bring = useAction('webmentions.import');
  const forget = useAction('secrets.setAggregatorToken');
  const [token, setToken] = useState('');
  const [missing, setMissing] = useState(false);
  const refused = bring.error instanceof PorchlightError && bring.error.code === 'aggregator_refused';
  const running = bring.isPending || progress?.state === 'running';
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
        <Text>
          If webmention.io has received mentions for your site, bring them all here: with authors, texts and
          dates. It can be done again at any time: nothing comes twice, what is gone there goes here too, and
          what you decided on stays so.
        </Text>
        {tokenStored && !refused ? (
          <Text c="dimmed" size="sm">
            The token of your account is kept with this computer’s secrets.
          </Text>
        ) : (
          <PasswordInput
            label="Your token there"
            description={
              <>
                Sign in at{' '}
                <Anchor
                  href="https://webmention.io/settings"
                  target="_blank"
                  rel="noopener noreferrer"
                  inherit
                  underline="always"
                  c="inherit"
                >
                  webmention.io/settings
                </Anchor>{' '}
                with your domain, and copy what it calls “API Key”.
              </>
            }
            autoComplete="off"
            spellCheck={false}
            maxLength={500}
            value={token}
            disabled={running}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the token' }}
            error={missing ? 'Paste the token first.' : undefined}
            onChange={(event) => setToken(event.currentTarget.value)}
          />
        )}
        <ErrorNote error={running ? null : bring.error} doing="The import did not come to its end." />
        <ImportProgress progress={progress} quiet={bring.error !== null && !running} />
        {failed && !refused && (
          <Text size="sm">What came in before is kept. It goes on from there when you ask again.</Text>
        )}
        <ErrorNote error={forget.error} doing="The token was not forgotten." />
        <Group>
          <Button type="submit" color="amber.5" loading={running}>
            {failed && !refused ? 'Go on' : tokenStored ? 'Import now' : 'Import'}
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
              Forget the token
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
