import { Button, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { Foreign } from '../../ui/foreign.tsx';
import { WarningNote } from '../../ui/states.tsx';
import styles from './media.module.css';
import type { Uploads } from './uploads.tsx';
import { uploadWords } from './words.ts';

/** Shows the progress of the uploads, and the files that failed. */
export function UploadNotes({ uploads }: { uploads: Uploads }): ReactElement {
  const { progress, failures } = uploads;
  const waiting = progress !== null && progress.done + 1 < progress.total;
  return (
    <>
      <Group role="status" gap="sm" mt={progress ? 'sm' : 0}>
        {progress && (
          <Text size="sm">
            {uploadWords.adding(progress.done + 1, progress.total)} <Foreign text={progress.name} />
          </Text>
        )}
        {waiting && (
          <Button variant="default" size="xs" onClick={uploads.stop}>
            {uploadWords.stop}
          </Button>
        )}
      </Group>
      {failures.length > 0 && (
        <div role="alert" className={styles.failures}>
          <WarningNote>
            {failures.map(({ name, why }, index) => (
              <Text key={index}>
                <b>
                  <Foreign text={name} />
                </b>{' '}
                {uploadWords.failed} <Foreign text={why} />
              </Text>
            ))}
            <Button variant="default" size="xs" mt="xs" onClick={uploads.forgetFailures}>
              {uploadWords.dismiss}
            </Button>
          </WarningNote>
        </div>
      )}
    </>
  );
}
