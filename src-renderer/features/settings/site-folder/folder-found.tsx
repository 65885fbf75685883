import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, type ReactElement } from 'react';
import { generatorNames, type FoundSite, type Generator } from '../../../../src-main/contract/site-folder.ts';
import { useAnswer } from '../../../client/queries.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Address, Foreign } from '../../../ui/foreign.tsx';
import shared from '../../../ui/shared.module.css';
import { Loaded, WarningNote } from '../../../ui/states.tsx';
import styles from './site-folder.module.css';

const words = {
  title: 'What Porchlight found',
  generator: 'Generator',
  generatorIn: (generator: string, file: string) => `${generator} (${file})`,
  unknown: 'Not recognized. Choose it below.',
  name: 'Title',
  address: 'Address',
  noAddress: 'Not found. Enter it below.',
  posts: 'Posts',
  postCount: (count: number) => (count === 1 ? '1 post' : `${count.toLocaleString('en')} posts`),
  git: 'Git',
  noGit: 'The folder isn’t in a git repository.',
  noBranch: 'Commits aren’t possible now.',
  branch: (branch: string) => `Branch ${branch}`,
  branchPushed: (branch: string, remote: string) => `Branch ${branch}, pushed to ${remote}`,
  suggest: 'Use the suggested settings',
};

/** The words about posts that were in the folder before. */
const older = {
  loads: 'the older posts',
  posts: (count: number) =>
    count === 1 ? '1 older post is included.' : `${count} older posts are included.`,
  others: (count: number) => (count === 1 ? '1 file isn’t included' : `${count} files aren’t included`),
  problem: (problem: string, files: number) => (files === 1 ? problem : `${problem} (${files} files)`),
  example: 'For example:',
  isCut: 'The folder has more files than Porchlight reads, so some posts are missing.',
};

/** The words about the template that shows mentions. */
const template = {
  title: 'Show mentions on your pages',
  loads: 'the template',
  what: 'the template',
};

interface Props {
  readonly found: FoundSite;
  /** Fills the form with the settings that fit the folder; null if it holds them. */
  readonly onSuggest: (() => void) | null;
}

/** Shows what a folder holds, and what the owner should know about it. Takes the focus, because the owner asked for it. */
export function Found({ found, onSuggest }: Props): ReactElement {
  const { title, posts, repository, suggested } = found;
  const gitWords = repository?.words ?? null;
  const warnings = gitWords === null ? found.warnings : [gitWords, ...found.warnings];
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [found]);
  return (
    <section aria-label={words.title} className={shared.card}>
      <Title order={3} ref={heading} tabIndex={-1} className={shared.outcome}>
        {words.title}
      </Title>
      <dl className={styles.facts}>
        <dt>{words.generator}</dt>
        <dd>
          <Foreign text={generatorIn(found)} />
        </dd>
        {title !== '' && (
          <>
            <dt>{words.name}</dt>
            <dd>
              <Foreign text={title} />
            </dd>
          </>
        )}
        <dt>{words.address}</dt>
        <dd>{suggested.baseUrl === '' ? words.noAddress : <Address url={suggested.baseUrl} />}</dd>
        <dt>{words.posts}</dt>
        <dd>{words.postCount(posts)}</dd>
        <dt>{words.git}</dt>
        <dd>
          <Foreign text={gitIn(repository)} />
        </dd>
      </dl>
      {warnings.map((warning) => (
        <WarningNote key={warning}>
          <Foreign text={warning} />
        </WarningNote>
      ))}
      {onSuggest !== null && (
        <Group mt="sm">
          <Button variant="default" size="xs" onClick={onSuggest}>
            {words.suggest}
          </Button>
        </Group>
      )}
    </section>
  );
}

function generatorIn({ generator, configFile }: FoundSite): string {
  if (generator === null) return words.unknown;
  const name = generatorNames[generator];
  return configFile === null ? name : words.generatorIn(name, configFile);
}

function gitIn(repository: FoundSite['repository']): string {
  if (repository === null) return words.noGit;
  const { branch, remote } = repository;
  if (branch === null) return words.noBranch;
  return remote === null ? words.branch(branch) : words.branchPushed(branch, remote);
}

/** Shows how many posts that were already in the folder are included, and why other files aren't. */
export function Adopted(): ReactElement {
  const adopted = useAnswer('siteFolder.adopted', {});
  return (
    <Loaded query={adopted} what={older.loads}>
      {({ posts, problems, isCut }) => (
        <Stack gap="xs" mt="xs">
          <Text size="sm">{older.posts(posts)}</Text>
          {isCut && <Text size="sm">{older.isCut}</Text>}
          {problems.length > 0 && (
            <details className={styles.details}>
              <summary>{older.others(problems.reduce((sum, { files }) => sum + files, 0))}</summary>
              <ul className={shared.list}>
                {problems.map((problem) => (
                  <li key={problem.words} className={styles.item}>
                    <Text size="sm">{older.problem(problem.words, problem.files)}</Text>
                    <Text size="sm" c="dimmed">
                      {older.example} <Foreign text={problem.example} />
                    </Text>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

/** Shows the template that displays mentions, for the owner to copy. */
export function Snippet({ generator }: { generator: Generator }): ReactElement {
  const snippet = useAnswer('siteFolder.snippet', { generator });
  return (
    <details className={styles.details}>
      <summary>{template.title}</summary>
      <Loaded query={snippet} what={template.loads}>
        {({ text, words: where }) => (
          <Stack gap="xs" mt="xs">
            <Text size="sm">{where}</Text>
            <CodeBlock text={text} what={template.what} />
          </Stack>
        )}
      </Loaded>
    </details>
  );
}
