import { Button, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { IconExternalLink, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { MediaItem } from '../../../src-main/contract/media.ts';
import { useAnswer } from '../../client/queries.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Address, Foreign } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { Loaded } from '../../ui/states.tsx';
import styles from './media.module.css';
import { Thumbnail } from './thumbnail.tsx';
import { UseList } from './uses.tsx';
import { sizeWords, typeWords } from './words.ts';

interface Props {
  readonly item: MediaItem;
  readonly onDelete: () => void;
  readonly onClose: () => void;
}

/** All that is known of one file, beside the grid. */
export function Details({ item, onDelete, onClose }: Props): ReactElement {
  useReturnFocus();
  const details = useAnswer('media.get', { url: item.url });
  return (
    <Drawer
      opened
      position="right"
      size="md"
      title={
        <Text fw={600} truncate>
          <Foreign text={item.name} fallback="Without a name" />
        </Text>
      }
      closeButtonProps={{ 'aria-label': 'Close' }}
      onClose={onClose}
    >
      <Stack gap="lg">
        <Thumbnail item={item} large />
        <Facts item={item} />
        <Group gap="xs">
          <CopyButton value={item.url} what="the address" />
          {/^https?:/.test(item.url) && (
            <Button
              component="a"
              href={item.url}
              target="_blank"
              rel="noreferrer"
              variant="default"
              size="xs"
              leftSection={<IconExternalLink size={14} aria-hidden="true" />}
            >
              Open
            </Button>
          )}
          <Button
            variant="default"
            size="xs"
            leftSection={<IconTrash size={14} aria-hidden="true" />}
            onClick={onDelete}
          >
            Delete
          </Button>
        </Group>
        <section aria-label="Where it is used">
          <Title order={3} mb={4}>
            Where it is used
          </Title>
          <Loaded query={details} what="where it is used">
            {({ uses }) =>
              uses.length === 0 ? (
                <Text size="sm" c="dimmed">
                  No post shows it.
                </Text>
              ) : (
                <UseList uses={uses} picture={item.kind === 'image'} />
              )
            }
          </Loaded>
        </section>
      </Stack>
    </Drawer>
  );
}

function Facts({ item }: { item: MediaItem }): ReactElement {
  return (
    <dl className={styles.facts}>
      <dt>Type</dt>
      <dd>{typeWords(item)}</dd>
      <dt>Size</dt>
      <dd>
        {sizeWords(item.bytes)}
        {item.width !== null && item.height !== null && `, ${item.width} × ${item.height} pixels`}
      </dd>
      <dt>Added</dt>
      <dd>
        <Ago at={item.uploadedAt} />
      </dd>
      {item.copyOf !== null && (
        <>
          <dt>Copied from</dt>
          <dd>
            <Address url={item.copyOf} />
          </dd>
        </>
      )}
      <dt>Address</dt>
      <dd>
        <Address url={item.url} />
      </dd>
    </dl>
  );
}
