import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAction, useAnswer } from '../../client/queries.ts';
import { ChoosePath } from '../../ui/choose-path.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Address } from '../../ui/foreign.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { closeWords, exportWords } from './dialog-words.ts';

/** Exports every mention to one file, for the owner to keep or to use elsewhere. */
export function ExportDialog({ onClose }: { onClose: () => void }): ReactElement {
  useReturnFocus();
  const place = useAnswer('webmentions.exportPlace', {});
  return (
    <Modal
      opened
      centered
      size="lg"
      title={exportWords.title}
      closeButtonProps={{ 'aria-label': closeWords }}
      onClose={onClose}
    >
      <Loaded query={place} what={exportWords.what}>
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
    const requested = path.trim();
    setMissing(requested === '');
    if (requested !== '') save.mutate({ path: requested });
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
        <Text>{exportWords.intro}</Text>
        <Group align="flex-end" gap="xs">
          <TextInput
            label={exportWords.path}
            style={{ flexGrow: 1 }}
            description={exportWords.pathHelp}
            autoComplete="off"
            spellCheck={false}
            maxLength={4096}
            dir="ltr"
            value={path}
            readOnly={save.isPending}
            error={missing ? exportWords.missing : undefined}
            onChange={(event) => setPath(event.currentTarget.value)}
          />
          <ChoosePath
            what={exportWords.path}
            purpose="saveMentions"
            suggestion={path}
            disabled={save.isPending}
            onChoose={setPath}
            onError={setNoDialog}
          />
        </Group>
        <ErrorNote error={noDialog} />
        <ErrorNote error={save.isPending ? null : save.error} doing={exportWords.failed} />
        <div role="status">
          {save.isSuccess && (
            <Group gap="xs">
              <Text size="sm">
                {exportWords.done(save.data.mentions)}
                <Address url={save.data.path} />
              </Text>
              <CopyButton value={save.data.path} what={exportWords.copy} />
            </Group>
          )}
        </div>
        <Group>
          <Button type="submit" color="amber.5" loading={save.isPending}>
            {exportWords.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
