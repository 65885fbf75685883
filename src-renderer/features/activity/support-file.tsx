import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconLifebuoy } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { useAction } from '../../client/queries.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { saveText } from './save-text.ts';
import styles from './activity.module.css';
import { supportWords } from './words.ts';

/** The support file: the owner reads it first, then copies or saves it. Nothing is sent anywhere. */
export function SupportFile(): ReactElement {
  const making = useAction('support.file');
  return (
    <Stack gap="sm" align="flex-start">
      <Button
        variant="default"
        loading={making.isPending}
        leftSection={<IconLifebuoy size={16} aria-hidden="true" />}
        onClick={() => making.mutate({})}
      >
        {supportWords.create}
      </Button>
      <ErrorNote error={making.error} doing={supportWords.failed} />
      {making.data && <FileDialog {...making.data} onClose={() => making.reset()} />}
    </Stack>
  );
}

interface FileProps {
  readonly name: string;
  readonly text: string;
  readonly onClose: () => void;
}

function FileDialog({ name, text, onClose }: FileProps): ReactElement {
  useReturnFocus();
  return (
    <Modal
      opened
      centered
      size="xl"
      title={supportWords.title}
      closeButtonProps={{ 'aria-label': supportWords.close }}
      onClose={onClose}
    >
      <Stack gap="md">
        <Text size="sm">{supportWords.about}</Text>
        <pre className={styles.file} tabIndex={0} aria-label={supportWords.content}>
          {text}
        </pre>
        <Group gap="sm">
          <Button color="amber.5" size="xs" onClick={() => saveText(name, text)}>
            {supportWords.save}
          </Button>
          <CopyButton value={text} what={supportWords.copy} />
        </Group>
      </Stack>
    </Modal>
  );
}
