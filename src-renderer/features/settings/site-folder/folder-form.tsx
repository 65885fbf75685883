import { NativeSelect, Radio, Stack, Switch, Text, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import {
  generatorNames,
  siteFolderArea,
  type FoundSite,
  type Generator,
} from '../../../../src-main/contract/site-folder.ts';
import { Form } from '../../../ui/form.tsx';
import { hostIn } from '../../../ui/plain-text.ts';
import { ErrorNote } from '../../../ui/states.tsx';
import { SteadyButton } from '../../../ui/steady-button.tsx';
import { unnamedSite } from '../../../ui/words.ts';
import { SaveRow } from '../save-row.tsx';
import { SettingField, settingProps } from '../setting-field.tsx';
import type { SettingsForm } from '../settings-form.tsx';
import { useUnsaved } from '../unsaved.tsx';
import { Adopted, Snippet } from './folder-found.tsx';
import { FolderPreview, useFolderPreview } from './folder-preview.tsx';
import {
  gitWayOf,
  settingsOfWay,
  type FolderSettings,
  type GitWay,
  type TypedField,
} from './folder-rules.ts';

const words = {
  site: 'Posts',
  media: 'Media',
  git: 'Git',
  gitSafe: 'Porchlight commits only its own files. Your other changes, staged or not, stay as they are.',
  ways: {
    push: { label: 'Commit and push', help: 'Each post is one commit. The push starts your site’s build.' },
    commit: { label: 'Commit only', help: 'You push yourself.' },
    files: { label: 'Write files only', help: 'You build and publish the site yourself.' },
  },
  mentions: 'Mentions',
  adopt: 'Older posts',
  on: 'Turn on',
  onMeans: (folder: string, host: string) =>
    `Nothing is written yet. From now on, Porchlight writes new posts to ${folder}, and they appear on ${host}.`,
  onFailed: 'Publishing to your own site isn’t on.',
  isOn: (host: string) => `On. New posts appear on ${host}.`,
};

interface Props {
  readonly form: SettingsForm<'siteFolder'>;
  /** What the folder holds, if it was examined. */
  readonly found: FoundSite | null;
  readonly isOn: boolean;
  /** Hears that publishing is on now, in words. */
  readonly onTurned: (words: string) => void;
}

/** Sets how posts are written to the folder, beside a preview. Saves changes, or turns publishing on. */
export function FolderForm({ form, found, isOn, onTurned }: Props): ReactElement {
  const { shown, draft, change } = form;
  const preview = useFolderPreview(shown);
  const { faulty, error } = preview;
  const turnOn = () => form.submit({ ...shown, on: true }, () => onTurned(words.isOn(hostIn(shown.baseUrl))));
  return (
    <Form gap="xl" ready={isOn} onSubmit={() => form.submit()}>
      <FolderPreview {...preview} />
      <FolderFields
        {...{ shown, change, found }}
        isAdopting={isOn && shown.adopt && draft.adopt === undefined}
        {...(faulty !== undefined && error && { problem: [faulty, error.message] })}
      />
      {isOn ? (
        <SaveRow changed={Object.keys(draft).length > 0} save={form.save} onDiscard={form.discard} />
      ) : (
        <TurnOn form={form} onClick={turnOn} />
      )}
    </Form>
  );
}

function TurnOn({ form, onClick }: Pick<Props, 'form'> & { onClick: () => void }): ReactElement {
  const { shown, draft, save } = form;
  useUnsaved(Object.keys(draft).length > 0);
  return (
    <div>
      <Text size="sm" mb="sm">
        {words.onMeans(shown.path, hostIn(shown.baseUrl) || unnamedSite)}
      </Text>
      <ErrorNote error={save.error} doing={words.onFailed} />
      <SteadyButton color="amber.5" mt={save.error ? 'sm' : 0} loading={save.isPending} onClick={onClick}>
        {words.on}
      </SteadyButton>
    </div>
  );
}

interface FieldsProps extends Pick<Props, 'found'> {
  readonly shown: FolderSettings;
  readonly change: (changes: Partial<FolderSettings>) => void;
  /** Whether posts that were already in the folder are included now. */
  readonly isAdopting: boolean;
  /** A field, and what is wrong with it. */
  readonly problem?: readonly [TypedField, string];
}

const generators = Object.entries(generatorNames).map(([value, label]) => ({ value, label }));
const isGenerator = (value: string): value is Generator => Object.hasOwn(generatorNames, value);
const ways: readonly GitWay[] = ['push', 'commit', 'files'];

/** The settings of the folder, in groups. */
function FolderFields({ shown, change, found, isAdopting, problem }: FieldsProps): ReactElement {
  const field = (name: TypedField | 'adopt' | 'media') => (
    <SettingField
      page="site-folder"
      name={name}
      row={siteFolderArea[name]}
      value={shown[name]}
      problem={problem?.[0] === name ? problem[1] : undefined}
      onChange={(value) => change({ [name]: value })}
    />
  );
  const way = gitWayOf(shown);
  const hasGit = found === null || found.repository !== null;
  return (
    <>
      <Part title={words.site}>
        <NativeSelect
          {...settingProps('site-folder', 'generator', siteFolderArea.generator)}
          maw={240}
          data={generators}
          value={shown.generator}
          onChange={(event) => {
            if (isGenerator(event.currentTarget.value)) change({ generator: event.currentTarget.value });
          }}
        />
        {field('baseUrl')}
        {field('postFile')}
        {field('postUrl')}
      </Part>
      <Part title={words.media}>
        {field('media')}
        {shown.media === 'folder' && (
          <>
            {field('mediaFile')}
            {field('mediaUrl')}
          </>
        )}
      </Part>
      <Part title={words.git} about={words.gitSafe}>
        <Radio.Group
          aria-label={words.git}
          value={way}
          onChange={(value) => change(settingsOfWay(ways.find((one) => one === value) ?? 'files'))}
        >
          <Stack gap="xs">
            {ways.map((one) => (
              <Radio
                key={one}
                value={one}
                label={words.ways[one].label}
                description={words.ways[one].help}
                color="var(--porchlight-tick)"
                disabled={one !== 'files' && !hasGit}
              />
            ))}
          </Stack>
        </Radio.Group>
        {way !== 'files' && field('branch')}
        {way === 'push' && field('remote')}
      </Part>
      <Part title={words.mentions}>
        <Switch
          {...settingProps('site-folder', 'mentions', siteFolderArea.mentions)}
          checked={shown.mentions === 'data'}
          onChange={(event) => change({ mentions: event.currentTarget.checked ? 'data' : 'off' })}
        />
        {shown.mentions === 'data' && <Snippet generator={shown.generator} />}
      </Part>
      <Part title={words.adopt}>
        {field('adopt')}
        {isAdopting && <Adopted />}
      </Part>
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly about?: string;
  readonly children: ReactNode;
}

function Part({ title, about, children }: PartProps): ReactElement {
  return (
    <section aria-label={title}>
      <Title order={3} mb={about === undefined ? 'xs' : 0}>
        {title}
      </Title>
      {about !== undefined && (
        <Text size="sm" c="dimmed" mb="xs">
          {about}
        </Text>
      )}
      <Stack gap="md">{children}</Stack>
    </section>
  );
}
