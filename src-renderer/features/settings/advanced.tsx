import { Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { Loaded } from '../../ui/states.tsx';
import { ManagementToken } from './management-token.tsx';
import { settingId } from './setting-props.ts';
import styles from './settings.module.css';
import { advancedWords, secretWords } from './words.ts';

const { managementToken, secrets } = advancedWords.settings;

/** What only owners who write programs need, and where secrets are stored. */
export function Advanced(): ReactElement {
  const status = useAnswer('status.get', {});
  return (
    <>
      <div role="group" aria-label={managementToken.label} id={settingId('advanced', 'managementToken')}>
        <Title order={3} size="h4">
          {managementToken.label}
        </Title>
        <Text size="sm" c="dimmed" mb="sm">
          {managementToken.about}
        </Text>
        <ManagementToken />
      </div>
      <div
        role="group"
        aria-label={secrets.label}
        id={settingId('advanced', 'secrets')}
        tabIndex={-1}
        className={styles.group}
      >
        <Title order={3} size="h4">
          {secrets.label}
        </Title>
        <Loaded query={status} what={secretWords.loading}>
          {(now) => <Text size="sm">{secretWords[now.secrets]}</Text>}
        </Loaded>
      </div>
    </>
  );
}
