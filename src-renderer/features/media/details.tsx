import { Button, Drawer, Stack, Text, Title } from '@mantine/core';
import { IconExternalLink, IconTrash } from '../../ui/icons.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import type { MediaItem, MediaUse, PictureVersionState } from '../../../src-main/contract/media.ts';
import { useAnswer } from '../../client/queries.ts';
import { hashOf } from '../../routes.ts';
import { Address, Foreign } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import { ActionRow, copyItem } from '../../ui/more-menu.tsx';
import { useReturnFocus } from '../../ui/return-focus.ts';
import { Loaded } from '../../ui/states.tsx';
import { commonWords } from '../../ui/words.ts';
import styles from './media.module.css';
import { Thumbnail } from './thumbnail.tsx';
import { fileWords, sizeWords, typeWords, usesWords } from './words.ts';

interface Props {
  readonly url: string;
  /** The file, if the grid has loaded it. */
  readonly known: MediaItem | undefined;
  readonly onDelete: (item: MediaItem) => void;
  readonly onClose: () => void;
}

/** Shows one file beside the grid: its facts, and the posts that use it. */
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
          {item ? <Foreign text={item.name} fallback={fileWords.unnamed} /> : fileWords.title}
        </Text>
      }
      closeButtonProps={{ 'aria-label': commonWords.close }}
      onClose={onClose}
    >
      {item ? (
        <Known item={item} details={details} onDelete={() => onDelete(item)} />
      ) : (
        <Loaded query={details} what={fileWords.loads}>
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
      <Facts item={item} versions={details.data?.versions ?? 'made'} />
      <ActionRow
        items={[
          copyItem(item.url, fileWords.address),
          { label: fileWords.delete, Icon: IconTrash, danger: true, onClick: onDelete },
        ]}
      >
        {/^https?:/.test(item.url) && (
          <Button
            component="a"
            href={item.url}
            target="_blank"
            rel="noreferrer"
            color="amber.5"
            size="xs"
            leftSection={<IconExternalLink size={14} aria-hidden="true" />}
          >
            {fileWords.open}
          </Button>
        )}
      </ActionRow>
      <section aria-label={usesWords.title}>
        <Title order={3} mb={4}>
          {usesWords.title}
        </Title>
        <Loaded query={details} what={usesWords.loads}>
          {({ uses }) =>
            uses.length === 0 ? (
              <Text size="sm" c="dimmed">
                {usesWords.none}
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

interface FactsProps {
  readonly item: MediaItem;
  readonly versions: PictureVersionState;
}

function Facts({ item, versions }: FactsProps): ReactElement {
  return (
    <dl className={styles.facts}>
      <dt>{fileWords.type}</dt>
      <dd>{typeWords(item)}</dd>
      <dt>{fileWords.size}</dt>
      <dd>
        {sizeWords(item.bytes)}
        {item.width !== null && item.height !== null && `, ${fileWords.pixels(item.width, item.height)}`}
      </dd>
      <dt>{fileWords.added}</dt>
      <dd>
        <Ago at={item.uploadedAt} />
      </dd>
      {versions !== 'made' && (
        <>
          <dt>{fileWords.onSite}</dt>
          <dd>{fileWords.versions[versions]}</dd>
        </>
      )}
      {item.copyOf !== null && (
        <>
          <dt>{fileWords.copiedFrom}</dt>
          <dd>
            <Address url={item.copyOf} />
          </dd>
        </>
      )}
      <dt>{fileWords.addressFact}</dt>
      <dd>
        <Address url={item.url} />
      </dd>
    </dl>
  );
}

/** The posts that use a file, each with its alt text for the file. */
function UseList({ uses, picture }: { uses: readonly MediaUse[]; picture: boolean }): ReactElement {
  return (
    <ul className={styles.uses}>
      {uses.map(({ post, alt }, index) => (
        <li key={`${post.url} ${index}`}>
          <a href={hashOf('posts', post.url)}>
            <Foreign text={post.name || post.summary} fallback={usesWords.untitled} />
          </a>
          <Text size="sm" c="dimmed">
            <Ago at={post.published} />
            {post.deletedAt !== null && ` · ${usesWords.deleted}`}
          </Text>
          {alt !== '' && (
            <Text size="sm">
              {usesWords.alt} “<Foreign text={alt} />”
            </Text>
          )}
          {alt === '' && picture && (
            <Text size="sm" c="dimmed">
              {usesWords.noAlt}
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}
