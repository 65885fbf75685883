import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAction, useAnswer } from '../../client/queries.ts';
import { ChoosePath } from '../../ui/choose-path.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Address } from '../../ui/foreign.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { ErrorNote, Loaded } from '../../ui/states.tsx';

/** Saves everything that others said as one file, for the owner to keep or to take elsewhere. */
export function ExportDialog({ onClose }: { onClose: () => void }): ReactElement {
  useReturnFocus();
  const place = useAnswer('webmentions.exportPlace', {});
  return (
    <Modal
      opened
      centered
      size="lg"
      title="Save all mentions as a file"
      closeButtonProps={{ 'aria-label': 'Close' }}
      onClose={onClose}
    >
      <Loaded query={place} what="where files go">
        {({ path }) => <Inside offered={path} />}
      </Loaded>
    </Modal>
  );
}

function Inside({ offered }: { offered: string }): ReactElement {
  const save = useAction('webmentions.exportTo');
  const [path, setPath] = useState(offered);
  const [missing, setMissing] = useState(false);
  const [noDialog, setNoDialog] = useState<Error | null>(null);
  const start = () => {
    const wanted = path.trim();
    setMissing(wanted === '');
    if (wanted !== '') save.mutate({ path: wanted });
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <Stack>
        <Text>
          Everything that other sites said of your pages goes into one file (JF2, which is JSON): to keep, or
          to take to another program. What is private, waiting, hidden or deleted is in it too, so keep it
          where only you can read it.
        </Text>
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Save as"
            style={{ flexGrow: 1 }}
            description="On the computer that Porchlight runs on."
            autoComplete="off"
            spellCheck={false}
            maxLength={4096}
            dir="ltr"
            value={path}
            readOnly={save.isPending}
            error={missing ? 'Say where the file should go.' : undefined}
            onChange={(event) => setPath(event.currentTarget.value)}
          />
          <ChoosePath
            what="Save as"
            purpose="saveMentions"
            suggestion={path}
            disabled={save.isPending}
            onChoose={setPath}
            onError={setNoDialog}
          />
        </Group>
        <ErrorNote error={noDialog} />
        <ErrorNote error={save.isPending ? null : save.error} doing="The mentions were not saved." />
        <div role="status">
          {save.isSuccess && (
            <Group gap="xs">
              <Text size="sm">
                {countedWords(save.data.mentions)} saved as <Address url={save.data.path} />
              </Text>
              <CopyButton value={save.data.path} what="where it is" />
            </Group>
          )}
        </div>
        <Group>
          <Button type="submit" color="amber.5" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function countedWords(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'mention is' : 'mentions are'}`;
}
