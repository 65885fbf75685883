import { Button, Group, Title } from '@mantine/core';
import { useEffect, useRef, type ReactElement } from 'react';
import { generatorNames, type FoundSite } from '../../../../src-main/contract/site-folder.ts';
import { Address, Foreign } from '../../../ui/foreign.tsx';
import shared from '../../../ui/shared.module.css';
import { WarningNote } from '../../../ui/states.tsx';
import styles from './site-folder.module.css';
import { foundWords as words } from './words.ts';

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
      <Title order={3} size="h4" ref={heading} tabIndex={-1} className={shared.outcome}>
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
