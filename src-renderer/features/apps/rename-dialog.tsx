import { Button, Group, Modal, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState, type ReactElement } from 'react';
import type { App } from '../../../src-main/contract/sign-ins.ts';
import { useAction } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Form } from '../../ui/form.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { nameOf, ownNameOf } from './names.ts';
import { renameWords } from './words.ts';

const longestName = 100;

/** Gives an app a name of the owner's. */
export function RenameDialog({ app, onClose }: { app: App; onClose: () => void }): ReactElement {
  useReturnFocus();
  const rename = useAction('apps.rename');
  const [name, setName] = useState(app.name ?? '');
  const submit = () =>
    rename.mutate(
      { id: app.id, name: name.trim() },
      {
        onSuccess: (renamed) => {
          notifications.show({ message: renameWords.done(nameOf(renamed)) });
          onClose();
        },
      },
    );
  return (
    <Modal
      opened
      centered
      title={<Phrase text={renameWords.title} parts={{ app: <Foreign text={nameOf(app)} /> }} />}
      closeButtonProps={{ 'aria-label': renameWords.close }}
      onClose={onClose}
    >
      <Form onSubmit={submit}>
        <TextInput
          label={renameWords.label}
          description={renameWords.about(ownNameOf(app))}
          value={name}
          maxLength={longestName}
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ErrorNote error={rename.error} doing={renameWords.failed} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {renameWords.cancel}
          </Button>
          <Button type="submit" color="amber.5" loading={rename.isPending}>
            {renameWords.save}
          </Button>
        </Group>
      </Form>
    </Modal>
  );
}
