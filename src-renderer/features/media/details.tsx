import { Button, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { IconExternalLink, IconTrash } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
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
  readonly url: string;
  /** The file, where it is known already. */
  readonly known: MediaItem | undefined;
  readonly onDelete: (item: MediaItem) => void;
  readonly onClose: () => void;
}

/** All that is known of one file, beside the grid. */
export function Details({ url, known, onDelete, onClose }: Props): ReactElement {
  useReturnFocus();
  const details = useAnswer('media.get', { url });
  const item = known ?? details.data?.item;
  return (
    <Drawer
      opened
      position="right"
      size="md"
      title={
        <Text fw={600} truncate>
          {item ? <Foreign text={item.name} fallback="Without a name" /> : 'A file'}
        </Text>
      }
      closeButtonProps={{ 'aria-label': 'Close' }}
      onClose={onClose}
    >
      {item ? (
        <Known item={item} details={details} onDelete={() => onDelete(item)} />
      ) : (
        <Loaded query={details} what="this file">
          {() => null}
        </Loaded>
      )}
    </Drawer>
  );
}

interface KnownProps {
  readonly item: MediaItem;
  readonly details: UseQueryResult<Result<'media.get'>>;
  readonly onDelete: () => void;
}

function Known({ item, details, onDelete }: KnownProps): ReactElement {
  return (
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
