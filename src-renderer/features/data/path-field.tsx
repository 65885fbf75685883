import { Button, FileButton, Group, Text, TextInput } from '@mantine/core';
import { useEffect, useId, useRef, useState, type ReactElement } from 'react';
import { archiveUploadBytes, type PathChoice } from '../../../src-main/contract/data.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { Files } from '../../client/client.ts';
import { useClient } from '../../client/queries.ts';
import { Bar } from '../../ui/bar.tsx';
import { ChoosePath } from '../../ui/choose-path.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { useUnfinished } from '../../ui/unfinished.ts';
import { commonWords } from '../../ui/words.ts';
import { sizeWords } from '../media/words.ts';
import styles from './data.module.css';
import { pathWords, archiveUploadWords } from './words.ts';

interface Choice {
  readonly purpose: PathChoice;
  /** The button's label, if several buttons stand beside the field. */
  readonly label?: string;
}

interface Props {
  readonly id?: string;
  readonly label: string;
  readonly description?: string;
  /** The buttons that open a system dialog; the desktop app only. */
  readonly choices: readonly Choice[];
  readonly suggestion?: string;
  readonly value: string;
  /** What is wrong with the path. */
  readonly problem?: string;
  readonly onChange: (path: string) => void;
  /** Called instead of `onChange` with a path that was chosen in the system dialog. */
  readonly onChoose?: (path: string) => void;
}

/** A field for a path on the computer that runs Porchlight: chosen in a dialog on the desktop, typed in a browser. */
export function PathField({ id, label, description, choices, ...props }: Props): ReactElement {
  const { suggestion, value, problem, onChange, onChoose = onChange } = props;
  const [error, setError] = useState<Error | null>(null);
  return (
    <div>
      <Group align="flex-end" gap="xs">
        <TextInput
          {...(id !== undefined && { id })}
          label={label}
          description={description ?? pathWords.description}
          value={value}
          maxLength={4096}
          error={problem}
          flex="1 1 220px"
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        {choices.map((choice) => (
          <ChoosePath
            key={choice.purpose}
            what={label}
            {...choice}
            {...{ suggestion, onChoose, onError: setError }}
          />
        ))}
      </Group>
      <ErrorNote error={error} />
    </div>
  );
}

/** Asks for a file to read: its path, or in a browser a file of this computer, which is uploaded. */
export function SourceField(props: Pick<Props, 'label' | 'description' | 'choices' | 'value' | 'onChange'>) {
  const { files } = useClient();
  if (files === undefined) return <PathField {...props} />;
  return (
    <>
      <UploadField {...props} files={files} />
      <details className={styles.fold}>
        <summary>{archiveUploadWords.onServer}</summary>
        <PathField {...props} />
      </details>
    </>
  );
}

interface Uploaded {
  readonly name: string;
  readonly bytes: number;
  readonly path: string;
}

/** Uploads a file that the owner chooses, and shows how far it is. */
function UploadField({
  label,
  value,
  files,
  onChange,
}: Pick<Props, 'label' | 'value' | 'onChange'> & { files: Files }): ReactElement {
  const labelId = useId();
  const [sending, setSending] = useState<{ file: File; done: number } | null>(null);
  const [uploaded, setUploaded] = useState<Uploaded | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const ending = useRef<AbortController>(null);
  useEffect(() => () => ending.current?.abort(), []);
  useUnfinished(sending !== null);

  async function upload(file: File): Promise<void> {
    const controller = new AbortController();
    ending.current = controller;
    setError(null);
    setUploaded(null);
    onChange('');
    setSending({ file, done: 0 });
    try {
      if (file.size > archiveUploadBytes) throw new Error(archiveUploadWords.tooLarge(sizeWords(file.size)));
      const { signal } = controller;
      const path = await files.upload({ file, signal, onProgress: (done) => setSending({ file, done }) });
      setUploaded({ name: file.name, bytes: file.size, path });
      onChange(path);
    } catch (failure) {
      const isCancelled = failure instanceof PorchlightError && failure.code === 'cancelled';
      if (!isCancelled) setError(failure instanceof Error ? failure : new Error(''));
    }
    setSending(null);
  }

  return (
    <div role="group" aria-labelledby={labelId}>
      <Text size="sm" fw={600} id={labelId}>
        {label}
      </Text>
      <Group gap="sm" mt={4}>
        <FileButton onChange={(file) => file !== null && void upload(file)}>
          {(button) => (
            <Button {...button} variant="default" disabled={sending !== null}>
              {archiveUploadWords.choose}
            </Button>
          )}
        </FileButton>
        <Text size="sm" role="status">
          {uploaded !== null && uploaded.path === value && (
            <>
              {archiveUploadWords.uploaded} <Foreign text={uploaded.name} /> ({sizeWords(uploaded.bytes)})
            </>
          )}
        </Text>
      </Group>
      {sending !== null && (
        <div role="status">
          <Text size="sm" mt="xs">
            {archiveUploadWords.sending(sizeWords(sending.done), sizeWords(sending.file.size))}{' '}
            <Foreign text={sending.file.name} />
          </Text>
          <Bar done={sending.done} total={sending.file.size} label={archiveUploadWords.bar} />
          <Button variant="default" size="xs" mt="xs" onClick={() => ending.current?.abort()}>
            {commonWords.cancel}
          </Button>
        </div>
      )}
      <ErrorNote error={error} doing={archiveUploadWords.failed} />
    </div>
  );
}
