import { Button, Group, List, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState, type ReactElement, type ReactNode } from 'react';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import { Section } from '../../ui/page.tsx';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';
import { fileWords as words } from './words.ts';

/** How many files of each kind are named. */
const mostNamed = 5;

/** The files of posts that differ from the posts, with what to do about them. Renders nothing if there are none. */
export function EditedFiles(): ReactElement | null {
  const { data: files } = useAnswer('posts.files', {});
  const read = useAction('posts.readFiles');
  const [asking, setAsking] = useState(false);
  if (files === undefined) return null;
  const { changed, added, missing, ended, unreadable } = files;
  const isEdited = changed.length + added.length > 0;
  if (!isEdited && missing.length + ended.length + unreadable.length === 0 && read.error === null)
    return null;
  const order = (what: Parameters<typeof read.mutate>[0], done?: () => void) =>
    read.mutate(what, {
      onSuccess: () => {
        notifications.show({ message: words.readDone });
        done?.();
      },
    });
  return (
    <Section title={words.title}>
      {isEdited && (
        <Files>
          {changed.length > 0 && <Named text={words.changed(changed.length)} files={changed} />}
          {added.length > 0 && <Named text={words.added(added.length)} files={added} />}
          <Button
            mt="xs"
            variant="default"
            size="compact-sm"
            loading={read.isPending}
            onClick={() => order({})}
          >
            {words.read}
          </Button>
        </Files>
      )}
      {missing.length > 0 && (
        <Files>
          <Named text={words.missing(missing.length)} files={missing} />
          <Group gap="xs" mt="xs">
            <Button variant="default" size="compact-sm" onClick={() => order({ missing: 'write' })}>
              {words.write}
            </Button>
            <Button variant="default" size="compact-sm" onClick={() => setAsking(true)}>
              {words.delete}
            </Button>
          </Group>
        </Files>
      )}
      {ended.length > 0 && (
        <Files>
          <Text>{words.ended(ended.length)}</Text>
          {ended.map((file) => (
            <Group key={file} gap="xs" mt={6}>
              <Text size="sm">
                <Foreign text={`posts/${file}`} />
              </Text>
              <Button
                variant="default"
                size="compact-sm"
                aria-label={words.bringBackNamed(file)}
                onClick={() => order({ bringBack: [file] })}
              >
                {words.bringBack}
              </Button>
            </Group>
          ))}
        </Files>
      )}
      {unreadable.length > 0 && (
        <Files>
          <Named
            text={words.unreadable(unreadable.length)}
            files={unreadable.map(({ file, reason }) => `${file}: ${reason}`)}
          />
        </Files>
      )}
      <ErrorNote error={read.error} doing={words.failed} />
      {asking && (
        <Confirm
          title={words.deleteTitle}
          action={words.deleteAction}
          busy={read.isPending}
          error={read.error}
          onConfirm={() =>
            // Many posts are deleted only if the call is repeated, and this is the confirmation.
            read.mutate(
              { missing: 'delete' },
              {
                onSuccess: ({ missing: left }) =>
                  left.length === 0 ? setAsking(false) : order({ missing: 'delete' }, () => setAsking(false)),
              },
            )
          }
          onClose={() => setAsking(false)}
        >
          {words.deleteAbout(missing.length)}
        </Confirm>
      )}
    </Section>
  );
}

const Files = ({ children }: { children: ReactNode }): ReactElement => <WarningNote>{children}</WarningNote>;

/** Says something about files, and names the first of them. */
function Named({ text, files }: { text: string; files: readonly string[] }): ReactElement {
  return (
    <>
      <Text>{text}</Text>
      <List size="sm" withPadding>
        {files.slice(0, mostNamed).map((file) => (
          <List.Item key={file}>
            <Foreign text={`posts/${file}`} />
          </List.Item>
        ))}
        {files.length > mostNamed && <List.Item>{words.more(files.length - mostNamed)}</List.Item>}
      </List>
    </>
  );
}
