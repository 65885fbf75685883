import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconLifebuoy } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useAction } from '../../client/queries.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { saveText } from './save-text.ts';
import styles from './activity.module.css';

/** The file for somebody who helps: looked at first, then copied or saved. Nothing is sent anywhere. */
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
        Make a support file
      </Button>
      <ErrorNote error={making.error} doing="The support file could not be made." />
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
      title="For somebody who helps you"
      closeButtonProps={{ 'aria-label': 'Close' }}
      onClose={onClose}
    >
      <Stack gap="md">
        <Text size="sm">
          This is all that the file says. It names your domain and your public address; passwords, tokens,
          keys, email addresses and what you posted are left out. Porchlight sends it to nobody: give it to
          whom you like.
        </Text>
        <pre className={styles.file} tabIndex={0} aria-label="The support file">
          {text}
        </pre>
        <Group gap="sm">
          <Button color="amber.5" size="xs" onClick={() => saveText(name, text)}>
            Save
          </Button>
          <CopyButton value={text} what="the support file" />
        </Group>
      </Stack>
    </Modal>
  );
}
