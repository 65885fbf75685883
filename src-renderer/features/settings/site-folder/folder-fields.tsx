import { NativeSelect, Radio, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { generatorNames, type FoundSite, type Generator } from '../../../../src-main/contract/site-folder.ts';
import {
  gitWayOf,
  settingsOfWay,
  type FolderSettings,
  type GitWay,
  type TypedField,
} from './folder-rules.ts';
import { Adopted } from './adopted.tsx';
import { Snippet } from './snippet.tsx';
import { fieldWords as words } from './words.ts';

interface Props {
  readonly shown: FolderSettings;
  readonly change: (changes: Partial<FolderSettings>) => void;
  readonly found: FoundSite | null;
  /** The host of Porchlight's own site. */
  readonly builtIn: string;
  /** Whether posts that were already in the folder are included now. */
  readonly isAdopting: boolean;
  /** A field, and what is wrong with it. */
  readonly problem?: readonly [TypedField, string];
}

const generators = Object.entries(generatorNames).map(([value, label]) => ({ value, label }));
const isGenerator = (value: string): value is Generator => Object.hasOwn(generatorNames, value);
const ways: readonly GitWay[] = ['push', 'commit', 'files'];

/** The settings of the folder, in groups. */
export function FolderFields(props: Props): ReactElement {
  const { shown, change, found, builtIn, isAdopting, problem } = props;
  const typed = (field: TypedField, label: string, about?: string) => (
    <TextInput
      label={label}
      description={about}
      value={shown[field]}
      maxLength={field === 'baseUrl' ? 2048 : field === 'branch' || field === 'remote' ? 250 : 500}
      error={problem?.[0] === field ? problem[1] : undefined}
      spellCheck={false}
      autoCapitalize="off"
      onChange={(event) => change({ [field]: event.currentTarget.value })}
    />
  );
  const text = (field: 'baseUrl' | 'postFile' | 'postUrl' | 'mediaFile' | 'mediaUrl') =>
    typed(field, words[field].label, words[field].about);
  const way = gitWayOf(shown);
  const hasGit = found === null || found.repository !== null;

  return (
    <>
      <Part title={words.site}>
        <NativeSelect
          label={words.generator}
          maw={240}
          data={generators}
          value={shown.generator}
          onChange={(event) => {
            if (isGenerator(event.currentTarget.value)) change({ generator: event.currentTarget.value });
          }}
        />
        {text('baseUrl')}
        {text('postFile')}
        {text('postUrl')}
      </Part>
      <Part title={words.media}>
        <Radio.Group
          aria-label={words.media}
          value={shown.media}
          onChange={(value) => change({ media: value === 'porch' ? 'porch' : 'folder' })}
        >
          <Stack gap="xs">
            <Radio
              value="folder"
              label={words.mediaChoices.folder.label}
              description={words.mediaChoices.folder.about}
            />
            <Radio
              value="porch"
              label={words.mediaChoices.porch.label}
              description={words.mediaChoices.porch.about(builtIn)}
            />
          </Stack>
        </Radio.Group>
        {shown.media === 'folder' && (
          <>
            {text('mediaFile')}
            {text('mediaUrl')}
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
                label={words.gitChoices[one].label}
                description={words.gitChoices[one].about}
                disabled={one !== 'files' && !hasGit}
              />
            ))}
          </Stack>
        </Radio.Group>
        {way !== 'files' && typed('branch', words.branch)}
        {way === 'push' && typed('remote', words.remote)}
      </Part>
      <Part title={words.mentions.title}>
        <Switch
          label={words.mentions.label}
          description={words.mentions.about}
          checked={shown.mentions === 'data'}
          onChange={(event) => change({ mentions: event.currentTarget.checked ? 'data' : 'off' })}
        />
        {shown.mentions === 'data' && <Snippet generator={shown.generator} />}
      </Part>
      <Part title={words.adopt.title}>
        <Switch
          label={words.adopt.label}
          description={words.adopt.about}
          checked={shown.adopt}
          onChange={(event) => change({ adopt: event.currentTarget.checked })}
        />
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
      <Title order={3} size="h4" mb={about === undefined ? 'xs' : 0}>
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
