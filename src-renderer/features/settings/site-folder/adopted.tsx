import { Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../../client/queries.ts';
import { Foreign } from '../../../ui/foreign.tsx';
import shared from '../../../ui/shared.module.css';
import { Loaded } from '../../../ui/states.tsx';
import styles from './site-folder.module.css';
import { adoptedWords as words } from './words.ts';

/** Shows how many posts that were already in the folder are included, and why other files aren't. */
export function Adopted(): ReactElement {
  const adopted = useAnswer('siteFolder.adopted', {});
  return (
    <Loaded query={adopted} what={words.loads}>
      {({ posts, problems, isCut }) => (
        <Stack gap="xs" mt="xs">
          <Text size="sm">{words.posts(posts)}</Text>
          {isCut && <Text size="sm">{words.isCut}</Text>}
          {problems.length > 0 && (
            <details className={styles.details}>
              <summary>{words.others(problems.reduce((sum, { files }) => sum + files, 0))}</summary>
              <ul className={shared.list}>
                {problems.map((problem) => (
                  <li key={problem.words} className={styles.item}>
                    <Text size="sm">{words.problem(problem.words, problem.files)}</Text>
                    <Text size="sm" c="dimmed">
                      {words.example} <Foreign text={problem.example} />
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
