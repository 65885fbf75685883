import { Button, NumberInput, Stack, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { restoreHash } from '../../routes.ts';
import { Foreign } from '../../ui/foreign.tsx';
import look from '../../ui/look.module.css';
import { Ago } from '../../ui/moment.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ErrorNote, Loaded, WarningNote } from '../../ui/states.tsx';
import { BackupForm } from './backup-form.tsx';
import { DataForm, outcomeId, showOutcome } from './data-form.tsx';
import { PathField } from './path-field.tsx';
import { Underway, Waiting } from './under-way.tsx';

type Folder = Result<'data.folder'>;

/** Where the data is, the copies of it, and the ways in and out. */
export function YourData(): ReactElement {
  const folder = useAnswer('data.folder', {});
  const settings = useAnswer('settings.get', {});
  return (
    <Page title="Your data" about="All of it is on this computer. Keep a copy somewhere else.">
      <Loaded query={folder} what="where your data is">
        {(data) => {
          const busy = data.progress?.state === 'running';
          return (
            <>
              <Stack id={outcomeId} tabIndex={-1} gap="md" className={look.outcome}>
                {data.waiting && <Waiting waiting={data.waiting} />}
                {data.progress && <Underway progress={data.progress} />}
              </Stack>
              <Section title="Back up" about="One file with everything, checked before it is called done.">
                <BackupForm busy={busy} />
              </Section>
              <Section title="A copy each week" about="Made by itself, without the secrets.">
                <Loaded query={settings} what="your settings">
                  {({ backup }) => <WeeklyForm key={backup.folder} backup={backup} data={data} />}
                </Loaded>
              </Section>
              <Section title="Restore" about="Replaces the data here by that of a backup.">
                <div>
                  <Button component="a" variant="default" href={restoreHash}>
                    Restore a backup…
                  </Button>
                </div>
              </Section>
              <Section
                title="Take it all with me"
                about="Posts as Markdown, files, mentions and profile, for other programs."
              >
                <OneStep
                  method="data.export"
                  {...{ label: 'Where everything goes', action: 'Take it all', purpose: 'saveExport', busy }}
                />
              </Section>
              <Section title="Where your data is">
                <Text>
                  <Foreign text={data.folder} />
                </Text>
                {data.fixed === null ? (
                  <OneStep
                    method="data.move"
                    {...{ label: 'A new, empty folder', action: 'Move it there', purpose: 'newFolder', busy }}
                  />
                ) : (
                  <Text size="sm" c="dimmed">
                    {data.fixed}
                  </Text>
                )}
              </Section>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function WeeklyForm({ backup, data }: { backup: Settings['backup']; data: Folder }): ReactElement {
  const [folder, setFolder] = useState(backup.folder);
  const [keep, setKeep] = useState(backup.keep);
  const save = useAction('settings.update');
  const changed = folder !== backup.folder || keep !== backup.keep;
  return (
    <DataForm ready={changed && !save.isPending} onSubmit={() => save.mutate({ backup: { folder, keep } })}>
      <PathField
        label="Folder for the weekly copies"
        description="Best on another disk. Empty: none are made."
        purpose="weeklyFolder"
        value={folder}
        onChange={setFolder}
      />
      <NumberInput
        label="How many are kept"
        {...{ min: 1, max: 100, w: 160, allowDecimal: false, value: keep }}
        onChange={(value) => typeof value === 'number' && setKeep(value)}
      />
      {data.weeklyProblem !== null && (
        <WarningNote>
          <Foreign text={data.weeklyProblem} />
        </WarningNote>
      )}
      <Text size="sm" c="dimmed">
        {data.lastWeekly === null ? (
          'There is no weekly copy yet.'
        ) : (
          <>
            The last one was made <Ago at={data.lastWeekly} />.
          </>
        )}
      </Text>
      <ErrorNote error={save.error} doing="It was not saved." />
      <div>
        <Button type="submit" variant="default" disabled={!changed} loading={save.isPending}>
          Save
        </Button>
      </div>
    </DataForm>
  );
}

interface OneStepProps {
  readonly method: 'data.export' | 'data.move';
  readonly label: string;
  readonly action: string;
  readonly purpose: 'saveExport' | 'newFolder';
  readonly busy: boolean;
}

function OneStep({ method, label, action, purpose, busy }: OneStepProps): ReactElement {
  const [path, setPath] = useState('');
  const act = useAction(method);
  return (
    <DataForm
      ready={path !== '' && !busy && !act.isPending}
      onSubmit={() => act.mutate({ path }, { onSuccess: showOutcome })}
    >
      <PathField
        {...{ label, purpose, value: path, onChange: setPath }}
        {...(purpose === 'saveExport' && { suggestion: 'porchlight.zip' })}
      />
      <ErrorNote error={act.error} />
      <div>
        <Button type="submit" variant="default" disabled={path === '' || busy} loading={act.isPending}>
          {action}
        </Button>
      </div>
    </DataForm>
  );
}
