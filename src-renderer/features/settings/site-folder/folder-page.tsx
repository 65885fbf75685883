import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useRef, useState, type ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { siteFolderArea, type FoundSite } from '../../../../src-main/contract/site-folder.ts';
import { siteNameOf, useFolderStatus } from '../../../client/own-site.ts';
import { useAction, useAnswer } from '../../../client/queries.ts';
import { Form } from '../../../ui/form.tsx';
import { hostIn } from '../../../ui/plain-text.ts';
import shared from '../../../ui/shared.module.css';
import { ErrorNote } from '../../../ui/states.tsx';
import { useUnfinished } from '../../../ui/unfinished.ts';
import { PathField } from '../../data/path-field.tsx';
import { settingProps } from '../setting-field.tsx';
import { useSettingsForm } from '../settings-form.tsx';
import { FolderForm } from './folder-form.tsx';
import { Found } from './folder-found.tsx';
import { suggestions, type FolderSettings } from './folder-rules.ts';
import { FolderStatus } from './folder-status.tsx';

const words = {
  intro:
    'Porchlight writes each post to a file in your folder, commits the file to git and pushes it. Your generator builds the page, and the post has a URL on your own domain.',
  check: 'Check this folder',
  checking: 'Checking the folder…',
  readOnly: 'Porchlight only reads the folder. It writes nothing until you turn publishing on.',
  other: 'Check this folder to continue with it.',
  keep: 'Keep the current folder',
  offTitle: 'Turn off',
  offMeans: (host: string, builtIn: string) =>
    `Posts that are already on ${host} stay there, and their addresses and files stay the same. New posts appear on ${builtIn}. You can turn this on again at any time.`,
  offWaiting: (count: number) =>
    count === 1
      ? 'The post that is waiting is published when you turn this on again.'
      : `The ${count} posts that are waiting are published when you turn this on again.`,
  off: 'Turn off',
  offFailed: 'Publishing to your own site is still on.',
  isOff: (host: string) => `Off. New posts appear on ${host}.`,
};

/** Publishes to the folder of the owner's own site: its state, and how posts are written. */
export function FolderPage({ saved }: { saved: FolderSettings }): ReactElement {
  const form = useSettingsForm('siteFolder', saved);
  const [found, setFound] = useState<FoundSite | null>(null);
  const [isOther, setIsOther] = useState(false);
  const [outcome, setOutcome] = useState('');
  const note = useRef<HTMLParagraphElement>(null);
  const builtIn = siteNameOf({ ...saved, on: false }, useAnswer('status.get', {}).data?.baseUrl ?? '');
  const waiting = useFolderStatus()?.waiting ?? 0;
  const { shown, change } = form;

  const examined = (site: FoundSite) => {
    setFound(site);
    // The owner's own choices for this folder outweigh what the folder suggests.
    if (site.suggested.path !== shown.path) change(site.suggested);
  };
  // The button that was pressed is gone.
  const turned = (said: string) => {
    flushSync(() => {
      setOutcome(said);
      setFound(null);
    });
    note.current?.focus();
  };

  return (
    <Stack gap="xl">
      <Text ref={note} role="status" tabIndex={-1} className={shared.outcome}>
        {outcome}
      </Text>
      {(saved.on || waiting > 0) && <FolderStatus settings={saved} />}
      {shown.path === '' && <Text>{words.intro}</Text>}
      <FolderChooser path={shown.path} isOn={saved.on} onFound={examined} onOther={setIsOther} />
      {found?.suggested.path === shown.path && !isOther && (
        <Found
          found={found}
          onSuggest={hasSuggestions(found, shown) ? () => change(found.suggested) : null}
        />
      )}
      {shown.path !== '' && !isOther && (
        <FolderForm
          form={form}
          found={found?.suggested.path === shown.path ? found : null}
          isOn={saved.on}
          onTurned={turned}
        />
      )}
      {saved.on && <TurnOff settings={saved} builtIn={builtIn} onDone={() => turned(words.isOff(builtIn))} />}
    </Stack>
  );
}

const hasSuggestions = (found: FoundSite, shown: FolderSettings) =>
  Object.keys(suggestions(found, shown)).length > 0;

const { id, label, description } = settingProps('site-folder', 'path', siteFolderArea.path);

interface ChooserProps {
  /** The folder of the form; empty if none is chosen. */
  readonly path: string;
  /** Whether Porchlight publishes to the folder. */
  readonly isOn: boolean;
  readonly onFound: (found: FoundSite) => void;
  /** Hears whether the field names another folder than the form. */
  readonly onOther: (isOther: boolean) => void;
}

/** Asks for the folder of the site, and examines it. */
function FolderChooser({ path, isOn, onFound, onOther }: ChooserProps): ReactElement {
  const [typed, setTyped] = useState<string | null>(null);
  useUnfinished(typed !== null);
  const detect = useAction('siteFolder.detect');
  const value = typed ?? path;
  const isOther = path !== '' && value.trim() !== path;

  const type = (next: string | null) => {
    detect.reset();
    setTyped(next);
    onOther(path !== '' && next !== null && next.trim() !== path);
  };
  const check = (requested: string) =>
    detect.mutate(
      { path: requested.trim() },
      {
        onSuccess: (found) => {
          setTyped(null);
          onOther(false);
          onFound(found);
        },
      },
    );

  return (
    <Form gap="sm" ready={value.trim() !== '' && !detect.isPending} onSubmit={() => check(value)}>
      <PathField
        {...{ id, label, value }}
        {...(description !== undefined && { description })}
        choices={[{ purpose: 'siteFolder' }]}
        {...(detect.error && { problem: detect.error.message })}
        onChange={type}
        onChoose={(chosen) => {
          type(chosen);
          check(chosen);
        }}
      />
      {(isOther || !isOn) && (
        <Text size="sm" c="dimmed">
          {isOther ? words.other : words.readOnly}
        </Text>
      )}
      <Group gap="sm">
        <Button
          type="submit"
          {...(path === '' ? { color: 'amber.5' } : { variant: 'default' })}
          disabled={value.trim() === ''}
          loading={detect.isPending}
        >
          {words.check}
        </Button>
        {isOther && (
          <Button variant="default" onClick={() => type(null)}>
            {words.keep}
          </Button>
        )}
        <Text role="status" size="sm" c="dimmed">
          {detect.isPending ? words.checking : ''}
        </Text>
      </Group>
    </Form>
  );
}

interface OffProps {
  readonly settings: FolderSettings;
  /** The host of Porchlight's own site. */
  readonly builtIn: string;
  readonly onDone: () => void;
}

/** Stops publishing to the folder, and says before what stays. The owner can turn it on again, so nothing asks twice. */
function TurnOff({ settings, builtIn, onDone }: OffProps): ReactElement {
  const turnOff = useAction('settings.update');
  const waiting = useAnswer('siteFolder.status', {}).data?.waiting ?? 0;
  return (
    <section aria-label={words.offTitle}>
      <Title order={3}>{words.offTitle}</Title>
      <Text size="sm" mb="sm">
        {words.offMeans(hostIn(settings.baseUrl), builtIn)} {waiting > 0 && words.offWaiting(waiting)}
      </Text>
      <ErrorNote error={turnOff.error} doing={words.offFailed} />
      <Button
        variant="default"
        loading={turnOff.isPending}
        onClick={() => turnOff.mutate({ siteFolder: { on: false } }, { onSuccess: onDone })}
      >
        {words.off}
      </Button>
    </section>
  );
}
