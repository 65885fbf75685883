import { Button, Group } from '@mantine/core';
import {
  IconArrowBackUp,
  IconCopyPlus,
  IconExternalLink,
  IconHistory,
  IconPencil,
  IconTrash,
  IconWorldUpload,
} from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import type { PostItem } from '../../../src-main/contract/posts.ts';
import { writeHash } from '../../routes.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { SteadyButton } from '../../ui/steady-button.tsx';
import type { PostActions } from './post-actions.ts';
import { previewWords } from './words.ts';

interface Props {
  readonly post: PostItem;
  /** The version that is shown. */
  readonly version: string;
  /** Whether the post has an earlier version. */
  readonly canUndo: boolean;
  readonly actions: PostActions;
}

const quiet = { variant: 'default', size: 'xs' } as const;
const icon = { size: 14, 'aria-hidden': true } as const;

/** The actions on the open post. Nothing about a deleted post can be changed until it is restored. */
export function PreviewActions({ post, version, canUndo, actions }: Props): ReactElement {
  const { url, status, visibility } = post;
  if (post.deletedAt !== null)
    return (
      <Group gap="xs">
        <Button {...quiet} leftSection={<IconArrowBackUp {...icon} />} onClick={() => actions.restore(post)}>
          {previewWords.restore}
        </Button>
        <CopyButton value={url} what={previewWords.address} named />
      </Group>
    );
  return (
    <Group gap="xs">
      {status === 'draft' && (
        <SteadyButton
          // Another version gets a new button, so the owner publishes only what was in sight for a second.
          key={version}
          size="xs"
          color="amber.5"
          leftSection={<IconWorldUpload {...icon} />}
          onClick={() => actions.publish(post, version)}
        >
          {previewWords.publish}
        </SteadyButton>
      )}
      <Button {...quiet} component="a" href={writeHash({ post: url })} leftSection={<IconPencil {...icon} />}>
        {previewWords.edit}
      </Button>
      {status === 'published' && visibility !== 'private' && (
        <Button
          {...quiet}
          component="a"
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          leftSection={<IconExternalLink {...icon} />}
        >
          {previewWords.open(hostIn(url))}
        </Button>
      )}
      <CopyButton value={url} what={previewWords.address} named />
      <Button {...quiet} leftSection={<IconCopyPlus {...icon} />} onClick={() => actions.duplicate(post)}>
        {previewWords.duplicate}
      </Button>
      {canUndo && (
        <Button
          {...quiet}
          leftSection={<IconHistory {...icon} />}
          onClick={() => actions.undoLast(post, version)}
        >
          {previewWords.undoLast}
        </Button>
      )}
      <Button {...quiet} leftSection={<IconTrash {...icon} />} onClick={() => actions.remove(post)}>
        {previewWords.delete}
      </Button>
    </Group>
  );
}
