import { Button, Checkbox, NumberInput, PasswordInput, Text } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Form } from '../../ui/form.tsx';
import { Ago } from '../../ui/moment.tsx';
import { ErrorNote, Loaded, WarningNote } from '../../ui/states.tsx';
import { useUnfinished } from '../../ui/unfinished.ts';
import { SaveRow } from '../settings/save-row.tsx';
import { Card } from './card.tsx';
import { CopyTarget, Downloading, useCopying } from './copy-target.tsx';
import { LastCopyLine } from './last-copy.tsx';
import { PathField } from './path-field.tsx';
import { Outcome } from './under-way.tsx';
import { backupWords as words, copyWords, dataWords, downloadWords, weeklyWords } from './words.ts';

type Folder = Result<'data.folder'>;

interface Props {
  readonly data: Folder;
  readonly busy: boolean;
  readonly withSecrets: boolean;
  readonly onWithSecrets: (withSecrets: boolean) => void;
  /** How often the owner asked for a backup elsewhere on the screen. The form then takes the focus. */
  readonly asked: number;
}

/** Shows the last backup, and makes one now. */
export function BackUpNow({ data, ...props }: Props): ReactElement {
  return (
    <Card title={words.heading} about={words.about}>
      {data.lastBackup ? (
        <LastCopyLine what="backup" copy={data.lastBackup} />
      ) : (
        <Text size="sm">{copyWords.noBackup}</Text>
      )}
      <BackupForm data={data} {...props} />
    </Card>
  );
}

/** Asks where a backup goes, and for a passphrase if secrets are included. */
function BackupForm({ data, busy, withSecrets, onWithSecrets, asked }: Props): ReactElement {
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (asked === 0) return;
    // The path on the desktop, and the passphrase in a browser.
    const fields = [...(form.current?.querySelectorAll('input') ?? [])];
    fields.find((field) => field.type !== 'checkbox' && field.closest('details') === null)?.focus();
  }, [asked]);
  const copying = useCopying('backup');
  const { isPending, error, isDownload, path } = copying;
  useUnfinished(passphrase !== '' || again !== '');
  const hasSecrets = !withSecrets || (passphrase.length >= 10 && passphrase === again);
  const sound = (isDownload || path !== '') && hasSecrets;
  return (
    <div ref={form}>
      <Form
        gap="sm"
        ready={sound && !busy && !isPending}
        onSubmit={() => copying.make(withSecrets ? { passphrase } : undefined)}
      >
        {!copying.isBrowser && <CopyTarget copying={copying} />}
        <Checkbox
          label={words.withSecrets}
          description={words.aboutSecrets}
          checked={withSecrets}
          onChange={(event) => onWithSecrets(event.currentTarget.checked)}
        />
        {withSecrets && (
          <>
            <PasswordInput
              label={words.passphrase}
              description={words.aboutPassphrase}
              autoComplete="new-password"
              value={passphrase}
              onChange={(event) => setPassphrase(event.currentTarget.value)}
            />
            <PasswordInput
              label={words.again}
              autoComplete="new-password"
              value={again}
              error={again !== '' && again !== passphrase && words.differs}
              onChange={(event) => setAgain(event.currentTarget.value)}
            />
          </>
        )}
        <ErrorNote error={error} doing={words.failed} />
        <div>
          <Button
            type="submit"
            {...(data.isNew ? { variant: 'default' } : { color: 'amber.5' })}
            disabled={!sound || busy}
            loading={isPending}
          >
            {isDownload ? downloadWords.backup : words.action}
          </Button>
        </div>
        {copying.isBrowser && <CopyTarget copying={copying} />}
        <Outcome tasks={['backup', 'weekly']} progress={data.progress} isExplained={error !== null} />
        <Downloading copying={copying} />
        {copying.problems.map((problem) => (
          <Text key={problem} size="sm">
            {words.problem} <Foreign text={problem} />
          </Text>
        ))}
      </Form>
    </div>
  );
}

/** Sets up the weekly backups. */
export function WeeklyBackups({ data }: { data: Folder }): ReactElement {
  const settings = useAnswer('settings.get', {});
  return (
    <Card title={weeklyWords.heading} about={weeklyWords.about}>
      <Loaded query={settings} what={dataWords.loadingSettings}>
        {({ backup }) => <WeeklyForm backup={backup} data={data} />}
      </Loaded>
    </Card>
  );
}

/** Asks where weekly backups go and how many to keep. */
function WeeklyForm({ backup, data }: { backup: Settings['backup']; data: Folder }): ReactElement {
  const [draft, setDraft] = useState<Partial<Settings['backup']>>({});
  const save = useAction('settings.update');
  const { folder, keep } = { ...backup, ...draft };
  const changed = folder !== backup.folder || keep !== backup.keep;
  return (
    <Form
      gap="sm"
      ready={changed && !save.isPending}
      onSubmit={() => save.mutate({ backup: { folder, keep } }, { onSuccess: () => setDraft({}) })}
    >
      <PathField
        label={weeklyWords.folder}
        description={weeklyWords.aboutFolder}
        choices={[{ purpose: 'weeklyFolder' }]}
        value={folder}
        onChange={(path) => setDraft({ ...draft, folder: path })}
      />
      <NumberInput
        label={weeklyWords.keep}
        min={1}
        max={100}
        maw={240}
        allowDecimal={false}
        value={keep}
        onChange={(value) => typeof value === 'number' && setDraft({ ...draft, keep: value })}
      />
      {data.weeklyProblem !== null && (
        <WarningNote>
          <Foreign text={data.weeklyProblem} />
        </WarningNote>
      )}
      {backup.folder !== '' && (
        <Text size="sm" c="dimmed">
          {data.lastWeekly === null ? (
            weeklyWords.none
          ) : (
            <>
              {weeklyWords.last} <Ago at={data.lastWeekly} />.
            </>
          )}
        </Text>
      )}
      <SaveRow secondary changed={changed} save={save} onDiscard={() => setDraft({})} />
    </Form>
  );
}
