import { Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAnswer } from '../../client/queries.ts';
import { Loaded } from '../../ui/states.tsx';
import { BackupForm } from './backup-form.tsx';
import { Card } from './card.tsx';
import styles from './data.module.css';
import { LastCopyLine } from './last-copy.tsx';
import { WeeklyForm } from './weekly-form.tsx';
import { backupWords, copyWords, dataWords, weeklyWords } from './words.ts';

interface Props {
  readonly data: Result<'data.folder'>;
  readonly busy: boolean;
  readonly withSecrets: boolean;
  readonly onWithSecrets: (withSecrets: boolean) => void;
}

/** Makes a backup now, shows the last one, and sets up weekly ones. */
export function BackupCard({ data, ...props }: Props): ReactElement {
  const settings = useAnswer('settings.get', {});
  return (
    <Card title={backupWords.heading} about={backupWords.about}>
      {data.lastBackup ? (
        <LastCopyLine what="backup" copy={data.lastBackup} />
      ) : (
        <Text size="sm">{copyWords.noBackup}</Text>
      )}
      <BackupForm progress={data.progress} {...props} />
      <div role="group" aria-labelledby="weekly-heading" className={styles.part}>
        <Title order={3} size="h4" id="weekly-heading">
          {weeklyWords.heading}
        </Title>
        <Text size="sm" c="dimmed" mb="sm">
          {weeklyWords.about}
        </Text>
        <Loaded query={settings} what={dataWords.loadingSettings}>
          {({ backup }) => <WeeklyForm backup={backup} data={data} />}
        </Loaded>
      </div>
    </Card>
  );
}
