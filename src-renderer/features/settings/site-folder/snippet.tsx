import { Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Generator } from '../../../../src-main/contract/site-folder.ts';
import { useAnswer } from '../../../client/queries.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Loaded } from '../../../ui/states.tsx';
import styles from './site-folder.module.css';
import { snippetWords as words } from './words.ts';

/** Shows the template that displays mentions, for the owner to copy. */
export function Snippet({ generator }: { generator: Generator }): ReactElement {
  const snippet = useAnswer('siteFolder.snippet', { generator });
  return (
    <details className={styles.details}>
      <summary>{words.title}</summary>
      <Loaded query={snippet} what={words.loads}>
        {({ text, words: where }) => (
          <Stack gap="xs" mt="xs">
            <Text size="sm">{where}</Text>
            <CodeBlock text={text} what={words.what} />
          </Stack>
        )}
      </Loaded>
    </details>
  );
}
