import { Button, Group, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { FoundSite } from '../../../../src-main/contract/site-folder.ts';
import { useAction } from '../../../client/queries.ts';
import { Form } from '../../../ui/form.tsx';
import { useUnfinished } from '../../../ui/unfinished.ts';
import { PathField } from '../../data/path-field.tsx';
import { settingProps } from '../setting-props.ts';
import { chooserWords as words, folderWords } from './words.ts';

const { id, label, description } = settingProps('site-folder', folderWords.settings)('path');

interface Props {
  /** The folder of the form; empty if none is chosen. */
  readonly path: string;
  /** Whether Porchlight publishes to the folder. */
  readonly isOn: boolean;
  readonly onFound: (found: FoundSite) => void;
  /** Hears whether the field names another folder than the form. */
  readonly onOther: (isOther: boolean) => void;
}

/** Asks for the folder of the site, and examines it. */
export function FolderChooser({ path, isOn, onFound, onOther }: Props): ReactElement {
  const [typed, setTyped] = useState<string | null>(null);
  useUnfinished(typed !== null);
  const detect = useAction('siteFolder.detect');
  const value = typed ?? path;
  const isOther = path !== '' && value.trim() !== path;

  const type = (next: string | null) => {
    detect.reset();
    setTyped(next);
    onOther(path !== '' && next !== null && next.trim() !== path);
  };
  const check = (requested: string) =>
    detect.mutate(
      { path: requested.trim() },
      {
        onSuccess: (found) => {
          setTyped(null);
          onOther(false);
          onFound(found);
        },
      },
    );

  return (
    <Form gap="sm" ready={value.trim() !== '' && !detect.isPending} onSubmit={() => check(value)}>
      <PathField
        {...{ id, label, value }}
        {...(description !== undefined && { description })}
        purpose="siteFolder"
        {...(detect.error && { problem: detect.error.message })}
        onChange={type}
        onChoose={(chosen) => {
          type(chosen);
          check(chosen);
        }}
      />
      {(isOther || !isOn) && (
        <Text size="sm" c="dimmed">
          {isOther ? words.other : words.readOnly}
        </Text>
      )}
      <Group gap="sm">
        <Button
          type="submit"
          {...(path === '' ? { color: 'amber.5' } : { variant: 'default' })}
          disabled={value.trim() === ''}
          loading={detect.isPending}
        >
          {words.check}
        </Button>
        {isOther && (
          <Button variant="default" onClick={() => type(null)}>
            {words.keep}
          </Button>
        )}
        <Text role="status" size="sm" c="dimmed">
          {detect.isPending ? words.checking : ''}
        </Text>
      </Group>
    </Form>
  );
}
